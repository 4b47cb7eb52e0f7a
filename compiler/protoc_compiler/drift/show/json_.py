"""A report for programs: `protoc/diff/1`, whose schema `protoc schema --for diff` prints."""

from __future__ import annotations

import json
from typing import Any

from protoc_compiler.drift.accepted import Entry
from protoc_compiler.drift.failing import LEVELS, Failing, failing
from protoc_compiler.drift.model import DIRECTIONS, Change, Checked, Effect, Report, Side, Version
from protoc_compiler.render.json_ import closed

NAME, SEVERAL = "protoc/diff/1", "protoc/diffs/1"


def render(reports: list[tuple[Report, tuple[Entry, ...]]], level: str | None = None) -> str:
    """One document: of one comparison, or of several where a whole work tree was compared."""
    made = [document(report, entries, level) for report, entries in reports]
    whole = made[0] if len(made) == 1 else {"schema": SEVERAL, "reviews": made}
    return json.dumps(whole, ensure_ascii=False, indent=2) + "\n"


def document(report: Report, entries: tuple[Entry, ...], level: str | None = None) -> dict[str, Any]:
    """One comparison."""
    reasons = {entry.fingerprint: entry.reason for entry in entries}
    return {
        "schema": NAME,
        "old": _version(report.old),
        "new": _version(report.new),
        "changes": [_change(change, reasons) for change in report.changes],
        "rules": [{"rule": effect.rule, **_effect(effect)} for effect in report.effects],
        "verdict": _effect(report.verdict),
        "contradictions": [
            {"id": item.id, "line": item.span.line if item.span else None, "file": item.span.file if item.span else "",
             "message": item.message}
            for item in report.contradictions
        ],
        "checked": [_checked(one) for one in report.checked],
        "seen": list(report.seen),
        "chain": report.chain,
        "replayed": [dict(found) for found in report.replayed],
        "fail_on": _failing(failing(report, entries, level)),
    }  # fmt: skip


def _failing(found: Failing) -> dict[str, Any]:
    return {
        "level": found.level or None,
        "fails": found.fails,
        "changes": [change.fingerprint for change in found.changes],
        "verdict": found.whole,
        "rules": list(found.rules),
        "runs": list(found.runs),
        "refused": list(found.refused),
    }


def _checked(one: Checked) -> dict[str, Any]:
    span = one.item.span
    return {
        "id": one.item.id,
        "version": one.side,
        "line": span.line if span else None,
        "file": span.file if span else "",
        "message": one.item.message,
    }


def _version(version: Version | None) -> dict[str, Any] | None:
    if version is None:
        return None
    return {"file": version.file, "id": version.id, "version": version.version, "spec_digest": version.digest}


def _change(change: Change, reasons: dict[str, str]) -> dict[str, Any]:
    return {
        "id": change.id,
        "path": change.path,
        "direction": change.direction,
        "old": _side(change.old),
        "new": _side(change.new),
        "message": change.message,
        "fingerprint": change.fingerprint,
        "accepted": reasons.get(change.fingerprint),
        "undeclared": change.undeclared,
    }


def _side(side: Side | None) -> dict[str, Any] | None:
    if side is None:
        return None
    return {
        "file": side.span.file if side.span else None,
        "line": side.span.line if side.span else None,
        "text": side.text,
    }


def _effect(effect: Effect) -> dict[str, Any]:
    return {
        "direction": effect.direction,
        "status": effect.status,
        "reason": "; ".join(part for part in (effect.reason, effect.making) if part),
        "witness": effect.witness,
    }


def schema() -> dict[str, Any]:
    """The JSON Schema of the document."""
    one = _review()
    several = closed({"schema": {"const": SEVERAL}, "reviews": {"type": "array", "items": {"$ref": "#/$defs/review"}}})
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "What protoc diff found",
        "oneOf": [{"$ref": "#/$defs/review"}, several],
        "$defs": {"review": one},
    }


def _review() -> dict[str, Any]:
    text, maybe = {"type": "string"}, {"type": ["string", "null"]}
    direction = {"enum": list(DIRECTIONS)}
    side = {"oneOf": [{"type": "null"}, closed({"file": maybe, "line": {"type": ["integer", "null"]}, "text": text})]}
    effect: dict[str, Any] = {
        "direction": direction, "status": {"enum": ["proved", "witness", "undecided"]}, "reason": text,
        "witness": {"type": ["object", "null"]},
    }  # fmt: skip
    version = {"oneOf": [{"type": "null"}, closed({
        "file": text, "id": text, "version": {"type": "integer", "minimum": 1},
        "spec_digest": {"type": "string", "pattern": "^sha256:[0-9a-f]{64}$"},
    })]}  # fmt: skip
    change = closed({
        "id": {"type": "string", "pattern": "^[A-Z][A-Z_]*$"}, "path": text, "direction": direction, "old": side,
        "new": side, "message": text, "fingerprint": {"type": "string", "pattern": "^[0-9a-f]{16}$"},
        "accepted": maybe, "undeclared": {"type": "boolean"},
    })  # fmt: skip
    contradiction = closed({"id": text, "line": {"type": ["integer", "null"]}, "file": text, "message": text})
    checked = closed({"id": text, "version": {"enum": ["new", "both", "old"]}, "line": {"type": ["integer", "null"]},
                      "file": text, "message": text})  # fmt: skip
    replayed = closed({"run": text, "old": text, "recorded": maybe, "new": maybe,
                       "flips": {"type": "array", "items": text},
                       "gained": {"type": "boolean"},
                        "error": maybe})  # fmt: skip
    failed = closed({"level": {"enum": [*LEVELS, None]}, "fails": {"type": "boolean"},
                      "changes": {"type": "array", "items": text}, "verdict": {"type": "boolean"},
                      "rules": {"type": "array", "items": text}, "runs": {"type": "array", "items": text},
                      "refused": {"type": "array", "items": text}})  # fmt: skip
    return closed({
        "schema": {"const": NAME}, "old": version, "new": version,
        "changes": {"type": "array", "items": change},
        "rules": {"type": "array", "items": closed({"rule": text, **effect})},
        "verdict": closed(effect),
        "contradictions": {"type": "array", "items": contradiction},
        "checked": {"type": "array", "items": checked},
        "seen": {"type": "array", "items": text},
        "chain": text,
        "replayed": {"type": "array", "items": replayed},
        "fail_on": failed,
    })  # fmt: skip
