"""The source reader: opinions as they lie in `opinions/` become the canonical texts of the pool.

python3 reader.py    writes data/pool.jsonl anew, in the order of the cases' ids; it is the same to the byte every time

A file begins with `law: NAME` and an empty line. What follows is the text: in composed form (NFC), with plain line
ends, and otherwise as it stands. Nothing is cut.
"""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from pathlib import Path

HERE = Path(__file__).resolve().parent


def rows(folder: Path) -> Iterator[dict[str, str]]:
    """One row of the pool per opinion."""
    for path in sorted(folder.glob("*.txt")):
        head, _, text = path.read_text(encoding="utf-8").replace("\r\n", "\n").partition("\n\n")
        law = head.removeprefix("law: ").strip()
        yield {"case": path.stem, "law": law, "text": unicodedata.normalize("NFC", text)}


def pool(folder: Path) -> str:
    """The file of the pool."""
    return "".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows(folder))


if __name__ == "__main__":
    (HERE / "data" / "pool.jsonl").write_text(pool(HERE / "opinions"), encoding="utf-8")
