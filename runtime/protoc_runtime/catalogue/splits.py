"""Faults of the life of splits: sizes, budgets, sketches, audits, and histories that were cut short."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind, Severity


def _kind(id_: str, name: str, message: str, hint: str, why: str, example: str, severity: Severity = "error") -> Kind:
    return Kind(id_, name, severity, message, hint, why, example)


CASES = _kind(
    "E2302",
    "split-size",
    "split {split} has {found} cases, the protocol says {expected}",
    "bring in the cases that are lacking, or the file that was meant, and seal again with --reason",
    "A size that is stated beforehand keeps a corpus from growing until its result is good, and from losing the cases "
    "that go wrong. A split may be empty when a protocol is sealed, since some corpora are only made later; it is read "
    "only when it has exactly the stated number.",
    "`heldout: {role: heldout, may: [score once], cases: 900}` with 899 rows",
)
OVERLAP = _kind(
    "E2303",
    "splits-overlap",
    "split {split} is not disjoint from {other}: {what}; {example}",
    "take these cases out of {split}; `protoc splits --overlap A B --json FILE` lists all of them",
    "A protocol that says `disjoint_from` rests on cases that nobody could have learned from. Keys, rows but for their "
    "keys, texts "
    "in plain form and near-duplicates are compared, and any hit refuses the seal, and with it every run "
    "that reads the split.",
    "`fresh: {role: confirmation, may: [score once], disjoint_from: [dev]}` with one text of dev in upper case",
)
CANDIDATES = _kind(
    "E2304",
    "too-many-candidates",
    "split {split} may be read by at most {bound} candidates, and {found} have read it: {first}",
    "run one of those candidates, unchanged, or collect new cases",
    "Every further candidate that is tried on the same cases makes the best of them look better than it is. A "
    "candidate is what is evaluated: its pinned code and the frozen values; a changed file makes another one.",
    "`at_most: 2 candidates`, and a third version of the subject",
)
SHORTENED = _kind(
    "E2305",
    "registry-shortened",
    "the registry {path} lacks what it once held: {what}",
    "bring it back: `git checkout COMMIT -- registry.jsonl registry/`, or from the clone that has it",
    "Readings are only ever added. Lines that git's history, a bundle under runs/ or a chain of seals know and the "
    "registry does not were deleted, and with them the readings that they announce. What neither knows, deleted "
    "before it was committed, cannot be found.",
    "`rm registry.jsonl` after a run, then `protoc run SPEC`",
)
UNSEALED = _kind(
    "E2306",
    "seals-shortened",
    "the chain of seals {path} lacks what it once held: {what}",
    "bring it back: `git checkout COMMIT -- {file}`; a protocol is sealed anew with --reason, in the same chain",
    "Every seal stays visible, and with it how often a protocol was changed after its first one. A seal that git's "
    "history, a bundle under runs/ or the registry know and the chain does not was deleted.",
    "`rm seal.jsonl`, then `protoc seal SPEC`",
)
NO_SKETCH = _kind(
    "E2307",
    "sketch-missing",
    "the sketch {digest} of {whose} is missing from registry/, or is another file",
    "bring registry/ back from git (it is committed with registry.jsonl); for rows that nobody has read, seal again",
    "A sketch holds digests of rows, keys and texts, by which a changed copy of spent cases is recognised. Without it "
    "only an exact copy would be, so a split that may be read once is not read.",
    "delete the folder registry/ after a run, then run another protocol",
)
PARTLY_READ = _kind(
    "W2308",
    "partly-read-before",
    "split {split} shares cases with an earlier reading: {how}; {first}",
    "take them out, or say `disjoint_from` where none may be shared",
    "A few shared cases do not make a corpus spent, and may be chance: greetings, boilerplate. Whoever reads the "
    "receipt should know of them.",
    "a held-out split of 900 questions, of which 5 were in a spent one",
    "warning",
)
NOT_SKETCHED = _kind(
    "N2309",
    "near-copies-not-sketched",
    "the texts of split {split} are sealed without signatures: near-duplicates of them will not be recognised",
    "`pip install 'evalprotoc[overlap]'`, then seal again with --reason",
    "Equal rows, keys and texts are recognised by their digests alone. For texts with small edits the seal needs a "
    "MinHash signature of each, which the package rensa makes.",
    "`protoc seal SPEC` without the extra `overlap`",
    "note",
)
FORESEEN = _kind(
    "W2312",
    "splits-alike",
    "phase {phase} will not be let read split {split} once phase {before} has read {earlier}: {how} ({id})",
    "take the shared cases out of one of them, and say `disjoint_from` of split {split}, so that no seal has any",
    "Rows of one split that stand in another, also with small edits, are read when the other one is. The registry "
    "refuses that when the second phase begins; the seal tells it while the rows can still be mended.",
    "a held-out split that is made of the messages of `dev`, with a word changed in each, then `protoc seal SPEC`",
    "warning",
)
NOT_AUDITED = _kind(
    "E2311",
    "not-audited",
    "split {split} must be disjoint from {other}, and the seal holds no audit of them",
    "seal again with --reason: the audit is made when the rows are read for the seal",
    "`disjoint_from` is a condition of every run that reads the split. Its audit is made with the seal, since a run "
    "may not look at the rows before its reading is registered; a seal without it does not meet the condition.",
    "a seal.jsonl whose last line was written by hand without `audits`",
)
NO_AUDIT = _kind(
    "E2310",
    "audit-not-possible",
    "{split} and {other} cannot be audited: {reason}",
    "{hint}",
    "An audit that stops half-way would say nothing, so it fails.",
    "`protoc splits --overlap A B` on two files of 20,000 texts without the extra `overlap`",
)

KINDS: tuple[Kind, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
