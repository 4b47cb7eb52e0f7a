"""Rows that are made up: as many as are expected, keys and references that hold, the same ones every time."""

from __future__ import annotations

from pathlib import Path

import pytest

from protoc_runtime.packages import load_protocol
from protoc_runtime.rehearsal_counts import Wanted, expected_rows
from protoc_runtime.rehearsing import ROWS, synthetic
from protoc_runtime.written import written_rows
from unit.projects import Project, new_project

TABLES = """\
    notes:
      says: what a reader noted of a message
      key: [case, place]
      columns: {case: cases, split: splits, place: [head, body], seen: bool, at: time}
    readers:
      says: who reads
      key: reader
      columns: {reader: text, above: readers, lasts: s, born: date, marks: set of int}
      expect:
        - count(readers) == 70
        - count(readers where lasts > 3 s) == 5
"""


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Project:
    made = new_project(tmp_path_factory.mktemp("rehearsal") / "project")
    made.edit("protocol.yaml", "    answers:\n", TABLES + "    answers:\n")
    made.compile()
    return made


def package(project: Project) -> Path:
    return project.folder / "generated" / "spam_filter_v1"


def rows(project: Project, *splits: str) -> dict[str, list[dict[str, object]]]:
    declared = load_protocol(package(project))
    counts = expected_rows(package(project) / "protocol.json")
    tables = synthetic(declared, splits or ("dev", "heldout"), counts)
    return {name: written_rows(declared, name, tables) for name in ("cases", "notes", "readers")}


def test_numbers_of_rows_are_read_off_plain_expectations(project):
    found = expected_rows(package(project) / "protocol.json")
    assert set(found["cases"]) == {Wanted((("split", "dev"),), 6), Wanted((("split", "heldout"),), 8)}
    assert found["readers"] == (Wanted((), 70),), "a comparison says nothing about what to make up"
    assert found["notes"] == ()


def test_every_split_has_the_rows_that_are_expected_of_it(project):
    made = rows(project)
    assert [row["split"] for row in made["cases"]].count("dev") == 6
    assert [row["split"] for row in made["cases"]].count("heldout") == 8
    assert len(made["readers"]) == 70
    assert {row["split"] for row in rows(project, "heldout")["cases"]} == {"heldout"}


def test_a_table_has_a_row_for_each_combination_of_its_key_and_the_split_of_its_case(project):
    made = rows(project)
    split = {row["case"]: row["split"] for row in made["cases"]}
    assert len(made["notes"]) == 2 * len(made["cases"])
    assert all(row["split"] == split[row["case"]] for row in made["notes"])
    assert len({row["at"] for row in made["notes"]}) == len(made["notes"]), "no order ties"


def test_a_table_may_refer_to_itself(project):
    made = rows(project)["readers"]
    names = {row["reader"] for row in made}
    assert len(names) == len(made)
    assert all(row["above"] in names for row in made)


def test_the_same_rows_are_made_every_time(project):
    assert rows(project) == rows(project)


def test_where_nothing_is_expected_each_split_has_a_few_rows(tmp_path):
    project = new_project(tmp_path / "project")
    project.edit("protocol.yaml", "        - count(cases where split == heldout) == 8\n", "")
    project.compile()
    declared = load_protocol(package(project))
    tables = synthetic(declared, ("dev", "heldout"), expected_rows(package(project) / "protocol.json"))
    assert tables["cases"].height == 6 + ROWS
