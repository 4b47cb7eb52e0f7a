"""E27xx: drift review."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

BAD_ACCEPTED = Kind(
    "E2701",
    "bad-accepted-file",
    "error",
    "a file of accepted changes holds `accepted:` with a list of entries; this one has {found}",
    "an entry is `fingerprint: ...` and `reason: ...`, and may have `change`, `by` and `at`; `protoc diff` prints it",
    "Accepted changes are known by their fingerprints, which are the same for the same change however it is worded. "
    "Each needs a reason: it is what a later reader is told. `protoc diff --accept` prints the entries ready to paste.",
    "accepted:\n  - fingerprint: 59b0a5ee5e09371d",
)
UNUSED_ACCEPTED = Kind(
    "W2702",
    "unused-acceptance",
    "warning",
    "`{name}` is accepted in {file}, but no change has its fingerprint",
    "take the entry out: it would accept the same change in silence if it came back",
    "An entry that accepts nothing is a leftover of an earlier review, or its fingerprint is mistyped. Left in place "
    "it accepts a change that nobody has looked at.",
    "accepted:\n  - fingerprint: 0000000000000000\n    reason: agreed in the review of 2026-05-01",
)
UNKNOWN_AMENDED = Kind(
    "E2703",
    "amendment-of-nothing",
    "error",
    "amendment `{amendment}` changes `{name}`, which the protocol does not have{hint}",
    "name what it changes as the report does: `gates.P2.1`, `metrics.accuracy`, `procedure.providers.embedding`",
    "An amendment tells a later reader which parts of a protocol are not what was registered. A name that the protocol "
    "does not have tells nothing. What was taken out is named as it was called; it is then known from the old version.",
    "report:\n  amendments:\n    later: {changes: [gates.no_such_gate], why: it was too strict, seen: [dev]}",
)
UNKNOWN_SEEN = Kind(
    "E2704",
    "amendment-saw-nothing",
    "error",
    "amendment `{amendment}` says that `{name}` had been seen, but there is no split of that name{hint}",
    "name splits of the protocol; `seen: []` says that no data had been seen",
    "Whether a rule was changed before or after its data was seen decides what a result is worth. The splits are "
    "named, so that the registry can be asked about them.",
    "report:\n  amendments:\n    later: {changes: [gates.accuracy], why: it was too strict, seen: [no_such_split]}",
)
BAD_CHAIN = Kind(
    "E2705",
    "amendments-not-chained",
    "error",
    "amendment `{amendment}` supersedes `{found}`, which is no spec digest",
    "`supersedes` is the spec digest of the protocol that it changes, `sha256:` and 64 digits: `protoc seal` prints it "
    "as its meaning, and `protoc diff` where an amendment names another",
    "Amendments are chained by digest: each names the version that it changes, so that a reader can follow the "
    "versions back to what was registered, and `protoc diff` can tell which changes no amendment declares.",
    "report:\n  amendments:\n    later: {changes: [gates.accuracy], why: too strict, seen: [dev], supersedes: v1}",
)
SEEN_UNTOLD = Kind(
    "W2706",
    "loosened-after-reading",
    "warning",
    "{changes}, after {splits} had been read",
    "the next receipt shows what lets more pass{declare}",
    "A protocol that is loosened after its data was seen is no longer what was registered. That can be right, but it "
    "is never silent: the seal keeps the changes, and every receipt under it shows them.",
    "a spec with a lower threshold, after a run of the version before",
)
SEEN_UNSAID = Kind(
    "W2707",
    "amendment-saw-more",
    "warning",
    "amendment `{amendment}` says that {said} had been seen, and the registry knows readings of {splits}",
    "name under `seen` every split that had been read when the amendment was decided on",
    "An amendment says what its author knew. The registry shows which splits had been read before; a receipt shows "
    "both, and who reads it sees that they differ. It may be right where the amendment is older than the reading.",
    "an amendment with `seen: []`, after a run of the version before",
)
NOT_READ = Kind(
    "E2708",
    "version-not-read",
    "error",
    "there is no review: the {which} version, `{file}`, does not resolve, for {faults}",
    "mend it, or compare with a version that resolves; `protoc check` tells all that is wrong",
    "Two protocols are compared by what they mean, and a name or a type that cannot be read means nothing: a review of "
    "the rest would call what is missing a change. Errors that leave a protocol whole (words that contradict their "
    "formula, causes of retries that overlap) are told beside a review.",
    "a spec whose gate reads a metric that is not there",
)
KINDS = (BAD_ACCEPTED, UNUSED_ACCEPTED, UNKNOWN_AMENDED, UNKNOWN_SEEN, BAD_CHAIN, SEEN_UNTOLD, SEEN_UNSAID, NOT_READ)
