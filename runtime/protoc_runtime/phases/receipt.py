"""What a receipt tells of its phase: how it was entered, what it preserves, what people have to do after it.

`entered` comes from the ledger alone, `phase_part` from the receipt's own fields, so both can be made again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from protoc_runtime.chain import Line
from protoc_runtime.declared import Declared
from protoc_runtime.observed import family
from protoc_runtime.phases.entries import Entry, counting
from protoc_runtime.phases.machine import phase_of, waiting_names
from protoc_runtime.phases.records import Preserved
from protoc_runtime.plan import Plan
from protoc_runtime.rendering_words import escape
from protoc_runtime.verdict_words import spoken

ENTERED = "phase_entered"
NOBODY = "nobody has attested it"
Told = tuple[bool, str]


def event_of(made: Plan) -> dict[str, Any]:
    """The ledger's event of entering a phase: along which edge, on what evidence, with which corpus and code."""
    from protoc_runtime.phases.allowed import led_by
    from protoc_runtime.phases.parity import entry_of

    phase = phase_of(made.declared, made.phase)
    led = led_by(made.declared, made.history, made.phase)
    sealed = {split.name: split for split in made.seals[-1].pins.splits} if made.seals else {}
    read = [sealed[name] for name in phase.reads if name in sealed]
    code = {pin.path: pin.sha256 for pin in made.pins.code}
    before = dict(led.code) if led else {}
    guard = made.guards.get(made.phase)
    return {
        "phase": made.phase,
        "led": _run(led) if led else None,
        "guard": {"formula": guard.text, "values": guard.values} if guard else None,
        "changed": sorted(path for path in {*code, *before} if led and code.get(path) != before.get(path)),
        "corpus": {split.name: {"rows": split.rows, "content": split.content} for split in read},
        "code": code,
        "earlier": list(_earlier(made.declared, made.history)),
        **entry_of(made),
    }


def _run(entry: Entry) -> dict[str, Any]:
    about = {"phase": entry.phase, "run": entry.run, "ended": entry.ended, "verdict": entry.verdict}
    return {**about, "evidence": entry.evidence}


def _earlier(declared: Declared, history: Iterable[Entry]) -> Iterator[dict[str, Any]]:
    """Every earlier phase with its last run, and what people have done after it."""
    known = list(history)
    for phase in declared.phases:
        last = counting(known, phase.name)
        if last is not None:
            done = dict(last.done)
            runs = sum(entry.phase == phase.name for entry in known)
            yield {
                **_run(last),
                "runs": runs,
                "done": done,
                "open": [name for name in waiting_names(phase) if name not in done],
            }


def entered(declared: Declared, events: Iterable[Line]) -> dict[str, Any] | None:
    """The event of entering the phase, as a ledger has it; None where the phases make no machine."""
    if not any(phase.then or phase.once or phase.ends or phase.enter for phase in declared.phases):
        return None
    found = next((event.body for event in events if event.kind == ENTERED), None)
    return None if found is None else {name: value for name, value in found.items() if name not in ("at", "wall")}


def phase_rows(declared: Declared, events: Iterable[Line]) -> dict[str, list[dict[str, Any]]]:
    """The rows of records `from: phase X`, as the event of entering tells them."""
    way = entered(declared, events)
    if way is None:
        return {}
    known = {each["phase"]: each for each in way["earlier"]}
    made = {}
    for table in declared.tables:
        kind, name = family(table.source)
        if kind == "phase":
            row = _row(known[name]) if name in known else _absent(declared, name)
            made[table.name] = [{column.name: row[column.name] for column in table.stored}]
    return made


def _row(told: Mapping[str, Any]) -> dict[str, Any]:
    about = {"verdict": told["verdict"] or None, "run": told["run"], "at": told["ended"] or None}
    return {**about, "runs": told["runs"], "open_duties": len(told["open"])}


def _absent(declared: Declared, name: str) -> dict[str, Any]:
    waiting = len(waiting_names(phase_of(declared, name)))
    return {"verdict": None, "run": None, "at": None, "runs": 0, "open_duties": waiting}


