"""`fmt`: canonical layout, the same meaning, and nothing left to do the second time."""

from __future__ import annotations

import os
import random
from pathlib import Path

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from protoc_compiler import sections, source
from protoc_compiler.fmt import format_text, meaning
from protoc_runtime.diagnostics import Findings, Refused

SHARED = Path(os.environ.get("PROTOC_SHARED", Path(__file__).parents[3] / "shared"))
DRAFTS = sorted((SHARED / "design" / "language" / "specs").glob("*.yaml"))

CANONICAL = """\
# yaml-language-server: $schema=spec.schema.json
protoc: 1
protocol:
  id: demo        # a note
  version: 1
  title: >-
    folded
    words

data:
  # about the tables
  tables:
    cases:
      key: case
      columns: {case: text,
        kind: [a, b]}
  splits:
    dev: {role: development, may: [tune]}

gates:
  # first gate
  g:
    says: "two
      lines"
    must:
      all:
        - 1 == 1
        - 2 == 2    # aligned

verdict:
  - PASS when all gates have held
  - FAIL otherwise

report:
  released: [PASS]
  duties:
    - says: one
      cites: [R1]
    - |
      literal
        deeper

      end

# the end
"""


def fmt(text: str) -> str:
    return format_text(text.encode()).decode()


def read(text: str):
    findings = Findings()
    root = source.read(text.encode(), "spec.yaml", findings)
    assert root is not None, [item.message for item in findings]
    assert not findings.failed
    return root


def test_canonical_text_stays():
    assert fmt(CANONICAL) == CANONICAL


def test_sections_and_keys_get_their_order():
    mixed = (
        "verdict:\n- F otherwise\n# of data\ndata:\n  splits:\n    d: x\n"
        "  # of tables\n  tables:\n    t: x\nprotoc: 1\n"
    )
    assert fmt(mixed) == (
        "protoc: 1\n\n# of data\ndata:\n  # of tables\n  tables:\n    t: x\n  splits:\n    d: x\n\n"
        "verdict:\n  - F otherwise\n"
    )


def test_order_inside_braces():
    assert fmt("{verdict: [F otherwise], protoc: 1}\n") == "{protoc: 1, verdict: [F otherwise]}\n"
    assert fmt("report: {duties: [a], released: [P]}\n") == "report: {released: [P], duties: [a]}\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("a:\n    b:\n        c: d\n", "a:\n  b:\n    c: d\n"),
        ("a:\n- x\n-   y: z\n    w: v\n", "a:\n  - x\n  - y: z\n    w: v\n"),
        ("a:\n-\n  x: y\n", "a:\n  -\n    x: y\n"),
        ("a:\n- - x\n  -   y\n", "a:\n  - - x\n    - y\n"),
        ("a: x   \n\n\n\nb: y", "a: x\n\nb: y\n"),
        ("a:\n  - # note\n    x\n", "a:\n  - # note\n    x\n"),
        ("a:\n  -   # note\n  - x\n", "a:\n  -   # note\n  - x\n"),
        ("a: |\n        x\n          y\n", "a: |\n  x\n    y\n"),
        ("a:\n    b: |2\n        x\n      y\n", "a:\n  b: |2\n      x\n    y\n"),
        ("a: >\n    x\n\n\n    y\nb: z\n", "a: >\n  x\n\n\n  y\n\nb: z\n"),
        ("a: x\n       y\n", "a: x\n  y\n"),
        ("a: |+\n  x\n\n\nb: z\n", "a: |+\n  x\n\n\nb: z\n"),
        ("a: |+\n  x\nb: z\n", "a: |+\n  x\nb: z\n"),
        ("---\na: b\n...\n", "a: b\n"),
        ("\ufeffa: b\r\nc: d\r\n", "a: b\n\nc: d\n"),
        ('a: "x \n   y\\ \n   z"\n', 'a: "x \n  y\\ \n  z"\n'),
    ],
)
def test_layout(text, expected):
    assert fmt(text) == expected
    assert fmt(expected) == expected


def test_schema_line_comes_first():
    text = "# about this file\n# yaml-language-server: $schema=x.json\n\nprotoc: 1\n"
    assert fmt(text).splitlines()[0] == "# yaml-language-server: $schema=x.json"


def test_unreadable_text_is_refused():
    with pytest.raises(Refused) as refused:
        fmt("a: [\n")
    assert refused.value.diagnostics[0].id == "E0114"
    with pytest.raises(Refused):
        fmt("a: 1\na: 2\n")


def disturbed(text: str, seed: int) -> str:
    """The same spec with other layout: sections shuffled, comments, blank lines, deeper indentation, CR LF."""
    chance = random.Random(seed)
    chunks, current = [], []
    for line in text.splitlines():
        if current and line[:1].isalpha():
            chunks.append(current)
            current = []
        current.append(line)
    chunks.append(current)
    if chance.random() < 0.7:
        chance.shuffle(chunks)
    step = chance.choice([1, 1, 2, 3])
    made = []
    for line in (line for chunk in chunks for line in chunk):
        indent = len(line) - len(line.lstrip(" "))
        if chance.random() < 0.1 and line[:1].isalpha():
            made += chance.choice([["# a comment"], ["", "# a comment", ""], ["", ""], ["  # deeper"]])
        made.append(" " * (indent * step) + line.lstrip(" "))
    return chance.choice(["\n", "\r\n"]).join(made) + chance.choice(["", "\n", "\n\n# the end\n"])


@pytest.mark.skipif(not DRAFTS, reason="the shared folder is absent")
@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
@given(seed=st.integers(0, 1_000_000))
@settings(max_examples=6, deadline=None)
def test_disturbed_drafts_come_back(path, seed):
    # commas in braces that YAML cuts are faults of the draft
    lines = path.read_text(encoding="utf-8").splitlines()
    text = "\n".join(line for line in lines if "supersedes: {" not in line and "phase: review" not in line
                     and "Update issues" not in line) + "\n"  # fmt: skip
    before = meaning(read(text), sections.SPEC)
    made = fmt(disturbed(text, seed))
    assert meaning(read(made), sections.SPEC) == before
    assert fmt(made) == made


pieces = st.sampled_from(
    [
        "a:", "  b: x", "  - y", "    c: 'q", "  w'", "#n", "  # m", "      # deep", "",
        "  - k: v", "    l: |+", "      t",
        "d: |", "   z", "e: >2", "    u", "f: {g: h,", " i: j}", "  - - m", "report:",
        "  duties: [n]", "  released: [o]",
        "data: {splits: p, tables: q}", "protoc: 1", "  - ", "   ", 'r: "s \\', '  t"', "v: x", "  y",
    ]
)  # fmt: skip


@given(st.lists(pieces, min_size=1, max_size=12))
@example(["a:", "  - ", "#n", "  - y"])
@example(["d: |", "   z", "", "  # m", "protoc: 1"])
@settings(max_examples=500, deadline=None)
def test_formatting_is_stable_and_keeps_the_meaning(parts):
    text = "\n".join(parts) + "\n"
    try:
        made = fmt(text)
    except Refused:
        return
    assert fmt(made) == made
    assert meaning(read(made), sections.SPEC) == meaning(read(text), sections.SPEC)
    comments = sorted(line.strip() for line in text.splitlines() if line.strip() in ("#n", "# m", "# deep"))
    kept = sorted(line.strip() for line in made.splitlines() if line.strip() in ("#n", "# m", "# deep"))
    assert kept == comments
