"""E14xx: what does not hold in a bundle."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

_RESTORE = "restore the bundle from a copy; if this is the only one, treat its verdict as unproven"

NOT_A_BUNDLE = Kind(
    "E1401",
    "not-a-bundle",
    "error",
    "{path} is not a finished run: {reason}",
    "give the folder that `protoc run` printed; `protoc runs` lists them",
    "A finished run is a folder with manifest.json, receipt.json and summary.json.",
    "`protoc verify specs`",
)
FILE_CHANGED = Kind(
    "E1402",
    "file-changed",
    "error",
    "{file} is not the file that the manifest names: {found} instead of {expected}",
    _RESTORE,
    "The manifest holds the digest and size of every file of the bundle. One changed byte changes the digest.",
    "change one digit in rows/cases.jsonl of a run, then `protoc verify RUN`",
)
FILE_MISSING = Kind(
    "E1403",
    "file-missing",
    "error",
    "{file} is in the manifest but not in the bundle",
    _RESTORE,
    "A bundle is verified as a whole; with a file missing the verdict cannot be recomputed.",
    "remove seal.json from a run, then `protoc verify RUN`",
)
FILE_ADDED = Kind(
    "E1404",
    "file-not-in-manifest",
    "error",
    "{file} is in the bundle but not in the manifest",
    "move the file elsewhere; nothing is added to a closed stage",
    "What was not there when the bundle was closed is no part of its evidence.",
    "add notes.txt to a run, then `protoc verify RUN`",
)
RECEIPT_DIFFERS = Kind(
    "E1405",
    "receipt-differs",
    "error",
    "the receipt says {what} is {expected}, but the bundle has {found}",
    _RESTORE,
    "The receipt binds the parts of a bundle together: manifest, ledger, seal, counters and verdict.",
    "change the verdict in receipt.json of a run, then `protoc verify RUN`",
)
RENDERING_DIFFERS = Kind(
    "E1406",
    "rendering-differs",
    "error",
    "RECEIPT.md is not the rendering of the receipt; the first line that differs is {line}",
    _RESTORE,
    "People read RECEIPT.md. It is made from receipt.json, and nothing else, so it can be made again and compared.",
    "change a word in RECEIPT.md of a run, then `protoc verify RUN`",
)
SPEC_DIFFERS = Kind(
    "E1407",
    "spec-digest-differs",
    "error",
    "the spec digest of the bundle's package is {found}, but {where} has {expected}",
    _RESTORE,
    "The spec digest is the SHA-256 of the protocol's meaning. Seal, package and results must name the same one.",
    "replace package/protocol.json in a run, then `protoc verify RUN`",
)
SEAL_DIFFERS = Kind(
    "E1408",
    "seal-differs",
    "error",
    "the seal does not fit the bundle: {reason}",
    _RESTORE,
    "A run is claimable only under the seal that pinned its protocol, package, code and inputs before it began.",
    "replace seal.json in a run by another one, then `protoc verify RUN`",
)
RULES_DISAGREE = Kind(
    "E1409",
    "recomputed-differs",
    "error",
    "recomputed from the rows, {what} is {found}, but summary.json has {expected}",
    _RESTORE,
    "The verdict and every number are recomputed from the bundle's rows with the bundle's own rules.",
    "change a number in summary.json of a run, then `protoc verify RUN`",
)
VERIFIER_DISAGREES = Kind(
    "E1410",
    "verifier-disagrees",
    "error",
    "the bundle's verify.py does not agree: {reason}",
    _RESTORE,
    "verify.py computes the same formulas a second time, with the standard library only. Both must give the same.",
    "change a row in rows/ of a run, then `python3 -I RUN/verify.py`",
)
REGISTRY_DIFFERS = Kind(
    "E1411",
    "registry-differs",
    "error",
    "the registry {path} does not confirm this run: {reason}",
    "compare the bundle with a copy of it, and the registry with its history in git",
    "The registry keeps the digest of every receipt. A bundle that was rewritten as a whole still fits itself, but "
    "no longer the registry.",
    "rewrite receipt.json and RECEIPT.md of a run, then `protoc verify RUN`",
)
UNKNOWN_CASE = Kind(
    "E1412",
    "unknown-case",
    "error",
    "the run has no case {case!r}; {known}",
    "cases.jsonl of the run lists them",
    "`why` tells how one case of a run was decided.",
    "`protoc why RUN nothing`",
)
UNSIGNED = Kind(
    "N1413",
    "receipt-unsigned",
    "note",
    "the receipt is not signed: it protects against accident, not against its own author{registry}",
    "keep the registry in git; a signed seal and receipt prove more",
    "Whoever can write every file of a bundle can write all of them anew. Only something outside of the bundle, such "
    "as a registry in git or a signature, shows that.",
    "`protoc verify RUN` without a registry",
)
WRONG_ORDER = Kind(
    "E1414",
    "wrong-order",
    "error",
    "the order of events does not hold: {reason}",
    _RESTORE,
    "A protocol is sealed before its run begins, and a run begins before its first case.",
    "set the time of the first event in ledger.jsonl before the seal, then `protoc verify RUN`",
)
ANSWERS_DIFFER = Kind(
    "E1416",
    "ledger-differs",
    "error",
    "{file} is not what the ledger gives: {what}",
    _RESTORE,
    "An answer is written into the ledger before anything is made of it. Rows, cases and results that the ledger does "
    "not give were changed afterwards.",
    "change an answer in rows/ of a run and make summary, manifest and receipt fit, then `protoc verify RUN`",
)
NOT_RUN = Kind(
    "N1415",
    "bundle-not-recomputed",
    "note",
    "nothing was recomputed: the programs in {path} are not those that its seal pins, and such programs are not run",
    _RESTORE,
    "Recomputing runs the rules and the verifier that the bundle brings. What somebody has put in their place could do "
    "anything.",
    "add a line to package/rules.py of a run, then `protoc verify RUN`",
)
SECRET_FOUND = Kind(
    "E1417",
    "secret-found",
    "error",
    "{found} looks like a credential, and the receipt does not list it",
    "show the bundle to nobody; revoke the credential, and run again without it",
    "Every file of a bundle is scanned before it is closed, and once more when it is verified: the rules may have "
    "learned a new form since, and whoever verifies may have a credential at hand that the runner had not loaded.",
    "set the variable of a provider's credential to a word that stands in the rows of a run, then `protoc verify RUN`",
)

KINDS = (
    NOT_A_BUNDLE,
    FILE_CHANGED,
    FILE_MISSING,
    FILE_ADDED,
    RECEIPT_DIFFERS,
    RENDERING_DIFFERS,
    SPEC_DIFFERS,
    SEAL_DIFFERS,
    RULES_DISAGREE,
    VERIFIER_DISAGREES,
    REGISTRY_DIFFERS,
    UNKNOWN_CASE,
    UNSIGNED,
    WRONG_ORDER,
    ANSWERS_DIFFER,
    NOT_RUN,
    SECRET_FOUND,
)
