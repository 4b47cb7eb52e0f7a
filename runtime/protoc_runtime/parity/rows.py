"""The rows of one runtime, read from `.json`, `.jsonl` or `.parquet`: scores exactly as written, every fault told.

A JSON file is a list of rows, or an object with `rows` and perhaps a `summary` of counts. Rows may have more columns
than are compared. A float of a Parquet file is the decimal of its shortest form.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from protoc_runtime.canonical import digest_bytes, digest_file, read_plain
from protoc_runtime.catalogue import manifests as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.manifests.meaning import PLACES, Twice, Unreadable, told
from protoc_runtime.parity import json_rows, plain_lines
from protoc_runtime.parity.records import Parity
from protoc_runtime.parity.scores import Scores, from_doubles, from_texts
from protoc_runtime.record import record

if TYPE_CHECKING:
    import polars as pl


ENDINGS = (".json", ".jsonl", ".parquet")
_WHOLE = 10**15
SHOWN = 1_000  # faults and cases that a report lists; it counts all of them


@record
class Side:
    """One runtime's rows. `frame` has `id`, `route`, `row` (from 1); `faults` are malformed rows, `errors` rows that
    failed; both as (row, reason), with the number of all of them. Scores of malformed rows are null."""

    path: str
    sha256: str
    frame: pl.DataFrame
    scores: Scores
    faults: tuple[tuple[int, str], ...]
    errors: tuple[tuple[int, str], ...]
    counted: tuple[int, int]
    summary: Mapping[str, Any] | None


def read(path: Path, parity: Parity) -> Side:
    """The rows of a file. Raises `Refused` (E2141) for a file that has no such rows at all."""
    if path.suffix not in ENDINGS:
        raise _refused(path, "it is no file of rows", f"give a file that ends in {', '.join(ENDINGS)}")
    try:
        if path.suffix == ".parquet":
            return _from_parquet(path, digest_file(path), parity)
        data = read_plain(path)
        plain = plain_lines.read(data, parity) if path.suffix == ".jsonl" else None
        return one_by_one(path, data, parity) if plain is None else _at_once(path, data, plain)
    except (Unreadable, OSError) as fault:
        raise _refused(path, str(getattr(fault, "strerror", None) or fault), "give a file of rows") from None


def read_both(reference: Path, candidate: Path, parity: Parity) -> tuple[Side, Side]:
    """The rows of both sides, at once: while one is hashed or taken apart, the other is too. Raises `Refused`."""
    from concurrent.futures import ThreadPoolExecutor

    with ThreadPoolExecutor(2) as threads:
        first, second = threads.map(lambda path: read(path, parity), (reference, candidate))
    return first, second


def one_by_one(path: Path, data: bytes, parity: Parity) -> Side:
    """The rows of a JSON file, or of JSON lines, with every fault. Raises Unreadable."""
    taken = _Taken(parity)
    summary = json_rows.read(data, taken.add, lines=path.suffix == ".jsonl")
    return taken.side(path.name, digest_bytes(data), summary)


def _refused(path: Path, reason: str, hint: str) -> Refused:
    return Refused([Findings().add(kinds.PARITY_INPUT, None, path=path, reason=reason, hint=hint)])


def _at_once(path: Path, data: bytes, plain: plain_lines.Columns) -> Side:
    """A file without a fault."""
    import polars as pl

    frame = pl.DataFrame({"id": plain.ids, "route": plain.routes}).with_row_index("row", 1)
    return Side(path.name, digest_bytes(data), frame, from_texts(plain.scores), (), (), (0, 0), None)


# --- JSON -----------------------------------------------------------------------------------------------------------


class _Taken:
    """Rows of JSON as they come, as columns; most of them are as they should be, and are looked at once."""

    def __init__(self, parity: Parity) -> None:
        self._parity = parity
        self._columns = parity.columns
        self._faults, self._errors = _Told(), _Told()
        self._ids: list[str | None] = []
        self._routes: list[str | None] = []
        self._scores: list[str | None] = []

    def add(self, row: Any) -> None:
        """One more row."""
        parity = self._parity
        given = row if isinstance(row, dict) else {}
        name, route, error = given.get(parity.id), given.get(parity.route), given.get(parity.error)
        score = _digits(given.get(parity.score))
        number = len(self._ids) + 1
        usual = type(row) is dict and type(name) is str and not name.isspace() and name and _whole(name)
        plain = score is not None and (route is None or (type(route) is str and _whole(route)))
        if not (usual and plain) or not all(map(given.__contains__, self._columns)):
            for reason in _row_faults(row, parity):
                self._faults.add(number, reason)
        if (error is not None and error != "") or parity.violation:
            for reason in _row_errors(given, parity):
                self._errors.add(number, reason)
        self._ids.append(name if isinstance(name, str) and _whole(name) else None)
        self._routes.append(route if isinstance(route, str) and _whole(route) else None)
        self._scores.append(score)

    def side(self, name: str, digest: str, summary: Mapping[str, Any] | None) -> Side:
        """All rows."""
        import polars as pl

        columns = {"id": self._ids, "route": self._routes}
        frame = pl.DataFrame(columns, schema={"id": pl.String, "route": pl.String}).with_row_index("row", 1)
        scores = from_texts(pl.Series(self._scores, dtype=pl.String))
        counts = (self._faults.count, self._errors.count)
        return Side(name, digest, frame, scores, self._faults.kept(), self._errors.kept(), counts, summary)


def _row_faults(row: Any, parity: Parity) -> Iterator[str]:
    """What is malformed about a row."""
    if not isinstance(row, Mapping):
        yield f"a row is an object, found {shown_value(row)}"
        return
    if isinstance(row, Twice):
        yield f"`{row.again[0]}` is written twice"
    for column in parity.columns:
        if column not in row:
            yield f"`{column}` is lacking"
    name, route, score = row.get(parity.id), row.get(parity.route), row.get(parity.score)
    if parity.id in row and (not isinstance(name, str) or not name.strip()):
        yield f"`{parity.id}` is a text that is not empty, found {shown_value(name)}"
    if route is not None and not isinstance(route, str):
        yield f"`{parity.route}` is a text or null, found {shown_value(route)}"
    for column, text in ((parity.id, name), (parity.route, route)):
        if isinstance(text, str) and not _whole(text):
            yield f"`{column}` holds half of a surrogate pair"
    if parity.score in row and _digits(score) is None:
        yield f"`{parity.score}` is a finite number, found {shown_value(score)}"


def _row_errors(row: Mapping[str, Any], parity: Parity) -> Iterator[str]:
    """What went wrong in a row, by its own account."""
    error = row.get(parity.error)
    if error is not None and error != "":
        yield f"`{parity.error}` is {shown_value(error)}"
    if parity.violation and row.get(parity.violation, False) is not False:
        yield f"`{parity.violation}` is {shown_value(row[parity.violation])}"


def _whole(text: str) -> bool:
    """Whether a text has no half of a surrogate pair, which has no place in any file."""
    return text.isascii() or not any("\ud800" <= char <= "\udfff" for char in text)


def _digits(value: Any) -> str | None:
    """A number as text with a point, or as it is written; None for what is no number that anybody measures."""
    if type(value) is bytes:
        return value.decode() if len(value) < PLACES and json_rows.small(value) else None
    return f"{value}.0" if type(value) is int and abs(value) < _WHOLE else None


def shown_value(value: Any) -> str:
    """A value of a file in a message."""
    return value.decode() if isinstance(value, bytes) else "an object" if isinstance(value, dict) else told(value)


class _Told:
    """Reasons by row, of which the first are kept."""

    def __init__(self) -> None:
        self.count = 0
        self._kept: list[tuple[int, str]] = []

    def add(self, row: int, reason: str) -> None:
        """Count a malformed row (from 1); the first few keep their reason."""
        self.count += 1
        if len(self._kept) < SHOWN:
            self._kept.append((row, reason))

    def add_where(self, where: pl.Series, reason: str, values: pl.Series | None = None) -> None:
        """One reason for every row that is marked; `{}` in it stands for the row's value."""
        rows: Sequence[int] = where.fill_null(False).arg_true().to_list()
        self.count += len(rows)
        for row in rows[: max(0, SHOWN - len(self._kept))]:
            self._kept.append((row + 1, reason.format("" if values is None else told(values[row]))))

    def kept(self) -> tuple[tuple[int, str], ...]:
        """The first of them, by row."""
        return tuple(sorted(self._kept))


