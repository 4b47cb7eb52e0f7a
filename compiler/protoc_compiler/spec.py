"""A spec as a document: every section in its place, every formula parsed, nothing resolved.

The document pass builds these records from YAML nodes; the passes after it never look at YAML again. `Text` keeps the
author's words with their position.
"""

from __future__ import annotations

from protoc_compiler.nodes import Node
from protoc_compiler.spec_parts import Body as Body
from protoc_compiler.spec_parts import Conditions as Conditions
from protoc_compiler.spec_parts import Custom as Custom
from protoc_compiler.spec_parts import FirstMatch as FirstMatch
from protoc_compiler.spec_parts import Formula as Formula
from protoc_compiler.spec_parts import Text as Text
from protoc_compiler.spec_procedure import AnswerDecl as AnswerDecl
from protoc_compiler.spec_procedure import ConfiguredDecl as ConfiguredDecl
from protoc_compiler.spec_procedure import FreezeItem as FreezeItem
from protoc_compiler.spec_procedure import HiddenDecl as HiddenDecl
from protoc_compiler.spec_procedure import JudgementDecl as JudgementDecl
from protoc_compiler.spec_procedure import KeyCites as KeyCites
from protoc_compiler.spec_procedure import OutputDecl as OutputDecl
from protoc_compiler.spec_procedure import PathSet as PathSet
from protoc_compiler.spec_procedure import PhaseDecl as PhaseDecl
from protoc_compiler.spec_procedure import PreservedDecl as PreservedDecl
from protoc_compiler.spec_procedure import Procedure as Procedure
from protoc_compiler.spec_procedure import ProviderDecl as ProviderDecl
from protoc_compiler.spec_procedure import RetryDecl as RetryDecl
from protoc_compiler.spec_procedure import SessionDecl as SessionDecl
from protoc_compiler.spec_procedure import Step as Step
from protoc_compiler.spec_procedure import SubjectDecl as SubjectDecl
from protoc_compiler.spec_procedure import TargetDecl as TargetDecl
from protoc_compiler.spec_procedure import UsageDecl as UsageDecl
from protoc_runtime.diagnostics import Span
from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Literal


@record
class Definition:
    """`NAME: FORMULA`, or a block with `is`, `says`, `if_undefined`, `with`, `better` (metrics), `cites`.

    `name` may hold placeholders (`complete.<splits>`, `quintile<quintiles>_mean`) and a table (`cases.route`).
    """

    name: Text
    body: Body
    says: Text | None = None
    if_undefined: Formula | None = None
    with_metrics: tuple[Text, ...] = ()
    cites: tuple[Text, ...] = ()
    better: Text | None = None  # metrics: `higher` or `lower`


@record
class Rule:
    """A blocker (`when`, `forces`), a gate (`must`) or a check (`is`), with its words."""

    name: Text
    says: Text
    body: Body
    forces: Text | None = None
    if_undefined: Text | None = None  # blockers: "fires" (default) or "does not fire"
    cites: tuple[Text, ...] = ()


@record
class Entries:
    """A section of definitions, with what is withheld in it, said once."""

    items: tuple[Definition, ...] = ()
    withheld_when: Formula | None = None
    not_withheld: tuple[Text, ...] = ()


@record
class Rules:
    """A section of rules; checks may be withheld like metrics."""

    items: tuple[Rule, ...] = ()
    withheld_when: Formula | None = None
    not_withheld: tuple[Text, ...] = ()


# --- data -------------------------------------------------------------------------------------------------------


@record
class TypeName:
    """A named type: `bool`, `int`, `text`, `ms`, `USD`, a table (a reference); `optional` for a trailing `?`."""

    span: Span
    name: str
    optional: bool = False


@record
class EnumType:
    """`[a, b, null]`; `null` makes it optional and is not a member."""

    span: Span
    members: tuple[Text, ...]
    optional: bool = False


@record
class CollectionType:
    """`set of T`, `list of T`."""

    span: Span
    kind: Literal["set", "list"]
    item: TypeName
    optional: bool = False


@record
class NestedType:
    """A map of columns: an ordered list of rows inside a cell, with a built-in `position` from 1."""

    span: Span
    columns: tuple[Column, ...]


WrittenType = TypeName | EnumType | CollectionType | NestedType


@record
class Column:
    """A declared column."""

    name: Text
    type: WrittenType


@record
class Unpivot:
    """Wide input made long: `label` is the new column, `labels` its members with their text in the wide names,
    `columns` the long names with the pattern (`<arm>_observed`) of the wide ones."""

    span: Span
    label: Text
    labels: tuple[tuple[Text, Text], ...]
    columns: tuple[tuple[Text, Text], ...]


@record
class ListedRow:
    """One row that stands in the spec: its key, and its other columns as written."""

    key: Text
    cells: tuple[tuple[Text, Node], ...]


