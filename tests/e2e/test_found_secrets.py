"""What looks like a credential blocks a run that does not speak of it, at every place where it can turn up."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from e2e import judged
from protoc_runtime import securing
from protoc_runtime.main import run_package
from protoc_runtime.rendering import render
from unit.projects import Project, ids, new_project, read_json

KEY = "sk-" + "a1B2c3D4" * 4  # has the form of one, and is none
PROVIDER = """  providers:
    model:
      request: POST /v1/chat/completions
      base_url: env MODEL_URL
      credential: env MODEL_KEY
      forbidden: false
  subject:"""


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A compiled project whose protocol says nothing of secrets."""
    made = new_project(tmp_path / "project")
    assert "secret scan" not in (made.spec / "protocol.yaml").read_text()
    return made


def ran(project: Project, *arguments: str) -> tuple[Path, dict[str, Any], dict[str, Any]]:
    """The bundle, summary and predicate of a run that is not released."""
    project.compile()
    project.seal()
    bundle = project.run(*arguments, status=1)
    assert bundle is not None
    return bundle, read_json(bundle / "summary.json"), read_json(bundle / "receipt.json")["predicate"]


def own(bundle: Path) -> subprocess.CompletedProcess[str]:
    """The bundle's own verifier."""
    return subprocess.run([sys.executable, "-I", "verify.py"], cwd=bundle, text=True, capture_output=True, timeout=120)


def test_a_key_in_the_rows_blocks_a_verdict_that_would_be_released(project):
    project.edit("messages.jsonl", "Thank you for", f"Thank you {KEY} for")
    bundle, summary, predicate = ran(project)
    assert (summary["verdict"], summary["released"], summary["blocked"]["verdict"]) == ("BLOCKED", False, "PASS")
    assert summary["blocked"]["because"] == "2 places look like a credential, the first in cases.jsonl, line 4"
    assert predicate["verdict"] == "BLOCKED"
    assert {found["rule"] for found in predicate["secrets"]} == {"provider key"}
    assert KEY not in (bundle / "receipt.json").read_text() + (bundle / "RECEIPT.md").read_text()
    page = (bundle / "RECEIPT.md").read_text()
    assert "not released: what the secret scan found blocks it" in page
    assert "The rules give PASS, which does not count." in page
    project.protoc("verify", bundle)
    assert not [name for name in ids(project) if name.startswith("E")]
    done = own(bundle)
    assert done.returncode == 0, done.stdout
    assert "the secret scan has blocked this verdict" in done.stdout


def test_the_terminal_names_the_reason(project):
    project.edit("messages.jsonl", "Thank you for", f"Thank you {KEY} for")
    project.compile()
    project.seal()
    said = project.protoc("run", project.spec, status=1)
    assert "verdict: BLOCKED (not released)" in said
    assert "  secret scan: " in said
    assert "look like a credential, the first in cases.jsonl, line 4" in said
    assert "the rules give PASS" in said


def test_a_verdict_cannot_be_made_released_by_hand(project):
    project.edit("messages.jsonl", "Thank you for", f"Thank you {KEY} for")
    bundle, summary, _ = ran(project)
    for change in ({"released": True}, {"verdict": "PASS"}, {"blocked": {"verdict": "FAIL", "because": "x"}}):
        (bundle / "summary.json").write_text(json.dumps({**summary, **change}, indent=2) + "\n")
        assert own(bundle).returncode == 1


def test_what_only_the_receipt_shows_is_left_out_of_it(project):
    """Who confirmed something stands nowhere but in ledger and receipt; a key there closes the run as blocked."""
    project.edit("protocol.yaml", "\nlimits:", "\nattestations: {blind: Nobody had seen the rows.}\n\nlimits:")
    bundle, summary, predicate = ran(project, "--attest", f"blind=Ada {KEY}")
    assert (summary["verdict"], predicate["verdict"]) == ("BLOCKED", "BLOCKED")
    assert {found["file"] for found in predicate["secrets"]} >= {"ledger.jsonl"}
    (claim,) = [claim for claim in predicate["claims"] if "Nobody had seen" in claim["says"]]
    assert claim["evidence"].startswith("[left out: provider key, sha256 ")
    assert render(predicate) == (bundle / "RECEIPT.md").read_text()
    project.protoc("verify", bundle)


