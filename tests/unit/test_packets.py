"""Files of rows that a protocol asks for, samples within groups, and a column that is called `position`."""

from __future__ import annotations

import json
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler.cli.compile import compiled
from protoc_compiler.emit.package import write
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.evaluating import evaluate
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.packets import ignored, packet_files
from protoc_runtime.scoring import read_data
from protoc_runtime.tables import TableData
from protoc_runtime.written import row_files

SPEC = """protoc: 1
protocol: {id: small, version: 1, title: Draws and packets}
data:
  tables:
    groups: {key: group, rows: [left, right]}
    kinds: {key: kind, columns: {kind: text}}
    pool:
      key: case
      order: case
      columns: {case: text, group: groups, kind: kinds, word: [yes, no], text: text, position: int}
procedure:
  outputs:
    packets.jsonl: {is: packets, of: pool, kept: drawn, shows: [text], rejected: [word, position], digests: [text]}
    all.jsonl: {is: rows, of: pool, shows: [word]}
    some.jsonl: {is: rows, of: pool, kept: drawn, shows: [text]}
definitions:
  drawn: sample(pool, 2, seed = "s", within = group)
  by_kind: sample(pool, 1, seed = 7, within = kind)
  by_word: sample(drawn, 1, seed = "w", within = word)
metrics:
  n: count(drawn)
lists_are: no
"""
LISTS = """verdict:
  - DONE when n > 0
  - NONE otherwise
report:
  released: [DONE]
  lists:
    drawn: list(case over drawn)
    by_kind: list(case over by_kind)
    by_word: list(case over by_word)
"""


class Small:
    """The protocol over rows that a test makes."""

    def __init__(self, folder: Path, rows: list[dict[str, Any]]) -> None:
        spec = folder / "protocol.yaml"
        spec.write_text(SPEC.replace("lists_are: no\n", LISTS), encoding="utf-8")
        (made,) = compiled([spec], Findings(), workspace=folder)
        self.package = folder / made.folder.name
        write(made.files, self.package)
        self.declared, self.rules = load_protocol(self.package), load_rules(self.package)
        data = folder / "rows"
        data.mkdir()
        (data / "pool.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
        (data / "kinds.jsonl").write_text('{"kind": "a"}\n{"kind": "b"}\n', encoding="utf-8")
        self.tables: dict[str, TableData] = read_data(self.declared, data, Findings())

    def lists(self) -> dict[str, Any]:
        """The lists of the report."""
        return evaluate(self.declared, self.rules, self.tables, {})["lists"]  # type: ignore[no-any-return]

    def packets(self) -> dict[str, list[dict[str, Any]]]:
        """The files that the protocol asks for."""
        made = packet_files(self.declared, self.rules, self.tables, {})
        return {name: [json.loads(line) for line in data.splitlines()] for name, data in made.items()}


def pool(count: int = 12) -> list[dict[str, Any]]:
    return [
        {
            "case": f"c{n:02d}", "group": "left" if n % 2 else "right", "kind": "ab"[n % 3 == 0],
            "word": "no" if n % 4 else "yes", "text": f"text {n} \u00e9", "position": n * n,
        }
        for n in range(count)
    ]  # fmt: skip


def test_so_many_are_drawn_of_each_group_and_each_has_a_generator_of_its_own(tmp_path: Path) -> None:
    rows = pool()
    small = Small(tmp_path, rows)
    groups = {row["case"]: row["group"] for row in rows}
    drawn = small.lists()["drawn"]
    assert drawn == sorted(drawn)
    assert sorted(groups[case] for case in drawn) == ["left", "left", "right", "right"]
    assert len(small.lists()["by_kind"]) == 2
    # what one group holds does not change what is drawn of the other
    fewer = [row for row in rows if row["group"] == "left" or row["case"] > "c04"]
    (tmp_path / "fewer").mkdir()
    again = Small(tmp_path / "fewer", fewer).lists()["drawn"]
    assert [case for case in again if groups[case] == "left"] == [case for case in drawn if groups[case] == "left"]


def test_a_group_that_is_too_small_stops_the_evaluation(tmp_path: Path) -> None:
    rows = [row for row in pool() if row["group"] == "left"] + pool(1)
    with pytest.raises(Refused) as stopped:
        Small(tmp_path, rows).lists()
    assert [fault.id for fault in stopped.value.diagnostics] == ["E1257"]


def test_a_packet_has_of_other_rows_no_text(tmp_path: Path) -> None:
    rows = {row["case"]: row for row in pool()}
    small = Small(tmp_path, list(rows.values()))
    drawn, files = set(small.lists()["drawn"]), small.packets()
    assert [line["case"] for line in files["packets.jsonl"]] == list(rows)
    for line in files["packets.jsonl"]:
        row = rows[line["case"]]
        if line["case"] in drawn:
            assert line == {"case": row["case"], "kept": True, "text": row["text"]}
        else:
            digest = sha256(row["text"].encode()).hexdigest()
            told = {"word": row["word"], "position": row["position"], "text_sha256": digest}
            assert line == {"case": row["case"], "kept": False, **told}
    assert files["all.jsonl"] == [{"case": case, "word": row["word"]} for case, row in rows.items()]
    assert [line["case"] for line in files["some.jsonl"]] == sorted(drawn)
    assert b"/rows/pool.jsonl" in ignored(small.declared)[".gitignore"]


def test_a_column_position_is_written_like_any_other(tmp_path: Path) -> None:
    small = Small(tmp_path, pool(4))
    written = row_files(small.declared, small.tables)["rows/pool.jsonl"].splitlines()
    assert [json.loads(line)["position"] for line in written] == [0, 1, 4, 9]
