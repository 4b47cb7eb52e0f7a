"""A rule whose threshold only fell is told as incomparable where something that it reads has changed, too, and why."""

from __future__ import annotations

import pytest

from drift.test_recall import SPEC, _spec
from protoc_compiler.drift.review import review

LOWER = SPEC.replace("recall >= 50%", "recall >= 40%")
OTHER = "  recall: rate(found over relevant where query.kind == short)"
FOUND = "some hits where rank > 10 matching query and document"
SAME = FOUND.replace(">", "<=")
WHY = "`gates.recalled`: 50% -> 40%"


def _told(before: str, after: str, *ways: str) -> str:
    report = review(_spec(before), _spec(after, *ways), prove=False)
    return next(change.message for change in report.changes if change.path == "gates.recalled")


@pytest.mark.parametrize(
    ("ways", "told"),
    [
        ((), WHY),
        ((SAME.replace("10", "20"),), WHY),
        ((SAME, OTHER),
         f"{WHY}; it reads `metrics.recall`, which has changed, too"),
        ((FOUND,), f"{WHY}; it reads `definitions.relevant.found`, which has changed, too"),
        ((FOUND, OTHER), f"{WHY}; it reads `definitions.relevant.found`, `metrics.recall`, which have changed, too"),
    ],
    ids=["alone", "looser with it", "metric", "definition", "both"],
)  # fmt: skip
def test_what_else_has_changed_is_named(ways: tuple[str, ...], told: str) -> None:
    assert _told(SPEC, LOWER, *ways) == told


def test_what_the_rule_does_not_read_is_not_named() -> None:
    after = LOWER.replace("score: decimal?", "score: decimal")
    assert _told(SPEC, after, SAME, OTHER) == f"{WHY}; it reads `metrics.recall`, which has changed, too"
