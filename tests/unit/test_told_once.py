"""What an author's slip is called: once, by what it is, with the way to mend it."""

from __future__ import annotations

import re

import pytest

from unit.small import examine, ids, spec


def _told(text: str) -> list[tuple[str, str, str]]:
    return [(item.id, item.message, item.hint) for item in examine(text).findings.told]


@pytest.mark.parametrize(
    ("metric", "hint"),
    [
        (
            "m: cases.size",
            "each row of `cases` has a `size`: say what is made of them, as in `max(size over cases)`, ask `all cases "
            "have ...`, or take one row with `only(cases where ...)`",
        ),
        (
            "m: count(cases where topics.hard)",
            "each row of `topics` has a `hard`: say what is made of them, as in `max(hard over topics)`, ask `all "
            "topics have ...`, or take one row with `only(topics where ...)`",
        ),
        ("m: count(cases where cases.size > 3)", "the row of `cases` is in scope: read `size` by its bare name"),
        (
            "m: count(cases where (some answers where cases.size > 3))",
            "the row of `cases` is in scope: read `size` by its bare name",
        ),
        (
            "m: count(cases where (some answers where case == cases.case))",
            "`answers` means the rows whose `case` is this row of `cases` already: leave this out",
        ),
        (
            "m: count(cases where (some entire twins where name == cases.name))",
            "`name` is that of the row of `twins` here: keep the rows that equal, `twins matching name`, or give them "
            "a name, `twins as other where other.name == name`",
        ),
    ],
)
def test_a_column_that_is_there_is_not_called_missing(metric: str, hint: str) -> None:
    twins = ("    answers:\n", "    twins: {key: twin, columns: {twin: text, name: text}}\n    answers:\n")
    (found,) = [item for item in _told(spec(metrics=metric, changes=(twins,))) if item[0].startswith("E")]
    assert (found[0], found[2]) == ("E0311", hint)


@pytest.mark.parametrize(
    ("must", "expected"),
    [
        ("rate(god over cases) >= 80%", ["E0312"]),
        ("acuracy >= level", ["E0312"]),
        ("slowest <= 80", ["E0503"]),
        ("rate(god over cases) >= 85%", ["E0312", "E0701"]),
        ("rate(good over cases) >= 0.85", ["E0701"]),
    ],
)
def test_a_number_that_a_faulty_formula_lacks_is_no_second_fault(must: str, expected: list[str]) -> None:
    says = "At most 80 ms" if "slowest" in must else "At least 80%"
    gate = f"told: {{says: {says} is so., must: '{must}'}}"
    found = ids(spec(metrics="slowest: max(latency over cases)", gates=gate))
    assert sorted(item for item in found if item.startswith("E")) == expected


BLOCKER = (
    "gates:\n",
    "blockers:\n  long: {says: A name is 'x'., when: 'some cases where name == \"x\"'FORCES}\ngates:\n",
)


@pytest.mark.parametrize("forces", ["", ", forces: FAIL"])
def test_a_release_that_no_blocker_stops_is_refused_whether_or_not_it_forces_a_word(forces: str) -> None:
    blocker = (BLOCKER[0], BLOCKER[1].replace("FORCES", forces))
    (found,) = [item for item in _told(spec(changes=(blocker,))) if item[0] == "E0826"]
    line = "the line that gives `FAIL`" if forces else "a line such as `WORD when some blockers have fired`"
    assert found[2] == f"put {line} before it, or ask here that no blockers have fired"


@pytest.mark.parametrize(
    "lines", ["  - STOPPED when some blockers have fired\n  - PASS when all gates have held\n",
              "  - PASS when (all gates have held) and (no blockers have fired)\n"]
)  # fmt: skip
def test_a_blocker_that_a_line_asks_is_in_order(lines: str) -> None:
    blocker = (BLOCKER[0], BLOCKER[1].replace("FORCES", ""))
    assert ids(spec(changes=(blocker, ("  - PASS when all gates have held\n", lines)))) == []


@pytest.mark.parametrize("forces", ["", ", forces: FAIL"])
@pytest.mark.parametrize(
    ("definition", "gate", "lines"),
    [
        ("stopped: blockers.long is true", "", "  - STOPPED when stopped\n  - PASS when all gates have held\n"),
        ("", "calm: {says: No name is x., must: blockers.long is not true}", "  - PASS when all gates have held\n"),
    ],
)
def test_a_blocker_that_lines_ask_through_a_name_is_not_judged(
    forces: str, definition: str, gate: str, lines: str
) -> None:
    blocker = (BLOCKER[0], BLOCKER[1].replace("FORCES", forces))
    changes = (blocker, ("  - PASS when all gates have held\n", lines))
    assert "E0826" not in ids(spec(definitions=definition, gates=gate, changes=changes))


