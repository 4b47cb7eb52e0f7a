"""Cold `protoc compile` of seed D against datamodel-codegen on a schema of the same tables."""

from __future__ import annotations

import json
from pathlib import Path

from common import ROOT, SEED_D, Figure, Size, alternating, installed, scratch, seconds, show, shown_seconds, tool


def run(size: Size) -> list[Figure]:
    """Whole processes, in turns; each compile writes its package anew. datamodel-codegen makes the models alone."""
    other = tool("datamodel-codegen")
    if other is None:
        return []
    out = scratch() / "generated"
    schema = like_schema()
    found = alternating(
        {
            "compile": lambda: seconds([installed() / "protoc", "compile", SEED_D, "--out", fresh(out)]),
            "other": lambda: seconds(
                [other, "--input", schema, "--input-file-type", "jsonschema", "--output", fresh(out) / "models.py",
                 "--output-model-type", "pydantic_v2.BaseModel"]
            ),
        },
        size.rounds,
    )  # fmt: skip
    return [
        Figure(
            "compile", "seed D; the schemas of its tables", shown_seconds(found["compile"]),
            f"datamodel-codegen {shown_seconds(found['other'])}", found["compile"] / found["other"], 0.6,
        )
    ]  # fmt: skip


def fresh(folder: Path) -> Path:
    """A folder of this name that has nothing in it."""
    import shutil

    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    return folder


def like_schema() -> Path:
    """One JSON Schema with the rows of every table of seed D, as the generated package describes them."""
    tables = sorted((ROOT / "generated" / SEED_D.name / "schemas").glob("*.json"))
    parts = {path.stem: json.loads(path.read_bytes()) for path in tables}
    whole = {
        "$schema": "https://json-schema.org/draft/2020-12/schema", "title": "Tables", "type": "object",
        "properties": {name: {"type": "array", "items": {"$ref": f"#/$defs/{name}"}} for name in parts},
        "$defs": {name: {k: v for k, v in part.items() if not k.startswith("$")} for name, part in parts.items()},
    }  # fmt: skip
    path = scratch() / "tables.schema.json"
    path.write_text(json.dumps(whole), encoding="utf-8")
    return path


if __name__ == "__main__":
    show(run)
