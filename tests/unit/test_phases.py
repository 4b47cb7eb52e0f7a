"""The state machine of phases: every transition that the machine itself does not allow is refused, every other is not.

What is allowed is computed here once more, from the words of the documentation and with none of the tool's code.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_compiler import identity, pipeline
from protoc_runtime.catalogue import phases as kinds
from protoc_runtime.declared import Declared, Phase, load
from protoc_runtime.phases.allowed import Guard, Lacking, Now, judge, led_by, legal
from protoc_runtime.phases.entries import Entry
from protoc_runtime.phases.history import audited, facts
from protoc_runtime.phases.machine import is_machine, later, ways_to
from protoc_runtime.record import replace

ROOT = Path(__file__).resolve().parents[2]
VERDICTS = ("PASS", "SLOW", "FAIL")
CODE = {"subject.py": "a" * 64, "backend.py": "b" * 64}
NOW = Now("sha256:spec", CODE, {})
Step = tuple[str, str]
SPEC = """
protoc: 1
protocol: {id: machine, version: 1, title: A machine}
data:
  tables:
    cases: {key: case, columns: {case: text, split: splits, size: int}}
    answers: {from: subject, key: case, columns: {case: cases, right: bool}}
  splits:
    dev: {role: development, may: [tune]}
procedure:
  subject: {python: "subject.py:answer", of: cases, sees: [size]}
  phases:
    - {phase: dev, reads: [dev], use: tune, ends: PASS}
metrics: {accuracy: rate(only(answers).right over cases)}
gates:
  good: {says: At least 50% are right., must: accuracy >= 50%}
verdict:
  - PASS when all gates have held
  - SLOW when accuracy is undefined
  - FAIL otherwise
