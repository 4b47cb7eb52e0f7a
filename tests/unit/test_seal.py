"""Seals: what was decided is pinned, each difference is named, and a re-seal cannot be hidden."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import time
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import core, identity
from protoc_compiler.emit import package
from protoc_runtime.canonical import digest_bytes, digest_file, dumps
from protoc_runtime.catalogue import seal as kinds
from protoc_runtime.chain import GENESIS
from protoc_runtime.declared import Declared, load
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.pinning import input_files, present_pins, text_digest, with_rows
from protoc_runtime.reading import read_tables
from protoc_runtime.record import replace
from protoc_runtime.seal import FILE_NAME, Pins, append_seal, load_seals
from protoc_runtime.seal_format import from_bytes, package_digest, to_bytes
from protoc_runtime.sealing import check_seal, committed_after, git_state, wanted_splits
from unit import protocols

SPLITS = (
    core.Split("dev", "development", ("tune",)),
    core.Split("held", "heldout", ("score once",)),
)


DEV = '{"case": "a", "text": "x"}\n{"case": "b", "text": "y"}\n'


class Study:
    """A protocol's folder with its package, small enough to seal often."""

    def __init__(self, root: Path, subject: core.Subject | None = None) -> None:
        self.folder, self.package = root / "specs" / "small", root / "generated" / "small_study_v1"
        self.spec = self.folder / "protocol.yaml"
        for folder in (self.folder / "code", self.package):
            folder.mkdir(parents=True)
        python = core.Subject("python", "subject.py:go", "cases", ("text",), (), ("code",), Fraction(5), 1)
        freeze = (core.Freeze("prompt", core.DIGEST, None, "prompt.txt"),)
        tables = protocols.per_split().tables[:2]
        made = protocols.protocol(tables, splits=SPLITS, subject=subject or python, freeze=freeze)
        self.write("protocol.yaml", "protoc: 1\n")
        self.write("subject.py", "def go(case): ...\n")
        self.write("code/help.py", "X = 1\n")
        self.write("prompt.txt", "Say.\n")
        self.write("briefs_dev.jsonl", DEV)
        self.write("briefs_held.jsonl", '{"case": "c", "text": "z"}\n')
        (self.package / "protocol.json").write_bytes(identity.canonical(made))
        (self.package / "rules.py").write_text("RULES = 1\n")

    def write(self, name: str, text: str | bytes) -> None:
        (self.folder / name).write_bytes(text if isinstance(text, bytes) else text.encode())

    @property
    def declared(self) -> Declared:
        return load(self.package / "protocol.json")

    def pins(self) -> Pins:
        findings = Findings()
        made = present_pins(self.declared, self.spec, self.package, findings=findings)
        tables = read_tables(self.declared, self.folder, findings=findings)
        assert not len(findings)
        return with_rows(made, self.declared, self.spec, tables, findings)

    def seal(self, **options: Any) -> Any:
        return append_seal(self.folder / FILE_NAME, self.pins(), **options)

    def check(self, digest: str = "") -> list[tuple[str, str]]:
        _, findings = check_seal(self.declared, self.spec, self.package, digest=digest)
        return [(item.id, item.message) for item in findings]


@pytest.fixture
def study(tmp_path: Path) -> Study:
    return Study(tmp_path)


def refused(call: Callable[..., object], *arguments: Any, **options: Any) -> str:
    with pytest.raises(Refused) as caught:
        call(*arguments, **options)
    (item,) = caught.value.diagnostics
    return item.id


def test_a_seal_is_an_in_toto_statement_that_names_every_file(study: Study) -> None:
    seal, new = study.seal()
    assert new
    (line,) = (study.folder / FILE_NAME).read_bytes().splitlines()
    statement = json.loads(line)
    assert dumps(statement) == line
    assert statement["_type"] == "https://in-toto.io/Statement/v1"
    named = {entry["name"]: entry["digest"]["sha256"] for entry in statement["subject"]}
    for name in ("protocol.yaml", "briefs_dev.jsonl", "briefs_held.jsonl", "subject.py", "code/help.py", "prompt.txt"):
        assert named[name] == digest_file(study.folder / name)
    spec = digest_file(study.package / "protocol.json")
    assert named["small-study/spec"] == spec
    about = statement["predicate"]
    assert about["spec"] == f"sha256:{spec}"
    assert [(pin["path"], pin["rows"], pin["bytes"]) for pin in about["inputs"]] == [
        ("briefs_dev.jsonl", 2, 54),
        ("briefs_held.jsonl", 1, 27),
    ]
    assert [(split["name"], split["rows"]) for split in about["splits"]] == [("dev", 2), ("held", 1)]
    assert (about["git"], about["reason"], about["previous"]) == (None, None, GENESIS)
    assert load_seals(study.folder / FILE_NAME) == (seal,)
    assert study.check() == []


