"""Reading one side of a comparison: every spec that resolves, also one whose words contradict its formulas."""

from __future__ import annotations

from collections.abc import Iterable

from protoc_compiler import core
from protoc_compiler.drift import pinned
from protoc_compiler.nodes import Mapping
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused, Span
from protoc_runtime.record import record, replace

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.elaborate.elaborator import Elaborator
    from protoc_compiler.spec import Spec
    from protoc_runtime.seal_format import Pins

# Errors which contradict something and leave the protocol whole: retries that do not fit, what is forbidden and said.
_WHOLE = frozenset(("E0526", "E0527", "E0528"))


class Unread(Refused):
    """Raised where versions do not resolve, with what is wrong with each: without them there is nothing to compare."""

    @property
    def status(self) -> int:
        """The exit status of a command that could not do its work."""
        return max(2, super().status)


@record
class Source:
    """A spec that has been read. `shown` is how its file is called: a path, or `REF:path`; `lines` are those of its
    text; `contradictions` are the rules whose words do not fit their formula (E07xx); `faults` are other errors,
    in spite of which everything is as it is written; `pins` are those of its seal."""

    shown: str
    lines: tuple[str, ...]
    root: Mapping
    protocol: core.Protocol
    contradictions: tuple[Diagnostic, ...]
    faults: tuple[Diagnostic, ...] = ()
    pins: Pins | None = None
    elaborated: Elaborator | None = None  # for what else `check` says of it


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
        raise Refused(called(findings.sorted(), shown))
    el, protocol, contradictions = _resolved(spec, findings)
    if protocol is None:
        raise Refused(called(findings.sorted(), shown))
    lines = tuple((source.decode(data, path, Findings()) or "").split("\n"))
    told = tuple(called(contradictions.sorted(), shown))
    faults = tuple(called([item for item in findings.sorted() if item.severity == "error"], shown))
    return Source(shown, lines, root, protocol, told, faults, pinned.pins(seals, data), el)


def _bytes(path: str) -> bytes | None:
    try:
        with open(path, "rb") as file:
            return file.read()
    except OSError:
        return None


def _resolved(spec: Spec, findings: Findings) -> tuple[Elaborator, core.Protocol | None, Findings]:
    """The protocol, and what contradicts itself in it. What else `check` would say does not keep a reader from
    comparing."""
    from protoc_compiler import protocol, words
    from protoc_compiler.elaborate.elaborator import Elaborator
    from protoc_compiler.names import Names

    el = Elaborator(spec, Names(spec, findings), findings)
    made = protocol.resolve(el, _WHOLE)
    contradictions = Findings()
    words.check_words(spec, contradictions)
    return el, made, contradictions


def called(found: Iterable[Diagnostic], shown: str) -> list[Diagnostic]:
    """Diagnostics with the name by which their file is called."""
    return [replace(item, span=renamed(item.span, shown)) for item in found]


def renamed(span: Span | None, shown: str) -> Span | None:
    """A place in the file as it is called."""
    return None if span is None else replace(span, file=shown)
