"""Proofs about rules over counts: can a system pass under one protocol and not under another?

`compare` answers for two protocols, for each rule alone and for the verdict. The engine works on whole numbers, without
a solver, and exhausts what there is: its answers are proofs, or counts on which the two differ.
"""

from __future__ import annotations

from protoc_compiler.proof.answers import Answer, Comparison, Finding, Witness
from protoc_compiler.proof.compare import compare

__all__ = ["Answer", "Comparison", "Finding", "Witness", "compare"]
