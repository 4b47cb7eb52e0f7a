"""What stands around the formulas: the subject, frozen values, splits, phases, statements, claims, amendments."""

from __future__ import annotations

import os

from protoc_compiler import core, suggest, syntax
from protoc_compiler.catalogue import names as kinds
from protoc_compiler.catalogue import procedure as procedure_kinds
from protoc_compiler.catalogue import types as type_kinds
from protoc_compiler.catalogue import visibility as visibility_kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.elaborate.kinds import describe
from protoc_compiler.names import RULE_SPACES
from protoc_compiler.nodes import brief
from protoc_compiler.settings import at_once, limit
from protoc_compiler.spec import Duty, Formula, FreezeItem, Spec, SubjectDecl, TableDecl, Text, TypeName
from protoc_compiler.spec_parts import texts
from protoc_runtime.observed import OF_SESSIONS

BEFORE = "before "
# in a file with one of these a name may be given otherwise than by `def`, `=` or `import`
_OTHER_WAYS = (
    b"import *", b"__getattr__", b"__dict__", b"global", b"locals", b"vars", b"setattr",
    b"exec", b"modules", b":=",
)  # fmt: skip
_LONGEST = 1 << 20  # more of a subject's file than that is not read
_OWN_PLACES = ("", ".", "target", "empty")  # words for where a command runs; others are paths


def subject(el: Elaborator, written: SubjectDecl | None) -> core.Subject | None:
    """What is evaluated, None where no subject is written or its table is not known (which is reported then)."""
    if written is None:
        _no_sessions(el)
        return None
    tables = [table for table in el.spec.tables if table.source.text == "subject"]
    unit = written.unit.text if written.unit is not None else ""
    if unit and unit not in el.names.declared:
        hint = suggest.hint(unit, el.names.declared)
        span = written.unit.span if written.unit else written.span
        el.findings.add(kinds.UNKNOWN_TABLE, span, name=brief(unit), hint=hint)
        return None
    decl = el.names.declared.get(unit)
    known = [column.name.text for column in decl.columns] if decl is not None else []
    for name in written.sees:
        if "." in name.text and written.session is not None:
            _check_path(el, unit, name)
        elif unit and name.text not in known:
            hint = suggest.hint(name.text, known)
            el.findings.add(kinds.UNKNOWN_COLUMN, name.span, table=unit, name=name.text, hint=hint)
    if written.kind.text != "recorded":
        _check_keys(el, tables, unit)
    if written.directory is not None and written.directory.text == "target" and el.spec.procedure.target is None:
        el.findings.add(procedure_kinds.NO_TARGET, written.directory.span, what="`directory: target`")
    return core.Subject(
        kind=written.kind.text,  # type: ignore[arg-type]
        target=written.target.text,
        unit=unit,
        sees=tuple(name.text for name in written.sees),
        gives=tuple(table.name.text for table in tables),
        code=tuple(path.text for path in written.code),
        timeout=limit(el, written.timeout),
        concurrency=at_once(el, written.concurrency, "how many cases may run at once"),
        cites=tuple((key, tuple(cite.text for cite in cites)) for key, cites in written.cites),
        argv=texts(written.argv),
        directory=written.directory.text if written.directory is not None else "",
        environment=tuple(sorted(texts(written.environment))),
        files=tuple(sorted(texts(written.files))),
        pool=written.pool is not None and written.pool.text == "true",
        session=_session(el, written),
    )


def _no_sessions(el: Elaborator) -> None:
    if any(table.source.text in OF_SESSIONS for table in el.spec.tables):
        from protoc_compiler import agents

        agents.session(el, None)


def _session(el: Elaborator, written: SubjectDecl) -> core.Session | None:
    """What reads sessions is loaded for a protocol that speaks of them."""
    if written.session is None and not any(table.source.text in OF_SESSIONS for table in el.spec.tables):
        return None
    from protoc_compiler import agents

    return agents.session(el, written)


def _check_path(el: Elaborator, unit: str, name: Text) -> None:
    from protoc_compiler import agents

    agents.check_path(el, unit, name)


