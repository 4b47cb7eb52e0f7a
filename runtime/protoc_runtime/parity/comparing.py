"""Two runtimes row by row: the same cases, the same routes, the same decisions; how far scores have drifted.

Everything is exact: a score is executed where it reaches the threshold as a decimal, and drift and margin are
differences of decimals. Quantiles are nearest-rank.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from protoc_runtime.parity.records import Parity
from protoc_runtime.parity.rows import SHOWN, Side, shown_value
from protoc_runtime.parity.scores import EXACT, Scores, distance_to, distances, reaches, summary
from protoc_runtime.record import record

if TYPE_CHECKING:
    import polars as pl

DRIFT, MARGIN = ("max", "mean", "p50", "p95"), ("min", "p05", "p50")


@record
class Check:
    """One requirement. `cases` are the first that break it; `broken` counts all. `cites` are rules that ask for it."""

    name: str
    says: str
    broken: int
    cases: tuple[Mapping[str, Any], ...]
    cites: tuple[str, ...]

    @property
    def holds(self) -> bool:
        """Whether nothing breaks it."""
        return self.broken == 0


@record
class Compared:
    """What came out. `compared` counts the cases of both; drift and margin are None where there are none."""

    checks: tuple[Check, ...]
    compared: int
    drift: Mapping[str, Fraction | None]
    margin: Mapping[str, Fraction | None]

    @property
    def holds(self) -> bool:
        """Whether the candidate decides exactly as the reference does."""
        return all(check.holds for check in self.checks)


def compare(parity: Parity, reference: Side, candidate: Side) -> Compared:
    """Every requirement, each with what breaks it."""
    import polars as pl

    sides = {"reference": reference, "candidate": candidate}
    frames = [
        side.frame.with_columns(
            pl.Series("executes", reaches(side.scores, parity.threshold)), side.scores.series.alias("score")
        )
        for side in sides.values()
    ]
    joined = frames[0].join(frames[1], on="id", how="full", suffix="_2", coalesce=True, maintain_order="none")
    there = joined["row"].is_not_null() & joined["row_2"].is_not_null()
    whole = joined.height == reference.frame.height == candidate.frame.height and bool(there.all())
    both = joined if whole else joined.filter(there)
    checks = (
        _well_formed(parity, sides, unique=whole),
        _same_ids(parity, joined, there, whole),
        _no_errors(parity, sides),
        _same_routes(parity, both),
        _same_decisions(parity, both, reference, candidate),
    )
    drift = distances(_scores(reference, both, "row", "score"), _scores(candidate, both, "row_2", "score_2"))
    margin = distance_to(reference.scores, parity.threshold)
    return Compared(checks, both.height, summary(drift, *DRIFT), summary(margin, *MARGIN))


def _scores(side: Side, both: pl.DataFrame, row: str, score: str) -> Scores:
    """The scores of one side in the order of the joined rows, with their digits where differences are exact."""
    if both.height <= EXACT:
        return side.scores.taken(both[row])
    return Scores(both[score], side.scores.scale)


# --- requirements ---------------------------------------------------------------------------------------------------


def _well_formed(parity: Parity, sides: Mapping[str, Side], *, unique: bool) -> Check:
    cases: list[Mapping[str, Any]] = []
    broken = 0
    for name, side in sides.items():
        broken += side.counted[0]
        cases += [{"side": name, "row": row, "reason": reason} for row, reason in side.faults]
        if not side.frame.height:
            broken += 1
            cases.append({"side": name, "reason": "it has no rows"})
        for row, reason in _outside(parity, side):
            broken += 1
            cases.append({"side": name, "row": row, "reason": reason})
        for case, rows in () if unique else _repeated(side):
            broken += 1
            cases.append({"side": name, "case": case, "rows": rows, "reason": "the case stands in several rows"})
    says = "each row is well-formed: one row per case, a score from the lowest to the highest"
    return Check("rows", says, broken, tuple(cases[:SHOWN]), parity.cited("id", "score", "low", "high"))


def _outside(parity: Parity, side: Side) -> Iterator[tuple[int, str]]:
    inside = reaches(side.scores, parity.low) & ~reaches(side.scores, parity.high, above=True)
    if inside.fill_null(True).all():
        return
    for row in (~inside.fill_null(True)).arg_true().to_list():
        yield row + 1, f"`{parity.score}` lies outside of {_text(parity.low)}..{_text(parity.high)}"


def _repeated(side: Side) -> Iterator[tuple[str, list[int]]]:
    import polars as pl

    known = side.frame.filter(pl.col("id").is_not_null() & pl.col("id").is_duplicated())
    yield from sorted(known.group_by("id").agg(pl.col("row").sort()).iter_rows())


def _same_ids(parity: Parity, joined: pl.DataFrame, there: pl.Series, whole: bool) -> Check:
    cases: list[Mapping[str, Any]] = []
    if not whole:
        alone = joined.filter(~there)
        cases = [
            {"case": case, "reason": "missing in the candidate" if other is None else "only in the candidate"}
            for case, other in sorted(alone.select("id", "row_2").iter_rows(), key=lambda pair: str(pair[0]))
            if case is not None
        ]
    return Check("ids", "both have the same cases", len(cases), tuple(cases[:SHOWN]), parity.cited("id"))


def _no_errors(parity: Parity, sides: Mapping[str, Side]) -> Check:
    cases: list[Mapping[str, Any]] = []
    broken = 0
    for name, side in sides.items():
        broken += side.counted[1]
        cases += [{"side": name, "row": row, "reason": reason} for row, reason in side.errors]
        for reason in _summary_faults(parity, side):
            broken += 1
            cases.append({"side": name, "reason": reason})
    says = "no execution errors and no violations of authority, by rows and by counts"
    return Check("errors", says, broken, tuple(cases[:SHOWN]), parity.cited("error", "violation", "summary"))


def _summary_faults(parity: Parity, side: Side) -> Iterator[str]:
    if not parity.summary or (side.summary is None and not side.path.endswith(".json")):
        return  # a file of rows alone has no summary; its rows tell
    for count in parity.summary:
        found = (side.summary or {}).get(count)
        if isinstance(found, bool) or found != 0:
            yield f"its summary has {count}: {'nothing' if found is None else shown_value(found)}"


def _same_routes(parity: Parity, both: pl.DataFrame) -> Check:
    differ = ~both["route"].eq_missing(both["route_2"])
    rows = both.filter(differ).select("id", "route", "route_2").sort("id") if differ.any() else both.clear()
    cases = [{"case": row[0], "reference": row[1], "candidate": row[2]} for row in rows.head(SHOWN).iter_rows()]
    return Check("routes", "every case has the same route", int(differ.sum()), tuple(cases), parity.cited("route"))


def _same_decisions(parity: Parity, both: pl.DataFrame, reference: Side, candidate: Side) -> Check:
    differ = ~both["executes"].eq_missing(both["executes_2"])
    rows = both.filter(differ).sort("id") if differ.any() else both.clear()
    shown = rows.head(SHOWN)
    scores = [
        [None if value is None else _text(value) for value in side.scores.taken(shown[name]).exact()]
        for name, side in (("row", reference), ("row_2", candidate))
    ]
    cases = [
        {"case": case, "reference": one, "candidate": other}
        for case, one, other in zip(shown["id"].to_list(), *scores, strict=True)
    ]
    says = f"every case is executed or left alone by both, at {_text(parity.threshold)}"
    return Check("decisions", says, int(differ.sum()), tuple(cases), parity.cited("threshold"))


def _text(value: Fraction) -> str:
    from protoc_runtime.reading.decimals import decimal_text

    return decimal_text(value)
