"""What OLD and NEW on the command line mean: files, folders, runs, `REF:path`, or the work tree against HEAD."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import partial

from protoc_compiler.cli.specs import NAME, spec_name
from protoc_compiler.cli.usage import Usage
from protoc_compiler.drift.pinned import SEALS
from protoc_compiler.drift.reading import Source, Unread, read
from protoc_runtime.diagnostics import Diagnostic, Findings, Refused
from protoc_runtime.record import record

_LARGEST = 1 << 20  # of a file beside the spec that is read from git
_ROWS = (".jsonl", ".csv", ".parquet")


@record
class Pair:
    """Two specs to compare. One that is only on one side is `None` on the other."""

    old: Source | None
    new: Source | None
    shown: str


def pairs(old: str | None, new: str | None) -> Iterator[Pair]:
    """The specs that are meant: two of them; a commit's against the work tree's; one against HEAD; or all in the work
    tree that differ from HEAD."""
    if old is not None and new is not None:
        yield _pair(lambda: source(old), lambda _: source(new), new)
    elif old is not None and _in_git(old):
        yield _pair(lambda: source(old), lambda before: _in_work_tree(before.shown) if before else None, old)
    elif old is not None:
        yield _pair(lambda: _at_head(old), lambda _: source(old), old)
    else:
        yield from _work_tree()


def _pair(old: Callable[[], Source | None], new: Callable[[Source | None], Source | None], shown: str) -> Pair:
    """Both versions. Raises `Unread` with the faults of each that does not resolve."""
    faults: list[Diagnostic] = []
    before = after = None
    try:
        before = old()
    except Refused as refused:
        faults += _unread("old", refused)
    try:
        after = new(before)
    except Refused as refused:
        faults += _unread("new", refused)
    if faults:
        raise Unread(faults)
    return Pair(before, after, shown)


def _unread(which: str, refused: Refused) -> list[Diagnostic]:
    """What is wrong with a version, and which it is."""
    from protoc_compiler.catalogue.drift import NOT_READ

    errors = [item for item in refused.diagnostics if item.severity == "error"]
    file = next((item.span.file for item in errors if item.span is not None), "")
    faults = ", ".join(dict.fromkeys(item.id for item in errors))
    return [*refused.diagnostics, Findings().add(NOT_READ, None, which=which, file=file, faults=faults)]


def differing(pairs: list[Pair]) -> list[Pair]:
    """Those whose protocol is another one now, without the copies that runs and packages keep; where there are none,
    those that are gone."""
    own = [pair for pair in pairs if _own(pair.shown)]
    there = [
        pair for pair in own
        if pair.new is not None and (pair.old is None or pair.old.protocol != pair.new.protocol)
    ]  # fmt: skip
    return there or [pair for pair in own if pair.new is None]


def source(given: str) -> Source:
    """Read one side."""
    reference, colon, path = given.partition(":")
    if colon and reference and not os.path.exists(given):
        return from_git(reference, path, os.curdir)
    if os.path.isfile(os.path.join(given, "receipt.json")):
        path = os.path.join(given, "spec", NAME)
        if not os.path.isfile(path):
            path = _only_spec(given)
        return read(path, path)
    if is_commit(given):
        return from_git(given, _only_protocol(given), os.curdir)
    path = spec_name(given)
    return read(path, path)


def is_commit(given: str) -> bool:
    """Whether a word is no path here, and names a commit."""
    return not os.path.exists(given) and not given.endswith((".yaml", ".yml")) and _commit(given, os.curdir)


def _commit(reference: str, folder: str) -> bool:
    if not os.path.isdir(folder) or reference.startswith("-") or "\n" in reference:
        return False
    return _git(folder, "rev-parse", "--verify", "--quiet", "--end-of-options", f"{reference}^{{commit}}") is not None


def _only_protocol(reference: str) -> str:
    """The one protocol that a commit holds below the current folder."""
    listed = _git(os.curdir, "ls-tree", "-r", "--name-only", "-z", "--end-of-options", reference) or b""
    found = [name for name in map(os.fsdecode, listed.split(b"\0")) if os.path.basename(name) == NAME and _own(name)]
    if len(found) != 1:
        several = f"`{reference}` is a commit that holds {len(found) or 'no'} protocol{'s' if len(found) != 1 else ''}"
        hint = f"name one: {', '.join(f'`{reference}:{name}`' for name in found[:3])}" if found else "name a file"
        raise Usage(several, hint)
    return found[0]


def _own(name: str) -> bool:
    """Whether it is no copy that a run or a package keeps."""
    return not {"runs", "generated"} & set(name.split("/")[:-1])


def _only_spec(folder: str) -> str:
    inside = os.path.join(folder, "spec")
    found = (
        [name for name in sorted(os.listdir(inside)) if name.endswith((".yaml", ".yml"))]
        if os.path.isdir(inside)
        else []
    )
    if len(found) != 1:
        raise Usage(f"the run `{folder}` holds no spec", "name the folder that `protoc run` printed")
    return os.path.join(inside, found[0])


def _in_git(given: str) -> bool:
    """Whether a word means a spec of a commit."""
    return is_commit(given) or (":" in given and not os.path.exists(given))


def _in_work_tree(shown: str) -> Source:
    """The spec that stands now where a commit has one; `shown` is `REF:path`."""
    path = shown.partition(":")[2]
    if not os.path.isfile(path):
        raise Usage(f"`{shown}` is not in the work tree any more", "name the new spec, too")
    return read(path, path)


def _at_head(given: str) -> Source:
    if os.path.isfile(os.path.join(given, "receipt.json")):
        raise Usage(f"the run `{given}` alone has nothing to be compared with", "name the new spec, too")
    path = spec_name(given)
    return from_git("HEAD", os.path.basename(path), os.path.dirname(path) or os.curdir)


def from_git(reference: str, path: str, folder: str) -> Source:
    """A spec as git has it; `path` is relative to `folder`. Files beside it are fetched if it needs them."""
    place = path.removeprefix("./").rstrip("/") or NAME
    data = _blob(reference, place, folder)
    if data is None and not place.endswith((".yaml", ".yml")):
        place = NAME if place == os.curdir else f"{place}/{NAME}"
        data = _blob(reference, place, folder)
    shown = f"{reference}:{os.path.normpath(os.path.join(folder, place)) if folder != os.curdir else place}"
    if data is None:
        raise Usage(f"git has no `{shown}`", _why(reference, place, folder))
    seals = _blob(reference, os.path.join(os.path.dirname(place), SEALS), folder)
    try:
        return read(shown, shown, data, seals)
    except Refused:
        import tempfile

        with tempfile.TemporaryDirectory() as beside:
            _fill(beside, reference, place, folder)
            return read(os.path.join(beside, os.path.basename(place)), shown, data, seals)


def _why(reference: str, path: str, folder: str) -> str:
    if not os.path.isdir(folder) or _git(folder, "rev-parse", "--git-dir") is None:
        return "this folder is in no git repository, or git is not installed; name the version to compare with, too"
    if _git(folder, "rev-parse", "--verify", "--quiet", "HEAD") is None:
        return "nothing is committed yet: commit the protocol, or name the version to compare with, too"
    if not _commit(reference, folder):
        return f"git knows no commit `{reference}`"
    if os.path.isfile(os.path.join(folder, path)):
        there = os.path.normpath(os.path.join(folder, path))
        when = "is not committed yet" if reference == "HEAD" else "is not in this commit"
        return f"the file {when}: commit it, or name another version to compare with: `protoc diff OTHER.yaml {there}`"
    return "the path is relative to the current folder"


def _git(folder: str, *arguments: str) -> bytes | None:
    from pathlib import Path

    from protoc_runtime.git import git_output

    return git_output(Path(folder), *arguments)


def _blob(reference: str, path: str, folder: str) -> bytes | None:
    if reference.startswith("-") or "\n" in reference or "\0" in path:
        return None
    found = f"{reference}:./{path}" if not os.path.isabs(path) else f"{reference}:{_inside(path, folder)}"
    return _git(folder, "cat-file", "blob", found)


def _inside(path: str, folder: str) -> str:
    top = _git(folder, "rev-parse", "--show-toplevel")
    return os.path.relpath(path, os.fsdecode(top).strip()) if top else path


def _fill(copy: str, reference: str, path: str, folder: str) -> None:
    """Put the spec and the small files beside it into a folder, as they were; rows are left out."""
    base = os.path.dirname(path)
    listed = _git(folder, "ls-tree", "-r", "-l", "-z", "--end-of-options", f"{reference}:./{base}") or b""
    for line in listed.split(b"\0"):
        about, _, file = line.partition(b"\t")
        parts, inner = about.split(), os.fsdecode(file)
        small = len(parts) == 4 and parts[1] == b"blob" and parts[3].isdigit() and int(parts[3]) <= _LARGEST
        if small and not inner.endswith(_ROWS):
            _copy(parts[2].decode(), os.path.join(copy, inner), folder)


def _copy(blob: str, place: str, folder: str) -> None:
    data = _git(folder, "cat-file", "blob", blob)
    if data is not None:
        os.makedirs(os.path.dirname(place), exist_ok=True)
        with open(place, "wb") as file:
            file.write(data)


def _work_tree() -> Iterator[Pair]:
    """Every protocol below the current folder that git has otherwise, or not at all."""
    listed = _git(os.curdir, "diff", "--name-only", "--no-renames", "--relative", "-z", "HEAD", "--", ".")
    if listed is None:
        raise Usage("there is no commit to compare with", _why("HEAD", NAME, os.curdir))
    others = _git(os.curdir, "ls-files", "--others", "--exclude-standard", "-z", "--", ".") or b""
    changed = {os.fsdecode(name) for name in (*listed.split(b"\0"), *others.split(b"\0")) if name}
    for path in sorted(_touched(changed)):
        yield _pair(partial(_committed, path), partial(_there, path), path)


def _committed(path: str) -> Source | None:
    return from_git("HEAD", path, os.curdir) if _blob("HEAD", path, os.curdir) is not None else None


def _there(path: str, _: Source | None) -> Source | None:
    return read(path, path) if os.path.isfile(path) else None


def _touched(changed: set[str]) -> set[str]:
    """The protocols that changed themselves, or beside which a file changed that they may read."""
    found = {path for path in changed if os.path.basename(path) == NAME}
    for path in changed:
        folder = os.path.dirname(path)
        while not path.endswith(_ROWS):
            if os.path.isfile(os.path.join(folder, NAME)):
                found.add(os.path.join(folder, NAME))
                break
            if not folder:
                break
            folder = os.path.dirname(folder)
    return found
