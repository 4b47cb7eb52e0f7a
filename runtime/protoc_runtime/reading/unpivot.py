"""Wide rows made long: one row per label, in the order of the labels, the rows of one line together."""

from __future__ import annotations

from typing import Any

import polars as pl

from protoc_runtime.reading import columns
from protoc_runtime.reading.builder import Raw
from protoc_runtime.reading.layout import Field
from protoc_runtime.reading.numbers import Numbers
from protoc_runtime.record import replace
from protoc_runtime.tables import dtype


def long(raw: Raw) -> Raw:
    """The table as it is declared; a table that is not unpivoted stays as it is."""
    plan = raw.layout.table.unpivot
    if plan is None:
        return raw
    labels = len(plan.labels)
    height = raw.frame.height
    # part by part, one after the other; this order puts the rows of one line beside each other
    order = pl.Series([part * height + row for row in range(height) for part in range(labels)], dtype=pl.UInt32)
    frame: dict[str, pl.Series] = {}
    scales: dict[str, int] = {}
    for field in _fields(raw):
        if field.name == plan.label:
            members = [member for member, _ in plan.labels] * height
            frame[field.name] = pl.Series(members, dtype=pl.String).cast(dtype(field.type))
            continue
        series, scale = columns.joined([_part(raw, name, field) for name in _stored(raw, field)], field.type)
        frame[field.name] = series.gather(order)
        if scale is not None:
            scales[field.name] = scale
    for at, place in enumerate(raw.faults.places):
        raw.faults.places[at] = replace(place, first=place.first * labels, per_line=labels)
    layout = replace(raw.layout, fields=_fields(raw))
    return replace(raw, layout=layout, frame=pl.DataFrame(frame), scales=scales)


def _fields(raw: Raw) -> tuple[Field, ...]:
    """The long fields, in the order of the table's columns."""
    plan, table = raw.layout.table.unpivot, raw.layout.table
    assert plan is not None
    by_name = {field.name: replace(field, stored=field.name) for field in raw.layout.fields}
    assert raw.layout.label is not None
    by_name[plan.label] = raw.layout.label
    return tuple(by_name[column.name] for column in table.stored if column.name in by_name)


def _stored(raw: Raw, field: Field) -> list[str]:
    plan = raw.layout.table.unpivot
    assert plan is not None
    pattern = dict(plan.columns).get(field.name)
    if pattern is None:
        return [field.name] * len(plan.labels)
    return [pattern.replace(f"<{plan.label}>", text) for _, text in plan.labels]


def _part(raw: Raw, stored: str, field: Field) -> Any:
    series = raw.frame[stored]
    return Numbers(series, raw.scales[stored]) if columns.has_scale(field.type) else series
