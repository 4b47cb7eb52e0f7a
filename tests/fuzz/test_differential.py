"""The two computations against each other: random specs, random rows, the complete JSON of `score`.

A quick run looks at 300 examples that are always the same. PROTOC_LONG=1 looks at 10,000 new ones, PROTOC_LONG=N at
N. A failing example is made smaller and printed whole.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from fuzz import tables
from fuzz.comparing import Programs, differences, put
from fuzz.entries import Spec
from fuzz.limits import SECONDS, TooLong, limited
from fuzz.repair import Tally, accepted
from fuzz.shrinking import shown, smaller
from fuzz.specs import spec
from fuzz.tables import Rows

LONG = os.environ.get("PROTOC_LONG", "")
EXAMPLES = 300 if not LONG else 10_000 if LONG == "1" else int(LONG)
ROWS = 4  # tables for each spec
SEEDS = st.integers(0, 2**40)
FUZZ = settings(
    max_examples=max(1, EXAMPLES // ROWS),
    deadline=None,
    derandomize=not LONG,
    database=None,
    phases=[Phase.generate],  # `smaller` does what hypothesis cannot do to a seed
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def tally() -> Iterator[Tally]:
    """What the checker accepted of all that was written."""
    made = Tally()
    yield made
    print(f"\n{made.text()}")
    assert made.given_up * 20 <= made.specs
    assert made.kept * 10 >= made.entries * 8


@pytest.mark.timeout(0 if LONG else 1500)  # a busy machine takes its time
@FUZZ
@given(seed=SEEDS)
def test_both_computations_say_the_same(tally: Tally, seed: int) -> None:
    try:
        with limited():
            found = compared(seed, tally)
    except TooLong:
        pytest.fail(f"seed {seed} takes more than {SECONDS} seconds:\n\n{spec(Random(seed)).text()}")
    if found is not None:
        said, made, rows = found
        pytest.fail(f"seed {seed}: {said}\n\n{shown(*smaller(made, rows))}")


def compared(seed: int, tally: Tally) -> tuple[dict[str, Any], Spec, Rows] | None:
    """What the two computations say differently of the protocol of a seed, with its spec and the rows."""
    rng = Random(seed)
    made = spec(rng)
    emitted = accepted(made, tally)
    if emitted is None:
        return None
    programs = Programs(*emitted)
    for _ in range(ROWS):
        rows = tables.rows(rng, made.data)
        try:
            found = differences(programs, rows)
        except Exception as error:
            found = {"failed": repr(error)}
        if found:
            return found, made, rows
    return None


def test_an_example_that_takes_too_long_is_stopped() -> None:
    with pytest.raises(TooLong), limited(0.05):
        _hang()


def _hang() -> None:
    while True:
        pass


@pytest.mark.parametrize("seed", range(4))
def test_the_verifier_as_a_program_of_its_own(seed: int, tmp_path: Path) -> None:
    rng = Random(seed)
    made = spec(rng)
    emitted = accepted(made, Tally())
    assert emitted is not None
    rows = tables.rows(rng, made.data)
    put(tmp_path, rows)
    program = tmp_path / "verify.py"
    program.write_text(emitted[2], "utf-8")
    command = [sys.executable, "-I", str(program), "--data", str(tmp_path), "--json"]
    done = subprocess.run(command, capture_output=True, text=True)
    expected = Programs(*emitted).engine(tmp_path)
    if "stopped" in expected:
        assert done.returncode in (1, 2)
        assert "Traceback" not in done.stderr
        assert done.stderr.startswith("error: ")
    else:
        expected.pop("unexpected")
        assert json.loads(done.stdout) == expected
        assert done.returncode == (0 if expected["released"] else 1)
