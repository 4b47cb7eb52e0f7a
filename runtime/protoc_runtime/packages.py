"""Loading the rules of a generated package from its folder, without leaving a trace in it."""

from __future__ import annotations

import importlib
import importlib.util
import itertools
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import ModuleType

from protoc_runtime.catalogue import run as kinds
from protoc_runtime.declared import Declared, load
from protoc_runtime.diagnostics import Findings, Refused

_numbers = itertools.count(1)


def load_protocol(folder: Path) -> Declared:
    """What the package in this folder declares; `Refused` (E1203) where there is none."""
    if not (folder / "protocol.json").is_file():
        raise Refused([Findings().add(kinds.NO_PACKAGE, None, path=folder)])
    return load(folder / "protocol.json")


def load_rules(folder: Path) -> ModuleType:
    """The module `rules` of the package in this folder, as it is there now. Raises `Refused` (E1203, E1204)."""
    return _module(folder, "rules")


def load_manifest(folder: Path) -> ModuleType:
    """The validator of the protocol's freeze manifest. Raises `Refused` (E1203, E1204)."""
    return _module(folder, "manifest")


def _module(folder: Path, module: str) -> ModuleType:
    """A module of the package.

    Each load has a name of its own, so that the packages of several bundles can be loaded side by side. No byte-code
    is written: a bundle holds what its manifest names and nothing else.
    """
    if not (folder / f"{module}.py").is_file():
        raise Refused([Findings().add(kinds.NO_PACKAGE, None, path=folder)])
    name = f"_protoc_package_{next(_numbers)}"
    made = importlib.util.spec_from_file_location(
        name, folder / "__init__.py", submodule_search_locations=[str(folder)]
    )
    assert made is not None
    assert made.loader is not None
    package = importlib.util.module_from_spec(made)
    sys.modules[name] = package
    try:
        with _no_bytecode():
            made.loader.exec_module(package)
            return importlib.import_module(f"{name}.{module}")
    except Exception as fault:
        if isinstance(fault.__cause__, KeyboardInterrupt):  # Python 3.11 wraps what comes while a class is made
            raise fault.__cause__ from None
        reason = f"it cannot be loaded ({type(fault).__name__}: {fault})"
        raise Refused([Findings().add(kinds.PACKAGE_DIFFERS, None, path=folder, reason=reason)]) from fault


@contextmanager
def _no_bytecode() -> Iterator[None]:
    before = sys.dont_write_bytecode
    sys.dont_write_bytecode = True
    try:
        yield
    finally:
        sys.dont_write_bytecode = before
