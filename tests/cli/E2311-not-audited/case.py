"""A seal as a version without audits would have written it."""

from pathlib import Path

from protoc_runtime.record import replace
from protoc_runtime.seal import load_seals
from protoc_runtime.seal_format import to_bytes

path = Path("specs/spam_filter/seal.jsonl")
(seal,) = load_seals(path)
path.write_bytes(to_bytes(replace(seal, pins=replace(seal.pins, audits=()))) + b"\n")
