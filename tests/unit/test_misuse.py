"""Wrong use of statistics, mappings and outcomes is told clearly, and right use is not disturbed."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_compiler import pipeline
from unit.small import examine, ids, spec

VERDICT = "  - PASS when all gates have held\n  - FAIL otherwise\n"
FEW = ("count(cases) == 96", "count(cases) == 5")
P = "p: mcnemar(good, kind == hard over cases).p\nq: sign_test(score, 0.5 over cases, ties = dropped).p"


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        ("holm(p, [p])", ["W0821"]),
        ("bonferroni(p, [p])", ["W0821"]),
        ("holm(p, [p, q])", []),
        ("benjamini_hochberg(hardness over topics, level = 5%).limit", []),
        ("benjamini_hochberg(hardness over one, level = 5%).limit", ["W0821"]),
        ("holm(p, list(hardness over one))", ["W0821"]),
    ],
)
def test_a_family_of_one(formula: str, expected: list[str]) -> None:
    one = ("    cases:\n", "    one: {key: o, rows: {a: {hardness: 0.5}}}\n    cases:\n")
    topics = (
        "{algebra: {hard: true}, chance: {hard: false}}",
        "{algebra: {hard: true, hardness: 0.1}, chance: {hard: false, hardness: 0.2}}",
    )
    found = ids(spec(metrics=f"{P}\nm: {formula}", changes=(one, topics)))
    assert [item for item in found if item not in ("W0315", "W0836")] == expected


@pytest.mark.parametrize(
    ("must", "changes", "expected"),
    [
        ("p <= 0.05", (FEW,), ["E0822"]),
        ("q < 0.0625", (FEW,), ["E0822"]),
        ("q <= 0.0625", (FEW,), []),
        ("0.05 >= p", (FEW,), ["E0822"]),
        ("p > 0.05", (FEW,), []),
        ("p <= 0.05", (), []),
    ],
)
def test_a_test_on_too_few_rows(must: str, changes: tuple[tuple[str, str], ...], expected: list[str]) -> None:
    number = "0.0625" if "0.0625" in must else "0.05"
    gate = f"g: {{says: It is {number}., must: '{must}'}}"
    found = ids(spec(metrics=P, gates=gate, changes=changes))
    assert [item for item in found if item != "N0803"] == expected


ARM = "rate(good over cases where kind == {kind} and topic == {topic})"


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (("easy", "algebra"), ("hard", "chance"), ["W0823"]),
        (("easy", "algebra"), ("hard", "algebra"), []),
        (("easy", "algebra"), ("easy", "chance"), []),
    ],
)
@pytest.mark.parametrize("form", ["{0} - {1}", "{0} / {1}", "{0} >= {1}"])
def test_arms_of_other_cases(one: tuple[str, str], other: tuple[str, str], expected: list[str], form: str) -> None:
    left, right = (ARM.format(kind=kind, topic=topic) for kind, topic in (one, other))
    assert ids(spec(metrics=f"a: {left}\nb: {right}\nm: {form.format('a', 'b')}")) == expected


@pytest.mark.parametrize(
    ("columns", "rows", "expected"),
    [
        ("{kind: [easy, hard]}", "{easy: {score: 1}}", ["W0824"]),
        ("{kind: [easy, hard]}", "{easy: {score: 1}, hard: {score: 2}}", []),
        ("{kind: topics}", "{algebra: {score: 1}}", ["W0824"]),
        ("{kind: topics}", "{algebra: {score: 1}, chance: {score: 2}}", []),
        ("{kind: text}", "{easy: {score: 1}}", []),
    ],
)
def test_a_mapping_names_every_member(columns: str, rows: str, expected: list[str]) -> None:
    table = f"    points: {{key: kind, columns: {columns}, rows: {rows}}}\n    cases:\n"
    text = spec(metrics="m: sum(score over points)", changes=(("    cases:\n", table),))
    assert ids(text) == expected


@pytest.mark.parametrize(
    ("first", "second", "expected"),
    [
        ("accuracy >= 0.5", "accuracy <= 0.5", ["W0825"]),
        ("accuracy >= 0.4", "accuracy <= 0.6", ["W0825"]),
        ("accuracy in 0.1..0.5", "accuracy in 0.5..0.9", ["W0825"]),
        ("accuracy >= 0.5", "accuracy < 0.5", []),
        ("accuracy >= 0.9", "accuracy >= 0.5", []),
        ("accuracy > 0.5", "accuracy < 0.2", []),
        ("large", "small", ["W0825"]),
    ],
)
def test_regions_of_outcomes_do_not_overlap(first: str, second: str, expected: list[str]) -> None:
    lines = (
        "  - PASS when all gates have held\n"
        f"  - GOOD when ({first}) is true\n  - POOR when ({second}) is true\n  - FAIL otherwise\n"
    )
    plain = f"  - GOOD when {first}\n  - POOR when {second}\n  - FAIL otherwise\n"
    definitions = "large: accuracy >= 0.4\nsmall: accuracy <= 0.6" if first == "large" else ""
    guarded = spec(definitions=definitions, changes=((VERDICT, lines),))
    assert ids(guarded) == expected
    metrics = (("accuracy: rate(good over cases)", "accuracy: count(cases where good) / 96"),)
    found = ids(spec(definitions=definitions, changes=((VERDICT, plain.replace("GOOD", "PASS", 1)), *metrics)))
    assert [item for item in found if item != "W0806"] == expected


def test_a_bootstrap_says_its_seed() -> None:
    interval = (
        "  ci: {metric: accuracy, resample: cases, draws: 9, generator: mersenne twister, level: 95%, low: low}\n"
    )
    assert ids(spec(changes=(("gates:\n", f"intervals:\n{interval}\ngates:\n"),))) == ["E0202"]


def test_arms_of_different_units_are_not_compared() -> None:
    arms = "arms:\n  one: {of: cases, row: only(answers)}\n  two: {of: topics, row: only(topics)}\n\nprocedure:\n"
    text = spec(definitions="cases.gain: one.cost - two.cost", changes=(("procedure:\n", arms),))
    (fault,) = examine(text).findings.sorted()
    assert fault.id == "E0312"
    assert fault.hint == "`two` is an arm of `topics`: arms are read in a row of their table, and compared in one"


OWED = (Path(__file__).parents[1] / "cli" / "W0828-cases-without-rows" / "protocol.yaml").read_text(encoding="utf-8")
BLOCKER = "blockers:\n  b: {{says: A case has no answer., when: some cases have {}}}\n\ngates:\n"


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("rate(right over answers)", "rate(only(answers).right over cases)"),
        ("gates:\n", BLOCKER.format("count(answers) < 1")),
        ("gates:\n", BLOCKER.format("only(answers) is undefined")),
        ("    must: accuracy >= 75%", "    must: accuracy >= 75% and count(answers) == 9"),
        (
            "      columns: {case: cases, answer",
            "      expect: count(answers) == 9\n      columns: {case: cases, answer",
        ),
    ],
)
def test_a_rule_that_asks_for_the_rows_of_failed_cases_is_enough(tmp_path: Path, old: str, new: str) -> None:
    path = tmp_path / "protocol.yaml"
    for text, expected in ((OWED, True), (OWED.replace(old, new, 1), False)):
        path.write_text(text.replace("At least 75% are", "At least 75% of 9 are") if "9" in new else text)
        _, findings = pipeline.check(path)
        assert ("W0828" in {item.id for item in findings}) is expected
