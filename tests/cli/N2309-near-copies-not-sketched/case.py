"""Sealing where the package rensa is not installed."""

import sys

sys.modules["rensa"] = None
from protoc_compiler.__main__ import script  # noqa: E402

sys.argv = ["protoc", "seal", "specs/spam_filter"]
script()
