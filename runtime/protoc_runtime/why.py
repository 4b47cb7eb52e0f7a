"""How one case of a run was decided: its rows, and what would be different without it.

Whether a case counts for a number is not read off a formula but tried: the bundle's rules are applied once more to the
bundle's rows without the case and without what refers to it. What then differs is what the case took part in. Where
people have judged and the final verdict is there, their rows and that verdict are what is explained.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import polars as pl

from protoc_runtime import bundle
from protoc_runtime.adjudication.stages import VERDICT, open_stage, recorded
from protoc_runtime.catalogue import bundle as kinds
from protoc_runtime.declared import Declared
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.evaluating import evaluate, shown, speaking, whole_rows
from protoc_runtime.gathering import Tables
from protoc_runtime.naming import Named
from protoc_runtime.narrowing import keep_rows, rows_of
from protoc_runtime.opened import Opened, load_digests, open_bundle
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.record import record
from protoc_runtime.strict_json import parsed
from protoc_runtime.subjects.calling import key_text, keys_of
from protoc_runtime.verifying import program_faults
from protoc_runtime.written import read_bundle, written_rows

RULES = ("blockers", "gates", "checks", "verdicts", "statuses")
SPACES = (*RULES, "verdict", "lists", "metrics")  # what a reader asks for first stands first


@record
class Difference:
    """A value that is another one without the case; `space` is one of SPACES."""

    space: str
    name: str
    with_case: Any
    without: Any


@record
class Why:
    """One case: its record in cases.jsonl, its rows by table, and what it made a difference to. `fault` tells why the
    rules could not be applied without it. `same` are space and name of what is not
    another; `kind` is that of the run; `against` are the rules, in words, that one of its rows made fail."""

    kind: str
    case: Mapping[str, Any]
    rows: Mapping[str, list[dict[str, Any]]]
    differences: tuple[Difference, ...]
    same: tuple[tuple[str, str], ...]
    fault: str = ""
    against: tuple[str, ...] = ()


def why(folder: Path, case: str) -> Why:
    """Explain one case of a finished run. Raises `Refused`: E1401, E1408, E1412, E10xx."""
    opened = open_bundle(folder)
    faults = program_faults(opened)
    if faults.failed:
        raise Refused(faults)
    try:
        return _explained(opened, case)
    except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError) as fault:
        reason = f"a file of it is damaged ({type(fault).__name__}: {fault}); `protoc verify` names it"
        raise Refused([Findings().add(kinds.NOT_A_BUNDLE, None, path=folder, reason=reason)]) from None


def _explained(opened: Opened, case: str) -> Why:
    kind = str(opened.summary["kind"])
    declared = load_protocol(opened.folder / bundle.PACKAGE)
    tables, summary = _latest(opened, declared)
    place = _place(declared, tables, case)
    unit = declared.subject.unit if declared.subject else ""
    mask = pl.Series([at != place for at in range(tables[unit].height)], dtype=pl.Boolean)
    rows = {name: found for name, found in rows_of(declared, tables, unit, place).items() if found}
    own = _own_rows(opened, declared, tables, rows)
    case_row = {**_recorded(opened.folder, case), "row": own.pop(unit)[0]}
    others = keep_rows(declared, tables, {unit: mask})
    rules, digests = load_rules(opened.folder / bundle.PACKAGE), load_digests(opened.folder)
    against = tuple(_against(speaking(declared, rules, tables, digests), rows))
    try:
        without = evaluate(declared, rules, others, digests)
    except Refused as refused:
        return Why(kind, case_row, own, (), (), str(refused), against)
    differences, same = _compared(summary, without)
    return Why(kind, case_row, own, tuple(differences), tuple(same), against=against)


def _against(named: Iterable[tuple[str, Named]], rows: Mapping[str, list[int]]) -> dict[str, None]:
    """The reasons behind which a row of the case stands, each once."""
    return dict.fromkeys(
        reason for reason, found in named if not set(found.places).isdisjoint(rows.get(found.root, ()))
    )


def _latest(opened: Opened, declared: Declared) -> tuple[Tables, Mapping[str, Any]]:
    """The rows and the results of the run; after the final verdict, with what people told."""
    final = opened.folder / VERDICT / bundle.SUMMARY
    if not final.is_file():
        return read_bundle(declared, opened.folder / bundle.ROWS), opened.summary
    return recorded(open_stage(opened.folder)).tables, parsed(final.read_bytes())


def _own_rows(
    opened: Opened, declared: Declared, tables: Tables, rows: Mapping[str, list[int]]
) -> dict[str, list[dict[str, Any]]]:
    """The rows of the case in each table: as they are written, with the derived columns behind."""
    names = [table.name for table in declared.tables if table.kind == "input" and table.name in rows]
    rules, digests = load_rules(opened.folder / bundle.PACKAGE), load_digests(opened.folder)
    whole = whole_rows(rules, declared, tables, digests, names)
    made = {}
    for name in names:
        stored, known = written_rows(declared, name, tables), whole[name]
        made[name] = [{key: stored[at].get(key, shown(known[at][key])) for key in known[at]} for at in rows[name]]
    return made


def _place(declared: Declared, tables: Mapping[str, Any], case: str) -> int:
    if declared.subject is None:
        known: list[str] = []
    else:
        unit = declared.subject.unit
        known = [key_text(key) for key in keys_of(declared, unit, written_rows(declared, unit, tables))]
    if case in known:
        return known.index(case)
    from difflib import get_close_matches

    near = get_close_matches(case, known, 1, 0.5)
    words = f"did you mean {near[0]}?" if near else f"it has {len(known)} cases"
    raise Refused([Findings().add(kinds.UNKNOWN_CASE, None, case=case, known=words)])


def _recorded(folder: Path, case: str) -> Mapping[str, Any]:
    from protoc_runtime.reading import raw_rows

    return next((row for row in raw_rows(folder / bundle.CASES) if row["case"] == case), {})


def _compared(summary: Mapping[str, Any], without: Mapping[str, Any]) -> tuple[list[Difference], list[tuple[str, str]]]:
    differences, same = [], []
    for space in SPACES:
        before, after = summary.get(space), without.get(space)
        if not isinstance(before, dict) or not isinstance(after, dict):
            before, after = {"": before}, {"": after}
        for name in before:
            if before[name] == after.get(name):
                same.append((space, name))
            else:
                differences.append(Difference(space, name, before[name], after.get(name)))
    return differences, same
