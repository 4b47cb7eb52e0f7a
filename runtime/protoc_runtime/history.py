"""What the registry and the chains of seals once held: lines are only ever added, so whatever git's history, a bundle
under runs/ or the registry knows and the file lacks was deleted.

What was deleted before anybody committed it, and whose bundle was deleted as well, leaves no trace here.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from protoc_runtime import bundle
from protoc_runtime.canonical import digest_bytes, read_plain
from protoc_runtime.catalogue import splits as kinds
from protoc_runtime.chain import BrokenLine, decode
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.git import find_repository
from protoc_runtime.record import record
from protoc_runtime.registry import readings
from protoc_runtime.seal import FILE_NAME
from protoc_runtime.strict_json import parsed
from protoc_runtime.workspace import Workspace

READ = "inputs_read"


@record
class Launch:
    """What a folder under runs/ tells: the run's name, the splits that it has read (as far as it knows), the protocol,
    and the digests of its seals."""

    name: str
    splits: tuple[str, ...]
    protocol: str
    version: int
    seals: tuple[str, ...]


def check_registry(workspace: Workspace) -> Findings:
    """Whether the registry holds everything that git's history and the bundles under runs/ know of it (E2305)."""
    findings = Findings()
    path = workspace.registry
    for what in (*_of_git(path), *_of_runs(workspace)):
        findings.add(kinds.SHORTENED, None, path=workspace.shown(path), what=what)
    return findings


def check_seals(workspace: Workspace, spec: Path, protocol: str, version: int) -> Findings:
    """Whether the chain of seals of a protocol (`spec` is its YAML file) holds everything that is known of it (E2306).

    Bundles and registry are asked for this protocol and version; another version may have its chain elsewhere.
    """
    findings = Findings()
    path = spec.parent / FILE_NAME
    there = {digest_bytes(line) for line in _lines(path)}
    known: dict[str, str] = {}
    for launch in launches(workspace):
        if (launch.protocol, launch.version) == (protocol, version):
            known |= dict.fromkeys(launch.seals, f"run {launch.name} names")
    for reading in readings(workspace.registry, protocol) if workspace.registry.is_file() else ():
        if reading.seal and reading.version == version:
            known |= {reading.seal: "the registry names"}
    lost = [f"the seal {digest[:12]}, which {who}" for digest, who in known.items() if digest not in there]
    for what in (*_of_git(path), *lost):
        about = {"path": workspace.shown(path), "file": FILE_NAME, "what": what}
        findings.add(kinds.UNSEALED, None, related=(), **about)
    return findings


def check_workspace(workspace: Workspace) -> Findings:
    """`check_registry`, and `check_seals` of every protocol with a package in the workspace."""
    findings = check_registry(workspace)
    for folder in sorted(workspace.generated.glob("*/")) if workspace.generated.is_dir() else ():
        try:
            spec = workspace.root / parsed(read_plain(folder / "package.json"))["spec"]
            given = parsed(read_plain(folder / "protocol.json"))["protocol"]
            name, version = str(given["id"]), int(given["version"])
        except (OSError, ValueError, KeyError, TypeError):
            continue  # no package; `protoc compile` tells of it
        findings.extend(check_seals(workspace, spec, name, version))
    return findings


def launches(workspace: Workspace) -> Iterator[Launch]:
    """Every run under runs/ that can be read, finished or not; what is broken is told by `verify`, not here."""
    for folder in sorted(workspace.runs.glob("*/*")) if workspace.runs.is_dir() else ():
        try:
            found = _unfinished(workspace, folder) if folder.name.endswith(bundle.UNFINISHED) else _finished(folder)
        except (OSError, ValueError, KeyError, TypeError, AttributeError, IndexError, Refused):
            continue
        if found is not None:
            yield found


def _finished(folder: Path) -> Launch | None:
    predicate = parsed(read_plain(folder / bundle.RECEIPT))["predicate"]
    run, protocol = predicate["run"], predicate["protocol"]
    if run["kind"] == "rehearsal":
        return None
    seals = tuple(str(seal["digest"]) for seal in predicate["seals"])
    return Launch(str(run["name"]), tuple(run["splits"]), str(protocol["id"]), int(protocol["version"]), seals)


def _unfinished(workspace: Workspace, folder: Path) -> Launch | None:
    """An open run has read its splits where its ledger says so; the protocol is not told there."""
    from protoc_runtime.ledger_file import read_events

    events = list(read_events(folder / bundle.LEDGER))
    read = any(event.kind == READ and not event.body["synthetic"] for event in events)
    name = workspace.shown(folder).removesuffix(bundle.UNFINISHED)
    return Launch(name, tuple(events[0].body["splits"]), "", 0, ()) if read else None


def _of_runs(workspace: Workspace) -> Iterator[str]:
    registered = {(reading.run, reading.split) for reading in readings(workspace.registry)}
    for launch in launches(workspace):
        lost = [split for split in launch.splits if (launch.name, split) not in registered]
        if lost:
            yield f"the reading of {', '.join(lost)} by run {launch.name}, whose folder is here"


def _of_git(path: Path) -> Iterator[str]:
    """The lines that a file has had in the history of HEAD and lacks now."""
    repository = find_repository(path.parent)
    if repository is None:
        return
    there, told = set(_lines(path)), set()
    for commit, content in repository.versions(path):
        for line in _complete(content):
            if line not in there and line not in told:
                told.add(line)
                yield f"{_about(line)}, which git has in commit {commit[:12]}"


def _about(line: bytes) -> str:
    """A line in words."""
    try:
        found = decode(line)
    except BrokenLine:
        return f"the line {digest_bytes(line)[:12]}"
    body: dict[str, Any] = dict(found.body)
    told = " ".join(str(body[name]) for name in ("split", "run") if name in body)
    return f"{found.kind} {found.hash[:12]} ({told})" if told else f"{found.kind} {found.hash[:12]}"


def _lines(path: Path) -> Iterator[bytes]:
    """What is there, a last line without its newline included."""
    try:
        content = read_plain(path)
    except OSError:
        return iter(())
    return (line.removesuffix(b"\r") for line in content.split(b"\n") if line.strip())


def _complete(content: bytes) -> Iterator[bytes]:
    """The lines that end; one that a crash cut off was never acknowledged."""
    return (line.removesuffix(b"\r") for line in content.split(b"\n")[:-1] if line.strip())
