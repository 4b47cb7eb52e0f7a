"""One compiled protocol that tells of rows how far its rules are from each outcome."""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from types import FunctionType
from typing import Any

from protoc_compiler import core
from protoc_compiler.proof.program import Program, support
from protoc_compiler.proof.trials.deep import named
from protoc_compiler.proof.trials.hunt import Work
from protoc_compiler.proof.trials.rowset import Listed, Rowset, Unfit, as_rows
from protoc_compiler.proof.trials.truth import (
    Choice,
    Truth,
    all_of,
    compared,
    measured,
    missed,
    plain,
    taking_plain,
    truth,
)

_ABOVE = 3.0  # how much nearer a filter is than one that its rows have passed before
_LOOKING = {"table": 1, "matching": 1, "earlier": 1, "latest": 4}  # what gives rows, and the work of each: windows are
# looked at again for every row
_RULES = ("gates", "blockers", "checks", "expect")
_WORDS = ("verdict", "verdicts")


class Judge:
    """The verifier of a protocol, with the conditions of its rules measured."""

    def __init__(self, protocol: core.Protocol, program: Program, left_out: frozenset[str], work: Work) -> None:
        """`left_out`: the expectations that say nothing of the scored rows. `work`: counts what is looked at."""
        self.protocol, self.program, self.work = protocol, program, work
        half = program.chosen()
        program.names |= {name: self._counted(half[name], each) for name, each in _LOOKING.items()}
        self.items: dict[tuple[str, str], Any] = program.own["PROTOCOL"].items
        self.names: dict[str, Any] = {
            name: taking_plain(made) if type(made) is FunctionType else made for name, made in half.items()
        }
        self.names |= {**program.own, **measured(half), "value": self.value, "rules": self._rules}
        self.names |= {name: taking_plain(program.names[name]) for name in _LOOKING}
        known = support()
        for name, made in program.names.items():
            if name not in known:
                self.names[name] = self._measuring(made)
        self._functions: dict[int, Any] = {}
        self._inside = 0
        measurable = [(one.space, one.name) for one in protocol.items if one.type.kind == "bool" or one.space in _WORDS]
        self._measurable = frozenset(measurable)
        where = {item.name: table.name for table in protocol.tables for item in table.expect}
        self._of = {("expect", name): ("expect", where.get(name, ""), name) for space, name in self.items if
                    space == "expect"}  # fmt: skip
        self._expected = [key for key in self.items if key[0] == "expect" and key[1] not in left_out]
        self._known: dict[tuple[Any, ...], Any] = {}
        self.listed = Listed(program)

    def _counted(self, function: Any, each: int) -> Any:
        """A function that gives rows, which are counted as work."""
        work = self.work

        def counting(*arguments: Any, **named: Any) -> Any:
            """The same rows, counted."""
            found = function(*arguments, **named)
            work.left -= each * len(found) + 1
            return found

        return counting

    def _measuring(self, made: Any) -> Any:
        """A function of the generated half, so that the conditions in it are measured."""
        if type(made) is not FunctionType:
            return made
        function = FunctionType(made.__code__, self.names, made.__name__, made.__defaults__, made.__closure__)
        function.__kwdefaults__ = made.__kwdefaults__
        return function

    @cached_property
    def _deep(self) -> dict[str, Any]:
        """The names of the generated half whose reads of cells are measured, too."""
        from protoc_compiler.emit.deciding import deciding
        from protoc_compiler.proof.trials.deep import CELL, reading_cells

        names = {**self.names, CELL: self._cell, "at": lambda row, name: None if row is None else self._cell(row, name)}
        names |= {"table": self._filtered(self.names["table"]), "matching": self._filtered(self.names["matching"])}
        names["rate"] = self._rate
        pieces = deciding(self.protocol, frozenset(support())).pieces()
        reading_cells((piece for lines in pieces for piece in lines), names)
        return names

    def _cell(self, row: Any, column: str) -> Any:
        """A cell; of a condition, or a word, with distances."""
        thing = ("cell", id(row), column)
        if thing not in self._known:
            declared = self.program.own["PROTOCOL"].tables[row.table].columns.get(column)
            made = declared.derived if declared is not None and declared.type[0] in ("bool", "enum", "text") else None
            function = named(made, self._deep) if made is not None else None
            self._known[thing] = function(row) if function is not None else row[column]
        return self._known[thing]

    def _rate(self, conditions: Any) -> Any:
        """A share; what its conditions are away from turning counts as missed."""
        found = list(conditions)
        missed.extend([max(one.yes, one.no) for one in found if type(one) is Truth])
        return support()["rate"]([plain(one) for one in found])

    def _filtered(self, function: Any) -> Any:
        """A function that gives rows of a table; what its filter nearly keeps counts as missed."""
        tables = self.program.own["PROTOCOL"].tables

        def giving(name: str, *arguments: Any) -> Any:
            """The same rows; how far those are that are not among them is remembered."""
            thing = ("missed", name)
            if thing not in self._known:
                self._known[thing] = []
                before = list(missed)
                missed.clear()
                own = named(tables[name].rows, self._deep) if tables[name].rows is not None else None
                if own is not None:
                    own()
                for part in tables[name].parts:
                    giving(part)
                self._known[thing] = list(missed)
                missed[:] = before
            missed.extend([_ABOVE + far for far in self._known[thing]])
            return function(name, *arguments)

        return giving

    def look_at(self, rows: Rowset) -> None:
        """Judge these rows from now on."""
        half = self.program.chosen()
        half["PROTOCOL"].absent = set()
        half["begin"](as_rows(rows, self.program, self.listed), _Digests())
        self._known = {}
        compared.clear()
        missed.clear()  # what was found of other rows, or by another judge, is none of these

    def whole(self) -> bool:
        """Whether everything can be computed, also what no rule reads."""
        half = self.program.chosen()
        try:
            half["compute_all"]()
        except Exception:
            return False
        return True

    def failing(self) -> set[tuple[str, ...]]:
        """Of the rules that were asked for those that are not as they should be."""
        found: set[tuple[str, ...]] = set()
        for (space, name, *_), one in self._known.items():
            wrong = isinstance(one, Truth) and ((one.no if space == "blockers" else one.yes) > 0 or one.state is None)
            if wrong and space in (*_RULES, "definitions"):
                found.add(self._of.get((space, name), ("item", space, name)))
        return found

    def expected(self) -> float:
        """How far the rows are from what is expected of them."""
        return self._asked(lambda: all_of(*[self.value(*key) for key in self._expected])).yes if self._expected else 0.0

    def released(self) -> Truth:
        """That the verdict is one that is released."""
        return self.word(frozenset(self.protocol.released))

    def released_as(self, word: str) -> Truth:
        """That the verdict is released, as this word."""
        return self.word(frozenset({word}) & frozenset(self.protocol.released))

    def word(self, words: frozenset[str]) -> Truth:
        """That the verdict is one of these."""
        return self._asked(lambda: _chosen(self.value("verdict", "verdict")).among(words))

    def entries(self, space: str, name: str) -> dict[str, Truth]:
        """A rule for each row that it has an entry for, by the name of the entry."""
        half = self.program.chosen()
        if (space, name) not in self.items:
            return {}
        return {half["fill"](name, keys): self.value(space, name, *keys) for keys in half["entries"](space, name)}

    def good(self, space: str, name: str) -> Truth:
        """That a gate holds, a blocker does not fire; of one that is not there: true."""
        found = list(self.entries(space, name).values())
        if space == "blockers":
            return all_of(*[Truth(not one.state, one.no, one.yes) for one in found])
        return all_of(*[Truth(one.state is True, one.yes, one.no if one.state else 0.0) for one in found])

    def rules(self) -> list[tuple[str, str]]:
        """The gates and blockers."""
        return [key for key in self.items if key[0] in ("gates", "blockers")]

    def compares(self, space: str, name: str) -> dict[str, list[tuple[Any, Any]]]:
        """What a rule compares with what, by entry; nothing where it cannot be computed."""
        half = self.program.chosen()
        made: dict[str, list[tuple[Any, Any]]] = {}
        known, self._known = self._known, {}
        try:
            for keys in half["entries"](space, name) if (space, name) in self.items else ():
                compared.clear()
                missed.clear()
                self._measured(space, self.items[space, name], keys)
                made[half["fill"](name, keys)] = [(_simple(one), _simple(two)) for one, two in compared]
        except Exception:  # whatever stops a verifier on rows that are only tried
            return {}
        finally:
            self._known = known
            missed.clear()
        return made

    def _asked(self, question: Any) -> Truth:
        self.program.chosen()
        try:
            made: Truth = question()
        except Exception as stopped:  # whatever stops a verifier on rows that are only tried
            raise Unfit(str(stopped)) from None
        return made

    def ask(self, space: str, name: str) -> Truth:
        """As `good`. Raises `Unfit`."""
        return self._asked(lambda: self.good(space, name))

    def value(self, space: str, name: str, *keys: Any) -> Any:
        """In the place of `value` of a verifier: of a condition, or a verdict, with distances."""
        half = support()
        if (space, name) not in self._measurable and space != "expect":
            return self._number(space, name, keys)
        thing = (space, name, *keys)
        if thing not in self._known:
            item = self.items[space, name]
            if None in keys or not all(map(half["belongs"], keys, item.per)):
                return None
            before = list(missed)
            missed.clear()
            try:
                self._known[thing] = self._value(space, item, keys)
            except Exception:  # whatever stops a verifier on rows that are only tried
                if space in _WORDS:
                    raise
                self._known[thing] = Truth(None, 2.0, 2.0)
            missed[:] = before
        return self._known[thing]

    def _number(self, space: str, name: str, keys: tuple[Any, ...]) -> Any:
        """A plain value; where it is undefined, what its filters miss is measured."""
        found = support()["value"](space, name, *keys)
        if (found is None or self._inside) and None not in keys and (space, name, *keys) not in self._known:
            self._known[space, name, *keys] = found
            before = len(compared)
            try:
                self._function(self.items[space, name].value)(*keys)
            except Exception:
                return None
            finally:
                del compared[before:]  # what single rows are compared with is none of the rule's own
        return found

    def _value(self, space: str, item: Any, keys: tuple[Any, ...]) -> Any:
        one = self._measured(space, item, keys)
        wrong = space in _RULES and (one.no if space == "blockers" else one.yes) > 0
        if wrong and not self._inside:  # measured down to single rows
            self._inside += 1
            missed.clear()
            try:
                return self._measured(space, item, keys)
            finally:
                self._inside -= 1
        return one

    def _measured(self, space: str, item: Any, keys: tuple[Any, ...]) -> Any:
        found = self._function(item.value)(*keys)
        if space in _WORDS and not isinstance(found, Truth):
            return found
        one = truth(found)
        if item.withheld is not None:
            hidden = truth(self._function(item.withheld)(*keys))
            if hidden.state is not False:
                one = Truth(None, 1 + hidden.no, 1 + hidden.no)
        if space == "blockers" and one.state is None:
            return Truth(True, 0.0, one.no) if item.fires_undefined else Truth(False, one.yes, 0.0)
        return one

    def _function(self, made: Any) -> Any:
        if self._inside:
            deep = named(made, self._deep)
            if deep is not None:
                return deep
        known = self._functions.get(id(made))
        if known is None:
            known = self._functions[id(made)] = self._measuring(made)
        return known

    def _rules(self, space: str) -> list[Any]:
        """In the place of `rules` of a verifier: gates, blockers or checks as rows."""
        half = support()
        made: list[Any] = []
        for where, name in self.items:
            for keys in half["entries"](space, name) if where == space else ():
                one = truth(self.value(space, name, *keys))
                held = Truth(one.state is True, one.yes, one.no if one.state else 0.0)
                failed = Truth(one.state is False, one.no, one.yes if one.state is False else 0.0)
                cells = {"name": name, "forces": self.items[where, name].forces, "held": held, "failed": failed}
                made.append(half["Row"](space, {**cells, "fired": one}, len(made)))
        return made


class _Digests(dict[str, str]):
    """No file is written while rows are tried: any table has the same digest."""

    def get(self, name: str, default: Any = None) -> Any:
        """The digest of a table."""
        return "0" * 64


def _simple(value: Any) -> Any:
    """A value that can be told from others; None of rows, sets and the like."""
    return value if isinstance(value, (int, Fraction, str)) else None


def _chosen(value: Any) -> Choice:
    return value if isinstance(value, Choice) else Choice(value, [(0.0, value)])


__all__ = ["Judge", "Unfit"]
