"""The document pass: shape faults are told, and every form of the language becomes its record."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_compiler import document, source, spec, syntax
from protoc_compiler.catalogue import document as kinds
from protoc_runtime.diagnostics import Findings

SHARED = Path(os.environ.get("PROTOC_SHARED", Path(__file__).parents[3] / "shared"))
DRAFTS = sorted((SHARED / "design" / "language" / "specs").glob("*.yaml"))
HEAD = "protoc: 1\nprotocol: {id: demo, version: 3, title: A title}\n"
DATA = "data:\n  tables:\n    cases: {key: case, columns: {case: text}}\n"
END = "verdict:\n  - FAIL otherwise\n"
# What each draft is refused for: the forms that were settled after the drafts.
FORMS = {"E0116", "E0201", "E0202", "E0203", "E0205", "E0218", "E0219", "E0220", "E0221"}
CLEAN = {"media-identify", "phrase-gates", "trade-ranking"}


def build(text: str) -> tuple[spec.Spec | None, Findings]:
    findings = Findings()
    root = source.read(text.encode(), "spec.yaml", findings)
    assert root is not None, [item.message for item in findings]
    return document.build(root, "spec.yaml", findings), findings


def good(middle: str = "", *, data: str = DATA, end: str = END) -> spec.Spec:
    made, findings = build(HEAD + data + middle + end)
    assert made is not None
    assert [f"{item.id} {item.span} {item.message}" for item in findings] == []
    return made


def ids(middle: str = "", *, head: str = HEAD, data: str = DATA, end: str = END) -> list[str]:
    return [item.id for item in build(head + data + middle + end)[1].sorted()]


def under(section: str, entry: str) -> str:
    return f"{section}:\n" + "".join(f"  {line}\n" for line in entry.splitlines())


@pytest.mark.parametrize("kind", kinds.KINDS, ids=lambda kind: kind.name)
def test_example_triggers_exactly_its_kind(kind):
    assert [item.id for item in build(kind.example)[1]] == [kind.id]


def test_head():
    made = good()
    assert (made.id.text, made.version, made.title.text, made.language) == ("demo", 3, "A title", 1)
    assert made.verdict.body.texts == ("FAIL otherwise",)


@pytest.mark.parametrize("name", ["Demo", "demo_x", "2demo", "demo-", "a--b", "é", "a b", "a" * 101])
def test_bad_ids(name):
    assert ids(head=f"protoc: 1\nprotocol: {{id: {name}, version: 1, title: t}}\n") == ["E0209"]


@pytest.mark.parametrize("version", ["0", "01", "1.0", "v1", "-1", "1_0", "9999999"])
def test_bad_versions(version):
    assert ids(head=f"protoc: 1\nprotocol: {{id: a, version: {version}, title: t}}\n") == ["E0210"]


def test_missing_sections_are_told_at_once():
    _, findings = build("protoc: 1\n")
    assert sorted(item.message for item in findings) == [
        "the spec lacks `data`",
        "the spec lacks `protocol`",
        "the spec lacks `verdict`",
    ]


def test_did_you_mean():
    _, findings = build(HEAD + DATA + "gates:\n  g: {says: w, must: 1 == 1, cite: [a]}\n" + END)
    (found,) = findings
    assert (found.id, found.span.line, found.span.column) == ("E0201", 7, 30)
    assert "did you mean `cites`" in found.hint


def test_misspelled_rule_key_is_never_ignored():
    _, findings = build(HEAD + DATA + "gates:\n  g: {says: w, msut: 1 == 1}\n" + END)
    assert [(item.id, item.hint) for item in findings] == [("E0201", "did you mean `must`?")]


def test_key_of_another_section():
    _, findings = build(HEAD + DATA + END + "report:\n  blockers: {}\n")
    (found,) = findings
    assert found.id == "E0222"
    assert "the top level" in found.message


def test_order_faults_name_both_places():
    _, findings = build(HEAD + END + DATA + "gates:\n  g: {says: w, must: 1 == 1}\n")
    assert [(item.id, item.span.line, item.related[0].span.line) for item in findings] == [
        ("E0206", 5, 3),
        ("E0206", 8, 3),
    ]


def test_what_people_fill_is_a_table():
    _, findings = build(HEAD + DATA + "  records:\n    r: {from: adjudication, complete: bool}\n" + END)
    assert [(item.id, item.hint) for item in findings] == [("E0218", "declare it under `data.tables`")]


def test_a_sandbox_has_a_closed_list_of_forms():
    subject = "subject:\n  command: [run, me]\n  sees: [a]\n  of: cases\n  sandbox: none"
    assert ids(under("procedure", subject)) == ["E0218"]


def test_sources_are_a_closed_list():
    table = "    t: {{from: {}, key: a, columns: {{a: text}}}}\n"
    for name in ("git", "ledger", "secret scan"):
        assert ids(data=DATA + table.format(name)) == ["E0218"]
    for name in ("subject", "runner", "registry", "file", "adjudication", "ledger of embedding", "ledger of subject"):
        assert ids(data=DATA + table.format(name)) == []
    for name in ("sbject", "ledger of", "provider embedding"):
        assert ids(data=DATA + table.format(name)) == ["E0218"]
    for name in ("ledger", "registry"):
        assert ids(data=DATA + f"  records:\n    r: {{from: {name}, a: int}}\n") == ["E0218"]


def test_column_types():
    columns = "{a: text, b: int?, c: set of text, d: list of cases?, e: [x, y, null], f: {g: text, h: [p, q]}}"
    made = good(data=f"data:\n  tables:\n    cases: {{key: a, columns: {columns}}}\n")
    types = {column.name.text: column.type for column in made.tables[0].columns}
    assert (types["a"].name, types["a"].optional, types["b"].name, types["b"].optional) == ("text", False, "int", True)
    assert (types["c"].kind, types["c"].item.name, types["c"].optional) == ("set", "text", False)
    assert (types["d"].kind, types["d"].item.name, types["d"].optional) == ("list", "cases", True)
    assert ([member.text for member in types["e"].members], types["e"].optional) == (["x", "y"], True)
    assert [column.name.text for column in types["f"].columns] == ["g", "h"]


def test_column_faults():
    table = "data:\n  tables:\n    t: {{key: a, columns: {{{}}}}}\n"
    assert ids(data=table.format("a: bag of text")) == ["E0219"]
    assert ids(data=table.format("a: [x, x]")) == ["E0214"]
    assert ids(data=table.format("a-b: text")) == ["E0212"]
    assert ids(data=table.format("where: text")) == ["E0213"]
    assert ids(data=table.format("a: {position: int}")) == ["E0213"]
    assert ids(data=table.format("a: {b: {c: int}}")) == ["E0203"]
    assert ids(data="data:\n  tables:\n    t: {key: a}\n") == ["E0202"]
    assert ids(data="data:\n  tables:\n    t: {key: a, key: b, columns: {a: int}}\n") == ["E0122"]


def test_tables():
    made = good(
        data="""data:
  tables:
    listed:
      key: name
      rows:
        one: {flag: true, words: [a, b]}
        two:
    short: {key: n, rows: [0.40, 1]}
    wide:
      says: one row per pair
      file: blocks
      unpivot:
        arm: {delivered: on, suppressed: off}
        columns: {seen: <arm>_seen}
      key: [case, arm]
      order: [case, arm]
      columns: {case: text, arm: [delivered, suppressed], seen: bool?}
      expect:
        - count(wide) == 4
      duplicates: judged by gates.whole
      cites: [R1]
  records:
    seal: {from: seal, time: time, cites: [R2]}
  splits:
    dev: {role: development, may: [tune], says: words}
    test: {role: heldout, may: [score once], was: dev, baseline: run 1}
