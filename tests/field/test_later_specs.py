"""Three protocols whose runner halves are not built yet: refused for exactly that, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest
from protoc_compiler import pipeline

LATER = sorted((Path(__file__).parent / "later").glob("*.yaml"))


@pytest.mark.parametrize("spec", LATER, ids=lambda path: path.stem)
def test_refused_only_for_what_is_not_built(spec: Path) -> None:
    protocol, findings = pipeline.check(spec)
    assert protocol is None
    assert {item.id for item in findings} == {"E0208"}
