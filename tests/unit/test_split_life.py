"""The life of splits: sizes, bounds of candidates, what was spent elsewhere, roles that go one way, void readings."""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from protoc_runtime.registry import readings
from protoc_runtime.roles import NEXT, UNSEEN, may_become
from unit.corpora import KINDS_OF_COPIES, project, rows, write_rows
from unit.projects import Project, ids, read_json, read_lines

Copying = Callable[[str, random.Random], str]
FRESH = "fresh: {role: confirmation, may: [score once]}"


def made(folder: Path, splits: str, reads: str, count: int = 20, name: str = "study", seed: int = 0) -> Project:
    """A sealed protocol with so many cases in each split."""
    names = [line.split(":")[0] for line in splits.splitlines() if not line.startswith("never")]
    given = [row for number, split in enumerate(names) for row in rows(count, seed + number + 1, split)]
    study = project(folder, name, given, splits=splits, reads=reads)
    study.seal()
    return study


@pytest.mark.parametrize(
    ("splits", "told"),
    [
        ("fresh: {role: confirmation, may: [tune]}", "its role is confirmation, and it may be read to tune"),
        ("fresh: {role: blind, may: [score, tune]}", "its role is blind"),
        ("fresh: {role: consumed, may: [score]}", "its role is consumed, and it may be read to score"),
        ("fresh: {role: heldout, may: [score once], status: consumed}", "its status is consumed"),
        ("fresh: {role: heldout, may: [score once], at_most: 2 candidates}", "once, by 2 candidates at most"),
        ("fresh: {role: heldout, may: [score], disjoint_from: [fresh]}", "disjoint from itself"),
    ],
)
def test_a_split_that_contradicts_itself_is_refused(tmp_path: Path, splits: str, told: str) -> None:
    study = project(tmp_path, "study", rows(3, 1, "fresh"), splits=splits, reads="fresh")
    study.protoc("check", study.spec, status=1)
    assert "E2301" in ids(study)
    assert told in study.err


def test_a_split_must_be_disjoint_from_one_that_there_is(tmp_path: Path) -> None:
    splits = "fresh: {role: heldout, may: [score], disjoint_from: [devel]}\ndev: {role: development, may: [tune]}"
    study = project(tmp_path, "study", rows(3, 1, "fresh"), splits=splits, reads="fresh")
    study.protoc("check", study.spec, status=1)
    assert ids(study) == ["E0320"]


def test_a_stated_size_holds_at_the_seal_and_at_the_run(tmp_path: Path) -> None:
    splits = (
        "fresh: {role: confirmation, may: [score once], cases: 1_0}\nlater: {role: blind, may: [score once], cases: 7}"
    )
    study = project(tmp_path, "study", rows(9, 1, "fresh"), splits=splits, reads="later")
    study.compile()
    study.protoc("seal", study.spec, status=1)
    assert ids(study) == ["E2302"]
    assert "split fresh has 9 cases, the protocol says 10" in study.err
    write_rows(study.spec / "cases.jsonl", rows(10, 1, "fresh"))
    study.seal()
    study.run(status=1)
    assert ids(study) == ["E2302"], "a split that is still empty is not read"
    write_rows(study.spec / "cases.jsonl", [*rows(10, 1, "fresh"), *rows(7, 2, "later")])
    study.seal("--reason", "the blind cases are made")
    study.run()
    page = (study.folder / "generated/study_v1/PROTOCOL.md").read_text()
    assert "It has 7 cases." in page


def test_only_so_many_candidates_may_read_a_split(tmp_path: Path) -> None:
    study = made(tmp_path, "dev: {role: development, may: [score], at_most: 2 candidates}", "dev")
    study.run()
    study.run()
    for number in (2, 3):
        (study.spec / "subject.py").write_text((study.spec / "subject.py").read_text() + f"# candidate {number}\n")
        study.seal("--reason", f"candidate {number}")
        study.run(status=int(number == 3))
    assert ids(study) == ["E2304"]
    assert "at most 2 candidates, and 2 have read it" in study.err
    text = (study.spec / "subject.py").read_text()
    (study.spec / "subject.py").write_text(text.replace("# candidate 3\n", ""))
    study.seal("--reason", "the second one again")
    study.run()
    assert len({reading.candidate for reading in readings(tmp_path / "registry.jsonl")}) == 2


