"""The shell of the command line: dispatch, exit status, streams, and what goes wrong around it."""

from __future__ import annotations

import importlib
import io
import json
import os
import pty
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler.cli import main
from protoc_compiler.cli.commands import COMMANDS
from protoc_compiler.cli.io import quoted
from protoc_runtime.version import __version__

ROOT = Path(__file__).parents[2]
GOOD = ROOT / "specs" / "karsa_extractor_v2"
BAD = """protoc: 1
gates:
  acc:
    says: At least 0.90.
    must: acc ≥ 0.90 && b
"""
COMMAND = [sys.executable, "-m", "protoc_compiler"]


def call(*argv: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main(argv, io.StringIO(), out, err)
    return status, out.getvalue(), err.getvalue()


@pytest.fixture
def bad(tmp_path: Path) -> Path:
    (tmp_path / "protocol.yaml").write_text(BAD, encoding="utf-8")
    return tmp_path


def test_version() -> None:
    assert call("--version") == (0, f"protoc {__version__}\n", "")


def test_help_names_every_command() -> None:
    status, out, err = call("--help")
    assert (status, err) == (0, "")
    for name, (_, about) in COMMANDS.items():
        assert f"  {name}" in out
        assert about in out


def test_nothing_at_all_is_wrong_usage() -> None:
    status, out, err = call()
    assert (status, out) == (2, "")
    assert err.startswith("usage: protoc COMMAND")


@pytest.mark.parametrize("name", COMMANDS)
def test_each_command_exists_and_has_help(name: str) -> None:
    module = importlib.import_module(COMMANDS[name][0])
    assert module.__doc__
    for argv in ((name, "--help"), ("help", name)):
        status, out, err = call(*argv)
        assert (status, err) == (0, "")
        assert out.startswith(f"usage: protoc {name}")


@pytest.mark.parametrize(
    ("argv", "message", "hint"),
    [
        (["chekc"], "unknown command `chekc`", "did you mean `check`?"),
        (["--frobnicate"], "unknown option `--frobnicate`", "protoc --help"),
        (["check"], "SPEC", "protoc check --help"),
        (["check", "x.yaml", "--stritc"], "unknown option `--stritc`", "`--strict`"),
        (["check", "--strict", "--strict", "x"], "`--strict` is given twice", "--help"),
        (["check", "--format", "xml", "x"], "invalid choice: 'xml'", "--help"),
        (["check", "--explain", "--format", "json", "x"], "--explain has no effect", "leave one"),
        (["check", "no/such/file.yaml"], "there is no file `no/such/file.yaml`", "protocol.yaml"),
        (["fmt", "--check", "--diff", "x"], "not allowed with", "--help"),
        (["schema", "spec"], "unexpected argument `spec`", "--help"),
    ],
)
def test_wrong_usage(argv: list[str], message: str, hint: str) -> None:
    status, out, err = call(*argv)
    assert (status, out) == (2, "")
    first, second = err.splitlines()
    assert first.startswith("protoc")
    assert message in first
    assert second.startswith("  hint: ")
    assert hint in second


def test_a_folder_without_a_protocol(tmp_path: Path) -> None:
    status, _, err = call("check", str(tmp_path))
    assert status == 2
    assert "holds no protocol.yaml" in err


def test_check_tells_all_faults_on_stderr(bad: Path) -> None:
    status, out, err = call("check", str(bad))
    assert (status, out) == (1, "")
    assert f"{bad}/protocol.yaml:5:15: E0404 pasted-character" in err
    assert f"{bad}/protocol.yaml:5:22: E0405 foreign-operator" in err
    assert "^" not in err


def test_check_of_a_good_protocol_is_silent() -> None:
    status, out, _ = call("check", str(GOOD))
    assert (status, out) == (0, "")


@pytest.mark.parametrize("form", ["json", "sarif"])
def test_check_prints_one_document_for_all_specs(bad: Path, tmp_path: Path, form: str) -> None:
    broken = tmp_path / "broken.yaml"
    broken.write_text("a: [", encoding="utf-8")
    status, out, err = call("check", str(bad), str(broken), "--format", form)
    assert (status, err) == (1, "")
    document = json.loads(out)
    if form == "json":
        assert {Path(item["file"]).name for item in document["diagnostics"]} == {"protocol.yaml", "broken.yaml"}
    else:
        assert len(document["runs"]) == 1


def test_check_for_github(bad: Path) -> None:
    status, out, _ = call("check", str(bad), "--format", "github")
    assert status == 1
    assert all(line.startswith("::error file=") for line in out.splitlines())


def test_explain_prints_how_names_were_read() -> None:
    status, out, _ = call("check", str(GOOD), "--explain")
    assert status == 0
    assert out.strip()


def test_fmt_rewrites_and_is_then_content(tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    path.write_text("gates: {}\n# kept\nprotocol: {id: x}\nprotoc: 1\n", encoding="utf-8")
    path.chmod(0o640)
    before = path.read_bytes()
    assert call("fmt", str(path), "--check")[:2] == (1, f"{path}\n")
    status, out, _ = call("fmt", str(path), "--diff")
    assert status == 1
    assert out.startswith(f"--- {path} (as it is)\n+++ {path} (formatted)\n")
    assert path.read_bytes() == before
    status, out, err = call("fmt", str(path))
    assert (status, out) == (0, "")
    assert f"formatted {path}" in err
    assert path.read_bytes() != before
    assert b"# kept" in path.read_bytes()
    assert path.stat().st_mode & 0o777 == 0o640
    assert call("fmt", str(path), "--check") == (0, "", "")
    assert [item.name for item in tmp_path.iterdir()] == ["protocol.yaml"]


def test_fmt_tells_what_it_cannot_read_and_does_the_rest(tmp_path: Path) -> None:
    broken, other = tmp_path / "a.yaml", tmp_path / "b.yaml"
    broken.write_text("a: [", encoding="utf-8")
    other.write_text("protocol: {id: x}\nprotoc: 1\n", encoding="utf-8")
    status, _, err = call("fmt", str(broken), str(other))
    assert status == 1
    assert str(broken) in err
    assert other.read_text(encoding="utf-8").startswith("protoc: 1")


@pytest.mark.parametrize("what", ["spec", "diagnostics"])
def test_schema_prints_a_valid_schema(what: str) -> None:
    import jsonschema

    status, out, err = call("schema", "--for", what)
    assert (status, err) == (0, "")
    jsonschema.Draft202012Validator.check_schema(json.loads(out))


def test_json_of_check_meets_the_printed_schema(bad: Path) -> None:
    import jsonschema

    schema = json.loads(call("schema", "--for", "diagnostics")[1])
    printed = json.loads(call("check", str(bad), "--format", "json")[1])
    assert list(jsonschema.Draft202012Validator(schema).iter_errors(printed)) == []


def process(*argv: str, **options: Any) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT / "compiler"), str(ROOT / "runtime")])}
    environment.update(options.pop("env", {}))
    return subprocess.run([*COMMAND, *argv], capture_output=True, text=True, env=environment, timeout=60, **options)


