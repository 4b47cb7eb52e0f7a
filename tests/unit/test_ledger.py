"""The ledger: nothing acknowledged is lost, and nothing that was changed goes unnoticed."""

from __future__ import annotations

import asyncio
import hashlib
import os
import resource
import signal
import subprocess
import sys
import textwrap
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.canonical import dumps
from protoc_runtime.chain import GENESIS, Merkle, decode, encode
from protoc_runtime.diagnostics import Refused
from protoc_runtime.ledger import RECOVERED, Ledger, check_chain, read_events, read_tip


def ids(error: pytest.ExceptionInfo[Refused]) -> list[str]:
    return [item.id for item in error.value.diagnostics]


def written(path: Path, events: int = 3) -> bytes:
    with Ledger.open(path) as ledger:
        for number in range(events):
            ledger.append("attempt", {"case": f"c{number}", "note": "Grüße, 日本, 🎉"})
    return path.read_bytes()


def run_child(code: str, *args: object, **options: object) -> subprocess.Popen[bytes]:
    return subprocess.Popen(  # type: ignore[call-overload,no-any-return]
        [sys.executable, "-c", textwrap.dedent(code), *map(str, args)],
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
        **options,
    )


def test_a_line_is_the_canonical_json_of_its_event(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        assert (ledger.length, ledger.head) == (0, GENESIS)
        first = ledger.append("start", {"b": 1, "a": [True, None]})
        second = ledger.append("end", {})
        assert (ledger.length, ledger.head) == (2, second.hash)
        assert [line.hash for line in ledger.events()] == [first.hash, second.hash]
    lines = path.read_bytes().splitlines()
    body = {"a": [True, None], "b": 1, "at": first.at}
    assert lines[0] == dumps({"v": 1, "seq": 1, "prev": GENESIS, "kind": "start", "body": body})
    assert first.hash == hashlib.sha256(lines[0]).hexdigest()
    assert decode(lines[1]).prev == first.hash
    assert not len(check_chain(path))


def test_a_reopened_ledger_continues(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    written(path)
    with Ledger.open(path) as ledger:
        assert ledger.append("more", {}).seq == 4
        root = ledger.root
    tip, findings = read_tip(path)
    assert not findings.failed
    assert (tip.length, tip.tree.root()) == (4, root)


def test_nothing_acknowledged_is_lost_when_the_process_is_killed(tmp_path: Path) -> None:
    code = """
        import sys, threading
        from protoc_runtime.ledger import Ledger
        ledger, out = Ledger.open(sys.argv[1]), threading.Lock()
        def write(name):
            n = 0
            while True:
                ack = ledger.append("event", {"thread": name, "n": n})
                with out:
                    sys.stdout.write(f"{ack.seq} {ack.hash} {name} {n}\\n")
                    sys.stdout.flush()
                n += 1
        for name in range(8):
            threading.Thread(target=write, args=(name,)).start()
    """
    path = tmp_path / "ledger.jsonl"
    acknowledged: list[bytes] = []
    for number, delay in ((9, 0.05), (20, 0.11), (40, 0.17)):
        child = run_child(code, path)
        assert child.stdout is not None
        acknowledged += [child.stdout.readline() for _ in range(number)]
        time.sleep(delay)
        child.send_signal(signal.SIGKILL)
        acknowledged += child.stdout.read().splitlines(keepends=True)
        child.wait()
    with Ledger.open(path) as ledger:
        present = {(line.seq, line.hash, line.body.get("thread"), line.body.get("n")) for line in ledger.events()}
    whole = [row.split() for row in acknowledged if row.endswith(b"\n")]
    assert len(whole) > 24
    for seq, digest, thread, number in whole:
        assert (int(seq), digest.decode(), int(thread), int(number)) in present
    assert not check_chain(path).failed


def test_a_line_cut_off_at_any_byte_is_mended_and_recorded(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    content = written(path)
    start = content[:-1].rindex(b"\n") + 1
    for cut in range(start + 1, len(content)):
        path.write_bytes(content[:cut])
        assert [item.id for item in check_chain(path)] == ["E1506"]
        kept = cut == len(content) - 1
        with Ledger.open(path) as ledger:
            *_, last = ledger.events()
        assert last.kind == RECOVERED
        assert last.seq == (4 if kept else 3)
        assert (last.body["kept"], last.body["bytes"]) == (kept, cut - start)
        assert last.body["sha256"] == hashlib.sha256(content[start:cut]).hexdigest()
        assert not len(check_chain(path))


def test_an_edit_of_any_earlier_byte_is_found(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    content = written(path)
    start = content[:-1].rindex(b"\n") + 1
    for place in range(start):
        for changed in {content[place] ^ 1, ord("0"), ord("\n")} - {content[place]}:
            path.write_bytes(content[:place] + bytes([changed]) + content[place + 1 :])
            assert [item.id for item in check_chain(path)] == ["E1501"], (place, changed)
    path.write_bytes(content[:10] + b"x" + content[11:])
    with pytest.raises(Refused) as refused:
        Ledger.open(path)
    assert ids(refused) == ["E1501"]
    with pytest.raises(Refused) as refused:
        list(read_events(path))
    assert ids(refused) == ["E1501"]


@pytest.mark.parametrize("order", [(1, 0, 2), (0, 2), (0, 1, 1, 2), (1, 2)])
def test_lines_swapped_removed_or_repeated_are_found(tmp_path: Path, order: tuple[int, ...]) -> None:
    path = tmp_path / "ledger.jsonl"
    lines = written(path).splitlines(keepends=True)
    path.write_bytes(b"".join(lines[number] for number in order))
    (found,) = check_chain(path)
    assert found.id == "E1501"
    assert found.span is not None
    assert f"line {found.span.line} " in found.message


@pytest.mark.parametrize(
    "line",
    [
        b'{"body":{},"kind":"a","prev":"%s","seq":1,"v":1.0}' % GENESIS.encode(),
        b'{"body":{},"kind":"a","prev":"%s","seq":1,"v":2}' % GENESIS.encode(),
        b'{"body":{},"kind":"a","kind":"a","prev":"%s","seq":1,"v":1}' % GENESIS.encode(),
        b'{"body":{}, "kind":"a","prev":"%s","seq":1,"v":1}' % GENESIS.encode(),
        b'{"body":{"x":1e-07},"kind":"a","prev":"%s","seq":1,"v":1}' % GENESIS.encode(),
        b'{"body":{"x":9007199254740993},"kind":"a","prev":"%s","seq":1,"v":1}' % GENESIS.encode(),
        b'{"body":{"x":"\\ud800"},"kind":"a","prev":"%s","seq":1,"v":1}' % GENESIS.encode(),
        b'{"body":{"x":NaN},"kind":"a","prev":"%s","seq":1,"v":1}' % GENESIS.encode(),
        b'{"body":[],"kind":"a","prev":"%s","seq":1,"v":1}' % GENESIS.encode(),
        b'{"body":{},"kind":"a","prev":"%s","seq":1,"v":1,"w":1}' % GENESIS.encode(),
        b"[" * 100_000,
        b"",
        b"\xff",
    ],
)
def test_a_line_that_is_no_canonical_event_is_refused(tmp_path: Path, line: bytes) -> None:
    path = tmp_path / "ledger.jsonl"
    path.write_bytes(line + b"\n")
    assert [item.id for item in check_chain(path)] == ["E1501"]


def test_two_writers_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    first = Ledger.open(path)
    with pytest.raises(Refused) as refused:
        Ledger.open(path)
    assert ids(refused) == ["E1502"]
    first.close()
    first.close()
    Ledger.open(path).close()


def test_a_forked_child_does_not_keep_the_lock_of_a_killed_writer(tmp_path: Path) -> None:
    code = """
        import os, sys, time
        from protoc_runtime.ledger import Ledger
        ledger = Ledger.open(sys.argv[1])
        if os.fork() == 0:
            print(os.getpid(), flush=True)
        time.sleep(60)
    """
    child = run_child(code, tmp_path / "ledger.jsonl")
    assert child.stdout is not None
    grandchild = int(child.stdout.readline())
    child.kill()
    child.wait()
    try:
        with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
            assert ledger.append("after", {}).seq == 1
    finally:
        os.kill(grandchild, signal.SIGKILL)


def test_a_folder_a_link_or_a_file_in_the_way_is_refused(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    for place in ("folder", "file/ledger.jsonl", "link"):
        with pytest.raises(Refused) as refused:
            Ledger.open(tmp_path / place)
        assert ids(refused) == ["E1503"]
    with pytest.raises(Refused) as refused:
        Ledger.open("/proc/ledger.jsonl")
    assert ids(refused) == ["E1503"]


def test_no_room_stops_the_ledger_and_keeps_what_was_acknowledged(tmp_path: Path) -> None:
    code = """
        import resource, sys
        from protoc_runtime.diagnostics import Refused
        from protoc_runtime.ledger import Ledger
        resource.setrlimit(resource.RLIMIT_FSIZE, (1000, 1000))
        ledger = Ledger.open(sys.argv[1])
        for n in range(100):
            try:
                ledger.append("event", {"n": n})
            except Refused as refused:
                print(n, refused.diagnostics[0].id)
                if n > 10:
                    break
        print(ledger.length)
        ledger.close()
    """
    path = tmp_path / "ledger.jsonl"
    child = run_child(code, path)
    output, _ = child.communicate()
    assert child.returncode == 0
    *refused, length = output.decode().splitlines()
    assert {row.split()[1] for row in refused} == {"E1504"}
    assert int(refused[0].split()[0]) == int(length) > 0
    tip, findings = read_tip(path)
    assert not len(findings)
    assert tip.length == int(length)
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] == resource.RLIM_INFINITY


def test_a_missing_ledger_is_told(tmp_path: Path) -> None:
    assert [item.id for item in check_chain(tmp_path / "none.jsonl")] == ["E1507"]
    with pytest.raises(Refused) as refused:
        list(read_events(tmp_path / "none.jsonl"))
    assert ids(refused) == ["E1507"]


def test_a_failed_flush_is_told_and_ends_the_ledger(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    ledger = Ledger.open(tmp_path / "ledger.jsonl")
    os.close(reader)
    os.dup2(writer, ledger._descriptor)
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            ledger.append("lost", {})
        assert ids(refused) == ["E1505"]
    assert ledger.length == 0
    ledger.close()
    os.close(writer)


def test_a_posted_event_is_durable_when_it_was_waited_for(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    with Ledger.open(path) as ledger:
        posted = [ledger.post("event", {"n": n}) for n in range(5)]
        last = posted[-1].wait()
        assert [line.body["n"] for line in read_events(path)] == [0, 1, 2, 3, 4]
        assert [one.wait().seq for one in posted] == [1, 2, 3, 4, 5]
        assert (ledger.length, ledger.head) == (5, last.hash)


def test_who_posted_an_event_that_was_lost_is_told(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    ledger = Ledger.open(tmp_path / "ledger.jsonl")
    os.close(reader)
    os.dup2(writer, ledger._descriptor)
    posted = ledger.post("lost", {})
    for _ in range(2):
        with pytest.raises(Refused) as refused:
            posted.wait()
        assert ids(refused) == ["E1505"]
    ledger.close()
    os.close(writer)


def test_a_clock_that_was_set_back_does_not_break_the_order(tmp_path: Path) -> None:
    path = tmp_path / "ledger.jsonl"
    later = "2999-01-01T00:00:00.000000Z"
    path.write_bytes(encode(1, GENESIS, "event", {"at": later}) + b"\n")
    with Ledger.open(path) as ledger:
        assert ledger.append("event", {}).at == later
        _, line = ledger.events()
    assert line.body["at"] == later
    assert line.body["wall"] < later


def test_tasks_and_threads_append_together(tmp_path: Path) -> None:
    async def write(ledger: Ledger, name: int) -> list[int]:
        return [(await ledger.append_async("task", {"name": name})).seq for _ in range(20)]

    async def together(ledger: Ledger) -> list[list[int]]:
        return list(await asyncio.gather(*(write(ledger, name) for name in range(8))))

    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        thread = threading.Thread(target=lambda: [ledger.append("thread", {}) for _ in range(50)])
        thread.start()
        numbers = asyncio.run(together(ledger))
        thread.join()
        assert ledger.length == 8 * 20 + 50
    assert all(row == sorted(row) for row in numbers)
    assert not check_chain(tmp_path / "ledger.jsonl").failed


def test_an_event_without_a_canonical_form_changes_nothing(tmp_path: Path) -> None:
    with Ledger.open(tmp_path / "ledger.jsonl") as ledger:
        for body in ({"x": float("nan")}, {"x": 2**53}, {"at": "now"}, {"x": "\ud800"}):
            with pytest.raises(ValueError):
                ledger.append("event", body)
        assert ledger.append("event", {}).seq == 1
    with pytest.raises(ValueError, match="closed"):
        ledger.append("event", {})


def rfc6962(leaves: list[bytes]) -> bytes:
    if not leaves:
        return hashlib.sha256().digest()
    if len(leaves) == 1:
        return hashlib.sha256(b"\0" + leaves[0]).digest()
    half = 1 << ((len(leaves) - 1).bit_length() - 1)
    return hashlib.sha256(b"\1" + rfc6962(leaves[:half]) + rfc6962(leaves[half:])).digest()


@settings(max_examples=60, deadline=None)
@given(st.lists(st.binary(max_size=4), max_size=40))
def test_the_root_is_that_of_the_definition(leaves: list[bytes]) -> None:
    tree = Merkle()
    for leaf in leaves:
        tree.add(leaf)
    assert tree.root() == rfc6962(leaves).hex()
