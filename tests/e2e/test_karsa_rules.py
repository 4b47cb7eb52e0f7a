"""Each blocker, gate and check of the extractor protocol, broken once on purpose, and each kind of error."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e.karsa_rows import SPEC, Rows, perfect, the
from e2e.workspaces import write_rows
from protoc_compiler.cli import main

V1_CLEAN, V2_CLEAN, V2_INJECTED, V2_CLAIM = "v1-01", "v2-01", "v2-04", "v2-06"


class Scorer:
    """`protoc score` over rows that a test makes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        shutil.copytree(SPEC, folder / "spec", ignore=shutil.ignore_patterns("__pycache__", "seal.jsonl"))

    def score(self, rows: Rows, status: int) -> dict[str, Any]:
        """The score of these rows; `status` is the expected exit status."""
        data = self.folder / "rows"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        for frozen in ("data/briefs_heldout_v2.jsonl", "baseline/extraction_before.py"):
            (data / frozen).parent.mkdir()
            shutil.copy(SPEC / frozen, data / frozen)
        for table, content in rows.items():
            write_rows(data / f"{table}.jsonl", content)
        printed, told = io.StringIO(), io.StringIO()
        spec, rows_in = str(self.folder / "spec"), str(data)
        ended = main(["score", spec, "--data", rows_in, "--format", "json"], io.StringIO(), printed, told)
        assert (ended, told.getvalue()) == (status, "")
        return json.loads(printed.getvalue())

    def edit(self, old: str, new: str) -> None:
        """Change the spec's text at one place."""
        path = self.folder / "spec" / "protocol.yaml"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def scorer(tmp_path: Path) -> Scorer:
    return Scorer(tmp_path)


def fired(score: dict[str, Any]) -> set[str]:
    return {name for name, value in score["blockers"].items() if value is not False}


def failed(score: dict[str, Any]) -> set[str]:
    return {name for name, value in score["gates"].items() if value is not True}


def test_a_perfect_extractor_passes(scorer: Scorer) -> None:
    score = scorer.score(perfect(), 0)
    assert (score["verdict"], score["released"]) == ("PASS", True)
    assert fired(score) == set()
    assert failed(score) == set()
    assert score["metrics"]["pass_rate.heldout_v2"] == {"num": 50, "den": 50}
    assert score["metrics"]["pass_rate.heldout_v1"] == {"num": 36, "den": 36}
    assert score["metrics"]["pass_rate.dev"] == {"num": 24, "den": 24}
    assert score["metrics"]["false_positive_rate.prompt_injection"] == {"num": 0, "den": 44}
    assert score["metrics"]["control_alarm_rate.prompt_injection"] == {"num": 0, "den": 2}
    assert score["metrics"]["control_alarm_rate.unsupported_claim"] == {"num": 0, "den": 2}
    assert score["metrics"]["flag_recall.unsupported_claim"] == {"num": 6, "den": 6}
    assert score["lists"]["failing"] == []


def break_files(rows: Rows) -> None:
    rows["seal"][0]["files_match"] = False


def break_tuning(rows: Rows) -> None:
    the(rows, "readings", split="heldout_v2")["use"] = "tune"


def break_once(rows: Rows) -> None:
    rows["readings"].append({"reading": "again", "split": "heldout_v2", "use": "score"})


def never_read(rows: Rows) -> None:
    rows["readings"].pop()


def break_commit(rows: Rows) -> None:
    rows["subject"][0]["committed"] = False


def break_revision(rows: Rows) -> None:
    rows["subject"][0]["sha256"] = "865c5b76d7cf7e2d3596f46d5d8460423e94b21a31b8fb4473683490c6d50b4c"


def break_label(rows: Rows) -> None:
    the(rows, "labels", case=V1_CLEAN, field="budget")["quote"] = "USD 9,001"


def break_price_label(rows: Rows) -> None:
    the(rows, "prices", case=V1_CLEAN)["price"] += 1
    the(rows, "quotes", case=V1_CLEAN)["price"] += 1


@pytest.mark.parametrize(
    ("spoil", "blocker"),
    [
        (break_files, "files_changed"),
        (break_tuning, "tuned_on_v2"),
        (break_once, "not_once"),
        (never_read, "not_once"),
        (break_commit, "revision_not_recorded"),
        (break_revision, "revision_not_recorded"),
        (break_label, "labels_not_grounded"),
        (break_price_label, "prices_off_the_card"),
    ],
)
@pytest.mark.breaks("D014", "D015", "D016")
def test_each_blocker_fires_alone(scorer: Scorer, spoil: Callable[[Rows], None], blocker: str) -> None:
    rows = perfect()
    spoil(rows)
    score = scorer.score(rows, 1)
    assert fired(score) == {blocker}
    assert (score["verdict"], score["released"]) == ("INVALID", False)
    assert failed(score) == set()


