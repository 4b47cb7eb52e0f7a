"""What only has another name is told once, also where others name it: on the protocols of the examples."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protoc_compiler import core
from protoc_compiler.drift.reading import read
from protoc_compiler.drift.review import changes_of
from protoc_runtime.record import replace

SPECS = Path(__file__).parents[2] / "specs"
ROUTING = "schemarouter_operation_routing"
OPINIONS = "neochart_r5"
ASKING = "theorempath_ask_holdout_v2"


def protocol(example: str, *changes: tuple[str, str]) -> core.Protocol:
    """The protocol of an example, with texts of it replaced."""
    path = SPECS / example / "protocol.yaml"
    text = path.read_text(encoding="utf-8")
    for old, new in changes:
        assert re.search(old, text), old
        text = re.sub(old, new, text)
    return read(str(path), "protocol.yaml", text.encode()).protocol


RENAMES = {
    "a phase that others lead to, with a record and a guard": (
        ROUTING,
        [(r"phase: calibration\b", "phase: tuning"), (r"phase calibration,", "phase tuning,"),
         (r"after: calibration", "after: tuning"), (r"PASS: calibration", "PASS: tuning")],
        ["PHASE_RENAMED"],
    ),
    "a phase that formulas ask for": (
        ROUTING, [(r"\bruntime_only\b", "faster"), (r"RUNTIME_ONLY: \w+", "RUNTIME_ONLY: faster")], ["PHASE_RENAMED"],
    ),
    "a phase of the manifest, too, which fields need": (
        ROUTING,
        [(r"phase: fresh\b", "phase: confirm"), (r"phase fresh,", "phase confirm,"), ("after: fresh", "after: confirm"),
         ("PASS: fresh", "PASS: confirm")],
        ["PHASE_RENAMED"],
    ),
    "a phase of the manifest alone": (ROUTING, [(r"\{phase: fresh,", "{phase: confirm,")], ["MANIFEST_PHASE_RENAMED"]),
    "a field of the manifest": (ROUTING, [("candidate_id: ", "candidate_key: ")], ["MANIFEST_FIELD_RENAMED"]),
    "a judgement that others follow, hide and time": (
        OPINIONS,
        [(r"    inventory:\n", "    notes:\n"), ("until inventory", "until notes"),
         ("inventory_saved_at", "notes_saved_at"), ("follows: inventory", "follows: notes")],
        ["JUDGEMENT_RENAMED"],
    ),
    "a provider that tables and records observe": (
        ASKING,
        [(r"    embedding:\n", "    vectors:\n"), ("ledger of embedding", "ledger of vectors"),
         ("provider embedding", "provider vectors"), (r"embedding\.(stop|credential)", r"vectors.\1")],
        ["PROVIDER_RENAMED"],
    ),
    "a word of the verdict that leads on": (ROUTING, [(r"\bRUNTIME_ONLY\b", "FASTER")], ["WORD_RENAMED"]),
}  # fmt: skip


@pytest.mark.parametrize("name", RENAMES)
def test_only_the_rename_is_told(name: str) -> None:
    example, changes, due = RENAMES[name]
    told, context = changes_of(protocol(example), protocol(example, *changes))
    assert [change.id for change in told] == due
    assert {change.direction for change in told} <= {"equivalent", "text"}
    assert context.verdict.direction == "equivalent"


def test_what_cannot_be_given_another_name_is_told_once_as_gone_and_new() -> None:
    changed = (
        r"(?s)- \{name: interpretation, (.*?)\n    - phase: runtime_only",
        r"- {name: reading, \1\n    - phase: runtime_only",
    )
    told, _ = changes_of(protocol(ROUTING), protocol(ROUTING, changed))
    assert sorted(change.id for change in told) == ["PHASE_RECORD_ADDED", "PHASE_RECORD_REMOVED"]


def test_what_still_has_the_old_name_is_told() -> None:
    """A blocker that asks for a phase of a name that no phase has any more never fires."""
    renamed = [(r"phase: runtime_only\b", "phase: faster"), (r"RUNTIME_ONLY: runtime_only", "RUNTIME_ONLY: faster")]
    told, _ = changes_of(protocol(ROUTING), protocol(ROUTING, *renamed))
    blockers = [change.path for change in told if change.path.startswith("blockers.")]
    assert "PHASE_RENAMED" in [change.id for change in told]
    assert len(blockers) >= 2, [change.path for change in told]


def test_another_guard_is_told_beside_the_rename() -> None:
    changes = [
        *RENAMES["a phase that others lead to, with a record and a guard"][1],
        ("open_duties == 0", "open_duties <= 1"),
    ]
    told, _ = changes_of(protocol(ROUTING), protocol(ROUTING, *changes))
    found = [change.id for change in told]
    assert "PHASE_RENAMED" in found
    assert len(found) > 1
    assert "PHASE_ADDED" not in found


def test_what_no_kind_of_change_describes_is_undecided() -> None:
    known = protocol(ROUTING)
    (verdict,) = known.of("verdict")
    assert isinstance(verdict.expr, core.Choose)
    expr = replace(verdict.expr, type=replace(verdict.expr.type, members=(*verdict.words, "OTHER")))
    items = tuple(replace(item, expr=expr) if item is verdict else item for item in known.items)
    (change,), _ = changes_of(known, replace(known, items=items))
    assert (change.id, change.direction) == ("PROTOCOL_CHANGED", "undecided")
