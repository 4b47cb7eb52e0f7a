"""Input by somebody who means harm: each attack ends at once, in its diagnostic, and leaves nothing behind.

What a spec or a row holds is data. It never becomes code, a path out of the folder, a command to a terminal, or the
reason that something waits for ever. The caps are listed in docs/limits.md.
"""

from __future__ import annotations

import ast
import gzip
import io
import json
import os
import pty
import re
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from e2e.workspaces import environment
from protoc_compiler.cli import main
from unit.projects import Project, ids, new_project, read_lines

QUICK = 60.0  # seconds, of a busy machine; none of these needs one
ESCAPE = "\x1b[2J\x1b[31m"
BREAKOUTS = [
    '"""',
    "'''",
    '\\"""',
    '""" + __import__("os").system("touch {spy}") + """',
    "'); __import__('os').system('touch {spy}'); ('",
    '# -*- coding: utf-7 -*-\\n+AAo-open("{spy}","w")',
    "{{{{ ''.__class__ }}}} {{% for x in (x,) %}}x{{% endfor %}} {{# #}}",
    "{spy}\\N{{NUMBER SIGN}} \\u0022\\u0022\\u0022",
    "--> <script>open('{spy}')</script> <!--",
    "](javascript:alert(x)) ![x](http://example.invalid/{spy})",
    "| a | b |\n# heading\n::error file=x::owned\n\n```\n~~~",
    "%0A::warning::x %s %(a)s {{x}} $(touch {spy}) `touch {spy}`",
    "\\",
    'ends with a quote"',
    "ends with a backslash\\",
]


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Project:
    project = new_project(tmp_path_factory.mktemp("base") / "project")
    project.compile()
    return project


@pytest.fixture
def project(base: Project, tmp_path: Path) -> Project:
    return base.copy(tmp_path / "project")


def ends(project: Project, *arguments: object, status: int = 1) -> list[str]:
    """The ids that a command told, which must not have taken long."""
    begun = time.monotonic()
    project.protoc(*arguments, status=status)
    assert time.monotonic() - begun < QUICK
    assert "internal failure" not in project.err
    return ids(project)


# --- specs ------------------------------------------------------------------------------------------------------

MERGE_BOMB = "a: &a {x: 1}\n" + "".join(f"b{n}: &b{n}\n  <<: [*a, *a, *a, *a, *a]\n" for n in range(12))
ALIAS_BOMB = "k0: &k0 [x, x]\n" + "".join(f"k{n + 1}: &k{n + 1} [*k{n}, *k{n}, *k{n}]\n" for n in range(30))
SPECS: dict[str, tuple[str | bytes, str]] = {
    "merge bomb": (MERGE_BOMB, "E0117"),
    "alias bomb": (ALIAS_BOMB, "E0117"),
    "merge key": ("a:\n  <<: {x: 1}\n", "E0118"),
    "directive": ("%YAML 1.1\n---\nprotoc: 1\n", "E0108"),
    "directive behind a document": ("protoc: 1\n...\n%YAML 1.1\n---\na: 1\n", "E0108"),
    "tag that makes an object": ('a: !!python/object/apply:os.system ["id"]\n', "E0112"),
    "binary tag": ("a: !!binary aGVsbG8=\n", "E0119"),
    "brackets": ("a: " + "[" * 1000 + "]" * 1000 + "\n", "E0120"),
    "open brackets": ("a: " + "[" * 100_000, "E0120"),
    "blocks": ("\n".join("  " * n + "a:" for n in range(1000)), "E0120"),
    "many nodes": ("a: [" + "1," * 60_000 + "1]\n", "E0121"),
    "a large file": (b"#" * (1 << 20) + b"#", "E0102"),
    "NUL": ("protoc: 1\n\0", "E0105"),
    "escape": (f"protoc: 1\nprotocol:\n  title: {ESCAPE}x\n", "E0105"),
    "escape in quotes": ('protoc: 1\nprotocol:\n  title: "\\e[2Jx"\n', "E0105"),
    "direction": ("protoc: 1\nprotocol:\n  title: \u202egnp\n", "E0106"),
    "lone surrogate": (b"protoc: 1\nprotocol:\n  title: " + b"\xed\xa0\x80\n", "E0103"),
    "lone surrogate in quotes": ('protoc: 1\nprotocol:\n  title: "\\ud800"\n', "E0110"),
    "UTF-16": ("protoc: 1\n".encode("utf-16"), "E0104"),
    "several documents": ("protoc: 1\n---\nprotoc: 1\n", "E0109"),
    "no key": ("? [a, b]\n: 1\n", "E0123"),
}


