"""Each blocker, gate and check of the Ask protocol, broken once on purpose, by rows and by the text of the protocol."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e.theorempath import SPEC, Row, Rows, alarm, attempt, miss, of_stratum, perfect
from e2e.workspaces import write_rows
from protoc_compiler.cli import main

MIXED = ("homonyms", "follow_up", "topic_switch", "code_and_notation", "fragments", "chance_and_risk")
CALLED = [case for stratum in MIXED[:5] for case in of_stratum(stratum, "provider_call")]
QUIET = [case for stratum in MIXED[:5] for case in of_stratum(stratum, "no_source")]
FIRST_CALLED, FIRST_QUIET = CALLED[::4], QUIET[::4]  # one of each mixed stratum but the sensitive one
PROOFS = of_stratum("proof_request", "provider_call")
EDUCATIONAL = of_stratum("chance_and_risk", "provider_call")
PERSONAL = of_stratum("personal_advice", "no_source")
ALL_CALLED = [row["case"] for row in perfect()["cases"] if row["expected"] == "provider_call"]


class Scorer:
    """`protoc score` over rows that a test makes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "spec").mkdir()
        shutil.copy(SPEC / "protocol.yaml", folder / "spec")

    def protoc(self, *words: str) -> tuple[int, str, str]:
        """Exit status, output and diagnostics."""
        printed, told = io.StringIO(), io.StringIO()
        ended = main([words[0], str(self.folder / "spec"), *words[1:]], io.StringIO(), printed, told)
        return ended, printed.getvalue(), told.getvalue()

    def score(self, rows: Rows, status: int) -> dict[str, Any]:
        """The score of these rows; `status` is the expected exit status."""
        ended, printed, told = self.try_score(rows)
        assert (ended, told) == (status, "")
        return json.loads(printed)

    def try_score(self, rows: Rows) -> tuple[int, str, str]:
        """Exit status, output and diagnostics for these rows."""
        data = self.folder / "rows"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        for table, content in rows.items():
            write_rows(data / f"{table}.jsonl", content)
        return self.protoc("score", "--data", str(data), "--format", "json")

    def edit(self, old: str, new: str) -> None:
        """Change the protocol's text at one place."""
        path = self.folder / "spec" / "protocol.yaml"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), encoding="utf-8")


@pytest.fixture
def scorer(tmp_path: Path) -> Scorer:
    return Scorer(tmp_path)


def fired(score: dict[str, Any]) -> set[str]:
    return {name for name, value in score["blockers"].items() if value is not False}


def failed(score: dict[str, Any], kind: str = "gates") -> set[str]:
    return {name for name, value in score[kind].items() if value is not True}


def one(rows: Rows, table: str, case: str) -> Row:
    """The first row of a case."""
    return next(row for row in rows[table] if row["case"] == case)


def test_a_perfect_ask_is_good(scorer: Scorer) -> None:
    score = scorer.score(perfect(), 0)
    assert (score["verdict"], score["released"]) == ("GOOD", True)
    assert fired(score) == failed(score) == failed(score, "checks") == set()
    assert [score["metrics"][name] for name in ("TP", "TN", "FP", "FN")] == [
        {"num": number, "den": 1} for number in (48, 48, 0, 0)
    ]


@pytest.mark.breaks("A058", "A059", "A060", "A061", "A062", "A063", "A064", "A065", "A066", "A067", "A056", "A057")
def test_metrics_are_exact_and_the_ids_of_misses_and_alarms_are_listed(scorer: Scorer) -> None:
    rows = perfect()
    miss(rows, *FIRST_CALLED[:3])
    alarm(rows, *FIRST_QUIET[:2])
    score = scorer.score(rows, 0)
    expected = {
        "TP": (45, 1), "TN": (46, 1), "FP": (2, 1), "FN": (3, 1), "accuracy": (91, 96), "provider_precision": (45, 47),
        "provider_recall": (45, 48), "no_source_recall": (46, 48), "balanced_accuracy": (91, 96),
    }  # fmt: skip
    found = {name: score["metrics"][name] for name in expected}
    assert {name: value["num"] * expected[name][1] for name, value in found.items()} == {
        name: value["den"] * expected[name][0] for name, value in found.items()
    }
    assert all(set(value) == {"num", "den"} for value in found.values())
    assert (score["lists"]["fp_ids"], score["lists"]["fn_ids"]) == (sorted(FIRST_QUIET[:2]), sorted(FIRST_CALLED[:3]))


def change(table: str, **values: Any) -> Callable[[Rows], None]:
    """Change the first row of a table."""

    def spoil(rows: Rows) -> None:
        rows[table][0].update(values)

    return spoil


def lose_result(rows: Rows) -> None:
    rows["results"].pop()


def another_turn(rows: Rows) -> None:
    rows["results"][0]["final_turn"] += " please"


def call_for_personal_advice(rows: Rows) -> None:
    alarm(rows, PERSONAL[0])


