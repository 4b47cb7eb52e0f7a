"""The source pass: exact places, and every trap of YAML refused."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_compiler import source
from protoc_compiler.catalogue import source as kinds
from protoc_compiler.nodes import Mapping, Scalar, Sequence
from protoc_runtime.diagnostics import Findings

SHARED = Path(os.environ.get("PROTOC_SHARED", Path(__file__).parents[3] / "shared"))
DRAFTS = sorted((SHARED / "design" / "language" / "specs").glob("*.yaml"))
WITH_EXAMPLE = [kind for kind in kinds.KINDS if kind.example]


def read(text: str | bytes) -> tuple[Mapping | None, Findings]:
    findings = Findings()
    data = text.encode("utf-8", "surrogateescape") if isinstance(text, str) else text
    return source.read(data, "spec.yaml", findings), findings


def ids(text: str | bytes) -> list[str]:
    return [item.id for item in read(text)[1]]


def scalar(text: str, key: str = "a") -> Scalar:
    root, findings = read(text)
    assert root is not None, [item.message for item in findings]
    found = root.get(key)
    assert isinstance(found, Scalar)
    return found


@pytest.mark.parametrize("kind", WITH_EXAMPLE, ids=lambda kind: kind.name)
def test_example_triggers_exactly_its_kind(kind):
    assert ids(kind.example) == [kind.id]


def test_limits_are_refused():
    assert ids(b"# " + b"x" * source.MAX_BYTES) == ["E0102"]
    assert ids("a:\n" + "  - x\n" * 60_000) == ["E0121"]


def test_unreadable_file(tmp_path):
    findings = Findings()
    assert source.read(tmp_path / "absent.yaml", "absent.yaml", findings) is None
    assert source.read(tmp_path, "folder", findings) is None
    assert [item.id for item in findings] == ["E0101", "E0101"]


@pytest.mark.parametrize(
    "text",
    ["[" * 900_000, "a: " + "{" * 900_000, "- " * 400_000, "[a: " * 200_000, "? " * 300_000, '"' * 900_000],
)
def test_nesting_bombs_end_at_once(text):
    started = time.process_time()
    found = ids(text)
    assert found
    assert time.process_time() - started < 2


def test_alias_bomb_is_never_expanded():
    bomb = "a: &a [x, x]\n" + "".join(
        f"{name}: &{name} [{', '.join(['*' + before] * 9)}]\n"
        for before, name in zip("abcdefg", "bcdefgh", strict=True)
    )
    root, findings = read(bomb)
    assert {item.id for item in findings} == {"E0117"}
    assert len(findings) == 8 + 7 * 9
    assert root is None


def test_crlf_and_byte_order_mark_change_nothing():
    text = 'a: "x\n  y"\nb: |\n  one\n  two\nc: [p, q]\n'
    plain = read(text)[0]
    assert read("\ufeff" + text)[0] == plain
    assert read(text.replace("\n", "\r\n"))[0] == plain


def test_every_duplicate_is_told_with_the_first():
    _, findings = read("a: 1\nb: {c: 1, c: 2}\na: 2\na: 3\n")
    found = [(item.id, item.span.line, item.related[0].span.line) for item in findings.sorted()]
    assert found == [("E0122", 2, 2), ("E0122", 3, 1), ("E0122", 4, 1)]


def test_duplicate_key_keeps_the_first_value():
    assert scalar("a: 1\na: 2\n").text == "1"


@pytest.mark.parametrize(
    "value", ["no", "on", "010", "1:30", "0.90", "1_000", "~", "null", "0x1F", "2026-01-01", ".inf", "1e3"]
)
def test_scalars_stay_text(value):
    assert scalar(f"a: {value}\n").text == value


def test_empty_value_is_empty_text():
    assert scalar("a:\nb: x\n").text == ""


@pytest.mark.parametrize("value", ["decimal?", "path.py:run", "http://example.org", "2026-01-01T09:00Z", "what? yes"])
def test_word_marks_inside_braces(value):
    root, findings = read(f"m: {{a: {value}, b: [{value}, x]}}\n")
    assert not len(findings)
    inner = root.get("m")
    assert inner.get("a").text == value
    assert inner.get("b").items[0].text == value
    assert inner.get("a").span.column == 8


@pytest.mark.parametrize(
    ("text", "expected", "column"),
    [
        ("says: one: two\n", "E0111", 10),
        ("must: [a] == b\n", "E0112", 11),
        ('is: "x" in tags\n', "E0112", 9),
        ("is: 'x' in tags\n", "E0112", 9),
        ("is: {a: b} c\n", "E0112", 12),
        ("is: *x y\n", "E0117", 5),
        ("is: @x\n", "E0112", 5),
        ("is: %x\n", "E0112", 5),
        ("is: `x`\n", "E0112", 5),
        ("is: | x\n", "E0112", 7),
        ("is: > 3\n", "E0112", 7),
        ("- 'a' b\n", "E0112", 7),
        ("a:\n  b: 1\n c: 2\n", "E0113", 2),
        ("a: 1\n   b: 2\n", "E0113", 5),
        ('a: "x\n', "E0114", 4),
        ("a: {b: [c, d}\n", "E0114", 8),
        ("a: {b: c\nd: e\n", "E0114", 4),
        ("a: x\n\tb: y\n", "E0107", 1),
        ("a: b: c # x\n", "E0111", 5),
        ("a: - b\n", "E0110", 4),
        ("a: 1\nword\nb: 2\n", "E0110", 1),
    ],
)
def test_syntax_errors_name_the_form_that_works(text, expected, column):
    _, findings = read(text)
    (found,) = findings
    assert (found.id, found.span.column) == (expected, column)
    assert found.hint


@pytest.mark.parametrize("char", ["\u200b", "\u202e", "\u2066", "\ufeff", "\ue000", "\u2028", "\u3164", "\U000e0041"])
def test_invisible_characters_anywhere(char):
    assert ids(f"a: b{char}c\n") == ["E0106"]
    assert ids(f"a: b # {char}\n") == ["E0106"]
    assert ids(f'a: "\\U{ord(char):08x}"\n')[0] == "E0106"


@pytest.mark.parametrize("escape", ["\\0", "\\x07", "\\e", "\\x85"])
def test_control_characters_by_escape(escape):
    assert ids(f'a: "x{escape}"\n') == ["E0105"]


def test_byte_that_is_not_utf8_has_its_place():
    _, findings = read(b"a: 1\nb: x\xc3\x28\n")
    (found,) = findings
    assert (found.id, found.span.line, found.span.column) == ("E0103", 2, 5)


@pytest.mark.parametrize("mark", ["utf-16", "utf-16-le", "utf-16-be", "utf-32"])
def test_other_encodings(mark):
    assert ids("a: 1\n".encode(mark)) == ["E0104"]


def test_cut_values_are_put_together_again():
    root, findings = read('g: {is: wilson(a, "b", level = 95%).low, says: words, more}\nh: [f(a, b), c]\n')
    assert [item.id for item in findings] == ["E0116"] * 3
    assert root.get("g").get("is").text == 'wilson(a, "b", level = 95%).low'
    assert root.get("g").get("says").text == "words, more"
    assert [item.text for item in root.get("h").items] == ["f(a, b)", "c"]
    assert scalar('a: name == "no #1" # why\n').text == 'name == "no #1"'
    assert ids("a: f(b # open\n") == []


def at(scalar: Scalar, text: str) -> list[str]:
    lines = text.split("\n")
    return [lines[line - 1][column - 1 : column] for line, column in scalar.places[:-1]]


@pytest.mark.parametrize(
    "text",
    [
        "a: one two\n",
        "a: one\n  two\n\n\n  three   # note\n",
        "a:\n  one\n  two\n",
        "a: 'it''s one\n\n   two '' three'\n",
        'a: "one \\" two \\\\ \\u00e9\n  three\\\n  \\  four"\n',
        "a: |\n  one\n    two\n\n  three\nb: x\n",
        "a: |+\n  one\n\n\nb: x\n",
        "a: >-\n  one\n  two\n\n  three\n    deeper\n  four\n",
        "a: >2\n    one\n  two\n",
        "a: |  # note\n   é x\n   z\n",
    ],
)
def test_places_are_exact_in_every_style(text):
    found = scalar(text)
    assert len(found.places) == len(found.text) + 1
    assert list(found.places) == sorted(found.places)
    for char, there in zip(found.text, at(found, text), strict=True):
        assert char == there or char in " \n" or there == "\\"


def test_span_of_a_part_of_a_folded_formula():
    found = scalar("a: >-\n  count(x) >=\n  threshold\n")
    start = found.text.index("threshold")
    span = found.at(start, start + 9)
    assert (span.line, span.column, span.end_line, span.end_column) == (3, 3, 3, 12)


words = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "S", "Zs"]), min_size=1, max_size=12)


@given(st.lists(words, min_size=1, max_size=5), st.sampled_from(["single", "double", "literal", "folded"]))
@settings(max_examples=200, deadline=None)
def test_places_of_written_values(parts, style):
    if style == "single":
        body = "'" + "\n  ".join(part.replace("'", "''") for part in parts) + "'"
    elif style == "double":
        body = '"' + "\n  ".join(part.replace("\\", "\\\\").replace('"', '\\"') for part in parts) + '"'
    else:
        body = ("|" if style == "literal" else ">") + "2\n" + "\n".join("  " + part for part in parts)
    text = f"a: {body}\n"
    root, findings = read(text)
    if root is None or findings.failed:
        assert findings.failed
        return
    found = root.get("a")
    for char, there in zip(found.text, at(found, text), strict=True):
        assert char == there or char in " \n" or there == "\\"


@given(st.binary(max_size=300))
@settings(max_examples=300, deadline=None)
def test_arbitrary_bytes_never_raise(data):
    root, findings = read(data)
    assert root is not None or len(findings)


@given(st.text("ab:-?#&*!|>'\"%@[]{}, \n\t\\<~=.", max_size=60))
@settings(max_examples=1500, deadline=None)
def test_yaml_like_text_never_raises(text):
    root, findings = read(text)
    assert root is not None or findings.failed
    if root is not None:
        check_places(root)


def check_places(node):
    if isinstance(node, Scalar):
        assert len(node.places) == len(node.text) + 1
    for part in node.items if isinstance(node, Sequence) else []:
        check_places(part)
    for key, value in node.entries if isinstance(node, Mapping) else []:
        check_places(key)
        check_places(value)


@pytest.mark.skipif(not DRAFTS, reason="the shared folder is absent")
@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_drafts_have_only_the_commas_that_yaml_cuts(path):
    root, findings = read(path.read_bytes())
    assert root is not None
    assert {item.id for item in findings} <= {"E0116"}
    check_places(root)


@pytest.mark.parametrize("first", ["import ruamel.yaml", "import protoc_compiler.yaml_tree"])
def test_who_loads_the_yaml_library_beside_it_has_it_whole(first):
    code = (
        f"{first}\nimport sys, protoc_compiler.yaml_tree as ours\n"
        "from protoc_runtime.diagnostics import Findings\nfrom ruamel.yaml import YAML\nimport ruamel.yaml.error\n"
        "print(*(YAML(typ='safe', pure=pure).load('a: [1, 2]') for pure in (None, True)))\n"
        "print(ruamel.yaml.error.YAMLError)\n"
        "print(ours.compose('a: [1, 2]', 'x', Findings()).get('a').span)\n"
        "found = Findings()\nprint(ours.compose('a: b: c', 'x', found), *[item.id for item in found])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.splitlines() == [
        "{'a': [1, 2]} {'a': [1, 2]}",
        "<class 'ruamel.yaml.error.YAMLError'>",
        "Span(file='x', line=1, column=4, end_line=1, end_column=10)",
        "None E0111",
    ]


def test_a_spec_is_read_without_the_rest_of_the_yaml_library():
    code = "import sys, protoc_compiler.yaml_tree; print(*sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert not {"ruamel.yaml.main", "ruamel.yaml.constructor", "ruamel.yaml.comments"} & set(done.stdout.split())
