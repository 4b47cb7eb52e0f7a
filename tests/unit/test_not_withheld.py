"""Names under `not withheld` are names of what the section holds."""

from __future__ import annotations

import pytest

from protoc_compiler import pipeline

SPEC = """protoc: 1
protocol: {id: shown, version: 1, title: Shown}
data:
  tables:
    cases: {key: case, columns: {case: text, ok: bool}}
metrics:
  withheld when: count(cases) < 3
  not withheld: [KEPT]
  share: rate(ok over cases)
  total: count(cases)
verdict: [DONE otherwise]
report: {released: [DONE]}
"""


@pytest.mark.parametrize(("kept", "errors"), [("total", []), ("totl", ["E0312"]), ("-total", ["E0312"])])
def test_a_name_that_nothing_has_is_told(kept: str, errors: list[str]) -> None:
    findings = pipeline.examine("protocol.yaml", SPEC.replace("KEPT", kept).encode()).findings
    told = [item for item in findings if item.kind.severity == "error"]
    assert [item.kind.id for item in told] == errors
    assert all(f"`{kept}`" in item.message for item in told)
