"""Every benchmark works: tiny inputs, one round, and nothing about how fast it was."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

BENCH = Path(__file__).resolve().parents[1] / "bench"
# those whose figures stand in docs/benchmarks.md
NAMES = [path.stem for path in sorted(BENCH.glob("bench_*.py")) if "show(run)" in path.read_text(encoding="utf-8")]


@pytest.mark.parametrize("name", NAMES)
def test_a_benchmark_measures_something(name: str, tmp_path: Path) -> None:
    command = [sys.executable, BENCH / f"{name}.py", "--quick"]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONPATH"}
    done = subprocess.run(command, capture_output=True, text=True, cwd=tmp_path, env=environment)
    assert done.returncode == 0, done.stderr
    machine, versions, *figures = done.stdout.splitlines()
    assert machine.startswith("machine: ")
    assert versions.endswith("byte-code compiled first")
    assert figures
    assert all(": met)" in line or ": MISSED)" in line for line in figures)


def test_all_of_them_are_run_for_the_page() -> None:
    text = (BENCH / "run_all.py").read_text(encoding="utf-8")
    assert [name for name in NAMES if f'"{name.removeprefix("bench_")}"' not in text] == []
