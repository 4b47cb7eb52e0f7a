"""Specs that lack a part, or give one that nobody knows: they are refused at the place, and nothing ends in a crash."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_compiler.drift.reading import read
from protoc_runtime.diagnostics import Refused

SPECS = Path(__file__).resolve().parents[2] / "specs"
ROUTER = SPECS / "schemarouter_operation_routing" / "protocol.yaml"
AGENT = SPECS / "neochart_r5" / "protocol.yaml"


def refused(path: Path, old: str, new: str) -> set[str]:
    """The ids of the faults of a seed in which one text is replaced."""
    text = path.read_text(encoding="utf-8")
    assert old in text
    with pytest.raises(Refused) as caught:
        read(str(path), path.name, text.replace(old, new, 1).encode())
    return {diagnostic.id for diagnostic in caught.value.diagnostics}


def test_a_manifest_without_phases() -> None:
    text = ROUTER.read_text(encoding="utf-8")
    start = text.index("    phases:\n      - {phase: dev, status")
    end = text.index("    closed: [candidate.authority]")
    assert refused(ROUTER, text[start:end], "") == {"E0202"}


def test_a_manifest_whose_phases_are_of_no_use() -> None:
    text = ROUTER.read_text(encoding="utf-8")
    start = text.index("      - {phase: dev, status")
    end = text.index("    closed: [candidate.authority]")
    assert refused(ROUTER, text[start:end], "      - {phase: dev}\n") == {"E0202"}


def test_an_option_of_a_sample_that_nobody_knows() -> None:
    line = next(line for line in AGENT.read_text(encoding="utf-8").splitlines() if "sample(" in line)
    assert "E0307" in refused(AGENT, line, line.replace("seed =", "per = kind, seed ="))


def test_a_table_that_lost_the_rows_which_formulas_name_by_key() -> None:
    karsa = SPECS / "karsa_extractor_v2" / "protocol.yaml"
    rows = ", rows: [prompt_injection, unsupported_claim]"
    assert {"E0202", "E0305"} <= refused(karsa, rows, "")