PER_ROW = "blockers:\n  hard_one.<topics>: {says: A topic is hard., when: hard}\ngates:\n"
RELEASE = "  - PASS when all gates have held\n"
STOP = "  - STOPPED when some blockers have fired\n"


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (RELEASE, ["E0826"]),
        (RELEASE + STOP, ["E0826"]),
        (STOP + RELEASE, []),
        ("  - PASS when (all gates have held) and (no blockers have fired)\n", []),
        ("  - PASS when (all gates have held) or (no blockers have fired)\n", ["E0826"]),
        ("  - PASS when ((all gates have held) is true) and ((no blockers have fired) is true)\n", []),
        ("  - STOPPED when (some blockers have fired) is false\n" + RELEASE, ["E0826"]),
        ("  - STOPPED when some topics where blockers.hard_one\n" + RELEASE, []),
        ("  - STOPPED when blockers.hard_one.algebra or blockers.hard_one.chance\n" + RELEASE, []),
        ("  - STOPPED when any_hard\n" + RELEASE, []),
    ],
)
def test_a_blocker_with_an_entry_per_row_stops_a_release_too(lines: str, found: list[str]) -> None:
    changes = (("gates:\n", PER_ROW), (RELEASE, lines))
    any_hard = "any_hard: some topics where blockers.hard_one" if "any_hard" in lines else ""
    assert ids(spec(definitions=any_hard, changes=changes)) == found


@pytest.mark.parametrize(
    ("said", "named", "hint"),
    [
        ("The p99 latency", "latency_p95: p95(latency over cases)", "quantile(x over T, at = 99%)"),
        ("The 90th percentile", "p90_latency: p95(latency over cases)", "quantile(x over T, at = 90%)"),
        ("The median", "median_latency: mean(latency over cases)", "median(x over T)"),
        ("The p95 latency", "latency_p95: p95(latency over cases)", ""),
        ("The p95 latency", "slowest: max(p95_seen over cases)", ""),
    ],
)
def test_the_name_of_a_metric_is_no_reason_to_believe_what_its_formula_does_not_compute(
    said: str, named: str, hint: str
) -> None:
    gate = f"fast: {{says: {said} is at most 80 ms., must: {named.partition(':')[0]} <= 80 ms}}"
    seen = ("        latency: ms\n", "        latency: ms\n        p95_seen: ms\n")
    found = [item[2] for item in _told(spec(metrics=named, gates=gate, changes=(seen,))) if item[0] == "W0704"]
    assert found == ([f"compute what the words say, `{hint}`, or mend the words"] if hint else [])


@pytest.mark.parametrize(
    ("said", "formula", "mend"),
    [
        ("95%", "p95(latency over cases)", "say `the 95th percentile`, which `p95(latency over cases)` computes"),
        ("95 percent", "slow", "say `the 95th percentile`, which `p95(latency over cases)` computes"),
        ("50%", "median(latency over cases)", "say `the median`, which `median(latency over cases)` computes"),
        ("90%", "p95(latency over cases)", ""),
        ("95%", "median(latency over cases)", ""),
        ("95%", "quantile(latency over cases, at = 90%)", ""),
    ],
)
def test_a_share_of_rows_within_a_limit_is_a_percentile(said: str, formula: str, mend: str) -> None:
    def gate(words: str) -> list[tuple[str, str, str]]:
        text = f"fast: {{says: {words}., must: '{formula} <= 200 ms'}}"
        return [item for item in _told(spec(metrics="slow: p95(latency over cases)", gates=text)) if "E" in item[0]]

    ((found, _, hint), *_) = gate(f"{said} of the queries are answered within 200 ms")
    usual = "mend the one of the two that is wrong; a number that is no part of the rule is written in words"
    assert (found, hint) == ("E0701", f"{mend}, or {usual}" if mend else usual)
    if mend:
        words = mend.split("`")[1]
        assert gate(f"{words.capitalize()} of the queries is at most 200 ms") == []


KNOWN = "`id`, `registered`, `status`, `supersedes`, `title`, `version`"
VERDICTS = ("\nverdict:\n", "\nverdicts:\n")


@pytest.mark.parametrize(
    ("changes", "found"),
    [
        ([("  title: A small", "  titel: A small")], [("E0201", "did you mean `title`?")]),
        ([("{says: Accuracy", "{say: Accuracy")], [("E0201", "did you mean `says`?")]),
        ([("\nverdict:\n", "\nverdit:\n")], [("E0201", "did you mean `verdict` or `verdicts`?")]),
        ([VERDICTS], [("E0203", "did you mean `verdict`?")]),
        # A key that is nothing near, or is right where it stands, does not make up for one that is absent.
        (
            [("  title: A small", "  named: A small")],
            [("E0202", "add `title:` with text"), ("E0201", f"known here: {KNOWN}")],
        ),
        (
            [VERDICTS, ("  - PASS when all", "  own:\n  - PASS when all")],
            [("E0202", "add `verdict:` with a first-match list")],
        ),
        (
            [("  title: A small", "  title: A small protocol\n  titel: A small")],
            [("E0201", "did you mean `title`?")],
        ),
    ],
)
def test_a_misspelt_key_is_not_missing_besides(changes: list[tuple[str, str]], found: list[tuple[str, str]]) -> None:
    told = [(item.id, item.hint) for item in examine(spec(changes=tuple(changes))).findings.sorted()]
    assert told == found


