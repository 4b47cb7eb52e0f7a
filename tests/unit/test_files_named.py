"""The files that a spec names, as `check` sees them: paths that leave its folder, functions that are not there."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from protoc_compiler import pipeline
from unit.small import SPEC

FROZEN = "    limit: 3\n"
CODE = "    limit: 3\n  subject: {python: "


def told(folder: Path, old: str = "", new: str = "", subject: str | None = None) -> list[str]:
    assert old in SPEC
    (folder / "protocol.yaml").write_text(SPEC.replace(old, new, 1) if old else SPEC, encoding="utf-8")
    if subject is not None:
        (folder / "subject.py").write_text(subject, encoding="utf-8")
    return [f"{item.id} {item.message}" for item in pipeline.check(folder / "protocol.yaml")[1].sorted()]


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("key: case\n      order", "file: ../cases\n      key: case\n      order", "E1005"),
        ("key: case\n      order", "file: /data/cases\n      key: case\n      order", "E1005"),
        ("key: case\n      order", "file: rows/../../cases\n      key: case\n      order", "E1005"),
        ("timeout: 5 s", "timeout: 5 s, code: [../shared]", "E1113"),
        ("timeout: 5 s", "timeout: 5 s, code: [/opt/shared]", "E1113"),
        ("subject.py:answer", "../subject.py:answer", "E1113"),
        (FROZEN, FROZEN + "    prompt: {file: ../prompt.txt}\n", "E1113"),
        ('python: "subject.py:answer"', "command: [./run], directory: ../tool", "E1113"),
    ],
)
def test_a_path_that_leaves_the_folder_is_refused_where_it_is_written(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    (found,) = told(tmp_path, old, new)
    assert found.startswith(expected)
    assert ".." in found or "/data/cases" in found or "/opt/shared" in found


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("key: case\n      order", "file: rows/../cases\n      key: case\n      order"),
        ("timeout: 5 s", "timeout: 5 s, code: [lib/../shared, ..tools]"),
        ('python: "subject.py:answer"', "command: [../run], directory: empty"),
        ('python: "subject.py:answer"', "command: [./run], files: [/usr/share/dict]"),
    ],
)
def test_other_paths_are_not(tmp_path: Path, old: str, new: str) -> None:
    assert told(tmp_path, old, new) == []


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("key: case\n      order", "file: link/cases\n      key: case\n      order", "E1005"),
        ("timeout: 5 s", "timeout: 5 s, code: [link]", "E1113"),
        ("subject.py:answer", "link/subject.py:answer", "E1113"),
    ],
)
def test_a_path_that_leaves_by_a_link_is_refused_once_the_link_is_there(
    tmp_path: Path, old: str, new: str, expected: str
) -> None:
    folder = tmp_path / "specs"
    folder.mkdir()
    assert told(folder, old, new) == []
    (folder / "link").symlink_to(tmp_path)
    (found,) = told(folder, old, new)
    assert found.startswith(expected)


def test_a_link_that_stays_inside_and_a_folder_reached_by_one_are_no_way_out(tmp_path: Path) -> None:
    folder = tmp_path / "specs"
    (folder / "lib").mkdir(parents=True)
    (folder / "link").symlink_to("lib")
    assert told(folder, "timeout: 5 s", "timeout: 5 s, code: [link]") == []
    (tmp_path / "way").symlink_to(folder)
    assert told(tmp_path / "way", "timeout: 5 s", "timeout: 5 s, code: [lib]") == []


def test_a_function_that_its_file_lacks_is_told_with_the_nearest(tmp_path: Path) -> None:
    (found,) = told(tmp_path, subject="def anwser(case):\n    def answer():\n        pass\n")
    assert found == "E0339 `subject.py:answer` cannot be the subject: subject.py has no function `answer`"
    (found,) = told(tmp_path, subject="def answer(:\n")
    assert found.startswith("E0339 `subject.py:answer` cannot be the subject: subject.py is no Python: invalid syntax")


@pytest.mark.parametrize(
    "subject",
    [
        "def answer(case): return {}",
        "async def answer(case): return {}",
        "if True:\n    answer = print",
        "from lib import other as answer",
        "from lib import *",
        "from lib import  *",
        "from lib import \\\n*\n",
        "vars()['answer'] = print",
        "from sys import modules\nmodules[__name__].answer = print",
        "[answer := print for _ in [1]]",
        "def __getattr__(name): return print",
        "globals()['answer'] = print",
        "def make():\n    global answer\n    answer = print\nmake()",
        "raise SystemExit\nanswer = '\\d'",
    ],
)
def test_a_name_that_the_file_may_give_is_not_doubted_and_nothing_is_run(
    tmp_path: Path, subject: str, capfd: pytest.CaptureFixture[str]
) -> None:
    assert told(tmp_path, subject=subject) == []
    assert capfd.readouterr() == ("", "")


def test_a_file_that_is_not_there_yet_or_is_no_plain_file_is_left_to_the_seal(tmp_path: Path) -> None:
    assert told(tmp_path) == []
    os.mkfifo(tmp_path / "subject.py")
    assert told(tmp_path) == []
