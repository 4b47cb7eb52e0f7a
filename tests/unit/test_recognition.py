"""Spent rows are recognised in changed copies: renamed, shuffled, re-encoded, partly replaced, with other keys."""

from __future__ import annotations

import csv
import json
import random
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from protoc_runtime.registry import readings
from unit.corpora import project, rows
from unit.projects import ids, read_json

Rows = list[dict[str, Any]]
SPENT = rows(80, 1, "heldout")


@pytest.fixture(scope="module")
def spent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace in which the held-out split of one protocol has been read."""
    workspace = tmp_path_factory.mktemp("spent")
    first = project(workspace, "first", SPENT)
    first.seal()
    first.run()
    return workspace


def _renamed(given: Rows) -> Rows:
    return [{**row, "split": "unseen"} for row in given]


def _shuffled(given: Rows) -> Rows:
    made = list(given)
    random.Random(3).shuffle(made)
    return made


def _replaced(given: Rows) -> Rows:
    """5 % of the rows are others."""
    return [*rows(4, 9, "heldout"), *given[4:]]


def _other_keys(given: Rows) -> Rows:
    return [{**row, "case": f"z{number * 7}"} for number, row in enumerate(given)]


def _other_labels(given: Rows) -> Rows:
    return [{**row, "case": f"z{number}", "route": "r9"} for number, row in enumerate(given)]


def _one_key(given: Rows) -> Rows:
    return [{**given[0], "case": "another"}, *given[1:]]


def _one_lacks(given: Rows) -> Rows:
    return given[1:]


def _cut_down(given: Rows) -> Rows:
    return given[:20]


def _within_another(given: Rows) -> Rows:
    return [*rows(400, 10, "heldout"), *_other_keys(given)]


def _shouted(given: Rows) -> Rows:
    return [{**row, "case": f"s{n}", "query": row["query"].upper().replace(" ", ",  ")} for n, row in enumerate(given)]


def _one_word_each(given: Rows) -> Rows:
    """Every text with one word changed: nothing is equal any more."""
    made = []
    for number, row in enumerate(given):
        words = row["query"].split()
        words[number % len(words)] = f"changed{number}"
        made.append({**row, "case": f"w{number}", "query": " ".join(words)})
    return made


CHANGES: list[Callable[[Rows], Rows]] = [
    _shuffled, _replaced, _other_keys, _other_labels, _one_key, _one_lacks, _cut_down, _within_another, _shouted,
    _one_word_each,
]  # fmt: skip


def refused(workspace: Path, tmp_path: Path, given: Rows, **about: Any) -> str:
    """Seal another protocol over these rows in a copy of the workspace, try to run it; what was told."""
    copy = tmp_path / "copy"
    shutil.copytree(workspace, copy)
    second = project(copy, "second", given, **about)
    second.seal()
    second.run(status=1)
    assert "E1301" in ids(second), second.err
    assert len(readings(copy / "registry.jsonl")) == 1, "nothing more was registered"
    return second.err


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__.strip("_"))
def test_a_changed_copy_is_recognised(spent: Path, tmp_path: Path, change: Callable[[Rows], Rows]) -> None:
    assert "run runs/first_v1/" in refused(spent, tmp_path, change(SPENT))


def test_another_name_of_file_split_and_protocol_hides_nothing(spent: Path, tmp_path: Path) -> None:
    splits = "unseen: {role: heldout, may: [score once]}"
    assert "all rows are the same" in refused(spent, tmp_path, _renamed(SPENT), splits=splits, reads="unseen")


@pytest.mark.parametrize(
    "encode",
    [
        lambda given: "".join(json.dumps(row) + "\r\n" for row in given).encode(),
        lambda given: "".join(json.dumps(dict(reversed(row.items()))) + "\n" for row in given).encode(),
        lambda given: "".join(
            json.dumps(row, separators=("  , ", "  :\t")).replace("heldout", "h\\u0065ldout") + "\n" for row in given
        ).encode(),
        lambda given: b"\xef\xbb\xbf" + "".join(json.dumps(row) + "\n" for row in given).encode(),
    ],
    ids=["crlf", "key-order", "serialised-anew", "byte-order-mark"],
)
def test_another_encoding_hides_nothing(spent: Path, tmp_path: Path, encode: Callable[[Rows], bytes]) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(spent, copy)
    second = project(copy, "second", SPENT)
    (second.spec / "cases.jsonl").write_bytes(encode(SPENT))
    second.seal()
    second.run(status=1)
    assert "E1301" in ids(second), second.err
    assert "all rows are the same" in second.err


def test_the_same_rows_as_csv_are_recognised(spent: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(spent, copy)
    second = project(copy, "second", SPENT)
    (second.spec / "cases.jsonl").unlink()
    with (second.spec / "cases.csv").open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, ["route", "query", "split", "case"])
        writer.writeheader()
        writer.writerows(SPENT)
    second.seal()
    second.run(status=1)
    assert "E1301" in ids(second), second.err


def test_new_rows_are_read_and_shared_ones_are_told(spent: Path, tmp_path: Path) -> None:
    """A few shared cases are a warning; keys that are equal by chance are another."""
    copy = tmp_path / "copy"
    shutil.copytree(spent, copy)
    fresh = [{**row, "case": SPENT[number]["case"]} for number, row in enumerate(rows(80, 2, "heldout"))]
    fresh[:3] = [{**row, "case": f"old{number}"} for number, row in enumerate(SPENT[:3])]
    second = project(copy, "second", fresh)
    second.seal()
    bundle = second.run()
    assert bundle is not None
    assert {"W2308", "W1308"} <= set(ids(second)), second.err
    assert "shares cases with an earlier reading: 3 of 80 " in second.err
    assert len(readings(copy / "registry.jsonl")) == 2


def test_the_same_protocol_cannot_read_its_split_again_after_an_edit(spent: Path, tmp_path: Path) -> None:
    copy = tmp_path / "copy"
    shutil.copytree(spent, copy)
    first = project(tmp_path / "copy", "again", _one_lacks(SPENT))
    first.edit("protocol.yaml", "id: again\n  version: 1", "id: first\n  version: 2")
    first.seal()
    first.run(status=1)
    assert ids(first) == ["E1301"], first.err


def test_no_text_is_kept_and_the_sketch_does_not_depend_on_order(spent: Path, tmp_path: Path) -> None:
    (path,) = (spent / "registry").iterdir()
    kept = path.read_text(encoding="utf-8")
    assert not any(word in kept for row in SPENT for word in (row["query"], row["case"]))
    assert path.stat().st_size < 80 * 140 + 500
    other = project(tmp_path, "other", _shuffled(SPENT))
    other.seal()
    (same,) = (tmp_path / "registry").iterdir()
    assert same.name == path.name
    assert read_json(path)["texts"]["count"] == 80


def test_without_its_sketch_nothing_is_read(spent: Path, tmp_path: Path) -> None:
    """Whoever deletes or edits a sketch does not make a spent corpus fresh."""
    copy = tmp_path / "copy"
    shutil.copytree(spent, copy)
    (sketch,) = (copy / "registry").iterdir()
    second = project(copy, "second", rows(80, 2, "heldout"))
    second.seal()
    data = sketch.read_bytes()
    for broken in (None, data.replace(b'"count":80', b'"count":81', 1)):
        sketch.unlink() if broken is None else sketch.write_bytes(broken)
        second.run(status=1)
        assert ids(second) == ["E2307"], second.err
        assert ids_of_check(second) == ["E2307"]
    sketch.write_bytes(data)
    second.run()


def ids_of_check(second: Any) -> list[str]:
    second.protoc("splits", "--check", "--workspace", second.folder, status=1)
    return ids(second)
