"""Whether a failed attempt is sent again, and after how long: the declared policy and nothing else.

Pure functions. `never_on` weighs more than `only_on`; an answer may have two causes (status 403 is also
`authentication`), and one that the policy forbids is enough to stop.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from fractions import Fraction

from protoc_runtime.procedure import Retry
from protoc_runtime.record import record

LONGEST_HONOURED = Fraction(600)  # seconds; a provider that asks for more ends the call


@record
class Decision:
    """What follows an attempt. `wait` (exact seconds) stands between it and the next; `reason` says why in words."""

    retry: bool
    wait: Fraction
    reason: str
    cause: str = ""  # the cause that let it be sent again


def causes(status: int | None, error: str | None) -> tuple[str, ...]:
    """The causes of a failure in the words of a policy: its class first, then its status in digits."""
    return tuple(name for name in (error, None if status is None else str(status)) if name)


def decide(
    retry: Retry | None, n: int, status: int | None, error: str | None, asked: Fraction | None = None
) -> Decision:
    """What follows attempt `n` (from 1) of a call; `asked` are the seconds of its Retry-After header.

    `error` None means that the answer was acceptable.
    """
    if error is None:
        return _stop("the answer is acceptable")
    if retry is None:
        return _stop("the protocol declares no retry")
    found = causes(status, error)
    if (never := _listed(retry.never_on, found)) is not None:
        return _stop(f"{never} is never retried")
    cause = next((name for name in found if retry.permits(name)), None)
    if cause is None:
        return _stop(f"{' or '.join(found)} is no declared cause")
    if n > retry.at_most:
        return _stop(f"all {retry.at_most} retries are used")
    wait = _wait(retry, n, asked)
    if wait is None:
        return _stop(f"Retry-After asks for more than {LONGEST_HONOURED} s")
    return Decision(True, wait, f"retry {n} of {retry.at_most} after {cause}", cause)


def retry_after(text: str | None, now: datetime) -> Fraction | None:
    """The seconds that a Retry-After header asks for: digits, or a date that is compared with `now`; else None."""
    words = "" if text is None else text.strip()
    if words.isascii() and words.isdigit():
        return Fraction(int(words[:20]))
    try:
        then = parsedate_to_datetime(words)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    then = then.replace(tzinfo=UTC) if then.tzinfo is None else then
    return max(Fraction(0), Fraction(round((then - now).total_seconds() * 1000), 1000))


def _wait(retry: Retry, n: int, asked: Fraction | None) -> Fraction | None:
    declared = retry.waits[min(n, len(retry.waits)) - 1] if retry.waits else Fraction(0)
    if retry.retry_after != "honoured" or asked is None:
        return declared
    return None if asked > LONGEST_HONOURED else max(declared, asked)


def _listed(names: Iterable[str], found: Iterable[str]) -> str | None:
    classes = [name for cause in found for name in (cause, f"{cause[0]}xx" if cause.isdigit() else cause)]
    return next((name for name in classes if name in tuple(names)), None)


def _stop(reason: str) -> Decision:
    return Decision(False, Fraction(0), reason)
