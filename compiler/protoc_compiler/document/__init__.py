"""The document pass: YAML nodes to a `Spec`, every section in its place and every formula parsed.

The shape is checked first against the one description in `sections`; then each section is read as far as it can be,
so that faults of shape and faults of formulas are told together.
"""

from __future__ import annotations

import re

from protoc_compiler import conform
from protoc_compiler.catalogue import document as kinds
from protoc_compiler.document import data, outcome, procedure
from protoc_compiler.document.reading import Reader, entries, maybe, text, texts, under
from protoc_compiler.nodes import Mapping, Node, Scalar, brief
from protoc_compiler.spec import Entries, FirstMatch, Rules, Spec, Text, Verdict
from protoc_runtime.diagnostics import Findings
from protoc_runtime.record import replace

_ID = re.compile(r"[a-z][a-z0-9]*(?:-[a-z0-9]+)*")
LONGEST_ID = 100  # folders are named by it, with version, time and seal
_VERSION = re.compile(r"[1-9][0-9]{0,5}")


def build(root: Mapping, name: str, findings: Findings) -> Spec | None:
    """The spec of the file `name`, or None where it has no readable id, title or verdict.

    A spec that is returned after errors lacks what could not be read (`broken` names it); it serves to find more
    faults and must not be compiled.
    """
    conform.check(root, findings)
    if len(findings) > conform.MAX_FINDINGS:
        return None
    reader = Reader(findings)
    head, sections = root.get("protocol"), root.get("data")
    identity, title = _id(head, findings), maybe(under(head, "title"))
    verdict = reader.lines(root.get("verdict"))
    spec = Spec(
        file=name,
        language=1,
        id=identity or Text("", root.span),
        version=_version(head, findings),
        title=title or Text("", root.span),
        head=_head(head),
        question=_question(root.get("question")),
        tables=data.tables(reader, under(sections, "tables")),
        records=data.records(reader, under(sections, "records")),
        splits=data.splits(reader, under(sections, "splits")),
        arms=data.arms(reader, root.get("arms")),
        procedure=procedure.procedure(reader, root.get("procedure")),
        definitions=Entries(reader.definitions(root.get("definitions"))),
        metrics=_metrics(reader, root.get("metrics")),
        intervals=outcome.intervals(reader, root.get("intervals")),
        blockers=Rules(reader.rules(root.get("blockers"), "when")),
        gates=Rules(reader.rules(root.get("gates"), "must")),
        checks=_checks(reader, root.get("checks")),
        verdicts=outcome.verdicts(reader, root.get("verdicts")),
        verdict=Verdict(None, verdict or FirstMatch(root.span, (), ())),
        report=outcome.report(reader, root.get("report")),
        attestations=outcome.attestations(root.get("attestations")),
        limits=outcome.duties(root.get("limits")),
        never=outcome.duties(under(under(sections, "splits"), data.NEVER)),
    )
    return replace(spec, broken=tuple(reader.broken)) if identity and title and verdict else None


def _id(head: Node | None, findings: Findings) -> Text | None:
    found = maybe(under(head, "id"))
    if found is not None and not (_ID.fullmatch(found.text) and len(found.text) <= LONGEST_ID):
        kebab = "-".join(re.findall("[a-z0-9]+", found.text.lower())).lstrip("0123456789-")
        suggestion = kebab[:LONGEST_ID].rstrip("-") or "my-protocol"
        findings.add(kinds.BAD_ID, found.span, found=brief(found.text), suggestion=suggestion)
    return found


def _version(head: Node | None, findings: Findings) -> int:
    found = maybe(under(head, "version"))
    if found is None:
        return 0
    if not _VERSION.fullmatch(found.text):
        findings.add(kinds.BAD_VERSION, found.span, found=brief(found.text))
        return 0
    return int(found.text)


def _head(head: Node | None) -> tuple[tuple[Text, Text], ...]:
    """The other keys of `protocol`; a map's entries get the name of the key before their own."""
    made: list[tuple[Text, Text]] = []
    for key, value in entries(head):
        if key.text in ("id", "version", "title"):
            continue
        if isinstance(value, Scalar):
            made.append((text(key), text(value)))
        made.extend(
            (Text(f"{key.text}.{inner.text}", inner.span), words)
            for inner, node in entries(value)
            if (words := maybe(node)) is not None
        )
    return tuple(made)


def _question(node: Node | None) -> tuple[tuple[Text, Text], ...]:
    return tuple((text(key), words) for key, value in entries(node) if (words := maybe(value)) is not None)


def _metrics(reader: Reader, node: Node | None) -> Entries:
    when = reader.formula(under(node, "withheld when"))
    return Entries(reader.definitions(node), when, texts(under(node, "not withheld")))


def _checks(reader: Reader, node: Node | None) -> Rules:
    when = reader.formula(under(node, "withheld when"))
    return Rules(reader.rules(node, "is"), when, texts(under(node, "not withheld")))