def test_what_was_consumed_elsewhere_is_spent_for_every_protocol(tmp_path: Path) -> None:
    splits = f"failed_270: {{role: confirmation only, may: [], status: consumed}}\n{FRESH}\nnever: [choose a threshold]"
    study = made(tmp_path, splits, "fresh")
    bundle = study.run()
    assert bundle is not None
    page = (bundle / "RECEIPT.md").read_text()
    assert "declared to be consumed elsewhere" in page
    assert "choose a threshold" in page
    failed = [{**row, "split": "fresh", "case": f"n{n}"} for n, row in enumerate(rows(20, 1, "x"))]
    second = project(tmp_path, "second", failed, splits=FRESH, reads="fresh")
    second.seal()
    second.run(status=1)
    assert ids(second) == ["E1304"], "confirmation only does not become confirmation again"
    second.edit("protocol.yaml", "fresh: {role: confirmation, may: [score once]}", "fresh: {role: other, may: [tune]}")
    second.edit("protocol.yaml", "use: score", "use: tune")
    second.seal("--reason", "tune on it")
    second.run(status=1)
    assert "E1301" in ids(second), second.err
    assert "declares its split failed_270 consumed" in second.err
    second.protoc("splits", "--workspace", tmp_path)
    study.protoc("splits", "--check", "--workspace", tmp_path)


def test_within_one_protocol_a_copy_of_a_consumed_split_is_not_read(tmp_path: Path) -> None:
    splits = f"old: {{role: consumed, may: []}}\n{FRESH}"
    old = rows(20, 1, "old")
    copied = [{**row, "split": "fresh", "case": f"n{n}"} for n, row in enumerate(old[:5])]
    given = [*old, *rows(20, 2, "fresh"), *copied]
    study = project(tmp_path, "study", given, splits=splits, reads="fresh")
    study.seal()
    study.run(status=1)
    assert ids(study) == ["E1301"], study.err
    assert "5 of 20" in study.err


def test_rows_for_confirmation_are_never_tuned_on(tmp_path: Path) -> None:
    """Not under another role, not with `was`, not in a changed copy."""
    made(tmp_path, FRESH, "fresh").run()
    for was in ("", ", was: confirmation"):
        name = f"second{len(was)}"
        given = [{**row, "split": "dev", "case": f"{name}{n}"} for n, row in enumerate(rows(20, 1, "x")[2:])]
        splits = f"dev: {{role: development, may: [tune]{was}}}"
        second = project(tmp_path, name, given, splits=splits, reads="dev")
        second.edit("protocol.yaml", "use: score", "use: tune")
        second.seal()
        second.run(status=1)
        assert ids(second) == ["E1304"], second.err


def test_roles_go_one_way() -> None:
    """From every role only what the table says, and into an unseen role only from itself."""
    for before in (*NEXT, "a word of the author's"):
        for after in NEXT:
            allowed = after == before or after in NEXT.get(before, ()) or (before not in NEXT and after not in UNSEEN)
            assert may_become(before, after) is allowed, (before, after)
    for first in UNSEEN:
        reached, waiting = set(), [first]
        while waiting:
            role = waiting.pop()
            waiting += [after for after in NEXT[role] if after not in reached]
            reached |= set(NEXT[role])
        assert not reached & set(UNSEEN), f"from {first} no way leads back"
        assert "consumed" in reached


@pytest.fixture
def broken(tmp_path: Path) -> Project:
    """A run that ended after its split was reserved and before anything was scored."""
    study = made(tmp_path, "heldout: {role: heldout, may: [score once]}", "heldout")
    bundle = study.run()
    assert bundle is not None
    open_again(study, bundle, scored=False)
    return study


