"""What the procedure of a protocol declares: providers, the target, judgements, outputs.

The compiler makes these records and the runtime reads them back from `protocol.json`, so they are defined once. All
durations are exact seconds. `cites` of a provider or target are by key: `("retry", ("A016",))`.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal, TypeVar

    T = TypeVar("T")

CAUSES = (
    "timeout", "connection", "truncated", "dimension", "semantic", "authentication", "validation",
)  # fmt: skip
OUTPUTS = ("receipt", "adjudication", "summary", "cases", "manifest", "rows", "packets")
OF_TABLES = ("rows", "packets")
SUBJECT, RATERS, PUBLIC = "subject", "raters", "public"  # from whom a column can be hidden, beside named raters
KeyCites = tuple[tuple[str, tuple[str, ...]], ...]


@record
class Retry:
    """When a call is sent again. A cause is a status (`429`), a class of them (`5xx`) or one of `CAUSES`.

    `waits` has one entry per retry: `waits[0]` stands between the first attempt and the second. `retry_after`: what a
    provider's Retry-After header does; `recorded` changes nothing, `honoured` waits at least that long.
    """

    only_on: tuple[str, ...]
    at_most: int
    waits: tuple[Fraction, ...]
    never_on: tuple[str, ...] = ()
    retry_after: Literal["recorded", "honoured"] = "recorded"

    def permits(self, cause: str) -> bool:
        """Whether a failure of this cause (a status in digits, or one of `CAUSES`) may be sent again."""
        names = (cause, f"{cause[0]}xx") if cause.isdigit() else (cause,)
        return any(name in self.only_on for name in names) and not any(name in self.never_on for name in names)


@record
class Answer:
    """What an acceptable answer is. `dimension`: numbers in each vector; `finite`: no NaN or infinity among them;
    `json`: the path of a JSON Schema beside the spec ("" for none); `statuses` that are no failure."""

    dimension: int | None = None
    finite: bool = False
    json: str = ""
    statuses: tuple[str, ...] = ("200",)


@record
class Provider:
    """A service that the subject may call, or may not (`forbidden`).

    `base_url` is the address, or "" where `base_url_env` names the environment variable that holds it. `model` ""
    pins none. `answer` None accepts every answer of status 200; `retry` None never sends a call again. `timeout` is
    of the whole call. `spacing` is the least time between two sends. `sent_as` is the header with the credential
    (`x-api-key: {credential}`), "" for `authorization: Bearer {credential}`.
    """

    name: str
    method: str
    path: str
    base_url: str
    base_url_env: str
    credential_env: str
    model: str
    answer: Answer | None
    retry: Retry | None
    timeout: Fraction | None
    concurrency: int
    spacing: Fraction
    keep: Literal["digests", "bodies"]
    forbidden: bool
    cites: KeyCites = ()
    sent_as: str = ""


@record
class Target:
    """The git repository whose code is evaluated, at a pinned commit.

    `repository` is a path or URL, or "" where `repository_env` names the environment variable that holds it.
    `digests` are sets of paths by their globs; `pinned` are those whose digest the protocol already fixes.
    """

    repository: str
    repository_env: str
    commit: str
    digests: tuple[tuple[str, tuple[str, ...]], ...] = ()
    pinned: tuple[tuple[str, str], ...] = ()
    cites: KeyCites = ()


@record
class Judgement:
    """What people decide after the run: one sheet row per row of `judges`, told into `column` of the table `fills`.

    `key` are the columns that name the judged row, the same in both tables. `sees` are the labels of what a rater
    sees; the generated rules give the values (`rules.sheets`). `labels` are the answers with their meanings, in the
    order of the column's members; where each row has its own, they are what it sees as `choices`. `after` are the
    judgements that must be told first. Of `marks` the answers are passages of what the row sees under that label.
    `raters` judge each alone; a rater is shown nothing of it before the same rater has told what it `follows`.
    """

    name: str
    judges: str
    fills: str
    column: str
    key: tuple[str, ...]
    sees: tuple[str, ...]
    labels: tuple[tuple[str, str], ...]
    after: tuple[str, ...] = ()
    says: str = ""
    cites: tuple[str, ...] = ()
    choices: str = ""
    marks: str = ""
    follows: tuple[str, ...] = ()
    raters: tuple[str, ...] = ()


@record
class Hidden:
    """A column (or with "" a whole table) that must not be seen: by `who` ("subject", "raters" or a rater), `until` a
    judgement is saved ("" for ever)."""

    table: str
    column: str
    who: tuple[tuple[str, str], ...]
    says: str = ""
    cites: tuple[str, ...] = ()


@record
class Output:
    """A file of the bundle under a name that the protocol asks for; `kind` is one of `OUTPUTS`.

    `rows` and `packets` are made of the table `of`: its key and the columns `shows`, of all rows or those in `kept`. Of
    the other rows a packet has the columns `rejected`, and of the texts `digests` their digests.
    """

    path: str
    kind: str
    cites: tuple[str, ...] = ()
    of: str = ""
    kept: str = ""
    shows: tuple[str, ...] = ()
    rejected: tuple[str, ...] = ()
    digests: tuple[str, ...] = ()


@record
class Sealed:
    """What adjudication cannot change: `items` are names of metrics and rules (`gates.P2.1`). The compiler has proved
    that none of them reads, through whatever names, a column that people fill."""

    items: tuple[str, ...]
    cites: tuple[str, ...] = ()


# --- reading them back ------------------------------------------------------------------------------------------


def provider(given: dict[str, Any]) -> Provider:
    """A provider from `protocol.json`."""
    return _made(
        Provider, {"sent_as": ""} | given,
        answer=_answer, retry=_retry, timeout=_seconds, concurrency=int, spacing=Fraction, cites=_cites,
    )  # fmt: skip


def target(given: dict[str, Any] | None) -> Target | None:
    """The target from `protocol.json`, where there is one."""
    return None if given is None else _made(Target, given, digests=_cites, pinned=_pairs, cites=_cites)


def judgement(given: dict[str, Any]) -> Judgement:
    """A judgement from `protocol.json`; of what a rater sees it has the labels, not the formulas."""
    later = {"choices": "", "marks": "", "follows": (), "raters": ()}
    return _made(Judgement, later | given, sees=lambda seen: tuple(label for label, _ in seen), labels=_pairs)


def output(given: dict[str, Any]) -> Output:
    """An output from `protocol.json`."""
    later = {"of": "", "kept": "", "shows": (), "rejected": (), "digests": ()}
    return _made(Output, later | given)


def hidden(given: dict[str, Any]) -> Hidden:
    """What must not be seen, from `protocol.json`."""
    return _made(Hidden, given, who=_pairs)


def sealed(given: dict[str, Any] | None) -> Sealed | None:
    """What adjudication cannot change, from `protocol.json`, where the protocol says so."""
    return None if given is None else _made(Sealed, given)


def _made(cls: type[T], given: dict[str, Any], **read: Callable[[Any], Any]) -> T:
    plain = {name: tuple(value) if isinstance(value, list) else value for name, value in given.items()}
    names: tuple[str, ...] = cls.__record_fields__  # type: ignore[attr-defined]
    return cls(**{name: read[name](given[name]) if name in read else plain[name] for name in names})


def _answer(given: dict[str, Any] | None) -> Answer | None:
    return None if given is None else _made(Answer, given, dimension=lambda n: None if n is None else int(n))


def _retry(given: dict[str, Any] | None) -> Retry | None:
    waits = lambda listed: tuple(Fraction(wait) for wait in listed)  # noqa: E731
    return None if given is None else _made(Retry, given, at_most=int, waits=waits)


def _seconds(given: str | None) -> Fraction | None:
    return None if given is None else Fraction(given)


def _cites(given: list[Any]) -> KeyCites:
    return tuple((key, tuple(ids)) for key, ids in given)


def _pairs(given: list[Any]) -> tuple[tuple[str, str], ...]:
    return tuple((first, second) for first, second in given)
