"""Where the recorded protocols of other people lie: `PROTOC_SHARED`, else a folder `shared` beside the checkout."""

from __future__ import annotations

import os
from pathlib import Path

import pytest


def shared() -> Path:
    """The folder of shared data; it may be absent."""
    return Path(os.environ.get("PROTOC_SHARED", Path(__file__).parents[3] / "shared"))


@pytest.fixture(scope="session")
def field_data() -> Path:
    """The field cases; the test is skipped where they are absent."""
    folder = shared() / "field"
    if not folder.is_dir():
        pytest.skip(f"no field cases at {folder}")
    return folder
