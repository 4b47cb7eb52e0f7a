"""What a receipt may say of evidence over its seal: *proven* only by what was checked against something trusted."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from protoc_runtime.signing.checking import Verdict
from protoc_runtime.signing.sidecar import TIMESTAMP

PROVEN, RECORDED, ATTESTED = "proven", "recorded", "attested"
SEALED_FIRST = "The protocol was sealed before this run began."


def sealed_first(
    seal: Mapping[str, Any], began: str, evidence: Iterable[Verdict], noted: Iterable[str]
) -> dict[str, str]:
    """The statement about the order of seal and run.

    It is proven where a trusted authority states when the seal existed and the first event of the ledger holds the
    digest of its token, so that the ledger was begun after that. A token that is not trusted here proves nothing.
    """
    held = set(noted)
    tokens = [verdict for verdict in evidence if verdict.kind == TIMESTAMP and verdict.digest in held]
    for token in tokens:
        if token.verified and token.time <= began:
            how = f"a token of {token.who}, trusted by this workspace, states that the seal existed at {token.time}; "
            return _claim(PROVEN, how + "the first event of the ledger holds the token's digest")
    how = f"sealed {seal['time']}, began {began}, by the clock of this machine"
    return _claim(RECORDED, how + "; a time-stamp token stands beside the seal, unchecked" * bool(tokens))


def signers(evidence: Iterable[Verdict]) -> Iterator[dict[str, str]]:
    """The statements about who signed the seal."""
    for verdict in evidence:
        if verdict.kind != TIMESTAMP:
            grade = PROVEN if verdict.verified else ATTESTED
            by = "a key that this workspace trusts" if verdict.verified else "nothing here checked the signature"
            yield {"says": f"The seal was signed by {verdict.who}.", "grade": grade, "evidence": by}


def _claim(grade: str, evidence: str) -> dict[str, str]:
    return {"says": SEALED_FIRST, "grade": grade, "evidence": evidence}
