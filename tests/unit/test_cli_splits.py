"""`protoc splits`: what was read, and what was read twice."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from protoc_compiler.cli import main
from protoc_runtime.record import replace
from protoc_runtime.registry import close_readings, reserve, void_reading
from unit.test_registry import DEV, HELD


def protoc(*arguments: object) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main([str(argument) for argument in arguments], io.StringIO(), out, err)
    return status, out.getvalue(), err.getvalue()


def test_readings_are_listed_by_split_with_their_end(tmp_path: Path) -> None:
    path = tmp_path / "registry.jsonl"
    assert protoc("splits", "--workspace", tmp_path) == (0, "no split has been read\n", "")
    reserve(path, [DEV], "tune", "r1")
    (first,), _ = reserve(path, [HELD], "score", "r2")
    void_reading(path, first.id, reason="no disk", evidence={"ledger.jsonl": "a" * 64}, scored=0)
    (second,), _ = reserve(path, [HELD], "score", "r3")
    close_readings(path, [second.id], verdict="FAIL", receipt="a" * 64)
    status, out, err = protoc("splits", "--workspace", tmp_path)
    lines = out.splitlines()
    assert (status, err) == (0, "")
    assert lines[0] == "study version 1, dev: development, 24 cases, may tune"
    assert lines[1].endswith("  tune   no verdict yet  run r1")
    assert lines[2] == "study version 1, held: heldout, 50 cases, may score once"
    assert lines[3].endswith("  score  void (no disk)  run r2")
    assert lines[4].endswith("  score  FAIL  run r3")


@pytest.mark.parametrize("more", [(), ("--check",)], ids=["list", "check"])
def test_a_last_line_that_is_cut_off_is_told(tmp_path: Path, more: tuple[str, ...]) -> None:
    path = tmp_path / "registry.jsonl"
    (reading,), _ = reserve(path, [HELD], "score", "r1")
    close_readings(path, [reading.id], verdict="FAIL", receipt="a" * 64)
    whole = path.read_bytes()
    for cut in (1, 20):
        path.write_bytes(whole[:-cut])
        status, _, err = protoc("splits", *more, "--workspace", tmp_path)
        assert status == 0
        last = len(whole.splitlines(keepends=True)[-1]) - cut
        assert f"W1314 registry-torn the last line of the registry {path} is cut off: {last} bytes" in err
    path.write_bytes(whole)
    assert "W1314" not in protoc("splits", *more, "--workspace", tmp_path)[2]
    reserve(path, [DEV], "tune", "r2")
    assert "W1314" not in protoc("splits", *more, "--workspace", tmp_path)[2]


def test_a_double_reading_is_a_finding(tmp_path: Path) -> None:
    path, other = tmp_path / "registry.jsonl", tmp_path / "other.jsonl"
    reserve(path, [HELD], "score", "r1")
    reserve(other, [replace(HELD, protocol="copy")], "score", "r2")
    status, out, err = protoc("splits", "--check", "--workspace", tmp_path)
    assert (status, out) == (0, "every split was read as its protocol allows\n")
    assert "N1309" in err
    path.write_bytes(path.read_bytes() + other.read_bytes())
    status, out, err = protoc("splits", "--check", "--workspace", tmp_path)
    assert (status, out) == (1, "")
    assert "E1307" in err
    assert "run r1" in err
    assert "run r2" in err


def test_a_registry_that_does_not_hold_is_a_finding(tmp_path: Path) -> None:
    (tmp_path / "registry.jsonl").write_text("{}\n")
    for option in ([], ["--check"]):
        status, out, err = protoc("splits", *option, "--workspace", tmp_path)
        assert (status, out) == (1, "")
        assert "E1303" in err


def test_a_conflict_is_told_by_every_reader_and_taken_away(tmp_path: Path) -> None:
    path, other = tmp_path / "registry.jsonl", tmp_path / "other.jsonl"
    reserve(path, [HELD], "score", "r1")
    reserve(other, [replace(HELD, protocol="copy")], "score", "r2")
    path.write_bytes(b"<<<<<<< HEAD\n" + path.read_bytes() + b"=======\n" + other.read_bytes() + b">>>>>>> other\n")
    for option in ([], ["--check"]):
        status, out, err = protoc("splits", *option, "--workspace", tmp_path)
        assert (status, out) == (1, "")
        assert err.count("E1312") == 1
        assert "protoc splits --merge" in err
    status, out, err = protoc("splits", "--merge", "--workspace", tmp_path)
    assert (status, out) == (1, "registry.jsonl: took 3 marks away, and no line\n")
    assert "E1307" in err
    assert "E1312" not in err
    status, out, err = protoc("splits", "--merge", "--workspace", tmp_path)
    assert (status, out) == (1, "registry.jsonl: there is no mark of a conflict\n")


def test_a_workspace_that_is_not_there_is_wrong_usage(tmp_path: Path) -> None:
    status, out, err = protoc("splits", "--workspace", tmp_path / "none")
    assert (status, out) == (2, "")
    assert "there is no folder" in err
