"""A kind of change as the page of kinds has it."""

from __future__ import annotations

from protoc_runtime.record import record


@record
class Page:
    """One kind of change; `module` makes it."""

    id: str
    subject: str
    module: str
    checks: str
    rule: str
