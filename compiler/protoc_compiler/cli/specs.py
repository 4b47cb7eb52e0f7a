"""What `SPEC` on the command line means."""

from __future__ import annotations

from pathlib import Path

from protoc_compiler.cli.usage import Usage

NAME = "protocol.yaml"


def spec_path(given: str) -> Path:
    """The YAML file that is named, or the `protocol.yaml` of a named folder; raises Usage where there is none."""
    path = Path(given)
    if path.is_dir():
        path = path / NAME
        if not path.is_file():
            raise Usage(f"the folder `{given}` holds no {NAME}", "name a YAML file, or a folder with a protocol.yaml")
    if not path.exists():
        raise Usage(f"there is no file `{given}`", _near(path))
    if not path.is_file():
        raise Usage(f"`{given}` is not a file")
    return path


def _near(path: Path) -> str:
    """A file of a similar name in the same folder."""
    from protoc_compiler.suggest import hint

    try:
        names = [item.name for item in path.parent.iterdir() if item.suffix in (".yaml", ".yml") or item.is_dir()]
    except OSError:
        names = []
    return hint(path.name, names, "a SPEC is a YAML file or a folder that holds protocol.yaml")
