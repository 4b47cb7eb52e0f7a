"""What follows of rows that are filtered otherwise: every pair of conditions against all small tables, where `all` of
no rows is undefined."""

from __future__ import annotations

from itertools import combinations_with_replacement, product

import pytest

from protoc_compiler import core
from protoc_compiler.drift.doubts import Doubt
from protoc_compiler.drift.entails import Given, entails
from protoc_compiler.drift.normal import Normal
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import review

Table = tuple[tuple[int, int | None], ...]  # n, and x or undefined
CELLS = tuple(product((0, 1, 2), (None, 0, 1)))
TABLES: tuple[Table, ...] = tuple(rows for size in range(4) for rows in combinations_with_replacement(CELLS, size))
ROW = core.Type("row", table="t")


def _column(name: str) -> core.Expr:
    return core.Column(core.INT, core.RowVar(ROW, "r"), name)


def _at_least(name: str, bound: int) -> core.Expr:
    return core.Compare(core.BOOL, (_column(name), core.Const(core.INT, bound)), (">=",))


class Rule:
    """A quantifier over rows with `n >= filter`, asked for `x >= bound`, and how it is wrapped."""

    def __init__(self, quantifier: str, least: int, bound: int, wrapped: str) -> None:
        self.quantifier, self.least, self.bound, self.wrapped = quantifier, least, bound, wrapped

    def __repr__(self) -> str:
        return f"({self.quantifier} t where n >= {self.least} have x >= {self.bound}) {self.wrapped}"

    def form(self) -> core.Expr:
        rows = core.Rows("r", "t", where=(_at_least("n", self.least),))
        made: core.Expr
        if self.quantifier == "count":
            made = core.Compare(
                core.BOOL,
                (core.Aggregate(core.INT, "count", rows, (), ()), core.Const(core.INT, self.bound + 1)), (">=",),
            )  # fmt: skip
        else:
            made = core.Quantified(core.BOOL, self.quantifier, rows, _at_least("x", self.bound))  # type: ignore[arg-type]
        if self.wrapped in ("is true", "is false"):
            return core.Is(core.BOOL, made, self.wrapped.removeprefix("is "))  # type: ignore[arg-type]
        if self.wrapped in ("is not true", "is not false"):
            state = self.wrapped.removeprefix("is not ")
            return core.Not(core.BOOL, core.Is(core.BOOL, made, state))  # type: ignore[arg-type]
        if self.wrapped == "not":
            return core.Not(core.BOOL, made)
        if self.wrapped.startswith("or "):
            return core.Default(core.BOOL, made, core.Const(core.BOOL, self.wrapped == "or true"))
        return made

    def truth(self, table: Table) -> bool:
        """Whether it is true of a table, by the page on the language."""
        found = [None if x is None else x >= self.bound for n, x in table if n >= self.least]
        known: bool | None
        if self.quantifier == "count":
            known = len(found) >= self.bound + 1
        elif self.quantifier == "all":
            known = False if False in found else None if None in found or not found else True
        else:
            known = True if True in found else None if None in found else False
            known = known if self.quantifier == "some" or known is None else not known
        return {
            "": known is True, "not": known is False, "is true": known is True, "is false": known is False,
            "is not true": known is not True, "is not false": known is not False, "or true": known is not False,
            "or false": known is True,
        }[self.wrapped]  # fmt: skip


WRAPS = ("", "not", "is true", "is false", "is not true", "is not false", "or true", "or false")
RULES = [Rule(*parts) for parts in product(("all", "some", "no", "count"), (0, 1, 2), (0, 1), WRAPS)]
TRUE_OF = {id(rule): frozenset(at for at, table in enumerate(TABLES) if rule.truth(table)) for rule in RULES}
FORMS = {id(rule): Normal().of(rule.form()) for rule in RULES}
EXPECTED = Rule("some", 2, 0, "")


@pytest.mark.parametrize("expecting", [False, True])
def test_what_follows_of_filtered_rows_is_true_of_every_table(expecting: bool) -> None:
    given = Given(lambda: FORMS[id(_same(EXPECTED))]) if expecting else Given()
    taken = TRUE_OF[id(_same(EXPECTED))] if expecting else frozenset(range(len(TABLES)))
    followed = 0
    for one, other in product(RULES, RULES):
        if entails(FORMS[id(one)], FORMS[id(other)], given):
            followed += 1
            assert TRUE_OF[id(one)] & taken <= TRUE_OF[id(other)], (one, other)
    assert followed > 2_000


