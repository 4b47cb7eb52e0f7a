"""What the study runs against: the target, the providers with their policies, and the outputs."""

from __future__ import annotations

import re
from fractions import Fraction

from protoc_compiler import core, packets
from protoc_compiler.catalogue import document as document_kinds
from protoc_compiler.catalogue import names as name_kinds
from protoc_compiler.catalogue import procedure as kinds
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.settings import at_once, frozen_text, key_cites, limit, seconds, whole
from protoc_compiler.spec import AnswerDecl, ProviderDecl, RetryDecl, TargetDecl, Text
from protoc_compiler.spec_parts import texts, words
from protoc_runtime.diagnostics import Related
from protoc_runtime.observed import RECORDS

_ENV = "env "
_FILE = r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,99}"
_OF_CALLS = (
    "base_url",
    "credential",
    "model",
    "answer",
    "retry",
    "timeout",
    "concurrency",
    "spacing",
    "keep",
    "sent_as",
)


def target(el: Elaborator) -> core.Target | None:
    """The repository whose code is evaluated."""
    written = el.spec.procedure.target
    if written is None:
        return None
    _check_sets(el, written)
    place, variable = _place(written.repository)
    digests = sorted((item.name.text, tuple(sorted(texts(item.globs)))) for item in written.digests)
    pinned = sorted(
        (item.name.text, item.pinned.text.removeprefix("sha256:")) for item in written.digests if item.pinned
    )
    return core.Target(
        place, variable, written.commit.text, tuple(digests), tuple(pinned), key_cites(written.cites)
    )  # fmt: skip


def _check_sets(el: Elaborator, written: TargetDecl) -> None:
    """Digests stand beside what a record `from: target` tells anyway, so they have other names."""
    for item in written.digests:
        if item.name.text in RECORDS["target"]:
            el.findings.add(name_kinds.DUPLICATE_NAME, item.name.span, name=item.name.text)


def _place(text: Text | None) -> tuple[str, str]:
    """(place, "") or ("", name of the variable that holds it)."""
    given = words(text)
    return ("", given.removeprefix(_ENV).strip()) if given.startswith(_ENV) else (given, "")


def providers(el: Elaborator) -> tuple[core.Provider, ...]:
    """Every declared provider."""
    _check_names(el)
    return tuple(_provider(el, written) for written in el.spec.procedure.providers)


def _check_names(el: Elaborator) -> None:
    """The address of a provider reaches the subject in a variable, whose name has no case."""
    first: dict[str, Text] = {}
    for written in el.spec.procedure.providers:
        name = written.name
        other = first.setdefault(name.text.upper(), name)
        if other is not name:
            related = (Related(other.span, "both would be called by one variable"),)
            el.findings.add(name_kinds.DUPLICATE_NAME, name.span, related=related, name=name.text)
        if name.text == "subject":
            el.findings.add(document_kinds.RESERVED, name.span, found=name.text)


def _provider(el: Elaborator, written: ProviderDecl) -> core.Provider:
    method, _, path = written.request.text.partition(" ")
    forbidden = words(written.forbidden) == "true"
    _check_keys(el, written, forbidden)
    base_url, variable = _place(written.base_url)
    answer, retry = _answer(el, written.answer), _retry(el, written.retry)
    _check_statuses(el, written, answer)
    return core.Provider(
        name=written.name.text,
        method=method,
        path=path.strip(),
        base_url=base_url.rstrip("/"),
        base_url_env=variable,
        credential_env=words(written.credential).removeprefix(_ENV).strip(),
        model=frozen_text(el, written.model),
        answer=answer,
        retry=retry,
        timeout=limit(el, written.timeout),
        concurrency=at_once(el, written.concurrency, "how many calls may be under way at once"),
        spacing=seconds(el, written.spacing) or Fraction(0),
        keep="bodies" if words(written.keep) == "bodies" else "digests",
        forbidden=forbidden,
        cites=key_cites(written.cites),
        sent_as=words(written.sent_as),
    )


