"""PROTOCOL.md: complete, in order, and proof against words that look like Markdown or HTML."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_compiler import core, pipeline, traceability
from protoc_compiler.core import BOOL, INT, Const, Item
from protoc_compiler.emit import prose
from protoc_runtime.record import replace
from unit import small
from unit.protocols import tickets
from unit.verifying import const, metric, over, study

HOSTILE = [
    "# heading",
    "a | b",
    "<script>alert(1)</script>",
    "![x](http://x)",
    "`code`",
    "1. one",
    "- item",
    "a\n# b",
    "&lt;",
]


def test_sections_stand_in_the_order_of_the_language() -> None:
    items = (
        metric("size", over("count", kind=INT), text="count(cases)", says="how many"),
        Item(
            "blockers",
            "P1",
            BOOL,
            Const(BOOL, False),
            "size < 1",
            says="Nothing to read.",
            forces="INVALID",
            cites=("R7",),
        ),
        Item(
            "gates",
            "P2",
            BOOL,
            Const(BOOL, True),
            "all of",
            says="Enough.",
            joined="all",
            parts=(("size > 3", const(True)),),
        ),
    )
    choose = core.Choose(core.TEXT, ((const(True), const("A")),), const("B"))
    verdict = Item("verdict", "verdict", core.TEXT, choose, "A when size > 3; B otherwise", words=("A", "B"))
    page = prose.render(
        study(*items, verdict, released=("A",), statements=(core.Statement("limit", "limit 1", "Small."),))
    )
    titles = re.findall(r"^## (.*)$", page, re.M)
    assert titles == ["Question", "Data", "Metrics", "Blockers", "Gates", "Verdict", "Limits"]
    assert "**P1**: Nothing to read. (R7)\n\n- `size < 1`\n- forces INVALID; where it is undefined, it fires" in page
    assert "All of these:\n\n- `size > 3`" in page
    assert "1. `A when size > 3`\n2. `B otherwise`" in page
    assert "| size | how many | `count(cases)` |" in page


def test_columns_subject_splits_and_frozen_values_are_told() -> None:
    page = prose.render(tickets())
    assert "| latency | ms |  |" in page
    assert "| route | one of billing, refund, other, may be undefined |  |" in page
    assert "- It sees case, and nothing else (D2)." in page
    assert "- A case ends after 5 s." in page
    assert "| held | heldout | score once |" in page
    assert "| prompt | the file `prompt.txt` |" in page
    assert "| 0.4 | false |" in page


def test_baselines_former_roles_and_every_cite_are_told() -> None:
    plain = tickets()
    (frozen,), (first, *_), subject = plain.freeze[:1], plain.phases, plain.subject
    assert subject is not None
    split = replace(plain.splits[0], was="heldout", baseline="1 of 36 passed", says="seen", cites=("D151",))
    page = prose.render(
        replace(
            plain,
            splits=(split,),
            freeze=(replace(frozen, cites=("D3",)),),
            phases=(replace(first, says="tune it", cites=("D14",)),),
            subject=replace(subject, cites=((subject.kind, ("D15",)), ("sees", ("D16",)), ("timeout", ("D17",)))),
        )
    )
    assert "was heldout" in page
    assert "| 1 of 36 passed | seen (D151) |" in page
    assert "(D3) |" in page
    assert "| tune it (D14) |" in page
    assert "once per row of cases (D15)." in page
    assert "and nothing else (D16)." in page
    assert "5 s (D17)." in page


@pytest.mark.parametrize("words", HOSTILE)
def test_words_draw_nothing(words: str) -> None:
    plain = prose.render(study(metric("m", const(1), text="1", says="words")))
    page = prose.render(study(metric("m", const(1), text="1", says=words)))
    assert len(page.splitlines()) == len(plain.splitlines())
    bare = re.sub(r"\\.", "", page)
    for mark in ("<script", "](", "&lt;"):
        assert mark not in bare
    row = next(line for line in page.splitlines() if line.startswith("| m |"))
    assert len(re.findall(r"(?<!\\)\|", row)) == 4


@given(st.text())
def test_formulas_stay_inside_their_code_span(formula: str) -> None:
    shown = prose.code(formula)
    if shown:
        fence = re.match("`+", shown)
        assert fence is not None
        inside = shown[len(fence[0]) : -len(fence[0])]
        assert shown.endswith(fence[0])
        assert all(len(run) != len(fence[0]) for run in re.findall("`+", inside))
        assert "\n" not in shown


def test_the_page_is_the_same_each_time() -> None:
    assert prose.render(tickets()) == prose.render(tickets())


def test_what_the_lines_of_lists_cite_is_told(tmp_path) -> None:
    """Of every first-match list, at its place: the verdict, a sub-verdict, a status, a definition, a metric."""
    protocol, findings = pipeline.check(written(tmp_path, CITING))
    assert [found.id for found in findings.sorted() if found.severity == "error"] == []
    assert protocol is not None
    assert {(said.place, said.rule) for said in traceability.said(protocol)} == {
        ("definitions: size", "R1"),
        ("definitions: rows.kind", "R2"),
        ("metrics: score", "R3"),
        ("metrics: score", "R4"),
        ("verdicts: quick", "R5"),
        ("verdict: verdict", "R6"),
        ("statuses: told", "R7"),
    }
    page = prose.render(protocol)
    for words in ("Sub-verdict **quick** (R5):", "condition is true (R6):", "| told | (R7) |", "(R3, R4)"):
        assert words in page


CITING = """
definitions:
  size:
    - {is: big when count(rows) >= 2, cites: [R1]}
    - small otherwise
  rows.kind:
    - {is: long when label == a, cites: [R2]}
    - short otherwise
metrics:
  score:
    is:
      - {is: 2 when count(rows) >= 2, cites: [R4]}
      - 1 otherwise
    cites: [R3]
verdicts:
  quick:
    - {is: FAST when size == big, cites: [R5]}
    - SLOW otherwise
verdict:
  - {is: GOOD when score >= 2, cites: [R6]}
  - BAD otherwise
report:
  released: [GOOD]
  statuses:
    told:
      - {is: many when count(rows where kind == long) >= 1, cites: [R7]}
      - few otherwise
"""


def written(folder, rest: str):
    """A spec with one table of rows, and the rest."""
    path = folder / "protocol.yaml"
    head = "protoc: 1\nprotocol: {id: cites, version: 1, title: Cites}\ndata:\n  tables:\n"
    path.write_text(f"{head}    rows: {{file: rows, key: id, columns: {{id: text, label: [a, b]}}}}{rest}", "utf-8")
    return path


def test_what_is_withheld_stands_with_its_condition() -> None:
    spec = small.SPEC.replace(
        "metrics:\n", "metrics:\n  withheld when: freeze.limit > 3\n  not withheld: [n]\n  n: count(cases)\n"
    )
    spec = spec.replace("  lists:\n", "  withheld when: freeze.limit > 4\n  lists:\n")
    done = pipeline.examine("protocol.yaml", spec.encode())
    assert done.protocol is not None, [item.message for item in done.findings]
    page = prose.render(done.protocol)
    words = "Withheld, so undefined and marked, while {} is true or undefined: {}."
    assert words.format("`freeze.limit > 3`", "accuracy") in page
    assert words.format("`freeze.limit > 4`", r"hard\_ones") in page
