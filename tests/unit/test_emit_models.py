from __future__ import annotations

import ast
import json
import types
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from pydantic import ValidationError
from referencing import Registry

from protoc_compiler import core, identity
from protoc_compiler.emit import models, schemas
from protoc_runtime import declared
from protoc_runtime.diagnostics import Findings
from protoc_runtime.models import Row
from protoc_runtime.reading.builder import Builder
from protoc_runtime.reading.faults import Faults, Place
from protoc_runtime.reading.jsonl import DECODER
from protoc_runtime.reading.layout import layout
from unit import protocols

GOOD: dict[str, Any] = {
    "case": "c1",
    "split": "dev",
    "route": "billing",
    "words": 3,
    "score": 0.5,
    "urgent": True,
    "latency": 250,
    "opened": "2026-08-10T12:00:00Z",
    "day": None,
    "sha": "a" * 64,
    "extra": {"b": 1.5, "a": [1]},
    "tags": ["x", "a"],
    "steps": [1, 0.25],
    "limit": 0.4,
    "turns": [{"by": "agent", "text": "hello"}],
}
ODD = [
    None,
    True,
    False,
    0,
    3,
    -1,
    2**53,
    2**53 + 1,
    0.5,
    3.5,
    "",
    "3",
    "0.9",
    "billing",
    "c\u200b1",
    "dev",
    [],
    ["a", "a"],
]
ODD += [[1, 2], [None], {}, {"a": 1}, "2026-08-10", "2026-08-10T12:00:00Z", "2026-08-10 12:00", "b" * 40, "B" * 40]
ODD += [[{"by": "agent", "text": "x"}], [{"by": "nobody", "text": "x"}], [{"by": "agent"}], "sha256:" + "c" * 64]


def loaded(protocol: core.Protocol) -> dict[str, type[Row]]:
    module = types.ModuleType("generated_models")
    text = models.render(protocol)
    ast.parse(text)
    import sys

    sys.modules["generated_models"] = module
    exec(compile(text, "models.py", "exec"), module.__dict__)
    made: dict[str, type[Row]] = module.MODELS
    return made


PROTOCOL = protocols.tickets()
MODEL = loaded(PROTOCOL)["cases"]
SCHEMA = Draft202012Validator(schemas.render(PROTOCOL)["cases"], registry=Registry())
DECLARED = declared.load(identity.canonical(PROTOCOL))


def reader_takes(line: str) -> bool:
    findings = Findings()
    faults = Faults("cases", findings)
    faults.places.append(Place("cases.jsonl", 0))
    builder = Builder(layout(DECLARED, DECLARED.table("cases")), faults)
    builder.add_rows([DECODER.decode(line)])
    builder.finish()
    return not findings.failed


def model_takes(line: str) -> bool:
    try:
        MODEL.read(line)
    except (ValidationError, ValueError):
        return False
    return True


def test_a_good_row_is_good_for_all_three() -> None:
    line = json.dumps(GOOD)
    assert reader_takes(line)
    assert model_takes(line)
    assert SCHEMA.is_valid(GOOD)


@settings(max_examples=400, deadline=None)
@given(st.sampled_from(sorted(GOOD)), st.sampled_from(ODD), st.sampled_from(["set", "drop", "add"]))
def test_model_schema_and_reader_agree(name: str, value: object, change: str) -> None:
    row = dict(GOOD)
    if change == "set":
        row[name] = value
    elif change == "drop":
        del row[name]
    else:
        row[name + "s"] = value
    line = json.dumps(row)
    assert reader_takes(line) == model_takes(line) == SCHEMA.is_valid(row), line


def test_numbers_keep_their_digits() -> None:
    line = json.dumps(GOOD).replace('"score": 0.5', '"score": 0.1000000000000000055511151231257827')
    assert str(MODEL.read(line).score) == "0.1000000000000000055511151231257827"  # type: ignore[attr-defined]


@pytest.mark.parametrize("bad", ['{"case": "a", "case": "b"}', '{"case": NaN}'])
def test_lines_that_readers_disagree_about_are_refused(bad: str) -> None:
    with pytest.raises(ValueError, match=r"twice|not a number"):
        MODEL.read(bad)


def test_rows_do_not_change() -> None:
    row = MODEL.read(json.dumps(GOOD))
    with pytest.raises(ValidationError):
        row.words = 4  # type: ignore[attr-defined]


HOSTILE = 'quote " triple """ back \\ slash\nline # comment \' \u202e'


def test_no_word_of_the_author_leaves_its_place() -> None:
    column = protocols.col("class", core.Type("enum", members=("a'b", 'c"d', "e\\")), says=HOSTILE)
    table = core.Table(
        "odd",
        "input",
        "odd",
        source="file",
        columns=(
            column,
            protocols.col("copy", core.TEXT),
            protocols.col("list", core.TEXT),
            protocols.col("id", core.INT),
        ),
        says=HOSTILE,
    )
    protocol = protocols.protocol((table,), title=HOSTILE)
    model = loaded(protocol)["odd"]
    assert model.__doc__ is not None
    assert model.__doc__.strip() == HOSTILE.strip()
    row = model.read(json.dumps({"class": 'c"d', "copy": "x", "list": "y", "id": 1}))
    assert (row.class_, row.copy_, row.list_, row.id) == ('c"d', "x", "y", 1)  # type: ignore[attr-defined]
    assert model.model_fields["class_"].description == HOSTILE


def test_a_long_enum_is_broken_over_lines() -> None:
    members = tuple(f"member_number_{i}" for i in range(20))
    table = core.Table(
        "t", "input", "t", source="file", columns=(protocols.col("m", core.Type("enum", members=members)),)
    )
    text = models.render(protocols.protocol((table,)))
    assert max(map(len, text.splitlines())) <= 120
    assert loaded(protocols.protocol((table,)))["t"].read('{"m": "member_number_3"}')


def test_a_table_may_be_called_summary() -> None:
    table = core.Table("summary", "input", "summary", source="file", columns=(protocols.col("a", core.INT),))
    made = schemas.render(protocols.protocol((table,)))
    assert sorted(made) == ["summary", "summary.rows"]
    for schema in made.values():
        Draft202012Validator.check_schema(schema)


def test_wide_rows_are_described_as_they_are_written(tmp_path: Path) -> None:
    made = schemas.render(protocols.per_split())
    assert sorted(made["episodes"]["properties"]) == [
        "case",
        "off_cost",
        "off_observed",
        "on_cost",
        "on_observed",
        "repeat",
    ]
    assert list(made["cases"]["properties"]) == ["case", "text"]


def test_the_summary_schema_takes_what_score_prints() -> None:
    schema = Draft202012Validator(schemas.summary(PROTOCOL), registry=Registry())
    good = {
        "schema": "protoc/score/1",
        "protocol": "small-study",
        "version": 1,
        "spec_digest": "sha256:" + "0" * 64,
        "metrics": {"cases_read": {"num": 87, "den": 96}, "phi": {"float": "0.1", "why": "root"}, "x": None},
        "blockers": {"sealed": False},
        "gates": {},
        "verdict": "PENDING",
        "released": False,
    }
    assert schema.is_valid(good)
    assert not schema.is_valid(good | {"verdict": "MAYBE"})
    assert not schema.is_valid(good | {"metrics": {}})
