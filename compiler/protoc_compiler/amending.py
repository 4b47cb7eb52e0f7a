"""Amendments: what they name is there, what they saw is a split, and what they supersede is a digest."""

from __future__ import annotations

import re
from collections.abc import Iterable

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import drift as kinds
from protoc_compiler.spec import Amendment, Spec
from protoc_runtime.diagnostics import Findings

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def check(protocol: core.Protocol, spec: Spec, findings: Findings) -> None:
    """Report names that the protocol does not have (E2703, E2704) and broken chains (E2705)."""
    known = names(protocol)
    splits = [split.name for split in protocol.splits]
    for amendment in spec.report.amendments:
        _check_names(amendment, known, findings)
        title = amendment.name.text
        for seen in amendment.seen:
            if seen.text not in splits:
                hint = _near(seen.text, splits)
                findings.add(kinds.UNKNOWN_SEEN, seen.span, amendment=title, name=seen.text, hint=hint)
        chained = amendment.supersedes
        if chained is not None and not _DIGEST.fullmatch(chained.text):
            findings.add(kinds.BAD_CHAIN, chained.span, amendment=title, found=chained.text)


def _check_names(amendment: Amendment, known: frozenset[str], findings: Findings) -> None:
    title = amendment.name.text
    for name in amendment.changes:
        if name.text not in known:
            hint = _near(name.text, known)
            findings.add(kinds.UNKNOWN_AMENDED, name.span, amendment=title, name=name.text, hint=hint)


def _near(name: str, known: Iterable[str]) -> str:
    found = suggest.hint(name, sorted(known))
    return f" ({found})" if found else ""


def names(protocol: core.Protocol) -> frozenset[str]:
    """How parts of a protocol may be named: as `protoc diff` names them, the sections above them and the keys below
    them; definitions, metrics and tables also by their own name."""
    from protoc_compiler.drift.things import things

    found: set[str] = set()
    for thing in things(protocol):
        parts = thing.path
        found.update(".".join(parts[:count]) for count in range(1, len(parts) + 1))
        found.add(thing.shown)
        found.update(f"{thing.shown}.{field.replace('_', ' ')}" for field in thing.fields)
        found.update(f"{thing.shown}.{field}" for field in thing.fields)
        if thing.subject in ("DEFINITION", "METRIC", "TABLE", "COLUMN"):
            found.add(thing.name)
    return frozenset(found)


def declares(protocol: core.Protocol, paths: Iterable[str]) -> frozenset[str]:
    """Which of these paths of changes an amendment of the protocol names, by itself or with all that is below it."""
    named = {name for each in protocol.amendments for name in (*each.changes, *each.removes)}
    return frozenset(path for path in paths if any(_covers(name, path) for name in named))


def _covers(name: str, path: str) -> bool:
    if path == name or path.startswith(f"{name}."):
        return True
    section, _, rest = path.partition(".")
    if section in ("definitions", "metrics") and rest:
        return _covers(name, rest)
    tables = "data.tables."
    return path.startswith(tables) and _covers(name, path.removeprefix(tables).replace(".columns.", "."))
