"""Cold `protoc check` of seed D against a bare Python, and against check-jsonschema on the same file."""

from __future__ import annotations

from common import ROOT, SEED_D, Figure, Size, alternating, installed, seconds, show, shown_seconds, tool


def run(size: Size) -> list[Figure]:
    """Whole processes, in turns. check-jsonschema reads the same YAML file against its JSON Schema."""
    folder, other = installed(), tool("check-jsonschema")
    spec = SEED_D / "protocol.yaml"
    actions = {
        "bare": lambda: seconds([folder / "python", "-c", "pass"]),
        "check": lambda: seconds([folder / "protoc", "check", SEED_D]),
    }
    if other is not None:
        schema = ROOT / "docs" / "schema" / "spec.schema.json"
        actions["other"] = lambda: seconds([other, "--schemafile", schema, spec])
    found = alternating(actions, size.rounds)
    text = f"seed D, {len(spec.read_text(encoding='utf-8').splitlines())} lines"
    made = [
        Figure(
            "check", text, shown_seconds(found["check"]), f"`python -c pass` {shown_seconds(found['bare'])}",
            found["check"] / found["bare"], 8,
        )
    ]  # fmt: skip
    if other is not None:
        made.append(
            Figure(
                "check", text, shown_seconds(found["check"]), f"check-jsonschema {shown_seconds(found['other'])}",
                found["check"] / found["other"], 0.6,
            )
        )  # fmt: skip
    return made


if __name__ == "__main__":
    show(run)
