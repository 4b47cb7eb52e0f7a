"""E2621 to E2639: marks and stages of a review, and the page on which people judge."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NO_MARKS = Kind(
    "E2621",
    "not-marked",
    "error",
    "`marks` of {row} says nothing: {reason}",
    "write the list of marks; `[]` says that there is none",
    "A text in which nothing was found and a text that nobody has read are not the same.",
    "leave `marks` of a line as it was exported (null), then `protoc adjudicate RUN --import DIR`",
)
BAD_MARK = Kind(
    "E2622",
    "mark-not-in-text",
    "error",
    "mark {number} of {row} cannot be taken: {reason}",
    "copy the passage as it stands in the text; give `start` and `end` in code points where it stands there twice",
    "A mark is a passage of the text that the rater saw, to the character; it is never repaired or guessed.",
    "write a quote that the text does not have into `marks`, then `protoc adjudicate RUN --import DIR`",
)
NOT_SHOWN = Kind(
    "E2623",
    "sheet-never-shown",
    "error",
    "{name} was never exported from this run, so nobody knows when it was shown",
    "`protoc adjudicate RUN --export DIR` writes the sheet, and records when",
    "Where a protocol has stages, it is recorded when each of them was shown. A sheet from elsewhere has no such time.",
    "import a sheet of a judgement with `raters` that was written by hand",
)
NO_RATER = Kind(
    "E2624",
    "unknown-rater",
    "error",
    "the protocol has no rater {name}; {known}",
    "give `--rater` with one of these names, or leave it out",
    "Who judges is declared under `raters` of a judgement, before anything is seen.",
    "`protoc adjudicate RUN --export DIR --rater QA9`",
)
NOT_INSTALLED = Kind(
    "E2625",
    "room-not-installed",
    "error",
    "the review room needs {package}, which is not installed",
    "`pip install 'evalprotoc[room]'`; or use `--export` and `--import`",
    "The page on which people judge is served by a small web server that most runs never need.",
    "`protoc adjudicate RUN --serve` without the extra `room`",
)
NO_PORT = Kind(
    "E2626",
    "port-not-free",
    "error",
    "port {port} of this machine cannot be used: {reason}",
    "leave `--port` out, and a free one is taken",
    "The room listens on this machine alone, at one port.",
    "`protoc adjudicate RUN --serve --port 80`",
)
DRAFT_DIFFERS = Kind(
    "E2627",
    "sheet-not-from-room",
    "error",
    "{name} is not what its rater did in the room: its record gives another sheet",
    "restore {name} from a copy",
    "What a rater does in the room is recorded step by step, and the saved sheet follows from the steps.",
    "change a mark in the ledger of a stage that was told in the room, then `protoc verify RUN`",
)
JUDGED_LATER = Kind(
    "E2628",
    "judged-in-the-future",
    "error",
    "{row} was judged at {at}, and it is {now} now",
    "write when it was judged; if this machine's clock is behind, set it right",
    "A time that has not come yet is not when somebody judged. Five minutes are left for clocks that differ.",
    "write a year that has not come under `at` in a sheet, then `protoc adjudicate RUN --import DIR`",
)
JUDGED_BEFORE = Kind(
    "E2629",
    "judged-too-early",
    "error",
    "{row} was judged at {at}, and only at {since} {what}",
    "write when it was judged; if this machine's clock is ahead, set it right",
    "Nobody judges what is not there yet: rows are there when the run has finished, those that follow from another "
    "judgement when that one is in, and where it is recorded what raters are shown, when it was shown. Five minutes "
    "are left for clocks that differ.",
    "write the day before the run under `at` in a sheet, then `protoc adjudicate RUN --import DIR`",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
