"""The parts of `procedure` about what the study runs against: the target, providers, judgements, outputs."""

from __future__ import annotations

from protoc_compiler.document.reading import Reader, entries, maybe, text, texts, under
from protoc_compiler.nodes import Mapping, Node, Scalar
from protoc_compiler.spec import (
    AnswerDecl,
    HiddenDecl,
    JudgementDecl,
    KeyCites,
    OutputDecl,
    PathSet,
    ProviderDecl,
    RetryDecl,
    TargetDecl,
)


def value(node: Node | None, key: str) -> Node | None:
    """The value of a setting, which may stand in a block under `is`."""
    found = under(node, key)
    return found.get("is") if isinstance(found, Mapping) else found


def cites(node: Node | None) -> KeyCites:
    """The rules that the keys of a map cite, by key."""
    found = ((key.text, texts(under(value, "cites"))) for key, value in entries(node))
    return tuple((key, rules) for key, rules in found if rules)


def target(node: Node | None) -> TargetDecl | None:
    """The entry `target`."""
    repository, commit = maybe(value(node, "repository")), maybe(value(node, "commit"))
    if node is None or repository is None or commit is None:
        return None
    sets = under(node, "digests")
    read = tuple(_path_set(name, given) for name, given in entries(sets))
    return TargetDecl(node.span, repository, commit, read, (*cites(node), *_set_cites(sets)))


def _path_set(name: Scalar, node: Node) -> PathSet:
    if isinstance(node, Mapping):
        return PathSet(text(name), texts(node.get("paths")), maybe(node.get("is")))
    return PathSet(text(name), texts(node))


def _set_cites(node: Node | None) -> KeyCites:
    return tuple((f"digests.{name}", rules) for name, rules in cites(node))


def providers(reader: Reader, node: Node | None) -> tuple[ProviderDecl, ...]:
    """All entries of `providers`."""
    made = []
    for name, given in entries(node):
        request = maybe(value(given, "request"))
        if request is None:
            reader.broken.append(name.text)
            continue
        made.append(ProviderDecl(
            text(name), request, maybe(value(given, "base_url")), maybe(value(given, "credential")),
            maybe(value(given, "model")), _answer(reader, under(given, "answer")),
            _retry(reader, under(given, "retry")),
            reader.formula(value(given, "timeout")), reader.formula(value(given, "concurrency")),
            reader.formula(value(given, "spacing")), maybe(value(given, "keep")), maybe(value(given, "forbidden")),
            cites(given), maybe(value(given, "sent_as")),
        ))  # fmt: skip
    return tuple(made)


def _answer(reader: Reader, node: Node | None) -> AnswerDecl | None:
    if not isinstance(node, Mapping):
        return None
    return AnswerDecl(
        reader.formula(node.get("dimension")), maybe(node.get("finite")), maybe(node.get("json")),
        texts(node.get("statuses")),
    )  # fmt: skip


def _retry(reader: Reader, node: Node | None) -> RetryDecl | None:
    if not isinstance(node, Mapping):
        return None
    return RetryDecl(
        node.entries[0][0].span if node.entries else node.span, texts(node.get("only_on")),
        reader.formula(node.get("at_most")), reader.formulas(node.get("waits")), texts(node.get("never_on")),
        maybe(node.get("retry_after")),
    )  # fmt: skip


def judgements(reader: Reader, node: Node | None) -> tuple[JudgementDecl, ...]:
    """All entries of `adjudication`."""
    made = []
    for name, given in entries(node):
        judges, fills, column = (maybe(under(given, key)) for key in ("judges", "fills", "column"))
        if judges is None or fills is None or column is None:
            continue
        labels = ((text(label), maybe(meaning)) for label, meaning in entries(under(given, "labels")))
        made.append(JudgementDecl(
            text(name), judges, fills, column, reader.formulas(under(given, "sees")),
            tuple((label, meaning) for label, meaning in labels if meaning is not None),
            maybe(under(given, "says")), texts(under(given, "cites")), reader.formula(under(given, "labels")),
            maybe(under(given, "marks")), texts(under(given, "follows")), texts(under(given, "raters")),
        ))  # fmt: skip
    return tuple(made)


def visibility(node: Node | None) -> tuple[HiddenDecl, ...]:
    """All entries of `visibility`."""
    return tuple(
        HiddenDecl(
            text(name), texts(under(given, "hidden_from") if isinstance(given, Mapping) else given),
            maybe(under(given, "says")), texts(under(given, "cites")),
        )
        for name, given in entries(node)
    )  # fmt: skip


def outputs(node: Node | None) -> tuple[OutputDecl, ...]:
    """All entries of `outputs`."""
    read = ((name, maybe(under(given, "is") if isinstance(given, Mapping) else given), given)
            for name, given in entries(node))  # fmt: skip
    return tuple(
        OutputDecl(
            text(name), kind, texts(under(given, "cites")), maybe(under(given, "of")), maybe(under(given, "kept")),
            *(texts(under(given, key)) for key in ("shows", "rejected", "digests")),
        )
        for name, kind, given in read
        if kind
    )  # fmt: skip