report: {released: [PASS]}
"""


@cache
def base(folder: str) -> Declared:
    """A protocol whose phases the tests replace."""
    path = Path(folder) / "protocol.yaml"
    path.write_text(SPEC, encoding="utf-8")
    protocol, findings = pipeline.check(path)
    assert protocol is not None, list(findings)
    return load(identity.canonical(protocol))


@pytest.fixture(scope="module")
def protocol(tmp_path_factory: pytest.TempPathFactory) -> Declared:
    return base(str(tmp_path_factory.mktemp("machine")))


def phase(name: str, **about: object) -> Phase:
    made = Phase(name=name, reads=("dev",), use="tune", says="", cites=())
    return replace(made, **about)


ROUTER = (
    phase("dev", ends=("PASS",), then=(("PASS", ("fresh",)), ("SLOW", ("runtime",)))),
    phase("runtime", then=(("PASS", ("fresh",)),), may_change=("backend.py",)),
    phase("fresh", once=True, then=(("PASS", ("calibration",)),)),
    phase("calibration", once=True, then=(("PASS", ("blind",)),)),
    phase("blind", once=True),
)
FORKED = (
    phase("first", then=(("PASS", ("left", "right")), ("FAIL", ("last",)))),
    phase("left", once=True, then=(("PASS", ("last",)), ("SLOW", ("last",)))),
    phase("right", ends=("PASS", "SLOW"), then=(("PASS", ("last",)),)),
    phase("last", once=True),
)


# --- what is allowed, told once more ----------------------------------------------------------------------------------


def expected(phases: tuple[Phase, ...], walked: tuple[Step, ...], name: str) -> bool:
    """Whether a phase may follow these runs."""
    by_name = {each.name: each for each in phases}
    own = by_name[name]
    for done, verdict in walked:
        if done == name and (own.once or verdict in own.ends):
            return False
        if done in reached(by_name, name):
            return False
    if name == phases[0].name:
        return True
    lasts = dict(walked)  # the last run of each phase
    return any(name in to for done, last in lasts.items() for verdict, to in by_name[done].then if verdict == last)


def reached(by_name: dict[str, Phase], name: str) -> set[str]:
    """Every phase to which a phase leads, near or far."""
    found: set[str] = set()
    for _ in by_name:
        for start in {name, *found}:
            found |= {to for _, many in by_name[start].then for to in many}
    return found


def entries(walked: tuple[Step, ...], code: dict[str, str] = CODE) -> tuple[Entry, ...]:
    """The runs as the registry would tell of them."""
    return tuple(
        Entry(name, f"runs/{at}", f"2026-01-01T00:{at:02}:00Z", f"2026-01-01T00:{at:02}:30Z", verdict, NOW.spec,
              tuple(sorted(code.items())))
        for at, (name, verdict) in enumerate(walked)
    )  # fmt: skip


def walks(phases: tuple[Phase, ...], most: int, verdicts: tuple[str, ...] = VERDICTS) -> Iterator[tuple[Step, ...]]:
    """Every legal sequence of runs with verdicts, up to a length."""
    waiting: list[tuple[Step, ...]] = [()]
    while waiting:
        walked = waiting.pop()
        yield walked
        if len(walked) < most:
            open_now = [each.name for each in phases if expected(phases, walked, each.name)]
            waiting += [(*walked, (name, verdict)) for name in open_now for verdict in verdicts]


# --- the tests ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("phases", "most"), [(ROUTER, 6), (FORKED, 5)], ids=["router", "forked"])
def test_every_transition_is_allowed_or_refused_as_the_machine_says(
    protocol: Declared, phases: tuple[Phase, ...], most: int
) -> None:
    check_walks(replace(protocol, phases=phases), most, VERDICTS)


@pytest.fixture(scope="module")
def example() -> Declared:
    """The operation router, whose machine is that of the published protocol."""
    return load((ROOT / "generated" / "schemarouter_operation_routing_v1" / "protocol.json").read_bytes())


def test_every_transition_of_the_example_is_allowed_or_refused(example: Declared) -> None:
    """Read off the compiled protocol, so that no edge can be left out here."""
    assert [each.name for each in example.phases] == ["dev", "runtime_only", "fresh", "calibration", "blind_final"]
    check_walks(example, 6, ("PASS", "RUNTIME_ONLY", "NOT_READY"))


def test_no_guard_and_no_report_of_the_example_can_be_left_out(example: Declared) -> None:
    """Wherever a phase may be entered, it may not once its guard is false or undefined, or a report is lacking."""
    seen = set()
    for walked in walks(example.phases, 5, ("PASS", "RUNTIME_ONLY")):
        known = entries(walked)
        for each in example.phases:
            if not expected(example.phases, walked, each.name):
                continue
            for value in (False, None) if each.enter else ():
                now = replace(NOW, guards={each.name: Guard(value, "guard", "values")})
                assert ids(example, known, each.name, now) == ["E2233"]
                assert each.name not in legal(example, known, now)
            led = led_by(example, known, each.name)
            if led is not None and led.phase == "runtime_only":
                now = replace(
                    NOW, parity={each.name: Lacking("runtime_only", "parity.json", "there is none", "make it")}
                )
                assert ids(example, known, each.name, now) == ["E2242"]
                assert each.name not in legal(example, known, now)
                seen.add((led.phase, each.name))
            seen.add(each.name)
    assert seen == {each.name for each in example.phases} | {("runtime_only", "fresh")}


def check_walks(declared: Declared, most: int, verdicts: tuple[str, ...]) -> None:
    """Walk every legal path; at each step of it, every phase is allowed or refused as the edges say."""
    phases = declared.phases
    taken, refused = set(), 0
    for walked in walks(phases, most, verdicts):
        known = entries(walked)
        for each in phases:
            found = judge(declared, known, each.name, NOW, known=True)
            allowed = expected(phases, walked, each.name)
            assert found.failed is not allowed, (walked, each.name, [item.message for item in found])
            refused += not allowed
            if allowed and (led := led_by(declared, known, each.name)) and each.name != phases[0].name:
                taken.add((led.phase, led.verdict, each.name))
        assert set(legal(declared, known, NOW)) == {e.name for e in phases if expected(phases, walked, e.name)}
    every = {(each.name, verdict, to) for each in phases for verdict, many in each.then for to in many}
    assert taken == every
    assert refused > 100


@st.composite
def machines(draw: st.DrawFn) -> tuple[Phase, ...]:
    """A machine whose edges lead forward."""
    names = [f"p{number}" for number in range(draw(st.integers(2, 5)))]
    made = []
    for at, name in enumerate(names):
        after = names[at + 1 :]
        then = [
            (verdict, tuple(draw(st.lists(st.sampled_from(after), min_size=1, max_size=2, unique=True))))
            for verdict in VERDICTS
            if after and draw(st.booleans())
        ]
        ends = tuple(draw(st.lists(st.sampled_from(VERDICTS), unique=True, max_size=2)))
        made.append(phase(name, once=draw(st.booleans()), ends=ends, then=tuple(then)))
    return tuple(made)


@settings(max_examples=40, deadline=None)
@given(phases=machines(), steps=st.lists(st.tuples(st.integers(0, 4), st.sampled_from(VERDICTS)), max_size=6))
def test_any_machine_allows_what_its_edges_say(
    protocol: Declared, phases: tuple[Phase, ...], steps: list[tuple[int, str]]
) -> None:
    declared = replace(protocol, phases=phases)
    walked: tuple[Step, ...] = ()
    for choice, verdict in steps:
        for each in phases:
            found = judge(declared, entries(walked), each.name, NOW, known=True)
            assert found.failed is not expected(phases, walked, each.name)
        open_now = [each.name for each in phases if expected(phases, walked, each.name)]
        if not open_now:
            break
        walked = (*walked, (open_now[choice % len(open_now)], verdict))
    assert all(not entry.illegal for entry in audited(declared, list(entries(walked))))


def ids(declared: Declared, known: tuple[Entry, ...], name: str, now: Now = NOW) -> list[str]:
    return [item.id for item in judge(declared, known, name, now)]


def test_a_run_without_an_end_spends_a_phase_and_tells_how_to_go_on(protocol: Declared) -> None:
    declared = replace(protocol, phases=ROUTER)
    known = (*entries((("dev", "PASS"),)), Entry("fresh", "runs/x", "2026-01-02T00:00:00Z"))
    (found,) = [item for item in judge(declared, known, "fresh", NOW) if item.kind is kinds.OVER]
    assert "--resume runs/x" in found.message
    assert ids(declared, known, "calibration") == ["E2230"]


def test_only_what_may_change_may_differ_from_the_run_that_led_here(protocol: Declared) -> None:
    declared = replace(protocol, phases=ROUTER)
    known = entries((("dev", "SLOW"),))
    quicker = replace(NOW, code={**CODE, "backend.py": "c" * 64})
    other = replace(NOW, code={**CODE, "subject.py": "c" * 64})
    assert ids(declared, known, "runtime", quicker) == []
    assert ids(declared, known, "runtime", other) == ["E2234"]
    assert ids(declared, known, "runtime", replace(NOW, code={**CODE, "new.py": "c" * 64})) == ["E2234"]
    assert ids(declared, known, "runtime", replace(NOW, code={"subject.py": CODE["subject.py"]})) == []
    (run,) = entries((("runtime", "PASS"),), dict(quicker.code))
    known = (*known, replace(run, at="2026-01-02", ended="2026-01-03"))
    assert ids(declared, known, "fresh", quicker) == []
    assert ids(declared, known, "fresh") == ["E2234"]  # the slow backend again: not what runtime has judged


def test_no_hint_leads_into_a_phase_that_is_over(protocol: Declared) -> None:
    """Dev has ended with PASS: a changed candidate cannot be judged in it again."""
    changed = replace(NOW, code={**CODE, "subject.py": "c" * 64})
    hints = {}
    for ends in ((), ("PASS",)):
        phases = (replace(ROUTER[0], ends=ends), *ROUTER[1:])
        (found,) = judge(replace(protocol, phases=phases), entries((("dev", "PASS"),)), "fresh", changed)
        hints[ends] = found.hint
    assert "or judge the new candidate in `dev` first" in hints[()]
    assert "`dev` is over" in hints["PASS",]
    assert "new version of the protocol" in hints["PASS",]


def test_another_protocol_and_another_bundle_are_no_evidence(protocol: Declared) -> None:
    declared = replace(protocol, phases=ROUTER)
    known = entries((("dev", "PASS"),))
    assert ids(declared, known, "fresh", replace(NOW, spec="sha256:other")) == ["E2235"]
    assert ids(declared, (replace(known[0], differs="other digest"),), "fresh") == ["E2236"]


@pytest.mark.parametrize("value", [False, None])
def test_a_guard_that_is_not_true_keeps_a_phase_shut(protocol: Declared, value: bool | None) -> None:
    declared = replace(protocol, phases=ROUTER)
    known = entries((("dev", "PASS"),))
    shut = replace(NOW, guards={"fresh": Guard(value, "manifest.valid", "manifest.valid is false")})
    assert ids(declared, known, "fresh", shut) == ["E2233"]
    assert legal(declared, known, shut) == ()
    assert ids(declared, known, "fresh", replace(NOW, guards={"fresh": Guard(True)})) == []


def test_a_run_that_only_a_merge_made_illegal_leads_nowhere(protocol: Declared) -> None:
    declared = replace(protocol, phases=ROUTER)
    merged = entries((("dev", "PASS"), ("fresh", "FAIL"), ("runtime", "PASS"), ("dev", "SLOW")))
    found = audited(declared, list(merged))
    assert [bool(entry.illegal) for entry in found] == [False, False, True, True]
    assert led_by(declared, found, "fresh") == found[0]
    assert led_by(declared, found, "runtime") is None


def test_a_run_that_was_not_allowed_says_nothing_to_guards(protocol: Declared) -> None:
    """Of two clones that both confirmed, only the first tells what came out; both are counted."""
    declared = replace(protocol, phases=ROUTER)
    found = audited(declared, entries((("dev", "PASS"), ("fresh", "FAIL"), ("fresh", "PASS"), ("blind", "PASS"))))
    told = facts(declared, found)
    assert (told["fresh"]["verdict"], told["fresh"]["run"], told["fresh"]["runs"]) == ("FAIL", "runs/1", 2)
    assert (told["blind"]["verdict"], told["blind"]["at"], told["blind"]["runs"]) == (None, None, 1)


def test_a_verdict_counts_only_from_its_end_on(protocol: Declared) -> None:
    declared = replace(protocol, phases=ROUTER)
    first, second = entries((("dev", "PASS"), ("fresh", "PASS")))
    overlapping = (replace(first, ended="2026-01-01T05:00:00Z"), second)
    assert [bool(entry.illegal) for entry in audited(declared, list(overlapping))] == [False, True]


def test_facts_of_phases(protocol: Declared) -> None:
    declared = replace(protocol, phases=ROUTER)
    told = facts(declared, entries((("dev", "FAIL"), ("dev", "PASS"))))
    assert told["dev"]["verdict"] == "PASS"
    assert told["dev"]["runs"] == 2
    assert told["fresh"] == {"verdict": None, "run": None, "at": None, "runs": 0, "open_duties": 0}


def test_the_machine_without_a_state(protocol: Declared) -> None:
    declared = replace(protocol, phases=ROUTER)
    assert later(declared, "fresh") == ("calibration", "blind")
    assert later(declared, "dev") == ("runtime", "fresh", "calibration", "blind")
    assert ways_to(declared, "fresh") == (("dev", "PASS"), ("runtime", "PASS"))
    assert not is_machine(replace(protocol, phases=(phase("a"), phase("b"))))


@pytest.mark.parametrize(
    ("same", "found"),
    [
        ("answers.right", ["W2210"]),
        ("answers.wrong", ["E0305"]),
        ("answer.right", ["E0304"]),
        ("cases.size", ["E0304"]),
    ],
)
def test_what_is_compared_are_columns_of_the_subject(tmp_path: Path, same: str, found: list[str]) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text(SPEC.replace("use: tune, ends", f"use: tune, same: {same}, ends"), encoding="utf-8")
    _, findings = pipeline.check(path)
    assert [item.id for item in findings] == found
