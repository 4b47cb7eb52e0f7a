"""Templates: text with loops, filled from one typed model. Every author's word in a model is escaped already."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import jinja2


def rendered(template: str, **model: object) -> str:
    """The template filled; a name that the model does not have is a failure."""
    return _environment().get_template(template).render(**model)


@cache
def _environment() -> jinja2.Environment:
    import jinja2

    return jinja2.Environment(
        loader=jinja2.PackageLoader("protoc_compiler.emit"),
        undefined=jinja2.StrictUndefined,
        autoescape=False,  # noqa: S701  # the output is Python; `repr` and `docstring` escape it
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
