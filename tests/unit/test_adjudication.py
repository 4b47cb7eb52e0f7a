"""Judgements: what is judged and seen, in which order, what is refused, and the rows that the rules give."""

from __future__ import annotations

import io
import json
import subprocess
import sys
import types
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import identity
from protoc_compiler.analysis.origin import decided, decided_by_people
from protoc_compiler.cli import main
from protoc_compiler.emit import rules, verify
from protoc_runtime import declared
from unit.asking import spec
from unit.engine_tables import data
from unit.small import examine, ids, protocol

RATINGS = "columns: {case: cases, rank: int, label: [good, bad], adjudicator: text, at: time, note: text?}"


def test_a_judgement_as_the_runtime_reads_it() -> None:
    made = declared.load(identity.canonical(protocol(spec())))
    ratings, reasons = made.judgements
    assert (ratings.judges, ratings.fills, ratings.column, ratings.key) == (
        "first_two", "ratings", "label", ("case", "rank"),
    )  # fmt: skip
    assert ratings.labels == (("good", "it helps"), ("bad", "it does not help"))
    assert ratings.sees == ("turns.role", "turns.content", "rank", "title")
    assert (ratings.says, ratings.cites, ratings.after) == ("the first two that were found", ("R7",), ())
    assert reasons.sees == ("expected", "called", "found.rank", "found.title", "tags")
    assert reasons.after == ("ratings",)


def test_columns_that_people_fill_say_so() -> None:
    made = protocol(spec())
    assert {column.origin for column in made.table("ratings").columns} == {"adjudicated"}


def test_what_people_decide_is_found_through_names() -> None:
    made = protocol(spec())
    assert decided(made, "gates.helps") == ("gates.helps", "helped", "cases.helped", "ratings.label")
    assert decided(made, "missed") == ("missed", "reasons.reason")
    assert decided(made, "routed") == ()
    assert decided_by_people(made) == ("helped", "missed", "gates.helps", "blockers.unhelpful")


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("judges: first_two", "judges: frst_two", "E0304"),
        ("fills: ratings", "fills: rating", "E0304"),
        ("fills: ratings", "fills: found", "E0522"),
        ("fills: reasons", "fills: ratings", "E0525"),
        ("judges: first_two", "judges: cases", "E0523"),
        ("column: label", "column: lable", "E0305"),
        ("column: label", "column: rank", "E0524"),
        ("column: label", "column: note", "E0524"),
        ("label: [good, bad]", "label: [good, bad, null]", "E0524"),
        ("label: [good, bad]", "label: [good, bad, middling]", "E0524"),
        ("{bad: it does not help, good: it helps}", "{bad: no, good: yes it does, fair: so so}", "E0524"),
        ("adjudicator: text", "rater: text", "E0319"),
        ("adjudicator: text", "adjudicator: int", "E0501"),
        ("sees: [case.turns, rank, title]", "sees: [case.turns, rank, routed]", "E0529"),
        ("sees: [case.turns, rank, title]", "sees: [rank + 1]", "E0529"),
        ("sees: [case.turns, rank, title]", "sees: [attempts]", "E0529"),
        ("sees: [case.turns, rank, title]", "sees: [turns]", "E0312"),
        ("sees: [case.turns, rank, title]", "sees: [case.trns]", "E0305"),
        ("sees: [case.turns, rank, title]", "sees: [case, case.case]", "E0214"),
        ("judges: first_two", "judges: bad_ones", "E0812"),
    ],
)
def test_what_is_refused(old: str, new: str, expected: str) -> None:
    more = "  bad_ones: found where (some ratings matching case and rank have label == bad)\n"
    text = spec((old, new)).replace("  first_two: found", f"{more}  first_two: found")
    assert expected in ids(text)


def test_judgements_that_wait_for_each_other_are_refused() -> None:
    text = spec(("  first_two: found where rank <= 2", "  first_two: found where rank <= 2 and unexplained"))
    text = text.replace("  cases.helped:", "  found.unexplained: no reasons matching case\n  cases.helped:")
    found = [item.message for item in examine(text).findings if item.id == "E0812"]
    assert len(found) == 2
    assert any("first_two -> found.unexplained -> reasons -> failures -> cases.helped" in message for message in found)


