"""The documentation against the tool: every example checks as its page says."""

from __future__ import annotations

import io
import json
import re
from fractions import Fraction
from functools import cache
from itertools import count
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import library, pipeline, sections
from protoc_compiler.catalogue import all_kinds
from protoc_compiler.cli import main
from protoc_compiler.elaborate.kinds import PLAIN, UNITS
from protoc_compiler.shape import Keys, Shape
from protoc_runtime.observed import RECORDS, TABLES
from unit.doc_blocks import PAGES, ROOT, Block, blocks, insert, whole

ALL = [block for page in PAGES for block in blocks(page)]
SPECS = [block for block in ALL if block.language == "yaml"]
LINKING = sorted({*PAGES, ROOT / "CHANGELOG.md", *(ROOT / "docs").rglob("*.md")})
LANGUAGE = (ROOT / "docs" / "language.md").read_text(encoding="utf-8")
UNUSED = "W0315"  # a fragment may define what nothing uses


def base_of(page: str) -> str:
    """The spec of a page that its fragments go into."""
    return next((block.text for block in SPECS if block.page == page and block.mark("base") is not None), "")


@pytest.mark.parametrize("block", SPECS, ids=lambda block: block.label)
def test_an_example_checks_as_its_page_says(block: Block) -> None:
    assert block.marks, "a yaml block must say what it is"
    fragment = block.mark("in") is not None or block.mark("parts") is not None
    text = whole(block, base_of(block.page))
    findings = pipeline.examine(ROOT / "docs" / "example.yaml", text.encode()).findings.sorted()
    shown = [(item.id, item.message, item.span and item.span.line) for item in findings]
    found = [item.id for item in findings if not (fragment and item.id == UNUSED)]
    assert found == [block.mark("finds")] * (block.mark("finds") is not None), f"{shown}\n{text}"


VALUES = [
    line.strip()
    for block in ALL
    if block.mark("values") is not None
    for line in block.text.splitlines()
    if line.strip()
]
TABLE = """protoc: 1
protocol: {id: values, version: 1, title: Values}
data:
  tables:
    t:
      key: k
      columns: {y: int?, seen: bool?}
      rows:
        a: {x: 1, y: 2, ok: true, p: 0.01, seen: true}
        b: {x: 2, y: 1, ok: false, p: 0.04, seen: false}
        c: {x: 4, y: 4, ok: true, p: 0.03, seen: true}
        d: {x: 8, y: null, ok: true, p: 0.5, seen: null}
definitions:
  none: t where x > 100
metrics:
%s
verdict: [A otherwise]
"""


def test_each_value_on_the_page_is_what_comes_out(tmp_path: Path) -> None:
    assert len(VALUES) > 50
    pairs = [re.split(r" {2,}", line) for line in VALUES]
    metrics = "\n".join(f"  m{number}: '{formula}'" for number, (formula, _) in enumerate(pairs))
    (tmp_path / "protocol.yaml").write_text(TABLE % metrics, encoding="utf-8")
    out, err = io.StringIO(), io.StringIO()
    main(["score", str(tmp_path), "--data", str(tmp_path), "--format", "json"], io.StringIO(), out, err)
    assert out.getvalue(), err.getvalue()
    found = json.loads(out.getvalue())["metrics"]
    shown = [(formula, show(found[f"m{number}"])) for number, (formula, _) in enumerate(pairs)]
    assert shown == [(formula, plain(value)) for formula, value in pairs]


def show(value: Any) -> str:
    """A value of the JSON of `score` as the page writes it."""
    if isinstance(value, dict) and "float" in value:
        return str(value["float"])
    if isinstance(value, dict):
        number = f"{value['num']}/{value['den']}" if value["den"] != 1 else f"{value['num']}"
        return f"{number} {value['unit']}" if "unit" in value else number
    if isinstance(value, list):
        return "[" + ", ".join(map(show, value)) + "]"
    if value is None or isinstance(value, bool):
        return {None: "undefined", True: "true", False: "false"}[value]
    return str(value)


def plain(text: str) -> str:
    """Decimals of the page are exact, and shown as ratios; twelve places are those of a real."""
    if re.fullmatch(r"-?[0-9]+\.[0-9]{1,11}", text):
        value = Fraction(text)
        return f"{value.numerator}/{value.denominator}"
    return text


def test_the_page_of_the_language_names_everything() -> None:
    words = set(re.findall(r"[\w.]+", LANGUAGE))
    wanted = {*library.names(), *UNITS, *PLAIN}
    wanted |= {name for columns in (*TABLES.values(), *RECORDS.values()) for name in columns}
    wanted |= {part for key in keys_of(sections.SPEC) for part in key.split()}
    assert not sorted(wanted - words)


def keys_of(shape: object) -> set[str]:
    """Every key of the language, at any depth."""
    found: set[str] = set()
    if isinstance(shape, Keys):
        for key in shape.keys:
            found |= {key.name} | keys_of(key.shape)
    for part in ("keys", "rest", "value", "item", "items", "special"):
        inner = getattr(shape, part, None)
        if isinstance(inner, Shape):
            found |= keys_of(inner)
    return found


def test_pages_name_only_diagnostics_that_exist() -> None:
    known = {kind.id for kind in all_kinds()}
    for page in (page for page in PAGES if page.name != "errors.md"):
        for word in re.findall(r"\b[EWN]\d{4}\b", page.read_text(encoding="utf-8")):
            assert word in known, f"{page.name}: {word}"


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.relative_to(ROOT).as_posix())
def test_links_lead_somewhere(page: Path) -> None:
    """To a file that is there and, behind `#`, to a title of it."""
    for target, anchor in re.findall(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)", _prose(page)):
        if "://" in target:
            continue
        goal = (page.parent / target) if target else page
        assert goal.exists(), target
        if anchor:
            assert anchor in _anchors(goal), f"{target}#{anchor}"


def _prose(page: Path) -> str:
    """The text of a page without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", page.read_text(encoding="utf-8"), flags=re.MULTILINE | re.DOTALL)


@cache
def _anchors(page: Path) -> set[str]:
    """What links may name on a page: its titles, a title that stands again with a number."""
    made: set[str] = set()
    for title in re.findall(r"^#+ (.*)$", _prose(page), re.MULTILINE):
        name = re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-")
        made.add(name if name not in made else next(f"{name}-{n}" for n in count(1) if f"{name}-{n}" not in made))
    return made


def test_lines_are_put_where_they_belong() -> None:
    text = "data:\n  tables:\n    a: {}\nmetrics:\n  m: 1\nverdict:\n  - A otherwise\n"
    assert "  m: 1\n  n: 2\nverdict" in insert(text, "metrics", "n: 2\n")
    assert "data:\n  tables:\n    a: {}\n    b: {}\nmetrics" in insert(text, "data.tables", "b: {}\n")
    assert "    a: {}\n  records:\n    r: {}\nmetrics" in insert(text, "data.records", "r: {}\n")
    assert insert(text, "verdict", "- B otherwise\n").endswith("verdict:\n  - B otherwise\n")
    assert "gates:\n  g: {}\nverdict" in insert(text, "gates", "g: {}\n")
