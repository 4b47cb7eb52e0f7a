"""The library as random formulas use it: by what it gives, the weight, what its first operand is, and the form.

In a form `{x}` is the operand, `{y}` another of its type, `{c}` a condition, `{rows}` the rows; the other names are
options, for which `options` gives values.
"""

from __future__ import annotations

from random import Random

from fuzz.kinds import BOOL, ENUM, INT, NUM, TEXT, Kind

Way = tuple[float, Kind, str]

OVER: dict[str, tuple[Way, ...]] = {
    "int": (
        (2, INT, "sum({x} over {rows})"),
        (0.5, INT, "product({x} over {rows})"),
        (0.3, TEXT, "distinct({x} over {rows})"),
        (0.3, ENUM, "distinct({x} over {rows})"),
        (0.3, NUM, "distinct({x} over {rows})"),
        (0.2, Kind("any"), "distinct({x} over {rows})"),
        (0.2, Kind("date"), "distinct({x} over {rows})"),
        (0.3, BOOL, "mcnemar({x}, {c} over {rows}).{discordant}"),
        (0.3, NUM, "sign_test({x}, {y} over {rows}, ties = {ties}).more"),
    ),
    "num": (
        (3, BOOL, "rate({x} over {rows})"),
        (1, INT, "mean({x} over {rows})"),
        (1, NUM, "mean({x} over {rows})"),
        (1, NUM, "sum({x} over {rows})"),
        (0.5, INT, "median({x} over {rows})"),
        (0.5, NUM, "median({x} over {rows})"),
        (0.5, INT, "variance({x} over {rows})"),
        (0.5, NUM, "variance({x} over {rows})"),
        (1, NUM, "quantile({x} over {rows}, at = {at})"),
        (0.5, INT, "quantile({x} over {rows}, at = {at}, method = linear)"),
        (0.5, NUM, "p95({x} over {rows})"),
        (0.5, NUM, "mad({x} over {rows})"),
        (0.5, NUM, "harmonic_mean({x} over {rows})"),
        (0.3, NUM, "product({x} over {rows})"),
        (0.5, NUM, "cut_off({x} over {rows}, group = {group}, of = {groups})"),
        (0.5, NUM, "auc({x}, {c} over {rows})"),
        (0.5, BOOL, "mcnemar({x}, {c} over {rows}).p"),
        (0.5, NUM, "correlation({x}, {y} over {rows}).signed_square"),
        (0.5, NUM, "spearman({x}, {y} over {rows}).signed_square"),
        (0.3, NUM, "benjamini_hochberg({x} over {rows}, level = {level}{missing}).limit"),
        (0.3, NUM, "sign_test({x}, {y} over {rows}, ties = {ties}).p"),
        (0.3, ENUM, "cohen_kappa({x}, {y} over {rows})"),
        (0.3, ENUM, "fleiss_kappa({x}, {y} over {rows})"),
        (0.3, NUM, "brier({x}, {c} over {rows})"),
        (0.3, NUM, "ece({x}, {c} over {rows}, bins = {groups})"),
    ),
    "real": ((1, NUM, "spearman({x}, {y} over {rows}).value"),),
    "measure": tuple(
        (1, Kind(""), f"{function}({{x}} over {{rows}})")
        for function in ("sum", "mean", "min", "max", "median", "p95", "mad", "harmonic_mean")
    ),
}
ORDERED: dict[str, tuple[Way, ...]] = {
    "int": ((1, BOOL, "longest_run({x} over {rows})"),),
    "num": ((0.5, NUM, "max_drawdown({x} over {rows})"),),
}
ON_VALUES: dict[str, tuple[Way, ...]] = {
    "int": (
        (0.5, INT, "abs({x})"),
        (0.5, INT, "(-{x})"),
        (0.5, NUM, "floor({x})"),
        (0.5, BOOL, "indicator({x})"),
        (0.5, TEXT, "chars({x})"),
        (0.3, INT, "({x}) ^ {power}"),
        (2, INT, "({x} {sign} {y})"),
        (0.1, ENUM, "chars({x})"),
        (0.1, ENUM, "offset({x}, {y})"),
        (0.3, TEXT, "occurrences({x}, {y})"),
        (0.3, TEXT, "offset({x}, {y})"),
    ),
    "num": (
        (0.5, NUM, "abs({x})"),
        (0.5, NUM, "round({x}, digits = {power})"),
        (0.5, Kind("real"), "round({x}, digits = {power})"),
        (0.3, NUM, "({x}) ^ {power}"),
        (1, NUM, "({x} {sign} {y})"),
        (1, NUM, "({x} / {y})"),
        (1.5, INT, "({x} / {y})"),
        (0.3, Kind("dur", "s"), "({x} / {y})"),
        (0.3, Kind("usd", "USD"), "({x} / {y})"),
        (0.3, INT, "fisher({x}, {y}, 3, {x}).{tail}"),
        (0.3, INT, "binomial_test({x}, {y}, 0.3).{tail}"),
        (0.1, NUM, "binomial_test(2, 7, {x}).{tail}"),
        (0.2, INT, "round({x}, digits = {y})"),
        (0.2, NUM, "holm({x}, [{x}, {y}, 0.04]{missing})"),
        (0.1, NUM, "bonferroni({x}, [{x}, {y}]{missing})"),
        (0.1, NUM, "benjamini_hochberg({x}, [{y}, {x}]{missing})"),
        (0.02, NUM, "holm({x}, [{y}, 0.04])"),
    ),
    "real": (
        (1, NUM, "sqrt({x})"),
        (1, INT, "wilson({x}, {y}, level = {level}).{side}"),
        (0.5, INT, "clopper_pearson({x}, {y}, level = {level}).{side}"),
        (0.3, INT, "newcombe({x}, {y}, 1, 2, level = {level}).{side}"),
        (0.1, NUM, "wilson(3, 8, level = {x}).{side}"),
    ),
    "text": ((1, TEXT, "slice({x}, {power}, {groups})"),),
    "date": ((1, Kind("time"), "day({x})"),),
}


def options(rng: Random) -> dict[str, str]:
    """A value for every option."""
    pick = rng.choice
    return {
        "at": pick(("50%", "25%", "0.9", "10%", "0", "1")),
        "level": pick(("90%", "95%", "99%", "80%")),
        "missing": pick(("", ", missing = dropped", ", missing = counted")),
        "ties": pick(("dropped", "halved")),
        "discordant": pick(("only_first", "only_second")),
        "tail": pick(("p", "at_least", "at_most")),
        "side": pick(("low", "high")),
        "sign": pick("+-*"),
        "power": str(rng.randint(0, 3)),
        "group": str(rng.randint(1, 3)),
        "groups": str(rng.randint(1, 4)),
    }
