"""What `check` reports by proof: each kind from its example, and nothing where nothing is sure."""

from __future__ import annotations

from itertools import pairwise

import pytest

from protoc_compiler.catalogue import proof as kinds
from protoc_runtime.diagnostics import Kind
from unit.proving import ASK, ask
from unit.small import examine, ids, spec

BLOCKERS = ("\ngates:\n", "\nblockers:\n{}\n\ngates:\n")


def of_example(kind: Kind) -> str:
    """The small protocol with the rules of an example, instead of its own gate or beside it."""
    head, _, body = kind.example.partition("\n")
    if head == "gates:":
        return spec(changes=(("  enough: {says: Accuracy at least 75%., must: accuracy >= 75%}", body),))
    return spec(
        changes=(
            ("\ngates:\n", f"\nblockers:\n{body}\n\ngates:\n"),
            ("  - PASS", "  - FAIL when some blockers have fired\n  - PASS"),
        )
    )


@pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: kind.id)
def test_each_kind_is_told_of_its_example(kind: Kind) -> None:
    assert [item for item in ids(of_example(kind)) if item[1:3] == "28"] == [kind.id]


def test_the_message_names_the_gates_that_imply() -> None:
    found = examine(spec(gates="many: {says: At least 70., must: count(cases where good) >= 70}"))
    (told,) = [item for item in found.findings.sorted() if item.id == "N2806"]
    assert told.message == "the gate `many` holds whenever `enough` hold, at the counts that are expected"


@pytest.mark.parametrize("count", [71, 72, 73])
def test_what_is_implied_depends_on_the_counts(count: int) -> None:
    gate = f"many: {{says: At least {count}., must: count(cases where good) >= {count}}}"
    names = [item.message.split("`")[1] for item in examine(spec(gates=gate)).findings if item.id == "N2806"]
    assert names == {71: ["many"], 72: ["enough", "many"], 73: ["enough"]}[count]


def test_without_expected_counts_nothing_is_said_of_counts() -> None:
    free = ("      expect:\n        - count(cases) == 96\n", "")
    gate = "many: {says: At least 70., must: count(cases where good) >= 70}"
    assert [item for item in ids(spec(gates=gate, changes=(free,))) if item[1:3] == "28"] == []


def test_a_wrong_divisor_is_an_error_of_its_own() -> None:
    from protoc_compiler.proof.facts import Facts

    facts = Facts(ask(("is: TP / (TP + FN)", "is: TP / (TP + TN)")))
    assert facts.verdict("GOOD").state == "impossible"
    assert Facts(ask()).verdict("GOOD").state == "possible"
    text = ASK.read_text(encoding="utf-8").replace("is: TP / (TP + FN)", "is: TP / (TP + TN)", 1)
    (told,) = [item for item in examine(text).findings.sorted() if item.severity == "error"]
    assert (told.id, "`GOOD`" in told.message) == ("E2801", True)


def test_the_answers_do_not_depend_on_the_order_of_questions() -> None:
    from protoc_compiler.proof.cases import Cases
    from protoc_compiler.proof.facts import Facts

    one, other = Facts(ask()), Facts(ask())
    told, again = Cases(one), Cases(other)
    forward = [told.of(part) for part in one.parts[:4]]
    backward = [again.of(part) for part in other.parts[:4][::-1]][::-1]
    assert [(a.can_pass, a.can_fail, a.implied_by) for a in forward] == [
        (b.can_pass, b.can_fail, b.implied_by) for b in backward
    ]
    assert all(a.part.name < b.part.name for a, b in pairwise(forward))