def _check_keys(el: Elaborator, written: ProviderDecl, forbidden: bool) -> None:
    given = [key for key in _OF_CALLS if getattr(written, key) is not None]
    if not forbidden and written.base_url is None:
        what = "`env NAME` or the address of the service"
        where = f"`{written.name.text}`"
        el.findings.add(document_kinds.MISSING_KEY, written.name.span, where=where, key="base_url", what=what)
    if written.sent_as is not None and written.credential is None:
        where, what = f"`{written.name.text}`", "the variable that holds what `sent_as` sends"
        el.findings.add(document_kinds.MISSING_KEY, written.sent_as.span, where=where, key="credential", what=what)
    for key in given if forbidden else ():
        value = getattr(written, key)
        span = getattr(value, "span", written.name.span)
        el.findings.add(kinds.FORBIDDEN_ALLOWED, span, name=written.name.text, key=key)


def _answer(el: Elaborator, written: AnswerDecl | None) -> core.Answer | None:
    if written is None:
        return None
    dimension = whole(el, written.dimension, "how many numbers a vector has", "1536")
    statuses = tuple(sorted(texts(written.statuses))) or ("200",)
    return core.Answer(dimension, words(written.finite) == "true", words(written.json), statuses)


# --- retries --------------------------------------------------------------------------------------------------------


def _retry(el: Elaborator, written: RetryDecl | None) -> core.Retry | None:
    if written is None:
        return None
    at_most = whole(el, written.at_most, "how many times a call is sent again", "2")
    waits = tuple(wait for wait in (seconds(el, formula) for formula in written.waits) if wait is not None)
    if at_most is not None and len(written.waits) != at_most:
        noun = "wait" if at_most == 1 else "waits"
        span = written.waits[0].span if written.waits else written.span
        el.findings.add(kinds.WAITS, span, at_most=at_most, noun=noun, given=len(written.waits))
    _overlap(el, written.never_on, "`never_on`", written.only_on, "`only_on`")
    return core.Retry(
        only_on=tuple(sorted(texts(written.only_on))),
        at_most=at_most or 0,
        waits=waits,
        never_on=tuple(sorted(texts(written.never_on))),
        retry_after="honoured" if words(written.retry_after) == "honoured" else "recorded",
    )


def _overlap(el: Elaborator, causes: tuple[Text, ...], one: str, others: tuple[Text, ...], two: str) -> None:
    for cause in causes:
        other = next((other for other in others if _meet(cause.text, other.text)), None)
        if other is not None:
            hint = f"keep it in one of {one} and {two}"
            if cause.text != other.text:
                hint += f"; `{other.text}` is wider: name the statuses that are meant"
            el.findings.add(
                kinds.CAUSES_OVERLAP, cause.span, cause=cause.text, one=one, other=other.text, two=two, hint=hint
            )


def _meet(one: str, other: str) -> bool:
    """Whether two causes share a failure: a class of statuses holds each of its own."""
    if one == other:
        return True
    classes = one.endswith("xx") or other.endswith("xx")
    return classes and one[:1].isdigit() and one[0] == other[0] and not (one.endswith("xx") and other.endswith("xx"))


def _check_statuses(el: Elaborator, written: ProviderDecl, answer: core.Answer | None) -> None:
    if written.retry is not None and written.answer is not None and answer is not None:
        accepted = written.answer.statuses or tuple(Text(status, written.retry.span) for status in answer.statuses)
        _overlap(el, accepted, "the statuses of an acceptable answer", written.retry.only_on, "`only_on`")


# --- outputs --------------------------------------------------------------------------------------------------------


def outputs(el: Elaborator) -> tuple[core.Output, ...]:
    """The files of the bundle that the protocol names."""
    first: dict[str, Text] = {}
    for written in el.spec.procedure.outputs:
        path = written.path
        if not re.fullmatch(_FILE, path.text, re.ASCII):
            hint = "write the name of a file without folders: letters, digits, `_`, `-` and `.`"
            el.findings.add(document_kinds.BAD_NAME, path.span, found=path.text, hint=hint)
        elif first.setdefault(path.text.lower(), path) is not path:
            el.findings.add(name_kinds.DUPLICATE_NAME, path.span, name=path.text)
    return tuple(packets.output(el, written) for written in el.spec.procedure.outputs)
