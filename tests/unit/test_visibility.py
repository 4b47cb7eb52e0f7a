"""What is hidden stays hidden on every road: derived columns, row choice, order, references, packets, lists."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_compiler.pipeline import examine

CASE = Path(__file__).parents[1] / "cli" / "E2601-withheld-column-seen" / "protocol.yaml"
BASE = CASE.read_text(encoding="utf-8").replace("sees: [text, labels, sparse_topic]", "sees: [text, labels]")


def found(*changes: tuple[str, str]) -> list[str]:
    """The faults of the protocol after changes, each with its message."""
    text = BASE
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    done = examine("protocol.yaml", text.encode())
    return [f"{item.id} {item.message}" for item in done.findings if item.severity == "error"]


def test_the_protocol_hides_what_it_says() -> None:
    assert found() == []


@pytest.mark.breaks("B006", "B012")
@pytest.mark.parametrize(
    ("old", "new", "who", "path"),
    [
        ("    sees: [text]\n", "    sees: [text, pick]\n", "the subject", "subject.sees pick -> cases.pick"),
        ("      sees: [text, labels]", "      sees: [text, labels, pick]", "QA1 and QA2 in `inventory`",
         "inventory.sees pick -> cases.pick"),
        ("      judges: cases\n", "      judges: rare\n", "QA1 and QA2 in `inventory`",
         "inventory.judges rare -> rare -> cases.pick"),
        ("      judges: cases\n", "      judges: rare_ones\n", "QA1 and QA2 in `inventory`",
         "inventory.judges rare_ones -> rare_ones -> cases.sparse_topic -> cases.pick"),
        ("      sees: [text, labels]", "      sees: [text, labels, proposals]", "QA1 and QA2 in `inventory`",
         "inventory.sees proposals -> cases.proposals -> answers"),
        ("      sees: [case.text, quote]", "      sees: [case.text, quote, case.sparse_topic]",
         "QA1 and QA2 in `opinion`", "opinion.sees sparse_topic -> cases.sparse_topic -> cases.pick"),
    ],
)  # fmt: skip
def test_no_road_leads_around_it(old: str, new: str, who: str, path: str) -> None:
    more = (
        "definitions:\n",
        "definitions:\n  rare: cases where pick == sparse\n  rare_ones: cases where sparse_topic\n"
        "  cases.proposals: count(answers)\n",
    )
    told = [fault for fault in found((old, new), more) if fault.startswith("E2601")]
    assert len(told) == 1, told
    assert told[0].startswith(f"E2601 {who} can see")
    assert told[0].endswith(path)


def test_what_is_hidden_until_a_stage_is_seen_after_it() -> None:
    seen = ("      sees: [case.text, quote]", "      sees: [case.text, quote, case.topic]")
    assert found(seen, ("    cases.pick: [subject, raters]", "    cases.topic: [raters until inventory]")) == []
    late = found(seen, ("    cases.pick: [subject, raters]", "    cases.topic: [QA2 until opinion]"))
    assert len(late) == 1
    assert "QA2 in `opinion` can see `cases.topic`, which is hidden from QA2 until opinion" in late[0]


def test_without_the_order_a_stage_is_not_later() -> None:
    told = found(("      follows: inventory\n", ""))
    assert [fault.split(":")[0] for fault in told] == [
        "E2601 QA1 and QA2 in `opinion` can see `answers`, which is hidden from raters until inventory"
    ]


def test_the_order_of_rows_is_seen() -> None:
    told = found(("      key: case\n      columns: {case: text, text", "      key: case\n      order: pick\n"
                  "      columns: {case: text, text"))  # fmt: skip
    assert any("inventory.judges cases -> cases.pick" in fault for fault in told), told


def test_the_public_reads_packets_lists_and_cases() -> None:
    hidden = ("    cases.pick: [subject, raters]", "    cases.pick: [public]")
    lists = "  lists:\n    rare: list(case over cases where pick == sparse)\n"
    for change, place in (
        (("  claims:", f"{lists}  claims:"), "report.lists rare"),
        (("definitions:\n", "  outputs:\n    all.jsonl: cases\n\ndefinitions:\n"), "outputs all.jsonl"),
    ):
        told = found(hidden, change)
        assert len(told) == 1, told
        assert f"the public can see `cases.pick`, which is hidden from public: {place}" in told[0]


@pytest.mark.breaks("B006", "B012")
@pytest.mark.parametrize(
    ("old", "new", "place"),
    [
        ("command: [python3, -m, ask]", "command: [python3, ask.py, data/cases.jsonl]",
         "subject.command data/cases.jsonl"),
        ("command: [python3, -m, ask]\n", "command: [python3, -m, ask]\n    files: [./data/cases.csv]\n",
         "subject.files ./data/cases.csv"),
        ("command: [python3, -m, ask]\n", "command: [python3, -m, ask]\n    code: [data/cases.parquet]\n",
         "subject.code data/cases.parquet"),
    ],
)  # fmt: skip
def test_the_file_of_a_table_is_handed_to_no_subject(old: str, new: str, place: str) -> None:
    given = ("    cases:\n", "    cases:\n      file: data/cases\n")
    fault = next(message for message in found(given, (old, new)) if message.startswith("E2601 the subject"))
    assert fault.endswith(f"`cases.pick`, which is hidden from subject: {place} -> cases.pick")
    shown = new.replace("data/cases", "data/others")
    assert found(given, (old, shown)) == []


def test_the_page_of_what_was_judged_is_public_where_it_is_an_output() -> None:
    page = ("definitions:\n", "  outputs:\n    JUDGED.md: adjudication\n\ndefinitions:\n")
    public = ("    cases.pick: [", "    cases.text: [public]\n    cases.pick: [")
    assert found(public) == []
    (fault,) = found(public, page)
    assert fault.startswith("E2601 the public can see `cases.text`, which is hidden from public: outputs JUDGED.md")
    told = ("    cases.pick: [", "    gold: [public]\n    cases.pick: [")
    assert [message[:35] for message in found(told, page)] == ["E2601 the public can see `gold`, whi"[:35]]


def test_nothing_is_recorded_of_a_review_that_is_none() -> None:
    text = BASE[: BASE.index("  adjudication:\n")] + BASE[BASE.index("definitions:\n") :]
    text = text.replace("raters until inventory", "raters").replace("{never: before opinion}", "{never: always}")
    done = examine("protocol.yaml", text.encode())
    assert [item.id for item in done.findings if item.severity == "error"] == ["E0811"] * 3


def test_nobody_is_called_public() -> None:
    told = found(("      marks: text\n      raters: [QA1, QA2]", "      marks: text\n      raters: [public, QA2]"),
                 ("rater: [QA1, QA2], n: int", "rater: [public, QA2], n: int"))  # fmt: skip
    assert told[0] == "E0213 `public` is a word of the language and cannot be a name"


def test_whose_name_it_is() -> None:
    for who, kind in (("QA9", "E2603"), ("public until inventory", "E2604"), ("QA1 until nothing", "E2604")):
        told = found(("    cases.pick: [subject, raters]", f"    cases.pick: [{who}]"))
        assert [fault.split()[0] for fault in told] == [kind]
    for name, kind in (("nothing.pick", "E0304"), ("cases.nothing", "E0305")):
        told = found(("    cases.pick: [subject, raters]", f"    {name}: [subject]"))
        assert [fault.split()[0] for fault in told] == [kind]


@pytest.mark.parametrize(
    ("made", "shown"),
    [
        ("made: stack of one and two", "count(made where pick is defined and pick == sparse)"),
        ("made: cases grouped by pick", "count(made)"),
        ("made: cases grouped by pick", "count(made where pick == sparse)"),
        ('made: sample(cases, 3, seed = "x", within = pick)', "some made matching text"),
    ],
)
def test_no_made_table_hides_a_road(made: str, shown: str) -> None:
    more = f'definitions:\n  one: cases where topic == "a"\n  two: cases where topic == "b"\n  {made}\n'
    told = found(("      sees: [text, labels]", "      sees: [text, labels, hint]"),
                 ("definitions:\n", f"{more}  cases.hint: {shown}\n"))  # fmt: skip
    assert [fault.split(":")[0] for fault in told] == [
        "E2601 QA1 and QA2 in `inventory` can see `cases.pick`, which is hidden from raters"
    ]


@pytest.mark.parametrize(
    ("hidden", "change", "who"),
    [
        ("cases.case: [raters]", None, "QA1 and QA2 in `inventory`"),
        ("cases.case: [subject]", ("    sees: [text]\n", "    sees: [text, twin]\n"), "the subject"),
        ("cases.case: [public]", ("definitions:\n", "  outputs:\n    a.jsonl: {is: rows, of: answers, shows: [quote]}\n"
                                  "\ndefinitions:\n"), "the public"),
        ("cases.case: [public]", ("  claims:", "  lists:\n    all_answers: list(case over answers)\n  claims:"),
         "the public"),
        ("answers.quote: [public]", ("  claims:", "  lists:\n    all_answers: list(case over answers)\n  claims:"),
         "the public"),
        ("cases.pick: [subject]", ("    command: [python3, -m, ask]\n", "    python: ask.py:ask\n    timeout: 5 s\n"),
         "the subject"),
    ],
)  # fmt: skip
def test_keys_and_orders_are_seen(hidden: str, change: tuple[str, str] | None, who: str) -> None:
    ordered = [("      key: case\n      columns: {case: text, text: text,",
                "      key: case\n      order: pick\n      columns: {case: text, twin: cases, text: text,"),
               ("      key: case\n      columns: {case: cases,", "      key: case\n      order: quote\n"
                "      columns: {case: cases,")]  # fmt: skip
    told = found(*ordered, ("    cases.pick: [subject, raters]", f"    {hidden}"), *([change] if change else []))
    assert any(fault.startswith(f"E2601 {who} can see `{hidden.partition(':')[0]}`") for fault in told), told


def test_a_process_of_its_own_sees_no_order() -> None:
    ordered = ("      key: case\n      columns: {case: text, text", "      key: case\n      order: pick\n"
               "      columns: {case: text, text")  # fmt: skip
    assert found(ordered, ("    cases.pick: [subject, raters]", "    cases.pick: [subject]")) == []
