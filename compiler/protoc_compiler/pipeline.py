"""The road from a file to a checked protocol: source, document, names, types, decided, words, analysis.

A pass runs only on what the one before it could read, so that one fault is told once.
"""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.spec import Spec
from protoc_runtime.diagnostics import Findings
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

    from protoc_compiler.elaborate.elaborator import Elaborator


@record
class Checked:
    """What is known of a spec: its document, the protocol if it resolves, all findings, and how names were read."""

    spec: Spec | None
    protocol: core.Protocol | None
    findings: Findings
    readings: tuple[str, ...] = ()


def check(path: str | Path) -> tuple[core.Protocol | None, Findings]:
    """The protocol of a spec file (None if it has errors), and everything there is to say about it."""
    done = examine(path)
    return done.protocol, done.findings


def examine(path: str | Path, data: bytes | None = None) -> Checked:
    """`check`, with the document and the readings of names; `data` replaces the file's bytes."""
    from protoc_compiler import document, source

    findings = Findings()
    root = source.read(path if data is None else data, str(path), findings)
    spec = document.build(root, str(path), findings) if root is not None else None
    if spec is None:
        return Checked(None, None, findings)
    protocol, readings = resolve(spec, findings)
    return Checked(spec, protocol, findings, readings)


def resolve(spec: Spec, findings: Findings) -> tuple[core.Protocol | None, tuple[str, ...]]:
    """Names, types, definedness, words and analysis of a document."""
    from protoc_compiler import protocol as whole
    from protoc_compiler import words
    from protoc_compiler.elaborate.elaborator import Elaborator
    from protoc_compiler.names import Names

    names = Names(spec, findings)
    el = Elaborator(spec, names, findings)
    made = whole.resolve(el)
    words.check_words(spec, findings)
    beyond(el, made)
    readings = tuple(whole.explain(el))
    return (None if findings.failed else made), readings


def beyond(el: Elaborator, made: core.Protocol | None) -> None:
    """What is checked once names and types are resolved: files, definedness, references, analysis."""
    from protoc_compiler import analysis, around, undecided
    from protoc_compiler import protocol as whole

    around.check_files(el)
    if made is None:
        return
    undecided.check(made, el)
    whole.check_references(el, made)
    if made.amendments:
        from protoc_compiler import amending

        amending.check(made, el.spec, el.findings)
    analysis.check(made, el)
    if (made.intervals or any(table.sample for table in made.tables)) and not el.findings.failed:
        from protoc_compiler.emit import rules

        el.findings.extend(rules.refused(made))