@pytest.mark.parametrize("name", SPECS)
@pytest.mark.parametrize("command", ["check", "fmt", "compile"])
def test_a_hostile_spec_is_refused_at_once(project, name, command):
    text, expected = SPECS[name]
    project.protocol.write_bytes(text if isinstance(text, bytes) else text.encode())
    assert expected in ends(project, command, project.spec)


FORMULAS = {
    "parentheses": ("(" * 1900 + "1" + ")" * 1900, "E0402"),
    "a long formula": ("accuracy + " * 1000 + "1", "E0401"),
    "not": ("not " * 900 + "true", "E0402"),
    "minus": ("-" * 3000 + "1", "E0402"),
    "a power tower": ("9 ^ 99 ^ 99", "E0440"),
    "a large exponent": ("accuracy ^ 1000000", "E0435"),
    "scientific": ("accuracy >= 1e999999999", "E0423"),
    "infinity": ("accuracy >= Infinity", "E0312"),
    "not a number": ("accuracy >= NaN", "E0312"),
    "YAML's not a number": ("accuracy >= .nan", "E0440"),
    "a call of Python": ("__import__('os')", "E0419"),
    "a Cyrillic letter": ("accur\u0430cy >= 75%", "E0430"),
}


@pytest.mark.parametrize("name", FORMULAS)
def test_a_hostile_formula_is_refused_at_once(project, name):
    formula, expected = FORMULAS[name]
    project.edit("protocol.yaml", "must: accuracy >= 75%", f'must: "{formula}"')
    assert expected in ends(project, "check", project.spec)


def test_numbers_of_thousands_of_digits_are_exact_or_refused(project):
    project.edit("protocol.yaml", "must: accuracy >= 75%", f"must: accuracy < {'9' * 3900}")
    project.edit("protocol.yaml", "At least 75% of all messages are told right.", "Always.")
    told = ends(project, "check", project.spec)
    assert set(told) <= {"E0702", "E0802"}


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("  accuracy: rate", "  \u0430ccuracy: rate", "E0212"),
        ("    dev: {", "    dev\u0430: {", "E0212"),
        ("[wanted, unwanted]}\n      expect", "[wanted, w\u0430nted, unwanted]}\n      expect", "W0129"),
        ("[wanted, unwanted]}\n      expect", "[wanted, unwanted, caf\u00e9, cafe\u0301]}\n      expect", "E0214"),
        ("  tables:\n", "  tables:\n    t: {key: k, rows: {caf\u00e9: {x: 1}, cafe\u0301: {x: 2}}}\n", "E0122"),
        ("  tables:\n", "  tables:\n    t: {key: k, rows: {abc: {x: 1}, \u0430bc: {x: 2}}}\n", "W0129"),
    ],
)
def test_names_that_look_alike_are_refused_or_told(project, old, new, expected):
    project.edit("protocol.yaml", old, new)
    project.protoc("check", "--strict", project.spec, status=1)
    assert expected in ids(project)


def test_a_reference_of_a_schema_is_never_fetched(project, monkeypatch):
    """The schemas that are generated refer to nothing, and nothing of the tool reads a schema of somebody else."""
    schemas = list((project.folder / "generated").rglob("*.json"))
    assert schemas
    for path in schemas:
        assert not re.search(r'"\$(?:ref|dynamicRef)"\s*:\s*"(?!#)', path.read_text(encoding="utf-8")), path
    import socket

    def refuse(*arguments: object) -> None:
        raise AssertionError("a connection was made")

    monkeypatch.setattr(socket.socket, "connect", refuse)
    row = {"case": "d1", "split": "dev", "text": "http://example.invalid/x", "label": "wanted"}
    (project.spec / "messages.jsonl").write_text(json.dumps(row | {"$ref": "http://example.invalid/s.json"}) + "\n")
    assert ends(project, "seal", project.spec)[0] == "E1013"


# --- words of an author in what is generated ---------------------------------------------------------------------


def yaml_text(words: str) -> str:
    return json.dumps(words, ensure_ascii=False)


