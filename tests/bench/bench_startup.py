"""`protoc --version` against a bare `python -c pass`."""

from __future__ import annotations

from common import Figure, Size, alternating, installed, seconds, show, shown_seconds


def run(size: Size) -> list[Figure]:
    """Whole processes, in turns."""
    folder = installed()
    found = alternating(
        {
            "bare": lambda: seconds([folder / "python", "-c", "pass"]),
            "version": lambda: seconds([folder / "protoc", "--version"]),
        },
        size.rounds * 3,
    )
    return [
        Figure(
            "start-up: `protoc --version`", "console script, cold process", shown_seconds(found["version"]),
            f"`python -c pass` {shown_seconds(found['bare'])}", found["version"] / found["bare"], 1.5,
        )
    ]  # fmt: skip


if __name__ == "__main__":
    show(run)
