"""What an acceptable answer is: status, content type, strict and bounded JSON, vectors, the shape that is pinned.

Errors are a closed list (`ERRORS`). Those that a retry policy can name stand in `procedure.CAUSES`; the others end a
call. NaN and infinities are no JSON and no numbers: an answer that holds one is `semantic`.
"""

from __future__ import annotations

import base64
import binascii
import json
import math
import re
import sys
from array import array
from collections.abc import Mapping
from typing import Any

from protoc_runtime.procedure import CAUSES, Answer
from protoc_runtime.record import record
from protoc_runtime.strict_json import no_constant, unique

ERRORS = (*CAUSES, "status", "too_large", "redirect", "content_type", "refused", "unfinished")
LARGEST = 16 * 1024 * 1024  # bytes of an answer after decompression
DEEPEST = 64
LARGEST_USAGE = 20
_KEY_ENDS = re.compile(rb'"[ \t\r\n]*:')
BY_STATUS = {401: "authentication", 403: "authentication", 400: "validation", 422: "validation"}


@record
class Verdict:
    """What an answer came to; `error` None means acceptable. `reason` is for people; `cost` are the counts of the
    answer's `usage`, which a failed attempt has too."""

    error: str | None
    reason: str
    dimension: int | None = None
    model: str | None = None
    cost: Mapping[str, int] | None = None


class _Fault(Exception):
    def __init__(self, error: str, reason: str, dimension: int | None = None) -> None:
        self.error, self.reason, self.dimension = error, reason, dimension
        super().__init__(reason)


class Acceptance:
    """What one provider must answer; `schema` is what `schemas.load_schema` gives."""

    def __init__(self, answer: Answer | None, schema: Any = None) -> None:
        self._answer, self._schema = answer or Answer(), schema

    @property
    def content(self) -> bool:
        """Whether more than the status is asked of an answer, which must then be JSON and is judged as a whole."""
        return self._answer.dimension is not None or self._answer.finite or self._schema is not None

    def status(self, status: int) -> str | None:
        """The error class of a status, or None if it is acceptable."""
        if str(status) in self._answer.statuses or f"{status // 100}xx" in self._answer.statuses:
            return None
        if 300 <= status < 400:
            return "redirect"
        return BY_STATUS.get(status, "status")

    def judge(self, status: int, content_type: str, body: bytes, inputs: int | None) -> Verdict:
        """Judge a whole answer; `inputs` is the number of vectors that the request asks for, where it is known."""
        error = self.status(status)
        value, fault = _parsed(body) if error or self.content or _is_json(content_type) else (None, None)
        model, cost = _model(value), _cost(value)
        if error is not None:
            return Verdict(error, f"status {status}", model=model, cost=cost)
        if not self.content:
            return Verdict(None, "", model=model, cost=cost)
        if not _is_json(content_type):
            return Verdict("content_type", f"the content type is {content_type[:100]!r}, not JSON")
        if fault is not None:
            return Verdict("semantic", fault)
        try:
            return Verdict(None, "", self._content(value, inputs), model, cost)
        except _Fault as found:
            return Verdict(found.error, found.reason, found.dimension, model, cost)

    def _content(self, value: Any, inputs: int | None) -> int | None:
        found = None
        if self._answer.dimension is not None:
            found = _dimension(value, self._answer.dimension, inputs)
        if self._answer.finite:
            _finite(value)
        if self._schema is not None and (fault := next(self._schema.iter_errors(value), None)) is not None:
            path = "/".join(str(part) for part in fault.absolute_path)
            raise _Fault("semantic", f"the answer does not fit its schema at /{path}: {fault.validator}", found)
        return found


def _is_json(content_type: str) -> bool:
    kind = content_type.partition(";")[0].strip().lower()
    return kind == "application/json" or (kind.startswith("application/") and kind.endswith("+json"))


def _parsed(body: bytes) -> tuple[Any, str | None]:
    """The value of a JSON text and None, or None and why it is none; repeated keys and NaN are refused."""
    value = _parsed_fast(body)
    if value is not None:
        return value, None
    try:
        return json.loads(body.decode("utf-8"), parse_constant=no_constant, object_pairs_hook=unique), None
    except UnicodeDecodeError:
        return None, "the answer is not UTF-8"
    except (ValueError, RecursionError) as error:
        return None, f"the answer is not JSON: {str(error)[:200]}"


def _parsed_fast(body: bytes) -> Any:
    """The value, or None where only the strict reader can tell.

    The fast reader keeps the last of repeated keys. Each key of the text is followed by a colon, so a text with as
    many of them as the value has keys repeats none; one with more is left to the strict reader.
    """
    import pydantic_core

    try:
        value = pydantic_core.from_json(body, allow_inf_nan=False)
    except ValueError:
        return None
    keys = _count_keys(value)
    return value if keys == body.count(b":") or keys == len(_KEY_ENDS.findall(body)) else None


