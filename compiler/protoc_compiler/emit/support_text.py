"""The hand-written half of `verify.py`: the modules of `support`, joined into one text."""

from __future__ import annotations

import ast
from functools import cache
from importlib.resources import files

from protoc_runtime.record import record

ORDER = (
    "values",
    "statistics",
    "functions",
    "proportions",
    "agreement",
    "rows",
    "narrowing",
    "items",
    "cells",
    "reading",
    "results",
    "resampling",
    "bundle",
    "command",
)
_OWN = "protoc_compiler"


@record
class Support:
    """The joined text, the imports that it needs, and the names that it takes."""

    imports: tuple[str, ...]
    text: str
    names: frozenset[str]


@cache
def support() -> Support:
    """Join the modules; each keeps its docstring as a heading."""
    whole: set[str] = set()
    parts: dict[str, set[str]] = {}
    names: set[str] = set()
    texts = []
    for module in ORDER:
        source = files(f"{__package__}.support").joinpath(f"{module}.py").read_text("utf-8")
        tree = ast.parse(source)
        _imports(tree, whole, parts)
        names |= _bound(tree)
        texts.append(_heading(ast.get_docstring(tree) or module) + _body(source, tree))
    imports = [f"import {name}" for name in sorted(whole)]
    imports += [f"from {name} import {', '.join(sorted(given))}" for name, given in sorted(parts.items())]
    names |= whole | {name for given in parts.values() for name in given}
    return Support(tuple(imports), "\n\n\n".join(texts) + "\n", frozenset(names))


def _imports(tree: ast.Module, whole: set[str], parts: dict[str, set[str]]) -> None:
    for node in tree.body:
        if isinstance(node, ast.Import):
            whole.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module != "__future__":
            module = node.module or ""
            if not module.startswith(_OWN):
                parts.setdefault(module, set()).update(
                    alias.name if alias.asname is None else f"{alias.name} as {alias.asname}" for alias in node.names
                )


def _bound(tree: ast.Module) -> set[str]:
    names = set()
    for node in tree.body:
        if isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            names.add(node.name)
        elif isinstance(node, ast.Assign):
            names.update(target.id for target in node.targets if isinstance(target, ast.Name))
        elif isinstance(node, ast.AnnAssign) and isinstance(node.target, ast.Name):
            names.add(node.target.id)
    return names


def _heading(words: str) -> str:
    rule = "# " + "=" * 110
    return "\n".join([rule, *(f"# {line}".rstrip() for line in words.splitlines()), rule]) + "\n\n"


def _body(source: str, tree: ast.Module) -> str:
    lines = source.splitlines()
    behind = 0
    for node in tree.body:
        docstring = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        if isinstance(node, (ast.Import, ast.ImportFrom)) or docstring:
            behind = node.end_lineno or behind
    return "\n".join(lines[behind:]).strip("\n")
