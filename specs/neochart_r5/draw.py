"""The sample as the protocol draws it: the definitions `drawn_sparse` and `drawn_other`, written to data/sample.jsonl.

python3 draw.py PACKAGE    needs `protoc_runtime`, and the package that `protoc compile` has written

The protocol expects of the committed sample that it is exactly this one: one that was chosen by hand is refused.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.gathering import with_rows
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.reading import read_tables

HERE = Path(__file__).resolve().parent
SPLIT = "round5"


def sample(package: Path, folder: Path = HERE) -> list[dict[str, Any]]:
    """The rows of the sample, in the order of the cases' ids."""
    declared, findings = load_protocol(package), Findings()
    tables = read_tables(declared, folder, only=["laws", "pool", "exclusions"], findings=findings)
    if findings.failed:
        raise Refused(findings.sorted())
    others = [table.name for table in declared.tables if table.kind == "input" and table.name not in tables]
    study = load_rules(package).study(with_rows(declared, tables, {name: [] for name in others}), {})
    return [
        {"case": row["case"], "split": SPLIT, "law": row["law"], "text": row["text"], "pick": row["stratum"]}
        for row in study.table_rows("drawn")
    ]


if __name__ == "__main__":
    lines = [json.dumps(row, ensure_ascii=False) + "\n" for row in sample(Path(sys.argv[1]))]
    (HERE / "data" / "sample.jsonl").write_text("".join(lines), encoding="utf-8")
