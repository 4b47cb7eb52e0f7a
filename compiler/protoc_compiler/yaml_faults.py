"""A YAML syntax error in the author's terms: where, what was probably meant, and the form that works."""

from __future__ import annotations

import re
from typing import Any

from protoc_compiler.catalogue import source as kinds
from protoc_runtime.diagnostics import Findings, Related, Span

_KEYED = re.compile(r"\s*(?:- +)*(?:([^\s:'\"{\[][^:]*): +)?")
_ADVICE = {
    '"': 'a formula may not start with a text: turn it round (`name == "x"`), or use parentheses: `("x" in tags)`',
    "'": "quote the whole value, or none of it",
    "[": "a formula may not start with a list: turn it round (`x == [a]`), or put it in parentheses",
    "{": "braces start a map: put words that begin with a brace in quotes",
    "*": "`*` starts an alias: put words that begin with it in quotes.",
    "&": "`&` starts an anchor: put words that begin with it in quotes.",
    "!": "`!` starts a tag: a formula says `not`; put words that begin with it in quotes.",
    "|": "`|` starts a block of lines: put words that begin with it in quotes.",
    ">": "`>` starts a block of lines: put words that begin with it in quotes.",
}
_PROBLEMS = (
    ("unknown escape", "a backslash in double quotes starts an escape, and this one does not exist",
     "use single quotes, where a backslash is a backslash"),
    ("invalid Unicode character escape", "an escape that is no character", "write the character itself"),
    ("block sequence entries", "a list begins behind something else",
     "start the list on a line of its own, below its key"),
    ("could not find expected ':'", "a line without `key: value`",
     "give it a key, or indent it further if it continues the value above"),
)  # fmt: skip


def explain(fault: Any, text: str, name: str, findings: Findings) -> None:
    """Add the diagnostic for a parser's or scanner's error."""
    lines = text.split("\n")
    mark = fault.problem_mark or fault.context_mark
    line, column = mark.line, mark.column
    problem = str(fault.problem or "")
    context = str(fault.context or "")
    here = lines[line] if line < len(lines) else ""
    span = Span(name, line + 1, column + 1, line + 1, column + 2)
    key, start = _value_start(here)
    if any(item.kind in (kinds.ALIAS, kinds.TAG) and item.span and item.span.line == line + 1 for item in findings):
        return  # the line is refused already, for what made it unreadable
    known = next((found for found in _PROBLEMS if found[0] in problem), None)
    if known:
        findings.add(kinds.SYNTAX, span, problem=known[1], advice=known[2])
    elif problem.startswith("mapping values"):
        if start <= column - 1 and key is not None and ": " in here[start:] + " ":
            findings.add(kinds.COLON, span, key=key)
        else:
            findings.add(kinds.INDENTATION, span)
    elif "cannot start any token" in problem or "violates indentation" in problem:
        _stray(here, column, span, findings)
    elif "block scalar" in context or "alphabetic or numeric" in problem or "tag" in context:
        start_column = fault.context_mark.column if fault.context_mark else column
        _indicator(here[start_column : start_column + 1], span, findings)
    elif "quoted scalar" in context and "end of stream" in problem:
        findings.add(kinds.NOT_CLOSED, _span(fault.context_mark, name), what="a quoted text")
    elif "flow" in context:
        _flow(fault, span, name, findings)
    else:
        _block(here, start, column, problem, span, findings)


def _stray(here: str, column: int, span: Span, findings: Findings) -> None:
    char = here[column : column + 1]
    if char == "\t":
        findings.add(kinds.TAB, span)
    else:
        _indicator(char, span, findings)


def _indicator(char: str, span: Span, findings: Findings) -> None:
    advice = _ADVICE.get(char, "put words that begin with it in quotes; a formula never needs it")
    findings.add(kinds.INDICATOR, span, char=char or "an indicator", advice=advice)


def _flow(fault: Any, span: Span, name: str, findings: Findings) -> None:
    opened = _span(fault.context_mark, name) if fault.context_mark else span
    what = "a list ([)" if "sequence" in fault.context else "a map ({)" if "mapping" in fault.context else "a bracket"
    related = () if span.line == opened.line and span.column == opened.column else (Related(span, "read up to here"),)
    findings.add(kinds.NOT_CLOSED, opened, what=what, related=related)


def _block(here: str, start: int, column: int, problem: str, span: Span, findings: Findings) -> None:
    first = here[start : start + 1]
    if first in ('"', "'", "[", "{", "*") and column > start:
        _indicator(first, span, findings)
        return
    if "did not find expected" in problem and column == len(here) - len(here.lstrip(" ")):
        findings.add(kinds.INDENTATION, span)
    else:
        findings.add(kinds.SYNTAX, span, problem=problem, advice="look at the indentation and quotes before it")


def _value_start(here: str) -> tuple[str | None, int]:
    """The key on a line, and the index where its value begins."""
    found = _KEYED.match(here)
    return (found.group(1), found.end()) if found else (None, 0)


def _span(mark: Any, name: str) -> Span:
    return Span(name, mark.line + 1, mark.column + 1, mark.line + 1, mark.column + 2)