def guard_holds(declared: Declared, events: Iterable[Line], study: Any) -> bool:
    """Whether the guard of the phase that was entered is true of the rows of a bundle; also where there is none."""
    way = entered(declared, events)
    guard = phase_of(declared, way["phase"]).enter if way is not None else ""
    return not guard or study.definition(guard).values() == [True]


def phase_part(declared: Declared, predicate: Mapping[str, Any]) -> dict[str, Any]:
    """The part `phase` of a receipt that has everything else."""
    phase = phase_of(declared, predicate["entered"]["phase"])
    return {
        "name": phase.name,
        "owner": phase.owner,
        "may_change": list(phase.may_change),
        "never": list(phase.never),
        "then": {verdict: list(to) for verdict, to in phase.then},
        "records": [_preserved(declared, predicate, item) for item in phase.records],
        "duties": [_duty(duty.name, duty.says) for duty in phase.duties],
    }


def _preserved(declared: Declared, predicate: Mapping[str, Any], item: Preserved) -> dict[str, Any]:
    if item.says:
        return _duty(item.name, item.says)
    there, value = _EVIDENCE[item.name](declared, predicate)
    return {"name": item.name, "says": value, "there": there, "grade": "recorded"}


def _duty(name: str, says: str) -> dict[str, Any]:
    return {"name": name, "says": says, "there": False, "grade": "attested"}


def lacking(made: Plan, name: str) -> tuple[str, ...]:
    """The evidence of the phase of a run that the tool itself should have and has not, before its rules are applied.

    That the rules give metrics, and a verdict, is known from the protocol.
    """
    from protoc_runtime.phases.machine import is_machine

    if not made.phase or not is_machine(made.declared) or not made.seals:
        return ()
    seal, metrics = made.seals[-1], {item.name: None for item in made.declared.of("metrics")}
    known = {
        "seals": [{"commit": seal.commit, "clean": seal.clean}],
        "entered": event_of(made),
        "run": {"name": name, "splits": made.splits},
        "results": {"metrics": metrics},
        "manifest": "written last",
        "environment": {},
        "counters": {},
        "verdict": "given by the rules",
    }
    items = [_preserved(made.declared, known, item) for item in phase_of(made.declared, made.phase).records]
    return tuple(item["name"] for item in items if item["grade"] == "recorded" and not item["there"])


def _source(_: Declared, predicate: Mapping[str, Any]) -> Told:
    seal = predicate["seals"][-1] if predicate["seals"] else {}
    if not seal.get("commit"):
        return False, "the seal names no commit"
    held = "which holds every sealed file" if seal["clean"] else "which does not hold every sealed file"
    return bool(seal["clean"]), f"commit {seal['commit']}, {held}"


def _corpus(_: Declared, predicate: Mapping[str, Any]) -> Told:
    corpus = predicate["entered"]["corpus"]
    told = [f"{split}: {rows['rows']} cases, {rows['content']}" for split, rows in corpus.items()]
    return bool(told), "; ".join(told) or "no split of it is sealed"


def _seed(declared: Declared, predicate: Mapping[str, Any]) -> Told:
    own = [f"{split}_seed" for split in predicate["run"]["splits"]]
    named = [item for item in declared.freeze if item.name in own]
    some = named or [item for item in declared.freeze if item.name == "seed" or item.name.endswith("_seed")]
    told = [f"{item.name}: {item.value}" for item in some if item.value is not None]
    return bool(told), "; ".join(told) or "no frozen value is a seed"


def _artifact(_: Declared, predicate: Mapping[str, Any]) -> Told:
    return bool(predicate["manifest"]), f"manifest.json, sha256:{predicate['manifest']}"


def _subject(_: Declared, predicate: Mapping[str, Any]) -> Told:
    code = predicate["entered"]["code"]
    return bool(code), "; ".join(f"{path} sha256:{digest}" for path, digest in code.items()) or "nothing is pinned"


def _environment(_: Declared, predicate: Mapping[str, Any]) -> Told:
    return True, ", ".join(f"{name} {value}" for name, value in predicate["environment"].items())


