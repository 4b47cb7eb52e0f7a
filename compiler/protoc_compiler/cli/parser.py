"""argparse in the terms of this command line: its help, and every fault of the arguments."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from protoc_compiler.cli.usage import Done, Usage
from protoc_compiler.suggest import hint

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import IO, Any, NoReturn

_WIDTH, _LEAST = 78, 40
# argparse would look for translations, of which there are none, and load the table of all languages for that.
vars(argparse)["_"] = str


class Help(argparse.HelpFormatter):
    """argparse makes a formatter for every argument, and each would ask for the width of the terminal."""

    def __init__(self, prog: str) -> None:
        super().__init__(prog, width=_WIDTH)

    def format_help(self) -> str:
        """The whole text, as wide as the terminal."""
        import shutil

        self._width = max(shutil.get_terminal_size().columns - 2, _LEAST)
        self._max_help_position = min(self._max_help_position, max(self._width - 20, self._indent_increment * 2))
        return super().format_help()


class Parser(argparse.ArgumentParser):
    """argparse, which never ends the process and writes to the streams that `main` was given."""

    def __init__(self, stdout: IO[str] | None = None, **options: Any) -> None:
        options.setdefault("allow_abbrev", False)
        options.setdefault("formatter_class", Help)
        super().__init__(**options)
        self._stdout = stdout

    def error(self, message: str) -> NoReturn:
        """Every fault of the arguments."""
        raise Usage(message)

    def exit(self, status: int = 0, message: str | None = None) -> NoReturn:
        """Called behind `--help`."""
        raise Done

    def _print_message(self, message: str, file: Any = None) -> None:
        if message:
            (self._stdout or file).write(message)

    def parse(self, argv: Sequence[str]) -> argparse.Namespace:
        """The arguments; unknown options get a suggestion, an option that is given twice is refused."""
        keyed = any(action.dest == "case" for action in self._actions)  # a case may have an empty key
        if "" in (argv[:-1] if keyed else argv):
            raise Usage("an argument is empty", "if it stands for a variable of the shell, that may have no value")
        known, unknown = self.parse_known_args(list(argv))
        for word in unknown:
            if word.startswith("-") and word != "-":
                near = hint(word.partition("=")[0], self._option_string_actions, "see --help for its options")
                raise Usage(f"unknown option `{word}`", near)
            raise Usage(f"unexpected argument `{word}`")
        self._refuse_repeated(argv)
        return known

    def _refuse_repeated(self, argv: Sequence[str]) -> None:
        seen: set[str] = set()
        for word in argv:
            if word == "--":
                return
            action = self._option_string_actions.get(word.partition("=")[0])
            if action is None or isinstance(action, argparse._AppendAction):
                continue
            if action.dest in seen:
                raise Usage(f"`{word.partition('=')[0]}` is given twice, and one of them would have no effect")
            seen.add(action.dest)
