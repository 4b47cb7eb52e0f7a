"""The Gini coefficient: the mean distance of two values over twice the mean."""


def gini(sizes):
    """`sizes` is a list of Fractions; None where there is nothing to spread."""
    if not sizes or not sum(sizes):
        return None
    apart = sum(abs(x - y) for x in sizes for y in sizes)
    return apart / (2 * len(sizes) * sum(sizes))
