"""From a random spec to one that the checker accepts: what it refuses is decided by `is true`, or left out."""

from __future__ import annotations

from fuzz.entries import Entry, Spec
from protoc_compiler import core, pipeline
from protoc_compiler.emit import rules, verify
from protoc_runtime.diagnostics import Diagnostic, Refused

ROUNDS = 12
UNDECIDED = ("E0601", "E0602")


class Tally:
    """How much of what was written was accepted."""

    def __init__(self) -> None:
        self.specs = self.whole = self.given_up = self.entries = self.kept = 0
        self.refused: dict[str, int] = {}

    def note(self, diagnostics: list[Diagnostic]) -> None:
        """Count what was refused, by id."""
        for item in diagnostics:
            self.refused[item.id] = self.refused.get(item.id, 0) + 1

    def text(self) -> str:
        """One line for people."""
        most = sorted(self.refused.items(), key=lambda pair: -pair[1])[:12]
        return (
            f"{self.specs} specs, {self.whole} accepted as written, {self.given_up} given up; "
            f"{self.kept} of {self.entries} entries kept; refused: {dict(most)}"
        )


Emitted = tuple[core.Protocol, str, str]


def emitted(spec: Spec) -> Emitted | list[Diagnostic]:
    """The protocol of a spec, its `rules.py` and its `verify.py`; or what is refused."""
    done = pipeline.examine("random.yaml", spec.text().encode())
    errors = [item for item in done.findings if item.severity == "error"]
    if errors or done.protocol is None:
        return errors
    try:
        return done.protocol, rules.render(done.protocol), verify.render(done.protocol)
    except Refused as refused:
        return list(refused.diagnostics)


def accepted(spec: Spec, tally: Tally) -> Emitted | None:
    """The protocol and both programs of what is left of a spec; None where nothing is."""
    tally.specs += 1
    tally.entries += len(spec.entries)
    for attempt in range(ROUNDS):
        made = emitted(spec)
        if not isinstance(made, list):
            tally.whole += attempt == 0
            tally.kept += len(spec.entries)
            return made
        tally.note(made)
        if not mend(spec, made):
            break
    tally.given_up += 1
    return None


def mend(spec: Spec, errors: list[Diagnostic]) -> bool:
    """Decide or leave out the entries that were refused; whether anything was found to mend."""
    wrapped: list[Entry] = []
    dropped: list[Entry] = []
    for item in errors:
        entry = spec.entry_at(item.span.line) if item.span is not None else None
        if entry is None:
            continue
        (wrapped if item.id in UNDECIDED and not entry.wrapped else dropped).append(entry)
    for entry in wrapped:
        entry.wrapped = True
    unreached = [line for line in spec.verdict if any(line is other for other in dropped)]
    if spec.verdict[-1] in unreached:  # a list ends in `otherwise`, so what always holds before it must go
        unreached = spec.verdict[-2:-1]
    spec.verdict = [line for line in spec.verdict if line not in unreached]
    spec.entries = [entry for entry in spec.entries if not any(entry is other for other in dropped)]
    return bool(wrapped or dropped)
