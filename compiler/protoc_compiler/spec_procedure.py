"""The section `procedure` as a document: what is run, with which services, and what people decide after it."""

from __future__ import annotations

from protoc_compiler.spec_parts import Formula, Text
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.spec_manifest import CopyDecl, ManifestDecl, ParityDecl


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
    copy: CopyDecl | None = None


KeyCites = tuple[tuple[str, tuple[Text, ...]], ...]  # by key: ("sees", (D014,)), ...


@record
class ConfiguredDecl:
    """Where the tool's own configuration has a frozen value: the key of a file, or a command."""

    name: Text
    file: Text | None = None
    key: Text | None = None
    argv: tuple[Text, ...] = ()


@record
class UsageDecl:
    """A count of a turn: its name here, the field that the tool reports, and the count that includes it."""

    name: Text
    field: Text
    part_of: Text | None = None


@record
class SessionDecl:
    """What is said of the sessions of an agent; `span` is that of `session`, or of the first key that needs it."""

    span: Span
    session: Text | None
    prompt: Text | None = None
    response: Text | None = None
    sandbox: Text | None = None
    network: Text | None = None
    allowed: tuple[Text, ...] = ()
    configured: tuple[ConfiguredDecl, ...] = ()
    usage: tuple[UsageDecl, ...] = ()
    retry: Text | None = None
    resume: Text | None = None


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
    files: tuple[Text, ...] = ()
    pool: Text | None = None
    session: SessionDecl | None = None


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
    sent_as: Text | None = None


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
    choices: Formula | None = None  # the column that holds the labels of each row
    marks: Text | None = None
    follows: tuple[Text, ...] = ()
    raters: tuple[Text, ...] = ()


@record
class HiddenDecl:
    """A column or table, and from whom it is hidden: `subject`, `raters`, a rater, each perhaps `until JUDGEMENT`."""

    name: Text
    hidden_from: tuple[Text, ...]
    says: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class OutputDecl:
    """A file of the bundle under a name that the protocol asks for."""

    path: Text
    kind: Text
    cites: tuple[Text, ...] = ()
    of: Text | None = None
    kept: Text | None = None
    shows: tuple[Text, ...] = ()
    rejected: tuple[Text, ...] = ()
    digests: tuple[Text, ...] = ()


@record
class PreservedDecl:
    """Evidence that a phase preserves, or (with `says`) what a person does for it or after it."""

    name: Text
    says: Text | None = None
    cites: tuple[Text, ...] = ()


@record
class PhaseDecl:
    """One phase of the study: the splits that it reads, the use it makes of them, and its place in the machine.

    `then`: with which verdict the study may go on to which phases; `ends`: the verdicts after which the phase is over.
    """

    name: Text
    reads: tuple[Text, ...]
    use: Text
    says: Text | None = None
    cites: tuple[Text, ...] = ()
    owner: Text | None = None
    enter: Formula | None = None
    once: bool = False
    ends: tuple[Text, ...] = ()
    then: tuple[tuple[Text, tuple[Text, ...]], ...] = ()
    may_change: tuple[Text, ...] = ()
    same: tuple[Text, ...] = ()
    parity: Text | None = None
    never: tuple[Text, ...] = ()
    records: tuple[PreservedDecl, ...] = ()
    duties: tuple[PreservedDecl, ...] = ()

    @property
    def stateful(self) -> bool:
        """Whether it takes part in a state machine."""
        return self.once or self.enter is not None or bool(self.ends or self.then)


@record
class Step:
    """A part of the procedure in words; `by` says who vouches for it (`runner`, `attestation`) where it is said;
    `shown_by` are the rules of conduct that show it."""

    says: Text
    by: Text | None = None
    cites: tuple[Text, ...] = ()
    shown_by: tuple[Text, ...] = ()


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
    visibility: tuple[HiddenDecl, ...] = ()
    manifest: ManifestDecl | None = None
    parity: ParityDecl | None = None
