"""For cases about what programs can do with the parts of protoc, and the command line cannot: `told(CALL)`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from protoc_runtime.diagnostics import Refused
from protoc_runtime.main import tell


def told(call: Callable[[], object]) -> None:
    """Call, and end the process as a command does: the diagnostics on standard error, and exit status 1."""
    try:
        call()
    except Refused as refused:
        tell(refused.diagnostics)
        sys.exit(1)
