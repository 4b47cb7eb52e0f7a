"""What random formulas can read: tables with their columns, rows in scope, named values."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.kinds import Kind


@dataclass
class Column:
    """A column of a table, plain or derived."""

    name: str
    kind: Kind
    optional: bool = False
    stored: bool = True


@dataclass
class Table:
    """A table as formulas see it; `root` holds its columns. `unique`: an int column that tells its rows apart."""

    name: str
    root: str
    columns: list[Column] = field(default_factory=list)
    ordered: bool = False
    unique: str = ""
    key: str = ""
    labels: tuple[str, ...] = ()
    parts: tuple[str, ...] = ()
    parent: str = ""


@dataclass
class Frame:
    """A row in scope."""

    root: str
    alias: str = ""


@dataclass
class Value:
    """A named value: a definition, a metric, an entry per row of `per`."""

    name: str
    kind: Kind
    per: tuple[str, ...] = ()


Scope = tuple[Frame, ...]
