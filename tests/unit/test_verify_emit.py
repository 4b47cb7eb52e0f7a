"""The generated verifier, from hand-built trees: semantics, hostile words, what it refuses, determinism."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from datetime import UTC, date, datetime
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_compiler import core
from protoc_compiler.core import BOOL, INT, NUMBER, TEXT, Col, Const, Item, Match, Rows, Table, Type
from protoc_compiler.emit import verify
from protoc_compiler.emit.layout import docstring
from protoc_compiler.emit.support_text import ORDER, support
from protoc_runtime.diagnostics import Refused
from unit.protocols import per_split, tickets
from unit.protocols import protocol as whole
from unit.verifying import (
    CASES,
    WORDS,
    cases,
    column,
    const,
    evaluate,
    load,
    metric,
    over,
    row,
    study,
    this,
    value_of,
    write,
)

X, N, RIGHT = column("x"), column("n", INT), column("right", BOOL)
KIND = column("kind", WORDS)


def test_counts_are_kept_and_other_numbers_reduced() -> None:
    given_rows = [row("a", n=1, right=True), row("b", n=3, right=False)]
    assert value_of(over("rate", RIGHT), *given_rows) == {"num": 1, "den": 2}
    assert value_of(over("mean", N), *given_rows) == {"num": 4, "den": 2}
    quotient = core.Arithmetic(NUMBER, "/", over("sum", N, kind=INT), over("count", kind=INT))
    assert value_of(quotient, *given_rows) == {"num": 4, "den": 2}
    plus = core.Arithmetic(NUMBER, "+", quotient, const(0))
    assert value_of(plus, *given_rows) == {"num": 2, "den": 1}
    assert value_of(core.Arithmetic(NUMBER, "/", over("sum", X), over("count", kind=INT))) is None


def test_an_undefined_operand_is_never_dropped() -> None:
    given_rows = [row("a", x=1), row("b")]
    assert value_of(over("sum", X), *given_rows) is None
    defined = Rows("r", "cases", where=(core.Is(BOOL, X, "defined"),))
    assert value_of(over("sum", X, rows=defined), *given_rows) == {"num": 1, "den": 1}
    assert value_of(core.Default(NUMBER, over("sum", X), const(7)), *given_rows) == {"num": 7, "den": 1}


@pytest.mark.parametrize(
    ("quantifier", "none", "unknown"), [("all", None, None), ("some", False, None), ("no", True, None)]
)
def test_quantifiers(quantifier: Any, none: Any, unknown: Any) -> None:
    made = core.Quantified(BOOL, quantifier, Rows("r", "cases"), RIGHT)
    assert value_of(made) is none
    lean = quantifier == "all"
    assert value_of(made, row("a", right=lean), row("b")) is unknown


def test_rows_exist_without_a_condition() -> None:
    assert value_of(core.Quantified(BOOL, "some", Rows("r", "cases"), None), row("a")) is True
    assert value_of(core.Quantified(BOOL, "no", Rows("r", "cases"), None), row("a")) is False


def test_logic_comparison_and_choice() -> None:
    one, two, unknown = const(1), const(2), Const(NUMBER, None)
    less = core.Compare(BOOL, (one, two), ("<",))
    strange = core.Compare(BOOL, (one, unknown), ("<",))
    assert value_of(core.Or(BOOL, (strange, less))) is True
    assert value_of(core.And(BOOL, (strange, less))) is None
    assert value_of(core.Not(BOOL, strange)) is None
    assert value_of(core.Is(BOOL, strange, "undefined")) is True
    assert value_of(core.Compare(BOOL, (one, two, two), ("<", "<="))) is True
    assert value_of(core.InRange(BOOL, two, one, two)) is True
    assert value_of(core.InList(BOOL, one, (two, unknown))) is None
    choice = core.Choose(TEXT, ((core.Not(BOOL, less), const("a")), (less, const("b"))), const("c"))
    assert value_of(choice) == "b"
    assert value_of(core.Choose(TEXT, ((strange, const("a")),), const("c"))) is None


def test_membership_in_columns_and_sets() -> None:
    inside = core.InColumn(BOOL, const(2), Rows("r", "cases"), X)
    assert value_of(inside, row("a", x=2), row("b")) is True
    assert value_of(inside, row("a", x=1), row("b")) is None
    assert value_of(inside, row("a", x=1)) is False


def test_one_row() -> None:
    def picked(function: Any, **parts: Any) -> core.Expr:
        rows = Rows("r", "cases", **parts)
        return core.Column(TEXT, core.OneRow(CASES, function, rows), "case")

    given_rows = [row("a", x=3), row("b", x=1), row("c", x=2)]
    assert value_of(picked("first"), *given_rows) == "a"
    assert value_of(picked("last"), *given_rows) == "c"
    assert value_of(picked("first", order=(X,)), *given_rows) == "b"
    assert value_of(picked("only", where=(core.Compare(BOOL, (X, const(2)), ("==",)),)), *given_rows) == "c"
    assert value_of(picked("only")) is None
    with pytest.raises(Exception, match="only"):
        value_of(picked("only"), *given_rows)


def test_enums_stand_in_declared_order_and_a_row_without_a_place_or_two_at_one_stop() -> None:
    rows = Rows("r", "cases", order=(KIND, X))
    made = over("list", column("case", TEXT), rows=rows, kind=Type("list", item=TEXT))
    given_rows = [row("b", kind="no", x=1), row("c", kind="yes", x=9), row("d", kind="yes", x=1)]
    assert value_of(made, *given_rows) == ["d", "c", "b"]
    for more, fault in ((row("a"), "E1252"), (row("a", kind="yes", x=9), "E1251")):
        with pytest.raises(Exception, match="place") as stopped:
            value_of(made, *given_rows, more)
        assert getattr(stopped.value, "fault", None) == fault


def derived(name: str, kind: Type, expr: core.Expr) -> Col:
    """A derived column of cases."""
    return Col(name, kind, True, "derived", expr)


def ordered(*columns: Col) -> Table:
    """Cases in the order of `n`, with these derived columns."""
    return cases(*columns, order=("n",))


def earlier(var: str = "r") -> Rows:
    """The cases before this one."""
    return Rows(var, "cases", scope="earlier", base=this("self"))


def test_earlier_and_latest_read_the_declared_order() -> None:
    before = derived("before", NUMBER, over("sum", X, rows=earlier()))
    latest = Rows("r", "cases", scope="latest", latest=2, base=this("self"))
    window = derived("window", NUMBER, over("sum", X, rows=latest))
    given_rows = [row("a", n=3, x=30), row("b", n=1, x=10), row("c", n=2, x=20)]
    listed = Type("list", item=NUMBER)
    for name, expected in (("before", [0, 10, 30]), ("window", None)):
        made = over("list", column(name), kind=listed)
        found = value_of(made, *given_rows, tables=(ordered(before, window),))
        assert found == (None if expected is None else [{"num": n, "den": 1} for n in expected])
    known = Rows("r", "cases", where=(core.Is(BOOL, column("window"), "defined"),))
    found = value_of(over("list", column("window"), rows=known, kind=listed), *given_rows, tables=(ordered(window),))
    assert [each["num"] for each in found] == [30, 50]


def test_a_column_may_read_its_earlier_values_over_thousands_of_rows() -> None:
    previous = core.Column(NUMBER, core.OneRow(CASES, "last", earlier()), "running")
    step = core.Arithmetic(NUMBER, "+", core.Default(NUMBER, previous, const(0)), column("x", var="self"))
    last = core.OneRow(CASES, "last", Rows("r", "cases"))
    given_rows = [row(str(n), n=n, x=1) for n in range(6000)]
    found = value_of(
        core.Column(NUMBER, last, "running"), *given_rows, tables=(ordered(derived("running", NUMBER, step)),)
    )
    assert found == {"num": 6000, "den": 1}


def test_a_column_that_needs_itself_is_an_error() -> None:
    circle = derived("circle", NUMBER, core.Arithmetic(NUMBER, "+", column("circle", var="self"), const(1)))
    with pytest.raises(Exception, match="its own value"):
        value_of(over("sum", column("circle")), row("a", n=1), tables=(ordered(circle),))


def answers() -> Table:
    """A table that refers to cases."""
    columns = (Col("case", CASES, False, "input"), Col("try", INT, False, "input"), Col("ok", BOOL, False, "input"))
    return Table("answers", "input", "answers", key=("case", "try"), columns=columns, source="subject")


def test_references_are_resolved_and_narrow_by_identity() -> None:
    mine = Rows("a", "answers", match=(Match("case", this("self")),))
    tries = derived("tries", INT, core.Aggregate(INT, "count", mine, (), ()))
    tables = (cases(tries), answers())
    rows: dict[str, Any] = {
        "cases": [row("a"), row("b")],
        "answers": [{"case": "a", "try": 1, "ok": True}, {"case": "a", "try": 2, "ok": False}],
    }
    items = (metric("m", over("list", column("tries", INT), kind=Type("list", item=INT))),)
    protocol = study(*items, tables=tables)
    assert [each["num"] for each in evaluate(protocol, **rows)["metrics"]["m"]] == [2, 0]
    ok = core.Column(BOOL, core.RowVar(Type("row", table="answers"), "a"), "ok")
    followed = core.Column(TEXT, core.Column(CASES, core.RowVar(Type("row", table="answers"), "a"), "case"), "case")
    named = core.Aggregate(Type("list", item=TEXT), "list", Rows("a", "answers", where=(ok,)), (followed,), ())
    assert evaluate(study(metric("m", named), tables=tables), **rows)["metrics"]["m"] == ["a"]


def test_groups_subsets_products_and_stacks() -> None:
    known = (core.Is(BOOL, KIND, "defined"),)
    subset = Table("sorted", "subset", "cases", rows=Rows("r", "cases", where=known, order=(X,)))
    size = core.Aggregate(
        INT, "count", Rows("c", "sorted", match=(Match("kind", core.Column(WORDS, this("self"), "kind")),)), (), ()
    )
    groups = Table(
        "groups", "grouped", "groups", key=("kind",), group=("kind",), rows=Rows("r", "sorted"),
        columns=(Col("kind", WORDS, False, "key"), Col("size", INT, True, "derived", size)),
    )  # fmt: skip
    product = Table(
        "pairs", "cross", "pairs", parts=("groups", "sorted"),
        columns=(
            Col("groups", Type("row", table="groups"), False, "key"), Col("sorted", CASES, False, "key"),
        ),
    )  # fmt: skip
    stack = Table("both", "stack", "both", parts=("sorted", "cases"), columns=(Col("case", TEXT, False, "stacked"),))
    tables = (cases(), subset, groups, product, stack)
    rows = [row("a", kind="no", x=2), row("b", kind="yes", x=3), row("c", x=1), row("d", kind="no", x=1)]

    def listed(table: str, name: str, kind: Type = TEXT) -> core.Expr:
        each = core.Column(kind, core.RowVar(Type("row", table=table), "r"), name)
        return core.Aggregate(Type("list", item=kind), "list", Rows("r", table), (each,), ())

    group = core.RowVar(Type("row", table="groups"), "per0")
    items = (
        metric("order", listed("sorted", "case")),
        metric("kinds", listed("groups", "kind", WORDS)),
        metric("sizes", listed("groups", "size", INT)),
        metric("pairs", core.Aggregate(INT, "count", Rows("r", "pairs"), (), ())),
        metric("stacked", listed("both", "case")),
        Item("metrics", "size.<groups>", INT, core.Column(INT, group, "size"), "size", per=("groups",)),
    )  # fmt: skip
    found = evaluate(study(*items, tables=tables), cases=rows)["metrics"]
    assert found["order"] == ["d", "a", "b"]
    assert found["kinds"] == ["yes", "no"]
    assert [each["num"] for each in found["sizes"]] == [1, 2]
    assert found["pairs"] == {"num": 6, "den": 1}
    assert found["stacked"] == ["d", "a", "b", "a", "b", "c", "d"]
    assert (found["size.no"], found["size.yes"]) == ({"num": 2, "den": 1}, {"num": 1, "den": 1})


def test_every_column_type_is_read(tmp_path: Path) -> None:
    program = load(tickets())
    ticket = {
        "case": "c1", "split": "dev", "route": None, "words": 7, "score": 0.1, "urgent": True, "latency": 250,
        "opened": "2026-08-10T11:00:00+02:00", "day": "2026-08-10", "sha": "sha256:" + "a" * 64, "extra": 1,
        "tags": ["b", "a"], "steps": [1, 0.5], "limit": 0.4, "turns": [{"by": "agent", "text": "hi"}],
    }  # fmt: skip
    write(tmp_path, {"tickets": [ticket], "answers": [{"case": "c1", "route": "refund", "cost": 0.25}]})
    assert program["read_rows"](tmp_path) == []
    (read,) = program["table"]("cases")
    assert read["latency"] == Fraction(1, 4)
    assert read["opened"] == datetime(2026, 8, 10, 9, tzinfo=UTC)
    assert read["day"] == date(2026, 8, 10)
    assert (read["sha"], read["tags"], read["steps"]) == ("a" * 64, frozenset("ab"), (1, Fraction(1, 2)))
    assert read["split"]["role"] == "development"
    assert read["limit"]["strict"] is False
    (turn,) = program["table"]("cases.turns")
    assert (turn["position"], turn["text"]) == (1, "hi")
    assert program["table"]("answers")[0]["case"] is read


def test_faults_of_rows_name_table_row_and_field(tmp_path: Path) -> None:
    program = load(study(metric("m", over("count", kind=INT)), tables=(cases(), answers())))
    (tmp_path / "cases.jsonl").write_text(
        '{"case": "a", "x": "1", "n": null, "right": null, "kind": "maybe"}\n'
        '{"case": "a", "x": null, "n": null, "right": null}\n'
        '{"case": null, "x": NaN}\n'
    )
    (tmp_path / "answers.jsonl").write_text('{"case": "zz", "try": 1, "ok": true, "more": 1}\n')
    faults = "\n".join(program["read_rows"](tmp_path))
    for words in (
        'cases line 1 of cases.jsonl, field x: "1" is not a number',
        "cases line 1 of cases.jsonl, field kind: 'maybe' is none of yes, no",
        "cases line 2 of cases.jsonl: the field kind is missing",
        "cases.jsonl line 3: NaN is not a number",
        "cases: the key a stands twice",
        "answers line 1 of answers.jsonl: the field more is not declared",
        "answers line 1 of answers.jsonl, field case: cases has no row zz",
    ):
        assert words in faults


def test_files_per_split_wide_rows_and_csv(tmp_path: Path) -> None:
    program = load(per_split())
    (tmp_path / "briefs_dev.jsonl").write_text('{"case": "a", "text": "x"}\n')
    (tmp_path / "briefs_held.csv").write_text('case,text\nb,"y, z"\n')
    (tmp_path / "blocks.csv").write_text("case,repeat,on_observed,off_observed,on_cost,off_cost\na,1,true,,0.10,2\n")
    assert program["read_rows"](tmp_path) == []
    assert [(r["case"], r["split"]["split"], r["text"]) for r in program["table"]("cases")] == [
        ("a", "dev", "x"),
        ("b", "held", "y, z"),
    ]
    assert [(r["arm"], r["observed"], r["cost"]) for r in program["table"]("episodes")] == [
        ("delivered", True, Fraction(1, 10)),
        ("suppressed", None, 2),
    ]


def test_parquet_is_declined_with_the_way_out(tmp_path: Path) -> None:
    (tmp_path / "cases.parquet").write_bytes(b"PAR1")
    program = load(study(metric("m", over("count", kind=INT))))
    with pytest.raises(Exception, match="Parquet needs more than Python"):
        program["read_rows"](tmp_path)


def rule(space: str, name: str, expr: core.Expr, **parts: Any) -> Item:
    """A rule in words."""
    return Item(space, name, BOOL, expr, "formula", says=f"words of {name}", **parts)


def test_rules_reasons_and_verdict() -> None:
    unknown = Const(BOOL, None)
    verdict = core.Choose(
        TEXT, ((core.Default(BOOL, core.Global(BOOL, "blockers", "b"), const(True)), const("INVALID")),), const("PASS")
    )
    items = (
        rule("blockers", "b", unknown, forces="INVALID"),
        rule("blockers", "quiet", unknown, fires_undefined=False),
        rule("gates", "g", core.And(BOOL, (const(True), const(False))), joined="all",
             parts=(("first", const(True)), ("second", const(False)))),
        rule("gates", "u", unknown),
        Item("verdict", "verdict", TEXT, verdict, "lines", words=("INVALID", "PASS")),
        Item("lists", "ids", Type("list", item=TEXT), over("list", column("case", TEXT)), "list"),
        Item("metrics", "hidden", INT, const(1), "1", withheld=const(True)),
    )  # fmt: skip
    found = evaluate(study(*items, released=("PASS",)), cases=[row("a")])
    assert found["verdict"] == "INVALID"
    assert found["released"] is False
    assert found["blockers"] == {"b": None, "quiet": None}
    assert found["gates"] == {"g": False, "u": None}
    assert found["reasons"] == [
        "b: blocker fired, since it is undefined: words of b",
        "g: gate failed: words of g (second)",
        "u: gate not shown to hold, since it is undefined: words of u",
    ]
    assert found["lists"] == {"ids": ["a"]}
    assert (found["metrics"]["hidden"], found["withheld"]) == (None, ["metrics.hidden"])


def test_an_interval_is_the_bootstrap_written_out() -> None:
    import random

    right = over("rate", RIGHT)
    interval = core.Interval(
        "ci", "m", (), (Rows("r", "cases"),), (), (), None, 200, "mersenne twister", "7", Fraction(95, 100),
        (("low", "low"), ("high", "high"), ("kept", "kept")),
    )  # fmt: skip
    bounds = [metric(which, core.Bound(NUMBER, "ci", which, ())) for which in ("low", "high", "kept")]
    flags = [True, False, True, True, False, True, True]
    protocol = study(metric("m", right), *bounds, intervals=(interval,))
    found = evaluate(protocol, cases=[row(str(n), right=flag) for n, flag in enumerate(flags)])["metrics"]
    rng, size = random.Random(7), len(flags)
    sims = sorted(Fraction(sum(flags[int(rng.random() * size)] for _ in flags), size) for _ in range(200))
    for name, expected in (("low", sims[5]), ("high", sims[194]), ("kept", 200)):
        assert Fraction(found[name]["num"], found[name]["den"]) == expected


# --- what is generated ----------------------------------------------------------------------------------------------

HOSTILE = [
    '"""', "'''", "\\", '\\"""', 'x"', '"x', "a\nimport os\nos._exit(3)\n", "# comment", "{{ 7 * 7 }}", "{% raw %}",
    "\u202eabc", "\ud800", "\x00", "\r\n", "`x`", "${x}", "%s", "None", "lambda: 1", "\\N{DASH}", '""""', "\\\\n", "é",
]  # fmt: skip


