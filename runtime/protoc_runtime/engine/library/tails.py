"""Tails of a count's distribution as exact fractions, from the quotients of its neighbouring probabilities.

The probabilities of the counts 0, ..., `size` stand in the proportion of whole numbers ("weights"). `ratio(k)` is
the weight of k + 1 over that of k, as numerator and denominator, and never grows with k: the weights rise to a
largest one and then fall. A sum of weights is found by halving, so that few of its products are of large numbers.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import log

Ratio = Callable[[int], tuple[int, int]]
Tails = tuple[Fraction, Fraction, Fraction]

_NEAR = 1e-6  # logarithms of weights further apart than this differ for certain: doubles err by far less


def tails(size: int, at: int, here: int, whole: int, ratio: Ratio) -> Tails:
    """The probability of all counts at most as probable as `at`, of those at least, and of those at most as large.

    `here` is the weight of `at`, `whole` the sum of all.
    """
    above = here + _after(here, ratio, at, size)
    below = whole - above + here
    if at < size and ratio(at)[0] >= ratio(at)[1]:
        both = below + _beyond(here, ratio, at, size)
    else:  # the same, counted from the other end
        both = above + _beyond(here, lambda k: ratio(size - 1 - k)[::-1], size - at, size)
    return Fraction(both, whole), Fraction(above, whole), Fraction(below, whole)


def half_tail(n: int, at: int) -> Fraction:
    """P(X <= at) of a binomial count with the share 1/2."""
    return Fraction(1 + _after(1, lambda k: (n - k, k + 1), 0, at), 2**n)


def _after(weight: int, ratio: Ratio, at: int, end: int) -> int:
    """The sum of the weights of at + 1, ..., `end`, given that of `at`."""
    if at >= end:
        return 0
    _, bottom, total = _halved(ratio, at, end)
    return weight * total // bottom


def _beyond(here: int, ratio: Ratio, at: int, size: int) -> int:
    """The sum of the weights that are at most `here`, beyond the larger ones that follow `at`."""
    height = 0.0
    for k in range(at, size):
        top, bottom = ratio(k)
        height += log(top) - log(bottom)
        if height > _NEAR:
            continue
        top, bottom, _ = _halved(ratio, at, k + 1)
        if top <= bottom:
            weight = here * top // bottom
            return weight + _after(weight, ratio, k + 1, size)
    return 0


def _halved(ratio: Ratio, low: int, high: int) -> tuple[int, int, int]:
    """Of the quotients from `low` up to `high`: the product's numerator and denominator, and the numerator over it of
    the sum of all products that begin at `low`."""
    if high - low == 1:
        top, bottom = ratio(low)
        return top, bottom, top
    middle = (low + high) // 2
    top1, bottom1, total1 = _halved(ratio, low, middle)
    top2, bottom2, total2 = _halved(ratio, middle, high)
    return top1 * top2, bottom1 * bottom2, total1 * bottom2 + top1 * total2
