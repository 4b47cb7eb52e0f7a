"""The functions of a verifier once more, so that also the conditions on single rows have distances.

Where `r['right']` is a condition of the row, its formula is measured and not only its outcome. This takes longer, and
is for rules that are not as they should be.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable
from types import FunctionType
from typing import Any

CELL = "cell_of"


class _Cells(ast.NodeTransformer):
    """Reads of a cell become calls."""

    def visit_Subscript(self, node: ast.Subscript) -> ast.AST:
        """`r['column']` as `cell_of(r, 'column')`."""
        self.generic_visit(node)
        if (
            isinstance(node.ctx, ast.Load)
            and isinstance(node.slice, ast.Constant)
            and isinstance(node.slice.value, str)
        ):
            called = ast.Call(ast.Name(CELL, ast.Load()), [node.value, node.slice], [])
            return ast.copy_location(called, node)
        return node


def reading_cells(pieces: Iterable[str], names: dict[str, Any]) -> None:
    """Make the functions of these pieces of a program in `names`, with their reads of cells as calls."""
    for piece in pieces:
        if piece.lstrip().startswith("def "):
            tree = ast.fix_missing_locations(_Cells().visit(ast.parse(piece)))
            exec(compile(tree, "verify.py", "exec", dont_inherit=True), names)  # noqa: S102  # our own program


def named(function: Any, names: dict[str, Any]) -> Any:
    """The function that was made of the same piece, or None."""
    if not isinstance(function, FunctionType):
        return None
    made = names.get(function.__name__)
    return made if isinstance(made, FunctionType) and made.__globals__ is names else None
