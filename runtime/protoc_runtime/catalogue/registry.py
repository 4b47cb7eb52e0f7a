"""Faults of readings of splits, and of the registry that counts them."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind, Severity


def _kind(id_: str, name: str, message: str, hint: str, why: str, example: str, severity: Severity = "error") -> Kind:
    return Kind(id_, name, severity, message, hint, why, example)


SPENT = _kind(
    "E1301",
    "split-spent",
    "split {split} may be read once, and its rows have been read ({how}): {first}",
    "{resume}score a new held-out split under a new version; what was read can stay as development (`was: heldout`)",
    "A held-out split tells something only the first time. After a look at its result, every change of the subject is "
    "tuned on it, so a second reading is refused whatever its name, protocol or version. Changed copies count, "
    "too: rows "
    "are recognised by digests and sketches of rows and texts, from a tenth of the smaller of both on. A reading "
    "counts from the moment before its first row is read, also if the run then failed. A run "
    "that was interrupted is no second reading when it goes on: resume it.",
    "`protoc run SPEC` twice, with `may: [score once]`",
)
USE = _kind(
    "E1302",
    "split-use-refused",
    "split {split} may not be read to {use}; it may be read to {may}",
    "let the phase read another split, or state the use under `may` before anything is sealed",
    "Each split has a closed list of uses. A use that is not listed is refused before the first row is read.",
    "`phases: [{phase: revise, reads: [heldout], use: tune}]` with `heldout: {may: [score once]}`",
)
BROKEN = _kind(
    "E1303",
    "registry-broken",
    "line {line} of the registry {path} does not hold: {reason}",
    "restore the registry from git; merge clones with `registry.jsonl merge=union` in .gitattributes, never by hand",
    "The registry shows every reading of every split, so its lines are chained by their digests. Two clones that were "
    "merged give a chain with branches, which is accepted; a line that was changed or removed is not.",
    "remove the first line of registry.jsonl, then `protoc splits`",
)
ROLE_BACK = _kind(
    "E1304",
    "role-goes-back",
    "split {split} is declared {role}, but its rows have been {before} ({how}): {first}",
    "declare the role that its rows have had, and hold out rows that nobody has worked with",
    "Rows that served development cannot become held-out again: what was learned from them is in the subject. Other "
    "roles go one way, too: confirmation may become confirmation only, calibration and blind only consumed.",
    "a split of role development whose rows another version declares as heldout",
)
ROLE_UNDECLARED = _kind(
    "E1305",
    "role-change-not-declared",
    "split {split} is declared {role}, but its rows were {before} ({how}): {first}",
    "add `was: {before}` to the split, so that readers of the protocol see it; where the rows are only much alike, "
    "make the splits differ before the held-out one is read",
    "A held-out split may become development once it is spent. The protocol says so itself, since the registry is not "
    "before the eyes of its reader.",
    "`v1: {role: development, may: [tune]}` for rows that were read as heldout, without `was: heldout`",
)
VOID_REFUSED = _kind(
    "E1306",
    "void-refused",
    "reading {reading} cannot be made void: {reason}",
    "score a new held-out split; the reading stays in the registry",
    "A reading may be taken back only where the infrastructure failed before any output was scored, with a reason and "
    "evidence that can be looked at. Otherwise somebody may have seen a result.",
    "make a reading void after a case has been scored",
)
DOUBLE = _kind(
    "E1307",
    "double-reading",
    "the rows of split {split} were read twice ({how}): {first}; and {second}",
    "only the first reading stands as a held-out result; say so wherever the second one is reported",
    "Two clones that did not know of each other can each read a split once. After their registries are merged both "
    "readings are there, and the later one is no longer a first look.",
    "run the same sealed protocol in two clones, merge, then `protoc splits --check`",
)
SAME_KEYS = _kind(
    "W1308",
    "same-keys-read",
    "the cases of split {split} have the same keys as rows with other content that were read before: {first}",
    "if these are the same cases with corrected labels, treat the split as spent",
    "The content of the rows differs, so they are not recognised as the same. Equal keys under another protocol are "
    "often the same cases after an edit.",
    "a second protocol over the same case ids with one label changed",
    "warning",
)
OPEN = _kind(
    "N1309",
    "reading-not-closed",
    "a reading of split {split} has no end: {first}",
    "finish the run with `protoc run SPEC --resume {run}`; until then the reading counts as one",
    "A reading is registered before its first row is read. A run that was interrupted has no verdict, but the rows may "
    "have been seen.",
    "kill a run while it scores, then `protoc splits --check`",
    "note",
)
NOT_WRITTEN = _kind(
    "E1310",
    "registry-not-written",
    "the registry {path} cannot be read or written: {reason}",
    "mend the permissions of the workspace, or free some space; nothing was read",
    "A split is read only after its reading is safely on the disk, so that no crash can hide it.",
    "`protoc run SPEC` in a read-only workspace",
)
UNKNOWN = _kind(
    "E1311",
    "no-such-reading",
    "the registry {path} has no open reading {reading}",
    "`protoc splits` lists the readings; one is closed or made void once",
    "A verdict is recorded for a reading that was announced before, and once only.",
    "close a reading a second time with another verdict",
)
CONFLICT = _kind(
    "E1312",
    "registry-conflict",
    "the registry {path} has marks of a merge conflict in line {lines}, and {read}",
    "keep the lines of both sides, none of them is wrong: `protoc splits --merge` takes the marks away and checks; "
    "`registry.jsonl merge=union` in .gitattributes lets git do that itself",
    "Two clones have each added lines. git sees a conflict in that, but the registry of both is the lines of both, in "
    "any order. If both have read a split that may be read once, this is where it shows.",
    "`git merge` of two clones that have each run something, without `registry.jsonl merge=union`",
)
SEVERAL_ENDS = _kind(
    "E1313",
    "several-verdicts",
    "run {run} has several verdicts: {ends}; {counts} counts",
    "`protoc verify` tells which of them the run's own receipt has; say why there is another wherever one is reported",
    "A run ends once. Where two clones have each written its end, or people have judged it in both, the merged "
    "registry has both. Of ends the first counts, of final verdicts of people the last, by the time of their lines.",
    "give the final verdict of one run in two clones, with other judgements, merge, then `protoc splits --check`",
)
TORN = _kind(
    "W1314",
    "registry-torn",
    "the last line of the registry {path} is cut off: {bytes} bytes of it are not read",
    "bring the registry back from git if a reading is missing; the next run removes what is left and records that",
    "A line is cut off where the machine stopped while it was written, or somebody has shortened the file. What a torn "
    "line told, here a reading or its end, nobody can know; so it is said wherever readings are listed.",
    "cut the last bytes of registry.jsonl off, then `protoc splits`",
    "warning",
)

KINDS: tuple[Kind, ...] = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
