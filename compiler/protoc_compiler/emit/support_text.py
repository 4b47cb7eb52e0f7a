"""The hand-written half of `verify.py`: the modules of `support`, joined into one text."""

from __future__ import annotations

import ast
import re
from functools import cache
from importlib.resources import files

from protoc_compiler.emit.support import ORDER
from protoc_runtime.record import record

_OWN = "protoc_compiler"
# the names that the lines of a module bind: parsing whole modules for them would take longer than all the rest
_BOUND = re.compile(r"^(?:def|class) (\w+)|^(\w+)(?:: [^=\n]+)? = ", re.MULTILINE)


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
        head, body = _parted(source)
        tree = ast.parse(head)
        _imports(tree, whole, parts)
        names.update(name for found in _BOUND.findall(body) for name in found if name)
        texts.append(_heading(ast.get_docstring(tree) or module) + body)
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


def _heading(words: str) -> str:
    rule = "# " + "=" * 110
    return "\n".join([rule, *(f"# {line}".rstrip() for line in words.splitlines()), rule]) + "\n\n"


def _parted(source: str) -> tuple[str, str]:
    """The docstring and imports of a module, and the rest."""
    lines = source.splitlines()
    start = at = next(number for number, line in enumerate(lines) if line.startswith("from __future__"))
    inside = False  # of an import over several lines
    while inside or not lines[at] or lines[at].startswith(("import ", "from ")):
        inside = lines[at].endswith("(") or (inside and lines[at] != ")")
        start = at + 1 if lines[at] else start
        at += 1
    return "\n".join(lines[:start]), "\n".join(lines[start:]).strip("\n")