@pytest.mark.parametrize("words", HOSTILE)
def test_hostile_words_stay_words(words: str) -> None:
    tree = ast.parse(f"def f():\n    {docstring('x' + words)}\n    return 1\n")
    function = tree.body[0]
    assert isinstance(function, ast.FunctionDef)
    assert ast.get_docstring(function, clean=False) == ("x" + words).replace("\r\n", "\r\n")


@pytest.mark.parametrize("words", [words for words in HOSTILE if words not in ("\ud800", "\x00")])
def test_hostile_names_and_texts_compile_to_inert_text(words: str) -> None:
    items = (
        Item("metrics", f"m{words}", TEXT, const(words), words, says=words),
        Item("gates", f"g{words}", BOOL, core.Compare(BOOL, (const(words), const(words)), ("==",)), words, says=words),
    )
    found = evaluate(study(*items, title=words), cases=[])
    assert found["metrics"][f"m{words}"] == words
    assert found["gates"][f"g{words}"] is True


@settings(max_examples=60, deadline=None)
@given(st.text(max_size=40))
def test_any_words_survive_as_a_docstring(words: str) -> None:
    function = ast.parse(f"def f():\n    {docstring('-' + words + '-')}\n").body[0]
    assert isinstance(function, ast.FunctionDef)
    assert ast.get_docstring(function, clean=False) == f"-{words}-"


