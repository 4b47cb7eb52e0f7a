"""Specs with a few bytes or lines changed: every command ends in diagnostics, never in a failure of the tool."""

from __future__ import annotations

import tempfile
from pathlib import Path

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.mutating import LONG, corpus, edits, mutated, well_behaved

SPECS = corpus(Path(__file__).parent)
SMALL = [path for path in SPECS if path.stat().st_size < 6000]
PLACES = st.floats(0, 1, exclude_max=True)
RULES = settings(
    deadline=None,
    derandomize=not LONG,
    database=None,
    max_examples=3000 if LONG else 80,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large, HealthCheck.large_base_example],
)


@RULES
@given(st.sampled_from(SPECS if LONG else SMALL + SPECS[:2]), edits())
def test_a_mutated_spec_is_checked_formatted_and_compiled_or_refused(path, changes):
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "protocol.yaml"
        spec.write_bytes(mutated(path.read_bytes(), changes))
        status = well_behaved("check", spec, "--format", "json")
        well_behaved("fmt", spec, "--diff")
        if status == 0:
            assert well_behaved("compile", spec, "--out", Path(folder) / "generated", "--workspace", folder) == 0


@RULES
@given(
    st.sampled_from(SMALL), st.sampled_from(SPECS), st.floats(0, 1, exclude_max=True), st.floats(0, 1, exclude_max=True)
)
def test_a_part_of_one_spec_in_another_is_told_what_it_is(path, other, here, there):
    """Structure: a block of lines of one spec in the place of a block of another."""
    lines, more = path.read_bytes().split(b"\n"), other.read_bytes().split(b"\n")
    at, start = int(here * len(lines)), int(there * len(more))
    indent = len(more[start]) - len(more[start].lstrip())
    end = next((n for n in range(start + 1, len(more)) if len(more[n]) - len(more[n].lstrip()) <= indent), len(more))
    block = [b" " * (len(lines[at]) - len(lines[at].lstrip())) + line[indent:] for line in more[start:end]]
    with tempfile.TemporaryDirectory() as folder:
        spec = Path(folder) / "protocol.yaml"
        spec.write_bytes(b"\n".join(lines[:at] + block + lines[at + (1 if start % 2 else 0) :]))
        if well_behaved("check", spec) == 0:
            assert well_behaved("compile", spec, "--out", Path(folder) / "generated", "--workspace", folder) == 0
