"""What git knows about files, asked in a way that a hostile repository cannot abuse, or use to deceive.

Only plumbing commands run, with hooks, monitors, replaced objects, grafts, fetching and the user's configuration
switched off. Whether a file is committed is decided by hashing its bytes against the tree of HEAD: the index can be
told to look away from edits (`assume-unchanged`). Outside a repository, or without git, there is no `Repository`.
"""

from __future__ import annotations

import hashlib
import os
import subprocess
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from types import MappingProxyType

from protoc_runtime.record import record

_SECONDS = 60
_SAFE = (
    "core.fsmonitor=false",
    "core.hooksPath=/dev/null",
    "core.commitGraph=false",
    "core.pager=cat",
    "protocol.allow=never",
    "safe.directory=*",
)
_ENVIRONMENT = {
    "GIT_CONFIG_NOSYSTEM": "1",
    "GIT_CONFIG_GLOBAL": "/dev/null",
    "GIT_ATTR_NOSYSTEM": "1",
    "GIT_NO_REPLACE_OBJECTS": "1",
    "GIT_LITERAL_PATHSPECS": "1",
    "GIT_GRAFT_FILE": "/dev/null",
    "GIT_ALLOW_PROTOCOL": "none",
    "GIT_NO_LAZY_FETCH": "1",
    "GIT_OPTIONAL_LOCKS": "0",
    "GIT_TERMINAL_PROMPT": "0",
    "GIT_PAGER": "cat",
    "LC_ALL": "C",
}


