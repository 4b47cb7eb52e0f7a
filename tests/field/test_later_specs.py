"""Drafts of protocols from before all of them could be run."""

from __future__ import annotations

from pathlib import Path

from protoc_compiler import pipeline

HERE = Path(__file__).parent / "later"


def test_a_protocol_with_providers_and_judgements_is_whole() -> None:
    protocol, findings = pipeline.check(HERE / "theorempath_ask_holdout_v2.yaml")
    assert protocol is not None
    assert {item.id for item in findings} == {"N0803", "N2806"}
    assert [judgement.name for judgement in protocol.judgements] == ["topics", "support", "buckets"]