def test_the_process_has_the_status_and_streams(bad: Path) -> None:
    done = process("check", str(bad), env={"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"})
    assert (done.returncode, done.stdout) == (1, "")
    assert "`≥`" in done.stderr


def test_colors_are_for_terminals(bad: Path) -> None:
    forced = process("check", str(bad), env={"FORCE_COLOR": "1"})
    assert "\x1b[" in forced.stderr
    assert "^" in forced.stderr
    plain = process("check", str(bad), env={"FORCE_COLOR": "1", "NO_COLOR": "1"})
    assert "\x1b[" not in plain.stderr
    assert "^" in plain.stderr


def test_a_terminal_gets_carets(bad: Path) -> None:
    parent, child = pty.openpty()
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime", "TERM": "xterm"}
    environment.pop("NO_COLOR", None)
    done = subprocess.run([*COMMAND, "check", str(bad)], stderr=child, stdout=subprocess.DEVNULL, env=environment)
    os.close(child)
    shown = os.read(parent, 100_000).decode()
    os.close(parent)
    assert done.returncode == 1
    assert "^" in shown
    assert "\x1b[31;1m" in shown


def test_a_closed_pipe_is_no_traceback() -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime"}
    reader, writer = os.pipe()
    os.close(reader)
    done = subprocess.run([*COMMAND, "schema"], stdout=writer, stderr=subprocess.PIPE, text=True, env=environment)
    os.close(writer)
    assert done.returncode == 2
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("words", "streams", "status"),
    [
        ("check GOOD", ">&-", 0),
        ("check GOOD", "2>&-", 0),
        ("--version", ">&- 2>&-", 0),
        ("schema", ">/dev/full", 2),
        ("check GOOD --format json", ">/dev/full", 2),
        ("check GOOD", "2>/dev/full", 2),
        ("check nowhere", "2>/dev/full", 2),
        ("check GOOD", "<&-", 0),
    ],
)
def test_a_stream_that_takes_nothing_is_no_traceback(words: str, streams: str, status: int) -> None:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime"}
    command = f"{sys.executable} -m protoc_compiler {words.replace('GOOD', str(GOOD))} {streams}"
    done = subprocess.run(["bash", "-c", command], capture_output=True, text=True, env=environment)
    assert done.returncode == status, done.stderr
    assert "Traceback" not in done.stdout + done.stderr


