"""The JSON Schema of a spec: what it accepts and refuses follows the compiler's own description."""

from __future__ import annotations

import json

import pytest
from jsonschema import Draft202012Validator
from referencing import Registry
from ruamel.yaml import YAML

from protoc_compiler import document, source
from protoc_compiler.schema_export import DIALECT, spec_schema
from protoc_runtime.diagnostics import Findings

GOOD = """\
protoc: 1
protocol: {id: demo, version: 1, title: t}
data:
  tables:
    levels: {key: level, rows: [1, 0.5]}
    cases:
      key: case
      columns: {case: text, kind: [a, b, null], level: levels?, tags: set of text, turns: {role: [x, y], text: text}}
procedure:
  freeze: {threshold: 0.95, prompt: {file: p.txt}}
  subject: {python: subject.py:run, of: cases, sees: [case], timeout: {is: 5 s, cites: [R1]}}
definitions:
  limit: 0.05
metrics:
  withheld when: limit > 1
  n: count(cases)
  per.<levels>: {says: w, is: 1}
gates:
  g: {says: w, must: {all: [n > 1, n < 5]}}
checks:
  c: {says: w, is: n == 2}
verdict:
  - PASS when all gates have held
  - FAIL otherwise
report:
  released: [PASS]
limits:
  - {says: one, cites: [R2]}
"""


def errors(text: str) -> list[str]:
    data = json.loads(json.dumps(YAML(typ="safe", pure=True).load(text), default=str))
    validator = Draft202012Validator(spec_schema(), registry=Registry())
    return [f"{'/'.join(map(str, fault.absolute_path))}: {fault.message}" for fault in validator.iter_errors(data)]


def compiler_ids(text: str) -> list[str]:
    findings = Findings()
    root = source.read(text.encode(), "spec.yaml", findings)
    assert root is not None
    document.build(root, "spec.yaml", findings)
    return [item.id for item in findings]


def test_schema_is_a_schema():
    schema = spec_schema()
    Draft202012Validator.check_schema(schema)
    assert schema["$schema"] == DIALECT
    assert schema == spec_schema()
    references = json.dumps(schema).count('"#/$defs/')
    assert references > 20
    assert list(schema["properties"])[:3] == ["protoc", "protocol", "question"]
    assert schema["properties"]["gates"]["description"] == "What must hold."


def test_good_spec_is_accepted_by_both():
    assert errors(GOOD) == []
    assert compiler_ids(GOOD) == []


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("must:", "msut:"),
        ("says: w, must", "must"),
        ("protoc: 1", "protoc: 2"),
        ("released: [PASS]", "released: PASS"),
        ("key: case\n", ""),
        ("may", "may"),
        ("- FAIL otherwise", "- FAIL"),
        ("case: text, kind", "case: bag of text, kind"),
        ("procedure:", "procedure:\n  target: {git: x}"),
        ("limits:", "limit:"),
        ("of: cases", "of: [cases, x]"),
        ("withheld when", "withheld if"),
    ],
)
def test_what_one_refuses_the_other_refuses(old, new):
    text = GOOD.replace(old, new, 1)
    refused = old != new
    assert bool(errors(text)) is refused
    assert bool(compiler_ids(text)) is refused
