"""Functions on values, by the names that the language gives them."""

from __future__ import annotations

from protoc_runtime.engine.library import values

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
holm = values.holm
