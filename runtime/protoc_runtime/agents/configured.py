"""What a tool's own configuration says, read right before each session, and compared with what the protocol froze."""

from __future__ import annotations

import json
import os
import tomllib
from collections.abc import Callable
from pathlib import Path
from typing import Any

from protoc_runtime.agents.records import Configured

LARGEST_FILE = 1 << 20
LONGEST_VALUE = 200  # characters

Command = Callable[[tuple[str, ...]], bytes | None]  # what a command printed; None if it failed


def read_value(given: Configured, folder: Path, run: Command) -> str | None:
    """The value that the tool is configured with now; None where it cannot be read."""
    if given.argv:
        printed = run(given.argv)
        lines = [] if printed is None else printed.decode("utf-8", "replace").splitlines()
        return _short(lines[0].strip()) if lines else None
    path = Path(os.path.expanduser(given.file)) if given.file.startswith("~/") else folder / given.file
    try:
        with open(path, "rb") as file:
            data = file.read(LARGEST_FILE).decode("utf-8-sig")
        value: Any = json.loads(data) if path.suffix == ".json" else tomllib.loads(data)
        for part in given.key.split("."):
            value = value[part]
    except (OSError, ValueError, KeyError, TypeError, RecursionError):
        return None
    return _short(value) if isinstance(value, str) else None


def _short(value: str) -> str | None:
    plain = value.isprintable() and 0 < len(value) <= LONGEST_VALUE
    return value if plain else None
