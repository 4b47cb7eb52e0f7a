# ruff: noqa: E501 - one line for each change
"""Kinds of change whose things only large protocols declare, shown on the seeds, forth and back."""

from __future__ import annotations

import copy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from drift.specs import ROOT, Bare, Plain, plain, protocol
from protoc_compiler import core
from protoc_compiler.drift.review import changes_of

AGENT, ROUTER = (ROOT / "specs" / name / "protocol.yaml" for name in ("neochart_r5", "schemarouter_operation_routing"))
PHASE, MANIFEST, PARITY = ("procedure", "phases"), ("procedure", "manifest"), ("procedure", "parity")
SUBJECT, SEES = ("procedure", "subject"), ("procedure", "visibility")
OUT = ("procedure", "outputs")
GONE = object()

CASES: tuple[tuple[Path, tuple[Any, ...], Any, str, str], ...] = (
    (ROUTER, (*PHASE, 0, "owner"), "issue 1", "PHASE_OWNER_CHANGED text", "PHASE_OWNER_CHANGED text"),
    (ROUTER, (*PHASE, 2, "enter"), GONE, "PHASE_GUARD_CHANGED looser", "PHASE_GUARD_CHANGED stricter"),
    (ROUTER, (*PHASE, 2, "once"), GONE, "PHASE_ONCE_CHANGED looser", "PHASE_ONCE_CHANGED stricter"),
    (ROUTER, (*PHASE, 0, "ends"), GONE, "PHASE_ENDS_LESS looser", "PHASE_ENDS_MORE stricter"),
    (ROUTER, (*PHASE, 0, "then", "RUNTIME_ONLY"), GONE, "PHASE_EDGE_REMOVED stricter", "PHASE_EDGE_ADDED looser"),
    (ROUTER, (*PHASE, 1, "may change"), GONE, "PHASE_CHANGE_FORBIDDEN stricter", "PHASE_CHANGE_ALLOWED looser"),
    (ROUTER, (*PHASE, 1, "never"), GONE, "PHASE_NEVER_CHANGED text", "PHASE_NEVER_CHANGED text"),
    (ROUTER, (*PHASE, 0, "records", 0), GONE, "PHASE_RECORD_REMOVED looser", "PHASE_RECORD_ADDED stricter"),
    (ROUTER, (*PHASE, 0, "records", 10, "says"), "More.", "PHASE_RECORD_REWORDED text", "PHASE_RECORD_REWORDED text"),
    (ROUTER, (*PHASE, 0, "duties", "ledger"), GONE, "PHASE_DUTY_REMOVED looser", "PHASE_DUTY_ADDED stricter"),
    (ROUTER, (*PHASE, 0, "duties", "ledger", "says"), "More.", "PHASE_DUTY_REWORDED text", "PHASE_DUTY_REWORDED text"),
    (ROUTER, (*MANIFEST, "file"), "other.json", "MANIFEST_PLACE_CHANGED incomparable", "MANIFEST_PLACE_CHANGED incomparable"),
    (ROUTER, (*MANIFEST, "closed"), GONE, "MANIFEST_OPENED looser", "MANIFEST_CLOSED stricter"),
    (ROUTER, (*MANIFEST, "fields", "candidate.candidate_id"), GONE, "MANIFEST_FIELD_REMOVED looser", "MANIFEST_FIELD_ADDED stricter"),
    (ROUTER, (*MANIFEST, "fields", "candidate.models[].revision", "type"), Bare("revision"), "MANIFEST_FIELD_CHANGED stricter", "MANIFEST_FIELD_CHANGED looser"),
    (ROUTER, (*MANIFEST, "fields", "candidate.candidate_id", "type"), Bare("text?"), "MANIFEST_NEED_CHANGED looser", "MANIFEST_NEED_CHANGED stricter"),
    (ROUTER, (*MANIFEST, "fields", "candidate.runtime.python", "collect"), GONE, "MANIFEST_SOURCE_CHANGED incomparable", "MANIFEST_SOURCE_CHANGED incomparable"),
    (ROUTER, (*PARITY, "violation"), GONE, "PARITY_RULE_CHANGED incomparable", "PARITY_RULE_CHANGED incomparable"),
    (ROUTER, (*PHASE, 1, "parity"), GONE, "PHASE_PARITY_CHANGED looser", "PHASE_PARITY_CHANGED stricter"),
    (ROUTER, (*PHASE, 1, "parity"), "other.json", "PHASE_PARITY_CHANGED text", "PHASE_PARITY_CHANGED text"),
    (ROUTER, ("procedure", "freeze", "targets", "ties", "false_route_rate_max"), GONE, "FREEZE_TIE_CHANGED looser", "FREEZE_TIE_CHANGED stricter"),
    (ROUTER, ("data", "splits", "fresh", "after"), GONE, "SPLIT_ORDER_CHANGED looser", "SPLIT_ORDER_CHANGED stricter"),
    (AGENT, SEES, GONE, "VISIBILITY_REMOVED looser", "VISIBILITY_ADDED stricter"),
    (AGENT, (*SEES, "cases.pick", "hidden_from"), [Bare("subject")], "VISIBILITY_UNBLINDED looser", "VISIBILITY_NARROWED stricter"),
    (AGENT, (*OUT, "packets.jsonl", "shows", 1), GONE, "REDACTION_WIDENED stricter", "REDACTION_NARROWED looser"),
    (AGENT, (*OUT, "packets.jsonl", "digests"), GONE, "OUTPUT_ROWS_CHANGED incomparable", "OUTPUT_ROWS_CHANGED incomparable"),
    (AGENT, (*SUBJECT, "sandbox"), Bare("read-only"), "SANDBOX_CHANGED stricter", "SANDBOX_CHANGED looser"),
    (AGENT, (*SUBJECT, "network"), Bare("open"), "SANDBOX_NETWORK_CHANGED looser", "SANDBOX_NETWORK_CHANGED stricter"),
    (AGENT, (*SUBJECT, "events_allowed"), [Bare("agent_message"), Bare("error")], "EVENT_FORBIDDEN stricter", "EVENT_ALLOWED looser"),
    (AGENT, (*SUBJECT, "response"), "other.json", "SESSION_PROMPT_CHANGED incomparable", "SESSION_PROMPT_CHANGED incomparable"),
    (AGENT, (*SUBJECT, "usage", "cached", "field"), "other_tokens", "SESSION_RECORD_CHANGED incomparable", "SESSION_RECORD_CHANGED incomparable"),
    (AGENT, (*SUBJECT, "resume"), GONE, "SESSION_RESUME_CHANGED looser", "SESSION_RESUME_CHANGED stricter"),
)  # fmt: skip


@cache
def _seed(path: Path) -> tuple[Plain, core.Protocol | None]:
    base = plain(path.read_bytes(), path.name)
    return base, protocol(base, path)


@pytest.mark.parametrize(("path", "place", "value", "forth", "back"), CASES, ids=[case[3] for case in CASES])
def test_a_seed_is_changed(path: Path, place: tuple[Any, ...], value: Any, forth: str, back: str) -> None:
    base, old = _seed(path)
    made = copy.deepcopy(base)
    holder = made
    for key in place[:-1]:
        holder = holder[key]
    if value is GONE:
        del holder[place[-1]]
    else:
        holder[place[-1]] = value
    new = protocol(made, path)
    assert old is not None
    assert new is not None
    for before, after, expected in ((old, new, forth), (new, old, back)):
        changes, _ = changes_of(before, after)
        assert expected in {f"{change.id} {change.direction}" for change in changes}
