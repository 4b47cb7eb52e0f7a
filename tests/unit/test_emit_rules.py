"""`rules.py`: what is written, what it computes, what is refused, and that it is the same to the byte."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
import types
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import core, identity, pipeline
from protoc_compiler.catalogue import rules_module as kinds
from protoc_compiler.emit import rules
from protoc_runtime import declared, reading
from protoc_runtime.diagnostics import Findings, Refused
from unit.protocols import protocol as whole

HEAD = """protoc: 1

protocol:
  id: small
  version: 1
  title: A small protocol

question:
  asks: Does it answer right?
"""
SPEC = (
    HEAD
    + """
data:
  tables:
    topics:
      key: topic
      rows: {algebra: {hard: true}, chance: {hard: false}, empty: {hard: false}}
    cases:
      key: case
      order: seq
      columns: {case: text, seq: int, topic: topics, expected: [yes_, no_], weight: decimal, cost: USD}
      expect:
        - count(cases) == 4
    answers:
      key: [case, try]
      order: [case, try]
      columns: {case: cases, try: int, given: [yes_, no_, null]}

definitions:
  answers.right: {is: given == case.expected, if_undefined: false}
  cases.final: last(answers)
  cases.solved: {says: by the last answer, is: final.right, if_undefined: false}
  hard_cases: cases where topic.hard
  cases.spent_before: sum(cost over earlier cases)
  measured: count(answers) > 0

metrics:
  withheld when: not measured
  not withheld: [cases_read]
  cases_read: count(cases)
  accuracy: rate(solved over cases)
  accuracy.<topics>: rate(solved over cases)
  hard.accuracy: rate(solved over hard_cases)
  dearest: max(spent_before over cases)
  heavy: sum(weight over cases where solved)
  root: sqrt(heavy)

blockers:
  unanswered:
    says: A case has no answer.
    when: some cases have no answers
    forces: INVALID

gates:
  enough:
    says: At least 0.5 are right and at least 2 cases are hard.
    must:
      all:
        - accuracy >= 0.5
        - count(hard_cases) >= 2
  every_topic:
    says: Each topic reaches 0.25.
    must: all topics have accuracy >= 0.25

verdicts:
  <topics>:
    - GOOD when (accuracy >= 0.5) is true
    - POOR otherwise

verdict:
  - INVALID when some blockers have fired
  - PASS when all gates have held
  - FAIL otherwise

report:
  released: [PASS]
  statuses:
    size:
      - small when cases_read < 10
      - large otherwise
  lists:
    wrong: list(case over cases where not solved)
    costs: list(cost over cases)
