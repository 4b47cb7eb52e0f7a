"""`protoc splits --overlap A B`: what two files of cases share, without any protocol."""

from __future__ import annotations

import argparse
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_compiler.cli.io import Io
from protoc_compiler.cli.usage import Usage

if TYPE_CHECKING:
    from protoc_runtime.reading.corpus import Corpus

_SHOWN = 10
_FORMS = "JSON Lines with one object a line, or CSV with a header"


def audit_files(args: argparse.Namespace, io: Io) -> int:
    """Audit two files; print what they share, write the artifact where it is wanted. 1 where anything is shared."""
    from protoc_runtime.auditing import COUNTS, standalone, words
    from protoc_runtime.canonical import write_atomic
    from protoc_runtime.diagnostics import Refused
    from protoc_runtime.overlap import overlap, summary

    first, second = (_corpus(path, args) for path in args.overlap)
    try:
        found = overlap(first, second, tuple(map(str, args.overlap)))  # type: ignore[arg-type]
    except Refused as refused:
        io.diagnose(refused.diagnostics)
        return 1
    one, two = args.overlap
    told = standalone(one, two, summary(found, first.ids, second.ids), (len(first.rows), len(second.rows)))
    if args.json:
        write_atomic(args.json, json.dumps(told, ensure_ascii=False, indent=2).encode() + b"\n")
    io.out(f"{words(told)}: {len(first.rows)} cases of {one}, {len(second.rows)} of {two}\n")
    io.out(f"  texts: {told['texts']} and {told['other_texts']} different ones; {told['measure']}\n")
    io.out(f"  pairs: {told['method']}\n")
    for kind, examples in told["examples"].items():
        for example in examples[:_SHOWN]:
            index = f", Jaccard index {example['jaccard']}" if "jaccard" in example else ""
            io.out(f"  {kind.replace('_', ' ')}: {example['case']} and {example['other']}{index}\n")
    return int(any(told[count] for count in COUNTS))


def _corpus(path: Path, args: argparse.Namespace) -> Corpus:
    """The rows of a file as they stand: `--key` names the key, texts are the `--text` columns or all texts."""
    from protoc_runtime.canonical import dumps
    from protoc_runtime.reading.corpus import Corpus, strings, telling

    rows = _rows(path)
    for name in (*([args.key] if args.key else ()), *(args.text or ())):
        if rows and not any(name in row for row in rows):
            known = ", ".join(sorted({known for row in rows for known in row}))
            raise Usage(f"{path} has no column `{name}`", f"it has {known}")
    names = args.text or sorted({name for row in rows for name in row} - {args.key})
    columns = [["\n".join(strings(row.get(name))) for row in rows] for name in names]
    ids = tuple(_written(row.get(args.key)) for row in rows) if args.key else ()
    bodies = tuple(dumps({k: _written(v) for k, v in row.items() if k != args.key}).decode() for row in rows)
    return Corpus(ids, bodies, bodies, telling(columns))


def _rows(path: Path) -> Sequence[Mapping[str, Any]]:
    """The rows of a `.jsonl` or `.csv` file."""
    import csv

    from protoc_runtime.reading import raw_rows

    try:
        if path.suffix == ".csv":
            with path.open(encoding="utf-8-sig", newline="") as file:
                return list(csv.DictReader(file))
        found = list(raw_rows(path))
    except (OSError, ValueError, csv.Error) as fault:
        reason = getattr(fault, "strerror", None) or fault
        raise Usage(f"{path} cannot be read: {reason}", _FORMS) from None
    if not all(isinstance(row, dict) for row in found):
        raise Usage(f"{path} has a line that is no object", _FORMS)
    return found


def _written(value: Any) -> str:
    """A cell as text: numbers by their digits, so that a file as CSV and as JSON Lines gives the same."""
    return value if isinstance(value, str) else json.dumps(value, sort_keys=True, default=str, ensure_ascii=False)
