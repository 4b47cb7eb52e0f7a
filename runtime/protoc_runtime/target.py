"""The target of a run: the pinned commit of a git repository in a detached worktree of the run's own.

What happens to it is in the ledger (`target_reading` before anything of the repository is read, `target_opened`,
`target_closed`), and the record that blockers read is made from these events alone. The worktree lies beside the run's
folder and is removed when the run ends, however it ends; what a killed run left behind is looked at when it is resumed.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

from protoc_runtime.catalogue import target as kinds
from protoc_runtime.chain import Line
from protoc_runtime.clearing import remove
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.git import git_output
from protoc_runtime.git_objects import Entry, ObjectFault, Objects
from protoc_runtime.ledger import Ledger
from protoc_runtime.path_sets import matching, set_digest
from protoc_runtime.procedure import Target
from protoc_runtime.record import record
from protoc_runtime.worktree import SHOWN, LaidOut, differences, lay_out

READING, OPENED, CLOSED = "target_reading", "target_opened", "target_closed"
WORKTREE = ".worktree"
LONGEST_HEAD = 4096


@record
class Source:
    """A repository on this machine: where its worktrees are registered, and the hash of its object ids."""

    place: str
    folder: Path
    common: Path
    algorithm: str


def find_source(target: Target, folder: Path, environment: Mapping[str, str]) -> Source:
    """The repository of a target; `folder` is that of the spec. Raises `Refused` (E1701)."""
    variable = target.repository_env
    given = environment.get(variable, "").strip() if variable else target.repository
    place = variable or given
    if not given:
        raise _no_repository(place, f"the environment has no {variable}")
    if "://" in given or (":" in given and not (folder / given).exists()):
        raise _no_repository(place, "it is an address, and nothing is fetched")
    path = folder / given
    if not path.is_dir():
        raise _no_repository(place, "there is no such folder")
    ceiling = {"GIT_CEILING_DIRECTORIES": str(path.resolve().parent)}
    found = git_output(path, "rev-parse", "--show-object-format", "--git-common-dir", environment=ceiling)
    if not found:
        raise _no_repository(place, "it is no git repository, or git is not installed")
    algorithm, common = found.rstrip(b"\n").split(b"\n", 1)
    return Source(place, path.resolve(), (path / os.fsdecode(common)).resolve(), algorithm.decode())


class Checkout:
    """The worktree of a run while it is there; `warnings` tell what of the commit it does not have."""

    def __init__(self, source: Source, target: Target, folder: Path, ledger: Ledger) -> None:
        self.folder, self.warnings = folder, list[Diagnostic]()
        self._source, self._target, self._ledger = source, target, ledger
        self._entries: list[Entry] = []
        self._open = False

    @classmethod
    def open(
        cls, target: Target, folder: Path, environment: Mapping[str, str], *, place: Path, ledger: Ledger
    ) -> Checkout:
        """Lay the commit out at `place`, which must be free but for what a killed run left there.

        `folder` is the spec's. Raises `Refused` (E1701 to E1704); then nothing is left at `place`.
        """
        source = find_source(target, folder, environment)
        made = cls(source, target, Path(os.path.abspath(place)), ledger)
        ledger.append(READING, {"repository": source.place, "commit": target.commit})
        made._list()
        made._close_left()
        try:
            made._fill()
        except BaseException:
            made._remove()
            raise
        return made

    def close(self) -> None:
        """Record how the worktree is now, and remove it. A second call does nothing."""
        if self._open:
            self._open = False
            try:
                self._record_end()
            finally:
                self._remove()

    def _list(self) -> None:
        """The files of the commit. Raises `Refused` (E1702, E1703)."""
        try:
            with Objects(self._source.folder, self._source.algorithm) as objects:
                self._entries = objects.files(self._target.commit)
        except ObjectFault as fault:
            raise self._fault(fault) from None

    def _fill(self) -> None:
        command = ("worktree", "add", "--quiet", "--detach", "--no-checkout", "--end-of-options")
        folder, commit = self.folder, self._target.commit
        if git_output(self._source.folder, *command, str(folder), commit) is None or not folder.is_dir():
            raise self._refused(f"git makes no worktree of {self._source.place} at {folder}")
        try:
            with Objects(self._source.folder, self._source.algorithm) as objects:
                laid = lay_out(folder, self._entries, objects)
        except ObjectFault as fault:
            raise self._fault(fault) from None
        except OSError as error:
            raise self._refused(f"{error.filename or folder}: {error.strerror or error}") from None
        git_output(folder, "read-tree", commit)  # an index, for programs that ask git about the worktree
        self._record_start(laid, self._digests(laid))

    def _digests(self, laid: LaidOut) -> dict[str, str]:
        """The digests of the declared sets of paths. Raises `Refused` (E1704)."""
        findings, made, pinned = Findings(), dict[str, str](), dict(self._target.pinned)
        for name, globs in self._target.digests:
            paths = matching(globs, laid.sha256)
            made[name] = set_digest(paths, laid.sha256)
            reason = ""
            if not paths:
                reason = "no file of the commit has such a path"
            elif pinned.get(name, made[name]) != made[name]:
                reason = f"it is {made[name]}, and {pinned[name]} is stated"
            if reason:
                findings.add(kinds.OTHER_FILES, None, name=name, globs=", ".join(globs), reason=reason)
        if findings:
            raise Refused(findings.sorted())
        return made

    def _record_start(self, laid: LaidOut, digests: dict[str, str]) -> None:
        lacking = ((laid.submodules, "submodule"), (laid.large, "large file"))
        what = [f"{count} {word}{'s' if count > 1 else ''}" for count, word in lacking if count]
        if what:
            self.warnings = [Findings().add(kinds.LEFT_OUT, None, what=" and ".join(what))]
        counts = {"files": len(laid.sha256), "bytes": laid.bytes, "left_out": laid.submodules + laid.large}
        self._ledger.append(OPENED, {**self._state(), **counts, "digests": digests})
        self._open = True

    def _record_end(self) -> None:
        self._ledger.append(CLOSED, self._state())

    def _state(self) -> dict[str, Any]:
        """What the worktree is now: commit of HEAD, whether detached, and what differs from the pinned commit."""
        commit, detached = self._head()
        try:
            found = differences(self.folder, self._entries, self._source.algorithm)
        except OSError:
            found = ["."]
        shown = [path.encode("utf-8", "replace").decode() for path in found[:SHOWN]]
        clean = not found and commit == self._target.commit
        return {"commit": commit, "detached": detached, "clean": clean, "different": len(found), "paths": shown}

    def _head(self) -> tuple[str | None, bool]:
        """The commit of the worktree's HEAD, and whether it names no branch; read where git keeps it."""
        place = self._registered()
        try:
            with open(self.folder / ".git", "rb") as file:
                linked = file.read(LONGEST_HEAD).decode().strip().removeprefix("gitdir: ")
            assert place is not None
            with open(place / "HEAD", "rb") as file:
                text = file.read(LONGEST_HEAD).decode().strip()
        except (OSError, UnicodeDecodeError, AssertionError):
            return None, False
        if Path(linked).resolve() != place.resolve():
            return None, False
        if text.startswith("ref: "):
            found = git_output(self._source.folder, "rev-parse", "--verify", "--quiet", "--end-of-options", text[5:])
            return (found.decode().strip() if found else None), False
        return text, True

    def _registered(self) -> Path | None:
        """The folder of the repository that git keeps for this worktree."""
        own = str(self.folder / ".git")
        for place in sorted((self._source.common / "worktrees").glob("*/gitdir")):
            try:
                if place.read_text(encoding="utf-8", errors="replace").strip() == own:
                    return place.parent
            except OSError:
                continue
        return None

    def _close_left(self) -> None:
        """What a killed run has left: how it was, in the ledger, and then nothing of it."""
        events = [event.kind for event in self._ledger.events() if event.kind in (OPENED, CLOSED)]
        if events and events[-1] == OPENED:
            self._record_end()
        self._remove()

    def _remove(self) -> None:
        place = self._registered()
        if place is not None:
            remove(place)
        remove(self.folder)

    def _fault(self, fault: ObjectFault) -> Refused:
        if not fault.missing:
            return self._refused(str(fault))
        shallow = (self._source.common / "shallow").exists()
        hint = "fetch it: `git fetch --unshallow`, or `git fetch ORIGIN COMMIT`" if shallow else (
            "fetch it; if the history was rewritten, it may be gone: a protocol of another commit is another version"
        )  # fmt: skip
        reason = f"{fault}{', and the clone is shallow' if shallow else ''}"
        place, commit = self._source.place, self._target.commit
        return Refused([Findings().add(kinds.NO_COMMIT, None, place=place, commit=commit, reason=reason, hint=hint)])

    def _refused(self, reason: str) -> Refused:
        return Refused([Findings().add(kinds.NOT_LAID_OUT, None, commit=self._target.commit, reason=reason)])


def target_facts(events: Iterable[Line], pinned: str) -> dict[str, Any]:
    """The record `from: target`, from the events of a ledger; the commit is another one as soon as it once was.

    A worktree whose end is not recorded was not clean at the finish, as far as anybody knows.
    """
    first, opened, closed = "", list[Mapping[str, Any]](), list[Mapping[str, Any]]()
    for event in events:
        if event.kind == READING:
            first = first or str(event.body["at"])
        elif event.kind in (OPENED, CLOSED):
            (opened if event.kind == OPENED else closed).append(event.body)
    states = [*opened, *closed]
    commits = [state["commit"] for state in states if state["commit"] != pinned]
    digests = opened[-1]["digests"] if opened else {}
    return {
        **digests,
        "commit": (commits[0] or "0" * len(pinned)) if commits else pinned,
        "detached": all(state["detached"] for state in states),
        "clean_at_start": all(state["clean"] for state in opened),
        "clean_at_finish": len(closed) == len(opened) and all(state["clean"] for state in closed),
        "first_read": first,
    }


def _no_repository(place: str, reason: str) -> Refused:
    return Refused([Findings().add(kinds.NO_REPOSITORY, None, place=place, reason=reason)])
