"""E12xx: why a run does not start, does not go on, or does not end."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

SUBJECT_NOT_LOADED = Kind(
    "E1201",
    "subject-not-loaded",
    "error",
    "the subject {target} cannot be loaded: {reason}",
    "mend the subject, compile and seal again; nothing was read and no split was spent",
    "The subject is imported before the first row of a split is read, so that a spelling mistake in it does not "
    "spend a split that may be scored once.",
    "a subject file with a syntax error, then `protoc run SPEC`",
)
UNKNOWN_PHASE = Kind(
    "E1202",
    "unknown-phase",
    "error",
    "the protocol has no phase {name!r}; it has: {known}",
    "choose one of these with --phase, or leave --phase out for the last one",
    "A phase says which splits are read and for which use. Only the declared ones can be run.",
    "`protoc run SPEC --phase scroe`",
)
NO_PACKAGE = Kind(
    "E1203",
    "package-missing",
    "error",
    "there is no generated package at {path}",
    "run `protoc compile SPEC` first",
    "A run uses the committed generated package, which is what people have read and the seal has pinned.",
    "`protoc run SPEC` before `protoc compile SPEC`",
)
PACKAGE_DIFFERS = Kind(
    "E1204",
    "package-differs",
    "error",
    "the generated package at {path} is not the one of this protocol: {reason}",
    "run `protoc compile SPEC`, look at the difference, and seal again",
    "A generated package that was edited by hand, or is older than its spec, would decide by rules that nobody has "
    "registered.",
    "edit one threshold in generated/<package>/rules.py, then `protoc run SPEC`",
)
UNFINISHED_NOT_FOUND = Kind(
    "E1205",
    "no-run-to-resume",
    "error",
    "there is no unfinished run at {path}: {reason}",
    "`protoc runs` lists the runs and where they are; a run that is finished cannot go on",
    "Resuming continues the ledger of a run that was interrupted. It needs that run's folder.",
    "`protoc run SPEC --resume runs/nothing`",
)
OTHER_CONFIGURATION = Kind(
    "E1206",
    "resume-other-configuration",
    "error",
    "the run at {path} was started with another {what}: {before} then, {now} now",
    "put back what was changed and resume, or start a new run",
    "Cases that were answered before the interruption and cases answered now would come from different subjects, "
    "inputs or rules; their sum would be the result of neither.",
    "interrupt a run, edit the subject, then `protoc run SPEC --resume RUN`",
)
NO_CASES = Kind(
    "E1207",
    "no-cases",
    "error",
    "there is nothing to evaluate: {table} has no row of {splits}",
    "look at the rows and at the column that names their split",
    "A rate over no case at all is no evidence; a run without cases is a fault of its inputs.",
    "seal a protocol whose held-out split has no row, then `protoc run SPEC`",
)
EXPECTATION = Kind(
    "E1208",
    "observed-expectation-not-met",
    "error",
    "{table} does not hold what the protocol expects of it: {expectation}",
    "look at the rows of {table}; `expect` states what must be so before anything is scored",
    "An expectation is checked as soon as all is there that it rests on: of inputs when they are sealed and again "
    "before the first call, of answers and observed rows when every case has its outcome, of judgements before the "
    "final verdict. Where one does not hold, nothing is scored: the rows are kept, and they get no verdict. A split "
    "that was read counts as read.",
    "write a seal by other means than `protoc seal` for a table without one of its rows, then `protoc run SPEC`",
)
INTERRUPTED = Kind(
    "E1210",
    "interrupted",
    "error",
    "the run was interrupted; {done} of {cases} cases are finished and kept in {path}",
    "continue with `protoc run SPEC --resume {path}`",
    "An interrupted run is kept as it was. A split that it has begun to read counts as read.",
    "press Ctrl-C during `protoc run SPEC`",
)
NO_DATA = Kind(
    "E1211",
    "no-data-folder",
    "error",
    "there is no folder {path} with rows to score",
    "give --data a folder with one file per table: TABLE.jsonl, TABLE.csv or TABLE.parquet",
    "`score` applies the rules to rows that exist already.",
    "`protoc score SPEC --data nowhere`",
)
CANNOT_WRITE = Kind(
    "E1212",
    "cannot-write",
    "error",
    "{path} cannot be written: {reason}",
    "choose another folder, free some space, or mend the permissions",
    "A run that cannot keep what it sees does not start, or stops where it is.",
    "`protoc run SPEC --out /proc/runs`",
)
PROJECT_EXISTS = Kind(
    "E1213",
    "would-overwrite",
    "error",
    "{path} exists already",
    "choose a folder where none of the template's files exists; `init` overwrites nothing",
    "A new project is written only where nothing can be lost.",
    "`protoc init DIR` twice",
)
EXPECTATION_OF_DATA = Kind(
    "W1214",
    "data-not-as-expected",
    "warning",
    "{table} does not hold what the protocol expects of it: {expectation}",
    "look at the rows of {table}; the results below are those of the rows as they are",
    "`score` tells what the rules make of any rows, a run to tune on and its final verdict what they make of the "
    "splits that it reads. A run that counts refuses rows that are not as the protocol expects them.",
    "remove one row of a table with `expect: count(cases) == 8`, then `protoc score SPEC --data DIR`",
)
CHANGED = Kind(
    "E1215",
    "changed-while-used",
    "error",
    "{path} was changed while it was being used",
    "let nothing write to inputs and code during a seal or a run; then do it again",
    "What is read must be what was pinned. A file that changes between its digest and its reading, or a subject that "
    "changes between two cases, would give a result of no known input.",
    "a subject that writes to its own file, then `protoc run SPEC`",
)
MADE_UP = Kind(
    "N1219",
    "made-up-rows-differ",
    "note",
    "the made-up rows of {table} do not meet what the protocol expects of it: {expectation}",
    "nothing needs to be done: a run that counts reads the sealed rows, which are held to it",
    "A rehearsal makes up every row from the declared types. It respects plain numbers of rows, as in "
    "`count(cases) == 96`, and no other expectation; so a verdict line that rests on one is not rehearsed.",
    "a table with `expect: no labels where control have expected`, then `protoc run SPEC --rehearse`",
)

SEALED_OUTSIDE_GIT = Kind(
    "W1220",
    "sealed-without-git",
    "warning",
    "the seal names no commit that holds what it pins: nothing but its own file shows when it was made",
    "put the protocol into a git repository, commit it, and seal anew with a reason, before the next run",
    "A seal is worth its time. Git shows to others that the sealed files stood in a commit before the run; without it "
    "everything could have been written afterwards.",
    "`protoc seal SPEC` outside of any git repository, then `protoc run SPEC`",
)

KINDS = (
    SUBJECT_NOT_LOADED,
    UNKNOWN_PHASE,
    NO_PACKAGE,
    PACKAGE_DIFFERS,
    UNFINISHED_NOT_FOUND,
    OTHER_CONFIGURATION,
    NO_CASES,
    EXPECTATION,
    MADE_UP,
    INTERRUPTED,
    NO_DATA,
    CANNOT_WRITE,
    PROJECT_EXISTS,
    EXPECTATION_OF_DATA,
    CHANGED,
    SEALED_OUTSIDE_GIT,
)
