"""What `SPEC` on the command line means."""

from __future__ import annotations

import os

from protoc_compiler.cli.usage import Usage

TYPE_CHECKING = False
if TYPE_CHECKING:
    from pathlib import Path

NAME = "protocol.yaml"


def spec_path(given: str) -> Path:
    """The YAML file that is named, or the `protocol.yaml` of a named folder; raises Usage where there is none."""
    from pathlib import Path

    return Path(spec_name(given))


def spec_name(given: str) -> str:
    """The same as a text, without the cost of loading pathlib."""
    path = _plain(given)
    if os.path.isdir(path):
        path = os.path.join(path, NAME) if path != "." else NAME
        if not os.path.isfile(path):
            raise Usage(f"the folder `{given}` holds no {NAME}", "name a YAML file, or a folder with a protocol.yaml")
    if not os.path.exists(path):
        raise Usage(f"there is no file `{given}`", _near(path))
    if not os.path.isfile(path):
        raise Usage(f"`{given}` is not a file")
    return path


def _plain(given: str) -> str:
    """A path without parts that mean nothing, as pathlib writes it."""
    parts = [part for part in given.split("/") if part not in ("", ".")]
    return ("/" if given.startswith("/") else "") + "/".join(parts) or "."


def _near(path: str) -> str:
    """A file of a similar name in the same folder."""
    from protoc_compiler.suggest import hint

    try:
        with os.scandir(os.path.dirname(path) or ".") as found:
            names = [item.name for item in found if item.name.endswith((".yaml", ".yml")) or item.is_dir()]
    except OSError:
        names = []
    return hint(os.path.basename(path), names, "a SPEC is a YAML file or a folder that holds protocol.yaml")