@pytest.mark.parametrize("number", range(len(BREAKOUTS)))
def test_words_of_an_author_stay_words_in_every_file(project, tmp_path, number):
    spy = tmp_path / "spy"
    words = BREAKOUTS[number].format(spy=spy)
    quoted = yaml_text(words)
    project.edit("protocol.yaml", "title: Spam filter, first evaluation", f"title: {quoted}")
    project.edit("protocol.yaml", "asks: Does the filter tell unwanted messages from wanted ones?", f"asks: {quoted}")
    project.edit(
        "protocol.yaml", "says: At least 50% of the unwanted messages are caught.", f"says: {yaml_text(words + ' 50%')}"
    )
    project.edit("protocol.yaml", "says: what the filter says of a message", f"says: {quoted}")
    project.edit("protocol.yaml", "says: A message has no answer.", f"says: {quoted}")
    project.edit("protocol.yaml", "- Eight messages show little; the interval around any rate is wide.", f"- {quoted}")
    project.edit("protocol.yaml", "says: for judging it", f"says: {quoted}")
    checked = project.protoc("check", project.spec, "--format", "json")
    json.loads(checked)
    project.compile()
    package = project.folder / "generated" / "spam_filter_v1"
    modules = list(package.glob("*.py"))
    assert len(modules) == 5
    for path in modules:
        tree = ast.parse(path.read_text(encoding="utf-8"))
        calls = {ast.unparse(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
        assert not {name for name in calls if name.endswith("system") or name == "__import__"}
    project.protoc("seal", project.spec)
    bundle = project.run()
    assert not spy.exists()
    project.protoc("verify", bundle)
    for page in (bundle / "RECEIPT.md", package / "PROTOCOL.md"):
        text = page.read_text(encoding="utf-8")
        assert not re.search(r"^# heading|^::error|(?<!\\)<script>|(?<!\\)\]\(javascript", text, re.MULTILINE), page
    alone = subprocess.run([sys.executable, "-I", "verify.py"], cwd=bundle, capture_output=True, text=True)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert not spy.exists()


@pytest.mark.parametrize("form", ["github", "sarif", "json", "text"])
def test_names_in_a_message_cannot_leave_its_form(project, tmp_path, form):
    folder = tmp_path / "a,b::error::x\n::warning file=y::z %0A\u202e"
    folder.mkdir()
    spec = folder / "protocol.yaml"
    text = project.protocol.read_text(encoding="utf-8")
    spec.write_text(text.replace("all gates have held", '"x\u0085y" == "::error::%0A" and missing_thing'))
    out, err = io.StringIO(), io.StringIO()
    assert main(["check", str(spec), "--format", form], io.StringIO(), out, err) == 1
    if form == "github":
        lines = out.getvalue().splitlines()
        assert all(line.startswith("::error file=") for line in lines), lines
        assert all(line.count("::") == 2 or "%3A%3A" in line for line in lines)
        assert len(lines) == err.getvalue().count("E0") or len(lines) >= 1
    elif form in ("sarif", "json"):
        json.loads(out.getvalue())
    else:
        assert not re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f\u202e]", err.getvalue())


# --- paths -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("file: messages", "file: ../../../messages", "E1005"),
        ("file: messages", "file: /etc/messages", "E1005"),
        ("file: messages", "file: x/../../../messages", "E1005"),
        ("code: [subject.py]", "code: [../..]", "E1113"),
        ("code: [subject.py]", "code: [/etc]", "E1113"),
        ("python: subject.py:answer", "python: ../spam_filter/../../x.py:answer", "E1113"),
        ("python: subject.py:answer", "python: /etc/x.py:answer", "E1113"),
        ("python: subject.py:answer", "python: subject.py:os.system", "E0219"),
        ("python: subject.py:answer", 'python: "http://example.invalid/x.py:answer"', "E0219"),
        ("id: spam-filter", 'id: "../../evil"', "E0209"),
        ("id: spam-filter", 'id: "evil/../x"', "E0209"),
    ],
)
def test_a_path_that_leaves_the_folder_is_refused(project, old, new, expected):
    project.edit("protocol.yaml", old, new)
    project.protoc("compile", project.spec, status=1)
    assert expected in project.err
    assert expected in ends(project, "seal", project.spec)
    assert not (project.spec / "seal.jsonl").exists()


