"""Small hand-built protocols for tests that need one without writing a spec."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import core
from protoc_compiler.core import Col, Table, Type

SPLITS = Type("row", table="splits")
CASES = Type("row", table="cases")
ROUTES = Type("enum", members=("billing", "refund", "other"))


def col(name: str, type_: Type, *, optional: bool = False, origin: str = "input", says: str = "") -> Col:
    """An input column."""
    return Col(name, type_, optional, origin, says=says)


def protocol(tables: tuple[Table, ...], **parts: object) -> core.Protocol:
    """A protocol with these tables and nothing else but what `parts` gives."""
    empty: dict[str, object] = {
        "id": "small-study",
        "version": 1,
        "title": "A small study",
        "head": (),
        "question": (("unit", "one ticket"),),
        "tables": tables,
        "splits": (),
        "subject": None,
        "freeze": (),
        "phases": (),
        "items": (),
        "intervals": (),
        "released": (),
        "statements": (),
    }
    return core.Protocol(**(empty | parts))  # type: ignore[arg-type]


def tickets() -> core.Protocol:
    """Support tickets: every column type, a listed table, splits, a nested list, a table per split."""
    splits = Table(
        "splits",
        "listed",
        "splits",
        key=("split",),
        columns=(col("split", core.TEXT, origin="listed"), col("role", core.TEXT, origin="listed")),
        listed=(("dev", "development"), ("held", "heldout")),
        labels=("dev", "held"),
    )
    limits = Table(
        "limits",
        "listed",
        "limits",
        key=("limit",),
        columns=(col("limit", core.NUMBER, origin="listed"), col("strict", core.BOOL, origin="listed")),
        listed=((Fraction(2, 5), False), (Fraction(3, 5), True)),
        labels=("0.40", "0.60"),
    )
    cases = Table(
        "cases",
        "input",
        "cases",
        key=("case",),
        order=("file",),
        source="file",
        file="tickets",
        columns=(
            col("case", core.TEXT, says="the ticket's number"),
            col("split", SPLITS),
            col("route", ROUTES, optional=True),
            col("words", core.INT),
            col("score", core.NUMBER, optional=True),
            col("urgent", core.BOOL),
            col("latency", Type("quantity", unit="s", shown="ms")),
            col("opened", core.TIME),
            col("day", core.DATE, optional=True),
            col("sha", core.DIGEST),
            col("extra", core.ANY, optional=True),
            col("tags", Type("set", item=core.TEXT)),
            col("steps", Type("list", item=core.NUMBER)),
            col("limit", Type("row", table="limits"), optional=True),
        ),
        says="one row per ticket",
    )
    answers = Table(
        "answers",
        "input",
        "answers",
        key=("case",),
        source="subject",
        columns=(col("case", CASES), col("route", ROUTES), col("cost", Type("quantity", unit="USD", shown="USD"))),
    )
    turns = Table(
        "cases.turns",
        "nested",
        "cases.turns",
        key=("_parent", "position"),
        parent="cases",
        columns=(
            col("_parent", CASES, origin="key"),
            col("position", core.INT, origin="key"),
            col("by", Type("enum", members=("customer", "agent"))),
            col("text", core.TEXT),
        ),
    )
    seal = Table("seal", "input", "seal", source="seal", record=True, columns=(col("time", core.TIME),))
    return protocol(
        (splits, limits, cases, turns, answers, seal),
        splits=(
            core.Split("dev", "development", ("tune",)),
            core.Split("held", "heldout", ("score once",), was="", cites=("D1",)),
        ),
        subject=core.Subject(
            "python",
            "subject.py:answer",
            "cases",
            ("case",),
            ("answers",),
            ("subject.py",),
            Fraction(5),
            2,
            (("sees", ("D2",)),),
        ),
        freeze=(core.Freeze("rounds", core.INT, 3), core.Freeze("prompt", core.DIGEST, None, "prompt.txt")),
        phases=(core.Phase("score", ("held",), "score"),),
        items=(
            core.Item("metrics", "cases_read", core.INT, core.Const(core.INT, 1), "1"),
            core.Item(
                "blockers",
                "sealed",
                core.BOOL,
                core.Const(core.BOOL, False),
                "false",
                says="The data changed.",
                forces="INVALID",
            ),
        ),
        released=("PASS",),
        statements=(core.Statement("limits", "", "Written by its author."),),
    )


def per_split() -> core.Protocol:
    """A table that is stored in one file per split, and a wide one."""
    splits = tickets().table("splits")
    briefs = Table(
        "cases",
        "input",
        "cases",
        key=("case",),
        source="file",
        file="briefs_<splits>",
        columns=(col("case", core.TEXT), col("split", SPLITS), col("text", core.TEXT)),
    )
    blocks = Table(
        "episodes",
        "input",
        "episodes",
        key=("case", "repeat", "arm"),
        source="file",
        file="blocks",
        columns=(
            col("case", CASES),
            col("repeat", core.INT),
            col("arm", Type("enum", members=("delivered", "suppressed"))),
            col("observed", core.BOOL, optional=True),
            col("cost", core.NUMBER),
        ),
        unpivot=core.UnpivotPlan(
            "arm",
            (("delivered", "on"), ("suppressed", "off")),
            (("observed", "<arm>_observed"), ("cost", "<arm>_cost")),
        ),
    )
    return protocol((splits, briefs, blocks))
