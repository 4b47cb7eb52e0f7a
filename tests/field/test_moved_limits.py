"""Each number that a rule of a field protocol is compared with is moved: `protoc diff` tells a direction, and why.

A quick run moves every fourth number of each protocol, PROTOC_LONG=1 all of them.
"""

from __future__ import annotations

import io
import json
import os
import re
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler.cli import main

HERE = Path(__file__).parent
PROTOCOLS = sorted([*HERE.glob("*/protocol.yaml"), *HERE.glob("authors/*/protocol.yaml")])
STEP = 1 if os.environ.get("PROTOC_LONG") == "1" else 4
RULES = ("gates", "blockers", "checks")
LIMIT = re.compile(r"(>=|<=|>|<|==) (\d+(?:\.\d+)?)")
DECIDED = {  # of the numbers that a quick run moves, for how many it is at least shown or proved what is released
    "accent-words": 2, "handbook-answers": 2, "judge-calibration": 1, "label-agreement": 1, "phrase-gates": 2,
    "search-margin": 1,
}  # fmt: skip
ALLOWED = {True: {"looser", "equivalent", "undecided"}, False: {"stricter", "equivalent", "undecided"}}


def moved(text: str) -> Iterator[tuple[str, str, bool | None]]:
    """The rule's line; the text with one number moved, in its words too; whether a gate gets looser, where one sees."""
    lines, section = text.split("\n"), ""
    for at, line in enumerate(lines):
        section = line[:-1] if re.fullmatch(r"\w+:", line) else section
        if section not in RULES:
            continue
        for found in LIMIT.finditer(line):
            old = found[2]
            new = f"{float(old) * 0.9:.4g}" if "." in old else str(int(old) + 1)
            says = line[: found.start(2)].replace(old, new) if "says" in line else line[: found.start(2)]
            changed = says + new + line[found.end(2) :]
            plain = section == "gates" and re.search(r"must: \w+ (>=|>) [\d.]+%?[}\s]*$", line)
            yield (
                line.strip(),
                "\n".join([*lines[:at], changed, *lines[at + 1 :]]),
                (float(new) < float(old)) if plain else None,
            )


def told(one: Path, other: Path) -> tuple[int, dict[str, Any]]:
    """The exit status of a comparison, and what it says as JSON; nothing where it was refused."""
    out, err = io.StringIO(), io.StringIO()
    status = main(["diff", "--format", "json", str(one), str(other)], io.StringIO(), out, err)
    assert "internal failure" not in err.getvalue(), err.getvalue()
    return status, json.loads(out.getvalue()) if status == 0 else {}


@pytest.mark.parametrize("protocol", PROTOCOLS, ids=lambda path: path.parent.name)
def test_a_moved_limit_has_a_direction(protocol: Path, tmp_path: Path) -> None:
    folder = Path(shutil.copytree(protocol.parent, tmp_path / "field"))
    changed, decided = folder / "changed.yaml", 0
    for line, text, looser in list(moved(protocol.read_text(encoding="utf-8")))[::STEP]:
        changed.write_text(text, encoding="utf-8")
        status, found = told(folder / "protocol.yaml", changed)
        if status != 0:  # the number stands elsewhere too: in words, or in a file that it is tied to
            assert status == 1
            continue
        directions = {change["direction"] for change in found["changes"]} - {"text"}
        assert directions, line
        decided += found["verdict"]["status"] in ("proved", "witness")
        if looser is not None:
            assert directions <= ALLOWED[looser], line
    assert decided >= DECIDED.get(protocol.parent.name, 0)
