"""Cold `protoc diff` of seed specs against a bare Python: two versions of one seed, with its proof, and two seeds."""

from __future__ import annotations

import tempfile
from pathlib import Path

from common import ROOT, SEED_D, Figure, Size, alternating, installed, seconds, show, shown_seconds

SEED_A = ROOT / "specs" / "theorempath_ask_holdout_v2"
CHANGES = (("at least 0.90., must: accuracy >= 0.90", "at least 0.88., must: accuracy >= 0.88"), ("30 s", "40 s"))


def run(size: Size) -> list[Figure]:
    """Whole processes, in turns, byte-code present."""
    folder = installed()
    with tempfile.TemporaryDirectory() as made:
        other = Path(made) / "protocol.yaml"
        text = (SEED_A / "protocol.yaml").read_text(encoding="utf-8")
        for old, new in CHANGES:
            assert old in text
            text = text.replace(old, new)
        other.write_text(text, encoding="utf-8")
        actions = {
            "bare": lambda: seconds([folder / "python", "-c", "pass"]),
            "same": lambda: seconds([folder / "protoc", "diff", SEED_A, other]),
            "formulas": lambda: seconds([folder / "protoc", "diff", "--no-proof", SEED_A, other]),
            "two": lambda: seconds([folder / "protoc", "diff", "--no-proof", SEED_D, SEED_A]),
        }
        found = alternating(actions, size.rounds)
    named = {
        "same": "two versions of seed A, proved and replayed",
        "formulas": "two versions of seed A, --no-proof",
        "two": "seeds D and A, --no-proof",
    }
    bare = f"`python -c pass` {shown_seconds(found['bare'])}"
    return [
        Figure("diff", words, shown_seconds(found[name]), bare, found[name] / found["bare"], 10)
        for name, words in named.items()
    ]


if __name__ == "__main__":
    show(run)