def test_a_reason_with_a_key_closes_the_run_all_the_same(project):
    """The receipt lists why a case failed; before, such a run could not be closed at all."""
    project.edit(
        "subject.py", "def answer(case):", f'def answer(case):\n    raise ValueError("{KEY}")\n\n\ndef other(case):'
    )
    bundle, summary, predicate = ran(project)
    assert summary["blocked"]["verdict"] != "PASS"
    assert all(case["reason"].startswith("[left out: ") for case in predicate["unscored"])
    assert KEY not in (bundle / "RECEIPT.md").read_text()
    project.protoc("verify", bundle)


def test_verify_scans_once_more(project):
    """With a credential that whoever verifies has at hand, and the runner had not."""
    project.edit("protocol.yaml", "  subject:", PROVIDER.replace("      forbidden: false\n", ""))
    project.edit("protocol.yaml", "subject.py:answer", "subject.py:ask")
    (project.spec / "subject.py").write_text(
        'def ask(case, providers):\n    return {"answers": {"answer": "wanted"}}\n'
    )
    project.compile()
    project.seal()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MODEL_URL", "http://127.0.0.1:9")
        patch.setenv("MODEL_KEY", "another-credential-altogether")
        project.protoc("run", project.spec, status=1)
        (bundle,) = project.bundles()
        project.protoc("verify", bundle)
        patch.setenv("MODEL_KEY", "unwanted")
        project.protoc("verify", bundle, status=1)
    assert "E1417" in ids(project)


def test_a_text_that_was_left_out_is_known_by_its_digest():
    secrets = {"MODEL_KEY": "not/a real+one"}
    stated = securing.left_out({"a": ["x not/a real+one y", 1, None, True], "b": ("fine",)}, secrets)
    assert stated["a"][0].startswith("[left out: the value of MODEL_KEY, sha256 ")
    assert stated["a"][1:] == [1, None, True]
    assert stated["b"] == ["fine"]
    assert securing.same(stated, {"b": ["fine"], "a": ["x not/a real+one y", 1, None, True]})
    assert not securing.same(stated, {"b": ["fine"], "a": ["x not/a real+one z", 1, None, True]})
    assert not securing.same(stated, {"b": ["fine"], "a": ["x not/a real+one y", 1, None, 1]})
    assert not securing.same({"a": 1}, {"a": 1, "b": 2})


def test_a_secret_that_only_the_last_stage_shows_closes_it_as_blocked(tmp_path, capsys):
    """At the verdict another credential is loaded, which stands in the name of whoever judged."""
    provider = PROVIDER.replace("      forbidden: false\n", "").replace("  subject:", "  subject: ")
    subject = judged.SUBJECT.replace("find(case)", "find(case, providers)")
    made = judged.workspace(tmp_path / "w", spec=judged.SPEC.replace("  subject: ", provider), subject=subject)
    package = made.folder / "generated" / "finding_topics_v1"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.folder)
        patch.setitem(judged.SIGNED, "adjudicator", name_of := "Adelaide-who-judges")
        patch.setenv("MODEL_URL", "http://127.0.0.1:9")
        patch.setenv("MODEL_KEY", "another-credential-altogether")
        assert run_package(package, ["run"]) == 1
        (run,) = made.bundles()
        for name in ("ratings", "reasons"):
            assert run_package(package, ["adjudicate", str(run), "--export", f"sheets-{name}"]) == 0
            judged.fill(Path(f"sheets-{name}"), name)
            if name == "reasons":
                patch.setenv("MODEL_KEY", name_of)
                assert run_package(package, ["adjudicate", str(run), "--import", f"sheets-{name}"]) == 1
                assert "E1816" in capsys.readouterr().err
                patch.setenv("MODEL_KEY", "another-credential-altogether")
            assert run_package(package, ["adjudicate", str(run), "--import", f"sheets-{name}"]) == 0
        patch.setenv("MODEL_KEY", name_of)
        assert run_package(package, ["verdict", str(run)]) == 1
        assert "verdict: BLOCKED (not released)" in capsys.readouterr().out
        patch.setenv("MODEL_KEY", "another-credential-altogether")
        assert run_package(package, ["verify", str(run)]) == 0
    final = read_json(run / "verdict" / "receipt.json")["predicate"]
    assert (final["verdict"], final["blocked"]["verdict"]) == ("BLOCKED", "MIXED")
    assert final["left_out"] == ["JUDGED.md"]
    assert not (run / "verdict" / "JUDGED.md").exists()
    assert name_of not in (run / "verdict" / "RECEIPT.md").read_text()
    assert own(run).returncode == 0, own(run).stdout
