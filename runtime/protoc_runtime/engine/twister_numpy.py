"""Python's own random numbers as numpy makes them: numpy has the same Mersenne twister, and hands out its numbers at
once where Python makes them one by one. `RandomState` keeps its numbers for all versions of numpy (its policy NEP 19),
and `random_sample` puts two words together as `random.random` does."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

PIECE = 1 << 14  # numbers that are made together, so that they stay in the processor's cache


def numbers(generator: random.Random, count: int, factor: int, kind: type[float] | str) -> np.ndarray:
    """`generator.random() * factor`, `count` times, as an array of this kind of number, which cuts off digits if it is
    one of whole numbers. The generator is left where so many calls leave it."""
    version, (*words, place), gauss = generator.getstate()
    twister = np.random.RandomState()
    twister.set_state(("MT19937", np.array(words, dtype=np.uint32), place, 0, 0.0))
    made = np.empty(count, kind)
    for at in range(0, count, PIECE):
        piece = twister.random_sample(min(PIECE, count - at))
        made[at : at + PIECE] = piece if factor == 1 else piece * factor
    left: dict[str, Any] = twister.get_state(legacy=False)["state"]
    generator.setstate((version, (*left["key"].tolist(), left["pos"]), gauss))
    return made
