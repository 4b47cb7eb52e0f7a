"""What the state machine of a protocol does not allow. E2230 on."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

_MACHINE = "phases:\n  - {phase: dev, reads: [dev], use: tune, ends: PASS, then: {PASS: fresh}}\n"
NOT_REACHED = Kind(
    "E2230",
    "phase-not-reached",
    "error",
    "the phase `{phase}` may not be entered: {needs}",
    "{legal}",
    "A phase is entered along an edge of the machine: an earlier phase has ended with a verdict that leads here. What "
    "has ended how is read off the registry and the bundles, never off a file that could be set by hand.",
    _MACHINE + "  - {phase: fresh, reads: [fresh], use: score, once: true}    # run while dev has ended with FAIL",
)
OVER = Kind(
    "E2231",
    "phase-over",
    "error",
    "the phase `{phase}` is over: {why}",
    "{legal}",
    "A phase with `once` is spent by its first run, whatever becomes of it; one with `ends` by a run with such a "
    "verdict. Data that was looked at stays looked at.",
    "protoc run specs/machine --phase fresh    # for the second time",
)
PASSED_BY = Kind(
    "E2232",
    "phase-passed-by",
    "error",
    "the study has gone past the phase `{phase}`: `{later}` has been entered, by {run}",
    "{legal}",
    "The machine goes one way. To tune again after later data was seen would be to tune on it; a new candidate needs a "
    "new version of the protocol, with data that nobody has seen.",
    "protoc run specs/machine --phase dev    # after the phase fresh",
)
GUARD_FALSE = Kind(
    "E2233",
    "guard-not-true",
    "error",
    "the guard of the phase `{phase}`, {text}, is {value}: {values}",
    "it must be true before the phase begins; `protoc phases {spec}` shows it{manifest}",
    "`enter` is a condition on what earlier phases, the manifest and the seal leave behind. An undefined guard keeps "
    "the phase shut as a false one does.",
    "enter: manifest.status == frozen_dev    # where there is no manifest yet",
)
OTHER_CANDIDATE = Kind(
    "E2234",
    "another-candidate",
    "error",
    "what would be run in `{phase}` is not what {run} has judged in `{before}`: {changed}",
    "restore these files{again}{may}",
    "A verdict speaks of the candidate that was run. Files that `may change` names may differ in that phase; nothing "
    "else may.",
    "protoc run specs/machine --phase fresh    # with a subject that was changed after dev had passed",
)
OTHER_PROTOCOL = Kind(
    "E2235",
    "another-protocol",
    "error",
    "{run} has judged `{before}` by another protocol than the one that is sealed now: {then}, now {now}",
    "go back to the protocol of that run, or give the changed one a new version",
    "Verdicts of one machine are verdicts by the same rules. A rule that is changed between two phases makes the "
    "earlier verdict one of something else.",
    "protoc run specs/machine --phase fresh    # with a threshold that was changed, and sealed anew, after dev",
)
EVIDENCE_DIFFERS = Kind(
    "E2236",
    "evidence-differs",
    "error",
    "the bundle of {run}, which has ended `{phase}` with {verdict}, is not the one that the registry knows: {what}",
    "`protoc verify {run}` tells what was changed; restore the bundle",
    "The registry holds the digest of each receipt. A bundle with another one is not the evidence that it was.",
    "printf ' ' >> runs/*/*/receipt.json",
)
NOT_MADE = Kind(
    "E2237",
    "split-not-made",
    "error",
    "the phase `{phase}` reads the split `{split}`, of which the seal holds no row",
    "{when} ({files}), commit them, and seal again with --reason",
    "Rows of a split with `after` are made when the phase before has led on, and are sealed then.",
    "splits:\n  fresh: {role: heldout, may: [score once], after: dev}    # and no fresh rows in the folder",
)
TOO_EARLY = Kind(
    "E2238",
    "split-made-too-early",
    "error",
    "there are rows of the split `{split}`, which are to be made after the phase `{after}`: {needs}",
    "remove {files} until then",
    "Rows that exist while a candidate is still being changed can be looked at. `after` says when they may be made, "
    "and nothing is sealed before.",
    "splits:\n  fresh: {role: heldout, may: [score once], after: dev}    # and fresh rows before dev was run",
)
PHASE_NEEDED = Kind(
    "E2239",
    "phase-needed",
    "error",
    "{protocol} goes through phases, and a phase is entered only by name",
    "write `--phase NAME`; {legal}",
    "A run without `--phase` of a protocol with a state machine could enter a phase by accident, and spend its data.",
    "protoc run specs/machine",
)
UNKNOWN_DUTY = Kind(
    "E2240",
    "no-such-duty",
    "error",
    "`{name}` is no duty or evidence that waits for a person",
    "{known}",
    "`protoc phases SPEC --attest PHASE.NAME=PERSON` records who has done what a phase asks of people, after a run of "
    "it.",
    "protoc phases specs/machine --attest dev.tel=Ada",
)
ILLEGAL_ENTRY = Kind(
    "E2241",
    "illegal-entry",
    "error",
    "{run} has entered the phase `{phase}` although {why}",
    "its verdict does not count; the runs of merged clones show in `protoc splits --check` too",
    "Two clones can each do what the machine allows there, and together what it does not. The merged registry "
    "shows it.",
    "protoc phases specs/machine    # after a merge of two registries in which dev was run after fresh",
)
NO_PARITY = Kind(
    "E2242",
    "no-passing-parity",
    "error",
    "the phase `{phase}` may not be entered: `{before}` leads on only with a passing report of parity, {file}: {why}",
    "{how}{legal}",
    "An optimised runtime is one only if it decides exactly as the frozen candidate does. That is shown before it is "
    "accepted, on the rows of its run and of the run that led to it; then it is confirmed as any candidate.",
    "phases:\n  - {phase: faster, reads: [dev], use: tune, parity: parity.json}    # and nobody has compared",
)
KINDS = (
    NOT_REACHED, OVER, PASSED_BY, GUARD_FALSE, OTHER_CANDIDATE, OTHER_PROTOCOL, EVIDENCE_DIFFERS, NOT_MADE, TOO_EARLY,
    PHASE_NEEDED, UNKNOWN_DUTY, ILLEGAL_ENTRY,
    NO_PARITY,
)  # fmt: skip