HANGING = """
import sys, time
from protoc_compiler import cli
from protoc_compiler.cli import commands
class Module:
    "Waits."
    @staticmethod
    def add_arguments(parser): pass
    @staticmethod
    def run(args, io):
        io.err("ready\\n"); sys.stderr.flush()
        {body}
sys.modules["waiting"] = Module
commands.COMMANDS["wait"] = ("waiting", "wait")
sys.exit(cli.main(["wait"], sys.stdin, sys.stdout, sys.stderr))
"""


def at_home() -> dict[str, str]:
    """An environment in which this checkout is imported."""
    return {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime"}


def hanging(body: str, **env: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime", **env}
    code = HANGING.format(body=body)
    return subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.PIPE, text=True, env=environment)


def test_an_interrupt_is_told_in_one_line() -> None:
    with hanging("time.sleep(60)") as child:
        assert child.stderr is not None
        assert child.stderr.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=120) == 130
        assert child.stderr.read() == "protoc: interrupted\n"


@pytest.mark.parametrize("body", ["time.sleep(60)", "exec('import time; time.sleep(60)')"])
def test_an_interrupted_process_ends_with_130(body: str) -> None:
    """Also where the signal came amid what the interpreter compiles by itself, as in many an import."""
    command = [sys.executable, "-c", scripted(body)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=at_home()) as child:
        assert child.stderr is not None
        assert child.stderr.readline() == "ready\n"
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=120) == 130
        assert child.stderr.read() == "protoc: interrupted\n"


def scripted(body: str) -> str:
    """A program that waits as `hanging`, and ends as the installed script does."""
    return HANGING.format(body=body).replace(
        'sys.exit(cli.main(["wait"], sys.stdin, sys.stdout, sys.stderr))',
        'from protoc_compiler.__main__ import script; sys.argv[1:] = ["wait"]; script()',
    )


LOST = """
        class Lost:
            def __del__(self): io.err("now\\n"); sys.stderr.flush(); time.sleep(60)
        Lost()
        time.sleep(60)
"""
LATE = """
        import atexit
        atexit.register(lambda: (io.err("now\\n"), sys.stderr.flush(), sys.stdin.readline()))
        return 0
"""


def test_an_interrupt_that_nothing_can_catch_is_not_lost() -> None:
    """Python tells it as ignored, where it comes in a finaliser or in a callback of an import, and goes on."""
    command = [sys.executable, "-c", scripted(LOST)]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=at_home()) as child:
        assert child.stderr is not None
        assert [child.stderr.readline() for _ in range(2)] == ["ready\n", "now\n"]
        child.send_signal(signal.SIGINT)
        assert child.wait(timeout=120) == 130
        assert child.stderr.read() == "protoc: interrupted\n"


