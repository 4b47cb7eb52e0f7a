"""Make a freeze manifest, or check one.

`protoc freeze new SPEC` writes the manifest of the first phase: what the protocol fixes, what can be collected here
(source revision, Python, hardware, digests of files), and what you tell with --set PATH=VALUE or, on a terminal, when
you are asked. What you tell is marked as attested. While something lacks in the file of --out, the same command
completes it: what was filled in by hand is kept, what can be collected is collected anew.

`protoc freeze check MANIFEST` tells every fault of a manifest at once, with the path of the field and the reason, for
the phase of its status or that of --phase. Exit status 1 with any fault, or while something lacks.
"""

from __future__ import annotations

import argparse
import getpass
import json
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.specs import spec_path
from protoc_compiler.cli.usage import Usage
from protoc_compiler.cli.workspaces import add_workspace, workspace_of

if TYPE_CHECKING:
    from protoc_runtime.declared import Declared

_OF_NEW, _OF_CHECK = ("out", "set", "by"), ("phase", "spec", "format")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    """The arguments of `protoc freeze`."""
    parser.add_argument("action", choices=("new", "check"), help="make a manifest, or check one")
    parser.add_argument("path", metavar="SPEC|MANIFEST", help="new: the protocol; check: the manifest")
    parser.add_argument("--out", metavar="FILE", help="new: where it is written (standard output), or completed")
    parser.add_argument("--set", action="append", metavar="PATH=VALUE", help="new: a value that you vouch for")
    parser.add_argument("--by", metavar="PERSON", help="new: who vouches (you, as the system knows you)")
    parser.add_argument("--phase", metavar="P", help="check: for which phase (that of its status)")
    parser.add_argument("--spec", metavar="SPEC", help="check: the protocol (the one of the workspace with a manifest)")
    parser.add_argument("--format", choices=("text", "json"), help="check: how faults are printed (text)")
    add_workspace(parser)


def run(args: argparse.Namespace, io: Io) -> int:
    """Make or check."""
    for name in _OF_CHECK if args.action == "new" else _OF_NEW:
        if getattr(args, name) is not None:
            raise Usage(f"`--{name}` has no effect on `protoc freeze {args.action}`")
    if args.action == "new":
        return _new(args, io)
    return _check(args, io)


# --- new ------------------------------------------------------------------------------------------------------------


def _new(args: argparse.Namespace, io: Io) -> int:
    from protoc_runtime.canonical import write_atomic
    from protoc_runtime.manifests.collecting import Cannot, new
    from protoc_runtime.manifests.meaning import written

    spec = spec_path(args.path)
    out = Path(args.out) if args.out else None
    ask = _asker(io) if io.stdin.isatty() else None
    with _compiled(spec, args.workspace) as (declared, package):
        before = _unfinished(declared, package, out) if out is not None and out.exists() else None
        try:
            by = args.by or getpass.getuser()
            made, lacking = new(declared, spec.parent, _told(args.set or []), by, ask, before)
        except Cannot as reason:
            raise Usage(str(reason)) from None
    data = (written(made) + "\n").encode()
    if out is None:
        io.out(data.decode())
    else:
        write_atomic(out, data)
        io.out(f"{'completed' if before is not None and not lacking else 'wrote'} {out}\n")
    io.err("".join(f"lacks {line}\n" for line in lacking))
    if lacking and out is not None:
        io.err(f"fill these in ({len(lacking)}), and give the same command again: what is there is kept\n")
    return 1 if lacking else 0


def _unfinished(declared: Declared, package: Path, out: Path) -> dict[str, Any]:
    """The manifest of a file in which something lacks for the first phase; one that is finished is frozen."""
    from protoc_runtime.manifests.facts import examined
    from protoc_runtime.manifests.meaning import flaws
    from protoc_runtime.packages import load_manifest

    manifest, document = declared.manifest, _document(out)
    first = manifest.phases[0].name if manifest is not None else ""
    hint = "a manifest that is finished, or something else, is never overwritten: name another file"
    if not isinstance(document, dict) or _phase_of(declared, document) != first:
        raise Usage(f"there is a file `{out}` already, and it is no manifest of the phase {first}", hint)
    for path, reason in flaws(document):
        raise Usage(f"{out}: {path}: {reason}", "mend it first")
    faults = examined(load_manifest(package), document, first)
    if not any(fault.kind == "missing" for fault in faults):
        raise Usage(f"there is a file `{out}` already, in which nothing lacks", hint)
    return document


def _told(given: list[str]) -> dict[str, str]:
    made: dict[str, str] = {}
    for each in given:
        path, equals, value = each.partition("=")
        if not equals or not path:
            raise Usage(f"`--set {each}` is no PATH=VALUE", "such as `--set candidate.candidate_id=c1`")
        if path in made:
            raise Usage(f"`{path}` is told twice")
        made[path] = value
    return made


def _asker(io: Io) -> Callable[[str, str], str]:
    def ask(path: str, what: str) -> str:
        """The answer that is typed to one question, without its line break; "" at the end of the input."""
        io.err(f"{path} ({what}): ")
        return io.stdin.readline().rstrip("\n")

    return ask


# --- check ----------------------------------------------------------------------------------------------------------


def _check(args: argparse.Namespace, io: Io) -> int:
    path = Path(args.path)
    if not path.is_file():
        raise Usage(f"there is no file `{path}`")
    spec = spec_path(args.spec) if args.spec else _spec_of(path, workspace_of(args, path).specs)
    with _compiled(spec, args.workspace) as (declared, package):
        document = _document(path)
        phase = args.phase or _phase_of(declared, document)
        found, extra = _examined(declared, spec.parent, package, document, phase)
    if args.format == "json":
        io.out(json.dumps(_json(path, phase, found, extra), ensure_ascii=False, indent=2) + "\n")
    else:
        io.diagnose([*_diagnostics(path, found), *_notes(extra)])
        io.out(f"{path}: phase {phase}: {_counted(len(found))}\n")
    return 1 if found else 0


