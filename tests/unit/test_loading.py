"""Loading a generated package: what an interrupt amid it is told as."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_runtime.diagnostics import Refused
from protoc_runtime.packages import load_rules

INTERRUPTED = """
class Attribute:
    def __set_name__(self, owner, name):
        raise {}

class Owner:
    attribute = Attribute()
"""


def package(folder: Path, raised: str) -> Path:
    """A package whose rules raise while a class is made."""
    folder.joinpath("__init__.py").write_text("", encoding="utf-8")
    folder.joinpath("rules.py").write_text(INTERRUPTED.format(raised), encoding="utf-8")
    return folder


def test_an_interrupt_while_a_class_is_made_is_an_interrupt(tmp_path: Path) -> None:
    """Python 3.11 tells it as a `RuntimeError`, which would be a package that cannot be loaded."""
    with pytest.raises(KeyboardInterrupt):
        load_rules(package(tmp_path, "KeyboardInterrupt"))


def test_what_a_package_raises_itself_is_told(tmp_path: Path) -> None:
    with pytest.raises(Refused) as found:
        load_rules(package(tmp_path, "ValueError('odd')"))
    assert [item.id for item in found.value.diagnostics] == ["E1204"]
