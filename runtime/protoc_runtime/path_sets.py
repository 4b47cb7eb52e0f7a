"""Sets of paths by globs, and their digest: that of the lines `SHA-256  path`, as `sha256sum` prints them."""

from __future__ import annotations

import hashlib
import os
import re
from collections.abc import Iterable, Mapping


def matching(globs: Iterable[str], paths: Iterable[str]) -> list[str]:
    """The paths that some glob matches, sorted by their bytes. `*` and `?` stay within a name, `**` crosses folders;
    a glob that names a folder stands for everything in it."""
    patterns = [re.compile(_pattern(glob)) for glob in globs]
    return sorted((path for path in paths if any(pattern.fullmatch(path) for pattern in patterns)), key=os.fsencode)


def set_digest(paths: Iterable[str], digests: Mapping[str, str]) -> str:
    """The digest of a set of files, from the SHA-256 of each."""
    hashed = hashlib.sha256()
    for path in paths:
        hashed.update(digests[path].encode() + b"  " + os.fsencode(path) + b"\n")
    return hashed.hexdigest()


def _pattern(glob: str) -> str:
    parts = [part for part in glob.split("/") if part not in ("", ".")]
    made = ""
    for number, part in enumerate(parts):
        last = number == len(parts) - 1
        if part == "**":
            made += ".+" if last else "(?:[^/]+/)*"
        else:
            made += _part(part) + ("(?:/.+)?" if last else "/")
    return f"(?s:{made})"


def _part(part: str) -> str:
    """One name of a glob: `*`, `?` and `[...]`."""
    made, at = "", 0
    while at < len(part):
        letter, end = part[at], part.find("]", at + 2)
        at += 1
        if letter == "*":
            made += "[^/]*"
        elif letter == "?":
            made += "[^/]"
        elif letter == "[" and end > 0:
            inner = part[at:end].replace("\\", "\\\\").replace("[", "\\[")
            made += f"[^{inner[1:]}]" if inner[0] == "!" else f"[{inner}]"
            at = end + 1
        else:
            made += re.escape(letter)
    return made
