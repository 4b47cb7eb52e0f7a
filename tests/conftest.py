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
from _pytest import runner
from hypothesis import HealthCheck, settings

TEMPORARY = tempfile.gettempdir()
LASTING = (str(Path(__file__).parents[1]), sys.prefix)  # which may be in there, too

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
def forget_modules_of_temporary_folders() -> Iterator[None]:
    """Drop the modules that a test has loaded from its folder: hypothesis reads the files of all modules there are."""
    before = set(sys.modules)
    yield
    for name in sys.modules.keys() - before:
        place = getattr(sys.modules[name], "__file__", None)
        if isinstance(place, str) and place.startswith(TEMPORARY) and not place.startswith(LASTING):
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


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_protocol(item: pytest.Item, nextitem: pytest.Item | None) -> object:
    """pytest's own, where there is room for all calls of the test.

    Python keeps the variables of running functions in pieces of 16 KiB, each fetched from the system and given back
    whenever a call crosses the edge of one: a loop that happens to stand there takes three times as long. A function
    that says it needs much has a piece of 1 MiB of its own, and what it calls stands in the rest.
    """
    return runner.pytest_runtest_protocol(item, nextitem)


pytest_runtest_protocol.__code__ = pytest_runtest_protocol.__code__.replace(co_stacksize=1 << 16)
