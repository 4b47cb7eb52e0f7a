"""The registry: a split that may be read once is read once, and every reading stays visible."""

from __future__ import annotations

import multiprocessing
import os
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.chain import GENESIS, encode
from protoc_runtime.diagnostics import Refused
from protoc_runtime.record import replace
from protoc_runtime.registry import (
    Reading,
    Wanted,
    close_readings,
    may_read,
    readings,
    record_decision,
    reserve,
    splits_check,
    void_reading,
)
from protoc_runtime.registry_file import merge

HELD = Wanted("study", 1, "held", "heldout", "", ("score once",), 50, "c" * 64, "d" * 64)
DEV = Wanted("study", 1, "dev", "development", "", ("tune",), 24, "e" * 64, "f" * 64)
LATER = "2999-01-01T00:00:00.000000Z"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "w" / "registry.jsonl"


def refused(call: Callable[..., object], *arguments: Any, **options: Any) -> list[str]:
    with pytest.raises(Refused) as caught:
        call(*arguments, **options)
    return [item.id for item in caught.value.diagnostics]


def read(path: Path, want: Wanted = HELD, use: str = "score", run: str = "r1") -> Reading:
    (reading,), _ = reserve(path, [want], use, run)
    return reading


def test_a_reading_is_registered_then_closed(path: Path) -> None:
    reading = read(path)
    assert [item.id for item in splits_check(path)] == ["N1309"]
    assert readings(path) == (reading,)
    close_readings(path, [reading.id], verdict="FAIL", receipt="a" * 64)
    (closed,) = readings(path, "study")
    assert (closed.state, closed.verdict, closed.receipt) == ("closed", "FAIL", "a" * 64)
    assert closed.ended >= closed.at
    assert not len(splits_check(path))
    assert readings(path, "other") == ()
    size = path.stat().st_size
    close_readings(path, [reading.id], verdict="FAIL", receipt="a" * 64)
    assert path.stat().st_size == size
    assert refused(close_readings, path, [reading.id], verdict="PASS", receipt="a" * 64) == ["E1311"]
    assert refused(close_readings, path, ["0" * 64], verdict="PASS", receipt="a" * 64) == ["E1311"]


def test_a_second_reading_names_the_first(path: Path) -> None:
    first = read(path)
    found = may_read(path, [HELD], "score")
    assert [item.id for item in found] == ["E1301"]
    assert "if that run was interrupted, continue it with `protoc run SPEC --resume r1`" in next(iter(found)).hint
    close_readings(path, [first.id], verdict="FAIL", receipt="a" * 64)
    (second,) = may_read(path, [HELD], "score")
    assert "--resume" not in second.hint
    for part in ("run r1", first.at, "verdict FAIL", "study version 1"):
        assert part in second.message


@pytest.mark.parametrize(
    "want",
    [
        replace(HELD, protocol="other", version=7, split="fresh"),
        replace(HELD, content="1" * 64, ids="2" * 64),
        replace(HELD, version=2, split="renamed", content="1" * 64),
        replace(HELD, protocol="other", may=("score",)),
    ],
    ids=["other name", "rows edited and renamed keys", "rows edited", "freely allowed elsewhere"],
)
def test_spent_rows_are_recognised(path: Path, want: Wanted) -> None:
    read(path)
    assert refused(reserve, path, [want], "score", "r2") == ["E1301"]
    assert len(readings(path)) == 1


def test_other_rows_and_empty_splits_are_not_taken_for_spent(path: Path) -> None:
    read(path)
    read(path, replace(HELD, version=2, split="new", content="1" * 64, ids="2" * 64))
    read(path, replace(HELD, protocol="p1", split="a", rows=0, content="0" * 64))
    read(path, replace(HELD, protocol="p2", split="b", rows=0, content="0" * 64))
    assert not any(item.id == "E1307" for item in splits_check(path))


def test_the_same_keys_under_another_protocol_are_warned_of(path: Path) -> None:
    read(path)
    (found,) = may_read(path, [replace(HELD, protocol="other", content="1" * 64)], "score")
    assert found.id == "W1308"
    _, warnings = reserve(path, [replace(HELD, protocol="other", content="1" * 64)], "score", "r2")
    assert [item.id for item in warnings] == ["W1308"]


def test_uses_are_a_closed_list_and_tuning_repeats(path: Path) -> None:
    assert refused(reserve, path, [HELD], "tune", "r") == ["E1302"]
    assert refused(reserve, path, [DEV], "score", "r") == ["E1302"]
    read(path, DEV, "tune", "r1")
    read(path, DEV, "tune", "r2")
    both = replace(HELD, split="both", may=("tune", "score once"), content="9" * 64, ids="8" * 64)
    read(path, both, "tune")
    read(path, both, "score")
    read(path, both, "tune", "r3")
    assert refused(reserve, path, [both], "score", "r2") == ["E1301"]


