"""What an acceptable answer is."""

from __future__ import annotations

import base64
import json
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.diagnostics import Refused
from protoc_runtime.procedure import Answer
from protoc_runtime.providers.answers import ERRORS, Acceptance, _parsed, usage_of_stream
from protoc_runtime.providers.schemas import load_schema
from providers.conformance import VECTOR, embedding

JSON = "application/json"


def judged(answer: Answer | None, body: bytes, folder, *, status: int = 200, kind: str = JSON, inputs=None):
    """The verdict on an answer."""
    schema = load_schema(folder, answer.json, "embedding") if answer and answer.json else None
    return Acceptance(answer, schema).judge(status, kind, body, inputs)


@pytest.mark.parametrize(
    ("body", "error", "words"),
    [
        (embedding(), None, ""),
        (embedding([0.25, 1, 2, 3]), None, ""),
        (embedding([0.25, 1, 2]), "dimension", "3 numbers instead of 4"),
        (embedding([]), "dimension", "0 numbers"),
        (b'{"data": [{"embedding": [NaN, 1, 2, 3]}]}', "semantic", "NaN"),
        (b'{"data": [{"embedding": [Infinity, 1, 2, 3]}]}', "semantic", "Infinity"),
        (b'{"data": [{"embedding": [1e999, 1, 2, 3]}]}', "semantic", "finite"),
        (b'{"data": [{"embedding": [1e999, -1e999, 2, 3]}]}', "semantic", "finite"),
        (b'{"data": [{"embedding": [1%s, 1.5, 2, 3]}]}' % (b"0" * 400), "semantic", "finite"),
        (embedding([True, 1, 2, 3]), "semantic", "not a list of numbers"),
        (embedding(["1", 1, 2, 3]), "semantic", "not a list of numbers"),
        (embedding([None, 1, 2, 3]), "semantic", "not a list of numbers"),
        (b'{"data": []}', "semantic", "no vector"),
        (b"{}", "semantic", "no vector"),
        (b"[]", "semantic", "no vector"),
        (b"null", "semantic", "no vector"),
        (b'{"data": [{"embedding": 3}]}', "semantic", "not a list"),
        (b'{"data": [{}]}', "semantic", "not a list"),
        (b'{"embedding": [1, 2, 3, 4]}', None, ""),
        (b'{"embeddings": [[1, 2, 3, 4], [1, 2, 3]]}', "dimension", "3 numbers"),
        (b'{"embedding": [1, 2, 3, 4], "embedding": [1, 2]}', "semantic", "a key is repeated"),
        (b'{"embedding": [1, 2, 3, 4]} x', "semantic", "not JSON"),
        (b"\xff\xfe", "semantic", "not UTF-8"),
        (b"[" * 100_000, "semantic", "not JSON"),
        (b"", "semantic", "not JSON"),
        (b'{"embedding": [1, 2, 3, 4], "usage": {"cost": 1e999}}', "semantic", "finite"),
    ],
)
def test_an_embedding(tmp_path, body, error, words):
    verdict = judged(Answer(dimension=4, finite=True), body, tmp_path)
    assert (verdict.error, words in verdict.reason) == (error, True), verdict
    assert error is None or error in ERRORS
    assert verdict.dimension == {None: 4, "dimension": verdict.dimension}.get(error, verdict.dimension)


def test_the_dimension_that_came_is_told(tmp_path):
    assert judged(Answer(dimension=4), embedding([1.0] * 7), tmp_path).dimension == 7


@pytest.mark.parametrize(
    ("numbers", "error"), [(VECTOR, None), (VECTOR[:3], "dimension"), ([1.0, float("nan"), 1, 1], "semantic")]
)
def test_a_vector_in_base64(tmp_path, numbers, error):
    text = base64.b64encode(struct.pack(f"<{len(numbers)}f", *numbers)).decode()
    body = json.dumps({"data": [{"embedding": text}]}).encode()
    assert judged(Answer(dimension=4), body, tmp_path).error == error


@pytest.mark.parametrize("text", ["!!", "AAAA!", "AAA=", "AAECAwQ="])
def test_no_vector_in_base64(tmp_path, text):
    body = json.dumps({"data": [{"embedding": text}]}).encode()
    assert judged(Answer(dimension=4), body, tmp_path).error in ("semantic", "dimension")


@pytest.mark.parametrize(("inputs", "error"), [(None, None), (2, None), (3, "semantic"), (1, "semantic")])
def test_one_vector_for_each_input(tmp_path, inputs, error):
    body = json.dumps({"data": [{"embedding": VECTOR}, {"embedding": VECTOR}]}).encode()
    assert judged(Answer(dimension=4), body, tmp_path, inputs=inputs).error == error


