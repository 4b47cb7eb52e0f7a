"""Compares "at least", "below" and their like in the words of a rule with the comparison of the same number.

Only where there is no doubt: one such phrase beside the number, one comparison with it, and no negation anywhere but a
"No ..." that begins the sentence and turns the phrase: "No answer costs more than 5" is at most 5. A condition
("..., if there are 5 or more") may stand in the formula as what is otherwise enough: `count(answers) < 5 or ...`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from fractions import Fraction

from protoc_compiler import syntax
from protoc_compiler.number_words import Said, is_letter
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

# Read without regular expressions: to compile one for each line takes as long as to read the words of a spec.
_BEFORE = (
    (">=", ("at or above", "at least", "no less than", "no fewer than", "a minimum of", "not below", "not under",
            "not less than")),
    ("<=", ("at or below", "at most", "no more than", "up to", "a maximum of", "not above", "not over",
            "not more than")),
    (">", ("more than", "greater than", "larger than", "above", "over", "exceeds")),
    ("<", ("less than", "fewer than", "smaller than", "below", "under")),
)  # fmt: skip
_AFTER = (
    (">=", ("or more", "or above", "or over", "or better")),
    ("<=", ("or less", "or fewer", "or below", "or under")),
)
_NEGATIONS = frozenset(
    ("no", "not", "never", "none", "neither", "nor", "nothing", "without", "unless", "except", "cannot")
)
_NONE_OF_THEM = r"(?i)(?:in )?no (?!more |fewer |less )(?=\w)|none of |nobody |nothing "
_IF = frozenset(("if", "when", "whenever", "where", "wherever", "once", "provided"))
_OF_A_NOUN = ("of", "with", "from", "for", "in", "over", "by")
_MIRRORED = {">=": "<=", "<=": ">=", ">": "<", "<": ">"}
_OPPOSITE = {">=": "<", "<=": ">", ">": "<=", "<": ">="}


@record
class Contradiction:
    """The words say `said` of a number, and the formula compares it by `op` in `tree`."""

    said: str
    number: Said
    op: str
    tree: syntax.Chain


def contradictions(
    words: str, said: list[Said], nodes: list[syntax.Tree], values: Any, fires: bool, parts: Sequence[syntax.Tree] = ()
) -> Iterator[Contradiction]:
    """Numbers whose phrase and comparison go different ways; `nodes` are all of the formula, `parts` those of an
    `any:`, `values(tree)` is the value of an expression of literals.

    A blocker (`fires`) may be told by what it forbids or by what it demands.
    """
    chains = [node for node in nodes if isinstance(node, syntax.Chain)] if said else []
    if not chains or any(map(_negated, nodes)):
        return
    alternatives = [part for node in nodes if isinstance(node, syntax.Or) for part in node.parts] + list(parts)
    for number in said:
        phrase = _phrase(words, number)
        found = [(op, chain) for chain in chains for op in _compared(chain, number, values)] if phrase else []
        if phrase is None or len(found) != 1:
            continue
        ((op, chain),) = found
        excused = _conditional(words[: number.start]) and any(chain is part for part in alternatives)
        allowed = {phrase[0], _OPPOSITE[phrase[0]]} if fires or excused else {phrase[0]}
        if op not in allowed and not (op == "==" and 0 in number.values):
            yield Contradiction(phrase[1], number, op, chain)


def _conditional(before: str) -> bool:
    """Whether the clause in which a number stands, behind these words, is a condition."""
    clause = before[1 + max(map(before.rfind, ",;:.()")) :]
    return not _IF.isdisjoint(clause.lower().split())


def _phrase(words: str, number: Said) -> tuple[str, str] | None:
    """The comparison that the words beside a number say, and these words; None where a negation may turn it."""
    before = words[: number.start]
    told = _told_before(before) or _told_after(words[number.end :])
    if told is None:
        return None
    (op, phrase), rest = told, words.replace(told[1], " ", 1)
    if _turned(words, before, phrase) and not _negates(re.sub(_NONE_OF_THEM, "", rest, count=1)):
        return _OPPOSITE[op], f"{words.split()[0]} ... {phrase}"
    return None if _negates(rest) else (op, phrase)


def _told_before(text: str) -> tuple[str, str] | None:
    """The comparison with which a text ends, and how it is written."""
    said = text.rstrip()
    for op, phrases in _BEFORE if said != text else ():
        for phrase in phrases:
            start = len(said) - len(phrase)
            if said[max(start, 0) :].lower() == phrase and not is_letter(said[:start][-1:]):
                return op, said[start:]
    return None


def _told_after(text: str) -> tuple[str, str] | None:
    """The comparison with which a text begins, if need be behind one word, and how it is written."""
    said = text.lstrip()
    word = said[: next((at for at, char in enumerate(said) if not is_letter(char)), len(said))]
    behind = said[len(word) :]
    texts = [behind.lstrip()] if word and behind[:1].isspace() else []
    for op, phrases in _AFTER:
        for each in (*texts, said):
            for phrase in phrases:
                if each[: len(phrase)].lower() == phrase and not is_letter(each[len(phrase) : len(phrase) + 1]):
                    return op, each[: len(phrase)]
    return None


def _negates(text: str) -> bool:
    return not _NEGATIONS.isdisjoint(re.findall(r"\w+", text.lower()))


def _turned(words: str, before: str, phrase: str) -> bool:
    """Whether "No ..." turns a phrase: the only number of the words, and no part of a noun ("No case of more than")."""
    if words[:1] not in ("N", "n", "I", "i"):
        return False
    if not re.match(_NONE_OF_THEM, words) or len(re.findall(r"\d+(?:\.\d+)?", words)) != 1:
        return False
    told = re.search(rf"(\w+)\s+{re.escape(phrase)}\s+$", before, re.IGNORECASE)
    return bool(told and told[1].lower() not in _OF_A_NOUN)


def _compared(chain: syntax.Chain, number: Said, values: Any) -> Iterator[str]:
    """How a comparison compares something with this number, the number on the right."""
    for left, op, right in zip(chain.operands, chain.ops, chain.operands[1:], strict=False):
        if op == "==" and (_is(values(right), number) or _is(values(left), number)):
            yield op
        if op in _MIRRORED:
            if _is(values(right), number):
                yield op
            if _is(values(left), number):
                yield _MIRRORED[op]


def _is(value: Fraction | None, number: Said) -> bool:
    return value is not None and value in number.values


def _negated(node: syntax.Tree) -> bool:
    """Whether a part of a formula turns the sense of its comparisons."""
    return isinstance(node, syntax.Not) or (isinstance(node, syntax.Quantified) and node.quantifier == "no")
