"""Parity of two runtimes: the verdict and the figures, against a second account of what is compared."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.diagnostics import Refused
from protoc_runtime.parity.comparing import Compared, compare
from protoc_runtime.parity.records import Parity
from protoc_runtime.parity.reporting import report, write
from protoc_runtime.parity.rows import read, read_both
from unit import manifest_cases as cases
from unit.projects import Project

PARITY = Parity(
    "case_id",
    "predicted",
    "supported_probability",
    Fraction(19, 20),
    "error",
    "",
    ("authority_violations", "execution_errors"),
)
COLUMNS = Parity("case_id", "predicted", "supported_probability", Fraction(19, 20), "error", "violated")


def row(case: Any, route: Any = "op", score: Any = 0.5, error: Any = None) -> dict[str, Any]:
    return {"case_id": case, "predicted": route, "supported_probability": score, "error": error}


def document(rows: list[Any], **counts: Any) -> dict[str, Any]:
    return {"rows": rows, "summary": {"execution_errors": 0, "authority_violations": 0} | counts}


def compared(folder: Path, reference: Any, candidate: Any, parity: Parity = PARITY, ending: str = ".json") -> Compared:
    paths = []
    for name, given_rows in (("reference", reference), ("candidate", candidate)):
        path = folder / f"{name}{ending}"
        if ending == ".parquet":
            given_rows.write_parquet(path)
        else:
            path.write_text(given_rows if isinstance(given_rows, str) else json.dumps(given_rows))
        paths.append(path)
    return compare(parity, *read_both(*paths, parity))


# --- a second account, of the facts alone -----------------------------------------------------------------------------


def passes(reference: Any, candidate: Any) -> bool:
    """Whether both decide alike; whatever is malformed fails."""
    try:
        one, other = (_indexed(side) for side in (reference, candidate))
    except (AssertionError, TypeError, KeyError, AttributeError):
        return False
    same = one.keys() == other.keys()
    return same and all(
        one[case]["predicted"] == other[case]["predicted"] and _executes(one[case]) == _executes(other[case])
        for case in one
    )


def _indexed(side: Any) -> dict[str, Any]:
    assert side["rows"]
    for count in ("execution_errors", "authority_violations"):
        assert type(side["summary"][count]) is int
        assert side["summary"][count] == 0
    known: dict[str, Any] = {}
    for each in side["rows"]:
        assert isinstance(each["case_id"], str)
        assert each["case_id"].strip()
        assert each["case_id"] not in known
        assert each["error"] is None or each["error"] == ""
        assert each["predicted"] is None or isinstance(each["predicted"], str)
        score = each["supported_probability"]
        assert type(score) in (int, float)
        assert math.isfinite(score)
        assert 0 <= score <= 1
        known[each["case_id"]] = each
    return known


def _executes(each: dict[str, Any]) -> bool:
    return Fraction(repr(each["supported_probability"])) >= Fraction(95, 100)


def figures(reference: Any, candidate: Any) -> dict[str, Fraction]:
    """Drift and margin of two that are well-formed and have the same cases."""
    one, other = _indexed(reference), _indexed(candidate)
    scores = [
        (Fraction(repr(one[c]["supported_probability"])), Fraction(repr(other[c]["supported_probability"])))
        for c in one
    ]
    drift = sorted(abs(a - b) for a, b in scores)
    margin = sorted(abs(a - Fraction(95, 100)) for a, _ in scores)

    def rank(values: list[Fraction], percent: int) -> Fraction:
        return values[max(1, math.ceil(Fraction(percent * len(values), 100))) - 1]

    return {
        "drift max": drift[-1], "drift mean": sum(drift, Fraction(0)) / len(drift), "drift p50": rank(drift, 50),
        "drift p95": rank(drift, 95), "margin min": margin[0], "margin p05": rank(margin, 5),
        "margin p50": rank(margin, 50),
    }  # fmt: skip


SCORES = st.one_of(
    st.sampled_from([0.95, 0.9499999999999999, 0.9500000000000001, 0, 1, 0.0, 1.0, 1e-7, 5e-324, 0.949, 0.951]),
    st.floats(0, 1), st.sampled_from([-0.1, 1.1, True, None, "0.5", float("nan")]),
)  # fmt: skip
ROUTES = st.sampled_from(["a", "a", "b", None, "", 3])
ROWS = st.lists(
    st.builds(row, st.sampled_from(["c1", "c2", "c3", " "]), ROUTES, SCORES, st.sampled_from([None, "", "", "x"])),
    max_size=6,
)  # fmt: skip


@st.composite
def pairs(draw: st.DrawFn) -> tuple[Any, Any]:
    """Two documents that mostly agree."""
    names = draw(st.lists(st.sampled_from([f"c{n}" for n in range(8)]), min_size=1, max_size=8, unique=True))
    good = st.floats(0, 1) | st.sampled_from([0.95, 0.9499999999999999, 0.9500000000000001, 1, 0])
    one = [
        row(name, draw(st.sampled_from(["a", "b", None])), draw(good), draw(st.sampled_from([None, ""])))
        for name in names
    ]
    other = [dict(each) for each in draw(st.permutations(one))]
    for each in other:
        if draw(st.integers(0, 2)) == 0:
            each["supported_probability"] = draw(good)
    if draw(st.integers(0, 3)) == 0:
        other[0][draw(st.sampled_from(["predicted", "error", "case_id"]))] = draw(st.sampled_from(["a", "x", "", None]))
    counts: dict[str, Any] = draw(
        st.sampled_from([{}, {}, {}, {"execution_errors": 1}, {"authority_violations": None}])
    )
    return document(one), document(other, **counts)


@settings(max_examples=250, deadline=None)
@given(pairs())
def test_the_verdict_is_that_of_the_facts(tmp_path_factory: pytest.TempPathFactory, both: tuple[Any, Any]) -> None:
    found = compared(tmp_path_factory.mktemp("p"), *both)
    assert found.holds == passes(*both)
    if found.holds:
        due = figures(*both)
        mine = {f"drift {name}": value for name, value in found.drift.items()}
        assert mine | {f"margin {name}": value for name, value in found.margin.items()} == due


@settings(max_examples=150, deadline=None)
@given(ROWS, ROWS, st.sampled_from([0, 0, 0, 1, False, None, "0"]))
def test_malformed_rows_fail_as_the_facts_say(
    tmp_path_factory: pytest.TempPathFactory, one: list[Any], other: list[Any], count: Any
) -> None:
    both = document(one), document(other, execution_errors=count)
    assert compared(tmp_path_factory.mktemp("p"), *both).holds == passes(*both)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1)), min_size=1, max_size=20))
def test_parquet_decides_as_json_does(
    tmp_path_factory: pytest.TempPathFactory, scores: list[tuple[float, float]]
) -> None:
    folder = tmp_path_factory.mktemp("p")
    frames, documents = [], []
    for side in (0, 1):
        rows = [row(f"c{n}", "op", pair[side], None) for n, pair in enumerate(scores)]
        frames.append(pl.DataFrame(rows, schema_overrides={"error": pl.String}))
        documents.append(document(rows))
    plain = compared(folder, documents[0], documents[1])
    quick = compared(folder, frames[0], frames[1], ending=".parquet")
    assert [check.broken for check in quick.checks] == [check.broken for check in plain.checks]
    assert float(quick.drift["max"] or 0) == pytest.approx(float(plain.drift["max"] or 0), rel=1e-9, abs=1e-15)


def broken(found: Compared) -> dict[str, int]:
    return {check.name: check.broken for check in found.checks if not check.holds}


@pytest.mark.parametrize(
    ("candidate", "fails"),
    [
        ([row("a"), row("b")], {}),
        ([row("b"), row("a")], {}),
        ([row("a")], {"ids": 1}),
        ([row("a"), row("b"), row("c")], {"ids": 1}),
        ([row("a", "other"), row("b", None)], {"routes": 2}),
        ([row("a", score=0.95), row("b")], {"decisions": 1}),
        ([row("a", error="timeout"), row("b")], {"errors": 1}),
        ([row("a"), row("b"), row("b")], {"rows": 1}),
        ([row("a", score=True), row("b")], {"rows": 1, "decisions": 1}),
        ([row("a", score=1.5), row("b")], {"rows": 1, "decisions": 1}),
        ([row("a"), {"case_id": "b"}], {"rows": 3, "routes": 1, "decisions": 1}),
        ([], {"rows": 1, "ids": 2}),
        ([row("a"), row(""), row("b")], {"rows": 1, "ids": 1}),
    ],
)
def test_each_requirement_is_told_by_itself(tmp_path: Path, candidate: list[Any], fails: dict[str, int]) -> None:
    assert broken(compared(tmp_path, document([row("a"), row("b")]), document(candidate))) == fails


def test_digits_beyond_a_double_decide(tmp_path: Path) -> None:
    below = (
        '{"rows": [{"case_id": "a", "predicted": "x", "supported_probability": 0.94999999999999999999, "error": ""}],'
    )
    text = below + ' "summary": {"execution_errors": 0, "authority_violations": 0}}'
    found = compared(tmp_path, document([row("a", "x", 0.95)]), text)
    assert broken(found) == {"decisions": 1}
    assert found.drift["max"] == Fraction(1, 10**20)


def test_a_repeated_key_is_malformed(tmp_path: Path) -> None:
    text = json.dumps(document([row("a")])).replace('"predicted": "op"', '"predicted": "op", "predicted": "op"')
    assert broken(compared(tmp_path, document([row("a")]), text)) == {"rows": 1}


@pytest.mark.parametrize("column", ["case_id", "predicted"])
def test_half_a_character_is_malformed(tmp_path: Path, column: str) -> None:
    rows = document([row("a", "x") | {column: "\ud800"}])
    assert broken(compared(tmp_path, document([row("a", "x")]), rows))["rows"] == 1


def test_a_report_shows_half_a_character_as_its_escape(tmp_path: Path) -> None:
    rows = document([row("a", "x", "\ud800")])
    found = compared(tmp_path, document([row("a", "x")]), rows)
    sides = {name: read(tmp_path / f"{name}.json", PARITY) for name in ("reference", "candidate")}
    made = report({"id": "routes", "version": 1, "spec_digest": "sha256:0"}, PARITY, sides, found)
    page = write(tmp_path / "report.json", made)
    assert "\\ud800" in page.read_text(encoding="utf-8")
    assert json.loads((tmp_path / "report.json").read_bytes())["verdict"] == "DIFFERENT"


def test_a_row_that_does_not_tell_of_violations_is_malformed(tmp_path: Path) -> None:
    rows = [row("a") | {"violated": False}, row("b")]
    assert broken(compared(tmp_path, rows, rows, COLUMNS)) == {"rows": 2}


def test_violations_of_authority_are_errors(tmp_path: Path) -> None:
    rows = [row("a") | {"violated": False}, row("b") | {"violated": True}]
    assert broken(compared(tmp_path, rows, rows, COLUMNS)) == {"errors": 2}
    lines = "\n".join(json.dumps(each | {"violated": False, "more": 1}) for each in rows)
    assert broken(compared(tmp_path, lines, lines, COLUMNS, ".jsonl")) == {}
    frame = pl.DataFrame(rows, schema_overrides={"error": pl.String})
    assert broken(compared(tmp_path, frame, frame, COLUMNS, ".parquet")) == {"errors": 2}


def test_columns_of_parquet_files_are_looked_at(tmp_path: Path) -> None:
    rows = {"case_id": ["a", None, "a"], "predicted": ["x"] * 3, "supported_probability": [0.5, float("nan"), None]}
    frame = pl.DataFrame(rows | {"error": ["", "", "boom"]})
    assert broken(compared(tmp_path, frame, frame, ending=".parquet")) == {
        "rows": 8, "errors": 2, "decisions": 2,
    }  # fmt: skip
    with pytest.raises(Refused, match="`supported_probability` holds String"):
        compared(tmp_path, frame.with_columns(pl.lit("0.5").alias("supported_probability")), frame, ending=".parquet")
    with pytest.raises(Refused, match="the column `error` is lacking"):
        compared(tmp_path, frame.drop("error"), frame, ending=".parquet")


@pytest.mark.parametrize(
    ("name", "text", "reason"),
    [
        ("rows.json", "{", "Expecting property name"),
        ("rows.json", '{"cases": []}', "neither a list of rows nor an object"),
        ("rows.json", '{"rows": [], "rows": [{}]}', "`rows` is written twice"),
        ("rows.json", '{"rows": [{}], "summary": {"a": 1, "a": 0}}', "`a` is written twice"),
        ("rows.csv", "case_id\n", "it is no file of rows"),
        ("rows.parquet", "no parquet", "parquet"),
    ],
)
def test_files_without_rows_are_refused(tmp_path: Path, name: str, text: str, reason: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(Refused, match=r"E2141") as refused:
        read(tmp_path / name, PARITY)
    assert reason.lower() in str(refused.value).lower()


def test_the_identity_depends_on_everything_it_names(tmp_path: Path) -> None:
    known = set()
    for score, manifest in ((0.5, ""), (0.6, ""), (0.5, "sha256:" + "a" * 64)):
        for name, value in (("reference", 0.5), ("candidate", score)):
            (tmp_path / f"{name}.json").write_text(json.dumps(document([row("a", score=value)])))
        sides = {name: read(tmp_path / f"{name}.json", PARITY) for name in ("reference", "candidate")}
        about = {"id": "routes", "version": 1, "spec_digest": "sha256:" + "0" * 64}
        made = report(about, PARITY, sides, compare(PARITY, sides["reference"], sides["candidate"]), manifest)
        assert made["runtime"]["confirmed"] is False
        known.add(made["runtime"]["identity"])
    assert len(known) == 3


# --- the command ------------------------------------------------------------------------------------------------------


@pytest.fixture
def project(tmp_path: Path) -> Project:
    cases.write(tmp_path)
    (tmp_path / "reference.json").write_text(json.dumps(document([row("a"), row("b", score=0.97)])))
    return Project(tmp_path, "routes")


def asked(project: Project, candidate: Any, out: Path, status: int) -> str:
    path = project.folder / "candidate.json"
    path.write_text(json.dumps(candidate))
    return project.protoc(
        "parity", project.spec, "--reference", project.folder / "reference.json", "--candidate", path, "--out", out,
        "--workspace", project.folder, status=status,
    )  # fmt: skip


def test_a_passing_runtime_gets_an_identity_of_its_own(project: Project) -> None:
    out = project.folder / "report.json"
    told = asked(project, document([row("b", score=0.98), row("a", score=0.51)]), out, 0)
    made = json.loads(out.read_text())
    assert made["verdict"] == "SAME"
    assert made["runtime"]["identity"] in told
    assert "to be confirmed" in told
    page = out.with_suffix(".md").read_text()
    assert "needs a confirmation of its own" in page
    assert "| decisions | yes | 0 |" in page
    assert "C026" in page


@pytest.mark.breaks("C024", "C025", "C026", "C027", "C028")
def test_the_report_is_there_when_the_comparison_fails(project: Project) -> None:
    out = project.folder / "report.json"
    told = asked(project, document([row("a", "other", 0.96, "boom")], execution_errors=1), out, 1)
    assert "DIFFERENT" in told
    assert project.err.count("E2142") == 4
    made = json.loads(out.read_text())
    assert made["checks"]["ids"]["cases"] == [{"case": "b", "reason": "missing in the candidate"}]
    assert made["checks"]["routes"]["cases"] == [{"case": "a", "reference": "op", "candidate": "other"}]
    assert made["checks"]["decisions"]["cases"] == [{"case": "a", "reference": "0.5", "candidate": "0.96"}]
    assert made["checks"]["errors"]["broken"] == 2
    assert made["drift"] == {"max": 0.46, "mean": 0.46, "p50": 0.46, "p95": 0.46}
    assert "runtime" not in made
    assert "semantically different" in out.with_suffix(".md").read_text()


def test_a_report_is_never_overwritten(project: Project) -> None:
    out = project.folder / "report.json"
    asked(project, document([row("a"), row("b", score=0.97)]), out, 0)
    before = out.read_bytes()
    asked(project, document([row("a")]), out, 1)
    assert "E2144" in project.err
    assert out.read_bytes() == before


def test_a_protocol_that_compares_nothing(project: Project) -> None:
    text = project.protocol.read_text()
    start, end = text.index("  parity:"), text.index("definitions:")
    project.protocol.write_text(text[:start] + text[end:])
    asked(project, document([row("a")]), project.folder / "report.json", 1)
    assert "E2143" in project.err