def _same(wanted: Rule) -> Rule:
    return next(rule for rule in RULES if repr(rule) == repr(wanted))


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        (Rule("all", 0, 0, ""), Rule("all", 1, 0, ""), True),
        (Rule("all", 1, 1, ""), Rule("all", 2, 0, "or false"), True),
        (Rule("all", 0, 0, "is not false"), Rule("all", 1, 0, "is not false"), False),
        (Rule("all", 0, 0, "or true"), Rule("all", 2, 0, "or true"), False),
        (Rule("all", 1, 0, "not"), Rule("all", 0, 0, "is false"), False),
        (Rule("count", 2, 1, ""), Rule("count", 1, 0, ""), False),
        (Rule("no", 0, 1, ""), Rule("no", 1, 1, ""), False),
    ],
)
def test_fewer_rows_are_one_direction_where_some_are_left(one: Rule, other: Rule, expected: bool) -> None:
    """`expected`: only where the protocol expects one of the rows that are left."""
    forms = [Normal().of(rule.form()) for rule in (one, other)]
    assert entails(forms[0], forms[1]) is not expected
    assert entails(forms[0], forms[1], Given(lambda: FORMS[id(_same(EXPECTED))]))
    assert not entails(forms[1], forms[0], Given(lambda: FORMS[id(_same(EXPECTED))]))


SPEC = """\
protoc: 1
protocol: {{id: filters, version: 1, title: Filtered rows}}
data:
  tables:
    regions: {{key: region, rows: [north, south]}}
    shops:
      key: shop
      columns: {{shop: text, region: regions, size: int, sold: decimal, slow: ms, fast: ms}}
      expect: {expected}
procedure:
  subject: {{python: "s.py:f", of: shops, sees: [size]}}
metrics:
  wait.<regions>: mean(slow over shops)
gates:
  rule: {{says: It holds., must: "{rule}"}}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {{released: [PASS]}}
"""
SOLD = "all shops where size >= {} have sold >= max(sold over entire shops) / 3"
WAIT = "wait.north <= {} * wait.south"


@pytest.mark.parametrize(
    ("rule", "moved", "expected", "direction", "reason"),
    [
        (SOLD, (20, 21), "[count(shops) >= 1]", "incomparable", "fewer rows of `shops`, so that one which failed may"),
        (SOLD, (21, 20), "[count(shops) >= 1]", "incomparable", "more rows of `shops`, so that one may fail"),
        (SOLD, (20, 21), "[some shops where size > 30]", "looser", ""),
        (SOLD, (20, 21), "[all shops have size > 30]", "looser", ""),
        (SOLD, (20, 21), "[count(shops where size >= 25) >= 3]", "looser", ""),
        (SOLD, (20, 21), "[some shops where size > 20]", "looser", ""),
        (SOLD, (20, 22), "[some shops where size > 20]", "incomparable", "none may be left, unless the protocol"),
        (WAIT, (1.2, 1.08), "[count(shops) >= 1]", "incomparable", "the sign of `wait.south` is not known"),
        (WAIT, (1.2, 1.08), "[no shops where slow < 0 ms]", "stricter", ""),
        (WAIT, (1.08, 1.2), "[all shops have slow >= 0 ms]", "looser", ""),
        (WAIT, (1.2, 1.08), "[all shops have fast >= 0 ms]", "incomparable", "`wait.south`"),
        (WAIT, (1.2, 1.08), "[all shops where size > 1 have slow >= 0 ms]", "incomparable", "`wait.south`"),
        ("median(sold over shops) == {}", (0.5, 0.6), "[count(shops) >= 1]", "incomparable", "asks for another value"),
        ("mean(sold over shops) > {} * 1 ", (0.5, 0.6), "[count(shops) >= 1]", "stricter", ""),
    ],
)
def test_a_direction_or_what_keeps_it_from_being_known_is_told(
    rule: str, moved: tuple[float, float], expected: str, direction: str, reason: str
) -> None:
    texts = [SPEC.format(rule=rule.format(bound), expected=expected) for bound in moved]
    old, new = (read("p.yaml", "p.yaml", text.encode()) for text in texts)
    (told,) = review(old, new, prove=False).effects
    assert (told.direction, told.status == "proved") == (direction, not reason)
    assert reason in told.reason


def test_a_doubt_stands_before_the_reason_why_no_case_was_shown() -> None:
    doubt = Doubt("the sign is not known")
    neither = "it is open whether it holds where it did not, and whether it fails where it held: it is too large"
    assert doubt.beside(neither) == "the sign is not known; no case was shown: it is too large"
    assert doubt.beside("") == "the sign is not known"
    half = "a release is lost, as the case shows; that a release is gained was not shown: it is too large"
    assert doubt.beside(half) == f"the sign is not known; {half}"