# --- the rows of a sheet --------------------------------------------------------------------------------------------


def study(rated: list[tuple[int, int, str]]) -> Any:
    made = protocol(spec())
    module = types.ModuleType("generated_rules")
    exec(compile(rules.render(made), "rules.py", "exec"), module.__dict__)
    cases = {"case": "text", "expected": "enum call none", "tags": "set of text"}
    turns = {"_parent": "ref cases", "position": "int", "role": "enum user assistant", "content": "text"}
    found = {"case": "ref cases", "rank": "int", "title": "text"}
    attempts = {"case": "ref cases", "n": "int"}
    ratings = {"case": "ref cases", "rank": "int", "label": "enum good bad"}
    tables = {
        "cases": data("cases", cases, [("a", "call", ["x", "y"]), ("b", "call", []), ("c", "none", [])]),
        "cases.turns": data(
            "cases.turns", turns,
            [(0, 1, "user", "What is a group?"), (0, 2, "assistant", "Of what?"), (1, 1, "user", "Prove it.")],
        ),
        "found": data("found", found, [(0, 1, "Groups"), (0, 2, "Rings"), (0, 3, "Fields"), (1, 1, "Proofs")]),
        "attempts": data("attempts", attempts, [(0, 1), (1, 1), (1, 2)]),
        "ratings": data("ratings", ratings, rated),
        "reasons": data("reasons", {"case": "ref cases", "reason": "enum missed wrong"}, []),
    }  # fmt: skip
    return module.study(tables)


def test_a_sheet_has_the_judged_rows_and_what_may_be_seen() -> None:
    rows = study([]).sheet("ratings")
    assert [row["key"] for row in rows] == [
        {"case": "a", "rank": 1}, {"case": "a", "rank": 2}, {"case": "b", "rank": 1},
    ]  # fmt: skip
    assert rows[0]["sees"] == {
        "turns": [{"role": "user", "content": "What is a group?"}, {"role": "assistant", "content": "Of what?"}],
        "rank": 1,
        "title": "Groups",
    }
    assert rows[2]["sees"]["turns"] == [{"role": "user", "content": "Prove it."}]


def test_a_later_sheet_follows_from_the_earlier_one() -> None:
    rows = study([(0, 1, "good"), (0, 2, "bad"), (1, 1, "bad")]).sheet("reasons")
    assert [row["key"] for row in rows] == [{"case": "b"}]
    assert rows[0]["sees"] == {
        "expected": "call", "called": True, "found": [{"rank": 1, "title": "Proofs"}], "tags": (),
    }  # fmt: skip


def test_a_case_without_rows_to_show_shows_none() -> None:
    made = study([(0, 1, "good"), (0, 2, "bad"), (1, 1, "bad")])
    assert made.sheet("reasons")[0]["sees"]["found"] == [{"rank": 1, "title": "Proofs"}]
    with pytest.raises(KeyError):
        made.sheet("remarks")


# --- both computations ----------------------------------------------------------------------------------------------

ROWS: dict[str, list[dict[str, Any]]] = {
    "cases": [
        {"case": case, "turns": [{"role": "user", "content": "?"}], "expected": expected, "tags": []}
        for case, expected in (("a", "call"), ("b", "call"), ("c", "none"))
    ],
    "found": [{"case": "a", "rank": 1, "title": "Groups"}, {"case": "b", "rank": 1, "title": "Proofs"}],
    "attempts": [
        {"case": case, "n": n, "status": status, "model": "m", "waited": n - 1, "acceptable": status == 200}
        for case, n, status in (("a", 1, 429), ("a", 2, 200), ("b", 1, 200))
    ],
    "ratings": [
        {"case": case, "rank": 1, "label": label, "adjudicator": "R", "at": "2026-08-11T10:00:00Z", "note": None}
        for case, label in (("a", "good"), ("b", "bad"))
    ],
    "reasons": [{"case": "b", "reason": "wrong"}],
    "seal": [{"time": "2026-08-10T09:00:00Z", "files_match": True}],
    "worktree": [
        {
            "commit": "dd384574b5f3765acd4a131caae755697a224557",
            "clean_at_start": True,
            "first_read": "2026-08-10T09:30:00Z",
            "routing": "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9",
        }
    ],
    "key": [{"usable": True}],
    "chat": [{"attempts": 0, "calls": 0}],
    "scan": [{"findings": 0}],
}


