"""An audit of two files that are too large to compare all pairs, without the package rensa."""

import json
import sys
from pathlib import Path

sys.modules["rensa"] = None
from protoc_compiler.__main__ import script  # noqa: E402

for name, word in (("a.jsonl", "alpha"), ("b.jsonl", "beta")):
    Path(name).write_text("".join(json.dumps({"text": f"{word} number {n}"}) + "\n" for n in range(600)))
sys.argv = ["protoc", "splits", "--overlap", "a.jsonl", "b.jsonl"]
script()
