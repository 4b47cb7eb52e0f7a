"""The section `procedure` as a document: what is run, with which services, and what people decide after it."""

from __future__ import annotations

from protoc_compiler.spec_parts import Formula, Text
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record


@record
class FreezeItem:
    """A frozen value: a literal formula, a digest as written (`sha256:...`), or the digest of a file.

    A file with a digest must have it. A literal with a `run` is the value of its `metric`, as its `receipt` has it.
    """

    name: Text
    value: Formula | None = None
    digest: Text | None = None
    file: Text | None = None
    run: Text | None = None
    metric: Text | None = None
    receipt: Text | None = None
    cites: tuple[Text, ...] = ()


KeyCites = tuple[tuple[str, tuple[Text, ...]], ...]  # by key: ("sees", (D014,)), ...


@record
class SubjectDecl:
    """What is evaluated and how it is called.

    `kind` is `python` (`path.py:function`), `recorded` (rows that exist already), `command` (`argv`) or `http` (a
    URL). `unit` is the table with one row per case; `sees` are its columns that reach the subject.
    """

    span: Span
    kind: Text
    target: Text
    unit: Text | None
    sees: tuple[Text, ...]
    code: tuple[Text, ...] = ()
    timeout: Formula | None = None
    concurrency: Formula | None = None
    cites: KeyCites = ()
    argv: tuple[Text, ...] = ()
    directory: Text | None = None
    environment: tuple[Text, ...] = ()


@record
class PathSet:
    """Files of the target by their globs, and their digest where the protocol fixes it."""

    name: Text
    globs: tuple[Text, ...]
    pinned: Text | None = None


@record
class TargetDecl:
    """The git repository whose code is evaluated."""

    span: Span
    repository: Text
    commit: Text
    digests: tuple[PathSet, ...] = ()
    cites: KeyCites = ()


@record
class RetryDecl:
    """When a call is sent again, and after which waits."""

    span: Span
    only_on: tuple[Text, ...]
    at_most: Formula | None
    waits: tuple[Formula, ...]
    never_on: tuple[Text, ...] = ()
    retry_after: Text | None = None


@record
class AnswerDecl:
    """What an acceptable answer of a provider is."""

    dimension: Formula | None = None
    finite: Text | None = None
    json: Text | None = None
    statuses: tuple[Text, ...] = ()


@record
class ProviderDecl:
    """A service that the subject may call, or may not."""

    name: Text
    request: Text
    base_url: Text | None = None
    credential: Text | None = None
    model: Text | None = None
    answer: AnswerDecl | None = None
    retry: RetryDecl | None = None
    timeout: Formula | None = None
    concurrency: Formula | None = None
    spacing: Formula | None = None
    keep: Text | None = None
    forbidden: Text | None = None
    cites: KeyCites = ()


@record
class JudgementDecl:
    """What people decide after the run, of which rows, and what they may see of them."""

    name: Text
    judges: Text
    fills: Text
    column: Text
    sees: tuple[Formula, ...]
    labels: tuple[tuple[Text, Text], ...]
    says: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class OutputDecl:
    """A file of the bundle under a name that the protocol asks for."""

    path: Text
    kind: Text
    cites: tuple[Text, ...] = ()


@record
class PhaseDecl:
    """One phase of the study: the splits that it reads, and the use it makes of them."""

    name: Text
    reads: tuple[Text, ...]
    use: Text
    says: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class Step:
    """A part of the procedure in words; `by` says who vouches for it (`runner`, `attestation`) where it is said."""

    says: Text
    by: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class Procedure:
    """How the study is run."""

    subject: SubjectDecl | None = None
    freeze: tuple[FreezeItem, ...] = ()
    phases: tuple[PhaseDecl, ...] = ()
    steps: tuple[Step, ...] = ()
    target: TargetDecl | None = None
    providers: tuple[ProviderDecl, ...] = ()
    judgements: tuple[JudgementDecl, ...] = ()
    outputs: tuple[OutputDecl, ...] = ()