def open_again(study: Project, bundle: Path, *, scored: bool) -> None:
    """The state that a kill leaves: no receipt, a registry without the end, a ledger without (or with) a score."""
    folder = bundle.rename(bundle.with_name(bundle.name + ".unfinished"))
    registry = study.folder / "registry.jsonl"
    registry.write_bytes(registry.read_bytes().splitlines(keepends=True)[0])
    ledger = (folder / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    first = next(n for n, event in enumerate(read_lines(folder / "ledger.jsonl")) if event["kind"] == "case_finished")
    (folder / "ledger.jsonl").write_bytes(b"".join(ledger[: first + scored]))


def void(study: Project, *more: object, status: int = 0) -> str:
    (folder,) = study.unfinished()
    return study.protoc("splits", "--void", folder, "--workspace", study.folder, *more, status=status)


def test_a_failure_before_any_score_is_voided_once_and_shown_for_ever(broken: Project) -> None:
    log = broken.folder / "outage.log"
    log.write_text("the network was down\n")
    void(broken, "--reason", "network", status=1)
    assert "no evidence is given" in broken.err
    void(broken, "--evidence", log, status=1)
    assert "no reason is given" in broken.err
    void(broken, "--reason", "network", "--evidence", broken.folder / "nothing.log", status=1)
    assert ids(broken) == ["E1306"]
    out = void(broken, "--reason", "the network was down", "--evidence", log)
    assert "every later receipt shows it" in out
    void(broken, "--reason", "again", "--evidence", log, status=1)
    assert ids(broken) == ["E1311"]
    broken.run("--resume", broken.unfinished()[0], status=1)
    assert "E1311" in ids(broken), broken.err
    bundle = broken.run()
    assert bundle is not None
    page = (bundle / "RECEIPT.md").read_text()
    assert "void: the network was down (evidence: outage.log sha256" in page.replace("\\", "")
    told = read_json(bundle / "receipt.json")["predicate"]["readings"]
    assert [("void" in reading["note"]) for reading in told] == [True, False]
    broken.protoc("verify", bundle)


def test_a_second_failure_is_not_voided(broken: Project) -> None:
    log = broken.folder / "outage.log"
    log.write_text("down\n")
    void(broken, "--reason", "down", "--evidence", log)
    first = (broken.folder / "registry.jsonl").read_bytes()
    (old,) = broken.unfinished()
    bundle = broken.run()
    assert bundle is not None
    intent = (broken.folder / "registry.jsonl").read_bytes().removeprefix(first).splitlines(keepends=True)[0]
    shutil.rmtree(old)
    open_again(broken, bundle, scored=False)
    (broken.folder / "registry.jsonl").write_bytes(first + intent)
    void(broken, "--reason", "down again", "--evidence", log, status=1)
    assert ids(broken) == ["E1306"], broken.err
    assert "taken back before" in broken.err


def test_after_a_score_nothing_is_voided(tmp_path: Path) -> None:
    study = made(tmp_path, "heldout: {role: heldout, may: [score once]}", "heldout")
    bundle = study.run()
    assert bundle is not None
    open_again(study, bundle, scored=True)
    log = study.folder / "outage.log"
    log.write_text("down\n")
    void(study, "--reason", "down", "--evidence", log, status=1)
    assert ids(study) == ["E1306"]
    assert "1 of its cases have been scored" in study.err


@pytest.mark.parametrize(
    "arguments", [("--check", "--reason", "x"), ("--key", "case"), ("--void", "a", "--check")], ids=" ".join
)
def test_arguments_that_do_not_belong_together_are_wrong_usage(tmp_path: Path, arguments: tuple[str, ...]) -> None:
    study = Project(tmp_path, "study")
    study.protoc("splits", *arguments, status=2)
    assert "protoc splits" in study.err


@pytest.mark.parametrize("kind", KINDS_OF_COPIES, ids=lambda kind: kind.__name__)
def test_the_seal_foresees_that_one_phase_spends_what_another_reads(tmp_path: Path, kind: Copying) -> None:
    """Each kind of copy is told at the seal, and refused by the run as it was told."""
    dev, choose = rows(20, 1, "dev"), random.Random(4)
    held = [{**row, "split": "fresh", "query": kind(row["query"], choose)} for row in dev]
    held = [{**row, "case": f"f{number}"} for number, row in enumerate(held)]
    study = project(tmp_path, "study", [*dev, *held], splits=f"dev: {{role: development, may: [tune]}}\n{FRESH}")
    phases = "phases:\n    - {phase: revise, reads: [dev], use: tune}\n    - {phase: score, reads: [fresh]"
    study.edit("protocol.yaml", "phases:\n    - {phase: score, reads: [heldout]", phases)
    study.seal()
    assert ids(study) == ["W2312"], study.err
    assert "phase score will not be let read split fresh once phase revise has read dev: 20 of 20 texts" in study.err
    assert study.err.count("(E1304)") == 1
    study.run("--phase", "revise", status=1)
    study.run("--phase", "score", status=1)
    assert ids(study) == ["E1304"], study.err


def test_the_seal_foresees_nothing_where_the_splits_differ(tmp_path: Path) -> None:
    given = [*rows(20, 1, "dev"), *rows(20, 2, "fresh"), *({**row, "split": "fresh"} for row in rows(1, 1, "x", "y"))]
    study = project(tmp_path, "study", given, splits=f"dev: {{role: development, may: [tune]}}\n{FRESH}")
    phases = "phases:\n    - {phase: revise, reads: [dev], use: tune}\n    - {phase: score, reads: [fresh]"
    study.edit("protocol.yaml", "phases:\n    - {phase: score, reads: [heldout]", phases)
    study.seal()
    assert ids(study) == [], study.err
