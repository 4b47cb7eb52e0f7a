"""`PROTOCOL.md`: the protocol as prose and tables, in the order of its sections, for people who read no YAML.

Author's words are escaped, so that a name or a sentence cannot draw a heading, a table or HTML of its own; formulas
stand in code spans, longer than any run of backticks in them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from protoc_compiler import core, identity
from protoc_compiler.emit.markdown import cited as cited
from protoc_compiler.emit.markdown import code as code
from protoc_compiler.emit.markdown import escape as escape
from protoc_compiler.emit.markdown import sentence, table
from protoc_compiler.emit.prose_procedure import procedure
from protoc_compiler.emit.prose_splits import terms as split_terms
from protoc_compiler.emit.prose_types import type_words, value_words
from protoc_runtime.evidence import Rest, rests
from protoc_runtime.review_facts import facts

_SOURCES = {
    "file": "read from the file",
    "subject": "given by the subject",
    "runner": "observed by the runner",
    "adjudication": "told by people after the run",
}


def render(protocol: core.Protocol) -> str:
    """The page."""
    lines = [line for section in _SECTIONS for line in section(protocol)]
    return "\n".join(lines).rstrip("\n") + "\n"


# --- sections -----------------------------------------------------------------------------------------------------


def _head(protocol: core.Protocol) -> Iterator[str]:
    yield f"# {escape(protocol.title)}"
    yield ""
    yield f"Protocol {code(protocol.id)}, version {protocol.version}."
    yield f"Spec digest {code(identity.digest(protocol))}."
    yield ""
    for name, words in protocol.head:
        if name not in ("id", "version", "title"):
            yield f"- {escape(name)}: {escape(words)}"
    yield ""


def _question(protocol: core.Protocol) -> Iterator[str]:
    if protocol.question:
        yield from ("## Question", "")
        yield from (f"- **{escape(name)}**: {escape(words)}" for name, words in protocol.question)
        yield ""


def _data(protocol: core.Protocol) -> Iterator[str]:
    yield from ("## Data", "")
    for given in protocol.tables:
        if given.kind in ("input", "listed", "nested") and not (given.name == "splits" and protocol.splits):
            yield from _table(given)
    if protocol.splits:
        yield from ("### Splits", "")
        rows = (
            (
                escape(split.name),
                escape(split.role) + (f", was {escape(split.was)}" if split.was else ""),
                escape(", ".join(split.may)),
                escape(split.baseline),
                " ".join(filter(None, (escape(split.says) + cited(split.cites).rstrip(), *split_terms(split)))).strip(),
            )
            for split in protocol.splits
        )
        yield from table(("split", "role", "may be used to", "baseline", "words"), rows)
        never = [statement for statement in protocol.statements if statement.kind == "never"]
        if never:
            yield from ("No split is ever used to:", "")
            yield from (*(f"- {escape(use.says)}{cited(use.cites)}" for use in never), "")


def _table(given: core.Table) -> Iterator[str]:
    yield f"### {escape(given.name)}"
    yield ""
    if given.says or given.cites:
        yield sentence(escape(given.says)) + cited(given.cites)
        yield ""
    yield _where_from(given)
    yield ""
    columns = [column for column in given.columns if column.expr is None]
    if given.kind == "listed":
        yield from table(
            tuple(escape(column.name) for column in columns),
            (tuple(escape(value_words(v, c.type)) for v, c in zip(row, columns, strict=False)) for row in given.listed),
        )
    else:
        rows = (
            (escape(c.name), escape(type_words(c.type) + (", may be undefined" if c.optional else "")), _words(c))
            for c in columns
        )
        yield from table(("column", "type", "words"), rows)
    expected = [f"- {code(item.text)}" for item in given.expect]
    if expected:
        yield from ("Expected of the rows before anything is scored:", "", *expected, "")


def _where_from(given: core.Table) -> str:
    if given.kind == "listed":
        return "Its rows are part of the protocol."
    if given.kind == "nested":
        return f"An ordered list of rows inside each row of {escape(given.parent)}."
    known = None if given.record else _SOURCES.get(given.source)
    if given.source == "adjudication" and facts(column.name for column in given.columns):
        known = "recorded while people judged"
    source = known or f"observed: {escape(given.source)}"
    named = f" {code(given.file)}" if given.source == "file" and given.file else ""
    what = "One record" if given.record else "One row per " + (" and ".join(map(escape, given.key)) or "line")
    order = f", in the order of {escape(', '.join(given.order))}" if given.order else ""
    judged = f" Rows with a repeated key are judged by gate {escape(given.duplicates)}." if given.duplicates else ""
    return f"{what}, {source}{named}{order}.{judged}"


def _definitions(protocol: core.Protocol) -> Iterator[str]:
    tables = [(escape(t.name), _words(t), code(_made(t))) for t in protocol.tables if _made(t)]
    columns = [
        (escape(f"{t.name}.{c.name}"), _words(c), code(_decided(c.text, c.expr)))
        for t in protocol.tables
        for c in t.columns
        if c.expr is not None
    ]
    values = [_named(item) for item in protocol.of("definitions")]
    if tables or columns or values:
        yield from ("## Definitions", "")
        yield from table(("table", "words", "formula"), tables)
        yield from table(("column", "words", "formula"), columns)
        yield from table(("value", "words", "formula"), values)


def _made(given: core.Table) -> str:
    return given.text if given.kind in ("subset", "grouped", "cross", "stack", "sample") else ""


def _words(given: core.Table | core.Col | core.Item) -> str:
    return (escape(given.says) + cited(given.cites)).strip()


def _decided(text: str, expr: core.Expr | None) -> str:
    """A formula with what its author decided for undefined."""
    if isinstance(expr, core.Default) and isinstance(expr.value, core.Const):
        return f"{text}, if undefined: {value_words(expr.value.value, expr.value.type)}"
    return text


def _named(item: core.Item) -> tuple[str, str, str]:
    better = f"{item.better.capitalize()} values are better." if item.better else ""
    words = f"{sentence(_words(item)) if better else _words(item)} {better}".strip()
    return escape(item.name), words, code(_decided(item.text, item.expr))


def _metrics(protocol: core.Protocol) -> Iterator[str]:
    items = protocol.of("metrics")
    if items:
        yield from ("## Metrics", "")
        yield from table(("metric", "words", "formula"), map(_named, items))
        custom = ", ".join(escape(item.name) for item in items if isinstance(item.expr, core.Custom))
        if custom:
            yield from (f"Functions of the author's, outside of what is checked: {custom}.", "")
        yield from _withheld(items)


def _withheld(items: Sequence[core.Item]) -> Iterator[str]:
    """What a section withholds, and when: also where its condition is undefined."""
    hidden = [item for item in items if item.withheld is not None]
    if hidden:
        names = ", ".join(escape(item.name) for item in hidden)
        when = code(" ".join(hidden[0].withheld_text.split()))
        yield from (f"Withheld, so undefined and marked, while {when} is true or undefined: {names}.", "")


def _intervals(protocol: core.Protocol) -> Iterator[str]:
    if protocol.intervals:
        yield from ("## Intervals", "")
        for each in protocol.intervals:
            outputs = ", ".join(f"{which} as {escape(name)}" for which, name in each.outputs)
            drawn = " and ".join(escape(rows.table) for rows in each.resample)
            words = f" {sentence(escape(each.says))}" if each.says else ""
            yield (
                f"- **{escape(each.name)}** of {escape(each.metric)}:{words} {each.draws} draws of {drawn}, "
                f"{escape(each.generator)}, seed {code(each.seed)}, level {value_words(each.level, core.NUMBER)}; "
                f"gives {outputs}.{cited(each.cites)}"
            )
        yield ""


def _rules(protocol: core.Protocol) -> Iterator[str]:
    known = rests(identity.to_json(protocol)) if protocol.of("blockers") else {}
    for space, title, intro in (
        ("blockers", "Blockers", "What stops a release where it is so."),
        ("gates", "Gates", "What must be so. A gate that is undefined has not held."),
        ("checks", "Checks", "Evaluated and printed; they decide nothing unless the verdict names them."),
    ):
        items = protocol.of(space)
        if items:
            yield from (f"## {title}", "", intro, "")
            for item in items:
                yield from _rule(item)
                if space == "blockers":
                    yield from _blocker(item, known[space, item.name])
                yield ""
            yield from _withheld(items)


def _rule(item: core.Item) -> Iterator[str]:
    yield f"**{escape(item.name)}**: {escape(item.says)}{cited(item.cites)}"
    yield ""
    if item.parts:
        yield "All of these:" if item.joined == "all" else "Any of these:"
        yield ""
        yield from (f"- {code(text)}" for text, _ in item.parts)
    else:
        yield f"- {code(item.text)}"


def _blocker(item: core.Item, rest: Rest) -> Iterator[str]:
    undefined = "it fires" if item.fires_undefined else "it does not fire"
    yield f"- forces {escape(item.forces) or 'nothing'}; where it is undefined, {undefined}"
    read = f", from {escape(', '.join(rest.sources))}" if rest.sources else ""
    yield f"- its evidence is {rest.grade}{read}"


def _verdict(protocol: core.Protocol) -> Iterator[str]:
    yield from ("## Verdict", "")
    for item in protocol.of("verdicts"):
        yield from (f"Sub-verdict **{escape(item.name)}**{cited(item.cites)}:", "", *_lines(item), "")
    for item in protocol.of("verdict"):
        yield from (f"The first line whose condition is true{cited(item.cites)}:", "", *_lines(item), "")
    released = ", ".join(f"**{escape(word)}**" for word in protocol.released) or "none"
    yield from (f"Released: {released}. Every other verdict, and none at all, releases nothing.", "")


def _lines(item: core.Item) -> Iterator[str]:
    if not isinstance(item.expr, core.Choose):
        yield f"- {code(item.text)}"
        return
    for number, line in enumerate(item.lines(len(item.expr.lines) + 1), 1):
        yield f"{number}. {code(line)}"


def _report(protocol: core.Protocol) -> Iterator[str]:
    duties = [s for s in protocol.statements if s.kind == "duty"]
    named = [*protocol.of("statuses"), *protocol.of("lists")]
    if duties or named or protocol.claims or protocol.amendments:
        yield from ("## Report", "")
        yield from table(("reported", "words", "formula"), map(_named, named))
        yield from _withheld(named)
        yield from (f"- {escape(duty.says)}{cited(duty.cites)}" for duty in duties)
        yield ""
    yield from table(("claim", "may be made", "never"), map(_claim, protocol.claims))
    for each in protocol.amendments:
        seen = ", ".join(map(escape, each.seen)) or "no data"
        changes = ", ".join(map(escape, each.changes))
        yield f"- Amendment {escape(each.name)} {escape(each.at)}: {changes}; {escape(each.why)}; seen before: {seen}"
    yield ""


def _claim(claim: core.Claim) -> tuple[str, str, str]:
    may = f"when the verdict is {', '.join(claim.verdicts)}" if claim.verdicts else claim.may
    words = ", ".join(part for part in (claim.says, claim.status) if part)
    return escape(claim.name) + (f" ({escape(words)})" if words else ""), escape(may), escape(claim.never)


def _limits(protocol: core.Protocol) -> Iterator[str]:
    for kind, title in (("attestation", "Attested by people"), ("limit", "Limits")):
        said = [s for s in protocol.statements if s.kind == kind]
        if said:
            yield from (f"## {title}", "")
            for each in said:
                name = f"**{escape(each.name)}**: " if kind == "attestation" and each.name else ""
                yield f"- {name}{escape(each.says)}{cited(each.cites)}"
            yield ""


_SECTIONS = (
    _head,
    _question,
    _data,
    procedure,
    _definitions,
    _metrics,
    _intervals,
    _rules,
    _verdict,
    _report,
    _limits,
)
