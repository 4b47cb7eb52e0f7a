"""Words that are read without argparse mean what argparse makes of them, and what it refuses is left to it."""

from __future__ import annotations

import io
import random
from importlib import import_module

import pytest

from protoc_compiler.cli.arguments import Arguments
from protoc_compiler.cli.commands import COMMANDS
from protoc_compiler.cli.parser import Parser
from protoc_compiler.cli.usage import Done, Usage

ODD = ("", "-", "--", "-h", "--help", "-1", "-1.5", "--x", "--form", "--format=json", "--no-proof=1", "a b", "-a b")
USUAL = ("a", "b", "specs/c", ".", "text", "json", "svg", "any", "looser", "new", "check", "quick", "python")


def declared(command: str, into: Arguments | Parser) -> None:
    import_module(COMMANDS[command][0]).add_arguments(into)


def plainly(command: str, argv: list[str]) -> dict[str, object] | None:
    arguments = Arguments()
    declared(command, arguments)
    found = arguments.read(argv)
    return None if found is None else vars(found)


def by_argparse(command: str, argv: list[str]) -> dict[str, object] | None:
    parser = Parser(io.StringIO(), prog=command)
    declared(command, parser)
    try:
        return vars(parser.parse(argv))
    except (Usage, Done):
        return None


def words(command: str, chance: random.Random) -> list[str]:
    """What somebody may type: options of the command with and without values, other words, now and then an odd one."""
    parser = Parser(io.StringIO(), prog=command)
    declared(command, parser)
    options = [name for name in parser._option_string_actions if name.startswith("--") and name != "--help"] or ["--x"]
    kinds = chance.choices((options, USUAL, ODD), weights=(4, 5, 1), k=chance.randint(0, 6))
    return [chance.choice(kind) for kind in kinds]


@pytest.mark.parametrize("command", COMMANDS)
def test_what_is_read_plainly_is_what_argparse_reads(command: str) -> None:
    chance = random.Random(command)
    for _ in range(1_500):
        argv = words(command, chance)
        found = plainly(command, argv)
        if found is not None:
            assert found == by_argparse(command, argv), argv


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("check", ["a"]),
        ("check", ["a", "b", "--strict", "--format", "json"]),
        ("diff", []),
        ("diff", ["a"]),
        ("diff", ["--no-proof", "--format", "json", "a", "b", "--fail-on", "any"]),
        ("compile", ["--check", "a"]),
        ("explain", ["a", "--work", "long"]),
        ("seal", ["a", "--reason", "b"]),
    ],
)
def test_usual_words_need_no_argparse(command: str, argv: list[str]) -> None:
    found = plainly(command, argv)
    assert found is not None
    assert found == by_argparse(command, argv)


@pytest.mark.parametrize(
    ("command", "argv"),
    [
        ("check", []),
        ("check", ["--help"]),
        ("check", ["a", "--strict", "--strict"]),
        ("check", ["a", "--format", "xml"]),
        ("check", ["a", "--format"]),
        ("check", ["a", ""]),
        ("diff", ["a", "b", "c"]),
        ("diff", ["a", "--no-proof", "b"]),
        ("diff", ["a", "b", "--replay", "c", "d"]),
        ("diff", ["a", "--workspace", "nowhere"]),
        ("diff", ["--", "a"]),
        ("diff", ["a", "--no-proof=1"]),
        ("freeze", ["old", "a"]),
        ("fmt", ["a"]),
        ("score", ["a"]),
    ],
)
def test_the_others_are_left_to_argparse(command: str, argv: list[str]) -> None:
    assert plainly(command, argv) is None