# --- Parquet --------------------------------------------------------------------------------------------------------


def _from_parquet(path: Path, digest: str, parity: Parity) -> Side:
    import polars as pl

    columns = list(parity.columns)
    try:
        lazy = pl.scan_parquet(path, glob=False, hive_partitioning=False)
        schema = lazy.collect_schema()
        _check_schema(path, schema, parity, columns)
        given = lazy.select(list(dict.fromkeys(columns))).collect()
    except pl.exceptions.PolarsError as fault:
        raise _refused(path, str(fault).splitlines()[0], "write it anew") from None
    faults, errors = _Told(), _Told()
    ids = given[parity.id].cast(pl.String)
    faults.add_where(ids.is_null() | (ids.str.strip_chars() == ""), f"`{parity.id}` is a text that is not empty")
    scores = _exact(given[parity.score], parity, faults)
    if given[parity.error].dtype != pl.Null:
        error = given[parity.error].cast(pl.String)
        errors.add_where(error.is_not_null() & (error != ""), f"`{parity.error}` is {{}}", error)
    if parity.violation:
        violated = given[parity.violation]
        errors.add_where(violated.is_null() | violated, f"`{parity.violation}` is {{}}", violated)
    frame = pl.DataFrame({"id": ids, "route": given[parity.route].cast(pl.String)}).with_row_index("row", 1)
    counts = (faults.count, errors.count)
    return Side(path.name, digest, frame, scores, faults.kept(), errors.kept(), counts, None)


