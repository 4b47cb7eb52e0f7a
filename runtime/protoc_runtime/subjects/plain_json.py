"""JSON that comes from outside, strictly read: no repeated key, no NaN, bounded depth; given on as plain JSON text."""

from __future__ import annotations

import json
from decimal import Decimal

from protoc_runtime.strict_json import no_constant, unique
from protoc_runtime.subjects.worker import AnswerFault, encode


class Unreadable(Exception):
    """It is not what an answer can be; the text goes on after `its output`."""


def plain_json(data: bytes) -> str:
    """The same value as JSON text, numbers as the decimals written. Raises `Unreadable`."""
    if not data.strip():
        raise Unreadable("is empty")
    try:
        value = json.loads(
            data.decode("utf-8"), parse_float=Decimal, parse_constant=no_constant, object_pairs_hook=unique
        )
        return "".join(encode(value))
    except UnicodeDecodeError:
        raise Unreadable("is not UTF-8") from None
    except AnswerFault as fault:
        raise Unreadable(str(fault)) from None
    except RecursionError:
        raise Unreadable("is nested too deep") from None
    except ValueError as fault:
        raise Unreadable(f"is not JSON: {str(fault)[:200]}") from None
