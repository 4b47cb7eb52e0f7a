"""The closed library: what each function takes and gives. Its two implementations live in the engine and in the
generated verifier; its prose in the language reference.

A pattern names what an operand may be: `bool`, `int`, `number` (int included), `measure` (a number or a quantity),
`ordered` (measure, time or date), `text`, `time`, `any value`, `numbers` (a list). A result is one of the types, or
`same` (the type of the first operand), `list` (of the first operand), or a struct by its fields.
"""

from __future__ import annotations

from functools import cache

from protoc_compiler.core import INT, NUMBER, REAL
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal, TypeAlias

Pattern: TypeAlias = (
    'Literal["bool", "int", "number", "measure", "ordered", "text", "time", "value", "numbers", "collection"]'
)
Form: TypeAlias = 'Literal["rows", "over", "value"]'


@record
class Option:
    """A named option; one without a default must be written. `words`: the closed set of what it takes, if it does."""

    name: str
    pattern: str
    required: bool = False
    words: tuple[str, ...] = ()


@record
class Signature:
    """One function in one form. `empty`: what it gives over no rows. `total`: defined whenever its operands are.
    `alike`: its two operands are compared with each other."""

    name: str
    form: Form
    operands: tuple[Pattern, ...]
    result: str
    options: tuple[Option, ...] = ()
    fields: tuple[tuple[str, str], ...] = ()
    empty: Literal["value", "undefined"] = "undefined"
    total: bool = True
    ordered: bool = False
    variadic: bool = False
    alike: bool = False


RESULTS = {"int": INT, "number": NUMBER, "real": REAL}

_LEVEL = Option("level", "number", required=True)

_MISSING = Option("missing", "word", words=("dropped", "counted"))
_BOUNDS = (("low", "real"), ("high", "real"))
_TAILS = (("p", "number"), ("at_least", "number"), ("at_most", "number"))

_ALL = (
    # over rows as such
    Signature("count", "rows", (), "int", empty="value"),
    Signature("only", "rows", (), "row"),
    Signature("first", "rows", (), "row", ordered=True),
    Signature("last", "rows", (), "row", ordered=True),
    Signature("digest", "rows", (), "digest"),
    # over one column
    Signature("sum", "over", ("measure",), "same", empty="value"),
    Signature("product", "over", ("number",), "same", empty="value"),
    Signature("mean", "over", ("measure",), "mean"),
    Signature("rate", "over", ("bool",), "number"),
    Signature("min", "over", ("ordered",), "same"),
    Signature("max", "over", ("ordered",), "same"),
    Signature("median", "over", ("measure",), "mean"),
    Signature("variance", "over", ("number",), "number", total=False),
    Signature("distinct", "over", ("value",), "int", empty="value"),
    Signature("list", "over", ("value",), "list", empty="value"),
    Signature("longest_run", "over", ("bool",), "int", empty="value", ordered=True),
    Signature("max_drawdown", "over", ("number",), "number", total=False, ordered=True),
    Signature("p95", "over", ("measure",), "same"),
    Signature("mad", "over", ("measure",), "mean"),
    Signature("harmonic_mean", "over", ("measure",), "mean", total=False),
    # with options
    Signature(
        "quantile",
        "over",
        ("measure",),
        "mean",
        (Option("at", "number", required=True), Option("method", "word", words=("nearest_rank", "linear"))),
    ),
    Signature(
        "cut_off",
        "over",
        ("number",),
        "number",
        (Option("group", "int", required=True), Option("of", "int", required=True)),
        total=False,
    ),
    Signature(
        "benjamini_hochberg",
        "over",
        ("number",),
        "struct",
        (_LEVEL, _MISSING),
        fields=(("limit", "number"),),
        total=False,
    ),
    # two columns
    Signature("auc", "over", ("number", "bool"), "number", total=False),
    Signature(
        "mcnemar",
        "over",
        ("bool", "bool"),
        "struct",
        fields=(("p", "number"), ("only_first", "int"), ("only_second", "int")),
    ),
    Signature(
        "correlation", "over", ("number", "number"), "struct", fields=(("signed_square", "number"),), total=False
    ),
    Signature(
        "spearman",
        "over",
        ("number", "number"),
        "struct",
        fields=(("value", "real"), ("signed_square", "number")),
        total=False,
    ),
    Signature(
        "sign_test",
        "over",
        ("ordered", "ordered"),
        "struct",
        (Option("ties", "word", required=True, words=("dropped", "halved")),),
        fields=(("p", "number"), ("more", "int"), ("less", "int"), ("ties", "int")),
        alike=True,
    ),
    Signature("cohen_kappa", "over", ("value", "value"), "number", total=False, alike=True),
    Signature("fleiss_kappa", "over", ("value", "value"), "number", total=False),
    Signature("brier", "over", ("number", "bool"), "number", total=False),
    Signature("ece", "over", ("number", "bool"), "number", (Option("bins", "int", required=True),), total=False),
    # on values
    Signature("abs", "value", ("measure",), "same"),
    Signature("floor", "value", ("number",), "int"),
    Signature("min", "value", ("ordered",), "common", variadic=True),
    Signature("max", "value", ("ordered",), "common", variadic=True),
    Signature("indicator", "value", ("bool",), "int"),
    Signature("day", "value", ("time",), "date"),
    Signature("chars", "value", ("text",), "int"),
    Signature("occurrences", "value", ("text", "text"), "int"),
    Signature("slice", "value", ("text", "int", "int"), "text", total=False),
    Signature("offset", "value", ("text", "text"), "int", total=False),
    Signature("size", "value", ("collection",), "int"),
    Signature("round", "value", ("measure",), "number", (Option("digits", "int", required=True),)),
    Signature("sqrt", "value", ("number",), "real", total=False),
    Signature("wilson", "value", ("int", "int"), "struct", (_LEVEL,), fields=_BOUNDS, total=False),
    Signature("clopper_pearson", "value", ("int", "int"), "struct", (_LEVEL,), fields=_BOUNDS, total=False),
    Signature("newcombe", "value", ("int", "int", "int", "int"), "struct", (_LEVEL,), fields=_BOUNDS, total=False),
    Signature("binomial_test", "value", ("int", "int", "number"), "struct", fields=_TAILS, total=False),
    Signature("fisher", "value", ("int", "int", "int", "int"), "struct", fields=_TAILS, total=False),
    Signature("bonferroni", "value", ("number", "numbers"), "number", (_MISSING,), total=False),
    Signature("holm", "value", ("number", "numbers"), "number", (_MISSING,), total=False),
    Signature("benjamini_hochberg", "value", ("number", "numbers"), "number", (_MISSING,), total=False),
)

_BY_NAME: dict[str, dict[Form, Signature]] = {}
for _signature in _ALL:
    _BY_NAME.setdefault(_signature.name, {})[_signature.form] = _signature

TABLE_FUNCTIONS = ("sample",)


def forms(name: str) -> dict[Form, Signature]:
    """The forms of a function by name; empty if there is none."""
    return _BY_NAME.get(name, {})


def names() -> list[str]:
    """Every function, for suggestions and the reference."""
    return sorted({*_BY_NAME, *TABLE_FUNCTIONS})


@cache
def ordered_functions() -> frozenset[str]:
    """The functions whose result depends on the order of the rows; a list keeps it."""
    return frozenset(one.name for one in _ALL if one.ordered) | {"list"}
