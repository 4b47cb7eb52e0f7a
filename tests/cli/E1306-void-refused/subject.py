"""A subject that ends its own run at the third message."""

import os
import signal
import time


def answer(case):
    if case["text"].startswith("Final"):
        os.kill(os.getppid(), signal.SIGKILL)
        time.sleep(200)
    return {"answers": {"answer": "wanted"}}