"""
)
CASES = [
    {"case": "c1", "seq": 2, "topic": "algebra", "expected": "yes_", "weight": 0.5, "cost": 1},
    {"case": "c2", "seq": 1, "topic": "algebra", "expected": "no_", "weight": 1.5, "cost": 2},
    {"case": "c3", "seq": 4, "topic": "chance", "expected": "yes_", "weight": 2, "cost": 4},
    {"case": "c4", "seq": 3, "topic": "chance", "expected": "yes_", "weight": 1, "cost": 8},
]
ANSWERS = [
    {"case": "c1", "try": 1, "given": "no_"},
    {"case": "c1", "try": 2, "given": "yes_"},
    {"case": "c2", "try": 1, "given": None},
    {"case": "c3", "try": 1, "given": "yes_"},
    {"case": "c4", "try": 1, "given": "no_"},
]


def resolved(text: str, folder: Path) -> core.Protocol:
    path = folder / "protocol.yaml"
    path.write_text(text, encoding="utf-8")
    protocol, findings = pipeline.check(path)
    assert protocol is not None, [f"{item.id} {item.message}" for item in findings if item.severity == "error"]
    return protocol


def loaded(protocol: core.Protocol) -> Any:
    module = types.ModuleType("generated_rules")
    exec(compile(rules.render(protocol), "rules.py", "exec"), module.__dict__)
    return module


def tables(protocol: core.Protocol, rows: Mapping[str, list[dict[str, Any]]]) -> dict[str, Any]:
    known, findings, made = declared.load(identity.canonical(protocol)), Findings(), {}
    for name, lines in rows.items():
        made |= reading.read_rows(known, name, lines, findings=findings, tables=made)
    assert not findings.failed, [item.message for item in findings]
    return made


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> core.Protocol:
    return resolved(SPEC, tmp_path_factory.mktemp("spec"))


@pytest.fixture(scope="module")
def results(protocol: core.Protocol) -> Any:
    return loaded(protocol).evaluate(tables(protocol, {"cases": CASES, "answers": ANSWERS}))


def test_metrics_are_exact_and_as_counted(results: Any) -> None:
    found = results.to_json("sha256:00")
    assert found["schema"] == "protoc/score/1"
    assert (found["protocol"], found["version"], found["spec_digest"]) == ("small", 1, "sha256:00")
    assert found["metrics"] == {
        "cases_read": {"num": 4, "den": 1},
        "accuracy": {"num": 2, "den": 4},
        "accuracy.algebra": {"num": 1, "den": 2},
        "accuracy.chance": {"num": 1, "den": 2},
        "accuracy.empty": None,
        "hard.accuracy": {"num": 1, "den": 2},
        "dearest": {"num": 11, "den": 1, "unit": "USD"},
        "heavy": {"num": 5, "den": 2},
        "root": {"float": "1.581138830084", "why": "square root"},
    }


def test_rules_verdicts_and_lists(results: Any) -> None:
    found = results.to_json()
    assert found["blockers"] == {"unanswered": False}
    assert found["gates"] == {"enough": True, "every_topic": None}
    assert found["verdicts"] == {"algebra": "GOOD", "chance": "GOOD", "empty": "POOR"}
    assert (found["verdict"], found["released"]) == ("FAIL", False)
    assert found["lists"]["wrong"] == ["c2", "c4"]
    assert found["lists"]["costs"][0] == {"num": 2, "den": 1}
    assert found["statuses"] == {"size": "small"}


def test_reasons_name_what_did_not_hold(protocol: core.Protocol, results: Any) -> None:
    (reason,) = results.reasons
    assert (reason.space, reason.name, reason.state) == ("gates", "every_topic", "undefined")
    assert results.to_json()["reasons"] == [
        "every_topic: gate not shown to hold, since it is undefined: Each topic reaches 0.25."
    ]
    worse = loaded(protocol).evaluate(tables(protocol, {"cases": CASES, "answers": ANSWERS[:1]}))
    reasons = {reason.name: reason for reason in worse.reasons}
    assert reasons["unanswered"].state == "fired"
    assert reasons["unanswered"].forces == "INVALID"
    assert dict(reasons["enough"].parts) == {"accuracy >= 0.5": False, "count(hard_cases) >= 2": True}
    assert "(accuracy >= 0.5)" in reasons["enough"].text()
    assert worse.verdict == "INVALID"


def test_what_is_withheld_is_undefined_and_marked(protocol: core.Protocol) -> None:
    found = loaded(protocol).evaluate(tables(protocol, {"cases": CASES, "answers": []}))
    assert found.metrics["cases_read"] == 4
    assert found.metrics["heavy"] is None
    assert "metrics.accuracy.algebra" in found.withheld
    assert "metrics.cases_read" not in found.withheld


def test_expectations_and_single_rows_can_be_read(protocol: core.Protocol) -> None:
    module = loaded(protocol)
    given = tables(protocol, {"cases": CASES, "answers": ANSWERS})
    assert module.expectations(given) == [("cases", "count(cases) == 4", True)]
    study = module.study(given)
    rows = study.table_rows("cases")
    assert [row["case"] for row in rows] == ["c2", "c1", "c4", "c3"]
    assert [row["spent_before"] for row in rows] == [0, 2, 3, 11]
    assert [row["final"] for row in rows] == ["c2.1", "c1.2", "c4.1", "c3.1"]
    assert study.column("cases", "solved").values() == [True, False, True, False]
    assert study.value("metrics", "accuracy").value() == Fraction(1, 2)


def test_the_code_reads_like_the_formula(protocol: core.Protocol) -> None:
    text = rules.render(protocol)
    assert (
        "@rules.metric('hard.accuracy', text='rate(solved over hard_cases)')\n"
        "def metric_hard_accuracy(study: Study) -> Withheld:\n"
        "    hard_cases = study.rows('hard_cases')\n"
        "    return Withheld(over.rate(hard_cases, hard_cases['solved']), ~study.definition('measured'))\n"
    ) in text
    assert "says='by the last answer'" in text
    assert max(map(len, text.splitlines())) <= 120


def test_the_bytes_depend_on_the_protocol_alone(tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text(SPEC, encoding="utf-8")
    program = (
        "import sys; from protoc_compiler import pipeline; from protoc_compiler.emit import rules;"
        "sys.stdout.write(rules.render(pipeline.check(sys.argv[1])[0]))"
    )
    root = Path(__file__).parents[2]
    made = set()
    for seed, zone in (("0", "UTC"), ("4242", "Asia/Tokyo")):
        environment = os.environ | {
            "PYTHONHASHSEED": seed, "TZ": zone, "PYTHONPATH": f"{root / 'compiler'}:{root / 'runtime'}",
        }  # fmt: skip
        done = subprocess.run(
            [sys.executable, "-c", program, str(path)], env=environment, cwd=tmp_path, capture_output=True, check=True
        )
        made.add(done.stdout)
    assert len(made) == 1


HOSTILE = ['it\'s """ over', "a\\", "line\nbreak", "{{ jinja }} {% raw %}", "\u202e\x00", "'; import os #"]


