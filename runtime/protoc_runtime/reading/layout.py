"""What one row of a file must hold: the declared columns, turned into fields."""

from __future__ import annotations

from protoc_runtime.declared import Column, Declared, Table, Type
from protoc_runtime.record import record, replace

SPLITS = "<splits>"
BUILT_IN = ("_parent", "position")  # columns of a nested table that its place gives


@record
class Field:
    """One value of a row as it is written.

    `type` is never a reference: a reference is written as the key of the table `target`. `stored` is the name in the
    file, which differs from `name` in wide files only. `nested` is the layout of the rows inside the cell.
    """

    name: str
    stored: str
    type: Type
    optional: bool
    key: bool
    target: str = ""
    nested: Layout | None = None
    says: str = ""


@record
class Layout:
    """The fields of one table's rows.

    `split`: the column that is filled from the file's name, or empty. `label`: the column that the labels of wide
    rows fill, which is no field of a wide row.
    """

    table: Table
    fields: tuple[Field, ...]
    split: str = ""
    label: Field | None = None

    @property
    def keys(self) -> tuple[str, ...]:
        """The stored names that tell a row apart."""
        return tuple(field.stored for field in self.fields if field.key)


def layout(declared: Declared, table: Table) -> Layout:
    """The layout of a table's rows in a file or as Python values."""
    nested = dict(declared.nested(table.name))
    split = _split_column(table)
    fields = [_field(declared, table, c) for c in own_columns(table) if c.name not in nested and c.name != split]
    fields += [_nested(declared, name, child) for name, child in nested.items()]
    if table.unpivot is None:
        return Layout(table, tuple(fields), split)
    label = next((field for field in fields if field.name == table.unpivot.label), None)
    return Layout(table, tuple(_wide(table, fields)), split, label)


def stored_type(declared: Declared, column: Column) -> tuple[Type, str]:
    """The type as written, and the table that it (or its items) refers to."""
    item = column.type.item
    if column.type.kind in ("set", "list") and item is not None:
        return replace(column.type, item=declared.base(item)), item.table if item.kind == "row" else ""
    return declared.base(column.type), column.type.table if column.type.kind == "row" else ""


def own_columns(table: Table) -> tuple[Column, ...]:
    """The columns whose values a row states: not those that its place in the cell of another row gives."""
    if table.kind == "nested":
        return tuple(column for column in table.stored if column.name not in BUILT_IN)
    return table.stored


def _field(declared: Declared, table: Table, column: Column) -> Field:
    kind, target = stored_type(declared, column)
    return Field(column.name, column.name, kind, column.optional, column.name in table.key, target, None, column.says)


def _nested(declared: Declared, name: str, child: Table) -> Field:
    return Field(name, name, Type("list"), False, False, "", layout(declared, child))


def _split_column(table: Table) -> str:
    if SPLITS not in table.file:
        return ""
    return next((c.name for c in table.stored if c.type.kind == "row" and c.type.table == "splits"), "")


def _wide(table: Table, fields: list[Field]) -> list[Field]:
    """The fields of one wide row: each unpivoted column once per label, under the name that it has in the file."""
    plan = table.unpivot
    assert plan is not None
    patterns = dict(plan.columns)
    made: list[Field] = []
    for field in fields:
        if field.name == plan.label:
            continue
        if field.name not in patterns:
            made.append(field)
            continue
        for _, text in plan.labels:
            made.append(replace(field, stored=patterns[field.name].replace(f"<{plan.label}>", text), key=False))
    return made
