"""The table of limits says what the code does."""

from __future__ import annotations

import importlib
import re
from pathlib import Path

import pytest

from protoc_compiler.catalogue import all_kinds

PAGE = Path(__file__).resolve().parents[2] / "docs" / "limits.md"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in PAGE.read_text(encoding="utf-8").splitlines()
    if line.startswith("| ") and "`protoc_" in line
]


@pytest.mark.parametrize("row", ROWS, ids=lambda row: row[0])
def test_a_limit_is_what_the_table_says(row):
    _, value, _, place, told = row
    module, _, name = place.strip("`").rpartition(".")
    assert getattr(importlib.import_module(module), name) == int(value.replace(",", ""))
    known = {kind.id for kind in all_kinds()}
    assert set(re.findall(r"[EWN]\d{4}", told)) <= known


def test_the_table_has_the_caps_of_specs_rows_and_subjects():
    assert len(ROWS) == 29
    assert len({row[3] for row in ROWS}) == len(ROWS)
