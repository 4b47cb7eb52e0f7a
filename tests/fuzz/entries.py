"""A spec as a list of entries, which can be taken away one by one."""

from __future__ import annotations

from dataclasses import dataclass, field

from fuzz.formulas import settled
from fuzz.tables import Data

HEAD = """protoc: 1
protocol: {id: random-spec, version: 1, title: A random protocol}
question: {asks: Do the two computations agree?}
data:
  tables:
"""
VERDICT = (
    "STOP when some blockers have fired",
    "PASS when all gates have held",
    "FAIL when some gates have failed",
    "OPEN otherwise",
)
SECTIONS = ("definitions", "metrics", "intervals", "blockers", "gates", "checks", "verdicts")


@dataclass
class Entry:
    """An entry of a section; `wrapped` decides its filters by `is true`."""

    section: str
    name: str
    text: str
    wrapped: bool = False

    def lines(self) -> list[str]:
        """The entry without the section's indent."""
        body = settled(self.text, self.wrapped)
        name = f"{self.name}:"
        if "\n" not in body:
            return [f"{name} >-", f"  {body}"]
        return [name, *(f"  {line}" for line in body.splitlines() if line)]


@dataclass
class Spec:
    """A spec whose entries can be taken away one by one."""

    data: Data
    entries: list[Entry]
    verdict: list[Entry] = field(default_factory=lambda: [Entry("verdict", "", line) for line in VERDICT])
    places: list[tuple[int, Entry]] = field(default_factory=list)  # the first line of each entry, from 1

    def text(self) -> str:
        """The whole spec; `places` then tells where each entry begins."""
        lines = [*HEAD.splitlines(), *self.data.lines]
        splits = [line for line in self.data.more if "splits" in line or "may:" in line]
        lines += splits
        self.places = []
        self._put(lines, "arms", "arms", "")
        lines += [line for line in self.data.more if line not in splits]
        for section in SECTIONS:
            self._put(lines, section, section, "")
        lines.append("verdict:")
        for entry in self.verdict:
            self.places.append((len(lines) + 1, entry))
            lines += ["  - >-", f"    {settled(entry.text, entry.wrapped)}"]
        lines += ["report:", f"  released: [{self.verdict[0].text.split()[0]}]"]
        for section in ("statuses", "lists"):
            self._put(lines, section, section, "  ")
        return "\n".join(lines) + "\n"

    def _put(self, lines: list[str], section: str, title: str, indent: str) -> None:
        found = [entry for entry in self.entries if entry.section == section]
        if found:
            lines.append(f"{indent}{title}:")
        for entry in found:
            self.places.append((len(lines) + 1, entry))
            lines += [f"{indent}  {line}" for line in entry.lines()]

    def entry_at(self, line: int) -> Entry | None:
        """The entry, or line of the verdict, that a line of the text belongs to."""
        before = [entry for first, entry in self.places if first <= line]
        return before[-1] if before else None
