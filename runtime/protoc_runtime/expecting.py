"""What a protocol expects of its tables, and when: an expectation is checked as soon as all is there that it rests on.

On sealed rows that is at the seal and before a run asks anybody; on rows of subject, runner, registry or agent when
every case has its outcome, before anything is scored; on what people judge, before the final verdict.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping
from types import ModuleType
from typing import TYPE_CHECKING, Any

from protoc_runtime.catalogue import run as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.evidence import ASKED, INPUTS, JUDGED, Due
from protoc_runtime.naming import told_rows

if TYPE_CHECKING:
    from protoc_runtime.declared import Declared

BEFORE_PEOPLE: tuple[Due, ...] = (INPUTS, ASKED)


def held(
    declared: Declared, rules: ModuleType, tables: Mapping[str, Any], dues: Collection[Due]
) -> list[tuple[str, str, bool | None]]:
    """(table, formula, whether it holds) of each expectation that is due at one of these times. The others are not
    evaluated: their rows need not be there."""
    every = {due for table in declared.tables for due in table.due}
    if every <= set(dues):
        return list(rules.expectations(tables))
    if not every & set(dues):
        return []
    study = rules.study(tables).counted()
    wanted = [entry for entry, due in _timed(declared, study.rules.expected) if due in dues]
    return [(table, text, formula(study).to(study.root).value()) for table, text, formula in wanted]


def unmet(
    declared: Declared, rules: ModuleType, tables: Mapping[str, Any], dues: Collection[Due]
) -> list[tuple[str, str]]:
    """The expectations that are due and do not hold: table and words."""
    return [(table, words) for table, words, holds in held(declared, rules, tables, dues) if holds is not True]


def require(declared: Declared, rules: ModuleType, tables: Mapping[str, Any], due: Due) -> None:
    """Raise `Refused` (E1208) with each expectation that is due now and does not hold, and the rows that
    speak against it."""
    findings = Findings()
    for table, words in unmet(declared, rules, tables, (due,)):
        findings.add(
            kinds.EXPECTATION, None, table=table, expectation=words + rows_against(rules, tables, table, words)
        )
    if findings:
        raise Refused(findings)


def binding(summary: Mapping[str, Any]) -> bool:
    """Whether rows that were asked for or judged are held to what is expected of them.

    Made-up rows are not, nor is a run that was stopped before it read any. A run to tune on that reads fewer splits
    than there are is not, either: what is expected of the rows that count need not be so of its own.
    """
    stopped = summary["narrowed"] and not summary["splits"]
    return not stopped and (summary["kind"] == "run" or (summary["kind"] != "rehearsal" and not summary["narrowed"]))


def rows_against(rules: ModuleType, tables: Mapping[str, Any], table: str, words: str) -> str:
    """The rows that speak against an expectation, in parentheses; "" where it speaks of no single rows."""
    study = rules.study(tables)
    formulas = (formula for of, text, formula in study.rules.expected if (of, text) == (table, words))
    rows = next((told_rows(study, formula(study)) for formula in formulas), "")
    return f" ({rows})" if rows else ""


def _timed(declared: Declared, expected: list[Any]) -> Iterator[tuple[Any, Due]]:
    """Each expectation of the rules with its time; the rules have those of one table in the order of the spec."""
    seen: Counter[str] = Counter()
    for entry in expected:
        yield entry, declared.table(entry[0]).due[seen[entry[0]]]
        seen[entry[0]] += 1


__all__ = ["ASKED", "BEFORE_PEOPLE", "INPUTS", "JUDGED", "binding", "held", "require", "rows_against", "unmet"]
