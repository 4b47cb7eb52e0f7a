"""Every diagnostic that the tool can give: one module per area, each with the tuple `KINDS`.

A module of it is loaded when one of its kinds is told: most protocols have few faults, and a start that reads the
messages of all of them takes a tenth longer.
"""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from protoc_runtime.diagnostics import Kind
else:

    def __getattr__(name: str) -> _Area:
        """What `from protoc_compiler.catalogue import AREA` gives."""
        if name.startswith("_"):
            raise AttributeError(name)
        return _Area(f"{__name__}.{name}")


class _Area:
    """A module of the catalogue that is not loaded yet."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, kind: str) -> Any:
        from importlib import import_module

        found = getattr(import_module(self._name), kind)
        setattr(self, kind, found)
        return found


def all_kinds() -> tuple[Kind, ...]:
    """The kinds of both packages, by id."""
    from importlib import import_module
    from pkgutil import iter_modules

    import protoc_runtime.catalogue as runtime

    kinds: list[Kind] = []
    for package, paths in ((__name__, __path__), (runtime.__name__, runtime.__path__)):
        for module in sorted(info.name for info in iter_modules(paths)):
            kinds.extend(import_module(f"{package}.{module}").KINDS)
    return tuple(sorted(kinds, key=lambda kind: kind.id[1:]))
