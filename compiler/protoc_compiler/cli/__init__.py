"""The command line. `main` is a plain function: arguments and streams in, exit status out.

0: done, nothing to report. 1: findings. 2: wrong usage, or the tool could not do its work. 130: interrupted.
Modules of commands are loaded when they are called; `--version` and `--help` load none.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from importlib import import_module

from protoc_compiler.cli.commands import COMMANDS
from protoc_runtime.version import __version__

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any

_ABOUT = "protoc compiles preregistered evaluation protocols: one YAML file becomes a checked, sealed, runnable study."


def main(argv: Sequence[str], stdin: IO[str], stdout: IO[str], stderr: IO[str]) -> int:
    """Run one command and return its exit status; never raises, never ends the process."""
    try:
        status = _dispatch(list(argv), stdin, stdout, stderr)
        stdout.flush()
        return status
    except BrokenPipeError:
        _silence(stdout)
        return 2
    except KeyboardInterrupt:
        _tell(stderr, "interrupted")
        return 130
    except Exception as failure:  # the last resort: one line instead of a traceback
        if isinstance(failure.__cause__, KeyboardInterrupt):  # Python 3.11 wraps what comes while a class is made
            _tell(stderr, "interrupted")
            return 130
        return _failed(failure, stderr)


def _dispatch(argv: list[str], stdin: IO[str], stdout: IO[str], stderr: IO[str]) -> int:
    first = argv[0] if argv else ""
    if first in ("--version", "-V"):
        stdout.write(f"protoc {__version__}\n")
        return 0
    if first in ("--help", "-h", "help"):
        return _help(argv[1:], stdin, stdout, stderr)
    if not first:
        stderr.write(_overview())
        return 2
    if first not in COMMANDS:
        return _unknown(first, stderr)
    return _run(first, argv[1:], stdin, stdout, stderr)


def _run(command: str, argv: list[str], stdin: IO[str], stdout: IO[str], stderr: IO[str]) -> int:
    from protoc_compiler.cli.arguments import Arguments
    from protoc_compiler.cli.io import PROGRAMS, Io
    from protoc_compiler.cli.usage import Done, Usage
    from protoc_runtime.diagnostics import Refused

    io, form = Io(stdin, stdout, stderr), "text"
    try:
        module = import_module(COMMANDS[command][0])
        plain = Arguments()
        module.add_arguments(plain)
        args: Any = plain.read(argv)
        if args is None:
            from protoc_compiler.cli.parser import Parser

            parser = Parser(stdout, prog=f"protoc {command}", description=module.__doc__)
            module.add_arguments(parser)
            args = parser.parse(argv)
        form = getattr(args, "format", None) or "text"
        io.about(SPEC=getattr(args, "spec", None), RUN=getattr(args, "run", None))
        return int(module.run(args, io))
    except Done:
        return 0
    except Usage as usage:
        _tell(stderr, usage.message, command, usage.advice or f"see `protoc {command} --help`")
        return 2
    except Refused as refused:
        io.diagnose(refused.diagnostics, form if form in PROGRAMS else "text")
        return refused.status


def _help(argv: list[str], stdin: IO[str], stdout: IO[str], stderr: IO[str]) -> int:
    if not argv:
        stdout.write(_overview())
        return 0
    if argv[0] not in COMMANDS:
        return _unknown(argv[0], stderr)
    return _run(argv[0], ["--help"], stdin, stdout, stderr)


def _overview() -> str:
    width = max(map(len, COMMANDS)) + 2
    lines = [f"  {name:<{width}}{about}" for name, (_, about) in COMMANDS.items()]
    return "\n".join(
        [
            "usage: protoc COMMAND [ARGUMENT...]",
            "",
            _ABOUT,
            "",
            "commands:",
            *lines,
            "",
            "`protoc COMMAND --help` tells more; `protoc --version` prints the version.",
            "Exit status: 0 done, 1 findings, or a verdict that is not released, 2 wrong usage or failure.",
            "",
        ]
    )


def _unknown(word: str, stderr: IO[str]) -> int:
    from protoc_compiler.suggest import hint

    what = "option" if word.startswith("-") else "command"
    _tell(stderr, f"unknown {what} `{word}`", advice=hint(word, COMMANDS, "see `protoc --help`"))
    return 2


def _failed(failure: Exception, stderr: IO[str]) -> int:
    if os.environ.get("PROTOC_DEBUG") == "1":
        import traceback

        stderr.write("".join(traceback.format_exception(failure)))
        return 2
    if isinstance(failure, FileNotFoundError) and not failure.filename and not _has_folder():
        _tell(stderr, "the current folder is not there any more", advice="go to a folder that is")
        return 2
    if isinstance(failure, OSError) and failure.strerror:
        where = f"{failure.filename}: " if failure.filename else ""
        _tell(stderr, f"{where}{failure.strerror}")
        return 2
    words = " ".join(str(failure).split())
    _tell(
        stderr,
        f"internal failure: {type(failure).__name__}: {words}",
        advice="this is a fault of protoc; please report it with the output under PROTOC_DEBUG=1",
    )
    return 2


def _has_folder() -> bool:
    try:
        os.getcwd()
    except FileNotFoundError:
        return False
    return True


def _tell(stderr: IO[str], message: str, command: str = "", advice: str = "") -> None:
    from protoc_runtime.visible import visible

    name = f"protoc {command}".rstrip()
    hint = f"  hint: {visible(advice)}\n" if advice else ""
    try:
        stderr.write(f"{visible(f'{name}: {message}')}\n{hint}")
    except OSError:  # nobody reads it, or its disk is full
        return


def _silence(stdout: IO[str]) -> None:
    """Let nothing more be written into a closed pipe when the process ends."""
    try:
        descriptor = stdout.fileno()
    except (OSError, ValueError):
        return
    nothing = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nothing, descriptor)
    os.close(nothing)
