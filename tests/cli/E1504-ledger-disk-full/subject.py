"""A subject that lets its run write no file of more than 4,000 bytes, as on a full disk."""

import os
import resource

resource.prlimit(os.getppid(), resource.RLIMIT_FSIZE, (4_000, 4_000))


def answer(case):
    return {"answers": {"answer": "wanted"}}
