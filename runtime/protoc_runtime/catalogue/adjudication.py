"""E18xx: sheets that people fill, and the stages of a bundle that follow from them."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

_SHEET = "fill in what `protoc adjudicate RUN --export DIR` wrote, and change nothing else in it"

NO_JUDGEMENTS = Kind(
    "E1801",
    "nothing-to-judge",
    "error",
    "{path} waits for nobody: its protocol declares no judgement",
    "its verdict is final; `protoc verify RUN` shows it",
    "Only a protocol with `procedure.adjudication` has sheets, and a verdict that comes after them.",
    "`protoc adjudicate RUN --export sheets` for a run of a protocol without `procedure.adjudication`",
)
WAITS = Kind(
    "E1802",
    "judgement-waits",
    "error",
    "{name} cannot be judged yet: what is judged follows from {after}, which is not in",
    "import {after} first, then export again",
    "Which rows a later sheet has is computed from what was told before, so it cannot be filled at the same time.",
    "write a file for a judgement that follows from another one, and import it alone",
)
NO_SHEET = Kind(
    "E1803",
    "no-sheet",
    "error",
    "{path} holds no sheet of this run: {reason}",
    "export with `protoc adjudicate RUN --export DIR`, fill in the sheets, and give the same folder",
    "A sheet is a file with the name of its judgement, `NAME.jsonl`.",
    "`protoc adjudicate RUN --import EMPTY_FOLDER`",
)
NOT_A_ROW = Kind(
    "E1804",
    "sheet-line-not-a-row",
    "error",
    "this line of the sheet {name} is no row of it: {reason}",
    _SHEET,
    "Each line of a sheet is one JSON object with the fields of the exported sheet.",
    "delete a field of a line, then `protoc adjudicate RUN --import DIR`",
)
LACKING = Kind(
    "E1805",
    "row-not-judged",
    "error",
    "the sheet {name} has no line for {row}",
    "every exported row is judged; export again to another folder and copy the line",
    "A row that is left out would leave the denominator, too. Each row has exactly one line.",
    "delete a line of a sheet, then `protoc adjudicate RUN --import DIR`",
)
TWICE = Kind(
    "E1806",
    "row-judged-twice",
    "error",
    "the sheet {name} has {row} a second time; the first is on line {first}",
    "settle on one label and delete the other line",
    "A row in two buckets would count twice. Each row has exactly one line.",
    "repeat a line of a sheet, then `protoc adjudicate RUN --import DIR`",
)
NOT_JUDGED_ROW = Kind(
    "E1807",
    "row-not-in-sheet",
    "error",
    "the sheet {name} does not ask about {row}",
    _SHEET,
    "Which rows are judged follows from the protocol and the run. A row more would be a judgement of something else.",
    "change the key on a line of a sheet, then `protoc adjudicate RUN --import DIR`",
)
SEEN_CHANGED = Kind(
    "E1808",
    "sheet-edited",
    "error",
    "{field} of {row} is not what was exported: {found} instead of {expected}",
    _SHEET,
    "A label is about what its rater saw. Where that was changed, nobody knows what was judged.",
    "change a title in a sheet, then `protoc adjudicate RUN --import DIR`",
)
BAD_LABEL = Kind(
    "E1809",
    "label-not-declared",
    "error",
    "the label of {row} is {found}, not one of {labels}",
    "{hint}",
    "The protocol declares the labels and their meaning before anybody sees a row.",
    "write a label that the protocol does not declare, then `protoc adjudicate RUN --import DIR`",
)
WHO_AND_WHEN = Kind(
    "E1810",
    "judgement-unsigned",
    "error",
    "{row} does not say {what}: {found}",
    "write the name of the person, and the time with its zone, such as 2026-03-01T10:30:00Z",
    "A judgement is a statement of a person at a time. Without both it is nobody's.",
    "leave `adjudicator` empty in a sheet, then `protoc adjudicate RUN --import DIR`",
)
TOLD_ALREADY = Kind(
    "E1811",
    "already-judged",
    "error",
    "{name} was imported already, from a sheet with other content ({before}, this one is {now})",
    "what was told stays told; a second opinion is a new run of a new version of the protocol",
    "Labels that could be exchanged after the verdict was seen would prove nothing.",
    "import a sheet, change a label in it, and import it again",
)
NOT_TOLD = Kind(
    "E1812",
    "judgements-missing",
    "error",
    "{path} has no final verdict yet: {names} {is_} not in",
    "`protoc adjudicate RUN --serve`, or `--export DIR`, fill in the sheets, then `--import DIR`",
    "The verdict follows from every judgement that the protocol declares.",
    "`protoc verdict RUN` before the sheets are imported",
)
DECIDED = Kind(
    "E1813",
    "verdict-exists",
    "error",
    "{path} has its final verdict already: {verdict}",
    "`protoc verify RUN` recomputes it",
    "A stage is closed once and never written again.",
    "`protoc verdict RUN` twice",
)
SETTLED_CHANGED = Kind(
    "E1814",
    "settled-value-changed",
    "error",
    "{what} was {before} before anybody judged, and would now be {after}",
    "the bundle or the program was changed between its stages; restore them from a copy",
    "What does not wait for people cannot change through them: it was settled when the run closed.",
    "call `protoc_runtime.adjudication.verdict.require_settled` with two summaries that differ",
)
UNKNOWN_ATTESTATION = Kind(
    "E1815",
    "unknown-attestation",
    "error",
    "the protocol asks nobody to attest {name}; {known}",
    "give `--attest NAME=PERSON`, with a name under `attestations`",
    "An attestation is a statement of the protocol that a named person confirms. Others have no place in a receipt.",
    "`protoc run SPEC --attest nothing=Ada`",
)
SECRET_IN_RECEIPT = Kind(
    "E1816",
    "secret-in-receipt",
    "error",
    "the stage is not closed, since {found} would stand in its {where}",
    "take it out where it comes from, and revoke it if it is a credential",
    "Every file is scanned before a stage is closed, the receipt at last.",
    "set the variable of a provider's credential to a word of the protocol's title, then `protoc run SPEC`",
)
SHEET_EXISTS = Kind(
    "E1817",
    "sheet-exists",
    "error",
    "{path} exists already",
    "export to another folder, so that labels that are already written there are not lost",
    "A sheet may hold hours of somebody's work. Exporting overwrites nothing.",
    "`protoc adjudicate RUN --export DIR` twice with the same folder",
)

KINDS = (
    NO_JUDGEMENTS,
    WAITS,
    NO_SHEET,
    NOT_A_ROW,
    LACKING,
    TWICE,
    NOT_JUDGED_ROW,
    SEEN_CHANGED,
    BAD_LABEL,
    WHO_AND_WHEN,
    TOLD_ALREADY,
    NOT_TOLD,
    DECIDED,
    SETTLED_CHANGED,
    UNKNOWN_ATTESTATION,
    SECRET_IN_RECEIPT,
    SHEET_EXISTS,
)
