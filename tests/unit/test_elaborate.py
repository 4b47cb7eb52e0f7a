"""Names, types and narrowing: what a formula means once it is resolved."""

from __future__ import annotations

from fractions import Fraction

import pytest

from protoc_compiler import core
from unit.small import examine, ids, metric, protocol, spec


def rows_of(value: core.Expr) -> core.Rows:
    assert isinstance(value, (core.Aggregate, core.OneRow, core.Quantified))
    return value.rows


def column(made: core.Protocol, table: str, name: str) -> core.Col:
    found = made.table(table).column(name)
    assert found is not None
    return found


def test_the_small_spec_is_without_fault() -> None:
    assert ids(spec()) == []


def test_a_reference_narrows_inside_its_row() -> None:
    made = protocol(spec(definitions="cases.n: count(answers)", metrics="m: sum(n over cases)"))
    value = column(made, "cases", "n").expr
    assert isinstance(value, core.Aggregate)
    (match,) = value.rows.match
    assert match.column == "case"
    assert match.value == core.RowVar(core.Type("row", table="cases"), "self")


def test_entire_undoes_narrowing() -> None:
    made = protocol(spec(definitions="cases.n: count(entire answers)", metrics="m: sum(n over cases)"))
    value = column(made, "cases", "n").expr
    assert isinstance(value, core.Aggregate)
    assert value.rows.match == ()


def test_equal_names_alone_narrow_nothing() -> None:
    made = protocol(
        spec(
            definitions="cases.n: count(entire cases as other where other.size < size)", metrics="m: sum(n over cases)"
        )
    )
    value = column(made, "cases", "n").expr
    assert isinstance(value, core.Aggregate)
    assert value.rows.match == ()
    (test,) = value.rows.where
    assert isinstance(test, core.Compare)
    left, right = test.operands
    assert isinstance(left, core.Column)
    assert isinstance(right, core.Column)
    assert (left.row, right.row) == (
        core.RowVar(core.Type("row", table="cases"), value.rows.var),
        core.RowVar(core.Type("row", table="cases"), "self"),
    )


def test_matching_takes_the_nearest_row() -> None:
    value = metric("sum(count(cases matching kind) over kinds)", "kinds: cases grouped by kind")
    assert isinstance(value, core.Aggregate)
    inner = value.args[0]
    assert isinstance(inner, core.Aggregate)
    (match,) = inner.rows.match
    assert match.column == "kind"
    assert isinstance(match.value, core.Column)
    assert match.value.row == core.RowVar(core.Type("row", table="kinds"), value.rows.var)


def test_a_bare_word_beside_an_enum_is_its_member_even_where_a_metric_has_this_name() -> None:
    made = protocol(spec(metrics="easy: count(cases where kind == easy)"))
    value = next(item.expr for item in made.items if item.name == "easy")
    (test,) = rows_of(value).where
    assert isinstance(test, core.Compare)
    assert test.operands[1] == core.Const(core.Type("enum", members=("easy", "hard")), "easy")


def test_a_reference_beside_a_word_is_compared_by_key() -> None:
    (test,) = rows_of(metric("count(cases where topic == algebra)")).where
    assert isinstance(test, core.Compare)
    left, right = test.operands
    assert isinstance(left, core.Column)
    assert left.name == "topic"
    assert isinstance(left.row, core.Column)
    assert isinstance(right, core.Const)
    assert right.value == "algebra"


@pytest.mark.parametrize(
    ("literal", "value", "kind"),
    [
        ("1_000", 1000, "int"),
        ("0.90", Fraction(9, 10), "number"),
        ("85%", Fraction(17, 20), "number"),
        ("250 ms", Fraction(1, 4), "quantity"),
        ("2 KiB", Fraction(2048), "quantity"),
        ("-0.5", Fraction(-1, 2), "number"),
    ],
)
def test_literals_are_exact(literal: str, value: object, kind: str) -> None:
    made = metric(literal)
    assert isinstance(made, core.Const)
    assert made.value == value
    assert made.type.kind == kind


def test_an_entry_is_read_in_a_row_of_its_table_and_by_key() -> None:
    made = protocol(
        spec(metrics="share.<topics>: rate(good over cases)\nworst: min(share over topics)\none: share.algebra")
    )
    worst = next(item.expr for item in made.items if item.name == "worst")
    assert isinstance(worst, core.Aggregate)
    assert worst.args[0] == core.Entry(
        core.NUMBER, "metrics", "share.<topics>", (core.RowVar(core.Type("row", table="topics"), worst.rows.var),)
    )
    one = next(item.expr for item in made.items if item.name == "one")
    assert isinstance(one, core.Entry)
    assert isinstance(one.keys[0], core.OneRow)


def test_with_computes_a_metric_over_the_group_only() -> None:
    made = protocol(
        spec(definitions="kinds: {is: cases grouped by kind, with: [accuracy]}", metrics="m: min(accuracy over kinds)")
    )
    value = column(made, "kinds", "accuracy").expr
    assert isinstance(value, core.Aggregate)
    (match,) = value.rows.match
    assert match.column == "kind"
    assert match.value == core.Column(
        core.Type("enum", members=("easy", "hard")), core.RowVar(core.Type("row", table="kinds"), "self"), "kind"
    )


def test_a_list_inside_a_row_is_a_table_of_its_own() -> None:
    made = protocol(
        spec(
            definitions="cases.top: some ranked where position <= 3 have year > 2000",
            metrics="m: count(cases where top)",
        )
    )
    assert made.table("cases.ranked").parent == "cases"
    value = column(made, "cases", "top").expr
    assert isinstance(value, core.Quantified)
    assert value.rows.match[0].column == "_parent"


