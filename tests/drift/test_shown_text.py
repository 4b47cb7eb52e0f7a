"""How texts are cut and moved to the left for a review: as `textwrap` does it, which takes longer to load."""

from __future__ import annotations

from textwrap import dedent, wrap

from hypothesis import example, given
from hypothesis import strategies as st

from protoc_compiler.drift.placing import dedented
from protoc_compiler.drift.show.text import _cut

LINES = st.text(st.sampled_from("ab-.é世 "), max_size=60)
INDENTED = st.lists(st.text(st.sampled_from(" \t\rab"), max_size=7), min_size=1, max_size=5)


@given(LINES, st.integers(3, 24))
@example("a    b", 3)
@example("aaa bbb", 3)
def test_a_line_is_cut_between_words(line: str, half: int) -> None:
    pieces = (
        wrap(line, half, drop_whitespace=False, break_on_hyphens=False) if len(line) > half else [line] * bool(line)
    )
    assert _cut(line, half) == [piece.rstrip() for piece in pieces]


@given(INDENTED)
@example(["  a", "", "   b"])
@example([" \ta", " b"])
def test_lines_lose_the_blanks_that_all_begin_with(lines: list[str]) -> None:
    assert "\n".join(dedented(lines)) == dedent("\n".join(lines))
