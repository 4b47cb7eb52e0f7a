"""Nine protocols of other people: every metric, rule, verdict and list of every case, by both computations.

The expectations come from an independent oracle per protocol; numbers are compared by cross-multiplication, real ones
to twelve decimals.
"""

from __future__ import annotations

import io
import json
import py_compile
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import pipeline
from protoc_compiler.cli import main
from protoc_compiler.emit import verify

HERE = Path(__file__).parent
CASES = """
hotspot-forecast: dry_run invalid_seal invalid_second scored_edge scored_null_result unevaluable
judge-calibration: bands_exact corpus_short demote_auc gaps_and_ties promotion_exact report_only
media-identify: false_confident invalid_freeze invalid_retry one_case_short pass_edges unresolved
paired-memory: hidden_regression invalid_pair nothing_admitted one_case_short pass_exact rate_short
phrase-gates: alpha_hit control_passes publishable_edges tied undecided unlocked
repo-delivery: hold_one_short opposite stopped_drift stopped_empty_repo superior_edges touches_zero
trade-ranking: fail_29 fail_tie fail_undefined pass_edges pause_drift reject_zero_slip
web-claims: budget_exact budget_short complete harmonic_zero invalid undefined
workflow-cost: better_six one_item_short outages_decide stop_exact_tie undefined worse
"""
ALL = [
    (folder, case)
    for folder, cases in (line.split(": ") for line in CASES.strip().splitlines())
    for case in cases.split()
]
# what a fact sheet calls by a name of its own: a list, the blockers, a status
LISTS = {
    "hits",
    "leaked_docs",
    "regressed_cases",
    "winners",
    "open_letters",
    "drift",
    "label_screen",
    "clusters_may_size",
}


@pytest.fixture(scope="module")
def verifier(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """The program of a protocol; Python compiles it once, as it takes longer than most cases."""

    @cache
    def program(folder: str) -> Path:
        place = tmp_path_factory.mktemp(folder)
        (place / "verify.py").write_text(rendered(folder), encoding="utf-8")
        return Path(py_compile.compile(str(place / "verify.py"), str(place / "verify.pyc"), doraise=True) or "")

    return program


def rendered(folder: str) -> str:
    """The text of a protocol's verifier."""
    protocol, findings = pipeline.check(HERE / folder / "protocol.yaml")
    assert protocol is not None, [item.message for item in findings]
    return verify.render(protocol)


def number(value: dict[str, Any]) -> Fraction:
    return Fraction(value["float"]) if "float" in value else Fraction(int(value["num"]), int(value["den"]))


def same(expected: Any, found: Any) -> bool:
    """Equal by value; a real one to twelve decimals."""
    if isinstance(expected, dict) and isinstance(found, dict):
        if "float" in expected:
            shown = round(Decimal(number(found).numerator) / Decimal(number(found).denominator), 12)
            return abs(Decimal(expected["float"]) - shown) <= Decimal("1e-12")
        return "float" not in found and number(expected) == number(found)
    return bool(expected == found)


def differences(expected: dict[str, Any], found: dict[str, Any]) -> list[str]:
    """Everything in which a result is not the expected one."""
    wrong = [
        f"{name}: {value} expected, {found['metrics'].get(name, 'nothing')} found"
        for name, value in expected["metrics"].items()
        if name not in found["metrics"] or not same(value, found["metrics"][name])
    ]
    rules = {**found["blockers"], **found["checks"], **found["gates"]}
    named = {**expected.get("gates", {}), **expected.get("kill", {})}
    wrong += [f"rule {name}: {value}" for name, value in named.items() if rules.get(name, "absent") != value]
    wrong += [
        f"verdict {name}" for name, word in expected.get("verdicts", {}).items() if found["verdicts"][name] != word
    ]
    wrong += [
        f"list {name}: {found['lists'].get(name)}"
        for name in LISTS & set(expected)
        if sorted(found["lists"][name]) != sorted(expected[name])
    ]
    wrong += [f"status {name}" for name in {"label"} & set(expected) if found["statuses"][name] != expected[name]]
    if found["verdict"] != expected["verdict"]:
        wrong.append(f"verdict {found['verdict']}, not {expected['verdict']}")
    return wrong


@pytest.mark.parametrize(("folder", "case"), ALL, ids=[f"{folder}-{case}" for folder, case in ALL])
def test_score_gives_every_expected_value(folder: str, case: str, field_data: Path) -> None:
    out, err = io.StringIO(), io.StringIO()
    data = field_data / folder / "cases" / case
    words = ["score", str(HERE / folder / "protocol.yaml"), "--data", str(data), "--format", "json"]
    code = main(words, io.StringIO(), out, err)
    found = json.loads(out.getvalue())
    assert differences(json.loads((data / "expected.json").read_text()), found) == []
    assert code == (0 if found["released"] else 1)


@pytest.mark.parametrize(("folder", "case"), ALL, ids=[f"{folder}-{case}" for folder, case in ALL])
def test_the_standard_library_alone_gives_every_expected_value(
    folder: str, case: str, field_data: Path, verifier: Callable[[str], Path]
) -> None:
    data = field_data / folder / "cases" / case
    command = [sys.executable, "-I", str(verifier(folder)), "--data", str(data), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert differences(json.loads((data / "expected.json").read_text()), json.loads(done.stdout)) == []


def test_every_case_of_the_field_is_run(field_data: Path) -> None:
    present = {(path.parents[1].name, path.name) for path in field_data.glob("*/cases/*")}
    assert set(ALL) == present
