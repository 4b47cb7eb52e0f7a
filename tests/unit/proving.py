"""Changed copies of the Ask protocol, and what is proved of them."""

from __future__ import annotations

from functools import cache
from pathlib import Path

from protoc_compiler import core, pipeline, proof
from protoc_compiler import protocol as whole
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.names import Names
from protoc_runtime.diagnostics import Findings

ASK = Path(__file__).parents[2] / "specs" / "theorempath_ask_holdout_v2" / "protocol.yaml"
EACH = "        - all strata have count(cases matching stratum) == 8\n"
MIXED = (
    f"{EACH}        - count(strata where mixed) == 6\n"
    "        - all strata where mixed have count(cases matching stratum where expected == provider_call) == 4\n"
)
Change = tuple[str, str]


@cache
def ask(*changes: Change) -> core.Protocol:
    """The protocol with texts replaced; words that contradict their formula do not stop it."""
    text = ASK.read_text(encoding="utf-8")
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    done = pipeline.examine("protocol.yaml", text.encode())
    if done.protocol is not None:
        return done.protocol
    assert done.spec is not None
    errors = [item.id for item in done.findings.sorted() if item.severity == "error"]
    assert all(id_.startswith(("E07", "E28")) for id_ in errors), errors
    findings = Findings()
    made = whole.resolve(Elaborator(done.spec, Names(done.spec, findings), findings))
    assert made is not None
    return made


def compared(*changes: Change, replay: bool = False) -> proof.Comparison:
    """The protocol against its changed copy."""
    return proof.compare(ask(), ask(*changes), replay=replay)


def rule(found: proof.Comparison, name: str) -> proof.Finding:
    """What is found of one rule."""
    return next(one for one in found.rules if one.name == name)
