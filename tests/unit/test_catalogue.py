"""The catalogue of diagnostics as a whole, and the page made from it."""

from __future__ import annotations

import re
import string
from collections import Counter

from protoc_compiler import docs_gen
from protoc_compiler.catalogue import all_kinds

LETTERS = {"E": "error", "W": "warning", "N": "note"}


def repeated(values: list[str]) -> list[str]:
    return sorted(value for value, count in Counter(values).items() if count > 1)


def test_ids_and_names_are_unique() -> None:
    kinds = all_kinds()
    assert repeated([kind.id for kind in kinds]) == []
    assert repeated([kind.name for kind in kinds]) == []


def test_ids_tell_area_and_severity() -> None:
    wrong = [
        kind.id
        for kind in all_kinds()
        if not re.fullmatch(r"[EWN]\d{4}", kind.id)
        or LETTERS[kind.id[0]] != kind.severity
        or kind.id[1:3] not in docs_gen.AREAS
    ]
    assert wrong == []


def test_names_are_kebab_case() -> None:
    assert [kind.name for kind in all_kinds() if not re.fullmatch(r"[a-z0-9]+(-[a-z0-9]+)*", kind.name)] == []


def test_each_kind_explains_itself() -> None:
    """A reason of some length, and templates whose fields all have names."""
    for kind in all_kinds():
        assert len(kind.why.split()) > 5, kind.id
        assert kind.message.strip(), kind.id
        for template in (kind.message, kind.hint):
            assert all(field is None or field for _, field, _, _ in string.Formatter().parse(template)), kind.id


def test_messages_and_hints_are_written_alike() -> None:
    """They start in lower case, names such as RECEIPT.md apart, and have no final full stop."""
    texts = [(kind.id, text) for kind in all_kinds() for text in (kind.message, kind.hint) if text]
    assert [told for told in texts if told[1].endswith(".") and not told[1].endswith("...")] == []
    assert [told for told in texts if told[1][0].isupper() and not told[1][1].isupper()] == []


def test_the_page_names_every_kind_once() -> None:
    page = docs_gen.page()
    for kind in all_kinds():
        assert page.count(f"### {kind.id} {kind.name}\n") == 1
