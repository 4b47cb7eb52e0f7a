"""Code stands on one line where it fits, and is broken where it does not."""

from __future__ import annotations

import ast

from hypothesis import example, given
from hypothesis import strategies as st

from protoc_compiler.emit.layout import WIDTH, Code, Group, Prefixed, broken, call, flat, tuple_of

NAMES = st.integers(1, 60).map(lambda size: "x" * size)
CODES: st.SearchStrategy[Code] = st.recursive(
    NAMES,
    lambda inside: st.one_of(
        st.lists(inside, max_size=5).map(lambda items: call("f", *items)),
        st.lists(inside, max_size=5).map(lambda items: tuple_of(tuple(items))),
        inside.map(lambda code: Prefixed("lambda: ", code)),
    ),
    max_leaves=25,
)


@given(CODES, st.integers(0, 20), st.integers(0, 20))
@example(call("f", "x" * (WIDTH - 3)), 0, 0)
@example(call("f", "x" * (WIDTH - 2)), 0, 0)
def test_code_is_broken_just_where_it_is_too_long(code: Code, indent: int, used: int) -> None:
    whole = flat(code)
    fits = isinstance(code, str) or indent + used + len(whole) <= WIDTH
    made = broken(code, indent, used)
    assert made == whole if fits else made != whole or _unbreakable(code)
    assert ast.dump(ast.parse(made, mode="eval")) == ast.dump(ast.parse(whole, mode="eval"))


def _unbreakable(code: Code) -> bool:
    """Whether there is nothing in it behind which a line could end."""
    return isinstance(code, str) or (isinstance(code, Prefixed) and _unbreakable(code.code))


def test_a_group_of_nothing_stands_alone() -> None:
    assert broken(Group("[", (), "]")) == "[]"
