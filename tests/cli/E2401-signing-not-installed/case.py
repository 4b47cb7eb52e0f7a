"""Signing where the package cryptography is not installed."""

import sys

sys.modules["cryptography.hazmat.primitives"] = None
from protoc_compiler.__main__ import script  # noqa: E402

sys.argv = ["protoc", "sign", "specs/spam_filter", "--key", "../lab"]
script()
