"""Reading one side of a comparison: every spec that resolves, also one whose words contradict its formulas."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.drift import pinned
from protoc_compiler.nodes import Mapping
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused, Span
from protoc_runtime.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_runtime.seal_format import Pins


@record
class Source:
    """A spec that has been read. `shown` is how its file is called: a path, or `REF:path`; `lines` are those of its
    text; `contradictions` are the rules whose words do not fit their formula (E07xx); `pins` are those of its seal."""

    shown: str
    lines: tuple[str, ...]
    root: Mapping
    protocol: core.Protocol
    contradictions: tuple[Diagnostic, ...]
    pins: Pins | None = None


def read(path: str, shown: str, data: bytes | None = None, seals: bytes | None = None) -> Source:
    """Read the spec at `path`, or these bytes in its place (then files beside it are still looked for there), with the
    seals beside it, or these.

    Raises `Refused` with every fault where it does not resolve.
    """
    from protoc_compiler import document, source

    findings = Findings()
    if data is None:
        data, seals = _bytes(path), pinned.beside(path)
    root = source.read(path if data is None else data, path, findings)
    spec = document.build(root, path, findings) if root is not None else None
    if spec is None or root is None or data is None:
        raise Refused(_called(findings, shown))
    protocol, contradictions = _resolved(spec, findings)
    if protocol is None:
        raise Refused(_called(findings, shown))
    lines = tuple((source.decode(data, path, Findings()) or "").split("\n"))
    told = tuple(_called(contradictions, shown))
    return Source(shown, lines, root, protocol, told, pinned.pins(seals, data))


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _resolved(spec: object, findings: Findings) -> tuple[core.Protocol | None, Findings]:
    """The protocol, and what contradicts itself in it. What else `check` would say does not keep a reader from
    comparing."""
    from protoc_compiler import protocol, words
    from protoc_compiler.elaborate.elaborator import Elaborator
    from protoc_compiler.names import Names
    from protoc_compiler.spec import Spec

    if not isinstance(spec, Spec):
        raise TypeError(type(spec).__name__)
    made = protocol.resolve(Elaborator(spec, Names(spec, findings), findings))
    contradictions = Findings()
    words.check_words(spec, contradictions)
    return made, contradictions


def _called(findings: Findings, shown: str) -> list[Diagnostic]:
    return [replace(item, span=renamed(item.span, shown)) for item in findings.sorted()]


def renamed(span: Span | None, shown: str) -> Span | None:
    """A place in the file as it is called."""
    return None if span is None else replace(span, file=shown)
