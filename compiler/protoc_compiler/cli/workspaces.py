"""The option `--workspace`, the same in every command that needs one."""

from __future__ import annotations

import os

from protoc_compiler.cli.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from pathlib import Path

    from protoc_runtime.workspace import Workspace


def add_workspace(parser: argparse.ArgumentParser) -> None:
    """Let a command take `--workspace DIR`."""
    about = "the folder of specs/, generated/, runs/ and registry.jsonl (found from the spec or the current folder)"
    parser.add_argument("--workspace", metavar="DIR", type=_folder, help=about)


def _folder(given: str) -> str:
    if not os.path.isdir(given):
        raise Usage(f"there is no folder `{given}`", "--workspace names the folder that holds specs/")
    return given


def place(args: argparse.Namespace, workspace: Workspace) -> str:
    """Where nothing was found, if the folder was only guessed: neither named nor marked by protoc.toml or git."""
    from protoc_runtime.workspace import MARKER

    marked = any((workspace.root / name).exists() for name in (MARKER, ".git", "specs", "runs"))
    if args.workspace is not None or marked:
        return ""
    return (
        f" in {workspace.root}, which is no workspace: go to the folder that holds specs/, or name it (--workspace DIR)"
    )


def workspace_of(args: argparse.Namespace, start: Path | None = None) -> Workspace:
    """The workspace that is named, or the one in which `start` or the current folder lies."""
    from protoc_runtime.workspace import find_workspace

    return find_workspace(start, args.workspace)