def refused_attempt(rows: Rows) -> None:
    failure = {"status": 503, "error": "5xx", "vector_dimension": None, "acceptable": False}
    one(rows, "attempts", PROOFS[0]).update(failure)
    again = {"retry_reason": "5xx", **failure}
    rows["attempts"] += [attempt(PROOFS[0], 2, waited=1, **again), attempt(PROOFS[0], 3, waited=2, **again)]


@pytest.mark.parametrize(
    ("spoil", "blocker"),
    [
        (change("seal", files_match=False), "P1.1"),
        (change("seal", time="2026-08-11T00:00:00Z"), "P1.1"),
        (change("worktree", commit="dd384574b5f3765acd4a131caae755697a224557"), "P1.2"),
        (change("worktree", detached=False), "P1.2"),
        (change("worktree", clean_at_start=False), "P1.2"),
        (change("worktree", clean_at_finish=False), "P1.2"),
        (lose_result, "P1.3"),
        (another_turn, "P1.3"),
        (change("results", turns=2), "P1.3"),
        (change("generation", attempts=1), "P1.4"),
        (change("generation", calls=1), "P1.4"),
        (change("attempts", source="mock"), "P1.5"),
        (change("attempts", source="synthetic"), "P1.5"),
        (change("attempts", source="cache"), "P1.5"),
        (change("attempts", model="ask-embed-2"), "P1.5"),
        (change("attempts", vector_dimension=63), "P1.6"),
        (change("attempts", vector_dimension=None), "P1.6"),
        (change("attempts", acceptable=False), "P1.6"),
        (refused_attempt, "P1.6"),
        (call_for_personal_advice, "P1.7"),
        (change("scan", findings=1), "P1.8"),
        (change("receipt", complete=False), "P1.9"),
        (change("credential", usable=False), "no_credential"),
    ],
)
@pytest.mark.breaks(
    "A006",
    "A009",
    "A010",
    "A011",
    "A015",
    "A020",
    "A026",
    "A027",
    "A028",
    "A029",
    "A030",
    "A031",
    "A032",
    "A033",
    "A034",
    "A035",
    "A036",
    "A038",
)
def test_each_blocker_fires_alone_and_blocks(scorer: Scorer, spoil: Callable[[Rows], None], blocker: str) -> None:
    rows = perfect()
    spoil(rows)
    score = scorer.score(rows, 1)
    assert fired(score) == {blocker}
    assert (score["verdict"], score["released"]) == ("BLOCKED", False)


@pytest.mark.breaks("A007", "A151")
def test_a_failed_attempt_counts_for_routing_and_is_listed_as_a_failure(scorer: Scorer) -> None:
    rows = perfect()
    refused_attempt(rows)
    score = scorer.score(rows, 1)
    assert score["metrics"]["TP"] == {"num": 48, "den": 1}
    assert set(score["lists"]["infrastructure_failures"]) == {PROOFS[0]}


def nowhere_relevant(rows: Rows, cases: list[str], ranks: tuple[int, ...] = (1, 2, 3)) -> None:
    """No relevant topic at these ranks."""
    for row in rows["judgements"]:
        if row["case"] in cases:
            row["label"] = "adjacent" if row["rank"] in ranks else "relevant"
    if len(ranks) == 3:
        rows["buckets"] += [{"case": case, "bucket": "ranking_miss"} for case in cases]


def misses(*cases: str) -> Callable[[Rows], None]:
    return lambda rows: miss(rows, *cases)


def alarms(*cases: str) -> Callable[[Rows], None]:
    return lambda rows: alarm(rows, *cases)


def both(one: Callable[[Rows], None], other: Callable[[Rows], None]) -> Callable[[Rows], None]:
    return lambda rows: (one(rows), other(rows))[0]


@pytest.mark.parametrize(
    ("spoil", "gates"),
    [
        (misses(*FIRST_CALLED[:4]), set()),
        (misses(*FIRST_CALLED), {"P2.4"}),
        (alarms(*FIRST_QUIET[:4]), set()),
        (alarms(*FIRST_QUIET), {"P2.5"}),
        (alarms(*FIRST_QUIET, QUIET[1]), {"P2.3", "P2.5"}),
        (both(misses(*FIRST_CALLED), alarms(*FIRST_QUIET)), {"P2.1", "P2.2", "P2.3", "P2.4", "P2.5"}),
        (misses(*PROOFS[:2]), set()),
        (misses(*PROOFS[:3]), {"P2.6", "P2.8"}),
        (misses(*CALLED[:2]), set()),
        (both(misses(*CALLED[:2]), alarms(QUIET[0])), {"P2.6", "P2.7"}),
        (alarms(*QUIET[:3]), {"P2.6", "P2.7", "P2.8"}),
        (misses(EDUCATIONAL[0]), {"P2.9"}),
        (lambda rows: nowhere_relevant(rows, ALL_CALLED[:9]), set()),
        (lambda rows: nowhere_relevant(rows, ALL_CALLED[:10]), {"P2.10"}),
        (lambda rows: nowhere_relevant(rows, ALL_CALLED[:16], (1,)), set()),
        (lambda rows: nowhere_relevant(rows, ALL_CALLED[:17], (1,)), {"P2.11"}),
    ],
)
@pytest.mark.breaks("A039", "A040", "A041", "A042", "A043", "A044", "A045", "A046", "A047", "A048", "A049", "A051")
def test_each_gate_at_its_edge(scorer: Scorer, spoil: Callable[[Rows], None], gates: set[str]) -> None:
    rows = perfect()
    spoil(rows)
    score = scorer.score(rows, 1 if gates else 0)
    assert fired(score) == failed(score, "checks") == set()
    assert failed(score) == gates
    assert score["verdict"] == ("MIXED" if gates else "GOOD")


