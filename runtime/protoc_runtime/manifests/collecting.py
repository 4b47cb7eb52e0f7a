"""A new freeze manifest: what the protocol fixes, what can be found out here, and what only a person can tell.

Each value gets a line in `provenance`: `the protocol`, `collected: ...`, or `attested by ...`.
"""

from __future__ import annotations

import platform
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from copy import deepcopy
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from protoc_runtime import hardware
from protoc_runtime.canonical import digest_file
from protoc_runtime.declared import Declared
from protoc_runtime.manifests.checking import PROVENANCE
from protoc_runtime.manifests.copies import block_of, locate
from protoc_runtime.manifests.meaning import Unreadable, parse_json
from protoc_runtime.manifests.records import COLLECTED_OF, Field, Manifest, Value

COLLECTED, FIXED = "collected: ", "the protocol"
TEXTUAL = ("text", "time", "sha256", "digest", "revision", "version", "enum")
_STEP = re.compile(r"([^.\[\]]+)(\[(\d*)\])?")


class Cannot(Exception):
    """What cannot be found out here; the text says why."""


def new(
    declared: Declared,
    folder: Path,
    told: Mapping[str, str],
    by: str,
    ask: Callable[[str, str], str] | None = None,
    before: Mapping[str, Any] | None = None,
) -> tuple[dict[str, Any], list[str]]:
    """The manifest of the first phase, and what still lacks with the reason.

    `told` are values by path (`candidate.models[0].role`) that `by` vouches for; `ask(path, what)` asks for the rest.
    `before` is an unfinished manifest: what was collected or fixed is found out again, everything else in it is kept,
    and `by` vouches for what has no provenance. Raises `Cannot` for a path of `told` that the protocol does not
    declare, or a value that cannot be read.
    """
    manifest = declared.manifest
    assert manifest is not None, "the protocol has no manifest"
    made: dict[str, Any] = deepcopy(dict(before or {}))
    noted = made.pop(PROVENANCE, None)
    known: Mapping[str, Any] = noted if isinstance(noted, Mapping) else {}
    sources: dict[str, str] = {}
    lacking: list[str] = []
    leaves = list(_leaves(declared, manifest))
    places = [*told, *(item for field in leaves for item in _items(made, field.path))]
    fields = {path: field for field in leaves for path in _places(field.path, places)}
    for path in told:
        if path not in fields:
            raise Cannot(f"the protocol declares no field `{path}`")
    put(made, manifest.status, manifest.phases[0].status)
    for path, field in fields.items():
        value, source, reason = _value(declared, folder, field, told.get(path), by)
        kept = _held(made, path)
        if kept is not None and path not in told and (value is None or _attested(known, path, source)):
            value, source, reason = kept, str(known.get(path) or f"attested by {by}"), ""
        if value is None and ask is not None and field.needed == manifest.phases[0].name and not reason:
            value = _read(field, ask(path, _what(field))) if field.needed else None
            source = f"attested by {by}"
        put(made, path, value)
        if value is not None:
            sources[path] = source
        elif field.needed == manifest.phases[0].name:
            lacking.append(f"{path}: {reason or f'{_what(field)}; tell it with --set'}")
    made[PROVENANCE] = sources
    return made, lacking


def collect(source: str, folder: Path, declared: Declared) -> str:
    """What one source says now. Raises `Cannot`."""
    opening = next((word for word in COLLECTED_OF if source.startswith(word)), "")
    if opening:
        try:
            return digest_file(locate(folder, source.removeprefix(opening)))
        except (Unreadable, OSError) as fault:
            raise Cannot(f"{source}: {getattr(fault, 'strerror', None) or fault}") from None
    if source == "source revision":
        return _revision(folder, declared)
    if source == "python":
        return f"{platform.python_implementation()} {platform.python_version()}"
    return _hardware() if source == "hardware" else datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def collected_again(
    declared: Declared, folder: Path, document: Mapping[str, Any]
) -> Iterator[tuple[str, str, str, str]]:
    """Files that are no longer what they were when the manifest was made: field, source, what it has, what is there."""
    sources = document.get(PROVENANCE)
    for field in declared.manifest.fields if declared.manifest is not None else ():
        note = sources.get(field.path) if isinstance(sources, Mapping) else None
        if not isinstance(note, str) or not note.startswith(COLLECTED) or not field.collect.startswith(COLLECTED_OF):
            continue
        found = document_at(document, field.path)
        try:
            there = collect(field.collect, folder, declared)
        except Cannot as reason:
            there = str(reason)
        if str(found).removeprefix("sha256:") != there:
            yield field.path, field.collect, str(found), there


def document_at(document: Any, path: str) -> Any:
    """What stands at a path outside of lists, or None."""
    for part in path.split("."):
        document = document.get(part) if isinstance(document, Mapping) else None
    return document