def _check_keys(el: Elaborator, tables: list[TableDecl], unit: str) -> None:
    """The key of a table that is filled case by case tells the case (E0334)."""
    for table in tables:
        types = {column.name.text: column.type for column in table.columns}
        refers = [name for name, kind in types.items() if isinstance(kind, TypeName) and kind.name == unit]
        keys = [key.text for key in table.key]
        if keys and unit and not table.duplicates and not set(refers) & set(keys):
            named = f"`key: [{', '.join([refers[0] if refers else 'case', *keys])}]`"
            hint = f"write {named}" if refers else f"add a column with the type `{unit}`, and write {named}"
            span = table.key[0].span
            el.findings.add(kinds.KEY_WITHOUT_CASE, span, table=table.name.text, unit=unit, hint=hint)


def sealed(el: Elaborator) -> core.Sealed | None:
    """What the report says that adjudication cannot change; whether it is so, `analysis.origin` finds."""
    spaces = ("definitions", "metrics", *RULE_SPACES)
    items = [(space, name) for space, name in el.names.items if space in spaces]
    known = {f"{space}.{name}" if space in RULE_SPACES else name for space, name in items}
    for name in el.spec.report.sealed:
        el.used.add(name.text)
        if name.text not in known:
            hint = suggest.hint(name.text, known)
            el.findings.add(kinds.UNKNOWN_NAME, name.span, name=brief(name.text), hint=hint)
    cites = tuple(cite.text for cite in el.spec.report.sealed_cites)
    return core.Sealed(tuple(sorted(texts(el.spec.report.sealed))), cites) if el.spec.report.sealed else None


def freeze(el: Elaborator) -> tuple[core.Freeze, ...]:
    """Every fixed value, in the order of the spec; the entries of a copied block become values of their own."""
    made = []
    for item in el.spec.procedure.freeze:
        cites = tuple(cite.text for cite in item.cites)
        name = item.name.text
        if item.copy is not None:
            made += _copied(el, item, cites)
        elif item.digest is not None:
            file = item.file.text if item.file is not None else ""
            made.append(core.Freeze(name, core.DIGEST, item.digest.text.removeprefix("sha256:"), file, cites))
        elif item.file is not None:
            made.append(core.Freeze(name, core.DIGEST, None, item.file.text, cites))
        elif item.value is not None:
            value = el.expr(item.value.tree, ())
            if isinstance(value, core.Const) and value.value is not None:
                made.append(core.Freeze(name, value.type, value.value, "", cites, _measured(el, item, value)))
            else:
                el.findings.add(
                    type_kinds.BAD_LITERAL, item.value.span, found=item.value.text, expected="a literal value",
                    hint=f"write a literal, a digest, or {{file: PATH}}; this is {describe(value.type)}",
                )  # fmt: skip
    return tuple(made)


def _copied(el: Elaborator, item: FreezeItem, cites: tuple[str, ...]) -> list[core.Freeze]:
    """A canonical block; its value is the digest of what it means."""
    from protoc_compiler.manifests import copied

    assert item.copy is not None
    made = copied(el, item.name, item.copy)
    return [] if made is None else [core.Freeze(item.name.text, core.DIGEST, made[1], "", cites, None, made[0])]


def _measured(el: Elaborator, item: FreezeItem, value: core.Const) -> core.Measured | None:
    """Where an earlier run has measured a value; what the run has is compared if it is there."""
    if item.run is None or item.metric is None or item.receipt is None:
        return None
    from pathlib import Path

    from protoc_runtime.declared import Freeze, Measured, Type
    from protoc_runtime.measured import compare_measured

    made = core.Measured(item.run.text, item.metric.text, item.receipt.text)
    stated = Freeze(
        item.name.text, Type(value.type.kind, unit=value.type.unit), value.value, "", (),
        Measured(made.run, made.metric, made.receipt),
    )  # fmt: skip
    compare_measured(stated, Path(el.spec.file).parent, item.run.span, el.findings)
    return made


