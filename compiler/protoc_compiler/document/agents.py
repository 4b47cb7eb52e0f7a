"""The part of `procedure.subject` that is about the sessions of an agent."""

from __future__ import annotations

from protoc_compiler.document import services
from protoc_compiler.document.reading import entries, maybe, text, texts, under
from protoc_compiler.nodes import Mapping
from protoc_compiler.sections_agent import SESSION_KEYS
from protoc_compiler.spec import ConfiguredDecl, KeyCites, SessionDecl, UsageDecl

_BLOCKS = ("configured", "usage")


def session(node: Mapping) -> SessionDecl | None:
    """What is said of sessions; None where no key of the subject speaks of them."""
    names = [key.name for key in SESSION_KEYS]
    given = [key for key, _ in node.entries if key.text in names]
    if not given:
        return None
    read = {name: maybe(services.value(node, name)) for name in names if name not in (*_BLOCKS, "events_allowed")}
    first = next((key for key in given if key.text == "session"), given[0])
    return SessionDecl(
        first.span,
        read["session"],
        read["prompt"],
        read["response"],
        read["sandbox"],
        read["network"],
        texts(services.value(node, "events_allowed")),
        _configured(node),
        _usage(node),
        read["retry"],
        read["resume"],
    )


def _configured(node: Mapping) -> tuple[ConfiguredDecl, ...]:
    return tuple(
        ConfiguredDecl(
            text(name), maybe(under(given, "file")), maybe(under(given, "key")), texts(under(given, "command"))
        )
        for name, given in entries(node.get("configured"))
    )


def _usage(node: Mapping) -> tuple[UsageDecl, ...]:
    made = []
    for name, given in entries(node.get("usage")):
        block = given if isinstance(given, Mapping) else None
        field = maybe(block.get("field") if block else given)
        if field is not None:
            made.append(UsageDecl(text(name), field, maybe(under(block, "part_of"))))
    return tuple(made)


def cites(node: Mapping) -> KeyCites:
    """The rules that the keys of a subject cite; those of its maps by `configured.model` and the like."""
    deeper = ((block, services.cites(node.get(block))) for block in _BLOCKS)
    plain = tuple(pair for pair in services.cites(node) if pair[0] not in _BLOCKS)
    return (*plain, *((f"{block}.{name}", rules) for block, found in deeper for name, rules in found))