def put(document: dict[str, Any], path: str, value: Any) -> None:
    """Set a value at a path; groups and items of lists are made as they are needed. `provenance` stays last."""
    place: Any = document
    steps = [_STEP.fullmatch(part) for part in path.split(".")]
    for index, step in enumerate(steps):
        assert step is not None, path
        name, listed, number = step[1], step[2], int(step[3] or 0)
        last = index == len(steps) - 1
        if listed:
            items = place[name] = place.get(name) or []
            items += [{} for _ in range(number + 1 - len(items))]
            items[number] = place = items[number] or {}
        elif last:
            place[name] = value
        else:
            place[name] = place = place.get(name) or {}


def _attested(known: Mapping[str, Any], path: str, source: str) -> bool:
    """Whether somebody has told a value that is otherwise collected; what the protocol fixes is no one's to tell."""
    return source != FIXED and str(known.get(path, "")).startswith("attested")


def _held(document: Any, path: str) -> Any:
    """What stands at a path with numbers for its lists, or None. Raises `Cannot` where something else is in the way."""
    for part in path.split("."):
        if document is None:
            return None
        step = _STEP.fullmatch(part)
        assert step is not None, path
        if not isinstance(document, Mapping):
            raise Cannot(f"`{path}` cannot be filled in: what stands above it is no object")
        document = document.get(step[1])
        if step[2] and document is not None:
            if not isinstance(document, list):
                raise Cannot(f"`{path}` cannot be filled in: `{step[1]}` is no list")
            document = document[int(step[3])] if int(step[3]) < len(document) else None
    return document


def _items(document: Any, path: str) -> list[str]:
    """The items that a list of a document has, as `models[1]`; of a path without a list none."""
    group, listed, _ = path.partition("[]")
    held = _held(document, group) if listed else None
    return [f"{group}[{number}]" for number in range(len(held))] if isinstance(held, list) else []


def _leaves(declared: Declared, manifest: Manifest) -> Iterator[Field]:
    """The fields, with one for each entry of a block whose metrics are asked for."""
    copies = {item.name: item.copy for item in declared.freeze if item.copy is not None}
    for field in manifest.fields:
        if field.values[0].kind != "metrics":
            yield field
            continue
        for entry in block_of(copies[field.values[0].block]):
            path = f"{field.path}.{entry.removesuffix('_min').removesuffix('_max')}"
            yield Field(path, (Value("decimal"),), field.needed)


def _places(path: str, told: Iterable[str]) -> list[str]:
    """A path with numbers for its lists: one item, or as many as there are values told."""
    if "[]" not in path:
        return [path]
    pattern = re.compile(re.escape(path).replace(re.escape("[]"), r"\[(\d+)\]"))
    group = path.partition("[]")[0]
    numbers = {0} | {int(found[1]) for each in told if (found := re.match(re.escape(group) + r"\[(\d{1,3})\]", each))}
    inner = {each for each in told if pattern.fullmatch(each)}
    return sorted(inner | {path.replace("[]", f"[{number}]", 1).replace("[]", "[0]") for number in numbers})


def _value(declared: Declared, folder: Path, field: Field, told: str | None, by: str) -> tuple[Any, str, str]:
    """A field's value, where it comes from, and why there is none."""
    value = field.values[0]
    if told is not None:
        return _read(field, told), f"attested by {by}", ""
    if value.kind == "is":
        return parse_json(value.constant.encode()), FIXED, ""
    if value.kind == "copy":
        copy = next(item.copy for item in declared.freeze if item.name == value.block)
        assert copy is not None
        return block_of(copy), FIXED, ""
    if not field.collect:
        return None, "", ""
    try:
        return collect(field.collect, folder, declared), COLLECTED + field.collect, ""
    except Cannot as reason:
        return None, "", f"it cannot be collected: {reason}"


def _read(field: Field, text: str) -> Any:
    """A value as it was typed: text where the field takes text, else JSON. An empty one is none."""
    if not text.strip():
        return None
    kinds = {value.kind for value in field.values}
    try:
        return text if kinds & set(TEXTUAL) else parse_json(text.encode())
    except Unreadable:
        if "any" in kinds:
            return text
        raise Cannot(f"`{field.path}` takes {_what(field)}, found `{text}`") from None


def _what(field: Field) -> str:
    return " or ".join(
        f"one of {', '.join(value.members)}" if value.kind == "enum" else _worded(value) for value in field.values
    )


def _worded(value: Value) -> str:
    return f"a {value.kind} of {value.item.kind} as JSON" if value.item is not None else value.kind


def _revision(folder: Path, declared: Declared) -> str:
    from protoc_runtime.diagnostics import Findings
    from protoc_runtime.git import find_repository
    from protoc_runtime.pinning import pinned_files

    if declared.target is not None:
        return declared.target.commit
    repository = find_repository(folder)
    head = None if repository is None else repository.head()
    if head is None:
        raise Cannot("the protocol is in no git repository with a commit")
    assert repository is not None
    changed = repository.unclean(pinned_files(declared, folder.resolve(), Findings()))
    if changed:
        raise Cannot(f"{Path(changed[0]).name} is not committed as it is")
    return head


def _hardware() -> str:
    """Processor, cores and memory of this machine, and its system."""
    return f"{hardware.label()}, {hardware.hardware()['system']}"
