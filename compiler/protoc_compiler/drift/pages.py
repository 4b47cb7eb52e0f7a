"""Every kind of change with its one line and its direction rule: what `docs/drift/kinds.md` is made from."""

from __future__ import annotations

from importlib import import_module
from importlib.util import find_spec

from protoc_compiler.drift.classify import SHARED, shared_id
from protoc_compiler.drift.kinds import KINDS
from protoc_compiler.drift.page import Page
from protoc_compiler.drift.ways import shown

_PACKAGE = "protoc_compiler.drift"
VALUES = ("GATE", "BLOCKER", "CHECK", "METRIC", "DEFINITION", "SUBVERDICT", "STATUS", "LIST")
FORMULAS = (*VALUES, "VERDICT", "COLUMN", "EXPECTATION")
_LISTS = ("METRIC", "DEFINITION", "COLUMN", "SUBVERDICT", "VERDICT", "STATUS")
_SPOKEN = (
    *(one for one in VALUES if one != "SUBVERDICT"),
    "COLUMN",
    "TABLE",
    "SPLIT",
    "PHASE",
    "INTERVAL",
    "JUDGEMENT",
    "CLAIM",
    "PARITY",
    "MANIFEST",
)
_CITED = (*(one for one in _SPOKEN if one not in ("SUBVERDICT", "CLAIM")), "FREEZE", "PROVIDER", "SUBJECT", "TARGET",
          "OUTPUT", "SEALED", "STEP", "DUTY", "LIMIT", "ATTESTATION", "VERDICT")  # fmt: skip
_NAMED = (*VALUES, "TABLE", "COLUMN", "SPLIT", "PHASE", "INTERVAL", "JUDGEMENT", "CLAIM", "FREEZE", "PROVIDER",
          "ATTESTATION", "WORD")  # fmt: skip
_ORDERED = ("PHASE", "SPLIT", "STEP", "DUTY", "ATTESTATION", "LIMIT", "AMENDMENT", "EXPECTATION", "ROW")
_FIELDS = {
    "says": _SPOKEN, "cites": _CITED, "type": ("METRIC", "DEFINITION", "LIST"),
    "withheld": ("METRIC", "CHECK", "STATUS", "LIST"),
    "parts": ("GATE", "BLOCKER", "CHECK"), "order": _ORDERED, "renamed": _NAMED,
    "rows": ("TABLE",),
}  # fmt: skip


def all_pages() -> tuple[Page, ...]:
    """Every kind of change that this version knows by name, sorted by subject and id."""
    found: dict[str, Page] = {}
    for subject, fields in KINDS.items():
        for names in fields.values():
            for name in names:
                found.setdefault(name.upper(), _page(name.upper(), subject, f"{_PACKAGE}.kinds.{name}"))
    for field, subjects in _shared():
        for subject in subjects:
            if field in KINDS.get(subject, {}) and field != "type":
                continue
            for name in SHARED[field]:
                if subject in _CAN.get(name, FORMULAS) or field != "expr":
                    made = _page(shared_id(subject, name), subject, f"{_PACKAGE}.shared.{name}")
                    found.setdefault(made.id, made)
    return tuple(sorted(found.values(), key=lambda page: (page.subject, page.id)))


_CAN: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("lines_reordered", "line_added", "line_removed", "word_renamed", "line_changed"), _LISTS),
    **dict.fromkeys(
        ("condition_added", "condition_removed"), tuple(one for one in FORMULAS if one not in ("LIST", "VERDICT"))
    ),
    "formula_changed": tuple(one for one in FORMULAS if one != "VERDICT"),
    "function_changed": ("METRIC",),
    "undefined_changed": ("METRIC", "DEFINITION", "COLUMN", "STATUS"),
}  # of changes of formulas: the subjects that can have them, where not all can


def _shared() -> list[tuple[str, tuple[str, ...]]]:
    return [("expr", FORMULAS), *_FIELDS.items()]


def _page(name: str, subject: str, module: str) -> Page:
    loaded = import_module(module)
    return Page(name, subject, module, (loaded.__doc__ or "").strip(), loaded.RULE)


def module_of(name: str, subject: str) -> str:
    """The module of a kind of change."""
    own = f"{_PACKAGE}.kinds.{name.lower()}"
    if any(name.lower() in names for names in KINDS.get(subject, {}).values()) and find_spec(own):
        return own
    return f"{_PACKAGE}.shared.{name.removeprefix(f'{subject}_').lower()}"


def render() -> str:
    """The page of all kinds of change."""
    lines = [_HEAD]
    subject = ""
    for page in all_pages():
        if page.subject != subject:
            subject = page.subject
            lines.append(f"\n## {subject.lower()}\n")
        lines.append(f"### {page.id}\n\n{page.checks}\n\n*Direction:* {page.rule}\n\n*Pairs:* {shown(page)}.\n")
    return "\n".join(lines)


_HEAD = """# Kinds of change

What `protoc diff` can say of a changed protocol. Every kind has a stable id, one line that says what it checks, and a
rule for its direction. A difference that none of them describes is still told, as `SUBJECT_CHANGED`, `SUBJECT_ADDED`,
`SUBJECT_REMOVED` or `PROTOCOL_CHANGED`, with the direction `undecided`; `SUBJECT_CHANGED` is also said, as
`equivalent`, of a list whose order alone differs and has no meaning. Pairs of specs under `tests/drift/pairs` show each
kind, forth, back, and beside a change that means the same (*equal*); which directions they show, and why no others,
stands with it. Where a direction is that of the gates and blockers that read a thing, that of the expectations and
conditions of entry that do, and of a verdict that reads it by itself, counts with it; where rows or cells that are
judged, shown or published are computed from it, it is incomparable. This page is made by
`python -m protoc_compiler.docs_gen`; [drift.md](../drift.md) tells how to read a review.
"""