@pytest.mark.parametrize(
    ("expr", "what"),
    [
        (core.Call(NUMBER, "no_such", (), ()), "the function no_such"),
        (core.Aggregate(NUMBER, "no_such", Rows("r", "cases"), (), ()), "the aggregate no_such"),
        (core.Global(NUMBER, "metrics", "absent"), "the value metrics.absent"),
        (core.Arithmetic(NUMBER, "^", const(2), X), "a power"),
        (core.RowVar(CASES, "nowhere"), "the row variable nowhere"),
        (core.Expr(NUMBER), "the construct Expr"),
        (core.Quantified(BOOL, "some", Rows("r", "absent"), None), "the table absent"),
        (core.Bound(NUMBER, "absent", "low", ()), "the interval absent"),
    ],
)
def test_what_cannot_be_lowered_is_refused(expr: core.Expr, what: str) -> None:
    with pytest.raises(Refused) as refused:
        verify.render(study(metric("m", expr)))
    assert [item.id for item in refused.value.diagnostics] == ["E0951"]
    assert what in refused.value.diagnostics[0].message


def test_support_modules_share_no_name() -> None:
    folder = Path(verify.__file__).with_name("support")
    seen: dict[str, str] = {}
    for module in ORDER:
        tree = ast.parse((folder / f"{module}.py").read_text())
        for node in tree.body:
            if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
                assert seen.setdefault(node.name, module) == module
    assert seen.keys() <= support().names


