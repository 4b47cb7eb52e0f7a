"""Groups stand in the declared order of their words in both computations, also where the words stand in the spec."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path

from protoc_compiler.cli import main

SPEC = """\
protoc: 1
protocol:
  id: ranks
  version: 1
  title: Ranks
question:
  asks: Are the ranks in order?
  unit: one case
data:
  tables:
    ranks: {key: rank, rows: [zeta, mid, alpha]}
    cases:
      key: case
      columns: {case: text, rank: ranks, right: bool}
definitions:
  cases.name: rank.rank
  by_rank: {is: cases grouped by name, with: [accuracy]}
metrics:
  accuracy: rate(right over cases)
  accuracy.<by_rank>: accuracy
verdict:
  - PASS otherwise
report:
  released: [PASS]
"""


def protoc(*words: str) -> str:
    out, err = io.StringIO(), io.StringIO()
    assert main([*words], io.StringIO(), out, err) == 0, err.getvalue()
    return out.getvalue()


def test_groups_by_the_key_of_a_listed_table_stand_as_listed(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    spec = tmp_path / "specs" / "ranks"
    spec.mkdir(parents=True)
    (spec / "protocol.yaml").write_text(SPEC, encoding="utf-8")
    rows = [{"case": f"c{n}", "rank": rank, "right": True} for n, rank in enumerate(("alpha", "mid", "zeta", "alpha"))]
    (spec / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    protoc("compile", str(spec))
    scored = json.loads(protoc("score", str(spec), "--data", str(spec), "--format", "json"))
    alone = [sys.executable, "-I", "generated/ranks_v1/verify.py", "--data", str(spec), "--json"]
    verified = json.loads(subprocess.run(alone, capture_output=True, text=True, timeout=60, check=True).stdout)
    expected = ["accuracy", "accuracy.zeta", "accuracy.mid", "accuracy.alpha"]
    assert list(scored["metrics"]) == list(verified["metrics"]) == expected
