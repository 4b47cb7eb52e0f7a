"""E213x: canonical blocks and freeze manifests; E214x: the parity of two runtimes."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NO_BLOCK = Kind(
    "E2131",
    "no-canonical-block",
    "error",
    "`freeze.{name}` copies {place}, which cannot be read: {reason}",
    "name a JSON or YAML file beside the spec, or from the root of the workspace, and the block's JSON pointer",
    "A canonical block has one source. The protocol holds its meaning, and compares it with the source whenever it is "
    "compiled, sealed or run.",
    "procedure:\n  freeze:\n    targets: {copy_of: targets.json#/metrics}    # and there is no targets.json",
)
BLOCK_DRIFT = Kind(
    "E2132",
    "canonical-block-drift",
    "error",
    "`freeze.{name}` and {place} differ at {path}: the protocol has {ours}, the file has {theirs}",
    "restore the file, or compile and seal the protocol again if the target was meant to change",
    "The frozen candidate is measured against one target. If the file that holds it and the protocol that was compiled "
    "from it say different things, one of them was changed after the fact.",
    "targets.json changed after `protoc compile`, then `protoc run SPEC`",
)
MANIFEST_UNREADABLE = Kind(
    "E2133",
    "manifest-unreadable",
    "error",
    "the manifest {path} cannot be read: {reason}",
    "a manifest is one JSON or YAML object; `protoc freeze new SPEC` writes one to start from",
    "A file that is no JSON or YAML has no fields that could be checked.",
    '{"status": "frozen-dev"    # the brace is not closed',
)
MANIFEST_FIELD = Kind(
    "E2134",
    "manifest-field",
    "error",
    "{field}: {reason}",
    "{hint}",
    "A freeze manifest holds what its phase needs, each field as the protocol declares it. All faults are told at "
    "once.",
    '{"status": "frozen-dev", "candidate": {"source_revision": "MAIN"}}',
)
MANIFEST_EXTRA = Kind(
    "N2135",
    "manifest-extra-field",
    "note",
    "{field}: the protocol declares no such field, so nothing checks it",
    "declare it under `procedure.manifest.fields`, or take it out",
    "A manifest may say more than its protocol asks for. What nobody declared is kept, and trusted by nobody.",
    '{"status": "frozen-dev", "commnets": "the name of a declared field, misspelt"}',
)
NO_SUCH_PHASE = Kind(
    "E2136",
    "manifest-phase-unknown",
    "error",
    "the manifest has no phase `{phase}`",
    "{hint}",
    "Which fields a manifest needs depends on its phase, and the protocol names the phases.",
    "`protoc freeze check --phase frsh MANIFEST`",
)
NO_MANIFEST = Kind(
    "E2137",
    "protocol-without-manifest",
    "error",
    "{spec} declares no freeze manifest",
    "declare it under `procedure.manifest`, or name another protocol with `--spec`",
    "What a manifest must hold is declared in the protocol; nothing can be checked without it.",
    "`protoc freeze new SPEC` for a protocol without `procedure.manifest`",
)
MANIFEST_STALE = Kind(
    "E2138",
    "manifest-no-longer-true",
    "error",
    "{field}: {reason}",
    "check out what was frozen, or freeze a new candidate",
    "What was collected can be collected again. If it has another value now, the files here are not those that were "
    "frozen.",
    "a prompt edited after `protoc freeze new`, then `protoc freeze check`",
)
PARITY_INPUT = Kind(
    "E2141",
    "parity-input",
    "error",
    "{path}: {reason}",
    "{hint}",
    "Two runtimes can only be compared on rows of which each says its case, its route, its score and its error.",
    '{"case_id": "c1", "predicted": "op.a", "supported_probability": true, "error": null}',
)
PARITY_FAILED = Kind(
    "E2142",
    "parity-does-not-hold",
    "error",
    "{what}",
    "a runtime that decides differently is another candidate: freeze it anew; {report} lists every case",
    "Only an implementation may change after a freeze. One changed route, one decision on the other side of the "
    "threshold or one error makes it another system.",
    "`protoc parity SPEC --reference reference.json --candidate candidate.json --out report.json`, one route changed",
)
NO_PARITY = Kind(
    "E2143",
    "protocol-without-parity",
    "error",
    "{spec} does not say what is compared",
    "declare it under `procedure.parity`",
    "Which columns are the case, the route and the score, and at which threshold a case is executed, is the "
    "protocol's.",
    "`protoc parity SPEC ...` for a protocol without `procedure.parity`",
)
REPORT_EXISTS = Kind(
    "E2144",
    "parity-report-exists",
    "error",
    "{path} exists already",
    "name another file: a report is evidence and is never overwritten",
    "The report of a comparison that failed is evidence, too. It stays where it was written.",
    "`protoc parity ... --out report.json`, twice",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
