"""A review says the same whatever the seed of hashes is: what one question finds is where the next begins."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

SPEC = """protoc: 1
protocol: {id: tiny, version: 1, title: A made-up study}
data:
  tables:
    cases: {key: case, columns: {case: text, right: bool, late: bool, wait: s, kind: kinds}}
    kinds:
      key: kind
      rows:
        mail: {at_least: 50%, most: 20%}
        chat: {at_least: 25%, most: 10%}
metrics:
  done.<kinds>: rate(right over cases)
  late.<kinds>: rate(late over cases)
  wait: mean(wait over cases)
blockers:
  slow: {says: Too slow., when: wait > 20 s and (some kinds where late > most), forces: FAIL}
gates:
  done: {says: Enough is done., must: all kinds have done >= at_least}
  late: {says: Little is late., must: all kinds have late <= most}
  fast: {says: It is fast., must: wait <= 9 s or (some kinds where late <= most)}
verdict:
  - FAIL when some blockers have fired
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""


def review(folder: Path, seed: str) -> str:
    """What `protoc diff` says."""
    command = [sys.executable, "-m", "protoc_compiler", "diff", "old.yaml", "new.yaml"]
    environment = {**os.environ, "PYTHONHASHSEED": seed}
    made = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False, env=environment)
    assert made.returncode == 0, made.stderr
    return made.stdout


@pytest.mark.timeout(300)
def test_a_review_says_the_same_under_every_seed(tmp_path: Path) -> None:
    line = "        chat: {at_least: 25%, most: 10%}"
    (tmp_path / "old.yaml").write_text(SPEC, encoding="utf-8")
    (tmp_path / "new.yaml").write_text(SPEC.replace(line, line.replace("chat", "desk")), encoding="utf-8")
    told = {review(tmp_path, seed) for seed in ("0", "1")}
    assert "that were tried" in next(iter(told))
    assert len(told) == 1
