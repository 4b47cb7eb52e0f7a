"""The report of a comparison: JSON for programs, a page for people, and the identity of a runtime that passes."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

from protoc_runtime.canonical import digest_json, write_atomic
from protoc_runtime.catalogue import manifests as kinds
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.manifests.meaning import written
from protoc_runtime.parity.comparing import Check, Compared
from protoc_runtime.parity.records import Parity
from protoc_runtime.parity.rows import SHOWN, Side

FORMAT = "protoc/parity/1"
SAME, DIFFERENT = "SAME", "DIFFERENT"
_DIGITS = 12


def report(
    protocol: Mapping[str, Any], parity: Parity, sides: Mapping[str, Side], compared: Compared, manifest: str = ""
) -> dict[str, Any]:
    """The report as JSON. `protocol` has id, version and spec_digest; `manifest` is the digest of the candidate's own
    freeze manifest, where it has one."""
    files = {
        name: {"file": side.path, "sha256": side.sha256, "rows": side.frame.height} for name, side in sides.items()
    }
    made = {
        "schema": FORMAT,
        "protocol": dict(protocol),
        "verdict": SAME if compared.holds else DIFFERENT,
        **files,
        "columns": {name: getattr(parity, name) for name in ("id", "route", "score", "error", "violation")},
        "threshold": _number(parity.threshold),
        "compared": compared.compared,
        "checks": {check.name: _check(check) for check in compared.checks},
        "drift": {name: _number(value) for name, value in compared.drift.items()},
        "boundary_margin": {name: _number(value) for name, value in compared.margin.items()},
    }
    return made | {"runtime": _runtime(made, manifest)} if compared.holds else made


def _runtime(made: Mapping[str, Any], manifest: str) -> dict[str, Any]:
    """Who the optimised runtime is: it is no longer the reference, and nothing but its decisions has been compared."""
    about = {
        "protocol": made["protocol"]["spec_digest"],
        "reference": made["reference"]["sha256"],
        "candidate": made["candidate"]["sha256"],
        "manifest": manifest,
    }
    return {"identity": "sha256:" + digest_json(about), "manifest": manifest or None, "confirmed": False}


def _check(check: Check) -> dict[str, Any]:
    shown = {"left_out": check.broken - len(check.cases)} if check.broken > len(check.cases) else {}
    about = {"holds": check.holds, "says": check.says, "broken": check.broken, "cites": list(check.cites)}
    return {**about, "cases": [dict(case) for case in check.cases], **shown}


def write(path: Path, made: Mapping[str, Any]) -> Path:
    """Write the report and its page beside it, before anything else is done with the result; the page's path.

    Raises `Refused` (E2144) where one of them exists already, and OSError.
    """
    page = path.with_name(path.name + ".md") if path.suffix == ".md" else path.with_suffix(".md")
    for each in (path, page):
        if each.exists():
            raise Refused([Findings().add(kinds.REPORT_EXISTS, None, path=each)])
    for each, text in ((path, written(made) + "\n"), (page, render(made))):  # half of a character stands as its escape
        write_atomic(each, text.encode(errors="backslashreplace"), overwrite=False)
    return page


def render(made: Mapping[str, Any]) -> str:
    """The report as a page."""
    from protoc_runtime.visible import visible

    lines = [f"# Parity of two runtimes: {made['verdict']}", ""]
    protocol = made["protocol"]
    lines += [f"Protocol {protocol['id']} version {protocol['version']}, {protocol['spec_digest']}.", ""]
    lines += ["| runtime | file | rows | SHA-256 |", "|---|---|---|---|"]
    for name in ("reference", "candidate"):
        side = made[name]
        lines.append(f"| {name} | {_cell(side['file'])} | {side['rows']} | `{side['sha256']}` |")
    lines += ["", "| check | holds | broken by | words | rules |", "|---|---|---|---|---|"]
    for name, check in made["checks"].items():
        holds = "yes" if check["holds"] else "**no**"
        lines.append(f"| {name} | {holds} | {check['broken']} | {_cell(check['says'])} | {', '.join(check['cites'])} |")
    for title, key in (
        ("Drift of the score", "drift"),
        ("Distance of the reference from the threshold", "boundary_margin"),
    ):
        values = ", ".join(f"{name} {_shown(value)}" for name, value in made[key].items())
        lines += ["", f"{title}: {values}."]
    lines += ["", *_ending(made)]
    for name, check in made["checks"].items():
        if check["cases"]:
            lines += ["", f"## {name}", "", *(f"- {visible(_case(case))}" for case in check["cases"][:SHOWN])]
    return "\n".join(lines) + "\n"


def _ending(made: Mapping[str, Any]) -> list[str]:
    if made["verdict"] == SAME:
        return [
            f"The candidate is the runtime `{made['runtime']['identity']}`. It decides as the reference does on these "
            "rows. It needs a confirmation of its own before it is used any further."
        ]
    return ["The candidate is semantically different. It is no optimised runtime of the frozen candidate."]


def _case(case: Mapping[str, Any]) -> str:
    return ", ".join(f"{name} {'none' if value is None else value}" for name, value in case.items())


def _cell(text: str) -> str:
    return text.replace("|", "\\|").replace("\n", " ")


def _shown(value: Any) -> str:
    return "undefined" if value is None else f"{value:f}"


def _number(value: Fraction | None) -> Any:
    """An exact decimal, or twelve digits of what is none."""
    if value is None:
        return None
    from decimal import Decimal, localcontext

    from protoc_runtime.reading.decimals import decimal_text

    text = decimal_text(value)
    if "/" not in text:
        return Decimal(text)
    with localcontext() as context:
        context.prec = _DIGITS
        return Decimal(value.numerator) / Decimal(value.denominator)
