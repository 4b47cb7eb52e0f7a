"""Every diagnostic that the tool can give: one module per area, each with the tuple `KINDS`."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind


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