@pytest.mark.parametrize("words", HOSTILE)
def test_words_and_names_stay_data(words: str) -> None:
    item = core.Item("metrics", words, core.INT, core.Const(core.INT, 1), words, says=words, cites=(words,))
    gate = core.Item("gates", words, core.BOOL, core.Const(core.BOOL, True), words, says=words)
    module = loaded(whole((), items=(item, gate), id="x", released=(words,)))
    found = module.evaluate({})
    assert found.metrics == {words: 1}
    assert found.gates == {words: True}
    assert module.rules.items["metrics", words].text == words


@pytest.mark.parametrize("name", ["class", "study", "over", "Vec", "print", "rules", "p.1", "é"])
def test_names_of_tables_never_collide_with_the_program(name: str) -> None:
    table = core.Table(name, "listed", name, key=("k",), columns=(core.Col("k", core.INT, False, "listed"),),
                       listed=((1,), (2,)), labels=("1", "2"))  # fmt: skip
    value = core.Aggregate(core.INT, "count", core.Rows("v", name), (), ())
    item = core.Item("metrics", name, core.INT, value, "count")
    assert loaded(whole((table,), items=(item,))).evaluate({}).metrics == {name: 2}


@pytest.mark.parametrize(
    "expr",
    [
        core.Aggregate(core.NUMBER, "geometric_mean", core.Rows("v", "topics"), (core.Const(core.INT, 1),), ()),
        core.Call(core.NUMBER, "logarithm", (core.Const(core.INT, 1),), ()),
        core.Cast(core.TIME, core.Const(core.ANY, None)),
        core.Expr(core.INT),
    ],
)
def test_what_the_engine_lacks_is_refused(expr: core.Expr) -> None:
    table = core.Table("topics", "listed", "topics", key=("k",), columns=(core.Col("k", core.INT, False, "listed"),),
                       listed=((1,),), labels=("1",))  # fmt: skip
    items = tuple(core.Item("metrics", name, expr.type, expr, "") for name in ("one", "two"))
    with pytest.raises(Refused) as refused:
        rules.render(whole((table,), items=items))
    assert {item.kind for item in refused.value.diagnostics} == {kinds.NOT_EMITTED}


def test_the_code_of_very_many_gates_is_not_nested_deeper(tmp_path: Path) -> None:
    """Python reads `a & b & c` as nested, and code that nests with the number of gates cannot be read some day."""
    many = 1_200
    gates = "\n".join(
        f"  g{number}: {{says: A case is above {number}., must: count(cases where size > {number}) > 0}}"
        for number in range(many)
    )
    text = f"""{HEAD}
data:
  tables:
    cases: {{key: case, columns: {{case: text, size: int}}}}
gates:
{gates}
verdict:
  - PASS when all gates have held
  - POOR when some gates have failed
  - FAIL otherwise
report:
  released: [PASS]
"""
    protocol = resolved(text, tmp_path)
    assert _depth(ast.parse(rules.render(protocol))) < 250
    module = loaded(protocol)
    for size, verdict in ((many, "PASS"), (many - 1, "POOR"), (0, "POOR")):
        assert module.evaluate(tables(protocol, {"cases": [{"case": "c", "size": size}]})).verdict == verdict


def _depth(tree: ast.AST) -> int:
    """How deep a tree is, found without recursion."""
    level, depth = [tree], 0
    while level:
        level, depth = [part for node in level for part in ast.iter_child_nodes(node)], depth + 1
    return depth