def test_only_the_standard_library_is_imported() -> None:
    modules = {line.split()[1].split(".")[0] for line in support().imports}
    assert modules <= set(sys.stdlib_module_names)
    assert "protoc" not in "".join(support().imports)


def test_the_text_depends_on_the_protocol_alone(tmp_path: Path) -> None:
    script = (
        "from unit import protocols as p\nfrom protoc_compiler.emit import verify as v\nprint(v.render(p.tickets()))"
    )
    path = os.pathsep.join(p for p in sys.path if p)
    texts = set()
    for seed, zone, folder in (("0", "UTC", tmp_path), ("1", "Asia/Tokyo", Path.cwd())):
        env = {"PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": path, "PATH": os.environ["PATH"], "LC_ALL": "C"}
        done = subprocess.run([sys.executable, "-c", script], cwd=folder, env=env, capture_output=True, check=True)
        texts.add(done.stdout)
    assert len(texts) == 1


def test_names_of_rows_never_hide_a_function() -> None:
    rows = Rows("table", "cases", where=(core.Is(BOOL, core.Column(NUMBER, this("table"), "x"), "defined"),))
    inner = Rows("table", "cases", where=(core.Is(BOOL, core.Column(NUMBER, this("table"), "x"), "undefined"),))
    some = core.Quantified(BOOL, "some", inner, None)
    expr = core.Quantified(BOOL, "all", rows, some)
    assert value_of(expr, row("a", x=1), row("b")) is True
    assert whole((cases(),)).tables[0].name == "cases"