def test_sealing_the_unchanged_again_does_nothing(study: Study) -> None:
    first, _ = study.seal()
    before = (study.folder / FILE_NAME).read_bytes()
    assert study.seal(reason="again") == (first, False)
    study.write("protocol.yaml", "# a comment\nprotoc: 1\n")
    assert study.seal() == (first, False)
    assert (study.folder / FILE_NAME).read_bytes() == before


def test_a_changed_protocol_needs_a_reason_and_is_chained(study: Study) -> None:
    first, _ = study.seal()
    study.write("subject.py", "def go(case): return {}\n")
    assert refused(study.seal) == "E1101"
    assert refused(study.seal, reason="  ") == "E1101"
    second, new = study.seal(reason="a mistake in go")
    assert new
    assert (second.previous, second.reason) == (first.digest, "a mistake in go")
    assert second.time >= first.time
    assert load_seals(study.folder / FILE_NAME) == (first, second)
    assert study.check() == []


CHANGES: dict[str, tuple[Callable[[Study], object], list[str], str]] = {
    "input": (lambda s: s.write("briefs_held.jsonl", '{"case": "c", "text": "Z"}\n'), ["E1105"], "briefs_held.jsonl"),
    "input gone": (lambda s: (s.folder / "briefs_dev.jsonl").unlink(), ["E1106"], "briefs_dev.jsonl"),
    "code": (lambda s: s.write("code/help.py", "X = 2\n"), ["E1107"], "code/help.py"),
    "code gone": (lambda s: (s.folder / "subject.py").unlink(), ["E1106"], "subject.py"),
    "code added": (lambda s: s.write("code/more.py", ""), ["E1109"], "code/more.py"),
    "frozen file": (lambda s: s.write("prompt.txt", "Say it.\n"), ["E1107"], "prompt.txt"),
    "package": (lambda s: (s.package / "rules.py").write_text("RULES = 2\n"), ["E1108"], "rules.py"),
    "package file added": (lambda s: (s.package / "x.py").write_text(""), ["E1108"], "x.py"),
    "text": (lambda s: s.write("protocol.yaml", "# x\nprotoc: 1\n"), ["E1110"], "protocol.yaml"),
    "line ends": (
        lambda s: s.write(
            "briefs_dev.jsonl", b'\xef\xbb\xbf{"case": "a", "text": "x"}\r\n{"case": "b", "text": "y"}\r\n'
        ),
        ["N1111"],
        "briefs_dev.jsonl",
    ),
    "input moved": (
        lambda s: os.rename(s.folder / "briefs_dev.jsonl", s.folder / "briefs_dev.csv"),
        ["E1106", "E1109"],
        "briefs_dev",
    ),
    "link in the code": (lambda s: os.symlink("/etc/hostname", s.folder / "code" / "l.py"), ["E1113"], "code/l.py"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_each_difference_is_named(study: Study, name: str) -> None:
    study.seal()
    change, ids, path = CHANGES[name]
    change(study)
    found = study.check()
    assert [item for item, _ in found] == ids
    assert all(path in message for _, message in found)


def test_all_differences_are_named_at_once(study: Study) -> None:
    study.seal()
    for name in ("input", "code", "frozen file", "package", "text"):
        CHANGES[name][0](study)
    assert sorted(item for item, _ in study.check()) == ["E1105", "E1107", "E1107", "E1108", "E1110"]


def test_with_the_compiler_only_the_meaning_of_the_spec_counts(study: Study) -> None:
    seal, _ = study.seal()
    study.write("protocol.yaml", "# x\nprotoc: 1\n")
    assert [item for item, _ in study.check(seal.pins.spec)] == ["N1111"]
    assert [item for item, _ in study.check("sha256:" + "0" * 64)] == ["E1104"]


def test_recorded_answers_may_be_made_after_the_seal_but_not_changed(tmp_path: Path) -> None:
    recorded = core.Subject("recorded", "answers", "cases", (), (), (), None, 1)
    study = Study(tmp_path, recorded)
    study.seal()
    (study.folder / "answers").mkdir()
    study.write("answers/rows.jsonl", "{}\n")
    assert study.check() == []
    study.seal(reason="nothing")
    assert len(load_seals(study.folder / FILE_NAME)) == 2
    study.write("answers/rows.jsonl", '{"a": 1}\n')
    assert [item for item, _ in study.check()] == ["E1107"]
    study.write("answers/more.jsonl", "")
    assert [item for item, _ in study.check()] == ["E1107", "E1109"]


def test_no_seal_and_the_seal_of_another_version_do_not_count(study: Study) -> None:
    assert [item for item, _ in study.check()] == ["E1102"]
    pins = study.pins()
    append_seal(study.folder / FILE_NAME, replace(pins, version=2))
    assert [item for item, _ in study.check()] == ["E1102"]


def test_an_edited_removed_or_moved_seal_is_found(study: Study) -> None:
    path = study.folder / FILE_NAME
    study.seal()
    for number in range(2):
        study.write("prompt.txt", f"{number}\n")
        study.seal(reason=f"change {number}")
    lines = path.read_bytes().splitlines(keepends=True)
    for order in ((1, 2), (0, 2), (1, 0, 2), (0, 0, 1, 2)):
        path.write_bytes(b"".join(lines[number] for number in order))
        assert refused(load_seals, path) == "E1103"
    path.write_bytes(b"".join(lines).replace(b"\n", b"\r\n"))
    assert len(load_seals(path)) == 3
    content = b"".join(lines)
    for place in range(0, len(lines[0]), 7):
        path.write_bytes(content[:place] + bytes([content[place] ^ 1]) + content[place + 1 :])
        assert refused(load_seals, path) == "E1103", place


@pytest.mark.parametrize(
    "change",
    [
        lambda s: s.update(extra=1),
        lambda s: s["subject"].pop(),
        lambda s: s["predicate"].pop("spec"),
        lambda s: s["predicate"].update(version="1"),
        lambda s: s["predicate"]["raw"].update(path=None),
        lambda s: s["predicate"]["inputs"][0].update(rows=True),
        lambda s: s["predicate"]["inputs"][0].update(more=1),
        lambda s: s["predicate"]["package"]["files"].update({"rules.py": "0" * 64}),
        lambda s: s["predicate"].update(git=[]),
        lambda s: s["predicate"].update(inputs=3),
    ],
)
def test_a_line_that_is_no_seal_is_refused_not_crashed_on(study: Study, change: Callable[[Any], object]) -> None:
    seal, _ = study.seal()
    statement = json.loads(to_bytes(seal))
    change(statement)
    with pytest.raises(ValueError):
        from_bytes(dumps(statement))
    (study.folder / FILE_NAME).write_bytes(dumps(statement) + b"\n")
    assert refused(load_seals, study.folder / FILE_NAME) == "E1103"
    assert refused(study.seal, reason="x") == "E1103"


def git(folder: Path, *arguments: str) -> str:
    options = ("-c", "user.name=A", "-c", "user.email=a@example.org")
    done = subprocess.run(["git", *options, *arguments], cwd=folder, check=True, capture_output=True)
    return done.stdout.decode().strip()


def test_a_seal_tells_the_commit_and_whether_it_holds_what_is_pinned(study: Study, tmp_path: Path) -> None:
    assert git_state(study.pins(), study.spec, study.package) == (None, None)
    git(tmp_path, "init", "-q")
    assert git_state(study.pins(), study.spec, study.package) == (None, ())
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    head = git(tmp_path, "rev-parse", "HEAD")
    assert git_state(study.pins(), study.spec, study.package) == (head, ())
    (tmp_path / "unrelated").touch()
    assert git_state(study.pins(), study.spec, study.package) == (head, ())
    git(tmp_path, "update-index", "--assume-unchanged", "generated/small_study_v1/rules.py")
    (study.package / "rules.py").write_text("RULES = 2\n")
    commit, unclean = git_state(study.pins(), study.spec, study.package)
    assert [Path(path).name for path in unclean or ()] == ["rules.py"]
    seal, _ = study.seal(commit=commit, clean=not unclean)
    assert (seal.commit, seal.clean) == (head, False)
    assert load_seals(study.folder / FILE_NAME) == (seal,)


def test_the_order_of_commits_shows_that_a_seal_came_after_what_it_pins(study: Study, tmp_path: Path) -> None:
    path = study.folder / FILE_NAME
    git(tmp_path, "init", "-q")
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "all")
    head = git(tmp_path, "rev-parse", "HEAD")
    seal, _ = study.seal(commit=head, clean=True)
    assert committed_after(seal, path) is None
    git(tmp_path, "add", "-A")
    git(tmp_path, "commit", "-qm", "seal")
    assert committed_after(seal, path) is True
    git(tmp_path, "commit", "-q", "--allow-empty", "-m", "later")
    later = replace(seal, commit=git(tmp_path, "rev-parse", "HEAD"))
    path.write_bytes(to_bytes(later) + b"\n")
    git(tmp_path, "commit", "-q", "-a", "--amend", "-m", "a seal that names a commit beside its own")
    assert committed_after(later, path) is False
    assert committed_after(replace(seal, commit="0" * 40), path) is None
    assert committed_after(replace(seal, commit=None), path) is None


def test_a_split_is_known_by_its_rows(study: Study) -> None:
    pins = study.pins()
    (want,) = wanted_splits(study.declared, pins, ["held"])
    assert (want.split, want.role, want.may, want.rows) == ("held", "heldout", ("score once",), 1)
    study.write("briefs_held.jsonl", '{"text":"\\u007a", "case":"c"}\r\n')
    assert wanted_splits(study.declared, study.pins(), ["held"]) == [want]
    study.write("briefs_held.jsonl", '{"case": "c", "text": "zz"}\n')
    (edited,) = wanted_splits(study.declared, study.pins(), ["held"])
    assert (edited.ids, edited.content == want.content) == (want.ids, False)


def test_a_folder_is_pinned_without_what_sealing_writes_into_it(tmp_path: Path) -> None:
    """Else each seal would change what it has pinned, and no run could follow it."""
    study = Study(tmp_path / "whole", core.Subject("python", "subject.py:go", "cases", (), (), (".",), None, 1))
    study.seal()
    study.write("signatures.jsonl", "{}\n")
    assert study.check() == []
    study.write("more.py", "")
    assert [item for item, _ in study.check()] == ["E1109"]
    named = Study(tmp_path / "named", core.Subject("python", "subject.py:go", "cases", (), (), (FILE_NAME,), None, 1))
    findings = Findings()
    present_pins(named.declared, named.spec, named.package, findings=findings)
    assert [item.id for item in findings] == ["E1113"]


def test_a_path_that_leaves_the_folder_or_is_not_there_is_told(tmp_path: Path) -> None:
    for number, (path, expected) in enumerate(
        [("../x.py", "E1113"), ("/etc/hostname", "E1113"), ("none.py", "E1116"), ("out", "E1113"), ("round", "E1116")]
    ):
        subject = core.Subject("python", "subject.py:go", "cases", (), (), (path,), None, 1)
        study = Study(tmp_path / str(number), subject)
        (study.folder / "out").symlink_to("/etc")
        (study.folder / "round").symlink_to("round")
        findings = Findings()
        present_pins(study.declared, study.spec, study.package, findings=findings)
        assert [item.id for item in findings] == [expected]


def test_a_seal_that_cannot_be_written_is_told(study: Study) -> None:
    (study.folder / FILE_NAME).mkdir()
    assert refused(study.seal) == "E1115"


def test_the_package_digest_is_the_one_that_the_package_states() -> None:
    files = {"rules.py": "1" * 64, "__init__.py": "2" * 64}
    stated = package.package_digest({name: f"sha256:{digest}" for name, digest in files.items()})
    assert f"sha256:{package_digest({**files, 'package.json': '3' * 64})}" == stated


def test_inputs_are_found_in_declared_order(study: Study) -> None:
    found = [(table, path.name, split) for table, path, split in input_files(study.declared, study.spec, Findings())]
    assert found == [("cases", "briefs_dev.jsonl", "dev"), ("cases", "briefs_held.jsonl", "held")]


@pytest.mark.parametrize("start", [b"", b"\xef\xbb\xbf"])
@pytest.mark.parametrize("end", [b"\n", b"\r\n"])
def test_the_text_digest_leaves_out_marks_and_line_ends(tmp_path: Path, start: bytes, end: bytes) -> None:
    lines = [b"x" * (2**20 - 2), b"y\rz", b"w" * (2**20 + 5), b""]
    path = tmp_path / "rows.jsonl"
    path.write_bytes(start + end.join(lines) + b"\r")
    assert text_digest(path, digest_file(path)) == digest_bytes(b"\n".join(lines) + b"\r")


def test_hashing_is_about_as_fast_as_the_system_hashes(tmp_path: Path) -> None:
    path = tmp_path / "large"
    path.write_bytes(os.urandom(1 << 20) * 64)

    def bare() -> str:
        with open(path, "rb") as file:
            return hashlib.file_digest(file, "sha256").hexdigest()

    def seconds(call: Callable[[], str]) -> float:
        started = time.thread_time()  # of the processor: what else the machine does is no part of it
        call()
        return time.thread_time() - started

    assert bare() == digest_file(path)
    assert min(seconds(lambda: digest_file(path)) for _ in range(5)) < 1.6 * min(seconds(bare) for _ in range(5))


def test_the_kinds_have_ids_of_their_own() -> None:
    assert len({kind.id for kind in kinds.KINDS}) == len(kinds.KINDS) == 18
    assert all(kind.id[0] == kind.severity[0].upper() and kind.example for kind in kinds.KINDS)
