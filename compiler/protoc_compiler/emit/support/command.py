"""The command line: verify a bundle, or score a folder of rows."""

from __future__ import annotations

import argparse
import json
import sys
import threading
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

from protoc_compiler.emit.support.bundle import (
    Findings,
    check_ledger,
    check_manifest,
    check_protocol,
    check_receipt,
    guarded,
    load,
    sealed_digests,
)
from protoc_compiler.emit.support.custom import RUN_CUSTOM, STATED, TAKEN
from protoc_compiler.emit.support.items import entries, value
from protoc_compiler.emit.support.reading import read_rows
from protoc_compiler.emit.support.results import SPACES, fill, results
from protoc_compiler.emit.support.rows import PROTOCOL
from protoc_compiler.emit.support.stages import check_copies, check_stages, judged_tables, late_copies, stage_files
from protoc_compiler.emit.support.values import Unworkable


class About(NamedTuple):
    """The protocol that this file was made from. `formulas` tells each rule as its author wrote it."""

    protocol: str
    version: int
    digest: str
    released: tuple[str, ...]
    formulas: dict[tuple[str, str], str]
    copies: tuple[tuple[str, str], ...] = ()  # names that the protocol asks for, and what each is a copy of


def expectations(dues: tuple[str, ...] = ("inputs", "asked", "judged")) -> list[str]:
    """What the protocol expects of its rows, and is not so, of the expectations whose rows are there by then."""
    broken = []
    for (space, name), item in PROTOCOL.items.items():
        for keys in entries(space, name) if space == "expect" and item.due in dues else ():
            if value(space, name, *keys) is not True:
                broken.append(f"expectation {fill(name, keys)}: it does not hold of the rows")
    return broken


def due(summary: Any) -> tuple[str, ...]:
    """Which expectations a bundle is held to. Of fewer splits than there are, the seal has checked the inputs; made-up
    rows are held to none, and a run to tune on need not have the answers that count."""
    if rehearsed(summary):
        return ()
    if not (isinstance(summary, dict) and summary.get("narrowed") is True):
        return ("inputs", "asked")
    return ("asked",) if summary.get("kind") == "run" and summary.get("splits") else ()


def rehearsed(summary: Any) -> bool:
    """Whether a bundle says of itself that its rows are made up; such a one releases nothing."""
    return isinstance(summary, dict) and summary.get("kind") == "rehearsal"


def compare(stated: Any, computed: dict[str, Any], about: About, findings: Findings) -> None:
    """The results that the bundle states against those computed from its rows, key by key."""
    if not isinstance(stated, dict):
        findings.expect(stated is None, "summary.json is not an object")
        return
    same = stated.get("pending") == computed.get("pending")
    findings.expect(same, "summary.json: what waits for people is not what the protocol says")
    for space in SPACES:
        theirs, ours = stated.get(space, {}), computed[space]
        if not isinstance(theirs, dict):
            findings.broken.append(f"summary.json: {space} is not an object")
            continue
        for name in sorted(theirs.keys() | ours.keys()):
            if name not in theirs or name not in ours or not alike(theirs[name], ours[name]):
                said = printed(theirs[name]) if name in theirs else "nothing"
                made = printed(ours[name]) if name in ours else "nothing of this name"
                rule = about.formulas.get((space, name), "")
                because = f" [{rule}]" if rule else ""
                findings.broken.append(f"{space} {name}: summary.json says {said}, the rows give {made}{because}")
    counts_as_run = stated.get("kind", "run") == "run"  # a rehearsal, or a run to tune on, releases nothing
    blocked = stated.get("blocked")  # by what the secret scan found: then the rules' own verdict stands in it
    verdict = blocked.get("verdict") if isinstance(blocked, dict) else stated.get("verdict")
    counts = counts_as_run and blocked is None
    released_too = computed["released"] and counts
    pairs = {"verdict": (verdict, computed["verdict"]), "released": (stated.get("released"), released_too)}
    for key, (there, due) in pairs.items():
        findings.expect(there == due, f"{key}: summary.json says {printed(there)}, the rows give {printed(due)}")
    released = "released" if released_too else "not released"
    findings.recomputed.append(f"verdict {computed['verdict'] or 'none'}, {released}")
    if blocked is not None:
        findings.expect(stated.get("verdict") == "BLOCKED", "summary.json: what is blocked has another verdict")
        findings.recomputed.append("the secret scan has blocked this verdict; it cannot release anything")
    if not counts_as_run:
        findings.recomputed.append(f"this is no run that counts but a {stated.get('kind')}; it cannot release anything")
    number = sum(len(computed[space]) for space in SPACES)
    findings.checked.append(f"{number} metrics, rules, sub-verdicts and lists, and the verdict, recomputed from rows")