def test_what_is_done_when_the_interrupt_comes_is_done() -> None:
    """The interpreter would end with a traceback, or by the signal, though everything has been told."""
    command, pipe = [sys.executable, "-c", scripted(LATE)], subprocess.PIPE
    with subprocess.Popen(command, stdin=pipe, stderr=pipe, text=True, env=at_home()) as child:
        assert child.stdin is not None
        assert child.stderr is not None
        assert [child.stderr.readline() for _ in range(2)] == ["ready\n", "now\n"]
        child.send_signal(signal.SIGINT)
        child.stdin.write("\n")
        child.stdin.flush()
        assert child.wait(timeout=120) == 0
        assert child.stderr.read() == ""


BEGIN = """
from protoc_compiler import __main__, cli
def begun(*arguments, main=cli.main):
    print("begun", flush=True)  # whatever comes before is Python's own
    return main(*arguments)
cli.main = begun
__main__.script()
"""


def test_an_interrupt_at_any_moment_is_one_line(tmp_path: Path) -> None:
    """Through the imports of polars and of the generated rules, to the end."""
    assert call("init", str(tmp_path))[0] == 0
    spec = tmp_path / "specs" / "spam_filter"
    rows = [json.loads(line) for line in (spec / "messages.jsonl").read_text(encoding="utf-8").splitlines()]
    answers = [json.dumps({"case": row["case"], "answer": "wanted"}) + "\n" for row in rows]
    (spec / "answers.jsonl").write_text("".join(answers), encoding="utf-8")
    command = [sys.executable, "-c", BEGIN, "score", str(spec), "--data", str(spec)]
    pipe, ends = subprocess.PIPE, set()
    for moment in range(24):
        with subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True, env=at_home()) as child:
            assert child.stdout is not None
            assert child.stderr is not None
            assert child.stdout.readline() == "begun\n"
            time.sleep(moment * 0.03)
            child.send_signal(signal.SIGINT)
            told, errors = child.communicate(timeout=120)
        ends.add(child.returncode)
        if child.returncode == 130:
            assert errors == "protoc: interrupted\n"
        else:  # it was done before
            assert (child.returncode, errors) == (1, "")
            assert told.startswith("verdict: FAIL")
    assert 130 in ends


def test_a_folder_that_is_gone_is_named(tmp_path: Path) -> None:
    (tmp_path / "gone").mkdir()
    code = (
        "import os, sys; from protoc_compiler.cli import main; os.rmdir(os.getcwd());"
        "sys.exit(main(['runs'], sys.stdin, sys.stdout, sys.stderr))"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime"}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=tmp_path / "gone", capture_output=True, text=True, env=environment
    )
    assert done.returncode == 2
    assert done.stderr == "protoc: the current folder is not there any more\n  hint: go to a folder that is\n"


@pytest.mark.parametrize(
    ("word", "shown"),
    [("plain", "plain"), ("a b", "'a b'"), ("a\nb'c\\", "$'a\\x0ab\\'c\\\\'"), ("x\udcfey", "$'x\\xfey'")],
)
def test_a_hint_can_be_typed_whatever_the_name(word: str, shown: str) -> None:
    assert quoted(word) == shown
    read = subprocess.run(["bash", "-c", f"printf %s {shown}"], capture_output=True, check=True).stdout
    assert read == os.fsencode(word)


@pytest.mark.parametrize("command", ["compile", "seal"])
def test_a_spec_whose_name_is_no_text_is_told(tmp_path: Path, command: str) -> None:
    place = tmp_path / "sp\udcfe"
    shutil.copytree(ROOT / "specs" / "karsa_extractor_v2", place)
    status, _, err = call(command, str(place), "--workspace", str(tmp_path))
    assert status == 2
    assert "is not UTF-8" in err
    assert call("check", str(place))[0] == 0


def test_an_internal_failure_asks_for_a_report() -> None:
    with hanging('raise KeyError("lost")') as child:
        assert child.stderr is not None
        told = child.stderr.read().splitlines()
        assert child.wait(timeout=120) == 2
    assert told[1] == "protoc: internal failure: KeyError: 'lost'"
    assert "report" in told[2]
    with hanging('raise KeyError("lost")', PROTOC_DEBUG="1") as child:
        assert child.stderr is not None
        assert "Traceback" in child.stderr.read()
        assert child.wait(timeout=120) == 2


