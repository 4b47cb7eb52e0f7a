"""Changes of the Ask protocol's gates on few rows: the engine, z3 and plain enumeration agree on every one.

The enumeration knows nothing of the compiler: it has the gates as the published protocol words them. A few changes
run always, all of them with PROTOC_LONG=1.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement
from typing import Any

import pytest

from protoc_compiler import proof
from protoc_compiler.proof import nodes as n
from protoc_compiler.proof import solver
from protoc_compiler.proof.ask import Engine
from protoc_compiler.proof.compare import Pair
from unit.proving import Change, ask

STRATA, SIZE, POSITIVE = 3, 4, 6
SMALL: tuple[Change, ...] = (
    ("count(cases) == 96", f"count(cases) == {STRATA * SIZE}"),
    ("distinct(stratum over cases) == 12", f"distinct(stratum over cases) == {STRATA}"),
    ("count(cases matching stratum) == 8", f"count(cases matching stratum) == {SIZE}"),
    ("where expected == provider_call) == 48", f"where expected == provider_call) == {POSITIVE}"),
    ("where expected == no_source) == 48", f"where expected == no_source) == {STRATA * SIZE - POSITIVE}"),
)
WHOLE = ("accuracy", "balanced_accuracy", "provider_precision", "provider_recall", "no_source_recall")
STANDARD: dict[str, Any] = {
    **{name: (">=", Fraction(9, 10)) for name in WHOLE},
    "stratum": (">=", Fraction(3, 4)),
    "mixed": (">=", Fraction(3, 4)),
    "FP": 2,
    "FN": 2,
    "recall_of": "FN",
    "precision_of": "FP",
    "balanced": True,
    "only_mixed": True,
}
Mutation = tuple[str, tuple[Change, ...], dict[str, Any]]


def mutations() -> Iterator[Mutation]:
    """Name, changes of the text, changes of the gates."""
    for name in WHOLE:
        old = f"must: {name} >= 0.90"
        for step in ("0.50", "0.75", "0.80", "0.83", "0.85", "0.91", "0.95", "1.00"):
            yield f"{name} {step}", ((old, f"must: {name} >= {step}"),), {name: (">=", Fraction(step))}
        yield f"{name} above", ((old, f"must: {name} > 0.90"),), {name: (">", Fraction(9, 10))}
        yield f"{name} dropped", ((old, "must: count(cases) >= 1"),), {name: None}
    for key, text in (("stratum", "have accuracy >= 0.75"), ("mixed", "have balanced_accuracy >= 0.75")):
        for step in ("0.25", "0.50", "0.60", "0.80", "1.00"):
            yield f"{key} {step}", ((text, text.replace("0.75", step)),), {key: (">=", Fraction(step))}
        yield f"{key} above", ((text, text.replace(">=", ">")),), {key: (">", Fraction(3, 4))}
    yield "stratum dropped", (("must: all strata have accuracy >= 0.75", "must: count(cases) >= 1"),), {"stratum": None}
    for limit in (0, 1, 3, 4):
        yield f"FP {limit}", (("FP > 2 or", f"FP > {limit} or"),), {"FP": limit}
        yield f"FN {limit}", (("or FN > 2", f"or FN > {limit}"),), {"FN": limit}
    yield (
        "limits dropped",
        (("must: no strata have FP > 2 or FN > 2", "must: count(cases) >= 1"),),
        {"FP": 99, "FN": 99},
    )
    both = (
        ("must: no strata have FP > 2 or FN > 2", "must: count(cases) >= 1"),
        ("have accuracy >= 0.75", "have accuracy >= 0.25"),
    )
    yield "limits and stratum", both, {"FP": 99, "FN": 99, "stratum": (">=", Fraction(1, 4))}
    yield "recall of TN", (("is: TP / (TP + FN)", "is: TP / (TP + TN)"),), {"recall_of": "TN"}
    yield "precision of FN", (("is: TP / (TP + FP)", "is: TP / (TP + FN)"),), {"precision_of": "FN"}
    swapped = ("is: (provider_recall + no_source_recall) / 2", "is: (TP + TN) / count(cases)")
    yield "balanced as accuracy", (swapped,), {"balanced": False}
    yield "every stratum", (("all strata where mixed have", "all strata have"),), {"only_mixed": False}


ALL = list(mutations())
FEW = [one for one in ALL if one[0] in (
    "accuracy 0.80", "provider_recall 0.83", "provider_recall 0.95", "no_source_recall above", "stratum dropped",
    "mixed 0.50", "FP 3", "limits and stratum", "recall of TN", "every stratum",
)]  # fmt: skip
SOLVED = [one for one in FEW if one[0] in ("accuracy 0.80", "every stratum", "recall of TN")]  # the last has a product
CHOSEN = ALL if os.environ.get("PROTOC_LONG") == "1" else FEW


def ratio(above: int | Fraction, below: int) -> Fraction | None:
    return Fraction(above) / below if below else None


def half(one: Fraction | None, other: Fraction | None) -> Fraction | None:
    return None if one is None or other is None else (one + other) / 2


def met(value: Fraction | None, gate: tuple[str, Fraction] | None) -> bool:
    if gate is None:
        return True
    return value is not None and (value > gate[1] if gate[0] == ">" else value >= gate[1])


def shares(counts: dict[str, int], rules: dict[str, Any]) -> tuple[Fraction | None, Fraction | None]:
    """Accuracy and balanced accuracy."""
    right = ratio(counts["TP"] + counts["TN"], sum(counts.values()))
    recall = ratio(counts["TP"], counts["TP"] + counts[rules["recall_of"]])
    other = ratio(counts["TN"], counts["TN"] + counts["FP"])
    # within strata the metric that is swapped divides by the cases of the stratum, too
    return right, half(recall, other) if rules["balanced"] else right


def passes(strata: tuple[tuple[int, int, int], ...], rules: dict[str, Any]) -> bool:
    whole = {"TP": 0, "TN": 0, "FP": 0, "FN": 0}
    mixed = 0
    for positive, missed, wrong in strata:
        one = {"TP": positive - missed, "FN": missed, "FP": wrong, "TN": SIZE - positive - wrong}
        whole = {name: whole[name] + one[name] for name in whole}
        right, balanced = shares(one, rules)
        if not met(right, rules["stratum"]) or wrong > rules["FP"] or missed > rules["FN"]:
            return False
        if 0 < positive < SIZE or not rules["only_mixed"]:
            mixed += 1
            if not met(balanced, rules["mixed"]):
                return False
    right, balanced = shares(whole, rules)
    told = (
        (right, "accuracy"),
        (balanced, "balanced_accuracy"),
        (ratio(whole["TP"], whole["TP"] + whole[rules["precision_of"]]), "provider_precision"),
        (ratio(whole["TP"], whole["TP"] + whole[rules["recall_of"]]), "provider_recall"),
        (ratio(whole["TN"], whole["TN"] + whole["FP"]), "no_source_recall"),
    )
    # educational cases and supportable ones are found only among rows that are right; some mixed stratum must be there
    return bool(mixed) and whole["TP"] > 0 and all(met(value, rules[name]) for value, name in told)


@cache
def states() -> list[tuple[tuple[int, int, int], ...]]:
    one = [(p, m, w) for p in range(SIZE + 1) for m in range(p + 1) for w in range(SIZE - p + 1)]
    return [many for many in combinations_with_replacement(one, STRATA) if sum(p for p, _, _ in many) == POSITIVE]


@cache
def standard() -> list[bool]:
    return [passes(state, STANDARD) for state in states()]


def enumerated(rules: dict[str, Any]) -> tuple[bool, bool]:
    """Whether something passes only after the change, and only before it."""
    after = [passes(state, STANDARD | rules) for state in states()]
    pairs = list(zip(standard(), after, strict=True))
    return (False, True) in pairs, (True, False) in pairs


def test_there_are_enough_changes() -> None:
    assert len(ALL) >= 60
    assert len(FEW) == 10
    assert any(standard())


@pytest.mark.parametrize(("name", "changes", "rules"), CHOSEN, ids=[one[0] for one in CHOSEN])
def test_the_engine_agrees_with_enumeration(name: str, changes: tuple[Change, ...], rules: dict[str, Any]) -> None:
    found = proof.compare(ask(*SMALL), ask(*SMALL, *changes), replay=False, solver=False).verdict
    looser, stricter = enumerated(rules)
    assert found.looser.state == ("possible" if looser else "no"), name
    assert found.stricter.state == ("possible" if stricter else "no"), name


def finest_asked(pair: Pair) -> Engine:
    """The engine of a pair that tells most classes of rows apart, of those that its first two levels have."""
    *_, engine = filter(None, map(pair.engine, list(pair.levels(pair.old.released, pair.new.released))[:2]))
    return engine


@pytest.mark.skipif(not solver.available(), reason="z3 is not installed")
@pytest.mark.parametrize(("name", "changes", "rules"), CHOSEN if CHOSEN is ALL else SOLVED, ids=lambda value: None)
def test_z3_agrees_with_enumeration(name: str, changes: tuple[Change, ...], rules: dict[str, Any]) -> None:
    pair = Pair(ask(*SMALL), ask(*SMALL, *changes))
    before, after = pair.old.released, pair.new.released
    looser, stricter = enumerated(rules)
    if before == after:
        assert (looser, stricter) == (False, False)
        return
    engine = finest_asked(pair)
    for wanted, expected in (({before: n.FALSE, after: n.TRUE}, looser), ({before: n.TRUE, after: n.FALSE}, stricter)):
        state = solver.Solver().solve(engine, wanted).state
        assert state == ("possible" if expected else "impossible"), name


@pytest.mark.skipif(not solver.available(), reason="z3 is not installed")
def test_z3_gives_up_a_product_when_the_work_that_is_allowed_is_done() -> None:
    ((changes, _),) = [rest for name, *rest in ALL if name == "recall of TN"]
    pair = Pair(ask(*SMALL), ask(*SMALL, *changes))
    made = solver.Solver(solver.Limits(question=100_000))
    found = made.solve(finest_asked(pair), {pair.old.released: n.TRUE, pair.new.released: n.FALSE})
    assert (found.state, found.reason) == ("open", "the solver was not done with the work that is allowed")