def alike(theirs: Any, ours: Any) -> bool:
    """Whether two results say the same: rationals by value, reals by their decimals."""
    if isinstance(theirs, dict) and isinstance(ours, dict):
        if "num" in theirs and "num" in ours:
            same_unit = theirs.get("unit", "") == ours.get("unit", "")
            return same_unit and rational(theirs) == rational(ours)
        if "float" in theirs and "float" in ours:
            return bool(theirs["float"] == ours["float"])
    if isinstance(theirs, list) and isinstance(ours, list):
        return len(theirs) == len(ours) and all(map(alike, theirs, ours))
    return type(theirs) is type(ours) and bool(theirs == ours)


def rational(stated: dict[str, Any]) -> Fraction | None:
    """The value of `{"num", "den"}`, None where it has none."""
    try:
        return Fraction(int(stated["num"]), int(stated["den"]))
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None


def printed(result: Any) -> str:
    """A result for a message."""
    if isinstance(result, dict) and "num" in result:
        return f"{result['num']}/{result.get('den')} {result.get('unit', '')}".strip()
    return json.dumps(result, ensure_ascii=False, default=str)


def verify(folder: Path, about: About) -> Findings:
    """All checks of a bundle."""
    findings = Findings()
    outside = late_copies(dict(about.copies)) | stage_files(folder)
    guarded(lambda: check_manifest(folder, findings, outside), findings)
    guarded(lambda: check_copies(folder, dict(about.copies), findings), findings)
    ledger = guarded(lambda: check_ledger(folder, findings), findings)
    predicate = guarded(lambda: check_receipt(folder, findings, ledger), findings) or {}
    summary = load(folder, "summary.json", findings)
    guarded(lambda: check_protocol(folder, findings, about.digest, summary, predicate), findings)
    guarded(lambda: recompute(folder, about, summary, findings), findings)
    guarded(lambda: check_restated(predicate, summary, findings), findings)
    guarded(lambda: check_stages(folder, dict(about.copies), findings), findings)
    if judged_tables() and (folder / "verdict").is_dir():
        guarded(lambda: recompute_final(folder, about, summary, findings), findings)
    findings.open.append(
        "whether the subject really gave these answers: the rows are what was recorded; `protoc verify` compares them "
        "with the answers in the ledger"
    )
    return findings


def check_restated(predicate: dict[str, Any], summary: Any, findings: Findings) -> None:
    """What the receipt repeats of the results is what they are."""
    results_there = predicate.get("results", {})
    for key, said in {**{k: predicate[k] for k in ("verdict", "released") if k in predicate}, **results_there}.items():
        same = isinstance(summary, dict) and (said == summary.get(key) or "blocked" in summary)
        findings.expect(same, f"receipt.json: its {key} is not that of summary.json")


def recompute(folder: Path, about: About, summary: Any, findings: Findings) -> None:
    """Read the rows, apply the protocol, compare."""
    if isinstance(summary, dict) and isinstance(summary.get("metrics"), dict):
        STATED.update(summary["metrics"])
    faults = read_rows(folder / "rows", sealed_digests(folder, findings, made_up=rehearsed(summary)))
    findings.broken += faults
    if not faults:
        findings.checked.append(f"{sum(map(len, PROTOCOL.read.values()))} rows against their declarations")
        findings.broken += expectations(due(summary))
        compare(summary, results(*about[:4]), about, findings)
        findings.open += [
            f"whether the metric {name} is right: it is a function of the author's, and its value is that of "
            "summary.json; --custom runs the function"
            for name in dict.fromkeys(TAKEN)
        ]