"""
    )
    listed, short, wide = made.tables
    assert (listed.source.text, [row.key.text for row in listed.rows]) == ("listed", ["one", "two"])
    assert [(name.text, type(cell).__name__) for name, cell in listed.rows[0].cells] == [
        ("flag", "Scalar"),
        ("words", "Sequence"),
    ]
    assert [row.key.text for row in short.rows] == ["0.40", "1"]
    assert (wide.source.text, wide.file.text, wide.duplicates.text) == ("file", "blocks", "whole")
    assert [label.text for label, _ in wide.unpivot.labels] == ["delivered", "suppressed"]
    assert wide.unpivot.columns[0][1].text == "<arm>_seen"
    assert isinstance(wide.expect[0].tree, syntax.Chain)
    assert made.records[0].columns[0].name.text == "time"
    assert [(split.name.text, split.may[0].text) for split in made.splits] == [("dev", "tune"), ("test", "score once")]


def test_bodies():
    made = good(
        """definitions:
  limit: 0.05
  cases.band:
    says: words
    is:
      - low  when 1 < 2
      - high otherwise
    if_undefined: low
  strata: {is: cases grouped by case, with: [n]}
metrics:
  withheld when: limit > 1
  not withheld: [n]
  n: count(cases)
  recall.<cases>: 1
blockers:
  P1.1: {says: w, when: {any: [1 == 2, 2 == 3]}, forces: BLOCKED, if_undefined: does not fire, cites: [A1, A2]}
gates:
  n:
    says: w
    must:
      all:
        - n > 1
        - n < 3
checks:
  withheld when: limit > 1
  c: {says: w, is: n == 2}
verdicts:
  <cases>: band
  side:
    - A when n == 1
    - B otherwise
