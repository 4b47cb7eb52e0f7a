"""Write the generated packages of one or more protocols, all or none; nothing is written if one has errors.

With --check nothing is written: a diff is printed for each package that is not what its spec compiles to, and the
exit status is then 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from protoc_compiler.cli.specs import spec_path
from protoc_compiler.cli.usage import require_text
from protoc_compiler.cli.workspaces import add_workspace
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.record import record

if TYPE_CHECKING:
    from argparse import ArgumentParser, Namespace

    from protoc_compiler.cli.io import Io


@record
class Compiled:
    """One spec, as people name it, with the files of its package and the folder that they belong into."""

    spec: str
    folder: Path
    files: dict[str, bytes]


def add_arguments(parser: ArgumentParser) -> None:
    """The options of the command."""
    parser.add_argument("spec", nargs="+", metavar="SPEC", help="a YAML file or a folder that holds protocol.yaml")
    parser.add_argument(
        "--out", metavar="DIR", help="where packages are written (default: generated, in the workspace)"
    )
    add_workspace(parser)
    parser.add_argument("--check", action="store_true", help="write nothing; print a diff and exit 1 where it is stale")


def run(args: Namespace, io: Io) -> int:
    """Compile every spec before anything is written; 1 where a spec has errors or a package is stale."""
    findings = Findings()
    specs = list(dict.fromkeys(map(spec_path, args.spec)))
    try:
        made = compiled(specs, findings, Path(args.out) if args.out else None, args.workspace)
        status = _compare(made, io) if args.check else _write(made, io)
    except Refused as refused:
        findings.extend(item for item in refused.diagnostics if item not in list(findings))
        status = 1
    io.diagnose(findings.sorted())
    return status


def compiled(
    specs: list[Path], findings: Findings, out: Path | None = None, workspace: str | None = None
) -> list[Compiled]:
    """The packages of specs; refuses where one has errors, with the faults of all of them in `findings`."""
    from protoc_compiler.catalogue import package as kinds

    made: list[Compiled] = []
    for spec in specs:
        one = _compile(spec, out, workspace, findings)
        if one is None:
            continue
        for other in made:
            if other.folder == one.folder:
                package = one.folder.name
                findings.add(kinds.SAME_PACKAGE, None, first=other.spec, second=one.spec, package=package)
        made.append(one)
    if findings.failed:
        raise Refused(findings)
    return made


def _compile(path: Path, out: Path | None, workspace: str | None, findings: Findings) -> Compiled | None:
    from protoc_compiler import pipeline
    from protoc_compiler.emit import package
    from protoc_runtime.workspace import find_workspace

    protocol, found = pipeline.check(path)
    findings.extend(found)
    if protocol is None:
        return None
    place = find_workspace(path, workspace)
    try:
        return Compiled(
            str(path),
            (out if out is not None else place.generated) / protocol.package,
            package.render(protocol, _from_root(path, place.root)),
        )
    except Refused as refused:
        findings.extend(refused.diagnostics)
        return None


def _from_root(path: Path, root: Path) -> str:
    """The spec's place relative to the workspace; its name alone where it lies outside, so that the bytes of the
    package do not depend on the machine. Raises Usage for one that is no text."""
    whole = path.resolve()
    name = whole.relative_to(root).as_posix() if whole.is_relative_to(root) else whole.name
    require_text(name, "package")
    return name


def _write(made: list[Compiled], io: Io) -> int:
    from protoc_compiler.emit import package

    for one in made:
        package.check_replaceable(one.files, one.folder)
    for one in made:
        changed = package.write(one.files, one.folder)
        io.out(f"{_from_here(one.folder)}: {'written' if changed else 'unchanged'}\n")
    return 0


def _from_here(path: Path) -> Path:
    """A path as the user would type it: relative where it lies below the current folder."""
    here = Path.cwd()
    return path.relative_to(here) if path.is_relative_to(here) else path


def _compare(made: list[Compiled], io: Io) -> int:
    from protoc_compiler.catalogue import package as kinds
    from protoc_compiler.emit import package

    findings = Findings()
    for one in made:
        io.out("".join(package.stale(one.files, one.folder)))
        there = package.present(one.folder)
        differ = sorted(path for path in there.keys() | one.files.keys() if there.get(path) != one.files.get(path))
        if differ:
            found = ", ".join(differ) if there else "it is not there"
            findings.add(kinds.STALE, None, folder=one.folder, spec=one.spec, found=found)
    if findings.failed:
        raise Refused(findings)
    return 0
