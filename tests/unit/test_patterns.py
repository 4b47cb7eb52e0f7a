"""Every pattern of the documentation, computed by both computations on the same rows."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import identity, pipeline
from protoc_compiler.emit import rules, verify
from protoc_runtime.declared import load
from protoc_runtime.diagnostics import Findings
from protoc_runtime.reading import read_tables
from unit.doc_blocks import ROOT, Block, blocks, whole

PAGE = [block for block in blocks(ROOT / "docs" / "patterns.md") if block.language == "yaml"]
BASE = next(block.text for block in PAGE if block.mark("base") is not None)
FRAGMENTS = [block for block in PAGE if block.mark("finds") is None]
STATES = ("queued", "running", "done", "broken")


def cases() -> list[dict[str, Any]]:
    kinds = ("repair", "review")
    return [{"case": f"c{n}", "seq": n, "kind": kinds[n % 2], "block": f"b{n % 3}", "weight": n} for n in range(7)]


def runs() -> list[dict[str, Any]]:
    """Two tries of most cases by each arm; some without an answer, some of one arm only."""
    made = []
    for n in range(7):
        for at, arm in enumerate(("plain", "small", "large")):
            for repeat in (1, 2):
                if (n + at) % 5 == 4:
                    continue
                k = 3 * n + 2 * at + repeat
                made.append(
                    {
                        "case": f"c{n}", "arm": arm, "repeat": repeat, "started": k % 6 != 0,
                        "ok": None if k % 7 == 0 else (k + at) % 3 != 0, "cost": k / 4,
                        "score": None if k % 8 == 0 else k / 10,
                        "judge_one": ("good", "fair", "poor")[k % 3], "judge_two": ("good", "fair", "poor")[k % 4 % 3],
                        "stated": (k % 11) / 10, "state": STATES[k % 4], "next": STATES[(k + 1) % 4],
                    }
                )  # fmt: skip
    return made


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("rows")
    for name, rows in (("cases", cases()), ("runs", runs())):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return folder


@pytest.mark.parametrize("block", FRAGMENTS, ids=lambda block: block.label)
def test_both_computations_agree_on_a_pattern(block: Block, data: Path) -> None:
    text = whole(block, BASE)
    protocol = pipeline.examine("patterns.yaml", text.encode()).protocol
    assert protocol is not None
    engine: dict[str, Any] = {"__name__": "generated_rules"}
    exec(compile(rules.render(protocol), "rules.py", "exec"), engine)
    alone: dict[str, Any] = {"__name__": "generated_verify"}
    exec(compile(verify.render(protocol), "verify.py", "exec"), alone)
    findings = Findings()
    tables = read_tables(load(identity.canonical(protocol)), data, findings=findings)
    assert not findings.failed
    assert alone["read_rows"](data) == []
    theirs = engine["evaluate"](tables, {}).to_json()
    ours = alone["results"](*alone["ABOUT"][:4])
    assert {**theirs, "spec_digest": ours["spec_digest"]} == ours
    study = engine["study"](tables, {})
    for table in study.rules.tables:
        study.table_rows(table)  # every column can be computed