def test_several_splits_are_reserved_all_or_none(path: Path) -> None:
    read(path)
    other = replace(HELD, split="fresh", content="1" * 64, ids="2" * 64)
    before = path.read_bytes()
    assert refused(reserve, path, [other, HELD], "score", "r2") == ["E1301"]
    assert path.read_bytes() == before


def test_a_resumed_run_gets_its_own_reading_again(path: Path) -> None:
    first = read(path)
    assert read(path) == first
    close_readings(path, [first.id], verdict="FAIL", receipt="a" * 64)
    assert refused(reserve, path, [HELD], "score", "r1") == ["E1301"]


def test_void_needs_reason_evidence_and_no_scored_output(path: Path) -> None:
    reading = read(path)
    evidence = {"ledger.jsonl": "a" * 64}
    assert refused(void_reading, path, reading.id, reason=" ", evidence={}, scored=1) == ["E1306"] * 3
    assert refused(void_reading, path, "0" * 64, reason="x", evidence=evidence, scored=0) == ["E1311"]
    void_reading(path, reading.id, reason="the disk failed", evidence=evidence, scored=0)
    (seen,) = readings(path)
    assert (seen.state, seen.reason) == ("void", "the disk failed")
    assert refused(void_reading, path, reading.id, reason="again", evidence=evidence, scored=0) == ["E1311"]
    second = read(path, run="r2")
    close_readings(path, [second.id], verdict="PASS", receipt="a" * 64)
    assert [item.state for item in readings(path)] == ["void", "closed"]
    assert not len(splits_check(path))
    assert refused(void_reading, path, second.id, reason="regret", evidence=evidence, scored=0) == ["E1311"]


def test_roles_go_one_way(path: Path) -> None:
    read(path)
    spent = replace(HELD, version=2, split="old", role="development", may=("tune",))
    assert refused(reserve, path, [spent], "tune", "r2") == ["E1305"]
    read(path, replace(spent, was="heldout"), "tune", "r2")
    roles = [line for line in path.read_bytes().splitlines() if b'"kind":"role"' in line]
    assert len(roles) == 1
    assert b'"from":"heldout"' in roles[0]
    assert b'"to":"development"' in roles[0]
    back = replace(HELD, version=3, split="again")
    assert refused(reserve, path, [back], "score", "r3") == ["E1304"]
    read(path, DEV, "tune")
    assert "E1304" in refused(reserve, path, [replace(DEV, role="heldout", may=("score",))], "score", "r3")


def _race(path: str, number: int, start: Any, results: Any) -> None:
    start.wait()
    try:
        reserve(Path(path), [HELD], "score", f"r{number}")
        results.put((number, "read"))
    except Refused as error:
        results.put((number, error.diagnostics[0].id))


def test_of_several_processes_exactly_one_reads(path: Path) -> None:
    context = multiprocessing.get_context("spawn")
    start, results = context.Barrier(3), context.Queue()
    workers = [context.Process(target=_race, args=(str(path), n, start, results)) for n in range(3)]
    for worker in workers:
        worker.start()
    ends = sorted(results.get(timeout=60)[1] for _ in workers)
    for worker in workers:
        worker.join()
    assert ends == ["E1301", "E1301", "read"]
    assert len(readings(path)) == 1


def git(folder: Path, *arguments: str) -> None:
    options = ("-c", "user.name=A", "-c", "user.email=a@example.org", "-c", "merge.renames=false")
    subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True)