@pytest.mark.parametrize(
    ("written", "found", "mend"),
    [
        ("quantile(score over cases, 95)", "E0434", "p95(x over T)"),
        ("quantile(score over cases, 0.9)", "E0434", "quantile(x over T, at = 90%)"),
        ("quantile(score, at = 99.5% over cases)", "E0432", "quantile(x over T, at = 0.995)"),
        ("quantile(score, 95%)", "E0505", "p95(x over T)"),
        ("quantile(score, 75 over cases)", "E0505", "quantile(x over T, at = 75%)"),
        ("quantile(score over cases, kind)", "E0434", "quantile(x, y over T)"),
        ("mean(score, at = 95% over cases)", "E0432", "mean(x over T, at = ...)"),
    ],
)
def test_a_quantile_at_the_wrong_place_is_told_how_it_is_written(written: str, found: str, mend: str) -> None:
    (told,) = [item for item in _told(spec(metrics=f"m: {written}")) if item[0].startswith("E")]
    assert told[0] == found
    assert f"`{mend}`" in told[2]
    real = mend.replace("x over T", "score over cases")
    wrong = [one for one in ids(spec(metrics=f"m: {real}")) if one.startswith("E")] if "..." not in real else ["E"]
    assert bool(wrong) == (mend in ("quantile(x, y over T)", "mean(x over T, at = ...)"))


@pytest.mark.parametrize(
    ("written", "named"),
    [
        ("avg(score over cases)", ["mean(x over T)"]),
        ("average(cases.score)", ["mean(x over T)"]),
        ("percentile(score over cases)", ["p95(x over T)", "quantile(x over T, at = 95%)"]),
        ("percentile(score over cases, 95)", ["p95(x over T)", "quantile(x over T, at = 95%)"]),
        ("percentile(cases.score, 95)", ["p95(x over T)", "quantile(x over T, at = 95%)"]),
        ("percentile(score over cases, 90%)", ["quantile(x over T, at = 90%)"]),
        ("percentile(score, at = 95% over cases)", ["p95(x over T)", "quantile(x over T, at = 95%)"]),
        ("percentile(score over cases, at = 0.5)", ["median(x over T)", "quantile(x over T, at = 50%)"]),
        ("p90(score over cases)", ["quantile(x over T, at = 90%)"]),
        ("P50(score over cases)", ["median(x over T)", "quantile(x over T, at = 50%)"]),
        ("stdev(score over cases)", ["sqrt(variance(x over T))"]),
        ("var(score over cases)", ["variance(x over T)"]),
        ("share(good over cases)", ["rate(c over T)"]),
        ("len(cases)", ["count(T where c)", "chars(name)"]),
        ("nunique(kind over cases)", ["distinct(x over T)"]),
        ("total(score over cases)", ["sum(x over T)"]),
        ("minimum(score over cases)", ["min(x over T)"]),
        ("maximum(score over cases)", ["max(x over T)"]),
    ],
)
def test_a_function_by_its_other_name_is_told_what_it_is_called_here(written: str, named: list[str]) -> None:
    (found,) = [item for item in _told(spec(metrics=f"m: {written}")) if item[0].startswith("E")]
    assert found[0] == "E0306"
    told = re.findall("`([^`]*)`", found[2])
    assert [one.replace("...", "c").replace("chars(x)", "chars(name)") for one in told] == named
    for formula in named:
        real = formula.replace("x over", "score over").replace("(c ", "(good ").replace(" c)", " good)")
        real = f"max({real} over cases)" if "chars" in real else real.replace("T", "cases")
        assert not [one for one in ids(spec(metrics=f"m: {real}")) if one.startswith("E")]


@pytest.mark.parametrize(
    ("written", "meant"),
    [
        ("p95(cases.latency)", "p95(latency over cases)"),
        ("rate(cases.good)", "rate(good over cases)"),
        ("max(cases.size)", "max(size over cases)"),
        ("auc(cases.score, cases.good)", "auc(score, good over cases)"),
        ("auc(cases.score, answers.right)", "auc(x, y over ROWS)"),
        ("p95(cases.latncy)", "p95(x over ROWS)"),
        ("p95(latency)", "p95(x over ROWS)"),
        ("p95(splits.size)", "p95(x over ROWS)"),
    ],
)
def test_a_column_of_a_table_in_brackets_is_told_with_its_own_names(written: str, meant: str) -> None:
    (found,) = [item for item in _told(spec(metrics=f"m: {written}")) if item[0].startswith("E")]
    assert (found[0], found[2].split("`")[1]) == ("E0505", meant)
    assert "ROWS" in meant or not [one for one in ids(spec(metrics=f"m: {meant}")) if one.startswith("E")]
