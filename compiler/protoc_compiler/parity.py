"""`procedure.parity` resolved: the columns, and the numbers as exact rationals."""

from __future__ import annotations

from fractions import Fraction

from protoc_compiler import syntax
from protoc_compiler.catalogue import manifests as kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.settings import FROZEN, key_cites
from protoc_compiler.spec_parts import Formula, texts, words
from protoc_runtime.parity.records import Parity


def parity(el: Elaborator) -> Parity | None:
    """What is compared, or None where the protocol does not say or what it says is refused."""
    written = el.spec.procedure.parity
    if written is None:
        return None
    threshold = _number(el, written.threshold, "the threshold")
    low = _number(el, written.low, "the lowest score", Fraction(0))
    high = _number(el, written.high, "the highest score", Fraction(1))
    if threshold is None or low is None or high is None:
        return None
    if not low <= threshold <= high:
        found = f"{written.threshold.text}, outside of the scores"
        el.findings.add(kinds.BAD_THRESHOLD, written.threshold.span, what="the threshold", found=found)
    columns = {key: name.text for key, name in written.columns}
    return Parity(
        columns["id"], columns["route"], columns["score"], threshold, columns["error"], columns.get("violation", ""),
        tuple(sorted(texts(written.summary))), low, high, words(written.says), key_cites(written.cites),
    )  # fmt: skip


def _number(el: Elaborator, written: Formula | None, what: str, otherwise: Fraction | None = None) -> Fraction | None:
    """A plain number, or a frozen one."""
    if written is None:
        return otherwise
    tree = written.tree
    if written.text.startswith(FROZEN):
        name = written.text.removeprefix(FROZEN)
        frozen = [item.value for item in el.spec.procedure.freeze if item.name.text == name and item.value is not None]
        tree = frozen[0].tree if frozen else tree
    sign = -1 if isinstance(tree, syntax.Negative) else 1
    inner = tree.operand if isinstance(tree, syntax.Negative) else tree
    if isinstance(inner, syntax.Number):
        return sign * inner.value
    el.findings.add(kinds.BAD_THRESHOLD, written.span, what=what, found=f"`{written.text}`")
    return None
