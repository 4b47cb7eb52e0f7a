"""E210x, E211x: canonical blocks, freeze manifests and parity, as a protocol declares them."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

BAD_COPY = Kind(
    "E2101",
    "copy-place-malformed",
    "error",
    "`{found}` names no block of a file",
    "write `copy_of: PATH#/POINTER`: a JSON or YAML file and the JSON pointer of the block, `#` alone for all of it",
    "A canonical block is found by the file that holds it and the way to it in the file.",
    "procedure:\n  freeze:\n    targets: {copy_of: targets.json metrics}",
)
BAD_TIE = Kind(
    "E2102",
    "tie-without-threshold",
    "error",
    "`{entry}` cannot be tied to `{rule}`: {reason}",
    "tie an entry that is a number to a gate, blocker or check whose formula has exactly one number",
    "A tie says that a number of the canonical block and the threshold of a rule are one and the same. Both must be "
    "there, and the rule must have one number only.",
    "targets: {copy_of: 'targets.json#/metrics', ties: {recall_min: gates.Q9}}",
)
TIE_DIFFERS = Kind(
    "E2103",
    "threshold-differs-from-block",
    "error",
    "`{rule}` has the threshold {ours}, and {place} has {theirs} at {entry}",
    "change the one that is wrong; they are declared to be the same",
    "The canonical target is the source of the thresholds. A protocol that judges by another number than the target "
    "that it cites would be a quiet change.",
    'targets.json: {"recall_min": 0.85}    # and gates.C001 has `recall >= 80%`',
)
BAD_PATH = Kind(
    "E2104",
    "manifest-path-malformed",
    "error",
    "`{found}` is no path of a field: {reason}",
    "write names with dots between them, and `[]` behind a list: `candidate.models[].revision`",
    "A field of a manifest is found by its path, and a path leads either to a group or to a value.",
    "fields: {'candidate/id': text}",
)
BAD_VALUE = Kind(
    "E2105",
    "manifest-type-unknown",
    "error",
    "`{found}` is no type of a field",
    "{hint}",
    "What may stand in a field is told by one of a few types, several of them with `or` between, and `?` behind the "
    "last where it may be null or absent.",
    "fields: {candidate.source_revision: sha1}",
)
NO_COPY = Kind(
    "E2106",
    "no-such-copy",
    "error",
    "`{found}` needs a frozen block, and `{name}` is none",
    "{hint}",
    "`copy of NAME` and `metrics of NAME` speak of a frozen value that has `copy_of`.",
    "fields: {production_target: copy of target}    # where freeze has `targets: {copy_of: ...}`",
)
NOT_METRICS = Kind(
    "E2107",
    "block-without-bounds",
    "error",
    "`metrics of {name}` needs a block of numbers, and `{entry}` is {found}",
    "name a block whose entries are numbers: `x_min` bounds from below, `x_max` from above, `x` is exact",
    "The metrics of a manifest are compared with the block entry by entry, so each entry must be a number.",
    'metrics of targets    # where the block is {"recall_min": "high"}',
)
UNDECLARED_PATH = Kind(
    "E2108",
    "manifest-path-undeclared",
    "error",
    "no field of the manifest is `{found}` or stands below it",
    "{hint}",
    "`needs` and `closed` name fields or groups of the manifest. One that does not exist would be needed by nobody.",
    "phases: [{phase: fresh, status: fresh-confirmed, needs: [evidence.frsh]}]",
)
BAD_ALIAS = Kind(
    "E2109",
    "manifest-column-impossible",
    "error",
    "`{path}` cannot be the column `{name}`: {reason}",
    "give a name of its own to a field outside of lists: text, a number, a truth value, a time, a digest or an enum",
    "A record holds one value per column, and a value of a plain type.",
    "fields: {candidate.models[].name: {type: text, as: model}}",
)
BAD_COLLECT = Kind(
    "E2110",
    "manifest-source-unknown",
    "error",
    "`{found}` cannot be collected",
    "{hint}",
    "What `protoc freeze new` can find out by itself is a closed list; everything else is asked for and attested.",
    "fields: {candidate.runtime.hardware_label: {type: text, collect: computer}}",
)
NO_MANIFEST = Kind(
    "E2111",
    "manifest-not-declared",
    "error",
    "{what} needs `procedure.manifest`, which this protocol lacks",
    "declare the fields and phases of the manifest under `procedure.manifest`",
    "What a manifest says can only be observed where it is declared what a manifest is.",
    "data:\n  records:\n    manifest: {from: manifest, valid: bool}",
)
BAD_THRESHOLD = Kind(
    "E2112",
    "parity-number-malformed",
    "error",
    "{what} is {found}, and a number is needed",
    "write a number such as `0.95`, or `freeze.NAME` for a frozen one; scores lie from `low` to `high`",
    "A case is executed where its score reaches the threshold, so the threshold is a plain number between the lowest "
    "score and the highest.",
    "procedure:\n  parity: {id: case, route: predicted, score: p, threshold: high, error: error}",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
