"""Wrong usage of the command line, told in one way by every command."""

from __future__ import annotations


class Usage(Exception):
    """The command was called wrongly, or something outside a spec keeps it from working: exit status 2."""

    def __init__(self, message: str, advice: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.advice = advice


def require_text(path: str, what: str) -> None:
    """Raise Usage for a path that is not UTF-8, which `what` could not name."""
    if any("\udc80" <= character <= "\udcff" for character in path):
        raise Usage(f"the path `{path}` is not UTF-8, so no {what} can name it", "rename the file, or its folder")


class Done(Exception):
    """Help has been printed; nothing is left to do."""
