"""Runs the LALR table over tokens.

The stacks are plain lists, so nesting cannot overflow Python's own stack; `depth` of the result is told, so that the
passes after it, which do recurse, never meet a tree that is too deep.
"""

from __future__ import annotations

from collections.abc import Sequence

from protoc_compiler import _parser
from protoc_compiler.lexer import END, Token
from protoc_compiler.tree_actions import ACTIONS, Locate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, TypeAlias

MAX_DEPTH = 64
_TABLE: tuple[dict[str, int], ...] = _parser.ACTIONS
_GOTO: tuple[dict[str, int], ...] = _parser.GOTO
_RULES = tuple((left, length, action, kept, ACTIONS.get(action)) for left, length, action, kept in _parser.RULES)
_SETTLED: dict[str, dict[tuple[int, int, str], int]] = {start: {} for start in _parser.START}
_Read: TypeAlias = "tuple[Any, int, int, int]"  # what is read, its ends in the text, its depth


class Stuck(Exception):
    """No move for the token with this index."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


class TooDeep(Exception):
    """The tree is nested deeper than `MAX_DEPTH`, seen at the token with this index."""

    def __init__(self, index: int) -> None:
        super().__init__(index)
        self.index = index


def run(tokens: Sequence[Token], start: str, locate: Locate) -> Any:
    """The tree of `tokens`; `start` is `expr` or `line`. Raises `Stuck` or `TooDeep`."""
    states = [_parser.START[start]]
    read: list[_Read] = []
    final = _parser.END[start]
    settled = _SETTLED[start]
    for index, token in enumerate(tokens):
        kind = token.kind
        while True:
            move = _TABLE[states[-1]].get(kind, 0)
            if move > 0:
                states.append(move - 1)
                read.append((token, token.start, token.end, 0))
                break
            if move == 0:
                raise Stuck(index)
            left, length, action, kept, build = _RULES[-move - 1]
            if length == 1 and not action:
                place = (states[-2], states[-1], kind)
                top = settled.get(place)
                if top is None:
                    top = settled[place] = _settle(*place, final)
                states[-1] = top
            else:
                parts = read[-length:]
                begin, end = parts[0][1], parts[-1][2]
                depth = 0
                for _, _, _, inside in parts:
                    if inside > depth:
                        depth = inside
                if build is not None:
                    depth += 1
                if depth > MAX_DEPTH:
                    raise TooDeep(index)
                kids = _children(parts, kept)
                value = build(kids, locate(begin, end), locate) if build else kids if action else kids[0]
                del states[-length:]
                states.append(_GOTO[states[-1]][left])
                read[-length:] = ((value, begin, end, depth),)
            if kind == END and states[-1] == final:
                return read[-1][0]
    raise Stuck(len(tokens) - 1)


def _settle(below: int, top: int, kind: str, final: int) -> int:
    """The state on top of another one when all rules that only give a part another name have been used.

    An operand alone takes a dozen of them, one for each kind of operator that it is no operand of.
    """
    while not (kind == END and top == final):
        move = _TABLE[top].get(kind, 0)
        if move >= 0:
            break
        left, length, action, *_ = _RULES[-move - 1]
        if length != 1 or action:
            break
        top = _GOTO[below][left]
    return top


def _children(parts: list[_Read], kept: tuple[int, ...]) -> list[Any]:
    kids: list[Any] = []
    for offset in kept:
        value = parts[offset][0]
        if type(value) is list:
            kids.extend(value)
        else:
            kids.append(value)
    return kids


def possible(tokens: Sequence[Token], kinds: Sequence[str], start: str) -> list[str]:
    """Which of these kinds of token could follow `tokens`, all of which can be read."""
    states = [_parser.START[start]]
    final = _parser.END[start]
    for token in tokens:
        _advance(states, token.kind, final)
    return [kind for kind in kinds if _advance(list(states), kind, final)]


def _advance(states: list[int], kind: str, final: int) -> bool:
    """Take one token without building anything; whether there was a move for it."""
    while True:
        move = _TABLE[states[-1]].get(kind, 0)
        if move > 0:
            states.append(move - 1)
        if move >= 0:
            return move > 0
        left, length, *_ = _RULES[-move - 1]
        del states[len(states) - length :]
        states.append(_GOTO[states[-1]][left])
        if kind == END and states[-1] == final:
            return True
