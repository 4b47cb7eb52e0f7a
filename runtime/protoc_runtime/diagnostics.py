"""What every part of the tool says when something is wrong: data, not exceptions.

A fault of the user's input is a `Diagnostic`; an exception is a failure of the tool itself. A `Kind` is one entry of
the catalogue that also generates the error pages. Positions are 1-based, in code points; an end is exclusive.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeAlias

Severity: TypeAlias = 'Literal["error", "warning", "note"]'


@record
class Span:
    """A stretch of one file."""

    file: str
    line: int
    column: int
    end_line: int
    end_column: int


@record
class Kind:
    """One entry of the catalogue.

    `message` and `hint` are `str.format` templates; `why` is the paragraph of the error page; `example` is text
    that triggers exactly this diagnostic (a spec fragment, rows, or a command), shown on the page.
    """

    id: str
    name: str
    severity: Severity
    message: str
    hint: str
    why: str
    example: str = ""


@record
class Related:
    """A second place that helps to understand a diagnostic."""

    span: Span
    message: str


@record
class Diagnostic:
    """One fault, at one place, with what was found, what was expected and how to mend it."""

    kind: Kind
    span: Span | None
    message: str
    hint: str
    related: tuple[Related, ...] = ()

    @property
    def id(self) -> str:
        """The stable id, such as `E0312`."""
        return self.kind.id

    @property
    def severity(self) -> Severity:
        """How much it weighs: only an error stops compile, seal and run."""
        return self.kind.severity


class Findings:
    """Collects diagnostics, so that all faults are told at once."""

    def __init__(self) -> None:
        self.told: list[Diagnostic] = []
        self._known: set[Diagnostic] = set()

    def add(self, kind: Kind, span: Span | None, /, *, related: Iterable[Related] = (), **values: Any) -> Diagnostic:
        """Record one fault; `values` fill the kind's message and hint."""
        item = Diagnostic(kind, span, kind.message.format(**values), kind.hint.format(**values), tuple(related))
        if item not in self._known:
            self.extend((item,))
        return item

    def extend(self, items: Iterable[Diagnostic]) -> None:
        """Take over diagnostics that another part has made."""
        for item in items:
            self.told.append(item)
            self._known.add(item)

    @property
    def failed(self) -> bool:
        """Whether there is an error among them."""
        return any(item.severity == "error" for item in self.told)

    def sorted(self) -> list[Diagnostic]:
        """All of them by file and position."""
        return sorted(self.told, key=_position)

    def __iter__(self) -> Iterator[Diagnostic]:
        return iter(self.told)

    def __len__(self) -> int:
        return len(self.told)


INTERRUPTED = 130  # the exit status after Ctrl-C, as shells give it


class Refused(Exception):
    """Raised where work cannot go on because of the user's input; carries the diagnostics to show (exit status 1), or
    because the user interrupted it (130)."""

    def __init__(self, diagnostics: Iterable[Diagnostic]) -> None:
        self.diagnostics = list(diagnostics)
        super().__init__("; ".join(f"{item.id} {item.message}" for item in self.diagnostics))

    @property
    def status(self) -> int:
        """The exit status of a command that ends so."""
        return INTERRUPTED if any(item.kind.name == "interrupted" for item in self.diagnostics) else 1


def _position(item: Diagnostic) -> tuple[str, int, int, str]:
    span = item.span
    return (span.file, span.line, span.column, item.id) if span else ("", 0, 0, item.id)
