"""Functions on values, by the names that the language gives them."""

from __future__ import annotations

from protoc_runtime.engine.library import families, proportions, values

abs = values.absolute
floor = values.floor
min = values.smallest
max = values.largest
indicator = values.indicator
day = values.day
chars = values.chars
occurrences = values.occurrences
slice = values.part
offset = values.offset
size = values.size
round = values.nearest
sqrt = values.root
wilson = values.wilson
bonferroni = families.bonferroni
holm = families.holm
benjamini_hochberg = families.benjamini_hochberg
binomial_test = proportions.binomial_test
clopper_pearson = proportions.clopper_pearson
fisher = proportions.fisher
newcombe = proportions.newcombe
newcombe_side = proportions.newcombe_side
