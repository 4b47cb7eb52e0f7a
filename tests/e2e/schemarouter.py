"""The operation router in throw-away workspaces: its road walked once in this process, and rows for `score`."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import runpy
import shutil
import sys
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

from e2e.workspaces import ROOT, Workspace
from protoc_compiler.cli import main

SPEC = ROOT / "specs" / "schemarouter_operation_routing"
PLACE = "specs/schemarouter_operation_routing"
STAGES = ("sealed", "developed", "frozen", "surface", "confirmed", "calibrated", "finished")
Rows = dict[str, list[dict[str, Any]]]


def load(name: str) -> ModuleType:
    """A script of the example, as a module."""
    found = importlib.util.spec_from_file_location(f"schemarouter_{name}", SPEC / f"{name}.py")
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    sys.modules[found.name] = module
    found.loader.exec_module(module)
    return module


DEMO = load("demo")


class Road(DEMO.Road):  # type: ignore[name-defined, misc]
    """The demo's road, walked in this process and without its words."""

    def protoc(self, *words: str, expect: tuple[int, ...] = (0,)) -> int:
        code, out, err = protoc(self.folder, *words)
        assert code in expect, f"protoc {' '.join(words)}: {code}\n{out}\n{err}"
        return code

    def python(self, script: str, *words: str) -> None:
        before = sys.argv
        with contextlib.chdir(self.folder):
            sys.argv = [script, *words]
            try:
                with contextlib.suppress(SystemExit):
                    runpy.run_path(f"{PLACE}/{script}", run_name="__main__")
            finally:
                sys.argv = before


def protoc(folder: Path, *words: str) -> tuple[int, str, str]:
    """Exit status, output and diagnostics of one command in a workspace."""
    out, err = io.StringIO(), io.StringIO()
    with contextlib.chdir(folder):
        code = main(list(words), io.StringIO(), out, err)
    return code, out.getvalue(), err.getvalue()


def workspace(folder: Path) -> Road:
    """A new workspace with the example, committed."""
    ignored = shutil.ignore_patterns("seal.jsonl", "__pycache__", "candidate.freeze.json")
    shutil.copytree(SPEC, folder / PLACE, ignore=ignored)
    (folder / ".gitignore").write_text("runs/\n__pycache__/\n", encoding="utf-8")
    (folder / "protoc.toml").touch()
    git = Workspace(folder)
    git.git("init", "-q")
    git.commit("Write the protocol")
    return Road(folder)


def walk(folder: Path, keep: Path) -> Iterator[str]:
    """The whole road; a copy of the workspace at each stage stands under `keep`."""
    road = workspace(folder)
    for name, step in zip(STAGES, _steps(road), strict=True):
        step()
        shutil.copytree(folder, keep / name)
        yield name


def _steps(road: Road) -> Iterator[Any]:
    bundles: dict[str, str] = {}

    def seal() -> None:
        road.protoc("compile", PLACE)
        road.commit("Compile")
        road.protoc("seal", PLACE)
        road.commit("Seal")

    def develop() -> None:
        bundles["dev"] = road.run("dev", expect=1)

    def freeze() -> None:
        DEMO.freeze(road, bundles["dev"])

    def surface() -> None:
        shutil.copy(road.folder / PLACE / "confirmation" / "cases_fresh.jsonl", road.folder / PLACE / "data")
        road.seal("The fresh confirmation surface was written")

    def confirm() -> None:
        bundle = road.run("fresh")
        road.python("record.py", "fresh_confirmation", bundle)
        road.attest("fresh", "trackers", "ledger", "handover", "interpretation")

    def draw(split: str, number: str, seed: str) -> None:
        road.python("draw.py", split, number, seed, f"{PLACE}/data/cases_{split}.jsonl")
        road.seal(f"The {split} corpus was drawn")
        road.run(split)

    yield from (seal, develop, freeze, surface, confirm)
    yield lambda: draw("calibration", "900", "operation-routing calibration 198")
    yield lambda: draw("blind_final", "1800", "operation-routing blind-final 198")


# --- rows for `score` -------------------------------------------------------------------------------------------------


def perfect() -> Rows:
    """A development run in which everything is right."""
    lines = (SPEC / "data" / "cases_dev.jsonl").read_text(encoding="utf-8").splitlines()
    cases = [json.loads(line) | {"split": "dev"} for line in lines]
    return {
        "cases": cases,
        "decisions": [decision(case["case"], case["expected"]) for case in cases],
        "outcomes": [{"case": case["case"], "outcome": "scored", "wall": 0.01} for case in cases],
        "readings": [{"reading": "1", "split": "dev", "use": "tune", "run": "r1", "at": "2026-01-01T00:00:00Z"}],
        "audit": [],
        "seal": [{"files_match": True}],
        "this_run": [{"phase": "dev", "changed": None}],
        "manifest": [{
            "status": "frozen_dev", "targets_equal": True, "complete": True, "digests_valid": True, "valid": True,
            "threshold": 0.95,
        }],
        "developed": [{"verdict": None, "runs": 0}],
        "confirmed": [{"verdict": None, "at": None, "open_duties": 4}],
        "calibrated": [{"verdict": None, "at": None}],
    }  # fmt: skip


def decision(case: str, route: str | None, **about: Any) -> dict[str, Any]:
    """What a router says that is sure of a route, or of none."""
    made = {
        "case": case, "predicted": route, "supported_probability": 0.99 if route else 0, "winner_rejected": False,
        "selected": route, "granted_by": "registry" if route else "nobody", "authority_violation": False,
        "error": None,
    }  # fmt: skip
    return made | about


def of_slice(rows: Rows, name: str) -> list[str]:
    """The cases of a slice."""
    return [row["case"] for row in rows["cases"] if row["slice"] == name]


def decide(rows: Rows, case: str, **about: Any) -> None:
    """Change one decision."""
    (row,) = [row for row in rows["decisions"] if row["case"] == case]
    row |= about