def recompute_final(folder: Path, about: About, before: Any, findings: Findings) -> None:
    """Apply the protocol to the rows of the run and to what people told; what did not wait for them is what it was."""
    final = load(folder / "verdict", "summary.json", findings)
    faults = read_rows(
        folder / "rows",
        sealed_digests(folder, findings, made_up=rehearsed(before)),
        folder / "adjudication" / "rows",
    )
    findings.broken += faults
    if faults or not isinstance(final, dict):
        return
    if isinstance(final.get("metrics"), dict):
        STATED.update(final["metrics"])
    findings.broken += expectations(("judged",)) if "asked" in due(before) else []
    compare(final, results(*about[:4]), about, findings)
    waiting = before.get("pending", {}) if isinstance(before, dict) else {}
    for space in SPACES:
        for name, value_before in before.get(space, {}).items() if isinstance(before, dict) else ():
            if name not in waiting.get(space, ()):
                same = final.get(space, {}).get(name) == value_before
                findings.expect(same, f"{space} {name}: settled before anybody judged, and another value in verdict/")
    stated = load(folder / "verdict", "receipt.json", findings)
    check_restated(stated.get("predicate", {}) if isinstance(stated, dict) else {}, final, findings)


def report(findings: Findings) -> int:
    """Say what does not hold, before any result that one could take for it, what was checked, and what is not shown."""
    for place, words in enumerate(findings.broken):
        print(f"{'DOES NOT HOLD' if place == 0 else 'nor'}: {visible(words)}")
    for words in findings.checked:
        print(f"checked: {visible(words)}")
    for words in findings.recomputed:
        print(f"recomputed: {visible(words)}")
    for words in findings.open:
        print(f"cannot tell: {visible(words)}")
    print("the bundle does not hold" if findings.broken else "the bundle holds")
    return 1 if findings.broken else 0


def visible(words: str) -> str:
    """Words that cannot move the cursor of a terminal or hide their direction."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in words)


def score(folder: Path, about: About, as_json: bool) -> int:
    """Apply the protocol to a folder of rows and print the results."""
    faults = read_rows(folder)
    if faults:
        print(*(f"error: {visible(words)}" for words in faults), sep="\n", file=sys.stderr)
        return 1
    told = all(PROTOCOL.read.get(name) for name in judged_tables())
    for words in expectations() if told else expectations(("inputs", "asked")):
        print(f"warning: {words}", file=sys.stderr)
    found = results(*about[:4])
    if as_json:
        print(json.dumps(found, ensure_ascii=False, indent=1))
    else:
        for space in SPACES:
            for name, result in found[space].items():
                print(visible(f"{space} {name}: {printed(result)}"))
        print(f"verdict: {found['verdict'] or 'none'}, {'released' if found['released'] else 'not released'}")
        for words in found["reasons"] if found["verdict"] is None else ():
            print(visible(f"  {words}"))
    return 0 if found["released"] else 1


def command(arguments: list[str], about: About) -> int:
    """What the arguments ask for; the exit status: 0 it holds, 1 it does not, 2 this could not work."""
    parser = argparse.ArgumentParser(
        prog="verify.py",
        description="Recompute a bundle of results from its rows, with Python alone. "
        "Exit status: 0 everything holds, 1 something does not, 2 it could not be checked.",
    )
    parser.add_argument("bundle", nargs="?", help="the folder of the bundle (default: the one that holds this file)")
    parser.add_argument("--data", metavar="DIR", help="score the rows of a folder instead: TABLE.jsonl or TABLE.csv")
    parser.add_argument("--json", action="store_true", help="with --data: print the results as JSON")
    parser.add_argument("--custom", action="store_true", help="run the author's functions (custom metrics), too")
    asked = parser.parse_args(arguments)
    RUN_CUSTOM[0] = asked.custom
    if asked.json and not asked.data:
        parser.error("--json has no effect without --data")
    own = Path(__file__).resolve().parent
    folder = Path(asked.data or asked.bundle or own)
    if not folder.is_dir():
        print(f"error: {folder} is not a folder", file=sys.stderr)
        return 2
    if not (asked.data or asked.bundle or _is_bundle(own)):
        print("error: this file lies in no bundle: name the folder of a finished run", file=sys.stderr)
        return 2
    try:
        return score(folder, about, asked.json) if asked.data else report(verify(folder, about))
    except (Unworkable, OSError, ValueError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2


def _is_bundle(folder: Path) -> bool:
    return any((folder / name).exists() for name in ("manifest.json", "summary.json", "rows"))


def main(about: About) -> int:
    """Run with a deep stack: a value may be defined through many others."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="backslashreplace")
    if hasattr(sys, "set_int_max_str_digits"):
        sys.set_int_max_str_digits(0)
    status = [2]
    sys.setrecursionlimit(100_000)
    threading.stack_size(256 * 2**20)
    thread = threading.Thread(target=lambda: status.__setitem__(0, command(sys.argv[1:], about)))
    thread.start()
    thread.join()
    return status[0]