def replace_by(path: Path, how: str, target: Path) -> None:
    """Put something else in the place of a file."""
    path.unlink()
    if how == "pipe":
        os.mkfifo(path)
    elif how == "link":
        path.symlink_to(target)
    elif how == "device":
        path.symlink_to("/dev/zero")
    elif how == "circle":
        path.symlink_to(path.name)
    elif how == "folder":
        path.mkdir()
    elif how == "socket":
        import socket

        with socket.socket(socket.AF_UNIX) as made:
            made.bind(str(path)[-100:] if len(str(path)) > 100 else str(path))


@pytest.mark.parametrize("how", ["pipe", "link", "device", "folder", "circle"])
@pytest.mark.parametrize(
    ("name", "command", "expected"),
    [
        ("messages.jsonl", "seal", {"E1004", "E1005", "E1006", "E1113"}),
        ("subject.py", "seal", {"E1113", "E1116"}),
        ("messages.jsonl", "run", {"E1004", "E1005", "E1006", "E1105", "E1106", "E1113"}),
        ("subject.py", "run", {"E1106", "E1107", "E1113", "E1116"}),
        ("messages.jsonl", "score", {"E1004", "E1005", "E1006"}),
    ],
)
def test_what_is_no_plain_file_of_the_folder_is_refused_and_holds_nobody_up(
    project, tmp_path, how, name, command, expected
):
    (tmp_path / "elsewhere").write_bytes((project.spec / name).read_bytes())
    if command == "run":
        project.protoc("seal", project.spec)
    replace_by(project.spec / name, how, tmp_path / "elsewhere")
    more = ("--data", project.spec) if command == "score" else ()
    assert set(ends(project, command, project.spec, *more)) & expected, project.err


@pytest.mark.parametrize("how", ["pipe", "device", "folder", "circle"])
@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("specs/spam_filter/protocol.yaml", "check"),
        ("specs/spam_filter/seal.jsonl", "run"),
        ("specs/spam_filter/seal.jsonl", "seal"),
        ("registry.jsonl", "run"),
        ("generated/spam_filter_v1/rules.py", "run"),
        ("generated/spam_filter_v1/protocol.json", "run"),
    ],
)
def test_no_file_of_a_workspace_may_be_a_pipe_or_device(project, tmp_path, how, name, command):
    project.protoc("seal", project.spec)
    path = project.folder / name
    path.touch()
    replace_by(path, how, tmp_path)
    begun = time.monotonic()
    out, err = io.StringIO(), io.StringIO()
    status = main([command, str(project.spec)], io.StringIO(), out, err)
    assert status in (1, 2)
    assert time.monotonic() - begun < QUICK
    assert "internal failure" not in err.getvalue()
    assert path.name in err.getvalue() or "generated package" in err.getvalue(), err.getvalue()


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("RUN/receipt.json", "verify"),
        ("RUN/receipt.json", "why"),
        ("RUN/receipt.json", "runs"),
        ("RUN/receipt.json", "splits"),
        ("RUN/summary.json", "verify"),
        ("RUN/manifest.json", "verify"),
        ("RUN/package/protocol.json", "why"),
        ("RUN/digests.json", "why"),
        ("generated/spam_filter_v1/protocol.json", "seal"),
        ("generated/spam_filter_v1/protocol.json", "run"),
        ("specs/spam_filter/attestations.jsonl", "run"),
    ],
)
def test_json_that_is_nested_too_deep_is_a_fault_of_the_file(project, name, command):
    project.seal()
    run = project.run("--phase", "tune", status=1)
    assert run is not None
    path = Path(name.replace("RUN", str(run)))
    (project.folder / path).write_text(DEEP, encoding="utf-8")
    arguments = {
        "verify": [run], "why": [run, "d1"], "runs": ["--workspace", project.folder],
        "splits": ["--check", "--workspace", project.folder], "seal": [project.spec],
        "run": [project.spec, "--phase", "tune"],
    }  # fmt: skip
    out, err = io.StringIO(), io.StringIO()
    status = main([command, *map(str, arguments[command])], io.StringIO(), out, err)
    assert "internal failure" not in err.getvalue()
    assert status == int(command not in ("runs", "splits")), err.getvalue()
    if command == "runs":
        assert "damaged" in out.getvalue()


@pytest.mark.parametrize("suffix", ["jsonl.gz", "tar", "zip"])
def test_an_archive_is_no_table(project, suffix):
    path = project.spec / "messages.jsonl"
    data = path.read_bytes()
    path.unlink()
    archive = project.spec / f"messages.{suffix}"
    if suffix == "tar":
        with tarfile.open(archive, "w") as made:
            member = tarfile.TarInfo("../../messages.jsonl")
            member.size = len(data)
            made.addfile(member, io.BytesIO(data))
    else:
        archive.write_bytes(gzip.compress(b"{}" * 1000))
    assert ends(project, "seal", project.spec)[0] in ("E1002", "E1004")
    assert not (project.spec.parent.parent / "messages.jsonl").exists()


