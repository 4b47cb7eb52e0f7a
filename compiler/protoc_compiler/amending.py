"""Amendments: what they name is there, what they saw is a split, and what they supersede is a digest."""

from __future__ import annotations

import re
from collections.abc import Iterable

from protoc_compiler import core, suggest
from protoc_compiler.catalogue import drift as kinds
from protoc_compiler.spec import Amendment, Spec
from protoc_runtime.diagnostics import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.drift.model import Thing

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")


def check(protocol: core.Protocol, spec: Spec, findings: Findings) -> None:
    """Report names that the protocol does not have (E2703, E2704) and broken chains (E2705)."""
    splits = [split.name for split in protocol.splits]
    for amendment in spec.report.amendments:
        _check_names(amendment, protocol, findings)
        title = amendment.name.text
        for seen in amendment.seen:
            if seen.text not in splits:
                hint = f" ({suggest.hint(seen.text, splits)})"
                findings.add(kinds.UNKNOWN_SEEN, seen.span, amendment=title, name=seen.text, hint=hint)
        chained = amendment.supersedes
        if chained is not None and not _DIGEST.fullmatch(chained.text):
            findings.add(kinds.BAD_CHAIN, chained.span, amendment=title, found=chained.text)


def _check_names(amendment: Amendment, protocol: core.Protocol, findings: Findings) -> None:
    title = amendment.name.text
    declared, fields = _named(protocol)
    known = declared.keys() | fields
    for name in amendment.changes:
        if name.text not in known:
            hint = f" ({_near(name.text, declared)})"
            findings.add(kinds.UNKNOWN_AMENDED, name.span, amendment=title, name=name.text, hint=hint)


def _near(name: str, declared: dict[str, Thing | None]) -> str:
    """What a person may have meant: something that is declared, and a field only behind its name."""
    above, dot, _ = name.rpartition(".")
    while dot and declared.get(above) is None:
        above, dot, _ = above.rpartition(".")
    thing = declared.get(above)
    if not dot or thing is None:
        return suggest.hint(name, declared)
    from difflib import get_close_matches

    from protoc_compiler.drift.model import KEYED

    keys = get_close_matches(name.removeprefix(f"{above}."), thing.fields) if thing.subject in KEYED else []
    return suggest.hint(name, [f"{thing.shown}.{key}" for key in keys] or [above])


def _named(protocol: core.Protocol) -> tuple[dict[str, Thing | None], set[str]]:
    """How parts of a protocol may be named: as `protoc diff` names them, and the sections above them (None);
    definitions, metrics and tables also by their own name; and the keys below them."""
    from protoc_compiler.drift.things import things

    declared: dict[str, Thing | None] = {}
    fields: set[str] = set()
    for thing in things(protocol):
        parts = thing.path
        for count in range(1, len(parts)):
            declared.setdefault(".".join(parts[:count]), None)
        own = [".".join(parts), thing.shown]
        if thing.subject in ("DEFINITION", "METRIC", "TABLE", "COLUMN"):
            own.append(thing.name)
        declared.update(dict.fromkeys(own, thing))
        for field in thing.fields:
            fields |= {f"{thing.shown}.{field}", f"{thing.shown}.{field.replace('_', ' ')}"}
    return declared, fields


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