@record
class Repository:
    """A git working tree. `algorithm` is that of its object ids: sha1 or sha256."""

    root: Path
    algorithm: str

    def head(self) -> str | None:
        """The commit of HEAD; None before the first commit."""
        return self.commit("HEAD")

    def commit(self, revision: str) -> str | None:
        """The commit that a revision names, or None."""
        found = _git(self.root, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
        return found.decode().strip() if found else None

    def committed(self, path: str | os.PathLike[str], commit: str = "HEAD") -> bool:
        """Whether a file's bytes are those that the commit holds under its path."""
        return self.unclean([path], commit) == ()

    def unclean(self, paths: Iterable[str | os.PathLike[str]], commit: str = "HEAD") -> tuple[str, ...]:
        """Those of the files whose bytes are not in the commit: edited, untracked, missing, outside the repository."""
        named = {str(path): self._inside(Path(path)) for path in paths}
        entries = self._entries(commit, [name for name in named.values() if name is not None])
        return tuple(path for path, name in named.items() if not _same(entries.get(name or ""), self._blob(Path(path))))

    def content(self, path: str | os.PathLike[str], commit: str) -> bytes | None:
        """The bytes of a file in a commit, or None where the commit does not have it."""
        name = self._inside(Path(path))
        entry = self._entries(commit, [name]).get(name) if name is not None else None
        return _git(self.root, "cat-file", "blob", entry[1]) if entry else None

    def commit_time(self, commit: str) -> str | None:
        """The committer's time in UTC (ISO, whole seconds), as the commit states it; None for an unknown commit."""
        found = self.commit(commit)
        text = _git(self.root, "cat-file", "commit", found) if found else None
        for line in (text or b"").split(b"\n\n", 1)[0].splitlines():
            if line.startswith(b"committer "):
                seconds = int(line.rsplit(b" ", 2)[1])
                return datetime.fromtimestamp(seconds, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        return None

    def last_changed(self, paths: Iterable[str | os.PathLike[str]]) -> str | None:
        """The newest commit, HEAD or an ancestor, that changed one of the files; None if none did."""
        names = [name for name in (self._inside(Path(path)) for path in paths) if name is not None]
        head = self.head()
        if not names or head is None:
            return None
        found = _git(self.root, "rev-list", "--max-count=1", "--topo-order", head, "--", *names)
        return (found or b"").decode().strip() or None

    def is_ancestor(self, earlier: str, later: str) -> bool | None:
        """Whether `earlier` is `later` or one of its ancestors; None if one is unknown here (a shallow clone)."""
        first, second = self.commit(earlier), self.commit(later)
        if first is None or second is None:
            return None
        done = _run(self.root, "merge-base", "--is-ancestor", "--end-of-options", first, second)
        return None if done is None or done.returncode > 1 else done.returncode == 0

    def introduced(self, path: str | os.PathLike[str], line: bytes) -> str | None:
        """The oldest commit, reachable from HEAD, in which a file has this line; None if none has it."""
        name = self._inside(Path(path))
        head = self.head()
        if name is None or head is None:
            return None
        listed = _git(self.root, "rev-list", "--topo-order", "--reverse", "--full-history", head, "--", name)
        for commit in (listed or b"").decode().split():
            if line in (self.content(path, commit) or b"").splitlines():
                return commit
        return None

    def versions(self, path: str | os.PathLike[str]) -> tuple[tuple[str, bytes], ...]:
        """Every different content that a file has had in the history of HEAD, each with a commit; newest first."""
        name, head = self._inside(Path(path)), self.head()
        if name is None or head is None or "\n" in name:
            return ()
        listed = _git(self.root, "rev-list", "--topo-order", "--full-history", head, "--", name) or b""
        asked = b"".join(commit + b":" + os.fsencode(name) + b"\n" for commit in listed.split())
        told = (
            _git(self.root, "cat-file", "--batch-check=%(objectname) %(objecttype)", given=asked) or b""
        ).splitlines()
        blobs: dict[bytes, str] = {}
        for commit, line in zip(listed.split(), told, strict=False):
            if line.endswith(b" blob"):
                blobs.setdefault(line.split()[0], commit.decode())
        return tuple((commit, content) for commit, content in zip(blobs.values(), self._contents(blobs), strict=True))

    def _contents(self, blobs: Iterable[bytes]) -> Iterator[bytes]:
        """The bytes of these objects."""
        asked = b"".join(blob + b"\n" for blob in blobs)
        told = _git(self.root, "cat-file", "--batch", given=asked) or b""
        while told:
            head, told = told.split(b"\n", 1)
            size = int(head.split()[2])
            yield told[:size]
            told = told[size + 1 :]

    def _inside(self, path: Path) -> str | None:
        """The path within the repository, with `/`; links in its folders are followed, the file itself is not."""
        path = Path(os.path.abspath(path))
        try:
            return (path.parent.resolve() / path.name).relative_to(self.root).as_posix()
        except ValueError:
            return None

    def _entries(self, commit: str, names: list[str]) -> dict[str, tuple[bool, str]]:
        """Of the names that the commit has: whether it is a link, and its object id."""
        found = self.commit(commit)
        if not names or found is None:
            return {}
        entries = {}
        for start in range(0, len(names), 500):
            listed = _git(self.root, "ls-tree", "-z", "--full-tree", found, "--", *names[start : start + 500])
            for entry in (listed or b"").split(b"\0")[:-1]:
                about, name = entry.split(b"\t", 1)
                mode, kind, digest = about.split()
                if kind == b"blob":
                    entries[os.fsdecode(name)] = (mode == b"120000", digest.decode())
        return entries

    def _blob(self, path: Path) -> tuple[bool, str] | None:
        """Whether the path is a link, and the object id of its content; None where there is no file."""
        made = hashlib.new(self.algorithm, usedforsecurity=False)
        try:
            if path.is_symlink():
                target = os.fsencode(os.readlink(path))
                made.update(b"blob %d\0" % len(target) + target)
                return True, made.hexdigest()
            with open(path, "rb", buffering=0) as file:
                made.update(b"blob %d\0" % os.fstat(file.fileno()).st_size)
                while block := file.read(1 << 20):
                    made.update(block)
        except OSError:
            return None
        return False, made.hexdigest()


def find_repository(path: str | os.PathLike[str]) -> Repository | None:
    """The repository in whose working tree a file or folder lies, or None (also if git is not installed)."""
    folder = Path(path).resolve()
    while not folder.is_dir():
        folder = folder.parent
    found = _git(folder, "rev-parse", "--show-object-format", "--show-toplevel")
    if not found:
        return None
    algorithm, root = found.rstrip(b"\n").split(b"\n", 1)
    return Repository(Path(os.fsdecode(root)).resolve(), algorithm.decode())


def _same(entry: tuple[bool, str] | None, present: tuple[bool, str] | None) -> bool:
    return entry is not None and entry == present


def safe_command(*arguments: str) -> list[str]:
    """A git command that runs nothing which a repository brings; it needs `safe_environment`."""
    return ["git", "--no-pager", *(part for setting in _SAFE for part in ("-c", setting)), *arguments]


def safe_environment() -> dict[str, str]:
    """The environment of such a command."""
    return {name: value for name, value in os.environ.items() if not name.startswith("GIT_")} | _ENVIRONMENT


def git_output(
    folder: Path, *arguments: str, environment: Mapping[str, str] = MappingProxyType({}), given: bytes = b""
) -> bytes | None:
    """The output of a git command with more of an environment, and `given` as its input; None if it failed."""
    done = _run(folder, *arguments, environment=environment, given=given)
    return done.stdout if done is not None and done.returncode == 0 else None


def _git(folder: Path, *arguments: str, given: bytes = b"") -> bytes | None:
    return git_output(folder, *arguments, given=given)


def _run(
    folder: Path, *arguments: str, environment: Mapping[str, str] = MappingProxyType({}), given: bytes = b""
) -> subprocess.CompletedProcess[bytes] | None:
    try:
        return subprocess.run(  # noqa: S603 - fixed command; arguments are digests, literal paths, guarded revisions
            safe_command(*arguments),
            cwd=folder,
            env=safe_environment() | dict(environment),
            input=given,
            capture_output=True,
            timeout=_SECONDS,
            check=False,
        )
    except (OSError, ValueError, subprocess.TimeoutExpired):
        return None