def test_compressed_rows_are_not_unpacked(project):
    (project.spec / "messages.jsonl").write_bytes(gzip.compress(b" " * 50_000_000))
    assert set(ends(project, "seal", project.spec)) == {"E1007"}


# --- rows --------------------------------------------------------------------------------------------------------


def first_row(text: str) -> Callable[[Project], None]:
    def change(project: Project) -> None:
        path = project.spec / "messages.jsonl"
        path.write_text(text + "\n" + "".join(path.read_text().splitlines(keepends=True)[1:]), encoding="utf-8")

    return change


def row(**cells: str) -> str:
    names = {"case": '"d1"', "split": '"dev"', "text": '"x"', "label": '"wanted"'} | cells
    return "{" + ", ".join(f'"{name}": {cell}' for name, cell in names.items()) + "}"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (row().replace('"case"', '"case": "d0", "case"'), "E1012"),
        (row().replace('"case"', '"c\\u0061se": "d0", "case"'), "E1012"),
        (row(case="[" * 200_000 + "]" * 200_000), "E1011"),
        (row(case="9" * 4000), "E1016"),
        (row(case="9" * 100_000), "E1021"),
        (row(case="NaN"), "E1016"),
        (row(case="-Infinity"), "E1016"),
        (row(case='"\\ud800"'), "E1026"),
        (row(case='"\\u001b[2J"'), "E1027"),
        (row(case='"d\\u202e1"'), "E1027"),
        (row(case='"d\\u200b1"'), "E1027"),
        (row(label='"w\\u0430nted"'), "E1022"),
        (row(split='"d\\u0435v"'), "E1022"),
        (row(text='"' + "x" * (1 << 24) + '"'), "E1010"),
    ],
    ids=lambda value: value[:60],
)
def test_a_hostile_row_is_refused_at_once(project, text, expected):
    first_row(text)(project)
    assert ends(project, "seal", project.spec)[0] == expected
    assert not re.search("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202e]", project.err)


def twin_rows(project: Project, first: str, second: str) -> None:
    path = project.spec / "messages.jsonl"
    rows = read_lines(path)
    rows[0]["case"], rows[1]["case"] = first, second
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")


def test_one_key_in_two_unicode_forms_is_a_duplicate(project):
    twin_rows(project, "caf\u00e9", "cafe\u0301")
    assert ends(project, "seal", project.spec) == ["E1039"]
    assert "U+0301 COMBINING ACUTE ACCENT" in project.err


@pytest.mark.parametrize("second", ["\u04301", "\uff41\uff11", "\u03b11"])
def test_keys_of_several_alphabets_that_look_alike_are_told(project, second):
    twin_rows(project, "a1", second)
    assert ends(project, "seal", project.spec, status=0) == ["W1040"]


def test_keys_in_one_alphabet_are_not_suspected(project):
    twin_rows(project, "\u043f\u0440\u0438\u043c\u0435\u0440", "\u4f8b\u5b50")
    assert ends(project, "seal", project.spec, status=0) == []


def test_a_csv_without_line_ends_does_not_fill_the_memory(project):
    (project.spec / "messages.jsonl").unlink()
    with (project.spec / "messages.csv").open("w") as file:
        file.write("case,split,text,label\nd1,dev,")
        file.truncate(64 << 20)
    assert ends(project, "seal", project.spec) == ["E1038"]
    assert "a line has more than" in project.err


def test_a_parquet_file_that_claims_to_be_huge_is_refused(project):
    import polars as pl

    (project.spec / "messages.jsonl").unlink()
    nothing = pl.Series("case", [None], dtype=pl.Null).new_from_index(0, 200_000_001)
    pl.DataFrame({"case": nothing}).write_parquet(project.spec / "messages.parquet")
    assert (project.spec / "messages.parquet").stat().st_size < 1 << 20
    assert ends(project, "seal", project.spec) == ["E1042"]