def test_the_kind_of_a_list_is_that_of_all_its_lines() -> None:
    made = protocol(
        spec(
            definitions="cases.band:\n  - low when size < 3\n  - undefined when size < 5\n  - high otherwise",
            metrics="m: count(cases where band is defined and band == high)",
        )
    )
    assert column(made, "cases", "band").type == core.Type("enum", members=("low", "high"))


def test_all_gates_have_held_is_spelt_out() -> None:
    made = protocol(spec(gates="second: {says: Some cases., must: some cases}"))
    verdict = next(item for item in made.items if item.space == "verdict")
    assert isinstance(verdict.expr, core.Choose)
    test = verdict.expr.lines[0][0]
    assert test == core.And(
        core.BOOL,
        tuple(core.Is(core.BOOL, core.Global(core.BOOL, "gates", name), "true") for name in ("enough", "second")),
    )


def test_explain_tells_each_narrowing() -> None:
    done = examine(spec(definitions="cases.n: count(answers)", metrics="m: sum(n over cases)"))
    assert any("`answers`: its rows whose `case` is the current row of `cases`" in line for line in done.readings)


def test_faults_of_several_definitions_are_told_at_once() -> None:
    text = spec(metrics="a: cuont(cases)\nb: sum(name over cases)\nc: count(cases where size > 3 ms)")
    assert ids(text) == ["E0306", "E0501", "E0503"]


@pytest.mark.parametrize(
    "formula",
    [
        "sum(cost over answers) + 1",
        "sum(cost over answers) * sum(cost over answers)",
        "1 / sum(cost over answers)",
        "sum(cost over answers) + sum(latency over cases)",
    ],
)
def test_units_never_meet_plain_numbers(formula: str) -> None:
    assert ids(spec(metrics=f"m: {formula}")) == ["E0503"]


@pytest.mark.parametrize(
    ("formula", "unit"),
    [("2 * sum(cost over answers)", "USD"), ("sum(cost over answers) / 2", "USD"), ("p95(latency over cases)", "s")],
)
def test_units_are_kept(formula: str, unit: str) -> None:
    assert metric(formula).type.unit == unit


def test_like_units_divide_to_a_number() -> None:
    assert metric("sum(cost over answers) / 2 USD").type == core.NUMBER


def test_matching_the_key_of_the_current_row_is_a_reference_to_it() -> None:
    made = protocol(spec(definitions="cases.n: count(entire answers matching case)", metrics="m: sum(n over cases)"))
    value = column(made, "cases", "n").expr
    assert isinstance(value, core.Aggregate)
    assert value.rows.match == (core.Match("case", core.RowVar(core.Type("row", table="cases"), "self")),)


def test_an_option_that_a_sample_does_not_have_is_refused() -> None:
    drawn = 'drawn: sample(cases, 2, seed = "s", per = case)'
    assert ids(spec(definitions=drawn, metrics="m: count(drawn)")) == ["E0307"]


LONG = 3_000 * "x"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (spec(metrics=f"m: {LONG}"), "E0312"),
        (spec(metrics=f"m: count({LONG})"), "E0304"),
        (spec(metrics=f"m: count(cases where {LONG})"), "E0312"),
        (spec(changes=(("of: cases", f"of: {LONG}"),)), "E0304"),
        (spec(changes=(("topic: topics", f"topic: {LONG}"),)), "E0304"),
        (spec(changes=(("[PASS]", f"[PASS]\n  sealed: [{LONG}]"),)), "E0312"),
        (spec(metrics=f"m: rate(right.{LONG} over answers)"), "E0515"),
        (spec(metrics=f"m: accuracy > 5 {LONG}"), "E0424"),
        (spec(metrics=f"m: accuracy > {3_000 * '1'} days"), "E0424"),
        (spec(metrics=f"m: accuracy > {3_000 * '1'} msec"), "E0424"),
    ],
)
def test_a_long_name_is_repeated_by_its_beginning(text: str, expected: str) -> None:
    told = [item for item in examine(text).findings if item.id == expected]
    assert told
    assert all(len(item.message) < 250 and len(item.hint) < 350 for item in told)
    assert any("...`" in item.message for item in told)


@pytest.mark.parametrize(
    ("labels", "kind", "expected"),
    [
        ("left: l, right: r", "[left, right]", []),
        ("left: l, right: r", "text", []),
        ("algebra: l, chance: r", "topics", []),
        ("left: l, right: r", "[left]", ["E0321"]),
        ("algebra: l, right: r", "topics", ["E0321"]),
        ("1: l, 2: r", "int", ["E0516", "E0516"]),
        ("2026-05-01: l, 2026-05-02: r", "date", ["E0516", "E0516"]),
        ("0.25: l, 0.50: r", "halves", ["E0516", "E0516"]),
    ],
)
def test_a_label_of_a_wide_file_is_a_value_of_its_column(labels: str, kind: str, expected: list[str]) -> None:
    tables = (
        "    halves: {key: half, columns: {half: decimal}, rows: [0.25, 0.50]}\n"
        f"    wide: {{key: [case, side], unpivot: {{side: {{{labels}}}, columns: {{hit: <side>_hit}}}}, "
        f"columns: {{case: text, side: {kind}, hit: bool}}}}\n"
    )
    text = spec(metrics="m: rate(hit over wide)\nn: count(halves)").replace("  splits:\n", f"{tables}  splits:\n")
    assert [found for found in ids(text) if found in ("E0321", "E0516")] == expected
    assert expected or not [found for found in ids(text) if found.startswith("E")]
