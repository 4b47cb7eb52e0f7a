"""How modules lean on one another, read off their import statements: those inside functions count as well."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def modules(*packages: str) -> dict[str, Path]:
    """Every module of these packages by its dotted name."""
    found = {}
    for package in packages:
        folder = next(ROOT.glob(f"*/{package}"))
        for path in folder.rglob("*.py"):
            parts = path.relative_to(folder.parent).with_suffix("").parts
            found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = path
    return found


def imported(path: Path, known: dict[str, Path]) -> Iterator[str]:
    """The modules that a file names in an import, wherever it stands."""
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{each.name}" for each in node.names]
            yield from (name if name in known else str(node.module) for name in names)
        elif isinstance(node, ast.Import):
            yield from (each.name for each in node.names)


def circle(known: dict[str, Path]) -> list[str]:
    """Modules of which each imports the next, and the last the first; none if there is no such circle."""
    graph = {name: {each for each in imported(path, known) if each in known} - {name} for name, path in known.items()}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        return list(error.args[1])
    return []


def test_no_module_leads_back_to_itself() -> None:
    assert circle(modules("protoc_compiler", "protoc_runtime")) == []


def test_the_runtime_never_imports_the_compiler() -> None:
    found = {name: set(imported(path, {})) for name, path in modules("protoc_runtime").items()}
    assert len(found) > 100
    assert {name for name, names in found.items() if any(each.startswith("protoc_compiler") for each in names)} == set()


@pytest.mark.parametrize("line", ["from b import x", "def late():\n    import b", "if TYPE:\n    from b import X"])
def test_a_circle_is_seen_wherever_the_import_stands(tmp_path: Path, line: str) -> None:
    (tmp_path / "a.py").write_text(line)
    (tmp_path / "b.py").write_text("import a")
    assert set(circle({name: tmp_path / f"{name}.py" for name in "ab"})) == {"a", "b"}
