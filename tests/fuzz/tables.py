"""The data section of a random spec, and random rows for it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from fuzz import kinds
from fuzz.kinds import BOOL, ENUM, INT, NUM, TEXT, Kind, value
from fuzz.scope import Column, Table, Value

Rows = dict[str, list[dict[str, Any]]]
ARMS, LIMITS = Kind("row", table="arms"), Kind("row", table="limits")
CASES, SPLITS = Kind("row", table="cases"), Kind("row", table="splits")
FACTS = ("alpha", "beta")
TRIES_EXPECTED = ("count(tries) >= 2", *(f"count(tries where at == {place}) == 1" for place in range(4)))


@dataclass
class Data:
    """The text of the section, its tables, and the columns of its files by table."""

    lines: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    files: dict[str, list[Column]] = field(default_factory=dict)
    nested: dict[str, list[Column]] = field(default_factory=dict)
    more: list[str] = field(default_factory=list)  # lines behind the tables
    values: list[Value] = field(default_factory=list)  # what is read by a name: of records, of frozen values
    splits: bool = False
    gaps: bool = False  # whether the columns of orders may be undefined or tie

    def put(self, table: Table, *lines: str) -> None:
        """Add a table with its lines."""
        self.tables.append(table)
        self.lines += [f"    {table.name}:", *(f"      {line}" for line in lines)]


def data(rng: Random) -> Data:
    """Listed tables, a table of cases, tables that refer to it, a wide one, a record."""
    made = Data(gaps=rng.random() < 0.06, splits=rng.random() < 0.3)
    _arms(rng, made)
    if rng.random() < 0.6:
        columns = [Column("limit", NUM), Column("limit_on", BOOL)]
        made.put(
            Table("limits", "limits", columns, True, "", "limit", ("0.25", "0.50")),
            "key: limit", "columns: {limit_on: bool}", "rows: {0.25: {limit_on: true}, 0.50: {limit_on: false}}",
        )  # fmt: skip
    _cases(rng, made)
    if rng.random() < 0.8:
        _tries(rng, made)
    if rng.random() < 0.6:
        _answers(rng, made)
    if rng.random() < 0.4:
        _blocks(rng, made)
    if rng.random() < 0.3:
        columns = [Column("label", TEXT), *_plain(rng, "m", 3)]
        made.files["meta"] = list(columns)
        made.put(
            Table("meta", "meta", columns, key="label"), "key: label", _columns(columns), "expect: count(meta) == 1"
        )
        made.values += [Value(f"meta.{column.name}", column.kind) for column in columns]
    if rng.random() < 0.3:
        columns = [Column("item", TEXT), Column("value", kinds.measure(rng), rng.random() < 0.5)]
        made.files["facts"] = list(columns)
        made.put(Table("facts", "facts", columns, key="item"), "key: item", _columns(columns))
        made.values += [Value(f"facts.{item}", columns[1].kind) for item in FACTS]
    if made.splits:
        labels = ("dev", "held")
        made.tables.append(
            Table("splits", "splits", [Column("split", TEXT), Column("role", TEXT)], True, "", "split", labels)
        )
        made.more += [
            "  splits:",
            "    dev: {role: development, may: [tune]}",
            "    held: {role: heldout, may: [score]}",
        ]
    if rng.random() < 0.15:
        made.lines += ["  records:", "    seal: {from: seal, time: time, files_match: bool}"]  # which there never is
        made.values += [Value("seal.time", kinds.TIME), Value("seal.files_match", BOOL)]
    if rng.random() < 0.4:
        frozen = {"margin": NUM, "most": INT, "pause": Kind("dur", "ms"), "start": kinds.DATE, "flag": BOOL}
        made.more += ["procedure:", "  freeze:"]
        for name, kind in frozen.items():
            made.more.append(f"    {name}: {kinds.literal(rng, kind)}")
            made.values.append(Value(f"freeze.{name}", kind))
    return made


def _arms(rng: Random, made: Data) -> None:
    labels = ("on", "off", "mid")[: rng.randint(1, 3)]
    columns = [Column("arm", Kind("enum", members=labels)), Column("least", NUM)]
    columns += [Column("strict", BOOL), Column("cap", Kind("dur", "ms"))]
    rows = []
    for label in labels:
        least, strict, cap = rng.choice(("0.40", "0.5", "2")), rng.choice(("true", "false")), rng.choice((1, 250))
        rows.append(f"  {label}: {{least: {least}, strict: {strict}, cap: {cap} ms}}")
    lines = ("key: arm", "columns: {least: decimal}", "rows:", *rows)
    made.put(Table("arms", "arms", columns, True, "", "arm", labels), *lines)


def _plain(rng: Random, prefix: str, most: int) -> list[Column]:
    """Columns of random types; names are shared between tables now and then, so that rows can match."""
    made = []
    for number in range(rng.randint(1, most)):
        kind = kinds.stored(rng)
        name = f"{prefix}{number}_{kind.name}"
        made.append(Column(name, kind, rng.random() < 0.45))
    if rng.random() < 0.5:
        made.append(Column("hue", ENUM, rng.random() < 0.4))
    return made


def _columns(columns: list[Column]) -> str:
    return "columns: {" + ", ".join(f"{c.name}: {_type(c)}" for c in columns) + "}"


def _type(column: Column) -> str:
    if column.kind.name == "enum":
        return f"[{', '.join((*column.kind.members, *(['null'] if column.optional else [])))}]"
    return column.kind.declared() + ("?" if column.optional else "")


def _references(rng: Random, made: Data) -> list[Column]:
    found = [Column("arm_of", ARMS, rng.random() < 0.4)] if rng.random() < 0.5 else []
    if any(table.name == "limits" for table in made.tables) and rng.random() < 0.4:
        found.append(Column("limit_of", LIMITS, rng.random() < 0.4))
    return found


def _cases(rng: Random, made: Data) -> None:
    columns = [Column("case", TEXT), Column("seq", INT, made.gaps), *_plain(rng, "c", 6), *_references(rng, made)]
    columns += [Column("split", SPLITS)] if made.splits else []
    order = rng.choice(("seq", "seq", "file", "[hue, seq]"))
    if order == "[hue, seq]" and not any(c.name == "hue" and not c.optional for c in columns):
        order = "seq"
    lines = ["key: case", f"order: {order}", _columns(columns)]
    table = Table("cases", "cases", columns, True, "seq", "case")
    made.files["cases"] = list(columns)
    if rng.random() < 0.4:
        inner = [Column("who", ENUM), *_plain(rng, "t", 2)]
        shown = _columns(inner).removeprefix("columns: ")
        lines[-1] = _columns(columns)[:-1] + f", turns: {shown}}}"
        made.nested["cases"] = inner
        owner = Column("cases", CASES)
        made.put(table, *lines)
        made.tables.append(
            Table(
                "cases.turns", "cases.turns", [owner, Column("position", INT), *inner], True, "position", parent="cases"
            )
        )
        return
    made.put(table, *lines, *_expected(rng, "count(cases) >= 1"))


def _tries(rng: Random, made: Data) -> None:
    optional = rng.random() < 0.2
    columns = [
        Column("case", CASES, optional),
        Column("at", INT, made.gaps),
        *_plain(rng, "r", 5),
        *_references(rng, made),
    ]
    columns.insert(0, Column("try", INT))
    made.files["tries"] = list(columns)
    expected = _expected(rng, *TRIES_EXPECTED[: 1 if made.gaps else None])
    lines = ("key: try", "order: at", _columns(columns), *expected)
    made.put(Table("tries", "tries", columns, True, "at", "try"), *lines)


def _answers(rng: Random, made: Data) -> None:
    columns = [Column("case", CASES), *_plain(rng, "a", 4)]
    made.files["answers"] = list(columns)
    lines = ("key: case", _columns(columns), *_expected(rng, "count(answers) > 0"))
    made.put(Table("answers", "answers", columns, False, "", "case"), *lines)


def _expected(rng: Random, *conditions: str) -> list[str]:
    """What a table is expected to be, which its rows break now and then."""
    kept = [condition for condition in conditions if rng.random() < 0.25]
    return [f"expect: [{', '.join(kept)}]"] if kept else []


def _blocks(rng: Random, made: Data) -> None:
    columns = [Column("block", INT), Column("side", Kind("enum", members=("left", "right"))),
               Column("hit", BOOL, True), Column("cost", Kind("usd", "USD"), rng.random() < 0.5)]  # fmt: skip
    made.files["blocks"] = list(columns)
    unpivot = ("unpivot:", "  side: {left: l, right: r}", "  columns: {hit: <side>_hit, cost: <side>_cost}")
    made.put(Table("blocks", "blocks", columns), "key: [block, side]", *unpivot, _columns(columns))


# --- rows ---------------------------------------------------------------------------------------------------------


def rows(rng: Random, made: Data) -> Rows:
    """Rows of every file; often few, sometimes none."""
    wild = rng.choice((0, 0, 0.1))
    count = rng.choice((0, 1, 2, 3, 5, 8, 12))
    keys = [f"c{number}" for number in range(count)]
    found: Rows = {}
    for name, columns in made.files.items():
        many = {
            "cases": count,
            "meta": rng.choice((1, 1, 1, 0)),
            "facts": rng.randint(0, 2),
            "answers": rng.randint(0, count),
            "tries": rng.randint(0, 12),
        }.get(name, rng.randint(0, 4))
        found[name] = [_row(rng, made, name, columns, number, keys, wild) for number in range(many)]
        if name == "tries" and not keys:
            found[name] = [row for row in found[name] if row["case"] is None]
        if name == "blocks":
            found[name] = [_wide(rng, number, columns, wild) for number in range(many)]
        _unique_places(rng, made, found[name], columns)
    return found


def _row(
    rng: Random, made: Data, name: str, columns: list[Column], number: int, keys: list[str], wild: float
) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for column in columns:
        if column.name in ("case", "try", "label", "seq", "at", "item"):
            own: dict[str, Any] = {"try": number, "label": "m", "seq": number, "at": number, "item": FACTS[number % 2]}
            row[column.name] = own[column.name] if column.name in own else keys[number] if name != "tries" else None
            if name == "tries" and column.name == "case":
                row["case"] = None if not keys or (column.optional and rng.random() < 0.3) else rng.choice(keys)
        elif column.optional and rng.random() < 0.3:
            row[column.name] = None
        elif column.kind.name == "row":
            labels = next(table.labels for table in made.tables if table.name == column.kind.table)
            row[column.name] = float(rng.choice(labels)) if column.kind == LIMITS else rng.choice(labels)
        else:
            row[column.name] = value(rng, column.kind, wild)
    if name in made.nested:
        count = rng.choice((0, 1, 2, 3))
        row["turns"] = [_row(rng, made, "turns", made.nested[name], at, keys, wild) for at in range(count)]
    return row


def _wide(rng: Random, number: int, columns: list[Column], wild: float) -> dict[str, Any]:
    row: dict[str, Any] = {"block": number}
    for side in ("l", "r"):
        for column in columns[2:]:
            gap = column.optional and rng.random() < 0.3
            row[f"{side}_{column.name}"] = None if gap else value(rng, column.kind, wild)
    return row


def _unique_places(rng: Random, made: Data, found: list[dict[str, Any]], columns: list[Column]) -> None:
    """The columns of orders: shuffled whole numbers; where there may be gaps, now and then a tie or a null."""
    for name in ("seq", "at"):
        if any(column.name == name for column in columns):
            places: list[Any] = rng.sample(range(len(found)), len(found))
            if made.gaps and places and rng.random() < 0.3:
                places[rng.randrange(len(places))] = rng.choice((None, 0))
            for row, place in zip(found, places, strict=True):
                row[name] = place