def _document(path: Path) -> Any:
    """What stands in a file. Raises `Refused`: E2133."""
    from protoc_runtime.catalogue import manifests as kinds
    from protoc_runtime.diagnostics import Findings, Refused
    from protoc_runtime.manifests.meaning import Unreadable
    from protoc_runtime.manifests.plain_data import parse

    try:
        return parse(path.read_bytes(), path.name)
    except Unreadable as fault:
        raise Refused([Findings().add(kinds.MANIFEST_UNREADABLE, None, path=path, reason=fault)]) from None


def _phase_of(declared: Declared, document: Any) -> str:
    """The phase of which a manifest has the status."""
    from protoc_runtime.manifests.collecting import document_at

    manifest = declared.manifest
    assert manifest is not None, "the protocol has a manifest"
    status = document_at(document, manifest.status)
    found = [phase.name for phase in manifest.phases if phase.status == status]
    if len(found) != 1:
        known = ", ".join(f"`{phase.status}` is that of {phase.name}" for phase in manifest.phases)
        raise Usage(f"which phase? The manifest's `{manifest.status}` does not tell: {known}", "add `--phase P`")
    return found[0]


def _examined(
    declared: Declared, folder: Path, package: Path, document: Any, phase: str
) -> tuple[list[Any], list[str]]:
    """The faults as dicts, and the fields that nobody declares."""
    from protoc_runtime.manifests.checking import extras
    from protoc_runtime.manifests.collecting import collected_again
    from protoc_runtime.manifests.facts import examined
    from protoc_runtime.packages import load_manifest

    module = load_manifest(package)
    words = {field.path: field.says for field in declared.manifest.fields} if declared.manifest else {}
    found: list[Any] = [
        {"path": each.path, "reason": each.reason, "kind": each.kind, "cites": list(each.cites),
         "says": words.get(each.path, "")}
        for each in examined(module, document, phase)
    ]  # fmt: skip
    if not isinstance(document, dict):
        return found, []
    for field, source, has, there in collected_again(declared, folder, document):
        reason = f"the manifest has {has}, and {source} is {there} now"
        found.append({"path": field, "reason": reason, "kind": "collected", "cites": [], "says": words.get(field, "")})
    wrong = {each["path"] for each in found}
    return found, [each for each in extras(module.CONTRACT, document) if each not in wrong]


def _diagnostics(path: Path, found: list[Any]) -> Iterator[Any]:
    from protoc_runtime.catalogue import manifests as kinds
    from protoc_runtime.diagnostics import Findings

    findings = Findings()
    for each in found:
        rules = f"rule {', '.join(each['cites'])}" if each["cites"] else ""
        hint = ": ".join(part for part in (rules, each["says"]) if part)
        kind = kinds.MANIFEST_STALE if each["kind"] == "collected" else kinds.MANIFEST_FIELD
        findings.add(kind, None, field=each["path"] or str(path), reason=each["reason"], hint=hint)
    yield from findings


def _notes(extra: list[str]) -> Iterator[Any]:
    from protoc_runtime.catalogue import manifests as kinds
    from protoc_runtime.diagnostics import Findings

    findings = Findings()
    for each in extra:
        findings.add(kinds.MANIFEST_EXTRA, None, field=each)
    yield from findings


def _json(path: Path, phase: str, found: list[Any], extra: list[str]) -> dict[str, Any]:
    return {"schema": "protoc/freeze/1", "manifest": str(path), "phase": phase, "holds": not found, "faults": found,
            "undeclared": extra}  # fmt: skip


def _counted(faults: int) -> str:
    return "no faults" if not faults else "1 fault" if faults == 1 else f"{faults} faults"


# --- the protocol ---------------------------------------------------------------------------------------------------


@contextmanager
def _compiled(spec: Path, workspace: str | None) -> Iterator[tuple[Declared, Path]]:
    """What a protocol declares, and a folder with its package while the block lasts. Raises `Refused`: E2137."""
    from protoc_compiler.cli.compile import compiled
    from protoc_compiler.emit import package
    from protoc_runtime.catalogue import manifests as kinds
    from protoc_runtime.diagnostics import Findings, Refused
    from protoc_runtime.packages import load_protocol

    (made,) = compiled([spec], Findings(), workspace=workspace)
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder) / made.folder.name
        package.write(made.files, place)
        declared = load_protocol(place)
        if declared.manifest is None:
            raise Refused([Findings().add(kinds.NO_MANIFEST, None, spec=spec)])
        yield declared, place


def _spec_of(manifest: Path, specs: Path) -> Path:
    """The protocol of the workspace whose manifest this is: the one that names the file, or the only one with any."""
    named, known = [], []
    for spec in sorted(specs.glob("*/protocol.yaml")):
        decl = _declared_file(spec)
        if decl is not None:
            known.append(spec)
            named += [spec] if decl and (spec.parent / decl).resolve() == manifest.resolve() else []
    found = named or known
    if len(found) != 1:
        told = "several protocols have" if found else "no protocol has"
        raise Usage(f"{told} a manifest below {specs}", "name the protocol: `--spec SPEC`")
    return found[0]


def _declared_file(spec: Path) -> str | None:
    """The file of a spec's manifest, "" where it names none, None where it declares no manifest."""
    from protoc_compiler.pipeline import examine

    if "manifest:" not in spec.read_text(encoding="utf-8", errors="replace"):
        return None
    document = examine(spec).spec
    if document is None or document.procedure.manifest is None:
        return None
    file = document.procedure.manifest.file
    return file.text if file is not None else ""