def test_what_the_system_refuses_is_no_internal_failure() -> None:
    with hanging('open("/no/such/place", "w")') as child:
        assert child.stderr is not None
        assert child.stderr.read().splitlines()[1] == "protoc: /no/such/place: No such file or directory"
        assert child.wait(timeout=120) == 2


def modules(*argv: str) -> set[str]:
    code = (  # on one processor, where all is done in one process
        "import sys, io, os; os.sched_setaffinity(0, [min(os.sched_getaffinity(0))]);"
        "from protoc_compiler.cli import main;"
        f"print(main({list(argv)!r}, sys.stdin, io.StringIO(), io.StringIO()), *sys.modules)"
    )
    environment = {**os.environ, "PYTHONPATH": f"{ROOT}/compiler:{ROOT}/runtime"}
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    status, *loaded = done.stdout.split()
    assert status in ("0", "1")
    return set(loaded)


def test_the_version_loads_nothing() -> None:
    assert modules("--version") & {"argparse", "re", "typing", "ruamel", "protoc_compiler.pipeline"} <= {"re"}


def test_check_loads_no_heavy_library() -> None:
    heavy = {"polars", "pydantic", "jinja2", "jsonschema", "httpx", "lark", "asyncio", "dataclasses", "rfc8785"}
    small_but_many = {"ast", "json", "pathlib", "shutil", "tempfile", "hashlib", "inspect", "importlib.resources"}
    assert modules("check", str(GOOD)) & (heavy | small_but_many | {"typing"}) == set()


PROVED = str(ROOT / "specs" / "theorempath_ask_holdout_v2")
OTHER = str(ROOT / "specs" / "karsa_extractor_v2")


def looser(folder: Path) -> str:
    """A copy of a seed with a lower threshold: its proof has a witness, which is replayed."""
    text = (Path(PROVED) / "protocol.yaml").read_text(encoding="utf-8")
    old, new = "at least 0.90., must: accuracy >= 0.90", "at least 0.88., must: accuracy >= 0.88"
    assert old in text
    made = folder / "protocol.yaml"
    made.write_text(text.replace(old, new), encoding="utf-8")
    return str(made)


@pytest.mark.parametrize(
    ("command", "most"),
    [
        (("check", OTHER), 132),
        (("diff", "--no-proof", PROVED, ""), 177),
        (("diff", PROVED, ""), 215),
        (("diff", OTHER, PROVED), 286),
    ],
    ids=["check", "diff-by-formulas", "diff-with-witness", "diff-of-strangers"],
)
def test_a_start_loads_few_modules(command: tuple[str, ...], most: int, tmp_path: Path) -> None:
    """A module costs a tenth of a millisecond before it does anything: what is loaded in vain is seen here."""
    loaded = modules(*(word or looser(tmp_path) for word in command))
    assert len({name for name in loaded if name.startswith("protoc_")}) <= most
    assert "argparse" not in loaded
    replayed = "--no-proof" not in command and OTHER not in command
    assert replayed or not loaded & {"typing", "datetime", "contextlib"}
    assert (
        loaded & {"polars", "pydantic", "jinja2", "inspect", "dataclasses", "asyncio", "importlib.resources"} == set()
    )


def test_hints_repeat_what_was_typed_and_paths_are_seen_from_here(tmp_path: Path) -> None:
    from protoc_compiler.cli.io import own_words
    from protoc_runtime.catalogue import run as kinds
    from protoc_runtime.diagnostics import Findings

    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(tmp_path)
        told = Findings().add(kinds.NO_PACKAGE, None, path=tmp_path / "generated" / "a_v1")
        shown = own_words(told, {"SPEC": "specs/my protocol", "RUN": "x"})
        assert shown.message == "there is no generated package at generated/a_v1"
        assert shown.hint == "run `protoc compile 'specs/my protocol'` first"
        gone = tmp_path / "gone"
        gone.mkdir()
        patch.chdir(gone)
        gone.rmdir()
        assert own_words(told, {"SPEC": "specs/a"}).hint == "run `protoc compile specs/a` first"
    assert own_words(told, {}).hint == told.hint
