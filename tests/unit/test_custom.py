"""Custom metrics: a pinned function of the author's, in both computations, and each way in which it can fail."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import pipeline
from unit.projects import Project, new_project

SPEC = """protoc: 1
protocol: {id: spread, version: 1, title: A custom metric}
data:
  tables:
    arms: {key: arm, rows: [on, off]}
    cases: {key: case, columns: {case: text, arm: arms, size: decimal}}
metrics:
  gini:
    says: how unevenly the sizes are spread
    python: gini.py:gini
    takes: [list(size over cases)]
    gives: decimal
    timeout: 60 s
  gini_of.<arms>: {python: "gini.py:gini", takes: [list(size over cases)], gives: decimal}
  twice: 2 * gini
gates:
  even: {says: The spread is at most 0.5., must: gini <= 0.5}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report: {released: [PASS]}
"""
GINI = '''"""The Gini coefficient: the mean distance of pairs over twice the mean."""


def gini(sizes):
    if not sizes or not sum(sizes):
        return None
    return sum(abs(x - y) for x in sizes for y in sizes) / (2 * len(sizes) * sum(sizes))
'''
ROWS = [{"case": "a", "arm": "on", "size": 1}, {"case": "b", "arm": "on", "size": 2.5}]


class Folder:
    """A folder with a spec, its function and rows."""

    def __init__(self, path: Path) -> None:
        self.project = Project(path, "")
        self.path = self.project.spec = path
        self.write(SPEC, GINI)
        (path / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")

    def write(self, spec: str, function: str) -> None:
        (self.path / "protocol.yaml").write_text(spec, encoding="utf-8")
        (self.path / "gini.py").write_text(function, encoding="utf-8")

    def score(self, status: int) -> Any:
        out = self.project.protoc("score", self.path, "--data", self.path, "--format", "json", status=status)
        return json.loads(out) if out else None

    def alone(self, *arguments: str) -> subprocess.CompletedProcess[str]:
        self.project.protoc("compile", self.path, "--out", self.path / "out")
        program = [sys.executable, "-I", str(self.path / "out" / "spread_v1" / "verify.py"), "--data", str(self.path)]
        return subprocess.run([*program, "--json", *arguments], capture_output=True, text=True, check=False)


@pytest.fixture
def folder(tmp_path: Path) -> Folder:
    return Folder(tmp_path)


def test_both_computations_run_the_function(folder: Folder) -> None:
    made = folder.score(0)
    assert made["metrics"] == {
        "gini": {"num": 3, "den": 14}, "gini_of.on": {"num": 3, "den": 14}, "gini_of.off": None,
        "twice": {"num": 3, "den": 7},
    }  # fmt: skip
    assert made["outside"] == ["gini", "gini_of.on", "gini_of.off"]
    assert json.loads(folder.alone("--custom").stdout) == made
    asked = folder.alone()
    assert asked.returncode == 2
    assert "gini.py:gini" in asked.stderr
    assert "--custom runs it" in asked.stderr


def test_the_source_is_part_of_the_protocol(folder: Folder) -> None:
    before = folder.score(0)["spec_digest"]
    folder.write(SPEC, GINI.replace("2 * len", "4 * len"))
    after = folder.score(0)
    assert after["spec_digest"] != before
    assert after["metrics"]["gini"] == {"num": 3, "den": 28}


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("return 1 / 0", "ZeroDivisionError: division by zero"),
        ("return 'much'", "TypeError: it gives 'much', which is no decimal"),
        ("return True", "TypeError: it gives True, which is no decimal"),
        ("return float('nan')", "ValueError"),
        ("raise SystemExit(3)", "SystemExit: 3"),
        ("import os; os._exit(3)", "ended with status 3"),
        ("import time; time.sleep(60)", "longer than 1 s"),
    ],
)
def test_what_goes_wrong_is_told_and_gives_no_value(folder: Folder, body: str, reason: str) -> None:
    spec = SPEC.replace("timeout: 60 s", "timeout: 1 s") if "sleep" in body else SPEC
    folder.write(spec, f"def gini(sizes):\n    {body}\n")
    (told,) = folder.score(1)["diagnostics"]
    assert told["id"] == "E1259"
    assert reason in told["message"]
    done = folder.alone("--custom")
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("python: gini.py:gini\n", "python: absent.py:gini\n", "E0540"),
        ("python: gini.py:gini\n", "python: gini.py:giny\n", "E0540"),
        ("python: gini.py:gini\n", "python: ../gini.py:gini\n", "E0540"),
        ("python: gini.py:gini\n", "python: gini\n", "E0219"),
        ("gives: decimal\n", "gives: float\n", "E0218"),
        ("[list(size over cases)]\n    gives", "[list(case over cases), only(cases)]\n    gives", "E0501"),
        ("timeout: 60 s", "timeout: 60", "E0516"),
        ("    gives: decimal\n    timeout", "    timeout", "E0202"),
        (
            "gates:",
            "intervals:\n  ci: {metric: gini, resample: cases, draws: 9, generator: mersenne twister, seed: 1, "
            "level: 95%, low: low}\ngates:",
            "E0519",
        ),
    ],
)
def test_misuse_is_refused(folder: Folder, old: str, new: str, expected: str) -> None:
    assert old in SPEC
    folder.write(SPEC.replace(old, new, 1), GINI)
    found = pipeline.examine(folder.path / "protocol.yaml").findings
    assert [item.id for item in found.sorted() if item.severity == "error"] == [expected], list(found)


def test_a_source_that_is_no_python_is_refused(folder: Folder) -> None:
    folder.write(SPEC, "def gini(sizes:\n")
    found = pipeline.examine(folder.path / "protocol.yaml").findings
    assert {item.id for item in found} == {"E0540"}


def test_a_run_tells_that_nothing_checks_it(tmp_path: Path) -> None:
    project = new_project(tmp_path / "work")
    (project.spec / "size.py").write_text("def size(n):\n    return n * n\n", encoding="utf-8")
    metric = "  odd:\n    python: size.py:size\n    takes: [count(TABLE)]\n    gives: int\n"
    table = project.protocol.read_text(encoding="utf-8").split("of: ")[1].split("\n")[0].split(",")[0].strip()
    project.edit("protocol.yaml", "\nmetrics:\n", "\nmetrics:\n" + metric.replace("TABLE", table))
    project.seal()
    bundle = project.run()
    assert bundle is not None
    receipt = json.loads((bundle / "receipt.json").read_text(encoding="utf-8"))["predicate"]
    assert receipt["outside"] == ["odd"]
    page = (bundle / "RECEIPT.md").read_text(encoding="utf-8")
    assert "outside of what was checked" in page.lower()
    project.protoc("verify", bundle)
    for more, told in (((), "whether the metric odd is right"), (("--custom",), "")):
        done = subprocess.run(
            [sys.executable, "-I", str(bundle / "verify.py"), *more], capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr
        assert told in done.stdout
        assert ("metric odd" in done.stdout) == bool(told)
