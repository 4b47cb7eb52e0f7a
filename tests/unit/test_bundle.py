"""A run's folder: its own, closed once, and every file of it accounted for; its receipt says what it shows."""

from __future__ import annotations

import json
import re
from datetime import UTC, datetime
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime import bundle, rendering
from protoc_runtime.declared import Amendment, Claim, Declared, Item, Split, Statement, Type
from protoc_runtime.diagnostics import Refused
from protoc_runtime.execution import Result
from protoc_runtime.listing import list_runs
from protoc_runtime.receipt import Facts, LedgerFacts, RunFacts, statement
from protoc_runtime.record import replace
from protoc_runtime.workspace import Workspace

NOON = datetime(2026, 1, 2, 12, 0, 0, tzinfo=UTC)


def item(space, name, **more):
    given = {
        "type": Type("bool"),
        "per": (),
        "says": f"words of {name}",
        "joined": "",
        "withheld": False,
        "forces": "",
        "fires_undefined": True,
        "words": (),
        "cites": (),
    }
    return Item(space=space, name=name, **{**given, **more})


DECLARED = Declared(
    id="spam-filter",
    version=1,
    title="Spam | filter\n# evaluation",
    digest="sha256:" + "0" * 64,
    head=(),
    question=(),
    tables=(),
    splits=(Split("heldout", "heldout", ("score once",), "judged once", "", "60 of 96 before", ("R9",)),),
    subject=None,
    freeze=(),
    phases=(),
    items=(item("gates", "accurate"), item("gates", "fair.<groups>", per=("groups",)), item("blockers", "broken")),
    released=("PASS",),
    statements=(
        Statement("duty", "", "Publish it.", "", ()),
        Statement("limit", "", "Few cases.", "", ()),
        Statement("step", "", "Sealed first.", "runner", ()),
        Statement("attestation", "honest", "We did not peek.", "", ()),
    ),
)
SUMMARY = {
    "verdict": "FAIL",
    "released": False,
    "metrics": {"accuracy": {"num": 87, "den": 96}, "cost": None, "phi": {"float": "0.1234", "why": "square root"}},
    "blockers": {"broken": None},
    "gates": {"accurate": True, "fair.young": False},
    "verdicts": {},
    "lists": {"wrong": ["c1", "c2"]},
    "reasons": [],
}


def facts(kind="run", **summary):
    run = RunFacts("runs/x", kind, "score", "score", ("heldout",), "2026-01-02T12:00:00Z", "2026-01-02T12:01:00Z")
    results = (Result("c1", "scored", None, 10, "{}"), Result("c2", "timed_out", "no answer within 5 s", 10, None))
    readings = ({"split": "heldout", "use": "score", "run": "runs/x", "at": "2026-01-02T12:00:00Z", "note": ""},)
    ledger = LedgerFacts(7, "a" * 64, "b" * 64)
    return Facts(DECLARED, run, {**SUMMARY, **summary}, results, (), readings, ledger, "c" * 64, {"python": "3.11"})


def test_a_receipt_says_everything_on_one_page():
    page = rendering.render(statement(facts())["predicate"])
    assert page.startswith("# FAIL: ")
    for words in (
        "gate **fair.young** failed: words of fair.\\<groups\\>",
        "blocker **broken** is undefined",
        "87/96 = 0.9062 (rounded)",
        "undefined",
        "0.1234 (rounded: square root)",
        "| c2 | timed out | no answer within 5 s |",
        "2 cases: 1 scored, 0 failed, 1 timed out, 0 quarantined, 0 excluded.",
        "not released: only PASS is",
        "| heldout | heldout | score once | score | 60 of 96 before | judged once |",
        "- heldout: score, 2026-01-02T12:00:00Z, this run",
        "- [ ] Publish it.",
        "- Few cases.",
        "| Sealed first. | attested | a person's word; nothing here checks it |",
        "| We did not peek. | attested |",
        "Not sealed.",
        "not signed",
    ):
        assert words in page
    assert "proven" not in page


def test_a_rule_is_told_once_and_with_its_numbers():
    gate = replace(item("gates", "accurate"), metrics=("accuracy",))
    told = facts(gates={"accurate": False}, reasons=["accurate: gate failed: At least 0.95 are right."])
    page = rendering.render(statement(replace(told, declared=replace(DECLARED, items=(gate,))))["predicate"])
    assert "- gate **accurate** failed: At least 0.95 are right.\n  - accuracy is 87/96 = 0.9062 (rounded)" in page
    assert "gate failed" not in page


