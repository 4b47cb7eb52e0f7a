"""Intervals, verdicts, the report, attestations and limits."""

from __future__ import annotations

from protoc_compiler.catalogue import document as kinds
from protoc_compiler.document import services
from protoc_compiler.document.reading import Reader, entries, maybe, parts, text, texts, under
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence
from protoc_compiler.spec import (
    Amendment,
    Attestation,
    Claim,
    Duty,
    Formula,
    IntervalDecl,
    Report,
    Text,
    Verdict,
)

_OUTPUTS = ("low", "high", "kept", "p")
_WHEN = "when "


def intervals(reader: Reader, node: Node | None) -> tuple[IntervalDecl, ...]:
    """All entries of `intervals`."""
    made = []
    for name, value in entries(node):
        item = _interval(reader, name, value) if isinstance(value, Mapping) else None
        if item is None:
            reader.broken.extend(found.text for found in (maybe(under(value, key)) for key in _OUTPUTS) if found)
        else:
            made.append(item)
    return tuple(made)


def _interval(reader: Reader, name: Scalar, node: Mapping) -> IntervalDecl | None:
    outputs = tuple((key, found) for key in _OUTPUTS if (found := maybe(node.get(key))) is not None)
    if not outputs:
        reader.findings.add(
            kinds.EITHER_OR, name.span, where=f"the interval `{name.text}`", found="no output",
            hint="name at least one: `low`, `high`, `kept` or `p`",
        )  # fmt: skip
    metric, generator, seed = (maybe(node.get(key)) for key in ("metric", "generator", "seed"))
    resample, follow = reader.formulas(node.get("resample")), reader.formulas(node.get("follow"))
    draws, level = reader.formula(node.get("draws")), reader.formula(node.get("level"))
    within, out_of = reader.formula(node.get("within")), reader.formula(node.get("out_of"))
    if not (outputs and metric and generator and seed and resample and draws and level):
        return None
    return IntervalDecl(
        text(name), maybe(node.get("says")), metric, resample, follow, within, out_of, draws, generator, seed, level,
        outputs, texts(node.get("cites")),
    )  # fmt: skip


def verdicts(reader: Reader, node: Node | None) -> tuple[Verdict, ...]:
    """All entries of `verdicts`."""
    made = []
    for name, value in entries(node):
        body = reader.body(value) if isinstance(value, (Scalar, Sequence)) else None
        if body is None:
            reader.broken.append(name.text)
        else:
            made.append(Verdict(text(name), body))
    return tuple(made)


def report(reader: Reader, node: Node | None) -> Report:
    """The section `report`."""
    return Report(
        texts(under(node, "released")), reader.definitions(under(node, "statuses")),
        reader.definitions(under(node, "lists")), reader.formula(under(node, "withheld when")),
        texts(under(node, "not withheld")), duties(under(node, "duties")), _claims(reader, under(node, "claims")),
        _amendments(under(node, "amendments")), texts(services.value(node, "sealed")),
        texts(under(under(node, "sealed"), "cites")),
    )  # fmt: skip


def duties(node: Node | None) -> tuple[Duty, ...]:
    """Texts, or blocks with `says`: `report.duties` and `limits`."""
    made = []
    for item in parts(node):
        says = _words(item)
        if says is not None:
            made.append(Duty(says, texts(under(item, "cites"))))
    return tuple(made)


def attestations(node: Node | None) -> tuple[Attestation, ...]:
    """All entries of `attestations`."""
    made = []
    for name, value in entries(node):
        says = _words(value)
        if says is not None:
            made.append(Attestation(text(name), says, texts(under(value, "cites"))))
    return tuple(made)


def _words(node: Node) -> Text | None:
    return maybe(under(node, "says") if isinstance(node, Mapping) else node)


def _claims(reader: Reader, node: Node | None) -> tuple[Claim, ...]:
    made = []
    for name, value in entries(node):
        if isinstance(value, Scalar):
            made.append(Claim(text(name), says=maybe(value)))
            continue
        may, never = under(value, "may"), maybe(under(value, "never"))
        if isinstance(value, Mapping) and may is None and never is None:
            reader.findings.add(kinds.OPEN_CLAIM, name.span, found=name.text)
            continue
        made.append(Claim(
            text(name), _permission(reader, may), never, maybe(under(value, "says")), maybe(under(value, "status"))
        ))  # fmt: skip
    return tuple(made)


def _permission(reader: Reader, node: Node | None) -> Formula | Text | None:
    """`when VERDICT` is a formula over verdict words; anything else is words."""
    if not isinstance(node, Scalar) or not node.text.startswith(_WHEN):
        return maybe(node)
    skip = len(_WHEN)
    rest = Scalar(node.text[skip:], node.style, node.at(skip, len(node.text)), node.places[skip:])
    return reader.formula(rest)


def _amendments(node: Node | None) -> tuple[Amendment, ...]:
    made = []
    for name, value in entries(node):
        why = maybe(under(value, "why"))
        if why is not None:
            changes, seen = texts(under(value, "changes")), texts(under(value, "seen"))
            chained = (maybe(under(value, "supersedes")), texts(under(value, "removes")))
            made.append(Amendment(text(name), changes, why, seen, maybe(under(value, "at")), *chained))
    return tuple(made)
