"""What is wrong with the state machine of the phases, as it is written. E2201 on."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

UNKNOWN_PHASE = Kind(
    "E2201",
    "no-such-phase",
    "error",
    "there is no phase `{name}`",
    "{hint}",
    "The edges of the machine (`then`), a split's `after` and a record `from: phase X` name phases of "
    "`procedure.phases`.",
    "procedure:\n  phases:\n    - {phase: tune, reads: [dev], use: tune, then: {PASS: scores}}",
)
UNREACHABLE = Kind(
    "E2202",
    "unreachable-phase",
    "error",
    "no phase leads to `{phase}`, so it can never be entered",
    "name it under `then` of the phase that leads to it: `then: {{{verdict}: {phase}}}`; only the first phase needs "
    "none",
    "Once a protocol says how its phases follow each other, every one but the first must be the end of an edge.",
    "phases:\n  - {phase: tune, reads: [dev], use: tune, ends: PASS}\n  - {phase: score, reads: [test], use: score}",
)
CIRCULAR = Kind(
    "E2203",
    "circular-phases",
    "error",
    "the phases lead back to themselves: {path}",
    "remove the edge that leads back; a phase that may be run again needs no edge to itself",
    "A study goes one way: what was looked at stays looked at. A new candidate is a new version of the protocol.",
    "phases:\n  - {phase: tune, reads: [dev], use: tune, then: {PASS: score}}\n"
    "  - {phase: score, reads: [test], use: score, then: {FAIL: tune}}",
)
LATER_GUARD = Kind(
    "E2204",
    "guard-reads-later-phase",
    "error",
    "the guard of `{phase}` reads `{record}`, which tells of the phase `{other}`, and that does not come before it",
    "let it read a phase that leads to `{phase}`: {before}",
    "A guard is judged before its phase begins. What does not come before can say nothing yet.",
    "records:\n  scored: {from: phase score, runs: int}\n# and in the phase `tune`, which leads to `score`:\n"
    "enter: scored.runs == 0",
)
ENDLESS = Kind(
    "E2205",
    "endless-phase",
    "error",
    "nothing ends the phase `{phase}`",
    "say `once: true`, or which verdicts end it (`ends: [PASS]`), or to which phases it leads (`then`)",
    "A phase that can be run for ever is no phase: its data could be looked at until the result pleases.",
    "phases:\n  - {phase: tune, reads: [dev], use: tune, then: {PASS: score}}\n"
    "  - {phase: score, reads: [test], use: score}",
)
GUARD_READS_ROWS = Kind(
    "E2206",
    "guard-reads-rows",
    "error",
    "the guard of `{phase}` reads {what}, which is not known before the phase begins",
    "let it read records: `from: phase X` for an earlier phase, `from: manifest`, `from: seal`, `from: subject`, or "
    "frozen values",
    "A guard is judged before the first row of the phase is read, so it can rest only on what earlier phases, the "
    "manifest and the seal leave behind.",
    "enter: accuracy >= 75%",
)
SPLIT_LATER = Kind(
    "E2207",
    "split-made-later",
    "error",
    "the phase `{phase}` reads `{split}`, whose rows are made after the phase `{after}`, and that does not come before "
    "it",
    "let only a phase that follows `{after}` read it, or take away its `after`",
    "Rows that must not exist before a phase has led on cannot be read earlier.",
    "splits:\n  fresh: {role: heldout, may: [score once], after: score}\n# and the phase `score` reads fresh",
)
TWICE = Kind(
    "E2208",
    "phase-declared-twice",
    "error",
    "there are two phases `{name}`",
    "give one of them another name",
    "Runs, guards and receipts name a phase by its name.",
    "phases:\n  - {phase: score, reads: [a], use: score}\n  - {phase: score, reads: [b], use: score}",
)
NOTHING_COMPARED = Kind(
    "E2209",
    "parity-without-rows",
    "error",
    "the phase `{phase}` asks for a report of parity, and {what}",
    "{hint}",
    "The report compares the rows of a run of the phase with those of the run that led to it, by the columns of "
    "`procedure.parity`.",
    "phases:\n  - {phase: faster, reads: [dev], use: tune, parity: parity.json}    # and no `procedure.parity`",
)
NOBODY_READS = Kind(
    "W2210",
    "same-without-reader",
    "warning",
    "the phase `{phase}` compares {same} with the run that led to it, and no rule reads how many rows differ",
    "declare `this_run: {{from: runner, phase: text?, changed: int?}}` and let a blocker read it: "
    '`when: this_run.phase == "{phase}" and (this_run.changed == 0) is not true`',
    "`same` counts the rows that differ, and decides nothing: only a rule that reads `changed` of a record "
    "`from: runner` makes another decision a fault.",
    "phases:\n  - {phase: faster, reads: [dev], use: tune, same: decisions.route}    # and no rule reads `changed`",
)
KINDS = (
    UNKNOWN_PHASE, UNREACHABLE, CIRCULAR, LATER_GUARD, ENDLESS, GUARD_READS_ROWS, SPLIT_LATER, TWICE, NOTHING_COMPARED,
    NOBODY_READS,
)  # fmt: skip