def test_what_a_reader_asks_first_stands_first():
    page = rendering.render(statement(facts())["predicate"])
    heads = [line[3:] for line in page.splitlines() if line.startswith("## ")]
    assert heads == [
        "What decided against it",
        "Numbers",
        "Lists",
        "Every rule",
        "Splits",
        "Cases",
        "Duties",
        "Limits",
        "Seal",
        "How well each statement is supported",
        "Evidence",
    ]


@pytest.mark.parametrize(
    ("by", "cites", "state", "grade"),
    [
        ("runner", ("R1",), True, "recorded"),
        ("runner", ("R1",), False, "attested"),
        ("runner", ("R2",), True, "attested"),
        ("runner", (), True, "attested"),
        ("runner", ("R9",), True, "recorded"),
        ("attestation", ("R1",), True, "attested"),
        ("", ("R1",), True, "attested"),
    ],
)
def test_a_step_is_recorded_only_where_a_rule_for_the_same_source_held(by, cites, state, grade):
    step = Statement("step", "", "Answers are right.", by, cites)
    items = (replace(item("gates", "accurate"), cites=("R1",)),)
    declared = replace(DECLARED, items=items, statements=(step,))
    claims = statement(replace(facts(gates={"accurate": state}), declared=declared))["predicate"]["claims"]
    assert [claim["grade"] for claim in claims if claim["says"] == step.says] == [grade]


def test_a_rehearsal_supports_no_statement():
    assert statement(facts("rehearsal"))["predicate"]["claims"] == []
    assert "A rehearsal supports no statement." in rendering.render(statement(facts("rehearsal"))["predicate"])


@pytest.mark.parametrize(
    ("verdict", "kind", "state"),
    [
        ("PASS", "run", "permits it: when the verdict is PASS; it is PASS"),
        ("FAIL", "run", "**forbids it**: when the verdict is PASS; it is FAIL"),
        ("PASS", "rehearsal", "**forbids it**: this is a rehearsal, of which nothing may be claimed"),
    ],
)
def test_what_a_run_permits_to_claim_is_told(verdict, kind, state):
    claims = (
        Claim("better", ("PASS",), "", "for other languages", "", ""),
        Claim("cheaper", (), "", "no cost was measured", "", ""),
        Claim("faster", (), "for short texts", "", "", "open"),
    )
    given = facts(kind, verdict=verdict)
    page = rendering.render(statement(replace(given, declared=replace(DECLARED, claims=claims)))["predicate"])
    assert f"| better | {state} | for other languages |" in page
    assert "| cheaper | **forbids it**" in page
    assert ("| faster (open) | permits it: for short texts |" in page) == (kind == "run")


def test_amendments_tell_what_had_been_seen():
    amendments = (
        Amendment("later", ("cases.at",), "The export had no times.", (), "2026-08-10"),
        Amendment("other", ("gates.accurate", "accuracy"), "A slip.", ("the development split",), ""),
    )
    page = rendering.render(statement(replace(facts(), declared=replace(DECLARED, amendments=amendments)))["predicate"])
    assert "- **later** (2026-08-10) changes cases.at: The export had no times. Seen before: no data." in page
    assert "- **other** changes gates.accurate, accuracy: A slip. Seen before: the development split." in page


def test_author_words_draw_no_markup():
    page = rendering.render(statement(facts(lists={"wrong": ["<b>|x|</b>\n# heading"]}))["predicate"])
    assert "\n# evaluation" not in page
    assert "Spam | filter" in page.replace("\\", "")
    assert "\\<b\\>\\|x\\|" in page
    assert "\n# heading" not in page


@pytest.mark.parametrize(("kind", "word"), [("rehearsal", "REHEARSAL"), ("development", "DEVELOPMENT")])
def test_what_may_not_be_claimed_is_marked_at_both_ends(kind, word):
    lines = rendering.render(statement(facts(kind))["predicate"]).strip().splitlines()
    assert word in "".join(lines[:4])
    assert word in lines[-1]