"""
    )
    names = [item.name.text for item in made.definitions.items]
    assert names == ["limit", "cases.band", "strata"]
    band = made.definitions.items[1]
    assert isinstance(band.body, spec.FirstMatch)
    assert band.body.lines[1].condition is None
    assert band.if_undefined.text == "low"
    assert [name.text for name in made.definitions.items[2].with_metrics] == ["n"]
    assert made.metrics.withheld_when.text == "limit > 1"
    assert [name.text for name in made.metrics.not_withheld] == ["n"]
    assert [item.name.text for item in made.metrics.items] == ["n", "recall.<cases>"]
    blocker = made.blockers.items[0]
    assert (blocker.body.kind, len(blocker.body.parts), blocker.forces.text) == ("any", 2, "BLOCKED")
    assert (blocker.if_undefined.text, [rule.text for rule in blocker.cites]) == ("does not fire", ["A1", "A2"])
    assert made.gates.items[0].body.kind == "all"
    assert made.checks.withheld_when is not None
    assert [type(item.body).__name__ for item in made.verdicts] == ["Formula", "FirstMatch"]


def test_condition_lists_have_one_kind():
    assert ids("gates:\n  g: {says: w, must: {all: [1 == 1], any: [1 == 1]}}\n") == ["E0221"]
    assert ids("gates:\n  g: {says: w, must: {all: []}}\n") == ["E0204"]
    assert ids("gates:\n  g: {says: w, must: {each: [1 == 1]}}\n") == ["E0201"]


def test_arms_and_intervals():
    made = good(
        """arms:
  control: {of: cases, says: off, row: only(cases)}
metrics:
  m: 1
intervals:
  m interval:
    metric: m
    resample: [cases, cases]
    follow: [cases matching case]
    within: case
    draws: 5_000
    generator: mersenne twister
    seed: 7
    level: 95%
    low: m_low
    kept: m_kept
"""
    )
    assert (made.arms[0].of.text, made.arms[0].says.text) == ("cases", "off")
    interval = made.intervals[0]
    assert (len(interval.resample), len(interval.follow), interval.within.text) == (2, 1, "case")
    assert [(kind, name.text) for kind, name in interval.outputs] == [("low", "m_low"), ("kept", "m_kept")]


def test_interval_without_output():
    interval = "  i: {metric: m, resample: t, draws: 5, generator: mersenne twister, seed: 1, level: 95%}\n"
    assert ids("intervals:\n" + interval) == ["E0221"]


def test_procedure():
    made = good(
        """procedure:
  freeze:
    before: sha256:71c471f72b275a7a0cf32c676d5f42c5c7cb7c64cb36fd41e25b8fba3d6f67be
    threshold: 0.95
    shift: -3
    model: "m-1"
    prompt: {file: prompt.txt, cites: [D2]}
    limit: {is: 5 s, cites: [D3]}
  subject:
    python: {is: "subject.py:run", cites: [D1]}
    of: cases
    sees: [case]
    code: helper.py
    timeout: 5 s
    concurrency: 2
  phases:
    - {phase: tune, reads: [dev], use: tune, cites: [D4]}
  steps:
    - Plain words.
    - {says: More words., by: attestation, cites: [D5]}
"""
    )
    freeze = {item.name.text: item for item in made.procedure.freeze}
    assert freeze["before"].digest.text.startswith("sha256:71c4")
    assert isinstance(freeze["threshold"].value.tree, syntax.Number)
    assert isinstance(freeze["shift"].value.tree, syntax.Negative)
    assert freeze["model"].value.tree.value == "m-1"
    assert (freeze["prompt"].file.text, freeze["prompt"].cites[0].text) == ("prompt.txt", "D2")
    assert isinstance(freeze["limit"].value.tree, syntax.Quantity)
    subject = made.procedure.subject
    assert (subject.kind.text, subject.target.text, subject.unit.text) == ("python", "subject.py:run", "cases")
    assert ([item.text for item in subject.sees], [item.text for item in subject.code]) == (["case"], ["helper.py"])
    assert [(key, rules[0].text) for key, rules in subject.cites] == [("python", "D1")]
    assert [(phase.name.text, phase.use.text) for phase in made.procedure.phases] == [("tune", "tune")]
    assert [(step.says.text, step.by and step.by.text) for step in made.procedure.steps] == [
        ("Plain words.", None),
        ("More words.", "attestation"),
    ]


@pytest.mark.parametrize(
    "value", ["whatever", "sha256:12", "sha256 " + "a" * 64, "f(x)", "1 + 1", "sha256:" + "A" * 64]
)
def test_frozen_values_are_literals(value):
    assert ids(under("procedure", f"freeze: {{a: {value}}}")) == ["E0220"]


def test_subject_faults():
    assert ids(under("procedure", "subject: {of: cases}")) == ["E0221"]
    assert ids(under("procedure", "subject: {python: 's.py:f', recorded: r, of: cases, sees: case}")) == ["E0221"]
    assert ids(under("procedure", "subject: {python: 's.py:f', of: cases}")) == ["E0202"]
    assert ids(under("procedure", "subject: {python: s.py, of: cases, sees: case}")) == ["E0219"]


def test_report():
    made = good(
        end=END
        + """report:
  released: [FAIL]
  withheld when: 1 == 2
  statuses:
    label:
      says: w
      is:
        - small when 1 == 2
        - large otherwise
  lists:
    ids: list(case over cases)
  duties:
    - words
    - {says: more, cites: [R3]}
  claims:
    it works: {may: when FAIL or PASS, says: w}
    it always works: {never: always}
    both: judged apart
  amendments:
    A1: {changes: [gates.g], why: a slip, seen: [dev], at: 2026-01-02}