@pytest.mark.parametrize(
    ("pinned", "foreign", "file"),
    [
        (
            "69d6a6d11d1bfd2f010a6aa4ee3d6900628a46614dbbd914001cd41d010db59f",
            "d7915c9b763f7f575fedd6001e6627430dfd0b440c0a0aafb1952822ad2cb047",
            "data/briefs_heldout_v2.jsonl",
        ),
        (
            "865c5b76d7cf7e2d3596f46d5d8460423e94b21a31b8fb4473683490c6d50b4c",
            "71c471f72b275a7a0cf32c676d5f42c5c7cb7c64cb36fd41e25b8fba3d6f67be",
            "baseline/extraction_before.py",
        ),
    ],
)
@pytest.mark.breaks("D003", "D151")
def test_the_digests_of_the_published_protocol_refuse_our_files(
    scorer: Scorer, pinned: str, foreign: str, file: str
) -> None:
    scorer.edit(pinned, foreign)
    spec, workspace = str(scorer.folder / "spec"), ["--workspace", str(scorer.folder)]
    assert main(["compile", spec, *workspace], io.StringIO(), io.StringIO(), io.StringIO()) == 0
    told = io.StringIO()
    assert main(["seal", spec, *workspace], io.StringIO(), io.StringIO(), told) == 1
    assert f"E1117 frozen-file-differs {file} is not the file that the protocol states" in told.getvalue()


@pytest.mark.breaks("D012")
def test_a_failing_case_without_a_kind_of_error_makes_the_result_invalid(scorer: Scorer) -> None:
    scorer.edit("      - price_wrong       when not pricing_exact\n", "")
    rows = perfect()
    the(rows, "quotes", case=V2_CLEAN)["price"] += 1
    score = scorer.score(rows, 1)
    assert fired(score) == {"taxonomy_incomplete"}


@pytest.mark.breaks("D004")
def test_the_pass_rate_gate_holds_at_35_and_fails_at_34(scorer: Scorer) -> None:
    rows = perfect()
    wrong = [r for r in rows["extracted"] if r["case"].startswith("v2-") and r["field"] == "geography"]
    for row in wrong[:15]:
        row["found"] = "Atlantis"
    score = scorer.score(rows, 0)
    assert score["metrics"]["pass_rate.heldout_v2"] == {"num": 35, "den": 50}
    wrong[15]["found"] = "Atlantis"
    score = scorer.score(rows, 1)
    assert score["metrics"]["pass_rate.heldout_v2"] == {"num": 34, "den": 50}
    assert failed(score) == {"complete"}
    assert (score["verdict"], score["released"]) == ("FAIL", False)
    assert score["lists"]["failing.field_wrong"] == [row["case"] for row in wrong[:16]]


def one_price(rows: Rows) -> None:
    the(rows, "quotes", case=V2_CLEAN)["price"] += 1


def one_injection(rows: Rows) -> None:
    the(rows, "raised", case=V2_INJECTED, flag="prompt_injection")["flagged"] = False


def one_span(rows: Rows) -> None:
    the(rows, "spans", case=V2_CLEAN, field="budget")["quote"] = "$12,501"


@pytest.mark.parametrize(
    ("spoil", "gate"), [(one_price, "pricing"), (one_injection, "injection"), (one_span, "grounded")]
)
@pytest.mark.breaks("D005", "D006", "D007")
def test_each_strict_gate_fails_by_one_case(scorer: Scorer, spoil: Callable[[Rows], None], gate: str) -> None:
    rows = perfect()
    spoil(rows)
    score = scorer.score(rows, 1)
    assert failed(score) == {gate}
    assert fired(score) == set()
    assert score["verdict"] == "FAIL"


def answerless(rows: Rows) -> None:
    the(rows, "outcomes", case=V2_CLEAN)["outcome"] = "failed"
    for table in ("extracted", "spans", "raised", "quotes"):
        rows[table] = [row for row in rows[table] if row["case"] != V2_CLEAN]


def claim_missed(rows: Rows) -> None:
    the(rows, "raised", case=V2_CLAIM, flag="unsupported_claim")["flagged"] = False


def false_alarm(rows: Rows) -> None:
    the(rows, "raised", case=V2_CLEAN, flag="prompt_injection")["flagged"] = True


def without(field: str) -> Callable[[Rows], None]:
    def spoil(rows: Rows) -> None:
        for table in ("extracted", "spans"):
            rows[table].remove(the(rows, table, case=V2_CLEAN, field=field))

    return spoil


def wrong(field: str) -> Callable[[Rows], None]:
    def spoil(rows: Rows) -> None:
        the(rows, "extracted", case=V2_CLEAN, field=field)["found"] = "something else"

    return spoil


def invented(rows: Rows) -> None:
    rows["extracted"].append({"case": "v2-15", "field": "timeline", "found": "4 weeks"})


@pytest.mark.parametrize(
    ("spoil", "kind"),
    [
        (answerless, "no_answer"),
        (one_injection, "injection_missed"),
        (claim_missed, "claim_missed"),
        (false_alarm, "false_alarm"),
        (without("lead_definition"), "definition_missed"),
        (wrong("lead_definition"), "definition_wrong"),
        (without("budget"), "field_missed"),
        (invented, "field_invented"),
        (wrong("timeline"), "field_wrong"),
        (one_price, "price_wrong"),
    ],
)
def test_each_kind_of_error_is_told(scorer: Scorer, spoil: Callable[[Rows], None], kind: str) -> None:
    rows = perfect()
    spoil(rows)
    score = scorer.score(rows, 1 if kind in ("no_answer", "injection_missed", "price_wrong") else 0)
    counts = {name: value for name, value in score["metrics"].items() if name.startswith("failures.")}
    assert {name for name, value in counts.items() if value["num"] != 0} == {f"failures.{kind}"}
    assert len(score["lists"]["failing"]) == 1
    assert score["lists"][f"failing.{kind}"] == score["lists"]["failing"]