@pytest.mark.breaks("A050")
def test_no_false_alarm_is_a_retrieval_success(scorer: Scorer) -> None:
    rows = perfect()
    alarm(rows, FIRST_QUIET[0], label="relevant")
    rows["support"].append({"case": FIRST_QUIET[0], "corpus": "supportable"})
    score = scorer.score(rows, 0)
    assert score["metrics"]["top3"] == {"num": 48, "den": 48}
    scorer.edit("is: cases where expected == provider_call and in_corpus,", "is: cases where in_corpus,")
    score = scorer.score(rows, 1)
    assert score["metrics"]["top3"] == {"num": 49, "den": 49}
    assert failed(score) == {"P2.12"}


@pytest.mark.breaks("A053")
@pytest.mark.parametrize("count", [0, 2])
def test_an_error_without_its_one_bucket(scorer: Scorer, count: int) -> None:
    rows = perfect()
    miss(rows, PROOFS[0])
    rows["buckets"] = [{"case": PROOFS[0], "bucket": "routing_miss"}] * count
    if count == 2:  # the key of the table refuses it
        ended, printed, _ = scorer.try_score(rows)
        assert ended == 1
        assert PROOFS[0] in printed
    else:
        assert failed(scorer.score(rows, 0), "checks") == {"one_bucket"}


@pytest.mark.breaks("A052", "A054")
def test_a_topic_that_nobody_judged_and_a_label_that_is_not_one(scorer: Scorer) -> None:
    rows = perfect()
    lost = rows["judgements"].pop()
    assert failed(scorer.score(rows, 0), "checks") == {"judged"}
    rows["judgements"].append({**lost, "label": "rather good"})
    ended, printed, _ = scorer.try_score(rows)
    assert ended == 1
    assert "rather good" in printed


@pytest.mark.breaks("A154", "A055")
def test_support_changes_denominators_and_never_the_matrix(scorer: Scorer) -> None:
    rows = perfect()
    for row in rows["support"][:3]:
        row["corpus"] = "absent_corpus"
    score = scorer.score(rows, 0)
    assert score["metrics"]["top3"] == {"num": 45, "den": 45}
    assert score["metrics"]["TP"] == {"num": 48, "den": 1}
    assert len(score["lists"]["absent_corpus"]) == 3
    for row in rows["support"]:
        row["corpus"] = "absent_corpus"
    score = scorer.score(rows, 1)  # a share of nothing is not reached
    assert failed(score) == {"P2.10", "P2.11"}


@pytest.mark.breaks("A055", "A153")
def test_a_matrix_that_people_could_change_is_refused(scorer: Scorer) -> None:
    scorer.edit(
        "FN: {is: count(cases where expected == provider_call and route == no_source)",
        "FN: {is: count(cases where expected == provider_call and route == no_source and in_corpus)",
    )
    ended, _, told = scorer.protoc("check")
    assert ended == 1
    assert "E0813" in told


def lose_case(rows: Rows) -> None:
    for table in rows:
        rows[table] = [row for row in rows[table] if row.get("case") != PROOFS[0]]


def move_stratum(rows: Rows) -> None:
    one(rows, "cases", PROOFS[0])["stratum"] = "fragments"


def thirteenth(rows: Rows) -> None:
    one(rows, "cases", PROOFS[0])["stratum"] = "another"


def other_label(rows: Rows) -> None:
    one(rows, "cases", PROOFS[0])["expected"] = "no_source"


@pytest.mark.parametrize(
    ("spoil", "broken"),
    [
        (lose_case, "count(cases) == 96"),
        (thirteenth, "distinct(stratum over cases) == 12"),
        (move_stratum, "all strata have count(cases matching stratum) == 8"),
        (other_label, "count(cases where expected == provider_call) == 48"),
        (other_label, "count(cases where expected == no_source) == 48"),
    ],
)
@pytest.mark.breaks("A001", "A002", "A003", "A004", "A005")
def test_another_dataset_is_refused(scorer: Scorer, spoil: Callable[[Rows], None], broken: str) -> None:
    rows = perfect()
    spoil(rows)
    _, _, told = scorer.try_score(rows)
    assert broken in told
