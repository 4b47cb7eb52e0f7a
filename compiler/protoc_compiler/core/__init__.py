"""The resolved protocol: what the checker proves and everything after it reads.

Every name has been looked up, every narrowing is written out, every bare word is typed. The emitters (`emit.rules`
for polars, `emit.verify` for the standard library), the canonical identity and the analysis all work on this tree.
No node carries a position except through `Item.span`: two spellings of one meaning give one tree.

Values and undefined
--------------------
Every expression yields a value or *undefined* (None). Comparison, arithmetic and functions are strict: an undefined
operand gives undefined. `And`, `Or`, `Not` and `Quantified` are Kleene. An aggregate with an undefined operand is
undefined. Of nothing `sum`, `count`, `distinct` and `longest_run` are 0, `product` is 1 and `list` the empty list;
every other aggregate of nothing is undefined;
`all` over nothing is undefined, `some` over nothing false, `no` over nothing true. x/0 is undefined. A filter
condition (`Rows.where`) is proved defined by the checker, with the help of guards around the formula; where it is
undefined, everything that is asked of the rows is, which only such a guard can hide.

What stops a run
----------------
`only` over several rows, a `Cast` of another kind, a tie or an undefined value in an order, a sample larger than its
table, a digest that is not known, a p-value that is not in its family. Every table, every column in every row and
every definition is computed, whether a reported value reads it or not. A part of a `Choose` line is computed only
where the lines before leave it open, a filter only where the ones before it keep the row; everything else is computed
wherever it stands.

Numbers are exact rationals. A quotient of two `int` expressions, and a `rate` or `mean` of int values, keeps its own
numerator and denominator for display ("raw"); arithmetic on it gives a reduced rational. Quantities are held in the
base unit: seconds, bytes, or the currency.
"""

from __future__ import annotations

from protoc_compiler.core.declared import (
    Amendment as Amendment,
)
from protoc_compiler.core.declared import (
    Claim as Claim,
)
from protoc_compiler.core.declared import (
    Col as Col,
)
from protoc_compiler.core.declared import (
    Freeze as Freeze,
)
from protoc_compiler.core.declared import (
    Interval as Interval,
)
from protoc_compiler.core.declared import (
    Item as Item,
)
from protoc_compiler.core.declared import (
    Judgement as Judgement,
)
from protoc_compiler.core.declared import (
    Measured as Measured,
)
from protoc_compiler.core.declared import (
    Phase as Phase,
)
from protoc_compiler.core.declared import (
    Protocol as Protocol,
)
from protoc_compiler.core.declared import (
    Split as Split,
)
from protoc_compiler.core.declared import (
    Statement as Statement,
)
from protoc_compiler.core.declared import (
    Subject as Subject,
)
from protoc_compiler.core.declared import (
    Table as Table,
)
from protoc_compiler.core.declared import (
    UnpivotPlan as UnpivotPlan,
)
from protoc_compiler.core.formulas import (
    Aggregate as Aggregate,
)
from protoc_compiler.core.formulas import (
    And as And,
)
from protoc_compiler.core.formulas import (
    Arithmetic as Arithmetic,
)
from protoc_compiler.core.formulas import (
    Bound as Bound,
)
from protoc_compiler.core.formulas import (
    Call as Call,
)
from protoc_compiler.core.formulas import (
    Cast as Cast,
)
from protoc_compiler.core.formulas import (
    Choose as Choose,
)
from protoc_compiler.core.formulas import (
    Column as Column,
)
from protoc_compiler.core.formulas import (
    Compare as Compare,
)
from protoc_compiler.core.formulas import (
    Const as Const,
)
from protoc_compiler.core.formulas import (
    Custom as Custom,
)
from protoc_compiler.core.formulas import (
    Default as Default,
)
from protoc_compiler.core.formulas import (
    Entry as Entry,
)
from protoc_compiler.core.formulas import (
    Expr as Expr,
)
from protoc_compiler.core.formulas import (
    Global as Global,
)
from protoc_compiler.core.formulas import (
    InColumn as InColumn,
)
from protoc_compiler.core.formulas import (
    InList as InList,
)
from protoc_compiler.core.formulas import (
    InRange as InRange,
)
from protoc_compiler.core.formulas import (
    InSet as InSet,
)
from protoc_compiler.core.formulas import (
    Is as Is,
)
from protoc_compiler.core.formulas import (
    ListOf as ListOf,
)
from protoc_compiler.core.formulas import (
    Match as Match,
)
from protoc_compiler.core.formulas import (
    Negative as Negative,
)
from protoc_compiler.core.formulas import (
    Not as Not,
)
from protoc_compiler.core.formulas import (
    OneRow as OneRow,
)
from protoc_compiler.core.formulas import (
    Or as Or,
)
from protoc_compiler.core.formulas import (
    Part as Part,
)
from protoc_compiler.core.formulas import (
    Quantified as Quantified,
)
from protoc_compiler.core.formulas import (
    Rows as Rows,
)
from protoc_compiler.core.formulas import (
    RowVar as RowVar,
)
from protoc_compiler.core.types import (
    ANY as ANY,
)
from protoc_compiler.core.types import (
    BOOL as BOOL,
)
from protoc_compiler.core.types import (
    DATE as DATE,
)
from protoc_compiler.core.types import (
    DIGEST as DIGEST,
)
from protoc_compiler.core.types import (
    INT as INT,
)
from protoc_compiler.core.types import (
    NUMBER as NUMBER,
)
from protoc_compiler.core.types import (
    REAL as REAL,
)
from protoc_compiler.core.types import (
    TEXT as TEXT,
)
from protoc_compiler.core.types import (
    TIME as TIME,
)
from protoc_compiler.core.types import (
    UNDEFINED as UNDEFINED,
)
from protoc_compiler.core.types import (
    Type as Type,
)
from protoc_compiler.core.types import (
    Value as Value,
)
from protoc_runtime.agents.records import (
    Session as Session,
)
from protoc_runtime.procedure import (
    Answer as Answer,
)
from protoc_runtime.procedure import (
    Hidden as Hidden,
)
from protoc_runtime.procedure import (
    Output as Output,
)
from protoc_runtime.procedure import (
    Provider as Provider,
)
from protoc_runtime.procedure import (
    Retry as Retry,
)
from protoc_runtime.procedure import (
    Sealed as Sealed,
)
from protoc_runtime.procedure import (
    Target as Target,
)

TYPE_CHECKING = False
if TYPE_CHECKING:
    from protoc_compiler.core.types import (
        Kind as Kind,
    )

if TYPE_CHECKING:  # they are loaded for a protocol that has them
    from protoc_runtime.manifests.records import (
        Manifest as Manifest,
    )
    from protoc_runtime.parity.records import (
        Parity as Parity,
    )
