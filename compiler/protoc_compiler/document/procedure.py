"""The section `procedure`: what is frozen, the subject, the phases, the steps in words."""

from __future__ import annotations

import re

from protoc_compiler import not_built, syntax
from protoc_compiler.catalogue import document as kinds
from protoc_compiler.document.reading import Reader, entries, maybe, one_line, parts, text, texts, under
from protoc_compiler.nodes import Mapping, Node, Scalar
from protoc_compiler.parse import parse_formula
from protoc_compiler.spec import Formula, FreezeItem, PhaseDecl, Procedure, Step, SubjectDecl, Text
from protoc_runtime.diagnostics import Findings

_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_LITERALS = (syntax.Number, syntax.Quantity, syntax.Date, syntax.String, syntax.Constant)


def procedure(reader: Reader, node: Node | None) -> Procedure:
    """The whole section."""
    return Procedure(
        _subject(reader, under(node, "subject")), _freeze(reader, under(node, "freeze")),
        _phases(under(node, "phases")), _steps(under(node, "steps")),
    )  # fmt: skip


def _freeze(reader: Reader, node: Node | None) -> tuple[FreezeItem, ...]:
    made = []
    for name, value in entries(node):
        item = _frozen(reader, name, value)
        if item is None:
            reader.broken.append(name.text)
        else:
            made.append(item)
    return tuple(made)


def _frozen(reader: Reader, name: Scalar, node: Node) -> FreezeItem | None:
    block = node if isinstance(node, Mapping) else None
    cites = texts(under(node, "cites"))
    value = block.get("is") if block else node
    file = maybe(under(node, "file"))
    if block and (value is None) == (file is None):
        found = "neither `is` nor `file`" if file is None else "both `is` and `file`"
        reader.findings.add(
            kinds.EITHER_OR, name.span, where=f"the frozen value `{name.text}`", found=found, hint="give one of them"
        )
        return None
    if file is not None:
        return FreezeItem(text(name), file=file, cites=cites)
    if not isinstance(value, Scalar) or not value.text.strip():
        return None
    if _DIGEST.fullmatch(value.text):
        return FreezeItem(text(name), digest=text(value), cites=cites)
    literal = _literal(value)
    if literal is None and value.text.startswith(not_built.FREEZE_FORMS):
        reader.findings.add(kinds.NOT_BUILT, value.span, what=f"the frozen value `{one_line(value.text)}`")
        return None
    if literal is None:
        reader.findings.add(kinds.BAD_FREEZE, value.span, found=one_line(value.text))
        return None
    return FreezeItem(text(name), literal, cites=cites)


def _literal(scalar: Scalar) -> Formula | None:
    """A literal formula; a text that YAML quotes is a text without quotes of its own."""
    if scalar.style in ("single", "double") and not scalar.text.startswith('"'):
        return Formula(scalar.text, scalar.span, syntax.String(scalar.span, scalar.text))
    tree = parse_formula(scalar, Findings())
    inner = tree.operand if isinstance(tree, syntax.Negative) else tree
    return Formula(one_line(scalar.text), scalar.span, tree) if tree and isinstance(inner, _LITERALS) else None


def _subject(reader: Reader, node: Node | None) -> SubjectDecl | None:
    if not isinstance(node, Mapping):
        return None
    kinds_given = [key for key, _ in node.entries if key.text in ("python", "recorded")]
    if len(kinds_given) != 1:
        if kinds_given or not node.get("command"):
            found = "both `python` and `recorded`" if kinds_given else "neither `python` nor `recorded`"
            reader.findings.add(
                kinds.EITHER_OR, node.entries[0][0].span if node.entries else node.span, where="the subject",
                found=found, hint="give one: `python: path.py:function`, or `recorded: FOLDER`",
            )  # fmt: skip
        return None
    kind = text(kinds_given[0])
    if kind.text == "python" and node.get("sees") is None:
        reader.findings.add(
            kinds.MISSING_KEY, kind.span, where="`subject`", key="sees", what="the list of columns that reach it"
        )
    target = maybe(_value(node, kind.text))
    if target is None:
        return None
    cites = ((key.text, texts(under(value, "cites"))) for key, value in node.entries)
    return SubjectDecl(
        node.span, kind, target, maybe(_value(node, "of")), texts(_value(node, "sees")), texts(_value(node, "code")),
        reader.formula(_value(node, "timeout")), reader.formula(_value(node, "concurrency")),
        tuple((key, rules) for key, rules in cites if rules),
    )  # fmt: skip


def _value(node: Mapping, key: str) -> Node | None:
    """The value of a setting, which may stand in a block under `is`."""
    value = node.get(key)
    return value.get("is") if isinstance(value, Mapping) else value


def _phases(node: Node | None) -> tuple[PhaseDecl, ...]:
    made = []
    for item in parts(node):
        name, use = maybe(under(item, "phase")), maybe(under(item, "use"))
        if name is not None and use is not None:
            reads, cites = texts(under(item, "reads")), texts(under(item, "cites"))
            made.append(PhaseDecl(name, reads, use, maybe(under(item, "says")), cites))
    return tuple(made)


def _steps(node: Node | None) -> tuple[Step, ...]:
    made = []
    for item in parts(node):
        says: Text | None = maybe(under(item, "says") if isinstance(item, Mapping) else item)
        if says is not None:
            made.append(Step(says, maybe(under(item, "by")), texts(under(item, "cites"))))
    return tuple(made)
