"""Rows of splits that a phase does not read are gone, and every reference still points to the same row."""

from __future__ import annotations

import polars as pl
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime.declared import Column, Declared, Split, Table, Type
from protoc_runtime.narrowing import only_splits
from protoc_runtime.tables import TableData


def reference(table):
    return Type("row", table=table)


def table(name, kind, parent="", **columns):
    made = tuple(Column(key, value, True, "input", False) for key, value in columns.items())
    return Table(name, kind, name, (), (), made, "file", "", False, parent, (), (), (), (), None, (), "", "", (), ())


TABLES = (
    table("splits", "listed", split=Type("text")),
    table("answers", "input", case=reference("cases"), value=Type("text")),
    table("cases", "input", case=Type("text"), split=reference("splits")),
    table("cases.parts", "nested", "cases", _parent=reference("cases"), position=Type("int")),
    table("groups", "input", members=Type("list", item=reference("cases"))),
)
SPLITS = tuple(Split(name, "role", ("tune",), "", "", "", ()) for name in "abc")
DECLARED = Declared("x", 1, "x", "sha256:0", (), (), TABLES, SPLITS, None, (), (), (), (), ())


def tables(of_cases, of_answers, of_groups):
    rows = pl.UInt32
    frames = {
        "splits": {"split": list("abc")},
        "cases": {"case": [f"c{n}" for n in range(len(of_cases))], "split": pl.Series(of_cases, dtype=rows)},
        "answers": {
            "case": pl.Series(of_answers, dtype=rows),
            "value": [None if n is None else f"c{n}" for n in of_answers],
        },
        "cases.parts": {
            "_parent": pl.Series(list(range(len(of_cases))), dtype=rows),
            "position": pl.Series([1] * len(of_cases), dtype=pl.Int64),
        },
        "groups": {"members": pl.Series(of_groups, dtype=pl.List(rows))},
    }
    return {
        name: TableData(name, pl.DataFrame(frame, schema_overrides={"case": pl.String} if name == "cases" else {}), {})
        for name, frame in frames.items()
    }


@st.composite
def made(draw):
    of_cases = draw(st.lists(st.sampled_from([0, 1, 2, None]), min_size=1, max_size=8))
    some_case = st.integers(0, len(of_cases) - 1)
    of_answers = draw(st.lists(st.none() | some_case, max_size=8))
    of_groups = draw(st.lists(st.none() | st.lists(some_case, max_size=3), max_size=5))
    return of_cases, of_answers, of_groups, draw(st.sets(st.sampled_from("abc")))


@given(made())
def test_rows_of_other_splits_and_what_refers_to_them_are_gone(given_rows):
    of_cases, of_answers, of_groups, read = given_rows
    stays = [split is None or "abc"[split] in read for split in of_cases]
    cut = only_splits(DECLARED, tables(of_cases, of_answers, of_groups), tuple(sorted(read)))
    names = cut["cases"].frame.get_column("case").to_list()
    assert names == [f"c{n}" for n, kept in enumerate(stays) if kept]
    answers = cut["answers"].frame.rows()
    assert [value for _, value in answers] == [
        None if n is None else f"c{n}" for n in of_answers if n is None or stays[n]
    ]
    assert all(value is None if place is None else names[place] == value for place, value in answers)
    assert cut["cases.parts"].frame.get_column("_parent").to_list() == list(range(len(names)))
    groups = cut["groups"].frame.get_column("members").to_list()
    expected = [g if g is None else [f"c{n}" for n in g] for g in of_groups if g is None or all(stays[n] for n in g)]
    assert [g if g is None else [names[n] for n in g] for g in groups] == expected
    assert cut["splits"].height == 3