def _count_keys(value: Any) -> int:
    if isinstance(value, dict):
        return len(value) + sum(map(_count_keys, value.values()))
    if isinstance(value, list) and value and isinstance(value[0], (dict, list)):
        return sum(map(_count_keys, value))
    return 0


def parse_request(body: bytes) -> Any:
    """A request body as JSON; ValueError says why it is none."""
    value, fault = _parsed(body)
    if fault is not None:
        raise ValueError(fault.replace("the answer", "the body"))
    return value


def _dimension(value: Any, wanted: int, inputs: int | None) -> int:
    vectors = _vectors(value)
    if not vectors:
        raise _Fault("semantic", "the answer holds no vector")
    for vector in vectors:
        numbers = _numbers(vector)
        if len(numbers) != wanted:
            raise _Fault("dimension", f"a vector of {len(numbers)} numbers instead of {wanted}", len(numbers))
        if not _all_finite(numbers):
            raise _Fault("semantic", "a vector holds a number that is not finite", wanted)
    if inputs is not None and len(vectors) != inputs:
        raise _Fault("semantic", f"{len(vectors)} vectors for {inputs} inputs", wanted)
    return wanted


def _vectors(value: Any) -> list[Any]:
    """The vectors of an embedding answer: `data[].embedding`, `embeddings` or `embedding`."""
    if not isinstance(value, dict):
        return []
    data = value.get("data")
    if isinstance(data, list):
        return [item.get("embedding") for item in data if isinstance(item, dict)]
    if isinstance(value.get("embeddings"), list):
        return list(value["embeddings"])
    return [value["embedding"]] if "embedding" in value else []


def _numbers(vector: Any) -> Any:
    """The numbers of one vector: a list of JSON numbers, or base64 of little-endian 32-bit floats."""
    if isinstance(vector, str):
        try:
            raw = base64.b64decode(vector, validate=True)
            numbers = array("f")
            numbers.frombytes(raw)
            if sys.byteorder == "big":
                numbers.byteswap()
        except (binascii.Error, ValueError):
            raise _Fault("semantic", "a vector is text that is no base64 of 32-bit numbers") from None
        return numbers
    if not isinstance(vector, list) or not set(map(type, vector)) <= {int, float}:
        raise _Fault("semantic", "a vector is not a list of numbers")
    return vector


def _all_finite(numbers: Any) -> bool:
    try:
        return math.isfinite(sum(numbers)) or all(map(math.isfinite, numbers))
    except OverflowError:  # an integer beyond every float is no number of a vector either
        return False


def _finite_numbers(items: list[Any]) -> bool:
    """Whether a list holds nothing but finite numbers; a finite sum shows it."""
    if not items or type(items[0]) not in (float, int):
        return False
    try:
        return math.isfinite(sum(items))
    except (TypeError, OverflowError):
        return False


def _finite(value: Any) -> None:
    waiting = [(value, 0)]
    while waiting:
        item, depth = waiting.pop()
        if depth > DEEPEST:
            raise _Fault("semantic", f"the answer is nested deeper than {DEEPEST}")
        if isinstance(item, list):
            if not _finite_numbers(item):
                waiting += [(part, depth + 1) for part in item]
        elif isinstance(item, dict):
            waiting += [(part, depth + 1) for part in item.values()]
        elif isinstance(item, float) and not math.isfinite(item):
            raise _Fault("semantic", "the answer holds a number that is not finite")


def _model(value: Any) -> str | None:
    found = value.get("model") if isinstance(value, dict) else None
    return found[:200] if isinstance(found, str) else None


def _cost(value: Any) -> dict[str, int] | None:
    usage = value.get("usage") if isinstance(value, dict) else None
    if not isinstance(usage, dict):
        return None
    counts = {k[:60]: v for k, v in usage.items() if type(v) is int and 0 <= v < 2**53}
    return dict(sorted(counts.items())[:LARGEST_USAGE]) or None


def usage_of_stream(tail: bytes) -> tuple[str | None, dict[str, int] | None]:
    """The model and the counts of the last events of a streamed answer (`data: {...}` lines), where they hold any."""
    model, cost = None, None
    for line in reversed(tail.split(b"\n")):
        if line.startswith(b"data:") and (value := _parsed(line[5:].strip())[0]) is not None:
            model, cost = model or _model(value), cost or _cost(value)
            if model and cost:
                break
    return model, cost
