"""Faults between a seal and what is there."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind, Severity


def _kind(id_: str, name: str, message: str, hint: str, why: str, example: str, severity: Severity = "error") -> Kind:
    return Kind(id_, name, severity, message, hint, why, example)


_RESEAL = "restore it, or seal anew with `protoc seal SPEC --reason TEXT`, which every later receipt shows"

NEEDS_REASON = _kind(
    "E1101",
    "reseal-needs-reason",
    "this protocol was sealed at {time} and has changed since: {changes}",
    "say why with `protoc seal SPEC --reason TEXT`; the reason is shown in every later receipt",
    "A seal fixes what was decided before the data were seen. A change after it may be right, but nobody can judge "
    "that without its reason, so the further seal carries it and stands beside the first one.",
    "seal, raise a threshold, compile, and `protoc seal SPEC` without --reason",
)
NOT_SEALED = _kind(
    "E1102",
    "not-sealed",
    "there is no seal for {protocol} version {version} in {path}",
    "seal it with `protoc seal {spec}`; `protoc run --rehearse` runs without a seal",
    "A run that counts is judged by rules that were fixed before it. Without a seal nothing shows which rules these "
    "were.",
    "`protoc run SPEC` before `protoc seal SPEC`",
)
BROKEN = _kind(
    "E1103",
    "seal-broken",
    "line {line} of {path} does not hold: {reason}",
    "restore seal.jsonl from git; its lines are never edited, removed or moved",
    "Each seal names the digest of the one before it, so that a re-seal cannot be hidden.",
    "change a digit in seal.jsonl, then `protoc run SPEC`",
)
SPEC_CHANGED = _kind(
    "E1104",
    "spec-changed",
    "the protocol means something else than what was sealed: its digest is {found}, sealed was {expected}",
    _RESEAL,
    "A threshold, formula, rule, label or pinned digest of the protocol differs from the sealed one. Comments, layout "
    "and quoting do not count.",
    "seal, lower a threshold, then `protoc run SPEC`",
)
INPUT_CHANGED = _kind(
    "E1105",
    "input-changed",
    "the sealed input {path} of table {table} has changed: {found} instead of {expected}",
    _RESEAL,
    "The rows that a verdict rests on are fixed before the subject is called. Rows that were changed afterwards could "
    "have been changed to fit the answers.",
    "seal, edit one row of a data file, then `protoc run SPEC`",
)
MISSING = _kind(
    "E1106",
    "pinned-file-missing",
    "{path} was sealed and is not there",
    "restore it (with `git restore`, or from where it came)",
    "Everything that the seal pins must be there to be compared; a missing file is never taken for an empty one.",
    "seal, remove a data file, then `protoc run SPEC`",
)
CODE_CHANGED = _kind(
    "E1107",
    "code-changed",
    "the pinned file {path} has changed: {found} instead of {expected}",
    _RESEAL,
    "The subject's code is what is judged. Code that was changed after the seal is another subject.",
    "seal, edit the subject's Python file, then `protoc run SPEC`",
)
PACKAGE_CHANGED = _kind(
    "E1108",
    "package-changed",
    "{path} of the generated package {package} is not what was sealed",
    "delete that folder and write it anew with `protoc compile SPEC`; generated files are not edited by hand",
    "The generated package computes the verdict. It must be the one that the sealed protocol compiles to.",
    "seal, edit generated/PACKAGE/rules.py, then `protoc run SPEC`",
)
ADDED = _kind(
    "E1109",
    "file-added",
    "{path} was not there when the protocol was sealed, in a folder whose files are pinned",
    "remove it, or seal anew with `protoc seal SPEC --reason TEXT`",
    "A file that joins a pinned folder can change what its code does.",
    "seal, add a file to a pinned code folder, then `protoc run SPEC`",
)
TEXT_CHANGED = _kind(
    "E1110",
    "spec-text-changed",
    "{path} is not the text that was sealed, and without the compiler nobody can tell whether its meaning changed",
    "use `protoc run`, which compares the meaning, or restore the file",
    "The generated runner works without the compiler and compares the bytes of the spec. The command `protoc run` "
    "compares its meaning, for which comments and layout do not count.",
    "seal, add a comment to protocol.yaml, then run the generated package's runner",
)
SAME_MEANING = _kind(
    "N1111",
    "rewritten-same-content",
    "{path} was written differently when it was sealed (line endings, comments or layout); its content is the same",
    "nothing needs to be done",
    "Line endings and byte order marks change when files move between machines, and comments mean nothing. The digest "
    "of the content is the same, which is what counts; the receipt tells both digests.",
    "seal, convert protocol.yaml to CRLF line endings, then `protoc run SPEC`",
    "note",
)
STALE_PACKAGE = _kind(
    "E1112",
    "stale-package-at-seal",
    "the generated package {package} is not what {spec} compiles to: {changes}",
    "run `protoc compile {spec}` first",
    "The seal pins the generated package together with the protocol, so the two must agree when it is made.",
    "edit protocol.yaml and `protoc seal SPEC` without compiling",
)
UNSAFE_PATH = _kind(
    "E1113",
    "unsafe-path",
    "{path} cannot be pinned: {reason}",
    "keep what a protocol pins in its own folder, as plain files and folders",
    "What is pinned must be the same for everyone who has the protocol's folder. A link, or a path that leads out of "
    "it, means something else on every machine.",
    "`code: [../elsewhere.py]` in procedure.subject, then `protoc seal SPEC`",
)
EXPECTATION = _kind(
    "E1114",
    "expectation-not-met",
    "the rows of table {table} do not meet `{text}`: it is {value}",
    "mend the rows, or what the protocol expects of them, before anything is sealed",
    "`expect` says what must be so of the data before the first call: counts, complete labels, controls. An undefined "
    "expectation is not met.",
    "`expect: [count(cases) == 50]` with 49 rows, then `protoc seal SPEC`",
)
CANNOT_WRITE = _kind(
    "E1115",
    "seal-not-written",
    "the seal could not be written to {path}: {reason}",
    "mend the permissions of the folder, or free some space; nothing was sealed",
    "A seal counts only once it is safely on the disk.",
    "`protoc seal SPEC` in a read-only folder",
)
UNREADABLE = _kind(
    "E1116",
    "pinned-file-unreadable",
    "{path} cannot be read: {reason}",
    "check its name and permissions; the path is relative to the protocol's folder",
    "What is pinned is read to its last byte, so that its digest can be told.",
    "`code: [missing.py]` in procedure.subject, then `protoc seal SPEC`",
)

OTHER_FILE = _kind(
    "E1117",
    "frozen-file-differs",
    "{path} is not the file that the protocol states: its digest is sha256:{found}, `freeze.{name}` says {expected}",
    "restore the file; or state the digest of this one and seal anew with `protoc seal SPEC --reason TEXT`",
    "`{file: PATH, is: sha256:...}` names one file by its content. Sealing and running refuse any other, whoever has "
    "changed it and for whatever reason.",
    "`prompt: {file: prompt.txt, is: sha256:00...}` in procedure.freeze, then `protoc seal SPEC`",
)
NO_BASELINE = _kind(
    "E1118",
    "no-baseline",
    "`freeze.{name}` cannot be taken from the run {run}: {reason}",
    "name a finished run of a sealed protocol that verifies, and the value and the receipt that it has",
    "A threshold that an earlier run has measured is only as good as that run: it must be of a sealed protocol, "
    "verify to the last byte, and have exactly this value. `protoc check` compares what the spec states with the "
    "bundle where it is there; `protoc seal` verifies it.",
    "`sd: {run: ../../runs/x, metric: sd, is: 0.02, receipt: sha256:...}` with a rehearsal, then `protoc seal SPEC`",
)

KINDS: tuple[Kind, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
