"""A sealed, ledgered run of 1,000 cases with a do-nothing subject, as a whole process, against promptfoo's echo.

promptfoo is measured in the same run where its command is installed. Where it is not, the figure that was measured on
such a machine is used, and said to be quoted.
"""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

from common import Figure, Size, alternating, installed, scratch, seconds, show, shown_seconds, tool

CASES = 1000
QUOTED = 6.3  # seconds that promptfoo took for 1,000 cases of its echo provider
SPEC = """protoc: 1
protocol: {id: echo, version: 1, title: A subject that does nothing}
question: {asks: What does a run cost?, unit: one case}
data:
  tables:
    cases:
      key: case
      columns: {case: text, split: splits, text: text, label: [yes_, no_]}
    answers:
      from: subject
      key: case
      columns: {case: cases, answer: [yes_, no_]}
  splits:
    known: {role: development, may: [tune, score]}
procedure:
  subject: {python: "subject.py:answer", of: cases, sees: [text], timeout: 5 s, concurrency: 2}
  phases:
    - {phase: score, reads: [known], use: score}
definitions:
  cases.right: {is: only(answers).answer == label, if_undefined: false}
metrics:
  accuracy: rate(right over cases)
gates:
  half: {says: The accuracy is at least 0.50., must: accuracy >= 0.50}
verdict:
  - PASS when gates.half is true
  - FAIL otherwise
report: {released: [PASS]}
"""
SUBJECT = 'def answer(case):\n    return {"answers": {"answer": "yes_"}}\n'


def run(size: Size) -> list[Figure]:
    """Every round is a new run with a bundle of its own."""
    cases = size.of(CASES)
    spec = sealed(cases)
    actions: dict[str, Callable[[], object]] = {"ours": lambda: seconds([installed() / "protoc", "run", spec])}
    other = tool("promptfoo")
    if other is not None:
        config = promptfoo(cases)
        command = [other, "eval", "--no-cache", "--no-write", "-c", config.name]
        # its logger may fail as the process ends, long after the results
        actions["other"] = lambda: seconds(command, f"{cases:,} passed", cwd=config.parent)
    found = alternating(actions, min(size.rounds, 5))
    baseline = found.get("other", QUOTED)
    said = f"promptfoo {released(other)} echo" if "other" in found else "promptfoo echo, as quoted,"
    return [
        Figure(
            "run with a do-nothing subject", f"{cases:,} cases, sealed and ledgered, bundle closed",
            shown_seconds(found["ours"]), f"{said} {shown_seconds(baseline)}", found["ours"] / baseline, 0.25,
        )
    ]  # fmt: skip


def released(command: Path | None) -> str:
    """The version that a command tells."""
    done = subprocess.run([str(command), "--version"], capture_output=True, text=True)
    return done.stdout.split()[-1] if done.stdout else ""


def sealed(cases: int) -> Path:
    """A workspace whose protocol is compiled and sealed."""
    folder = scratch() / f"workspace{cases}"
    spec = folder / "specs" / "echo"
    spec.mkdir(parents=True)
    (folder / "protoc.toml").write_text("", encoding="utf-8")
    (spec / "protocol.yaml").write_text(SPEC, encoding="utf-8")
    (spec / "subject.py").write_text(SUBJECT, encoding="utf-8")
    rows = [
        {"case": f"c{at:05}", "split": "known", "text": f"text {at}", "label": ("yes_", "yes_", "no_")[at % 3]}
        for at in range(cases)
    ]
    (spec / "cases.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    for command in ("compile", "seal"):
        seconds([installed() / "protoc", command, spec])
    return spec


def promptfoo(cases: int) -> Path:
    """The same number of tests for promptfoo's echo provider."""
    folder = scratch() / "promptfoo"
    folder.mkdir(exist_ok=True)
    path = folder / "promptfooconfig.json"
    tests = [{"vars": {"text": f"text {at}"}, "assert": [{"type": "contains", "value": "text"}]} for at in range(cases)]
    path.write_text(json.dumps({"prompts": ["{{text}}"], "providers": ["echo"], "tests": tests}), encoding="utf-8")
    return path


if __name__ == "__main__":
    show(run)
