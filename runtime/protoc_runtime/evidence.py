"""What the rules of a protocol rest on: the sources that each reads, and the grade of that evidence.

Works on the tree of `protocol.json`, so that compiler and runtime say the same. A rule is as good as the weakest of
what it reads: `proven`, anyone can compute it again from the sealed files and pinned values alone; `recorded`, our own
runner, ledger or seal shows it; `attested`, a person says it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

Grade: TypeAlias = 'Literal["proven", "recorded", "attested"]'
Thing = tuple[str, ...]  # (item, space, name), (table, name), (column, table, name), (interval, name)
GRADES: tuple[Grade, ...] = ("proven", "recorded", "attested")
ADJUDICATION = "adjudication"
REVIEW = "ledger of adjudication"  # of what is recorded while people judge, beside what they tell
Due: TypeAlias = 'Literal["inputs", "asked", "judged"]'  # when all is there that a formula rests on
INPUTS: Due = "inputs"  # at the seal, and before a run asks anybody
ASKED: Due = "asked"  # when every case has its outcome, and before anything is scored
JUDGED: Due = "judged"  # when people have told all
_SEALED = {"file", "listed", "frozen"}  # whoever has the files of the seal computes the same from them


@record
class Leaf:
    """Something that a rule rests on: a column of a table from outside, or (`column` "") which rows it has.

    `path` are the names through which it is read, from the rule's own to the column's.
    """

    table: str
    column: str
    source: str
    path: tuple[str, ...]


class Evidence:
    """The dependencies of one protocol: the value of `protocol` in its canonical JSON."""

    def __init__(self, protocol: Mapping[str, Any]) -> None:
        self._tables = {table["name"]: table for table in protocol["tables"]}
        self._columns: dict[Thing, Any] = {
            (name, column["name"]): column for name, table in self._tables.items() for column in table["columns"]
        }
        self._items: dict[Thing, Any] = {(item["space"], item["name"]): item for item in protocol["items"]}
        self._intervals = {interval["name"]: interval for interval in protocol["intervals"]}
        self._filled = {judgement["fills"] for judgement in protocol.get("judgements", ())}
        self._reads: dict[Thing, tuple[Thing, ...]] = {}

    def leaves(self, *roots: Thing) -> list[Leaf]:
        """Everything from outside that these things rest on, nearest first, each by a shortest path."""
        found = []
        for thing, path in self.reached(*roots).items():
            source = self._source(thing)
            if source:
                found.append(Leaf(thing[1], thing[2] if thing[0] == "column" else "", source, path))
        return found

    def by_people(self, thing: Thing) -> bool:
        """Whether people decide it, or what is recorded while they judge."""
        return any(leaf.source in (ADJUDICATION, REVIEW) for leaf in self.leaves(thing))

    def waiting(self) -> frozenset[tuple[str, str]]:
        """The items that rest on what people tell, or on what is recorded while they judge, by space and name."""
        found = set(self.reached(*(("item", *key) for key in self._items)))
        readers: dict[Thing, list[Thing]] = {}
        for thing in found:
            for read in self._of(thing):
                readers.setdefault(read, []).append(thing)
        waiting = [
            thing
            for thing in found
            if (source := self._source(thing)) and (thing[1] in self._filled or source == REVIEW)
        ]
        reached = set(waiting)
        for thing in waiting:  # grows as it is walked
            new = set(readers.get(thing, ())) - reached
            reached |= new
            waiting += new
        return frozenset((thing[1], thing[2]) for thing in reached if thing[0] == "item")

    def reached(self, *roots: Thing) -> dict[Thing, tuple[str, ...]]:
        """Everything that these things rest on, themselves included, nearest first: with the names of a shortest
        path."""
        paths: dict[Thing, tuple[str, ...]] = {thing: (_shown(thing),) for thing in roots}
        waiting = list(roots)
        for thing in waiting:
            for read in self._of(thing):
                if read not in paths:
                    paths[read] = (*paths[thing], _shown(read))
                    waiting.append(read)
        return paths

    def read_by(self, formula: Any) -> tuple[Thing, ...]:
        """What a formula in canonical JSON names itself."""
        return tuple(dict.fromkeys(self._in(formula)))

    def of_formula(self, formula: Any) -> list[Leaf]:
        """Everything from outside that a formula or the rows of a table rest on."""
        return self.leaves(*dict.fromkeys(self._in(formula)))

    def due(self, formula: Any) -> Due:
        """When everything is there that a formula rests on."""
        sources = {leaf.source for leaf in self.of_formula(formula)}
        if sources & {ADJUDICATION, REVIEW}:
            return JUDGED
        return INPUTS if sources <= _SEALED else ASKED

    def _source(self, thing: Thing) -> str:
        """Where the values of a column, or the rows of a table, come from; "" where they are computed."""
        if thing[0] == "freeze":
            return "frozen"
        if thing[0] not in ("column", "table"):
            return ""
        table = self._tables[thing[1]]
        if thing[0] == "column" and self._columns.get(thing[1:], {"expr": True})["expr"] is not None:
            return ""
        if thing[0] == "table" and table["record"]:
            return ""  # there is one row of it, whatever it holds
        while table["kind"] == "nested":
            table = self._tables[table["parent"]]
        if table["source"] == "adjudication" and table["name"] not in self._filled:
            return REVIEW
        return str(table["source"]) if table["kind"] in ("input", "listed") else ""

    def _of(self, thing: Thing) -> tuple[Thing, ...]:
        if thing not in self._reads:
            self._reads[thing] = tuple(dict.fromkeys(self._inside(thing)))
        return self._reads[thing]

    def _inside(self, thing: Thing) -> Iterator[Thing]:
        if thing[0] == "item":
            item = self._items.get(thing[1:])
            if item is not None:
                yield from self._in([item["expr"], item["withheld"], item["parts"]])
        elif thing[0] == "column":
            yield from self._in(self._columns.get(thing[1:], {}).get("expr"))
            yield from self._copied(thing[1], thing[2])
        elif thing[0] == "interval":
            interval = self._intervals[thing[1]]
            yield ("item", "metrics", interval["metric"])
            yield from self._in([interval[part] for part in ("resample", "follow", "within", "out_of")])
        elif thing[0] == "table":
            table = self._tables[thing[1]]
            yield from (("table", name) for name in (*table["parts"], table["parent"]) if name)
            yield from self._in(table["rows"])
            if table["rows"] is not None:  # how rows are grouped or drawn decides which there are
                root = self._root(self._below(table))
                yield from (("column", root, name) for name in (*table["group"], table.get("within", "")) if name)

    def _copied(self, name: str, column: str) -> Iterator[Thing]:
        """The columns of which a column of a grouped table or a stack has its values."""
        table = self._tables[name]
        if column in table["group"]:
            yield ("column", self._root(self._below(table)), column)
        if table["kind"] == "stack":
            yield from (("column", self._root(part), column) for part in table["parts"])

    def _below(self, table: Any) -> str:
        """The name of the table of whose rows another one is made."""
        return str(table["rows"]["table"])

    def _root(self, table: str) -> str:
        return str(self._tables[table]["root"])

    def _in(self, node: Any) -> Iterator[Thing]:
        if isinstance(node, list):
            for part in node:
                if not isinstance(part, str):
                    yield from self._in(part)
            return
        if not isinstance(node, dict):
            return
        yield from self._named(node)
        for key, part in node.items():
            if key not in ("type", "node") and not isinstance(part, str):
                yield from self._in(part)

    def _named(self, node: Mapping[str, Any]) -> Iterator[Thing]:
        kind = node.get("node")
        if kind == "Column":
            yield ("column", node["row"]["type"]["table"], node["name"])
        elif kind in ("Global", "Entry"):
            yield ("freeze", node["name"]) if node["space"] == "freeze" else ("item", node["space"], node["name"])
        elif kind == "Bound":
            yield ("interval", node["interval"])
        elif kind == "Rows":
            yield ("table", node["table"])
            root = self._root(node["table"])
            yield from (("column", root, match["column"]) for match in node["match"])


def grade(leaves: list[Leaf]) -> Grade:
    """The grade of the weakest."""
    return GRADES[max((GRADES.index(_grade(leaf)) for leaf in leaves), default=0)]


@record
class Rest:
    """What one value or rule rests on: the grade of the weakest of it, its sources, its columns from outside
    (`table.column`), and who decides it.

    `judgements` are those whose answers it reads: before they are told, it has no value yet.
    """

    grade: Grade
    sources: tuple[str, ...]
    judgements: tuple[str, ...]
    columns: tuple[str, ...] = ()


def rests(protocol: Mapping[str, Any]) -> dict[tuple[str, str], Rest]:
    """What each item rests on, by (space, name)."""
    evidence = Evidence(protocol)
    fillers = {judgement["fills"]: judgement["name"] for judgement in protocol.get("judgements", ())}
    made = {}
    for item in protocol["items"]:
        leaves = evidence.leaves(("item", item["space"], item["name"]))
        told = {fillers[leaf.table] for leaf in leaves if leaf.table in fillers}
        if any(leaf.source == REVIEW for leaf in leaves):
            told.update(fillers.values())
        sources = {leaf.source for leaf in leaves}
        columns = sorted(f"{leaf.table}.{leaf.column}" for leaf in leaves if leaf.column)
        rest = Rest(grade(leaves), tuple(sorted(sources)), tuple(sorted(told)), tuple(columns))
        made[item["space"], item["name"]] = rest
    return made


def _grade(leaf: Leaf) -> Grade:
    if leaf.source == ADJUDICATION:
        return "attested"
    return "proven" if leaf.source in _SEALED else "recorded"


def _shown(thing: Thing) -> str:
    if thing[0] == "item":
        return thing[2] if thing[1] in ("definitions", "metrics") else f"{thing[1]}.{thing[2]}"
    return ".".join(thing[1:]) if thing[0] != "freeze" else f"freeze.{thing[1]}"