@pytest.mark.parametrize(
    ("status", "error"),
    [(200, None), (201, "status"), (301, "redirect"), (307, "redirect"), (400, "validation"), (401, "authentication"),
     (403, "authentication"), (404, "status"), (422, "validation"), (429, "status"), (503, "status")],
)  # fmt: skip
def test_status_without_more(tmp_path, status, error):
    assert judged(None, b"not JSON", tmp_path, status=status, kind="text/plain").error == error


def test_declared_statuses(tmp_path):
    assert judged(Answer(statuses=("2xx",)), b"", tmp_path, status=204).error is None
    assert judged(Answer(statuses=("201",)), b"", tmp_path, status=200).error == "status"


@pytest.mark.parametrize(
    ("kind", "error"),
    [("application/json; charset=utf-8", None), ("Application/JSON", None), ("application/problem+json", None),
     ("text/html", "content_type"), ("", "content_type"), ("text/event-stream", "content_type")],
)  # fmt: skip
def test_content_type(tmp_path, kind, error):
    assert judged(Answer(finite=True), embedding(), tmp_path, kind=kind).error == error


def test_a_pinned_schema(tmp_path):
    (tmp_path / "s.json").write_text(json.dumps({"type": "object", "required": ["route"],
                                                 "properties": {"route": {"enum": ["a", "b"]}}}))  # fmt: skip
    answer = Answer(json="s.json")
    assert judged(answer, b'{"route": "a"}', tmp_path).error is None
    verdict = judged(answer, b'{"route": "c"}', tmp_path)
    assert (verdict.error, verdict.reason) == ("semantic", "the answer does not fit its schema at /route: enum")


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        (None, "No such file"),
        ("{", "not JSON"),
        ('{"type": "objet"}', "no JSON Schema"),
        ('{"$ref": "http://127.0.0.1:9/schema.json"}', "leads nowhere"),
        ('{"properties": {"a": {"$ref": "other.json"}}}', "leads nowhere"),
        ('{"properties": {"a": {"$ref": "#/$defs/b"}}}', "leads nowhere"),
    ],
)
def test_a_schema_that_cannot_be_used(tmp_path, text, reason):
    if text is not None:
        (tmp_path / "s.json").write_text(text)
    with pytest.raises(Refused) as refused:
        load_schema(tmp_path, "s.json", "embedding")
    (told,) = refused.value.diagnostics
    assert told.id == "E1602"
    assert reason in told.message


def test_a_schema_may_refer_to_itself(tmp_path):
    (tmp_path / "s.json").write_text('{"$defs": {"b": {"type": "string"}}, "properties": {"a": {"$ref": "#/$defs/b"}}}')
    assert judged(Answer(json="s.json"), b'{"a": "x"}', tmp_path).error is None
    assert judged(Answer(json="s.json"), b'{"a": 1}', tmp_path).error == "semantic"


def test_costs_are_kept_for_failures_too(tmp_path):
    body = json.dumps({"usage": {"total_tokens": 7, "ratio": 0.5, "flag": True, "negative": -1}}).encode()
    assert judged(None, body, tmp_path, status=500).cost == {"total_tokens": 7}
    assert judged(Answer(dimension=3), embedding(), tmp_path).cost == {"prompt_tokens": 3, "total_tokens": 3}


def test_usage_of_a_stream():
    tail = (
        b'ken off"}\n\ndata: {"model": "m", "usage": null}\n\ndata: {"usage": {"total_tokens": 9}}\n\ndata: [DONE]\n\n'
    )
    assert usage_of_stream(tail) == ("m", {"total_tokens": 9})
    assert usage_of_stream(b"data: {") == (None, None)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('":\\ a', max_size=6),
    lambda inner: st.lists(inner) | st.dictionaries(st.text('":\\ a', max_size=3), inner), max_leaves=12,
)  # fmt: skip


@given(VALUES, st.sampled_from([None, 1]))
def test_the_fast_reader_agrees(value, indent):
    assert _parsed(json.dumps(value, indent=indent).encode()) == (value, None)


@given(VALUES, VALUES, st.text('":\\ a', max_size=3))
def test_repeated_keys_are_always_found(first, second, key):
    text = f"[{{{json.dumps(key)}: {json.dumps(first)}, {json.dumps(key)} :{json.dumps(second)}}}]"
    assert _parsed(text.encode())[0] is None
