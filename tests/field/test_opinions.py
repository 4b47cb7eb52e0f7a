"""The rules of the proposals on opinions over real ones: selection, verification of quotes, offsets, packets."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from e2e.neochart import FROZEN, SPEC, candidate, part
from e2e.workspaces import read_rows, write_rows
from field.conftest import shared
from protoc_compiler.cli.compile import compiled
from protoc_compiler.emit.package import write
from protoc_runtime.diagnostics import Findings
from protoc_runtime.evaluating import evaluate
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.packets import packet_files
from protoc_runtime.scoring import read_data

OPINIONS = shared() / "data" / "opinions"
LAWS = ("review", "sentence", "agency", "contract", "speech")
ELEMENTS = [
    {"element": "holding", "kind": "act", "quote": "q", "notes": "the judgment is reversed, vacated or affirmed"},
    {"element": "standard", "kind": "test", "quote": "q", "notes": "the standard of review that the court applies"},
    {"element": "record", "kind": "fact", "quote": "q", "notes": "what the record, the jury or the trial shows"},
]  # fmt: skip

pytestmark = pytest.mark.skipif(not OPINIONS.is_dir(), reason=f"there are no opinions at {OPINIONS}")


def pool() -> list[dict[str, str]]:
    """Each opinion as it is, with one of five laws."""
    paths = sorted(OPINIONS.glob("*.txt"))
    return [
        {"case": path.stem, "law": LAWS[place % 5], "text": path.read_text(encoding="utf-8")}
        for place, path in enumerate(paths)
    ]


def cite(texts: list[str]) -> str:
    """A word that most of these opinions use often, and at least one of them once at most."""
    words = Counter(word for text in texts for word in set(re.findall(r"[a-z]{6,}", text)))
    for word in sorted(words):
        often = sum(text.count(word) > 1 for text in texts)
        if 3 <= often < len(texts):
            return word
    raise AssertionError("these opinions have no such word")


class Study:
    """The protocol, its rows and what its rules make of them."""

    def __init__(self, folder: Path) -> None:
        text = (SPEC / "protocol.yaml").read_text(encoding="utf-8")
        text = text.replace('rows: [Unlike, "order to show cause", "notice of appeal"]', 'rows: ["the", Court]')
        spec = folder / "protocol.yaml"
        spec.write_text(text, encoding="utf-8")
        (made,) = compiled([spec], Findings(), workspace=folder)
        write(made.files, folder / made.folder.name)
        self.package, self.data = folder / made.folder.name, folder / "data"
        self.data.mkdir()
        self.rows = self._rows()
        for name, content in self.rows.items():
            write_rows(self.data / f"{name}.jsonl", content)
        self.declared, self.rules = load_protocol(self.package), load_rules(self.package)
        self.tables = read_data(self.declared, self.data, Findings())
        self.results = evaluate(self.declared, self.rules, self.tables, {})
        (lines,) = [
            data
            for name, data in packet_files(self.declared, self.rules, self.tables, {}).items()
            if name == "packets.jsonl"
        ]
        self.packets = [json.loads(line) for line in lines.splitlines()]

    def _rows(self) -> dict[str, list[dict[str, Any]]]:
        opinions = pool()
        groups = {law: [row["text"] for row in opinions if row["law"] == law] for law in LAWS}
        given: dict[str, list[dict[str, Any]]] = {
            "laws": [
                {"law": law, "title": law, "cite": cite(texts), "elements": ELEMENTS} for law, texts in groups.items()
            ],
            "pool": opinions,
            "exclusions": [{"case": "assist001", "why": "earlier round"}],
        }
        for name, content in given.items():
            write_rows(self.data / f"{name}.jsonl", content)
        place = self.data / "spec" / "data"
        place.mkdir(parents=True)
        for name, content in given.items():
            write_rows(place / f"{name}.jsonl", content)
        given["cases"] = part("draw").sample(self.package, self.data / "spec")
        agent = part("agent/agent")
        given |= {name: [] for name in ("answers", "proposed", "calls", "events", "turns", "outcomes")}
        for number, case in enumerate(given["cases"]):
            name = case["case"]
            given["answers"].append({"case": name, "role": "applied"})
            wanted = agent.propose(ELEMENTS, case["text"])
            given["proposed"] += [
                candidate(name, position, each["element"], each["quote"]) for position, each in enumerate(wanted, 1)
            ]
            given["calls"].append({
                "case": name, "n": 1, "started_at": "2026-09-01T10:00:05Z", "verified_at": "2026-09-01T10:00:04Z",
                "prompt": case["text"], "model": "extractor-1", "reasoning": "medium", "cli_version": "extractor 1.0.2",
                "at_once": 1 + number % 3, "sandboxed": True, "wall": 1, "failed": False,
            })  # fmt: skip
            given["outcomes"].append({"case": name, "outcome": "scored", "wall": 1})
        given["frozen"] = [{"time": "2026-09-01T10:00:00Z", "clean": True, "paths": FROZEN}]
        given["runner"] = [{"batch": 20}]
        return given


@pytest.fixture(scope="module")
def study() -> Any:
    with TemporaryDirectory() as folder:
        yield Study(Path(folder))


def test_four_opinions_of_each_law_are_drawn(study: Study) -> None:
    cases = study.rows["cases"]
    assert Counter(row["law"] for row in cases) == dict.fromkeys(LAWS, 4)
    assert Counter((row["law"], row["pick"]) for row in cases) == {
        (law, pick): number for law in LAWS for pick, number in (("sparse", 1), ("other", 3))
    }  # fmt: skip
    expectations = {words: held for _, words, held in study.rules.expectations(study.tables)}
    assert expectations
    assert all(expectations.values())


def test_what_is_kept_stands_once_in_its_opinion_at_the_derived_place(study: Study) -> None:
    texts = {row["case"]: row["text"] for row in study.rows["cases"]}
    proposed = {(row["case"], row["position"]): row["quote"] for row in study.rows["proposed"]}
    assert len(study.packets) == len(proposed) > 20
    kept = 0
    for packet in study.packets:
        text, quote = texts[packet["case"]], proposed[packet["case"], packet["position"]]
        places = [match.start() for match in re.finditer(f"(?={re.escape(quote)})", text)]
        if packet["kept"]:
            kept += 1
            assert (places, packet["end"]) == ([packet["start"]], packet["start"] + len(quote))
            assert text[packet["start"] : packet["end"]] == packet["quote"] == quote
        elif packet["outcome"] in ("no_match", "ambiguous"):
            assert (len(places) == 0) == (packet["outcome"] == "no_match")
    assert kept > 10
    assert {name for name, value in study.results["gates"].items() if value is not True} == set()
    assert {name for name, value in study.results["blockers"].items() if value is True} == set()


def test_no_packet_shows_what_was_rejected(study: Study) -> None:
    assert read_rows(study.data / "proposed.jsonl")
    for packet in study.packets:
        if not packet["kept"]:
            assert set(packet) == {"case", "position", "kept", "outcome", "quote_sha256"}
