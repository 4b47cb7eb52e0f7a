"""What `explain` says cannot happen does not happen on rows: random tiny protocols, and rows that they decide.

A few protocols are tried every time; PROTOC_LONG=1 tries 400, PROTOC_LONG=N so many.
"""

from __future__ import annotations

import os
from random import Random

import pytest

from drift import tiny
from drift.claims import decided, resolved
from protoc_compiler.proof.explaining import Explained, explain

LONG = os.environ.get("PROTOC_LONG", "")
PROTOCOLS = 12 if not LONG else 400 if LONG == "1" else int(LONG)
TABLES = 40


def wrong(found: Explained, results: dict[str, object]) -> list[str]:
    """The claims that these results contradict, of gates that are one condition each."""
    gates = results["gates"]
    assert isinstance(gates, dict)
    alone = {one.part.name: one for one in found.parts if one.part.name == one.part.gate and one.part.name in gates}
    held = {name for name in alone if gates[name] is True}
    contradicted = []
    for name, one in alone.items():
        if one.can_pass is False and name in held:
            contradicted.append(f"{name} can never hold, and holds")
        if one.can_fail is False and name not in held:
            contradicted.append(f"{name} can never fail, and fails")
        if one.implied_by and held.issuperset(one.implied_by) and name not in held:
            contradicted.append(f"{name} holds whenever {one.implied_by} hold, and does not")
    never = [word for word, can, _ in found.verdicts if can is False]
    return contradicted + [f"{word} can never be reached, and is" for word in never if word == results["verdict"]]


@pytest.mark.timeout(0 if LONG else 600)
def test_no_rows_contradict_what_is_explained_of_random_protocols() -> None:
    looked = 0
    for seed in range(PROTOCOLS):
        chance = Random(seed)
        parts = tiny.Tiny(chance).parts()
        protocol = resolved(tiny.text(parts))
        if protocol is None:
            continue
        found = explain(protocol, 5_000)
        for _ in range(TABLES):
            results = decided(protocol, tiny.rows(parts, chance))
            if results is not None:
                looked += 1
                assert not wrong(found, results), f"seed {seed}:\n{tiny.text(parts)}"
    assert looked > PROTOCOLS
