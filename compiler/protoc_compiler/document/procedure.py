"""The section `procedure`: what is frozen, the subject, the phases, the steps in words."""

from __future__ import annotations

import re

from protoc_compiler import syntax
from protoc_compiler.catalogue import document as kinds
from protoc_compiler.document import agents, services
from protoc_compiler.document.phases import phases
from protoc_compiler.document.reading import Reader, entries, maybe, one_line, parts, text, texts, under
from protoc_compiler.nodes import Mapping, Node, Scalar, brief
from protoc_compiler.parse import parse_formula
from protoc_compiler.spec import Formula, FreezeItem, Procedure, Step, SubjectDecl, Text
from protoc_runtime.diagnostics import Findings

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.spec_manifest import ManifestDecl, ParityDecl

_OF_A_RUN = ("run", "metric", "receipt")
_DIGEST = re.compile(r"sha256:[0-9a-f]{64}")
_SUBJECTS = ("python", "recorded", "command", "http")
_LITERALS = (syntax.Number, syntax.Quantity, syntax.Date, syntax.String, syntax.Constant)


def procedure(reader: Reader, node: Node | None) -> Procedure:
    """The whole section."""
    return Procedure(
        _subject(reader, under(node, "subject")), _freeze(reader, under(node, "freeze")),
        phases(reader, under(node, "phases")), _steps(under(node, "steps")), services.target(under(node, "target")),
        services.providers(reader, under(node, "providers")), services.judgements(reader, under(node, "adjudication")),
        services.outputs(under(node, "outputs")), services.visibility(under(node, "visibility")),
        *_candidates(reader, under(node, "manifest"), under(node, "parity")),
    )  # fmt: skip


def _candidates(
    reader: Reader, manifest: Node | None, parity: Node | None
) -> tuple[ManifestDecl | None, ParityDecl | None]:
    """What is said of candidates and of another implementation: few protocols do, and load what reads it."""
    if manifest is None and parity is None:
        return None, None
    from protoc_compiler.document import manifests

    return manifests.manifest(reader, manifest), manifests.parity(reader, parity)


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
    if block and (block.get("copy_of") is not None or block.get("ties") is not None):
        from protoc_compiler.document import manifests

        return manifests.copied(reader, name, block)
    cites = texts(under(node, "cites"))
    value = block.get("is") if block else node
    file = maybe(under(node, "file"))
    if block and value is None and file is None and block.get("run") is None:
        found = "neither `is` nor `file`"
        reader.findings.add(
            kinds.EITHER_OR, name.span, where=f"the frozen value `{name.text}`", found=found, hint="give one of them"
        )
        return None
    if block and any(block.get(key) is not None for key in _OF_A_RUN):
        return _of_a_run(reader, name, block, cites)
    if file is not None:
        return _of_a_file(reader, name, file, value, cites)
    if not isinstance(value, Scalar) or not value.text.strip():
        return None
    if _DIGEST.fullmatch(value.text):
        return FreezeItem(text(name), digest=text(value), cites=cites)
    literal = _literal(value)
    if literal is None:
        reader.findings.add(kinds.BAD_FREEZE, value.span, found=brief(one_line(value.text)))
        return None
    return FreezeItem(text(name), literal, cites=cites)


def _of_a_file(
    reader: Reader, name: Scalar, file: Text, value: Node | None, cites: tuple[Text, ...]
) -> FreezeItem | None:
    """The digest of a file, and what it must be where that is said."""
    if value is None:
        return FreezeItem(text(name), file=file, cites=cites)
    if not isinstance(value, Scalar) or not _DIGEST.fullmatch(value.text):
        found = one_line(value.text) if isinstance(value, Scalar) else "a block"
        reader.findings.add(
            kinds.WRONG_KIND, value.span, where=f"`is` beside `file: {file.text}`",
            expected="the digest that the file must have, `sha256:` and 64 hex digits", found=f"`{found}`",
            hint="`sha256sum FILE` tells it",
        )  # fmt: skip
        return None
    return FreezeItem(text(name), digest=text(value), file=file, cites=cites)


