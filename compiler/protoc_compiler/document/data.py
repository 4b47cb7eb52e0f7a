"""The section `data`: tables, records, splits; and `arms`."""

from __future__ import annotations

from protoc_compiler import sections, suggest
from protoc_compiler.catalogue import document as kinds
from protoc_compiler.document.reading import Reader, entries, maybe, text, texts, under
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence, brief
from protoc_compiler.spec import (
    ArmDecl,
    CollectionType,
    Column,
    EnumType,
    ListedRow,
    NestedType,
    RecordDecl,
    SplitDecl,
    TableDecl,
    Text,
    TypeName,
    Unpivot,
    WrittenType,
)
from protoc_runtime.observed import family

_JUDGED = "judged by gates."
NEVER = "never"  # among the splits: what none of them may be used for


def tables(reader: Reader, node: Node | None) -> tuple[TableDecl, ...]:
    """All entries of `data.tables`."""
    return tuple(_table(reader, name, value) for name, value in entries(node) if isinstance(value, Mapping))


def _table(reader: Reader, name: Scalar, node: Mapping) -> TableDecl:
    rows = _rows(node.get("rows"))
    _check_table(reader, name, node)
    source = maybe(node.get("from")) or Text("listed" if node.get("rows") is not None else "file", name.span)
    if node.get("from") is not None:
        _check_source(reader, source, sections.SOURCES, sections.RECORD_SOURCES, "table")
    return TableDecl(
        text(name), maybe(node.get("says")), source, maybe(node.get("file")), texts(node.get("key")),
        texts(node.get("order")), columns(node.get("columns")), rows, _unpivot(reader, node.get("unpivot")),
        reader.formulas(node.get("expect")), _judge(node.get("duplicates")), texts(node.get("cites")),
    )  # fmt: skip


def _check_table(reader: Reader, name: Scalar, node: Mapping) -> None:
    if node.get("rows") is None:
        if node.get("columns") is None:
            reader.findings.add(
                kinds.MISSING_KEY, name.span, where=f"`{name.text}`", key="columns", what="a map of columns"
            )
        return
    for key, _ in node.entries:
        if key.text in ("from", "file", "unpivot", "duplicates"):
            reader.findings.add(
                kinds.EITHER_OR, key.span, where=f"the table `{name.text}`", found=f"both `rows` and `{key.text}`",
                hint=f"delete `{key.text}` if the rows stand in the spec, or `rows` if they stand in a file",
            )  # fmt: skip
    keys = texts(node.get("key"))
    if len(keys) > 1:
        reader.findings.add(
            kinds.EITHER_OR, keys[1].span, where=f"the listed table `{name.text}`", found="a key of several columns",
            hint="a table that stands in the spec has one key column; combine two tables with `cross of A and B`",
        )  # fmt: skip


def _check_source(reader: Reader, source: Text, known: tuple[str, ...], others: tuple[str, ...], what: str) -> None:
    named, provider = family(source.text)
    if source.text not in known and not (provider and any(word.startswith(f"{named} ") for word in known)):
        forms = (word for word in known if word.startswith(f"{source.text} "))
        hint = next((f"write `{word}` with the provider's name" for word in forms), "")
        if source.text in others:
            hint = f"declare it under `data.{'records' if what == 'table' else 'tables'}`"
        reader.findings.add(
            kinds.BAD_CHOICE, source.span, found=brief(source.text), what=f"a source that a {what} can have",
            hint=hint or suggest.hint(source.text, known),
        )  # fmt: skip


def _rows(node: Node | None) -> tuple[ListedRow, ...]:
    if isinstance(node, Sequence):
        return tuple(ListedRow(key, ()) for key in texts(node))
    return tuple(
        ListedRow(text(key), tuple((text(column), cell) for column, cell in entries(row))) for key, row in entries(node)
    )


def _judge(node: Node | None) -> Text | None:
    """The gate's name in `judged by gates.NAME`."""
    if not isinstance(node, Scalar) or not node.text.startswith(_JUDGED):
        return None
    return Text(node.text[len(_JUDGED) :], node.at(len(_JUDGED), len(node.text)))


def _unpivot(reader: Reader, node: Node | None) -> Unpivot | None:
    if not isinstance(node, Mapping):
        return None
    labels = [(name, value) for name, value in node.entries if name.text != "columns"]
    if len(labels) != 1:
        reader.findings.add(
            kinds.EITHER_OR, node.span, where="`unpivot`", found=f"{len(labels)} label columns",
            hint="give one label column with its members, beside `columns`",
        )  # fmt: skip
        return None
    label, members = labels[0]
    return Unpivot(node.span, text(label), _pairs(members), _pairs(node.get("columns")))


def _pairs(node: Node | None) -> tuple[tuple[Text, Text], ...]:
    return tuple((text(name), text(value)) for name, value in entries(node) if isinstance(value, Scalar))


def columns(node: Node | None) -> tuple[Column, ...]:
    """The columns of a map `name: type`."""
    read = ((name, written_type(value)) for name, value in entries(node))
    return tuple(Column(text(name), kind) for name, kind in read if kind is not None)


def written_type(node: Node) -> WrittenType | None:
    """A column's type as written."""
    if isinstance(node, Mapping):
        return NestedType(node.span, columns(node))
    if isinstance(node, Sequence):
        members = texts(node)
        named = tuple(member for member in members if member.text != "null")
        return EnumType(node.span, named, len(named) < len(members))
    words = node.text.removesuffix("?").split(" of ")
    optional = node.text.endswith("?")
    if len(words) == 1:
        return TypeName(node.span, words[0], optional) if words[0] else None
    start = node.text.index(" of ") + len(" of ")
    item = TypeName(node.at(start, start + len(words[1])), words[1])
    return CollectionType(node.span, "set" if words[0] == "set" else "list", item, optional)


def records(reader: Reader, node: Node | None) -> tuple[RecordDecl, ...]:
    """All entries of `data.records`."""
    made = []
    for name, value in entries(node):
        source = maybe(under(value, "from"))
        if source is None or not isinstance(value, Mapping):
            reader.broken.append(name.text)
            continue
        _check_source(reader, source, sections.RECORD_SOURCES, sections.SOURCES, "record")
        rest = tuple(entry for entry in value.entries if entry[0].text not in ("from", "cites"))
        made.append(RecordDecl(text(name), source, columns(Mapping(rest, value.span)), texts(value.get("cites"))))
    return tuple(made)


def splits(reader: Reader, node: Node | None) -> tuple[SplitDecl, ...]:
    """All entries of `data.splits`."""
    made = []
    for name, value in entries(node):
        if name.text == NEVER:
            continue
        role = maybe(under(value, "role"))
        if role is None or not isinstance(value, Mapping):
            reader.broken.append(name.text)
            continue
        made.append(SplitDecl(
            text(name), role, texts(value.get("may")), maybe(value.get("says")), maybe(value.get("was")),
            maybe(value.get("baseline")), texts(value.get("cites")), after=maybe(value.get("after")),
            cases=maybe(value.get("cases")),
            status=maybe(value.get("status")), disjoint_from=texts(value.get("disjoint_from")),
            at_most=maybe(value.get("at_most")),
        ))  # fmt: skip
    return tuple(made)


def arms(reader: Reader, node: Node | None) -> tuple[ArmDecl, ...]:
    """All entries of `arms`."""
    made = []
    for name, value in entries(node):
        unit, row = maybe(under(value, "of")), reader.formula(under(value, "row"))
        if unit is None or row is None:
            reader.broken.append(name.text)
        else:
            made.append(ArmDecl(text(name), unit, row, maybe(under(value, "says"))))
    return tuple(made)
