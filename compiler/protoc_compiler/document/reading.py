"""From nodes to the parts that every section is made of: words, formulas, lists of lines, definitions.

What the shape check has refused is passed over in silence here; what is found here is said here.
"""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler.catalogue import document as kinds
from protoc_compiler.conform import MAX_FINDINGS
from protoc_compiler.nodes import Mapping, Node, Scalar, Sequence
from protoc_compiler.parse import parse_formula, parse_line
from protoc_compiler.spec import Body, Conditions, Custom, Definition, FirstMatch, Formula, Rule, Text
from protoc_runtime.diagnostics import Findings

WITHHELD = ("withheld when", "not withheld")


class Reader:
    """Reads parts of a spec into records; `broken` collects the names whose entries could not be read."""

    def __init__(self, findings: Findings) -> None:
        self.findings = findings
        self.broken: list[str] = []

    def formula(self, node: Node | None) -> Formula | None:
        """A formula, or None where the node is absent or does not parse."""
        if not isinstance(node, Scalar) or not node.text.strip() or len(self.findings) > MAX_FINDINGS:
            return None
        tree = parse_formula(node, self.findings)
        return None if tree is None else Formula(one_line(node.text), node.span, tree)

    def formulas(self, node: Node | None) -> tuple[Formula, ...]:
        """One formula or a list of them."""
        found = (self.formula(part) for part in parts(node))
        return tuple(formula for formula in found if formula is not None)

    def body(self, node: Node | None) -> Body | None:
        """A formula, a first-match list, or conditions under `all` or `any`."""
        if isinstance(node, Sequence):
            return self.lines(node)
        if isinstance(node, Mapping):
            return self.conditions(node)
        return self.formula(node)

    def lines(self, node: Node | None) -> FirstMatch | None:
        """A first-match list; only the last line is, and must be, an `otherwise`."""
        if not isinstance(node, Sequence) or not node.items:
            return None
        written = [item.get("is") if isinstance(item, Mapping) else item for item in node.items]
        scalars = [item for item in written if isinstance(item, Scalar) and item.text.strip()]
        read = [parse_line(item, self.findings) for item in scalars]
        for item, line in zip(scalars[:-1], read[:-1], strict=True):
            if line is not None and line.condition is None:
                self.findings.add(kinds.EARLY_OTHERWISE, item.span)
        early = any(line is not None and line.condition is None for line in read[:-1])
        if not early and read and read[-1] is not None and read[-1].condition is not None:
            self.findings.add(kinds.NO_OTHERWISE, scalars[-1].span)
        lines = tuple(line for line in read if line is not None)
        if len(lines) < len(node.items):
            return None
        cites = tuple(cite for item in node.items for cite in texts(under(item, "cites")))
        return FirstMatch(node.span, lines, tuple(one_line(item.text) for item in scalars), cites)

    def conditions(self, node: Mapping) -> Conditions | None:
        """`{all: [...]}` or `{any: [...]}`."""
        given = [key for key, _ in node.entries if key.text in ("all", "any")]
        if len(given) != 1:
            if given or not node.entries:
                found = "`all` and `any`" if given else "neither `all` nor `any`"
                self.findings.add(
                    kinds.EITHER_OR, node.span, where="the condition", found=found,
                    hint="keep one of them, and name a condition of its own under `definitions` for the other",
                )  # fmt: skip
            return None
        under = node.get(given[0].text)
        found_parts = self.formulas(under)
        if len(found_parts) < len(list(parts(under))):
            return None
        return Conditions("all" if given[0].text == "all" else "any", node.span, found_parts)

    def definition(self, name: Scalar, node: Node) -> Definition | None:
        """A formula or list by itself, or a block with `is`."""
        block = node if isinstance(node, Mapping) and not (node.get("all") or node.get("any")) else None
        if block and block.get("python") is not None:
            return self.custom(name, block)
        body = self.body(block.get("is") if block else node)
        undefined = block.get("if_undefined") if block else None
        value = self.formula(undefined)
        if body is None or (undefined is not None and value is None):
            self.broken.append(name.text)
            return None
        if block is None:
            return Definition(text(name), body)
        return Definition(
            text(name), body, maybe(block.get("says")), value, texts(block.get("with")), texts(block.get("cites")),
            maybe(block.get("better")),
        )  # fmt: skip

    def custom(self, name: Scalar, block: Mapping) -> Definition | None:
        """A metric that is a function of the author's."""
        python, gives, takes = maybe(block.get("python")), maybe(block.get("gives")), block.get("takes")
        given, timeout = self.formulas(takes), self.formula(block.get("timeout"))
        if python is None or gives is None or len(given) < len(list(parts(takes))):
            self.broken.append(name.text)
            return None
        body = Custom(block.span, python, given, gives, timeout)
        says, cites = maybe(block.get("says")), texts(block.get("cites"))
        return Definition(text(name), body, says, cites=cites, better=maybe(block.get("better")))

    def definitions(self, node: Node | None) -> tuple[Definition, ...]:
        """All entries of a map of definitions."""
        read = (self.definition(name, value) for name, value in entries(node))
        return tuple(item for item in read if item is not None)

    def rules(self, node: Node | None, formula_key: str) -> tuple[Rule, ...]:
        """All entries of `blockers`, `gates` or `checks`."""
        read = (self.rule(name, value, formula_key) for name, value in entries(node))
        return tuple(item for item in read if item is not None)

    def rule(self, name: Scalar, node: Node, formula_key: str) -> Rule | None:
        """One rule: its words and its formula."""
        block = node if isinstance(node, Mapping) else Mapping((), node.span)
        body, says = self.body(block.get(formula_key)), maybe(block.get("says"))
        if body is None or says is None:
            self.broken.append(name.text)
            return None
        return Rule(
            text(name), says, body, maybe(block.get("forces")), maybe(block.get("if_undefined")),
            texts(block.get("cites")),
        )  # fmt: skip


def one_line(words: str) -> str:
    """Text with every run of white space as one space."""
    return " ".join(words.split())


def text(scalar: Scalar) -> Text:
    """A scalar's words and place."""
    return Text(scalar.text, scalar.span)


def maybe(node: Node | None) -> Text | None:
    """The words of a filled scalar."""
    return text(node) if isinstance(node, Scalar) and node.text.strip() else None


def parts(node: Node | None) -> Iterator[Node]:
    """The items of a list, or the one node that stands for it."""
    if isinstance(node, Sequence):
        yield from node.items
    elif node is not None:
        yield node


def texts(node: Node | None) -> tuple[Text, ...]:
    """The words of a list of scalars, or of one."""
    found = (maybe(part) for part in parts(node))
    return tuple(item for item in found if item is not None)


def entries(node: Node | None) -> Iterator[tuple[Scalar, Node]]:
    """The entries of a map, without the two keys about withholding."""
    if isinstance(node, Mapping):
        for name, value in node.entries:
            if name.text not in WITHHELD:
                yield name, value


def under(node: Node | None, key: str) -> Node | None:
    """The value of `key` where the node is a map."""
    return node.get(key) if isinstance(node, Mapping) else None
