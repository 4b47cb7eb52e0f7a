"""What the tool itself observes, and what a spec may therefore declare as a table or record `from:` that source.

The compiler refuses a column that is not listed here; the runner fills exactly these. A column's type is written as
in a spec; `unit` stands for a reference to the table of cases. Sources that name a provider stand here under their
family: `ledger of embedding` under `ledger`, `provider embedding` under `provider`.
"""

from __future__ import annotations

OUTCOMES = ("scored", "failed", "timed_out", "quarantined", "excluded")

# one row per attempt to reach a provider, written before it was sent
ATTEMPTS: dict[str, str] = {
    "case": "unit",
    "n": "int",  # of the case's attempts at this provider, from 1
    "call": "int",  # of the case's calls; a retry belongs to the call that it repeats
    "status": "int?",  # undefined where no answer came
    "error": "text?",  # the cause of the failure; undefined where the answer was acceptable
    "retry_reason": "text?",  # the failure for which this attempt was sent again
    "waited": "s",  # before this attempt
    "model": "text?",
    "source": "[provider, mock, synthetic, cache]",
    "vector_dimension": "int?",
    "acceptable": "bool",
    "bytes": "int?",  # of the answer
    "wall": "s?",
}

# one row per session of an agent, written before it began; what is `configured` is a column too, each of type text?
SESSIONS: dict[str, str] = {
    "case": "unit",
    "n": "int",  # of the case's sessions, from 1
    "started_at": "time",
    "verified_at": "time?",  # when the configuration was read; undefined where none is declared
    "prompt": "text",  # the whole of it, as it was sent
    "at_once": "int",  # sessions under way when it began, itself included
    "sandboxed": "bool",
    "wall": "s?",  # undefined where no end was seen
    "failed": "bool",
    "reason": "text?",
}
# one row per event of a session's stream
EVENTS: dict[str, str] = {"case": "unit", "n": "int", "kind": "text", "allowed": "bool"}
# one row per turn that a session reported; what `usage` names is a column too, each of type int?
TURNS: dict[str, str] = {
    "case": "unit",
    "n": "int",  # of the case's turns, from 1
    "kind": "[completed, failed]",
    "reported": "text?",  # the object `usage`, as it was reported
    "malformed": "bool",  # a count in it is no whole number from 0
}

TABLES: dict[str, dict[str, str]] = {
    # one row per case that the phase reads; exactly one outcome each
    "runner": {
        "case": "unit",
        "outcome": "[scored, failed, timed_out, quarantined, excluded]",
        "reason": "text?",
        "wall": "s?",
    },
    # one row per reading of a split that the registry holds for this protocol, the present one included
    "registry": {
        "reading": "text",
        "split": "splits",
        "use": "[tune, score]",
        "run": "text",
        "at": "time",
    },
    # one row per pair of splits that the protocol wants disjoint: what the audit found when it was sealed
    "audit": {
        "split": "splits",
        "other": "splits",
        "shared_ids": "int",
        "shared_rows": "int",
        "shared_texts": "int",
        "near_duplicates": "int",
        "texts": "int",
        "other_texts": "int",
    },
    "ledger": ATTEMPTS,
    "ledger of subject": SESSIONS,
    "events of subject": EVENTS,
    "turns of subject": TURNS,
}
OF_SESSIONS = ("ledger of subject", "events of subject", "turns of subject")

# what makes a row of these tables unique
KEYS: dict[str, tuple[str, ...]] = {
    "runner": ("case",),
    "registry": ("reading",),
    "audit": ("split", "other"),
    "ledger": ("case", "n"),
    **dict.fromkeys(OF_SESSIONS, ("case", "n")),
}

# what a person may have told beside the label of a judgement
ADJUDICATED: dict[str, str] = {"adjudicator": "text", "at": "time", "note": "text?"}

# what is told of a passage that a person has marked, beside its label; offsets are code points
MARKED: dict[str, str] = {"n": "int", "quote": "text", "start": "int", "end": "int"}

RECORDS: dict[str, dict[str, str]] = {
    "seal": {"time": "time", "files_match": "bool", "reseals": "int", "commit": "digest?", "clean": "bool?"},
    "subject": {"sha256": "digest", "committed": "bool", "files": "int"},
    "runner": {
        "started": "time",
        "finished": "time",
        "cases": "int",
        "scored": "int",
        "unscored": "int",
        "batch": "s?",
        "phase": "text?",
        "changed": "int?",  # rows whose `same` columns differ from those of the run that led here
    },
    "receipt": {"complete": "bool"},
    # attempts are all that were begun, and every request that was refused; calls are those that were sent
    "ledger": {"attempts": "int", "calls": "int"},
    "provider": {"usable": "bool"},
    # the digests that `procedure.target` declares are columns too, each of type digest
    "target": {
        "commit": "digest",
        "detached": "bool",
        "clean_at_start": "bool",
        "clean_at_finish": "bool",
        "first_read": "time",
    },
    "secret scan": {"findings": "int"},
    # the newest commit that changed a pinned file, as git had it before the first case was asked
    "git": {"commit": "digest?", "time": "time?", "clean": "bool", "paths": "set of text"},
    "manifest": {},  # its columns depend on what `procedure.manifest` declares (`manifests.records.columns`)
    # the last run of a phase before this run began, by this protocol and version; `runs` counts all
    "phase": {"verdict": "text?", "run": "text?", "at": "time?", "runs": "int", "open_duties": "int"},
}


def family(source: str) -> tuple[str, str]:
    """A source and the provider or phase that it names: `ledger of embedding` gives (ledger, embedding), `seal`
    (seal, "")."""
    if source in OF_SESSIONS:
        return source, ""
    for opening, name in (("ledger of ", "ledger"), ("provider ", "provider"), ("phase ", "phase")):
        if source.startswith(opening):
            return name, source.removeprefix(opening).strip()
    return source, ""
