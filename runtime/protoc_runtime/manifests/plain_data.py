"""The value of a file of plain data: JSON, or YAML without anchors, tags and repeated keys; numbers as written."""

from __future__ import annotations

from typing import Any

from protoc_runtime.manifests.meaning import DEEP, Unreadable, parse_json, scalar

_OTHERS = bytes(set(range(256)) - set(b"[]{}"))


def parse(data: bytes, name: str) -> Any:
    """The value of a file by the ending of its name: `.yaml` and `.yml`, else JSON. Raises Unreadable."""
    if name.endswith((".yaml", ".yml")):
        return parse_yaml(data)
    return parse_json(data)


def parse_yaml(data: bytes) -> Any:
    """The value of one document. Raises Unreadable."""
    from ruamel.yaml import YAML
    from ruamel.yaml.error import YAMLError

    reader = YAML(typ="safe", pure=True)
    _refuse_depth(data)
    try:
        text = data.decode("utf-8-sig")
        tagged = next((event.tag for event in reader.parse(text) if getattr(event, "tag", None) is not None), None)
        node = reader.compose(text)
    except (YAMLError, ValueError, RecursionError) as error:
        raise Unreadable(" ".join(str(error).split())[:200]) from None
    if tagged is not None:  # a tag makes another value of what is written, and each reader knows other tags
        raise Unreadable(f"it has the tag `{tagged}`: write the value without one")
    return None if node is None else _value(node, set(), 0)


def _refuse_depth(data: bytes) -> None:
    """Deep nesting takes a YAML reader minutes; brackets in texts count, too."""
    depth = deepest = 0
    for byte in data.translate(None, delete=_OTHERS):
        depth += 1 if byte in b"[{" else -1
        deepest = max(deepest, depth)
    lines = (line.lstrip(b" ") for line in data.splitlines())
    if deepest > DEEP or any(line.count(b"- ", 0, 4 * DEEP) > DEEP for line in lines):
        raise Unreadable("it is nested too deeply")


def _value(node: Any, seen: set[int], depth: int) -> Any:
    if id(node) in seen or getattr(node, "anchor", None):
        raise Unreadable("it has an anchor or an alias: write the value where it is")
    if depth > DEEP:
        raise Unreadable("it is nested too deeply")
    seen.add(id(node))
    kind = type(node).__name__
    if kind == "ScalarNode":
        return scalar(node.value) if node.style is None else str(node.value)
    if kind == "SequenceNode":
        return [_value(item, seen, depth + 1) for item in node.value]
    made: dict[str, Any] = {}
    for key, item in node.value:
        if type(key).__name__ != "ScalarNode" or key.value in made:
            raise Unreadable(f"the key `{key.value}` is written twice, or is no text")
        made[key.value] = _value(item, seen, depth + 1)
    return made