@record
class TableDecl:
    """One entry of `data.tables`."""

    name: Text
    says: Text | None
    source: Text  # "file" unless `from` says otherwise, or "listed" where `rows` stand in the spec
    file: Text | None
    key: tuple[Text, ...]
    order: tuple[Text, ...]
    columns: tuple[Column, ...]
    rows: tuple[ListedRow, ...]
    unpivot: Unpivot | None
    expect: tuple[Formula, ...]
    duplicates: Text | None  # the gate that judges duplicate keys
    cites: tuple[Text, ...] = ()


@record
class RecordDecl:
    """One entry of `data.records`: a one-row table that the tool observes."""

    name: Text
    source: Text
    columns: tuple[Column, ...]
    cites: tuple[Text, ...] = ()


@record
class SplitDecl:
    """One split of the data: what it is, and the closed list of its uses (`tune`, `score`, `score once`)."""

    name: Text
    role: Text
    may: tuple[Text, ...]
    says: Text | None = None
    was: Text | None = None
    baseline: Text | None = None  # a pinned earlier result that is kept
    cites: tuple[Text, ...] = ()
    after: Text | None = None  # the phase that must lead on before its rows are made
    cases: Text | None = None  # how many rows it has
    status: Text | None = None  # `consumed`
    disjoint_from: tuple[Text, ...] = ()
    at_most: Text | None = None  # `2 candidates`


# --- arms and intervals -----------------------------------------------------------------------------------------


@record
class ArmDecl:
    """A row-valued column of its unit, read by the arm's name."""

    name: Text
    of: Text
    row: Formula
    says: Text | None = None


@record
class IntervalDecl:
    """A resampling interval; `outputs` are (low|high|kept|p, name of the metric that it makes)."""

    name: Text
    says: Text | None
    metric: Text
    resample: tuple[Formula, ...]
    follow: tuple[Formula, ...]
    within: Formula | None
    out_of: Formula | None
    draws: Formula
    generator: Text
    seed: Text
    level: Formula
    outputs: tuple[tuple[str, Text], ...]
    cites: tuple[Text, ...] = ()


# --- outcome ----------------------------------------------------------------------------------------------------


@record
class Verdict:
    """A named verdict (or the main one, without a name): a first-match list or a formula."""

    name: Text | None
    body: Body


@record
class Claim:
    """What may be said on the strength of which verdicts, and what may never be said."""

    name: Text
    may: Formula | Text | None = None
    never: Text | None = None
    says: Text | None = None
    status: Text | None = None  # a label that stands beside the claim


@record
class Amendment:
    """A change after registration: what, why, and which data had been seen."""

    name: Text
    changes: tuple[Text, ...]
    why: Text
    seen: tuple[Text, ...]
    at: Text | None = None
    supersedes: Text | None = None
    removes: tuple[Text, ...] = ()


@record
class Duty:
    """Something that must be reported or done, in words."""

    says: Text
    cites: tuple[Text, ...] = ()


@record
class Report:
    """What is shown, and which verdicts are released (exit status 0)."""

    released: tuple[Text, ...] = ()
    statuses: tuple[Definition, ...] = ()
    lists: tuple[Definition, ...] = ()
    withheld_when: Formula | None = None
    not_withheld: tuple[Text, ...] = ()
    duties: tuple[Duty, ...] = ()
    claims: tuple[Claim, ...] = ()
    amendments: tuple[Amendment, ...] = ()
    sealed: tuple[Text, ...] = ()  # metrics and rules that adjudication cannot change
    sealed_cites: tuple[Text, ...] = ()


@record
class Attestation:
    """A statement that only a person can vouch for."""

    name: Text
    says: Text
    cites: tuple[Text, ...] = ()


@record
class Spec:
    """A whole spec."""

    file: str
    language: int
    id: Text
    version: int
    title: Text
    head: tuple[tuple[Text, Text], ...]  # the other keys of `protocol`: registered, status, supersedes.result, ...
    question: tuple[tuple[Text, Text], ...]
    tables: tuple[TableDecl, ...]
    records: tuple[RecordDecl, ...]
    splits: tuple[SplitDecl, ...]
    arms: tuple[ArmDecl, ...]
    procedure: Procedure
    definitions: Entries
    metrics: Entries
    intervals: tuple[IntervalDecl, ...]
    blockers: Rules
    gates: Rules
    checks: Rules
    verdicts: tuple[Verdict, ...]
    verdict: Verdict
    report: Report
    attestations: tuple[Attestation, ...]
    limits: tuple[Duty, ...]
    never: tuple[Duty, ...] = ()  # what no split may ever be used for
    broken: tuple[str, ...] = ()  # names that are declared but could not be read: no later pass calls them unknown
