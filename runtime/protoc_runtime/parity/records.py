"""What a protocol says about the parity of two runtimes; made by the compiler, read back from `protocol.json`."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from protoc_runtime.record import record


@record
class Parity:
    """The columns of the rows that are compared. `threshold`: a case is executed where its score reaches it; scores lie
    from `low` to `high`. `violation` and `summary` ("" and () for none): a column that is false on every row, and
    counts of a file's `summary` that are 0. `cites` are by key."""

    id: str
    route: str
    score: str
    threshold: Fraction
    error: str
    violation: str = ""
    summary: tuple[str, ...] = ()
    low: Fraction = Fraction(0)
    high: Fraction = Fraction(1)
    says: str = ""
    cites: tuple[tuple[str, tuple[str, ...]], ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The columns that every row has."""
        return tuple(name for name in (self.id, self.route, self.score, self.error, self.violation) if name)

    def cited(self, *keys: str) -> tuple[str, ...]:
        """The rules that these keys cite."""
        return tuple(rule for key, rules in self.cites if key in keys for rule in rules)


def parity(given: Mapping[str, Any] | None) -> Parity | None:
    """The parity of `protocol.json`."""
    if given is None:
        return None
    columns = (given["id"], given["route"], given["score"], Fraction(given["threshold"]), given["error"])
    cites = tuple((key, tuple(rules)) for key, rules in given["cites"])
    low, high = Fraction(given["low"]), Fraction(given["high"])
    return Parity(*columns, given["violation"], tuple(given["summary"]), low, high, given["says"], cites)
