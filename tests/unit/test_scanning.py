"""A credential is found in every form and at every place; what only looks like one is not."""

from __future__ import annotations

import base64
import json
import secrets
from pathlib import Path
from urllib.parse import quote

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from protoc_runtime.credentials import forms, redacted
from protoc_runtime.scanning import NEEDLES, OVERLAP, PIECE, RULES, scan_bytes, scan_folder

VALUE = "k/" + secrets.token_urlsafe(24) + "+é"
TEXT = st.text(min_size=8, max_size=60)


@given(value=TEXT, before=st.binary(max_size=7), after=st.binary(max_size=7))
def test_every_form_of_a_loaded_value_is_found(value: str, before: bytes, after: bytes) -> None:
    raw = value.encode("utf-8", "surrogatepass")
    shown = [
        raw,
        raw.hex().encode(),
        raw.hex().upper().encode(),
        quote(value.encode("utf-8", "surrogatepass"), safe="").encode(),
        base64.b64encode(before + raw + after),
        base64.urlsafe_b64encode(before + raw + after),
        json.dumps(value).encode(),
    ]
    if any("\ud800" <= character <= "\udfff" for character in value):
        return
    for form in shown:
        assert [item.rule for item in scan_bytes(b"x " + form + b" y", "f", {"KEY": value})][:1] == ["the value of KEY"]


def test_short_values_are_not_looked_for() -> None:
    assert forms("abc") == frozenset()


def test_a_value_on_the_edge_of_two_pieces_is_found_once(tmp_path: Path) -> None:
    for offset in (-5, 0, 5, -OVERLAP):
        data = b"a" * (PIECE + offset - 3) + b"\n\n" + VALUE.encode() + b"b" * PIECE
        (tmp_path / "big").write_bytes(data)
        (found,) = scan_folder(tmp_path, {"KEY": VALUE})
        assert (found.file, found.line, found.rule) == ("big", 3, "the value of KEY")


def made(kind: str) -> str:
    """Something that has the form of a credential and is none: made when it is needed."""
    word = secrets.token_hex(24)
    return {
        "private key": "-----BEGIN " + "RSA PRIVATE KEY-----",
        "authorization header": f"Authorization: Basic {word}",
        "bearer token": f"sent bearer {word}",
        "cookie header": f'"Set-Cookie": "session={word}"',
        "api key header": f"x-api-key: {word}",
        "provider key": "sk-" + "proj-" + word,
        "cloud access key": "AKIA" + word[:16].upper(),
        "code host token": "ghp_" + word[:36],
        "signed token": f"eyJ{word}.eyJ{word}.{word}",
        "password in an address": f"postgres://someone:{word}@db.example/x",
    }[kind]


@pytest.mark.parametrize(
    "rule",
    [
        "private key",
        "authorization header",
        "bearer token",
        "cookie header",
        "api key header",
        "provider key",
        "cloud access key",
        "code host token",
        "signed token",
        "password in an address",
    ],
)
def test_each_rule_finds_its_kind(rule: str) -> None:
    found = scan_bytes(f"one line\n{made(rule)}\n".encode(), "f", {})
    assert rule in {item.rule for item in found}
    assert {item.line for item in found} == {2}


@pytest.mark.parametrize(
    "text",
    [
        '{"sha256": "' + "a1" * 32 + '"}',
        "commit " + "0f" * 20,
        "Authorization: Bearer <token>",
        "Authorization: Bearer [redacted KEY sha256:0123456789ab]",
        "the authorization header is never written",
        "api_key: env EMBEDDING_API_KEY",
        '"cookie": null',
        "bearer of good news and of many other things",
        "https://example.org/path?x=1",
        "task-" + "a" * 40,
    ],
)
def test_what_only_looks_like_one_does_not_alarm(text: str) -> None:
    assert scan_bytes(text.encode(), "f", {}) == []


def test_a_finding_never_shows_the_value() -> None:
    (found,) = scan_bytes(VALUE.encode(), "f", {"KEY": VALUE})
    assert VALUE not in found.told()
    assert "KEY" in found.told()


@given(before=st.binary(max_size=40), after=st.binary(max_size=40))
def test_redaction_leaves_nothing_to_find(before: bytes, after: bytes) -> None:
    data = before + VALUE.encode() + after + base64.b64encode(before + VALUE.encode()) + quote(VALUE, safe="").encode()
    clean = redacted(data, {"KEY": VALUE})
    assert scan_bytes(clean, "f", {"KEY": VALUE}) == []
    assert b"[redacted KEY sha256:" in clean


@pytest.mark.parametrize("rule", RULES)
@settings(suppress_health_check=list(HealthCheck))
@given(data=st.data())
def test_what_a_rule_matches_contains_what_it_is_looked_for_by(rule: str, data: st.DataObject) -> None:
    matched = data.draw(st.from_regex(RULES[rule]))
    assert RULES[rule].search(matched)
    assert any(needle in matched.lower() for needle in NEEDLES[rule])