def _metrics(_: Declared, predicate: Mapping[str, Any]) -> Told:
    known = predicate["results"].get("metrics", {})
    undefined = [name for name, value in known.items() if value is None]
    lack = f", of which {', '.join(undefined)} undefined" if undefined else ""
    return bool(known), f"{len(known)} metrics{lack}"


def _slices(declared: Declared, predicate: Mapping[str, Any]) -> Told:
    grouped = {item.name.partition("<")[0].rstrip(".") for item in declared.of("metrics") if item.per}
    known = predicate["results"].get("metrics", {})
    found = [name for name in known if any(name.startswith(f"{stem}.") for stem in grouped)]
    return bool(found), ", ".join(found) or "no metric is told by slices"


def _counters(_: Declared, predicate: Mapping[str, Any]) -> Told:
    return True, ", ".join(f"{name} {number}" for name, number in predicate["counters"].items())


_EVIDENCE: dict[str, Callable[[Declared, Mapping[str, Any]], Told]] = {
    "source revision": _source,
    "corpus": _corpus,
    "seed": _seed,
    "run": lambda _, predicate: (True, str(predicate["run"]["name"])),
    "artifact": _artifact,
    "subject": _subject,
    "environment": _environment,
    "metrics": _metrics,
    "slices": _slices,
    "counters": _counters,
    "verdict": lambda _, predicate: (predicate["verdict"] is not None, spoken(predicate["verdict"])),
}


def phase_page(receipt: Mapping[str, Any]) -> Iterator[str]:
    """The lines of `RECEIPT.md` about the phase."""
    if "phase" not in receipt:
        return
    phase, way = receipt["phase"], receipt["entered"]
    owner = f", owned by {escape(phase['owner'])}" if phase["owner"] else ""
    yield from (f"## The phase {escape(phase['name'])}{owner}", "", *_way(way), "")
    if phase["may_change"]:
        changed = ", ".join(map(escape, way["changed"])) or "nothing"
        yield from (f"Only {', '.join(map(escape, phase['may_change']))} may change here; changed has {changed}.", "")
    if phase["never"]:
        yield from ("What must never be done here (attested: only people can vouch for it):", "")
        yield from (*(f"- {escape(words)}" for words in phase["never"]), "")
    for title, items in (("What is preserved", phase["records"]), ("What people do now", phase["duties"])):
        if items:
            yield from (f"{title}:", "", *map(_line, items), "")
    yield from _before(way["earlier"])


def _way(way: Mapping[str, Any]) -> Iterator[str]:
    led, guard = way["led"], way["guard"]
    if led is None:
        yield "The study may begin with it."
    else:
        yield (
            f"Entered from {escape(led['phase'])}, which run `{led['run']}` had ended with {escape(led['verdict'])} at "
            f"{led['ended']} (recorded: {escape(led['evidence'])})."
        )
    if guard is not None:
        yield f"Its guard was true: {escape(guard['formula'])} ({escape(guard['values'])})."
    if "parity" in way:
        report = way["parity"]
        yield (
            f"The report of parity {escape(report['file'])} (`{report['sha256']}`) has passed: what is run here is the "
            f"optimised runtime `{report['runtime']}`."
        )


def _line(item: Mapping[str, Any]) -> str:
    mark = "x" if item["there"] else " "
    grade = item["grade"] if item["grade"] == "recorded" else f"attested: {NOBODY}"
    return f"- [{mark}] {escape(item['name'])}: {escape(item['says'])} ({grade})"


def _before(earlier: list[Mapping[str, Any]]) -> Iterator[str]:
    if not earlier:
        return
    yield from (
        "Phases before:",
        "",
        "| phase | verdict | ended | done after it | still open |",
        "|---|---|---|---|---|",
    )
    for each in earlier:
        done = ", ".join(f"{escape(name)} ({escape(person)})" for name, person in each["done"].items())
        cells = (escape(each["phase"]), escape(each["verdict"] or "none"), each["ended"] or "not ended", done or "-")
        yield f"| {' | '.join(cells)} | {', '.join(map(escape, each['open'])) or '-'} |"
    yield ""
