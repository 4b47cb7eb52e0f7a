"""How property tests run: the same examples every time, and no limit on the time of one example; none runs for ever.

`HYPOTHESIS_PROFILE=long` looks at other examples, and at more of them.
"""

from __future__ import annotations

import gc
import os
import signal
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

TEMPORARY = tempfile.gettempdir()

# `python3` is the interpreter of this run itself: the first one in PATH may be a launcher that takes far longer
os.environ["PATH"] = os.pathsep.join((str(Path(sys.base_prefix) / "bin"), os.environ.get("PATH", os.defpath)))

# what a terminal or a CI has set, and users may set, is set by the tests that are about it
for name in ("COLUMNS", "LINES", "FORCE_COLOR", "NO_COLOR"):
    os.environ.pop(name, None)

# a shell ignores it for what runs behind it, and so would every process that a test starts and interrupts
if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

BUSY = (HealthCheck.too_slow,)  # it measures the machine
settings.register_profile("ci", deadline=None, derandomize=True, suppress_health_check=BUSY)
settings.register_profile("long", deadline=None, max_examples=2_000, suppress_health_check=BUSY)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))


@pytest.fixture(autouse=True)
def forget_modules_that_are_no_files() -> Iterator[None]:
    """Drop modules whose file a test has replaced by a pipe: hypothesis reads the files of all loaded modules."""
    yield
    for name, module in list(sys.modules.items()):
        place = getattr(module, "__file__", None)
        if isinstance(place, str) and place.startswith(TEMPORARY) and not Path(place).is_file():
            del sys.modules[name]


def pytest_collection_finish() -> None:
    """Thousands of tests that stay are not looked at again for garbage, and the rest as seldom as the command does."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(100_000, 20, 20)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """A long run asked for by PROTOC_LONG takes the time that it takes."""
    if os.environ.get("PROTOC_LONG"):
        for item in items:
            item.add_marker(pytest.mark.timeout(0))
