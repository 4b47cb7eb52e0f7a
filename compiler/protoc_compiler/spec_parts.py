"""What every section of a spec is made of: words and formulas with their places."""

from __future__ import annotations

from protoc_compiler.syntax import Expr, Line
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


@record
class Text:
    """Words or a name as written."""

    text: str
    span: Span


def words(text: Text | None) -> str:
    """A text, or nothing."""
    return text.text if text is not None else ""


def texts(written: tuple[Text, ...]) -> tuple[str, ...]:
    """The words of a list."""
    return tuple(item.text for item in written)


# --- formulas ---------------------------------------------------------------------------------------------------


@record
class Formula:
    """One formula; `text` is what the author wrote, one line."""

    text: str
    span: Span
    tree: Expr


@record
class FirstMatch:
    """`VALUE when CONDITION` lines; `texts[i]` is the i-th line as written. The last line has no condition.
    `cites` are those of all lines."""

    span: Span
    lines: tuple[Line, ...]
    texts: tuple[str, ...]
    cites: tuple[Text, ...] = ()


@record
class Conditions:
    """`{all: [...]}` or `{any: [...]}`: one condition per line, each reported by itself."""

    kind: Literal["all", "any"]
    span: Span
    parts: tuple[Formula, ...]


@record
class Custom:
    """A metric that the language cannot say: a function `path.py:function`, what it takes and gives."""

    span: Span
    python: Text
    takes: tuple[Formula, ...]
    gives: Text
    timeout: Formula | None = None


Body = Formula | FirstMatch | Conditions | Custom
