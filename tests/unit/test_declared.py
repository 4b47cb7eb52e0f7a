from __future__ import annotations

import hashlib
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from protoc_compiler import core, identity
from protoc_runtime import declared
from protoc_runtime.diagnostics import Refused
from unit import protocols


def test_every_table_column_and_listed_cell_survives_the_way_through_json() -> None:
    given = protocols.tickets()
    read = declared.load(identity.canonical(given))
    assert [t.name for t in read.tables] == sorted(t.name for t in given.tables)
    for mine in read.tables:
        theirs = given.table(mine.name)
        assert mine.key == theirs.key
        assert mine.listed == theirs.listed
        assert sorted((c.name, c.type.kind, c.optional, c.says) for c in mine.columns) == sorted(
            (c.name, c.type.kind, c.optional, c.says) for c in theirs.columns
        )


def test_the_rest_of_the_protocol_is_there() -> None:
    given = protocols.tickets()
    raw = identity.canonical(given)
    read = declared.load(raw)
    assert read.digest == identity.digest(given) == "sha256:" + hashlib.sha256(raw).hexdigest()
    assert (read.id, read.version, read.package) == ("small-study", 1, "small_study_v1")
    assert read.subject is not None
    assert (read.subject.timeout, read.subject.concurrency) == (Fraction(5), 2)
    assert read.subject.cites == (("sees", ("D2",)),)
    frozen = {item.name: item for item in read.freeze}
    assert [item.value for item in frozen.values() if not item.file] == [3]
    assert frozen["prompt"].file == "prompt.txt"
    assert read.split("held").may == ("score once",)
    assert read.phases[0].reads == ("held",)
    assert [item.name for item in read.of("metrics")] == ["cases_read"]
    assert read.of("blockers")[0].forces == "INVALID"
    assert read.released == ("PASS",)
    assert read.statements[0].says == "Written by its author."
    assert read.nested("cases")[0][0] == "turns"


def test_a_reference_is_written_as_the_key_of_its_table() -> None:
    read = declared.load(identity.canonical(protocols.tickets()))
    answers = read.table("answers").column("case")
    assert answers is not None
    assert read.base(answers.type).kind == "text"
    assert read.base(declared.Type("row", table="answers")).kind == "text"


def test_derived_columns_are_not_stored() -> None:
    derived = core.Col("long", core.BOOL, False, "derived", core.Const(core.BOOL, True))
    table = core.Table("t", "input", "t", columns=(protocols.col("a", core.INT), derived))
    read = declared.load(identity.canonical(protocols.protocol((table,))))
    assert [c.name for c in read.table("t").stored] == ["a"]


@pytest.mark.parametrize(
    "raw",
    [b"", b"[]", b"{}", b'{"format": "protoc-identity/0", "protocol": {}}', b'{"format": "protoc-identity/1"}'],
)
def test_what_is_not_the_format_is_refused(raw: bytes, tmp_path: Path) -> None:
    path = tmp_path / "protocol.json"
    path.write_bytes(raw)
    with pytest.raises(Refused) as refused:
        declared.load(path)
    assert [item.id for item in refused.value.diagnostics] == ["E1001"]
    assert refused.value.diagnostics[0].span is not None
    assert refused.value.diagnostics[0].span.file == str(path)


def test_it_imports_nothing_heavy() -> None:
    heavy = "print(sorted({'polars', 'pydantic'} & set(sys.modules)))"
    code = f"import sys, protoc_runtime.declared, protoc_runtime.tables; {heavy}"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