def _of_a_run(reader: Reader, name: Scalar, block: Mapping, cites: tuple[Text, ...]) -> FreezeItem | None:
    """A value that an earlier run has measured: `run`, `metric`, `is` and `receipt` belong together."""
    given = {key: maybe(block.get(key)) for key in _OF_A_RUN}
    value = block.get("is")
    for key in _OF_A_RUN:
        if given[key] is None:
            what = {"run": "the folder of the run", "metric": "the metric that is the value"}.get(
                key, "the digest of the run's receipt: `sha256sum RUN/receipt.json` tells it"
            )
            reader.findings.add(
                kinds.MISSING_KEY, name.span, where=f"the frozen value `{name.text}`", key=key, what=what
            )
    literal = _literal(value) if isinstance(value, Scalar) else None
    if literal is None:
        reader.findings.add(
            kinds.MISSING_KEY, name.span, where=f"the frozen value `{name.text}`", key="is",
            what="the value itself, as the run has it, so that a reader sees the threshold",
        )  # fmt: skip
    if literal is None or None in given.values():
        return None
    return FreezeItem(
        text(name), literal, run=given["run"], metric=given["metric"], receipt=given["receipt"], cites=cites
    )


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
    kind = _kind(reader, node)
    if kind is None:
        return None
    if kind.text != "recorded" and node.get("sees") is None:
        reader.findings.add(
            kinds.MISSING_KEY, kind.span, where="`subject`", key="sees", what="the list of columns that reach it"
        )
    if kind.text != "recorded" and node.get("of") is None:
        reader.findings.add(
            kinds.MISSING_KEY, kind.span, where="`subject`", key="of", what="the table with one row per case"
        )
    for key, _ in node.entries:
        if key.text in ("directory", "environment", "files", "pool") and kind.text != "command":
            reader.findings.add(
                kinds.EITHER_OR, key.span, where="the subject", found=f"`{key.text}` without `command`",
                hint=f"delete `{key.text}`: only a command has a folder and an environment of its own",
            )  # fmt: skip
    argv = texts(_value(node, "command"))
    target = Text(" ".join(map(_shell_word, argv)), kind.span) if argv else maybe(_value(node, kind.text))
    if target is None:
        return None
    return SubjectDecl(
        node.span, kind, target, maybe(_value(node, "of")), texts(_value(node, "sees")), texts(_value(node, "code")),
        reader.formula(_value(node, "timeout")), reader.formula(_value(node, "concurrency")), agents.cites(node),
        argv, maybe(_value(node, "directory")), texts(_value(node, "environment")), session=agents.session(node),
        files=texts(_value(node, "files")), pool=maybe(_value(node, "pool")),
    )  # fmt: skip


def _kind(reader: Reader, node: Mapping) -> Text | None:
    given = [key for key, _ in node.entries if key.text in _SUBJECTS]
    if len(given) == 1:
        return text(given[0])
    written = " and ".join(f"`{key.text}`" for key in given)
    reader.findings.add(
        kinds.EITHER_OR, node.entries[0][0].span if node.entries else node.span, where="the subject",
        found=written or "none of `python`, `command`, `http` and `recorded`",
        hint="give one: `python: path.py:function`, `command: [program, argument]`, `http: ADDRESS`, or "
        "`recorded: FOLDER`",
    )  # fmt: skip
    return None


def _shell_word(word: Text) -> str:
    return word.text if re.fullmatch(r"[\w@%+=:,./-]+", word.text, re.ASCII) else repr(word.text)


def _value(node: Mapping, key: str) -> Node | None:
    return services.value(node, key)


def _steps(node: Node | None) -> tuple[Step, ...]:
    made = []
    for item in parts(node):
        says: Text | None = maybe(under(item, "says") if isinstance(item, Mapping) else item)
        if says is not None:
            made.append(
                Step(says, maybe(under(item, "by")), texts(under(item, "cites")), texts(under(item, "shown_by")))
            )
    return tuple(made)