@given(st.integers(-(10**9), 10**9), st.integers(1, 10**6))
def test_numbers_show_their_counts_and_whether_they_were_rounded(num, den):
    shown = rendering.number({"num": num, "den": den})
    if den == 1:
        assert shown == str(num)
        return
    counts, text = shown.split(" = ")
    assert counts == f"{num}/{den}"
    written = text.removesuffix(" (rounded)")
    value, exact = Fraction(written), Fraction(num, den)
    assert text.endswith(" (rounded)") == (value != exact)
    if 0 < abs(exact) < Fraction(1, 1000):
        assert abs(value - exact) <= abs(exact) / 1000
        assert len(re.sub(r"^[-0.]*|e.*$|\.", "", written)) <= 4
    else:
        assert len(written.partition(".")[2]) == 4
        assert abs(value - exact) <= Fraction(1, 20000)


@pytest.mark.parametrize(
    ("num", "den", "shown"),
    [
        (1, 2048, "1/2048 = 0.0004883 (rounded)"),
        (-1, 5000, "-1/5000 = -0.0002"),
        (1, 2**40, f"1/{2**40} = 9.095e-13 (rounded)"),
        (1, 1000, "1/1000 = 0.0010"),
    ],
)
def test_a_small_number_is_never_shown_as_nothing(num, den, shown):
    assert rendering.number({"num": num, "den": den}) == shown


def test_a_number_too_small_for_a_float_is_shown():
    assert rendering.number({"num": 1, "den": 10**400}).endswith(" = 1e-400")


def test_two_runs_in_one_second_have_folders_of_their_own(tmp_path):
    first = bundle.open_folder(tmp_path / "runs", "f" * 64, NOON)
    second = bundle.open_folder(tmp_path / "runs", "f" * 64, NOON)
    done = bundle.finish(first)
    third = bundle.open_folder(tmp_path / "runs", "f" * 64, NOON)
    assert done.name == "20260102T120000Z_ffffffffffff"
    assert [path.name for path in (second, third)] == [
        "20260102T120000Z_ffffffffffff-2.unfinished",
        "20260102T120000Z_ffffffffffff-3.unfinished",
    ]


def test_runs_of_one_second_are_listed_in_the_order_in_which_they_began(tmp_path):
    began = [bundle.open_folder(tmp_path / "runs" / "p_v1", "f" * 64, NOON) for _ in range(11)]
    listed = [item.folder for item in list_runs(Workspace(tmp_path))]
    assert listed == began
    assert sorted(listed) != began


def test_nothing_is_overwritten(tmp_path):
    folder = bundle.open_folder(tmp_path, "f" * 64, NOON)
    folder.with_name(folder.name.removesuffix(bundle.UNFINISHED)).mkdir()
    with pytest.raises(Refused) as refused:
        bundle.finish(folder)
    assert [found.id for found in refused.value.diagnostics] == ["E1212"]
    assert folder.is_dir()


def test_a_place_that_cannot_be_written_is_named(tmp_path):
    (tmp_path / "runs").write_text("a file")
    with pytest.raises(Refused) as refused:
        bundle.open_folder(tmp_path / "runs", "f" * 64, NOON)
    assert [found.id for found in refused.value.diagnostics] == ["E1212"]


def test_the_manifest_names_every_file_but_itself_and_the_receipt(tmp_path):
    bundle.put(tmp_path, {"rows/cases.jsonl": b"{}\n", "receipt.json": b"{}", "summary.json": b"{}"})
    (tmp_path / "link").symlink_to("/etc/passwd")
    data, digest = bundle.seal_off(tmp_path)
    files = json.loads(data)["files"]
    assert sorted(files) == ["link", "rows/cases.jsonl", "summary.json"]
    assert files["rows/cases.jsonl"] == {
        "bytes": 3,
        "sha256": "ca3d163bab055381827226140568f3bef7eaac187cebd76878e0b63e9e442356",
    }
    assert files["link"]["sha256"] == "a link to /etc/passwd"
    assert digest == bundle.digest_file(tmp_path / "manifest.json")
    assert bundle.seal_off(tmp_path) == (data, digest)


def test_a_second_attempt_to_close_starts_from_ledger_and_logs(tmp_path):
    bundle.put(tmp_path, {"ledger.jsonl": b"x", "logs/a.log": b"y", "rows/a.jsonl": b"z", "summary.json": b"{}"})
    bundle.clear(tmp_path)
    assert sorted(path.relative_to(tmp_path).as_posix() for path in bundle.files_of(tmp_path)) == [
        "ledger.jsonl",
        "logs/a.log",
    ]
