"""A witness is replayed by what `verify.py` holds, on the bytes that a folder of rows would hold."""

from __future__ import annotations

import dis
import json
import re
import subprocess
import sys
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import core, identity
from protoc_compiler.emit import verify
from protoc_compiler.emit.support import ORDER
from protoc_compiler.emit.support_text import support
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof.compare import Pair
from protoc_compiler.proof.conditions import Budget
from protoc_compiler.proof.realise import realised
from protoc_compiler.proof.replay import Folder, NotReplayed, _program, results
from protoc_compiler.proof.written import Json, written
from protoc_runtime import bundle
from protoc_runtime.copied import SOURCES
from unit import small
from unit.protocols import protocol as whole
from unit.proving import ASK, ask

CHANGE = ("must: accuracy >= 0.90", "must: accuracy >= 0.88")


@cache
def witness() -> Json:
    """Rows on which the gate holds after the change and not before."""
    pair = Pair(ask(), ask(CHANGE))
    before, after = pair.old.good("gates", "P2.1"), pair.new.good("gates", "P2.1")
    wanted = {before: n.FALSE, after: n.TRUE}
    engine = pair.engine(next(pair.levels(before, after)))
    assert engine is not None
    found = engine.ask(wanted, Budget(20_000)).found
    assert found is not None
    made = realised(pair.space, found, {**dict.fromkeys(pair.new.expected, n.TRUE), **wanted})
    assert made is not None
    return written(pair.space, made)


@pytest.mark.parametrize("changes", [(), (CHANGE,)], ids=["before", "after"])
def test_a_witness_is_decided_as_the_generated_program_decides_it(changes: Any, tmp_path: Path) -> None:
    protocol = ask(*changes)
    (tmp_path / "verify.py").write_text(verify.render(protocol), encoding="utf-8")
    (tmp_path / "rows").mkdir()
    for table in protocol.tables:
        if table.kind == "input":
            lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in witness().get(table.name, [])]
            (tmp_path / "rows" / f"{table.name}.jsonl").write_text("".join(lines), encoding="utf-8", newline="\n")
    command = [sys.executable, "-I", str(tmp_path / "verify.py"), "--data", str(tmp_path / "rows"), "--json"]
    done = subprocess.run(command, capture_output=True, check=False)
    found = results(protocol, Folder(witness()))
    assert found["gates"]["P2.1"] is bool(changes)
    assert json.loads(done.stdout) == {**found, "spec_digest": identity.digest(protocol)}


def test_what_is_replayed_is_what_the_program_holds() -> None:
    text = verify.render(ask())
    program: dict[str, Any] = {"__name__": "verify"}
    exec(compile(text, "verify.py", "exec", dont_inherit=True), program)
    replayed = _program(ask()).names
    generated = program.keys() - support().names
    assert len(generated) > 80
    for name in generated:
        if hasattr(program[name], "__code__"):
            assert _steps(replayed[name]) == _steps(program[name]), name
    for module in ORDER:  # the code of these is taken as Python compiled it
        spec = find_spec(f"protoc_compiler.emit.support.{module}")
        assert spec is not None
        assert spec.origin is not None
        body = Path(spec.origin).read_text(encoding="utf-8").partition("\n\n\n")[2].strip()
        assert len(body) > 500
        assert body in text, module
    assert list(replayed["PROTOCOL"].items) == list(program["PROTOCOL"].items)
    assert {name: table.columns.keys() for name, table in replayed["PROTOCOL"].tables.items()} == {
        name: table.columns.keys() for name, table in program["PROTOCOL"].tables.items()
    }


def test_a_table_that_breaks_its_declaration_is_told_as_of_a_file() -> None:
    rows = {**witness(), "cases": [{**row, "expected": "nothing"} for row in witness()["cases"]]}
    with pytest.raises(NotReplayed, match=r"not valid rows: cases line 1 of cases\.jsonl, field expected: 'nothing'"):
        results(ask(), Folder(rows))


def test_fields_that_no_table_has_are_told_in_the_order_of_the_row() -> None:
    rows = {**witness(), "cases": [{"zone": 1, **row, "area": 2} for row in witness()["cases"]]}
    faults = _program(ask()).read(Folder(rows).of(ask()), {})
    expected = [f"cases line 1 of cases.jsonl: the field {field} is not declared" for field in ("zone", "area")]
    assert faults[:2] == expected


def test_rows_that_are_not_as_the_protocol_expects_are_not_replayed() -> None:
    cases = [{**row, "expected": "provider_call"} for row in witness()["cases"]]
    with pytest.raises(NotReplayed, match="as the protocol expects"):
        results(ask(), Folder({**witness(), "cases": cases}))


