"""What a run permits its authors to claim, and what it forbids."""

from __future__ import annotations

from typing import Any

from protoc_runtime.declared import Claim, Declared

_BEFORE = "before "


def saying(declared: Declared, claim: Claim, kind: str, verdict: str, *, judged: bool = False) -> dict[str, Any]:
    """Whether this run permits what the protocol lets its authors claim; only a run that counts permits anything, and
    before people have `judged` what a claim waits for, it is forbidden."""
    waits = waits_for(declared, claim)
    if kind != "run":
        permitted, because = False, f"this is a {kind}, of which nothing may be claimed"
    elif waits and not judged:
        permitted, because = False, f"{waits} is not closed yet"
    elif claim.verdicts:
        permitted = verdict in claim.verdicts
        because = f"when the verdict is {' or '.join(claim.verdicts)}; it is {verdict}"
    elif waits and not claim.may:
        permitted, because = True, f"{waits} is closed"
    else:
        permitted, because = bool(claim.may), claim.may
    about = {"says": claim.says, "status": claim.status, "never": claim.never}
    return {"claim": claim.name, "permitted": permitted, "because": because, **about}


def waits_for(declared: Declared, claim: Claim) -> str:
    """The judgement (or `adjudication`, all of it) before which the protocol forbids the claim; "" for none."""
    name = claim.never.removeprefix(_BEFORE) if claim.never.startswith(_BEFORE) else ""
    known = {"adjudication", *(judgement.name for judgement in declared.judgements)} if declared.judgements else set()
    return name if name in known else ""