def splits(spec: Spec) -> tuple[core.Split, ...]:
    """Every split of the data with its role and terms; a size that is not stated is None."""
    return tuple(
        core.Split(
            split.name.text,
            split.role.text,
            tuple(use.text for use in split.may),
            split.says.text if split.says is not None else "",
            split.was.text if split.was is not None else "",
            split.baseline.text if split.baseline is not None else "",
            tuple(cite.text for cite in split.cites),
            split.after.text if split.after is not None else "",
            _number(split.cases),
            split.status.text if split.status is not None else "",
            tuple(other.text for other in split.disjoint_from),
            _number(split.at_most),
        )
        for split in spec.splits
    )


def _number(written: Text | None) -> int:
    """The number that a text begins with: 1800 of `1_800`, 2 of `2 candidates`; 0 of none."""
    return int(written.text.split()[0].replace("_", "")) if written is not None else 0


def statements(spec: Spec) -> tuple[core.Statement, ...]:
    """Everything that people state or vouch for: steps, attestations, duties, limits; texts as they are written."""
    made = [
        core.Statement(
            "step",
            f"step {index + 1}",
            step.says.text,
            step.by.text if step.by else "",
            _cites(step.cites),
            texts(step.shown_by),
        )
        for index, step in enumerate(spec.procedure.steps)
    ]
    made += [_duty("duty", index, duty) for index, duty in enumerate(spec.report.duties)]
    made += [_duty("never", index, use) for index, use in enumerate(spec.never)]
    made += [
        core.Statement("attestation", item.name.text, item.says.text, "attestation", _cites(item.cites))
        for item in spec.attestations
    ]
    made += [_duty("limit", index, duty) for index, duty in enumerate(spec.limits)]
    return tuple(made)


def _duty(kind: str, index: int, duty: Duty) -> core.Statement:
    return core.Statement(kind, f"{kind} {index + 1}", duty.says.text, "", _cites(duty.cites))


def _cites(cites: tuple[Text, ...]) -> tuple[str, ...]:
    return tuple(cite.text for cite in cites)


# --- files that a spec names ----------------------------------------------------------------------------------------


def check_files(el: Elaborator) -> None:
    """What sealing or running would refuse of the files that a spec names, where that can be told without their rows:
    paths that leave its folder (E1005, E1113), and a subject's function that its file does not have (E0339).

    A file that is not there may still be written: sealing tells it.
    """
    folder = os.path.dirname(os.path.abspath(el.spec.file))
    for table in el.spec.tables:
        if table.source.text == "file" and table.file is not None and _leaves(folder, table.file.text):
            from protoc_runtime.catalogue import rows

            el.findings.add(rows.UNSAFE_PATH, table.file.span, table=table.name.text, found=table.file.text)
    for path in _pinned_paths(el.spec):
        if os.path.isabs(path.text) or _leaves(folder, path.text):
            from protoc_runtime.catalogue import seal

            reason = "it leads out of the protocol's folder"
            el.findings.add(seal.UNSAFE_PATH, path.span, path=path.text, reason=reason)
    written = el.spec.procedure.subject
    if written is not None and written.kind.text == "python":
        _check_function(el, written.target, folder)


def _pinned_paths(spec: Spec) -> list[Text]:
    """Every path of the subject's code, of what a session is given, of frozen files, and of schemas of answers."""
    procedure, subject = spec.procedure, spec.procedure.subject
    paths = [item.file for item in procedure.freeze if item.copy is None]
    paths += [each.answer.json for each in procedure.providers if each.answer is not None]
    if subject is not None:
        paths += subject.code
        session = subject.session
        if subject.kind.text == "python":
            paths.append(Text(subject.target.text.rpartition(":")[0], subject.target.span))
        elif session is not None:
            paths += [session.prompt, session.response]
        elif subject.directory is not None and subject.directory.text not in _OWN_PLACES:
            paths.append(subject.directory)
    return [path for path in paths if path is not None and path.text]


def _leaves(folder: str, path: str) -> bool:
    """Whether a path leads out of a folder, by its text or by a link on its way that is there already."""
    named = os.path.normpath(os.path.join(folder, path))
    return not _within(folder, named) or not _within(os.path.realpath(folder), os.path.realpath(named))


def _within(folder: str, path: str) -> bool:
    return (path + os.sep).startswith(folder.rstrip(os.sep) + os.sep)


