"""What formulas rest on: the compiler tells it of the resolved tree, the runtime of its canonical JSON."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_compiler import identity, resting
from protoc_compiler.pipeline import check
from protoc_runtime.evidence import Evidence

ROOT = Path(__file__).resolve().parents[2]
SPECS = sorted(path for folder in ("specs", "tests/field") for path in (ROOT / folder).glob("*/protocol.yaml"))


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.parent.name)
def test_the_tree_tells_the_same_as_its_json(path):
    protocol, _ = check(path)
    assert protocol is not None
    ours, others = resting.evidence(protocol), Evidence(identity.tree(protocol))
    for item in protocol.items:
        thing = ("item", item.space, item.name)
        assert list(ours.reached(thing).items()) == list(others.reached(thing).items())
        assert ours.leaves(thing) == others.leaves(thing)
        assert ours.read_by(item.expr) == others.read_by(identity.to_json(item.expr))
    for table in protocol.tables:
        things = (("table", table.name), *(("column", table.name, column.name) for column in table.columns))
        assert list(ours.reached(*things).items()) == list(others.reached(*things).items())
        assert ours.leaves(*things) == others.leaves(*things)
        assert [resting.due(protocol, item.expr) for item in table.expect] == [
            others.due(identity.to_json(item.expr)) for item in table.expect
        ]