def test_two_clones_that_are_merged_show_the_double_reading(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    git(one, "init", "-q", "-b", "main")
    (one / ".gitattributes").write_text("registry.jsonl merge=union\n")
    read(one / "registry.jsonl", DEV, "tune", "r0")
    git(one, "add", "-A")
    git(one, "commit", "-qm", "start")
    git(tmp_path, "clone", "-q", str(one), str(two))
    for clone, run in ((one, "r1"), (two, "r2")):
        reading = read(clone / "registry.jsonl", run=run)
        close_readings(clone / "registry.jsonl", [reading.id], verdict="FAIL", receipt="a" * 64)
        git(clone, "commit", "-qam", run)
    git(one, "pull", "-q", "--no-rebase", "--no-edit", str(two), "main")
    path = one / "registry.jsonl"
    assert [item.id for item in splits_check(path)] == ["E1307", "N1309"]
    assert {found.run for found in readings(path)} == {"r0", "r1", "r2"}
    read(path, DEV, "tune", "r3")
    lines = path.read_bytes().splitlines(keepends=True)
    assert b'"merges":["' in lines[-1]
    for number in range(len(lines) - 1):
        path.write_bytes(b"".join(lines[:number] + lines[number + 1 :]))
        assert [item.id for item in splits_check(path)] == ["E1303"], number
    path.write_bytes(b"".join([*lines[::-1], lines[0]]).replace(b"\n", b"\r\n"))
    assert len(readings(path)) == 4


MARKED = b"<<<<<<< HEAD\n%b||||||| base\n%b=======\n%b>>>>>>> theirs\n"


def ended(path: Path, run: str, verdict: str = "FAIL") -> bytes:
    """One more reading with its end; the lines that it has added."""
    before = path.read_bytes()
    close_readings(path, [read(path, run=run).id], verdict=verdict, receipt="a" * 64)
    return path.read_bytes()[len(before) :]


def clones(tmp_path: Path) -> tuple[Path, bytes, bytes, bytes]:
    """A registry, what was in it before two clones were made, and what each of them has added."""
    path = tmp_path / "registry.jsonl"
    read(path, DEV, "tune", "r0")
    before = path.read_bytes()
    added = []
    for run in ("r1", "r2"):
        path.write_bytes(before)
        added.append(ended(path, run))
    return path, before, added[0], added[1]


@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_marks_of_a_merge_conflict_are_told_with_what_both_have_read(tmp_path: Path, end: bytes) -> None:
    path, before, one, two = clones(tmp_path)
    content = (before + MARKED % (one, b"", two)).replace(b"\n", end)
    path.write_bytes(content)
    (item,) = splits_check(path)
    assert item.id == "E1312"
    for told in ("in line 2, 5, 6, ...", "split held was read on both sides", "run r1", "run r2"):
        assert told in item.message
    assert refused(readings, path) == ["E1312"]
    assert refused(reserve, path, [HELD], "score", "r3") == ["E1312"]
    assert path.read_bytes() == content
    assert merge(path) == 4
    assert path.read_bytes() == before + one + two
    assert "E1307" in [item.id for item in splits_check(path)]
    assert merge(path) == 0
    assert path.read_bytes() == before + one + two


def test_marks_without_a_double_reading_say_so_and_merge_to_nothing_wrong(tmp_path: Path) -> None:
    path = tmp_path / "registry.jsonl"
    read(path, DEV, "tune", "r0")
    before = path.read_bytes()
    one = ended(path, "r1")
    path.write_bytes(before)
    read(path, DEV, "tune", "r2")
    two = path.read_bytes()[len(before) :]
    path.write_bytes(before + MARKED % (one, before, two))
    (item,) = splits_check(path)
    assert "no split that may be read once was read on both sides" in item.message
    merge(path)
    assert path.read_bytes() == before + one + two
    assert {item.id for item in splits_check(path)} == {"N1309"}
    path.write_bytes(path.read_bytes() + b">>>>>>> theirs")  # a last line without its end
    assert [item.id for item in splits_check(path)] == ["E1312"]


def test_sides_that_do_not_hold_together_are_not_merged(tmp_path: Path) -> None:
    path, before, one, two = clones(tmp_path)
    content = before + MARKED % (one.replace(b"FAIL", b"PASS"), b"", two)
    path.write_bytes(content)
    (item,) = splits_check(path)
    assert "the lines of both do not hold together" in item.message
    assert refused(merge, path) == ["E1303"]
    assert path.read_bytes() == content


def test_a_conflict_that_git_leaves_is_recognised(tmp_path: Path) -> None:
    one, two = tmp_path / "one", tmp_path / "two"
    one.mkdir()
    git(one, "init", "-q", "-b", "main")
    read(one / "registry.jsonl", DEV, "tune", "r0")
    git(one, "add", "-A")
    git(one, "commit", "-qm", "start")
    git(tmp_path, "clone", "-q", str(one), str(two))
    for clone, run in ((one, "r1"), (two, "r2")):
        ended(clone / "registry.jsonl", run)
        git(clone, "commit", "-qam", run)
    with pytest.raises(subprocess.CalledProcessError):
        git(one, "pull", "-q", "--no-rebase", "--no-edit", str(two), "main")
    path = one / "registry.jsonl"
    assert [item.id for item in splits_check(path)] == ["E1312"]
    merge(path)
    assert [item.id for item in splits_check(path)] == ["E1307", "N1309"]


def test_two_ends_of_one_run_are_told_after_a_merge(tmp_path: Path) -> None:
    path = tmp_path / "registry.jsonl"
    reading = read(path, run="r1")
    before = path.read_bytes()
    sides = []
    for verdict in ("FAIL", "PASS"):
        path.write_bytes(before)
        close_readings(path, [reading.id], verdict=verdict, receipt=verdict[0].lower() * 64)
        record_decision(path, "r1", verdict=verdict, receipt=verdict[0].lower() * 64)
        sides.append(path.read_bytes()[len(before) :])
    path.write_bytes(before + sides[1] + sides[0])
    found = [item.message for item in splits_check(path) if item.id == "E1313"]
    both = "run r1 has several verdicts: FAIL (receipt ffffffffffff) and PASS (receipt pppppppppppp); "
    assert found == [both + "FAIL (receipt ffffffffffff) counts", both + "PASS (receipt pppppppppppp) counts"]
    path.write_bytes(before + sides[0])
    assert [item.id for item in splits_check(path)] == []


@pytest.mark.parametrize("number", [0, 1, 2])
def test_any_line_that_was_changed_by_hand_is_told_the_last_one_too(path: Path, number: int) -> None:
    read(path, DEV, "tune", "r0")
    ended(path, "r1")
    lines = path.read_bytes().splitlines(keepends=True)
    assert len(lines) == 3
    for found, other in ((b"r1", b"r7"), (b"r0", b"r7"), (b"FAIL", b"PASS"), (b'"seq":', b'"seq":1')):
        changed = lines[number].replace(found, other)
        path.write_bytes(b"".join([*lines[:number], changed, *lines[number + 1 :]]))
        if changed != lines[number]:
            (item,) = splits_check(path)
            assert item.id == "E1303"


def test_lines_of_before_have_no_sum(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(encode(1, GENESIS, "intent", INTENT) + b"\n")
    assert [found.run for found in readings(path)] == ["r"]


def test_a_torn_end_is_mended_and_recorded(path: Path) -> None:
    read(path, DEV, "tune", "r0")
    read(path)
    content = path.read_bytes()
    start = content[:-1].rindex(b"\n") + 1
    for cut in range(start + 1, len(content)):
        path.write_bytes(content[:cut])
        kept = cut == len(content) - 1
        if kept:
            assert refused(reserve, path, [HELD], "score", "r2") == ["E1301"]
            assert path.read_bytes() == content
            continue
        assert len(readings(path)) == 1
        read(path, run="r2")
        assert path.read_bytes().count(b'"kind":"recovered"') == 1
        assert [found.run for found in readings(path)] == ["r0", "r2"]


INTENT = {
    "protocol": "p", "version": 1, "split": "s", "role": "heldout", "may": ["score once"], "use": "score", "run": "r",
    "rows": 1, "content": "c", "ids": "d", "at": LATER,
}  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        b"<<<<< HEAD",
        b"",
        encode(2, GENESIS, "intent", INTENT),
        encode(1, "1" * 64, "intent", INTENT),
        encode(1, GENESIS, "other", INTENT),
        encode(1, GENESIS, "intent", {**INTENT, "rows": True}),
        encode(1, GENESIS, "intent", {**INTENT, "may": [1]}),
        encode(1, GENESIS, "intent", {**INTENT, "merges": "x"}),
        encode(1, GENESIS, "intent", {**INTENT, "merges": ["x"]}),
        encode(1, GENESIS, "intent", {"at": LATER}),
        encode(1, GENESIS, "closed", {"intent": "x", "run": "r", "verdict": "v", "receipt": "r", "at": LATER}),
    ],
)
def test_a_line_that_does_not_hold_is_refused(path: Path, line: bytes) -> None:
    path.parent.mkdir()
    path.write_bytes(line + b"\n")
    assert [item.id for item in splits_check(path)] == ["E1303"]
    assert refused(reserve, path, [HELD], "score", "r") == ["E1303"]
    assert path.read_bytes() == line + b"\n"


def test_a_clock_that_was_set_back_keeps_the_order(path: Path) -> None:
    path.parent.mkdir()
    path.write_bytes(encode(1, GENESIS, "intent", INTENT) + b"\n")
    assert read(path).at == LATER
    assert b'"wall":"' in path.read_bytes().splitlines()[1]


def test_a_registry_that_cannot_be_written_is_told(tmp_path: Path) -> None:
    assert refused(reserve, Path("/proc/registry.jsonl"), [HELD], "score", "r") == ["E1310"]
    (tmp_path / "registry.jsonl").mkdir()
    assert refused(reserve, tmp_path / "registry.jsonl", [HELD], "score", "r") == ["E1310"]
    assert os.listdir(tmp_path / "registry.jsonl") == []