def _check_function(el: Elaborator, target: Text, folder: str) -> None:
    """The file of the subject, where it is there, is Python and gives its function a name (E0339). Nothing is run."""
    file, _, function = target.text.rpartition(":")
    path = os.path.join(folder, file)
    if _leaves(folder, file) or not os.path.isfile(path):
        return
    try:
        with open(path, "rb") as opened:
            source = opened.read(_LONGEST + 1)
        known = _others(source, file, function) if len(source) <= _LONGEST else None
        reason = f"{file} has no function `{function}`"
    except (OSError, RecursionError, MemoryError):
        return
    except (SyntaxError, ValueError) as error:
        known, reason = (), f"{file} is no Python: {error}"
    if known is not None:
        hint = suggest.hint(function, known, "write the function, or name one that the file has")
        el.findings.add(kinds.NO_SUBJECT, target.span, target=target.text, reason=reason, hint=hint)


def _others(source: bytes, file: str, wanted: str) -> tuple[str, ...] | None:
    """The names that a module gets when it is imported, by `def`, `=`, `import` and the like, where the wanted one is
    not among them. None where it is, or may be. Raises `SyntaxError` or `ValueError` where it is no Python."""
    import symtable
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what Python thinks of the author's code is told when it is run
        table = symtable.symtable(source, file, "exec")  # type: ignore[arg-type]  # bytes are taken, too

    def given(name: str) -> bool:
        """Whether a statement of the module gives the name a value."""
        symbol = table.lookup(name)
        return symbol.is_assigned() or symbol.is_imported()

    names = table.get_identifiers()
    if wanted in names and given(wanted):  # nearly always: then no other name is looked at
        return None
    plain = b" ".join(source.replace(b"\\", b" ").split())
    if any(way in plain for way in _OTHER_WAYS):
        return None
    return tuple(sorted(filter(given, names)))


# --- claims and amendments ------------------------------------------------------------------------------------------


def claims(el: Elaborator, verdict: core.Item) -> tuple[core.Claim, ...]:
    """What may and must not be claimed, with the verdict words under which each is; faults of these are reported."""
    made = []
    for claim in el.spec.report.claims:
        words: tuple[str, ...] = ()
        may = ""
        if isinstance(claim.may, Formula):
            words = _verdict_words(el, claim.may.tree, verdict)
        elif claim.may is not None:
            may = claim.may.text
        if claim.never is not None and el.spec.procedure.judgements and claim.never.text.startswith(BEFORE):
            _check_before(el, claim.never)
        texts = [text.text if text is not None else "" for text in (claim.never, claim.says, claim.status)]
        made.append(core.Claim(claim.name.text, words, may, *texts))
    return tuple(made)


def _check_before(el: Elaborator, never: Text) -> None:
    """`before inventory`: until which judgement a claim is forbidden (E2609)."""
    known = ["adjudication", *(judgement.name.text for judgement in el.spec.procedure.judgements)]
    name = never.text.removeprefix(BEFORE)
    if name not in known:
        hint = suggest.hint(name, known, f"write `before adjudication`, or one of {', '.join(known[1:])}")
        el.findings.add(visibility_kinds.UNKNOWN_JUDGEMENT, never.span, name=name, hint=hint)


def _verdict_words(el: Elaborator, tree: syntax.Expr, verdict: core.Item) -> tuple[str, ...]:
    if isinstance(tree, syntax.Or):
        return tuple(word for part in tree.parts for word in _verdict_words(el, part, verdict))
    if isinstance(tree, syntax.Name) and tree.text in verdict.words:
        return (tree.text,)
    name = tree.text if isinstance(tree, syntax.Name) else "this formula"
    words = ", ".join(f"`{word}`" for word in verdict.words)
    el.findings.add(kinds.UNKNOWN_VERDICT, tree.span, name=name, words=words)
    return ()


def amendments(spec: Spec) -> tuple[core.Amendment, ...]:
    """Every amendment in the order of the report, its texts as they are written; what is absent is ""."""
    return tuple(
        core.Amendment(
            item.name.text,
            tuple(change.text for change in item.changes),
            item.why.text,
            tuple(seen.text for seen in item.seen),
            item.at.text if item.at is not None else "",
            item.supersedes.text if item.supersedes is not None else "",
            texts(item.removes),
        )
        for item in spec.report.amendments
    )