def test_rows_are_read_once_where_two_protocols_declare_them_alike() -> None:
    folder = Folder(witness())
    one, other = ask(), ask(CHANGE)
    found = [results(protocol, folder) for protocol in (one, other, one)]
    assert len(folder.parsed) == 1
    assert found[0] == found[2] == results(one, Folder(witness()))
    assert found[1] == results(other, Folder(witness()))
    column = "  cases.last_attempt: last(attempts)"
    wider = ask((column, f"  cases.first_attempt: first(attempts)\n{column}"))
    assert results(wider, folder)["gates"].keys() == found[0]["gates"].keys()
    assert len(folder.parsed) == 2


def test_programs_of_one_process_keep_apart() -> None:
    one, other = ask(), ask(CHANGE)
    before = results(one, Folder(witness()))
    assert results(other, Folder(witness()))["gates"]["P2.1"] is True
    assert results(one, Folder(witness())) == before
    assert before["gates"]["P2.1"] is False


def test_each_protocol_sees_its_own_tables_and_the_same_bytes() -> None:
    folder = Folder({"cases": [{"case": "ä\n"}], "others": [{}]})
    mine = folder.of(_tables("cases", "results"))
    assert (mine / "cases.jsonl").read_bytes() == '{"case": "ä\\n"}\n'.encode()
    assert (mine / "results.jsonl").read_bytes() == b""
    assert not (mine / "others.jsonl").is_file()
    assert not (mine / "cases.csv").is_file()
    with pytest.raises(FileNotFoundError):
        (mine / "others.jsonl").read_bytes()
    theirs = folder.of(_tables("cases", "others"))
    assert (theirs / "others.jsonl").read_bytes() == b"{}\n"
    assert (theirs / "cases.jsonl").read_bytes() is (mine / "cases.jsonl").read_bytes()


def _tables(*names: str) -> core.Protocol:
    return whole(tables=tuple(core.Table(name, "input", name) for name in names))


LOADED = """
import sys
from protoc_compiler.emit import verify
from protoc_compiler.proof.program import support
made = support()
assert made["last_part"]("a/b.jsonl") == "b.jsonl"
print(*sorted({"hashlib", "pathlib", "random", "statistics", "subprocess", "threading"} & sys.modules.keys()))
assert made["hashlib"].sha256(b"").hexdigest().startswith("e3b0c44298fc1c14")
assert made["whole_number"]("12") == 12
assert made["generator"]("7").random() == __import__("random").Random(7).random()
assert made["Path"]("a/b").name == "b"
"""


def test_copies_are_of_the_files_that_a_bundle_has() -> None:
    own = (bundle.RENDERING, bundle.SUMMARY, bundle.CASES, bundle.MANIFEST)
    assert tuple(SOURCES.values()) == own


def test_what_only_the_command_needs_is_loaded_when_it_is_used() -> None:
    done = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=False)
    assert (done.stdout, done.stderr) == ("\n", "")


WHOLE = """
import io, sys
from protoc_compiler.cli import main
told = io.StringIO()
assert main(["diff", *sys.argv[1:]], sys.stdin, told, sys.stderr) == 0
assert "shown by a case" in told.getvalue()
heavy = {"hashlib", "pathlib", "random", "shutil", "statistics", "subprocess", "tempfile", "threading", "zlib"}
print(*sorted(heavy & sys.modules.keys()))
"""


def test_a_diff_with_a_replayed_witness_loads_little(tmp_path: Path) -> None:
    other = tmp_path / "protocol.yaml"
    other.write_text(ASK.read_text(encoding="utf-8").replace(*CHANGE), encoding="utf-8")
    command = [sys.executable, "-c", WHOLE, str(ASK), str(other)]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert (done.stdout, done.stderr) == ("\n", "")


def _steps(function: Any) -> list[tuple[str, str]]:
    """What a function does, but for the lines on which its parts stand."""
    return [(one.opname, re.sub(r"<code object .*", "", one.argrepr)) for one in dis.get_instructions(function)]


def test_rows_that_belong_to_rows_which_counts_do_not_tell_are_named_for_a_reader() -> None:
    """Counts of a table by itself do not say to which cases its rows belong: that is said, not what a file lacks."""

    def counted(words: str, test: str) -> core.Protocol:
        gate = f"many: {{says: {words} are right., must: count(answers where right) {test}}}"
        return small.protocol(small.spec(gates=gate))

    told = Pair(counted("At least 7", ">= 7"), counted("At most 8", "<= 8")).compared()
    assert told.verdict.reason == (
        "counts alone do not tell to which rows of `cases` those of `answers` belong, so none were made"
    )
