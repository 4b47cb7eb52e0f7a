"""The tutorial, typed as it stands.

In `docs/tutorial.md`, blocks marked `console` hold commands after `$`, and below each what it prints (`...` for what is
left out: whole lines where it stands alone, else a part of its line). `status=1` stands in the block's first line where
its last command is not expected to succeed. A `diff` block is an edit by hand.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from e2e.workspaces import IDENTITY, ROOT, environment

TUTORIAL = ROOT / "docs" / "tutorial.md"
BLOCK = re.compile(r"^```(console|diff)(?: status=(\d+))?\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def test_the_tutorial_can_be_typed(tmp_path: Path) -> None:
    session = Session(tmp_path)
    blocks = BLOCK.findall(TUTORIAL.read_text(encoding="utf-8"))
    assert len(blocks) > 12
    for kind, status, body in blocks:
        if kind == "diff":
            session.edit(body)
        else:
            session.expect_typed(body, status or "0")


class Session:
    """A person at a terminal: a current folder, and a `protoc` on the path."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        tools = folder / ".tools"
        tools.mkdir()
        command = tools / "protoc"
        command.write_text(f'#!/bin/sh\nexec {sys.executable} -m protoc_compiler "$@"\n', encoding="utf-8")
        command.chmod(0o755)
        (tools / "python3").symlink_to(sys.executable)
        self.environment = environment()
        self.environment["PATH"] = f"{tools}:{self.environment['PATH']}"
        for number, setting in enumerate(IDENTITY[1::2]):
            name, value = setting.split("=")
            self.environment |= {f"GIT_CONFIG_KEY_{number}": name, f"GIT_CONFIG_VALUE_{number}": value}
        self.environment["GIT_CONFIG_COUNT"] = str(len(IDENTITY) // 2)

    def expect_typed(self, body: str, status: str) -> None:
        """Type the commands of a block; all but the last succeed, the last ends with `status`."""
        commands: list[tuple[str, list[str]]] = []
        for line in body.splitlines():
            if line.startswith("$ "):
                commands.append((line[2:], []))
            else:
                commands[-1][1].append(line)
        for number, (command, shown) in enumerate(commands, 1):
            if command.startswith("cd "):
                self.folder = self.folder / command[3:]
                continue
            done = subprocess.run(
                command, shell=True, cwd=self.folder, env=self.environment, text=True, capture_output=True
            )
            printed = done.stdout + done.stderr
            expected = status if number == len(commands) else "0"
            assert done.returncode == int(expected), f"$ {command}\n{printed}\nended with {done.returncode}"
            assert matches(shown, printed.splitlines()), f"$ {command}\n{printed}"

    def edit(self, body: str) -> None:
        """Make the edit of a diff block: the lines with `-` become those with `+`, at the one place where they are."""
        header, *lines = body.splitlines()
        path = self.folder / header.removeprefix("--- ")
        old = "".join(line[1:] + "\n" for line in lines if line.startswith("-"))
        new = "".join(line[1:] + "\n" for line in lines if line.startswith("+"))
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), encoding="utf-8")


def matches(shown: list[str], printed: list[str]) -> bool:
    """Whether what the page shows is what was printed."""
    parts = [re.escape(line).replace(r"\.\.\.", ".*") + "\n" if line != "..." else r"(?:.*\n)*?" for line in shown]
    return re.fullmatch("".join(parts), "".join(line + "\n" for line in printed)) is not None


def test_shown_lines_are_compared() -> None:
    assert matches(["a", "...", "c"], ["a", "b", "b", "c"])
    assert matches(["..."], [])
    assert matches(["a ... z"], ["a b c z"])
    assert not matches(["a"], ["a", "b"])
    assert not matches(["a", "c"], ["a", "b", "c"])
