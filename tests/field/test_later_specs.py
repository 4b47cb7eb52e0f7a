"""Protocols whose runner halves are not all built yet: refused for exactly that, and for nothing else."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_compiler import pipeline

HERE = Path(__file__).parent / "later"
LATER = ("neochart_r5",)


@pytest.mark.parametrize("name", LATER)
def test_refused_only_for_what_is_not_built(name: str) -> None:
    protocol, findings = pipeline.check(HERE / f"{name}.yaml")
    assert protocol is None
    assert {item.id for item in findings} == {"E0208"}


def test_a_protocol_with_providers_and_judgements_is_whole() -> None:
    protocol, findings = pipeline.check(HERE / "theorempath_ask_holdout_v2.yaml")
    assert protocol is not None
    assert {item.id for item in findings} == {"N0803"}
    assert [judgement.name for judgement in protocol.judgements] == ["topics", "support", "buckets"]
