"""The modules beside a Python subject that it imports: they are part of its code, so they are pinned with it.

Found by reading the import statements, without running anything: `import a`, `from a import b`, `from .a import b`,
through as many files as it takes. What a program imports in other ways has to be named under `code`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

from protoc_runtime.canonical import read_plain


def imported_files(subject: Path, folder: Path) -> set[Path]:
    """Every Python file below `folder` that the file `subject` imports, directly or not; not the file itself."""
    found: set[Path] = set()
    waiting = [subject]
    while waiting:
        path = waiting.pop()
        for name in _names(path):
            for module in _files(path.parent, subject.parent, name):
                if module not in found and module != subject and module.is_relative_to(folder):
                    found.add(module)
                    waiting.append(module)
    return found


def _names(path: Path) -> Iterator[tuple[str, ...]]:
    """The dotted names in the import statements of a file; none where it is no Python."""
    try:
        tree = ast.parse(read_plain(path))
    except (OSError, SyntaxError, ValueError, RecursionError):
        return
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (tuple(alias.name.split(".")) for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            base = tuple((node.module or "").split(".")) if node.module else ()
            yield from (base, *((*base, alias.name) for alias in node.names))


def _files(beside: Path, first: Path, name: tuple[str, ...]) -> Iterator[Path]:
    """The files that a dotted name may mean: beside the importing file, or beside the subject."""
    for root in dict.fromkeys((beside, first)):
        for end in range(1, len(name) + 1):
            place = root.joinpath(*name[:end])
            for file in (place.with_suffix(".py"), place / "__init__.py"):
                if file.is_file() and not file.is_symlink():
                    yield file
