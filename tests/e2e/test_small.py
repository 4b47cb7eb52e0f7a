"""The whole road of a newcomer, with the real command: init, check, compile, seal, run, verify, why."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from e2e.workspaces import ROOT, Workspace, environment


def start(folder: Path, template: str) -> Workspace:
    command = [sys.executable, "-m", "protoc_compiler", "init", str(folder), "--template", template]
    done = subprocess.run(command, text=True, capture_output=True, env=environment())
    assert done.returncode == 0, done.stderr
    workspace = Workspace(folder)
    workspace.git("init", "-q", "-b", "main")
    (folder / ".gitignore").write_text("/runs/\n/registry.jsonl\n", encoding="utf-8")
    return workspace


@pytest.mark.parametrize(
    ("template", "spec", "verdict", "wrong"),
    [("python", "spam_filter", "PASS", "h5"), ("recorded", "review_tags", "PASS", "r5")],
)
def test_from_nothing_to_a_verified_verdict(tmp_path, template, spec, verdict, wrong):
    workspace = start(tmp_path / "new", template)
    folder = f"specs/{spec}"
    assert workspace.protoc("check", "--strict", folder) == ""
    assert workspace.protoc("fmt", "--check", folder) == ""
    workspace.protoc("compile", folder)
    workspace.protoc("compile", folder, "--check")
    workspace.commit("Write the protocol")
    workspace.protoc("seal", folder)
    workspace.commit("Seal the protocol")
    printed = workspace.protoc("run", folder)
    assert f"verdict: {verdict} (released)" in printed
    (bundle,) = workspace.bundles()
    assert f"bundle: {bundle.relative_to(workspace.folder)}" in printed
    receipt = (bundle / "RECEIPT.md").read_text(encoding="utf-8")
    assert receipt.startswith(f"# {verdict}: ")
    assert "which holds every sealed file as it was sealed" in receipt
    assert f"verdict {verdict}" in workspace.protoc("verify", str(bundle))
    alone = subprocess.run([sys.executable, "-I", "verify.py"], cwd=bundle, capture_output=True, text=True)
    assert alone.returncode == 0, alone.stdout + alone.stderr
    assert f"lists wrong: {wrong}, without it (none)" in workspace.protoc("why", str(bundle), wrong)
    assert bundle.name in workspace.protoc("runs")


def test_a_bundle_has_what_it_says(tmp_path):
    workspace = start(tmp_path / "new", "python")
    workspace.protoc("compile", "specs/spam_filter")
    workspace.protoc("seal", "specs/spam_filter")
    workspace.protoc("run", "specs/spam_filter")
    (bundle,) = workspace.bundles()
    assert {path.name for path in bundle.iterdir()} == {
        *("RECEIPT.md", "receipt.json", "manifest.json", "summary.json", "cases.jsonl", "ledger.jsonl", "seal.json"),
        *("digests.json", "verify.py", "rows", "spec", "package", "logs"),
    }
    manifest = json.loads((bundle / "manifest.json").read_text(encoding="utf-8"))
    there = {path.relative_to(bundle).as_posix() for path in bundle.rglob("*") if path.is_file()}
    assert set(manifest["files"]) == there - {"manifest.json", "receipt.json", "RECEIPT.md"}
    assert not list(bundle.rglob("__pycache__"))
    spec = workspace.folder / "specs" / "spam_filter"
    assert (bundle / "spec" / "protocol.yaml").read_bytes() == (spec / "protocol.yaml").read_bytes()
    assert not list(spec.rglob("__pycache__"))
    assert str(ROOT) not in (bundle / "receipt.json").read_text(encoding="utf-8")
