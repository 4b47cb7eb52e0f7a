"""The hand-written half of `verify.py`: its names are read from its lines, which must find what a parser finds."""

from __future__ import annotations

import ast
import re
from importlib.resources import files

import pytest
import rfc8785

from protoc_compiler import identity
from protoc_compiler.emit import support_text
from unit.protocols import tickets


def bound(tree: ast.Module) -> set[str]:
    names = {node.name for node in tree.body if isinstance(node, (ast.FunctionDef, ast.ClassDef))}
    for node in tree.body:
        targets = node.targets if isinstance(node, ast.Assign) else [getattr(node, "target", None)]
        names |= {target.id for target in targets if isinstance(target, ast.Name)}
    return names


@pytest.mark.parametrize("module", support_text.ORDER)
def test_every_name_of_a_module_is_found(module):
    source = files("protoc_compiler.emit.support").joinpath(f"{module}.py").read_text("utf-8")
    head, body = support_text._parted(source)
    tree = ast.parse(source)
    found = {name for names in support_text._BOUND.findall(body) for name in names if name}
    quoted = {name for text in re.findall(r'r"""(.*?)"""', source, re.DOTALL) for name in re.findall(r"\w+", text)}
    assert found - quoted == bound(tree) - quoted
    assert bound(tree) <= found
    assert all(isinstance(node, (ast.Expr, ast.Import, ast.ImportFrom)) for node in ast.parse(head).body)
    assert not any(isinstance(node, (ast.Import, ast.ImportFrom)) for node in ast.parse(body).body)
    assert len(ast.parse(head).body) + len(ast.parse(body).body) == len(tree.body)


def test_the_text_parses_and_takes_the_names_that_it_says():
    made = support_text.support()
    tree = ast.parse("\n".join([*made.imports, made.text]))
    assert bound(tree) <= made.names


def test_the_identity_is_canonical_json():
    made = {"format": identity.FORMAT, "protocol": identity.to_json(tickets())}
    assert identity.canonical(tickets()) == rfc8785.dumps(made)
