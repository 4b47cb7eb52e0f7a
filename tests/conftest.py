"""How property tests run: the same examples every time, and no limit on the time of one example.

`HYPOTHESIS_PROFILE=long` looks at other examples, and at more of them.
"""

from __future__ import annotations

import os

from hypothesis import settings

settings.register_profile("ci", deadline=None, derandomize=True)
settings.register_profile("long", deadline=None, max_examples=2_000)
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "ci"))
