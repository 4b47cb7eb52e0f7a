"""The table of constructs in the language page against the grammar and against the protocols that it names."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import pipeline, syntax
from protoc_compiler.spec import FirstMatch, Spec

ROOT = Path(__file__).parents[2]
PAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8").split("## 14.")[1]
SPECS = {
    "A": "specs/theorempath_ask_holdout_v2", "B": "specs/neochart_r5", "C": "specs/schemarouter_operation_routing",
    "D": "specs/karsa_extractor_v2", "hf": "tests/field/hotspot-forecast", "jc": "tests/field/judge-calibration",
    "mi": "tests/field/media-identify", "pm": "tests/field/paired-memory", "pg": "tests/field/phrase-gates",
    "rd": "tests/field/repo-delivery", "tr": "tests/field/trade-ranking", "wl": "tests/field/web-claims",
    "wc": "tests/field/workflow-cost",
}  # fmt: skip


def rows() -> dict[str, str]:
    """Construct -> who needs it, as the page says."""
    lines = [line.strip("|").split("|") for line in PAGE.splitlines() if line.startswith("| ")][1:]
    return {cells[0].strip(): cells[2].strip() for cells in lines if len(cells) == 3}


@cache
def spec(name: str) -> Spec:
    found = pipeline.examine(ROOT / SPECS[name] / "protocol.yaml").spec
    assert found is not None
    return found


def inside(value: Any) -> Iterator[Any]:
    """Everything of a spec, formulas included."""
    if isinstance(value, tuple):
        for part in value:
            yield from inside(part)
    elif hasattr(type(value), "__record_fields__"):
        yield value
        for part in value.__dict__.values():
            yield from inside(part)


@cache
def things(name: str) -> tuple[Any, ...]:
    return tuple(inside(spec(name)))


def kind(*classes: type) -> Callable[[str], bool]:
    return lambda name: any(isinstance(each, classes) for each in things(name))


def table(test: Callable[[syntax.Table], Any]) -> Callable[[str], bool]:
    return lambda name: any(isinstance(each, syntax.Table) and test(each) for each in things(name))


def call(*names: str) -> Callable[[str], bool]:
    return lambda name: any(isinstance(each, syntax.Call) and each.name in names for each in things(name))


def has(test: Callable[[Spec], Any]) -> Callable[[str], bool]:
    return lambda name: bool(test(spec(name)))


def combined(which: str) -> Callable[[str], bool]:
    return lambda name: any(isinstance(each, syntax.Combined) and each.kind == which for each in things(name))


FOUND: dict[str, Callable[[str], bool]] = {
    "listed table": has(lambda s: any(t.rows for t in s.tables)),
    "`order`": has(lambda s: any(t.order for t in s.tables)),
    "`unpivot`": has(lambda s: any(t.unpivot for t in s.tables)),
    "`duplicates: judged by`": has(lambda s: any(t.duplicates for t in s.tables)),
    "records": has(lambda s: s.records),
    "splits": has(lambda s: s.splits),
    "`freeze`": has(lambda s: s.procedure.freeze),
    "`copy_of`, `manifest`, `parity`": has(lambda s: s.procedure.manifest or s.procedure.parity),
    "`target`": has(lambda s: s.procedure.target),
    "`providers`": has(lambda s: s.procedure.providers),
    "`subject`": has(lambda s: s.procedure.subject),
    "`adjudication`, `sealed`": has(lambda s: s.procedure.judgements or s.report.sealed),
    "`outputs`": has(lambda s: s.procedure.outputs),
    "`phases`": has(lambda s: s.procedure.phases),
    "`visibility`": has(lambda s: s.procedure.visibility),
    "first-match list": kind(FirstMatch),
    "quantifiers `all some no`": kind(syntax.Quantified),
    "range `in a..b`": kind(syntax.Range),
    "subset table `T where c`": kind(syntax.Where),
    "`only`": call("only"),
    "`first`, `last`": call("first", "last"),
    "`earlier`": table(lambda t: t.prefix == "earlier"),
    "`latest N`": table(lambda t: t.prefix == "latest"),
    "`entire`": table(lambda t: t.prefix == "entire"),
    "`ordered by`": kind(syntax.Ordered),
    "`matching`": kind(syntax.Matching),
    "alias": table(lambda t: t.alias),
    "groups": kind(syntax.Grouped),
    "`cross of`": combined("cross"),
    "`stack of`": combined("stack"),
    "`sample`": call("sample"),
    "`better`": has(lambda s: any(m.better for m in s.metrics.items)),
    "arms": has(lambda s: s.arms),
    "withheld": has(lambda s: s.metrics.withheld_when or s.checks.withheld_when or s.report.withheld_when),
    "intervals": has(lambda s: s.intervals),
    "`follow`": has(lambda s: any(i.follow for i in s.intervals)),
    "`within`": has(lambda s: any(i.within for i in s.intervals)),
    "`out_of`": has(lambda s: any(i.out_of for i in s.intervals)),
    "blockers, `forces`": has(lambda s: s.blockers.items),
    "checks": has(lambda s: s.checks.items),
    "sub-verdicts": has(lambda s: s.verdicts),
    "statuses": has(lambda s: s.report.statuses),
    "lists": has(lambda s: s.report.lists),
    "claims": has(lambda s: s.report.claims),
    "amendments": has(lambda s: s.report.amendments),
    "attestations": has(lambda s: s.attestations),
}
# what every formula is made of: said in section 3, no construct of its own
PLAIN = {
    "Number", "Quantity", "Date", "String", "Constant", "Name", "Field", "Option", "Call", "ListOf", "Paren",
    "Negative", "Power", "Arithmetic", "Chain", "Not", "And", "Or", "Tree",
}  # fmt: skip
OF_GRAMMAR = {
    "Range": "range `in a..b`", "In": "`in TABLE.COLUMN`", "Is": "`is true`, `is defined`",
    "Quantified": "quantifiers `all some no`", "Where": "subset table `T where c`", "Matching": "`matching`",
    "Ordered": "`ordered by`", "Grouped": "groups", "Table": "`entire`", "Combined": "`cross of`",
    "Line": "first-match list",
}  # fmt: skip


def said(needed: str) -> set[str]:
    """The protocols that a row names."""
    if needed.startswith("none of these"):
        return set()
    if needed.startswith("all"):
        return set(SPECS) - set(re.findall(r"\b(?:[A-D]|[a-z]{2})\b", needed.partition("but")[2]))
    return set(needed.split())


@pytest.mark.parametrize("construct", FOUND)
def test_the_table_names_the_protocols_that_use_a_construct(construct: str) -> None:
    assert said(rows()[construct]) == {name for name in SPECS if FOUND[construct](name)}


def test_each_construct_stands_there_once() -> None:
    lines = [line.strip("|").split("|")[0].strip() for line in PAGE.splitlines() if line.startswith("| ")]
    assert len(lines) == len(set(lines)) > 60


def test_each_form_of_the_grammar_is_a_construct_or_plain() -> None:
    forms = {name for name, each in vars(syntax).items() if isinstance(each, type) and issubclass(each, syntax.Tree)}
    assert forms == PLAIN | set(OF_GRAMMAR)
    assert set(OF_GRAMMAR.values()) <= set(rows())