def _check_schema(path: Path, schema: Mapping[str, pl.DataType], parity: Parity, columns: list[str]) -> None:
    import polars as pl

    texts = (pl.String, pl.Categorical, pl.Enum, pl.Null)
    for name in columns:
        if name not in schema:
            raise _refused(path, f"the column `{name}` is lacking", "name the columns that there are")
        found = schema[name]
        number = found.is_integer() or found.is_float() or isinstance(found, pl.Decimal)
        fits = number if name == parity.score else isinstance(found, texts)
        if name == parity.violation:
            fits = found == pl.Boolean
        if not fits:
            wanted = "numbers" if name == parity.score else "truth values" if name == parity.violation else "texts"
            raise _refused(path, f"`{name}` holds {found}, and {wanted} are needed", "write it anew")


def _exact(series: pl.Series, parity: Parity, faults: _Told) -> Scores:
    """The scores as exact numbers; what is no finite number is told, and null."""
    import polars as pl

    usable = series.is_not_null()
    if series.dtype.is_float():
        usable &= series.is_finite()
    if not usable.all():
        faults.add_where(~usable, f"`{parity.score}` is a finite number, found {{}}", series)
        series = series.to_frame().select(pl.when(usable).then(pl.col(series.name))).to_series()
    if series.dtype == pl.Float64:
        return from_doubles(series)
    texts = [None if value is None else _plain(value) for value in series.to_list()]
    return from_texts(pl.Series(texts, dtype=pl.String))


def _plain(value: Any) -> str:
    """A number with a point, as `from_texts` takes it."""
    text = str(value)
    return text if "." in text or "e" in text.lower() else f"{text}.0"
