"""The section `procedure` in `PROTOCOL.md`: what is run, with which services, what people decide, and what follows."""

from __future__ import annotations

from collections.abc import Iterator

from protoc_compiler import core
from protoc_compiler.analysis.origin import decided_by_people
from protoc_compiler.emit import prose_manifest
from protoc_compiler.emit.markdown import cited, code, escape, table
from protoc_compiler.emit.prose_phases import phases
from protoc_compiler.emit.prose_types import amount, value_words
from protoc_runtime.conduct import conduct

_KINDS = {
    "python": "the Python function",
    "recorded": "recorded answers in",
    "command": "the command",
    "http": "the service at",
}
_PLACES = {"target": "in the target", "empty": "in an empty folder"}


def procedure(protocol: core.Protocol) -> Iterator[str]:
    """The section; nothing where the protocol has none."""
    steps = [s for s in protocol.statements if s.kind == "step"]
    parts = (
        _target, _freeze, prose_manifest.manifest, _providers, _subject, phases, prose_manifest.parity, _hidden,
        _judgements, _sealed, _outputs, _conduct,
    )  # fmt: skip
    lines = [line for part in parts for line in part(protocol)]
    if not lines and not steps:
        return
    yield from ("## Procedure", "", *lines)
    if steps:
        yield from ("### Steps", "")
        for number, step in enumerate(steps, 1):
            by = f" (by {escape(step.by)})" if step.by else ""
            yield f"{number}. {escape(step.says)}{by}{cited(step.cites)}"
        yield ""


def _target(protocol: core.Protocol) -> Iterator[str]:
    target = protocol.target
    if target is None:
        return
    where = _named(target.repository, target.repository_env)
    yield from ("### Target", "", f"What is evaluated is the repository {where} at commit {code(target.commit)}.", "")
    pinned = dict(target.pinned)
    rows = (
        (escape(name), ", ".join(map(code, globs)), code(pinned.get(name, "")) or "recorded")
        for name, globs in target.digests
    )
    yield from table(("digest", "of the files", "is"), rows)


def _named(value: str, variable: str) -> str:
    return f"named by the variable {code(variable)}" if variable else code(value)


def _freeze(protocol: core.Protocol) -> Iterator[str]:
    if protocol.freeze:
        yield from ("### Frozen", "")
        rows = ((escape(f.name), _frozen(f) + cited(f.cites)) for f in protocol.freeze)
        yield from table(("name", "value"), rows)


def _frozen(item: core.Freeze) -> str:
    if item.copy is not None:
        return prose_manifest.copied(item)
    value = "" if item.value is None else escape(value_words(item.value, item.type))
    if item.measured is not None:
        run, metric = code(item.measured.run), code(item.measured.metric)
        return f"{value}: the metric {metric} of the run {run}, receipt {code(item.measured.receipt)}"
    return f"the file {code(item.file)}" + (f" with the digest {value}" if value else "") if item.file else value


def _providers(protocol: core.Protocol) -> Iterator[str]:
    if protocol.providers:
        yield from ("### Providers", "")
        rows = (
            (
                escape(p.name),
                code(f"{p.method} {p.path}"),
                "forbidden" if p.forbidden else _named(p.base_url, p.base_url_env),
                escape(p.model),
                "-" if p.forbidden else p.keep,
            )
            for p in protocol.providers
        )
        yield from table(("provider", "request", "address", "model", "kept"), rows)


def _subject(protocol: core.Protocol) -> Iterator[str]:
    subject = protocol.subject
    if subject is None:
        return
    yield from ("### Subject", "")
    place = f", {_PLACES.get(subject.directory, f'in {code(subject.directory)}')}" if subject.directory else ""
    cites = {key: cited(ids) for key, ids in subject.cites}
    told = f"{_KINDS[subject.kind]} {code(subject.target)}{place}, once per row of {escape(subject.unit)}"
    yield f"What is evaluated is {told}{cites.get(subject.kind, '')}{cites.get('of', '')}."
    yield ""
    yield f"- It sees {escape(', '.join(subject.sees)) or 'nothing'}, and nothing else{cites.get('sees', '')}."
    yield f"- It gives {escape(', '.join(subject.gives)) or 'nothing'}."
    if subject.timeout is not None:
        yield f"- A case ends after {amount(subject.timeout, 's')}{cites.get('timeout', '')}."
    yield f"- At most {subject.concurrency} at a time{cites.get('concurrency', '')}."
    if subject.code:
        yield f"- Its code is sealed: {', '.join(map(code, subject.code))}{cites.get('code', '')}."
    yield ""


def _judgements(protocol: core.Protocol) -> Iterator[str]:
    if not protocol.judgements:
        return
    yield from ("### Adjudication", "")
    for each in protocol.judgements:
        says = f" {escape(each.says)}." if each.says else ""
        yield from (f"**{escape(each.name)}**:{says}{cited(each.cites)}", "")
        yield from (_told(each), "")
        if each.labels:
            yield from table(("label", "meaning"), ((escape(label), escape(meaning)) for label, meaning in each.labels))
        else:
            yield from (f"The labels of a row are its {code(each.choices)}.", "")
    changed = ", ".join(map(escape, decided_by_people(protocol))) or "none"
    yield from (f"Metrics and rules that people's answers can change: {changed}.", "")


def _told(judgement: core.Judgement) -> str:
    """What people do for one judgement, and when."""
    filled, judged = escape(f"{judgement.fills}.{judgement.column}"), escape(judgement.judges)
    after = f", after {escape(' and '.join(judgement.after))}" if judgement.after else ""
    told = f"People fill {filled}, once per row of {judged}{after}."
    if judgement.marks:
        text = code(judgement.marks)
        told = f"People mark passages of {text} for each row of {judged}{after}; each mark fills {filled}."
    told += f" They see {escape(', '.join(label for label, _ in judgement.sees))}."
    if judgement.raters:
        told += f" Raters: {escape(', '.join(judgement.raters))}, each on sheets of their own."
    if judgement.follows:
        told += f" A rater is shown it only after the same rater has saved {escape(' and '.join(judgement.follows))}."
    return told


def _hidden(protocol: core.Protocol) -> Iterator[str]:
    if protocol.hidden:
        yield from ("### Visibility", "", "No formula, choice of rows or order that reaches them reads these.", "")
        rows = (
            (
                code(f"{entry.table}.{entry.column}" if entry.column else entry.table),
                escape(", ".join(f"{who} until {until} is saved" if until else who for who, until in entry.who)),
                (escape(entry.says) + cited(entry.cites)).strip(),
            )
            for entry in protocol.hidden
        )
        yield from table(("hidden", "from", "words"), rows)


def _sealed(protocol: core.Protocol) -> Iterator[str]:
    if protocol.sealed is not None:
        names = ", ".join(map(escape, protocol.sealed.items))
        rules = cited(protocol.sealed.cites)
        yield f"Sealed against adjudication: {names}. No formula of these reads what people fill.{rules}"
        yield ""


def _outputs(protocol: core.Protocol) -> Iterator[str]:
    if protocol.outputs:
        yield from ("### Outputs", "")
        rows = ((code(o.path), escape(o.kind) + cited(o.cites)) for o in protocol.outputs)
        yield from table(("file", "holds"), rows)


def _conduct(protocol: core.Protocol) -> Iterator[str]:
    rules = conduct(protocol)
    if rules:
        yield from ("### Conduct", "", "What follows from the keys above, and is shown in every receipt.", "")
        rows = ((escape(rule.name), escape(rule.says) + cited(rule.cites), rule.how) for rule in rules)
        yield from table(("rule", "words", "how"), rows)
