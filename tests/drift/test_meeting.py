"""A column that came or went, a new word or an empty cell does not keep a case from being shown: both take
the same rows."""

from __future__ import annotations

import pytest

from protoc_compiler.drift.meeting import met, narrowed
from protoc_compiler.drift.reading import Source, read
from protoc_compiler.drift.review import review
from protoc_compiler.proof.replay import Folder, NotReplayed, results

SPEC = """\
protoc: 1
protocol: {id: spam, version: 1, title: Spam}
data:
  tables:
    topics: {key: topic, rows: [trade, news]}
    cases:
      key: case
      columns: {case: text, label: [wanted, unwanted], COLUMNS}
      expect:
        - count(cases) == 8
    answers: {key: case, columns: {case: cases, answer: [wanted, unwanted]}}
definitions:
  cases.right: {is: only(answers).answer == label, if_undefined: false}
metrics:
  accuracy: rate(right over ASKED)
  topical: count(cases where topic == trade)
gates:
  accurate: {says: At least 75% of the messages are told right., must: accuracy >= 75%}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report:
  released: [PASS]
"""
TOPIC = "topic: topics"
MORE = "topic: topics, sender: [friend, stranger], length: int"


def _spec(columns: str, threshold: str = "75%", asked: str = "cases", more: str = "") -> Source:
    text = SPEC.replace("COLUMNS", columns).replace("75%", threshold).replace("ASKED", asked)
    return read("protocol.yaml", "protocol.yaml", text.replace("gates:", f"{more}gates:", 1).encode())


@pytest.mark.parametrize(
    ("before", "after"), [(TOPIC, MORE), (MORE, TOPIC), ("topic: topics, length: int", "sender: text, topic: topics")]
)
def test_a_lower_threshold_is_shown_by_a_case_beside_columns_that_came_or_went(before: str, after: str) -> None:
    report = review(_spec(before), _spec(after, "60%"))
    assert (report.verdict.direction, report.verdict.status) == ("looser", "witness")
    assert [(rule.rule, rule.direction, rule.status) for rule in report.effects] == [
        ("gates.accurate", "looser", "witness")
    ]


def test_so_is_a_filter_that_reads_the_new_column() -> None:
    report = review(_spec(TOPIC), _spec(MORE, asked="cases where sender == friend"))
    assert (report.verdict.direction, report.verdict.status) == ("incomparable", "witness")


SENDER = "topic: topics, sender: [friend, stranger]"
WIDER = {
    "a word more": "topic: topics, sender: [friend, stranger, robot]",
    "may be empty": "topic: topics, sender: [friend, stranger, null]",
    "both": "topic: topics, sender: [friend, stranger, robot, null]",
    "beside a column": "topic: topics, sender: [friend, robot, stranger], length: int",
}


@pytest.mark.parametrize("columns", WIDER.values(), ids=WIDER)
def test_a_threshold_is_shown_by_a_case_beside_cells_that_only_one_side_takes(columns: str) -> None:
    for before, after, direction in ((SENDER, columns, "looser"), (columns, SENDER, "stricter")):
        thresholds = ("75%", "60%") if direction == "looser" else ("60%", "75%")
        report = review(_spec(before, thresholds[0]), _spec(after, thresholds[1]))
        assert (report.verdict.direction, report.verdict.status) == (direction, "witness")


def test_rows_with_a_word_that_only_one_side_knows_are_not_taken_for_others() -> None:
    """Every robot is left out: on rows of both sides that is no difference, and nothing is shown or ruled out."""
    old, new = _spec(SENDER), _spec(WIDER["a word more"], asked="cases where sender != robot")
    report = review(old, new)
    assert report.verdict.status != "witness"
    assert report.verdict.direction != "equivalent"


def test_each_narrowed_side_decides_rows_of_both_as_it_does_otherwise() -> None:
    old, new = _spec(SENDER).protocol, _spec(WIDER["both"], asked="cases where sender is defined").protocol
    same = narrowed(old, new)
    cases = [{"case": f"c{n}", "label": "wanted", "topic": "news", "sender": "friend"} for n in range(8)]
    rows = {"cases": cases, "answers": [{"case": f"c{n}", "answer": "wanted"} for n in range(5)]}
    for side, less in zip((old, new), same, strict=True):
        assert results(less, Folder(rows)) == results(side, Folder(rows))
    for cell in ("robot", None):
        other = {**rows, "cases": [{**cases[0], "sender": cell}, *cases[1:]]}
        results(new, Folder(other))
        for refusing in (old, *same):
            with pytest.raises(NotReplayed):
                results(refusing, Folder(other))


@pytest.mark.parametrize("other", ["sender: [stranger, friend, robot]", "sender: [robot]", "sender: text"])
def test_words_in_another_order_and_other_types_are_left_alone(other: str) -> None:
    old, new = _spec(SENDER).protocol, _spec(f"topic: topics, {other}").protocol
    assert narrowed(old, new) == (old, new)


def test_each_side_decides_as_it_does_of_rows_without_the_columns_that_it_does_not_declare() -> None:
    old, new = _spec(TOPIC).protocol, _spec(MORE).protocol
    cases = [{"case": f"c{n}", "label": "wanted", "topic": "news", "sender": "friend", "length": n} for n in range(8)]
    answers = [{"case": f"c{n}", "answer": "wanted" if n else "unwanted"} for n in range(8)]
    rows = {"cases": cases, "answers": answers}
    bare = {"cases": [{k: row[k] for k in ("case", "label", "topic")} for row in cases], "answers": answers}
    with pytest.raises(NotReplayed, match="the field sender is not declared"):
        results(old, Folder(rows))
    met_old, met_new = met(old, new)
    assert results(met_old, Folder(rows)) == results(old, Folder(bare))
    assert results(met_new, Folder(rows)) == results(new, Folder(rows))


def test_of_a_digest_of_whole_rows_nothing_is_shown_on_other_rows() -> None:
    of_rows = "  whole: digest(cases)\n"
    old, new = _spec(TOPIC, more=of_rows).protocol, _spec(MORE, more=of_rows).protocol
    assert met(old, new) == (old, new)


def test_what_refers_to_rows_that_only_one_side_knows_is_left_alone() -> None:
    other = SPEC.replace("rows: [trade, news]", "rows: [trade, news, sport]").replace("ASKED", "cases")
    old = read("p.yaml", "p.yaml", SPEC.replace("COLUMNS", TOPIC).replace("ASKED", "cases").encode()).protocol
    new = read("p.yaml", "p.yaml", other.replace("COLUMNS", f"{TOPIC}, second: topics").encode()).protocol
    assert met(old, new) == (old, new)