@pytest.mark.parametrize(
    ("table", "column", "value", "verdict"),
    [
        ("scan", "findings", 0, "MIXED"),
        ("scan", "findings", 1, "BLOCKED"),
        ("chat", "calls", 1, "BLOCKED"),
        ("key", "usable", False, "BLOCKED"),
        ("worktree", "clean_at_start", False, "BLOCKED"),
        ("worktree", "commit", "0" * 40, "BLOCKED"),
        ("seal", "time", "2026-08-10T09:30:00Z", "BLOCKED"),
        ("ratings", "label", "good", "GOOD"),
    ],
)
def test_engine_and_verifier_agree_on_observed_and_adjudicated_rows(
    tmp_path: Path, table: str, column: str, value: Any, verdict: str
) -> None:
    changed = ROWS | {table: [row | {column: value} for row in ROWS[table]]}
    for name, rows in changed.items():
        (tmp_path / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    (tmp_path / "protocol.yaml").write_text(spec(), encoding="utf-8")
    (tmp_path / "verify.py").write_text(verify.render(protocol(spec())), encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    words = ["score", str(tmp_path / "protocol.yaml"), "--data", str(tmp_path), "--format", "json"]
    main(words, io.StringIO(), out, err)
    assert out.getvalue(), err.getvalue()
    command = [sys.executable, "-I", str(tmp_path / "verify.py"), "--data", str(tmp_path), "--json"]
    checked = subprocess.run(command, capture_output=True, text=True, timeout=60)
    assert checked.stdout, checked.stderr
    mine, other = json.loads(out.getvalue()), json.loads(checked.stdout)
    assert mine["verdict"] == verdict
    assert {name: mine[name] for name in ("blockers", "gates", "verdict")} == {
        name: other[name] for name in ("blockers", "gates", "verdict")
    }
    assert mine["metrics"] == other["metrics"]


@pytest.mark.parametrize(
    ("table", "metric"),
    [
        ("made: stack of calls and others", "count(made where liked is defined and liked)"),
        ("made: cases grouped by liked", "count(made)"),
        ("made: cases grouped by liked", "count(made where liked)"),
    ],
)
def test_no_made_table_hides_what_people_decide(table: str, metric: str) -> None:
    named = "calls: cases where expected == call\n  others: cases where expected != call"
    more = f"definitions:\n  {named}\n  cases.liked: some ratings have label == good\n  {table}\n"
    made = protocol(spec(("definitions:\n", more), ("metrics:\n", f"metrics:\n  odd: {metric}\n")))
    assert "odd" in decided_by_people(made)
    assert decided(made, "odd")[-2:] == ("cases.liked", "ratings.label")


@pytest.mark.parametrize(
    ("output", "expected"),
    [
        ("{is: rows, of: cases, shows: [called]}", []),
        ("{is: rows, of: cases, shows: [helped]}", ["cases.helped -> ratings"]),
        ("{is: rows, of: cases, shows: [called], kept: failures}", ["failures -> cases.helped -> ratings"]),
        ("{is: rows, of: ratings, shows: [label]}", ["ratings"]),
    ],
)
def test_rows_that_are_written_with_the_run_show_nothing_that_people_tell_later(
    output: str, expected: list[str]
) -> None:
    text = spec(("    cases.jsonl: cases\n", f"    cases.jsonl: cases\n    shown.jsonl: {output}\n"))
    found = [item.message for item in examine(text).findings if item.id == "E2509"]
    assert [message.rpartition(": ")[2].partition(".label")[0] for message in found] == expected
