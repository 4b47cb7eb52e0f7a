"""libyaml's parser of events, without the rest of ruamel.yaml.

The package loads 30 modules, which takes as long as to read a spec; a reader of events needs its events, its errors and
the part in C. The package itself is loaded when it is asked for anything else, so who uses it beside us has it whole.
"""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import PathFinder
from types import ModuleType

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

_PACKAGE = "ruamel.yaml"
_RAISING = ("scanner", "parser", "composer", "constructor", "emitter", "serializer", "representer")
_UNUSED = ("reader", "tokens")  # faults of characters, which the source pass has told, and what events are made of


class _Later(ModuleType):
    """The package, which is loaded at the first look at what is not there yet."""

    def __getattr__(self, name: str) -> Any:
        self.__class__ = ModuleType  # type: ignore[assignment]
        self.__spec__.loader.exec_module(self)  # type: ignore[union-attr]
        return getattr(self, name)


class _StandIn(ModuleType):
    """In the place of a module of which the part in C only wants classes to raise, or of which it makes nothing."""

    def __getattr__(self, name: str) -> Any:
        marked = self.__name__ in _RAISING
        faults = import_module(f"{_PACKAGE}.error")
        return faults.MarkedYAMLError if marked else faults.YAMLError


def _parser() -> Any:
    """The part in C."""
    if _PACKAGE in sys.modules:
        return import_module(f"{_PACKAGE}.cyaml")
    above: Any = import_module("ruamel")
    spec: Any = PathFinder.find_spec(_PACKAGE, above.__path__)
    above.yaml = package = _package(spec)
    stand_ins = {f"{_PACKAGE}.{name}": _StandIn(name) for name in (*_RAISING, *_UNUSED)}
    sys.modules.update({_PACKAGE: package, **stand_ins})
    try:
        return import_module("_ruamel_yaml")
    except ImportError:  # built without libyaml
        return import_module(f"{_PACKAGE}.cyaml")
    finally:
        for name in stand_ins:
            sys.modules.pop(name, None)


def _package(spec: Any) -> Any:
    made: Any = _Later(_PACKAGE)
    made.__spec__, made.__loader__, made.__package__ = spec, spec.loader, _PACKAGE
    made.__file__, made.__path__ = spec.origin, spec.submodule_search_locations
    return made


CParser = _parser().CParser
error, events = import_module(f"{_PACKAGE}.error"), import_module(f"{_PACKAGE}.events")