attestations:
  blind: Nothing was seen.
  more: {says: Nothing else., cites: [R4]}
limits:
  - one
  - {says: two, cites: [R5]}
"""
    )
    report = made.report
    assert isinstance(report.claims[0].may.tree, syntax.Or)
    assert report.claims[0].may.span.column == 26
    assert report.claims[1].never.text == "always"
    assert report.claims[2].says.text == "judged apart"
    assert report.amendments[0].seen[0].text == "dev"
    assert (report.duties[1].cites[0].text, made.limits[1].cites[0].text) == ("R3", "R5")
    assert [item.says.text for item in made.attestations] == ["Nothing was seen.", "Nothing else."]
    assert isinstance(report.statuses[0].body, spec.FirstMatch)


def test_lists_end_in_otherwise_once():
    early = "verdict:\n  - A otherwise\n  - B when 1 == 1\n"
    assert ids(end=early) == ["E0217"]
    assert ids("metrics:\n  m:\n    - 1 when 1 == 2\n") == ["E0216"]


def test_words_are_needed_at_rules_only():
    assert ids("blockers:\n  b: {when: 1 == 1, forces: X}\n") == ["E0215"]
    assert ids("checks:\n  c: {is: 1 == 1}\n") == ["E0215"]
    assert ids("metrics:\n  m: {is: 1}\n") == []


def test_bare_formula_as_a_rule():
    _, findings = build(HEAD + DATA + "gates:\n  g: 1 == 1\n" + END)
    (found,) = findings
    assert found.id == "E0203"
    assert "`says: ...`, `must: ...`" in found.hint


def test_broken_entries_are_named():
    made, findings = build(HEAD + DATA + "metrics:\n  m: 1 +\n  n: 2\ngates:\n  g: {says: w, must: (}\n" + END)
    assert made is not None
    assert findings.failed
    assert set(made.broken) == {"m", "g"}


@pytest.mark.skipif(not DRAFTS, reason="the shared folder is absent")
@pytest.mark.parametrize("path", DRAFTS, ids=lambda path: path.stem)
def test_drafts(path):
    made, findings = build(path.read_text(encoding="utf-8"))
    assert made is not None
    found = {item.id for item in findings if item.severity == "error"}
    assert found <= FORMS
    assert not (found and path.stem in CLEAN)


lines = st.sampled_from((HEAD + DATA + END + "gates:\n  g:\n    says: w\n    must: 1 == 1\n").splitlines())
noise = st.sampled_from(
    ["", "  - x", "  a: b", "report:", "  is: {all: [a, b]}", "x: [", "data: 3", "gates: [a]", "- {}"]
)


@given(st.lists(st.one_of(lines, noise), max_size=14))
@settings(max_examples=400, deadline=None)
def test_jumbled_specs_never_raise(parts):
    findings = Findings()
    root = source.read("\n".join(parts).encode(), "spec.yaml", findings)
    if root is not None:
        made = document.build(root, "spec.yaml", findings)
        assert made is not None or findings.failed


def test_a_flood_of_faults_ends_early():
    _, findings = build("".join(f"k{number}: 1\n" for number in range(3000)))
    assert 200 <= len(findings) <= 210


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("version: 3", "version: 3{}", "E0210"),
        ("id: demo", "id: demo_{}", "E0209"),
        ("protoc: 1", "protoc: 1{}", "E0211"),
        ("{key: case", "{from: x{}, key: case", "E0218"),
    ],
)
def test_a_long_value_is_repeated_by_its_beginning(old, new, expected):
    text = HEAD + DATA + END
    assert old in text
    (found,) = build(text.replace(old, new.replace("{}", 3000 * "0"), 1))[1]
    assert found.id == expected
    assert "000...`" in found.message
    assert len(found.message) < 200