def test_a_file_that_grows_while_it_is_read_is_not_sealed(project):
    """Rows are appended all the time; whatever was pinned is what was read, or nothing is pinned."""
    path = project.spec / "messages.jsonl"
    rows = [{"case": f"x{n}", "split": "dev", "text": "x" * 200, "label": "wanted"} for n in range(20_000)]
    path.write_text(path.read_text() + "".join(json.dumps(row) + "\n" for row in rows))
    project.edit("protocol.yaml", "count(cases where split == dev) == 6", "count(cases where split == dev) > 6")
    project.compile()
    writer = (
        "import itertools, sys, time\n"
        "for n in itertools.count():\n"
        "    with open(sys.argv[1], 'a') as file:\n"
        '        file.write(\'{"case": "y%d", "split": "dev", "text": "y", "label": "wanted"}\\n\' % n)\n'
        "    time.sleep(0.002)\n"
    )
    grows = subprocess.Popen([sys.executable, "-c", writer, str(path)])
    try:
        size = path.stat().st_size
        while path.stat().st_size == size:
            time.sleep(0.01)
        assert ends(project, "seal", project.spec) == ["E1215"]
    finally:
        grows.kill()
        grows.wait()
    assert not (project.spec / "seal.jsonl").exists() or not (project.spec / "seal.jsonl").read_bytes()
    project.protoc("seal", project.spec)


# --- terminals ---------------------------------------------------------------------------------------------------


def on_a_terminal(project: Project, *arguments: str) -> str:
    """What a command shows on a terminal, colours taken out."""
    main_side, other_side = pty.openpty()
    command = [sys.executable, "-m", "protoc_compiler", *arguments]
    process = subprocess.Popen(
        command, cwd=project.folder, env=environment() | {"TERM": "xterm"}, stdin=other_side, stdout=other_side,
        stderr=other_side,
    )  # fmt: skip
    os.close(other_side)
    shown = b""
    while True:
        try:
            part = os.read(main_side, 65536)
        except OSError:  # the other side is closed
            break
        if not part:
            break
        shown += part
    os.close(main_side)
    process.wait(200)
    text = shown.decode("utf-8", "replace").replace("\r\n", "\n")
    return re.sub(r"\x1b\[[0-9;]*m|\x1b\[K|\r", "", text)


STEERING = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069]")


def test_what_rows_and_subjects_say_cannot_steer_a_terminal(project):
    """Text cells may hold anything; a subject may say anything; a terminal sees it spelled out."""
    path = project.spec / "messages.jsonl"
    rows = read_lines(path)
    for each in rows:
        each["text"] = f"{ESCAPE}\x07\u202e{each['text']}"
    path.write_text("".join(json.dumps(each) + "\n" for each in rows))
    (project.spec / "subject.py").write_text(
        "def answer(case):\n    print('\\x1b]0;owned\\x07')\n    raise ValueError('\\x1b[2J\\u202e' + case['text'])\n"
    )
    project.protoc("seal", project.spec)
    shown = on_a_terminal(project, "run", "specs/spam_filter")
    assert "verdict: INVALID" in shown
    assert not STEERING.search(shown), shown
    (bundle,) = project.bundles()
    assert not STEERING.search((bundle / "RECEIPT.md").read_text(encoding="utf-8"))
    shown = on_a_terminal(project, "why", str(bundle), "h5")
    assert "case h5: failed" in shown
    assert not STEERING.search(shown), shown
    project.protoc("verify", bundle)


def test_arguments_and_file_names_cannot_steer_a_terminal(project):
    for arguments in (["check", f"{ESCAPE}x"], [f"{ESCAPE}check"], ["verify", f"{ESCAPE}x"], ["check", "--\x1b[2J"]):
        shown = on_a_terminal(project, *arguments)
        assert shown.strip()
        assert not STEERING.search(shown), (arguments, shown)
    path = project.spec / f"messages{ESCAPE}.jsonl"
    path.write_text("")
    project.edit("protocol.yaml", "file: messages", "file: messagez")
    assert not STEERING.search(on_a_terminal(project, "seal", "specs/spam_filter"))


def test_ids_that_are_shown_by_the_verifier_cannot_steer_a_terminal(project):
    project.protoc("seal", project.spec)
    bundle = project.run()
    path = bundle / "rows" / "cases.jsonl"
    path.write_text(path.read_text().replace('"h1"', '"h1\\u001b[2J"', 1))
    alone = subprocess.run([sys.executable, "-I", "verify.py"], cwd=bundle, capture_output=True, text=True)
    assert alone.returncode == 1
    assert not STEERING.search(alone.stdout + alone.stderr)
