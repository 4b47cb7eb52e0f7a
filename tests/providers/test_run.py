"""A whole run whose Python subject calls a provider: what the verdict rests on is what went over the wire."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from e2e.workspaces import Workspace, new_workspace, read_rows, write_rows
from protoc_runtime.replaying import replay_faults
from providers.conformance import Server, answer, embedding, failing
from providers.running import KEY

SPEC = """protoc: 1

protocol:
  id: routes
  version: 1
  title: Routes to retrieval

question:
  asks: Does it call the embedding provider exactly when it should?

data:
  tables:
    cases:
      file: cases
      key: case
      columns: {case: text, question: text, expected: [provider_call, no_source]}
    results:
      from: subject
      key: case
      columns: {case: cases, first: decimal?, said: text}
    attempts:
      from: ledger of embedding
      key: [case, n]
      order: [case, n]
      columns: {case: cases, n: int, call: int, status: int?, error: text?, retry_reason: text?, waited: s,
                model: text?, source: [provider, mock, synthetic, cache], vector_dimension: int?, acceptable: bool}
  records:
    embeddings: {from: ledger of embedding, attempts: int, calls: int}
    generation: {from: ledger of generation, attempts: int, calls: int}
CREDENTIAL

procedure:
  providers:
    embedding:
      request: POST /v1/embeddings
      base_url: env TEST_URL
      credential: env TEST_KEY
      model: m-1
      answer: {dimension: 4, finite: true}
      retry: {only_on: [429, 5xx], at_most: 2, waits: [1 s, 2 s], never_on: [semantic, authentication]}
      timeout: 20 s
      concurrency: 4
    generation: {request: POST /v1/chat/completions, forbidden: true}
  subject: {python: "subject.py:answer", of: cases, sees: [question], timeout: 20 s, concurrency: 2}

definitions:
  cases.route:
    - provider_call when count(attempts) > 0
    - no_source otherwise

metrics:
  accuracy: rate(route == expected over cases)

blockers:
  generated: {says: Something was generated., when: generation.attempts > 0 or generation.calls > 0, forces: BLOCKED}
BLOCKER
gates:
  enough: {says: Accuracy at least 75%., must: accuracy >= 75%}

verdict:
  - BLOCKED when some blockers have fired
  - GOOD when all gates have held
  - MIXED otherwise

report:
  released: [GOOD]
"""
CREDENTIAL = "    credential: {from: provider embedding, usable: bool}"
BLOCKER = "  no_credential: {says: No usable credential., when: not credential.usable, forces: BLOCKED}\n"
SUBJECT = '''"""Routes a question."""
import os


def answer(case, providers):
    question = case["question"]
    if os.environ.get("TEST_KEY") or os.environ.get("TEST_URL"):
        raise RuntimeError("the subject sees what only the runner may see")
    if "generate" in question:
        try:
            providers.generation.post({"model": "g", "messages": []})
        except providers.Failed as failed:
            return {"results": {"first": None, "said": f"{failed.status} {failed.code}"}}
    if "what" not in question:
        return {"results": {"first": None, "said": ""}}
    try:
        made = providers.embedding.post({"model": "m-1", "input": question})
    except providers.Failed as failed:
        return {"results": {"first": None, "said": f"{failed.status} {failed.code}"}}
    if "client" in question:
        again = providers["embedding"].client.post("/v1/embeddings", json={"model": "m-1", "input": question + "?"})
        again.raise_for_status()
    return {"results": {"first": made["data"][0]["embedding"][0], "said": made["model"]}}
'''
CASES = [
    {"case": "c1", "question": "what is a limit", "expected": "provider_call"},
    {"case": "c2", "question": "hello", "expected": "no_source"},
    {"case": "c3", "question": "what is a group, by the client", "expected": "provider_call"},
    {"case": "c4", "question": "good day", "expected": "no_source"},
]


def workspace(folder: Path, *, record: bool = True, cases: list[dict] = CASES, subject: str = SUBJECT) -> Workspace:
    """A sealed protocol in a workspace of its own."""
    source = folder / "routes"
    source.mkdir()
    spec = SPEC.replace("CREDENTIAL\n", CREDENTIAL + "\n" if record else "").replace(
        "BLOCKER\n", BLOCKER if record else ""
    )
    (source / "protocol.yaml").write_text(spec)
    (source / "subject.py").write_text(subject)
    write_rows(source / "cases.jsonl", cases)
    made = new_workspace(folder / "workspace", source)
    made.protoc("compile", "specs/routes")
    made.commit("Compile")
    made.protoc("seal", "specs/routes")
    made.commit("Seal")
    return made


def run(made: Workspace, url: str, *words: str, key: str = KEY) -> subprocess.CompletedProcess[str]:
    """`protoc run` with the provider's address and credential in its environment."""
    given = {"TEST_URL": url, **({"TEST_KEY": key} if key else {})}
    return made.try_protoc("run", "specs/routes", *words, **given)


def summary(bundle: Path) -> dict:
    return json.loads((bundle / "summary.json").read_text())


def test_a_run_by_what_went_over_the_wire(tmp_path):
    made = workspace(tmp_path)
    with Server(failing(503), answer()) as server:
        done = run(made, server.url)
        assert done.returncode == 0, done.stdout + done.stderr
        assert "\nprovider embedding: 4 attempts, 3 accepted: 1 " in done.stdout
        assert "(503)\n" in done.stdout
        assert len(server.asked) == 4
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    (bundle,) = made.bundles()
    assert summary(bundle)["verdict"] == "GOOD"
    attempts = read_rows(bundle / "rows" / "attempts.jsonl")
    assert [(row["case"], row["call"]) for row in attempts if row["error"]] in ([("c1", 1)], [("c3", 1)])
    assert sorted((row["case"], row["acceptable"]) for row in attempts) in (
        [("c1", False), ("c1", True), ("c3", True), ("c3", True)],
        [("c1", True), ("c3", False), ("c3", True), ("c3", True)],
    )
    (retried,) = [row for row in attempts if row["retry_reason"]]
    assert (retried["retry_reason"], retried["waited"]) == ("503", 1)
    assert read_rows(bundle / "rows" / "embeddings.jsonl") == [{"attempts": 4, "calls": 3}]
    assert read_rows(bundle / "rows" / "generation.jsonl") == [{"attempts": 0, "calls": 0}]
    assert {row["first"] for row in read_rows(bundle / "rows" / "results.jsonl")} == {0.25, None}
    for path in bundle.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    assert " holds: run, verdict GOOD" in made.protoc("verify", str(bundle.relative_to(made.folder)))


def test_rows_that_the_ledger_does_not_tell_are_found(tmp_path):
    """A counter that was set to zero, with every digest made to fit again."""
    made = workspace(tmp_path, cases=[*CASES, {"case": "c5", "question": "generate", "expected": "no_source"}])
    with Server(answer()) as server:
        run(made, server.url)
    (bundle,) = made.bundles()
    shutil.copytree(bundle, tmp_path / "changed")
    for name, rows in (("generation", [{"attempts": 0, "calls": 0}]), ("attempts", [])):
        file = tmp_path / "changed" / "rows" / f"{name}.jsonl"
        before = file.read_bytes()
        write_rows(file, rows)
        assert [path for path, _ in replay_faults(tmp_path / "changed") if "rows" in path] == [f"rows/{name}.jsonl"]
        file.write_bytes(before)
    assert list(replay_faults(tmp_path / "changed")) == []


def test_an_attempt_at_generation_blocks(tmp_path):
    made = workspace(tmp_path, cases=[*CASES, {"case": "c5", "question": "generate", "expected": "no_source"}])
    with Server(answer()) as server:
        done = run(made, server.url)
        assert done.returncode == 1
        assert "\nprovider generation: 1 attempt, 0 accepted: 1 refused (forbidden)\n" in done.stdout
    (bundle,) = made.bundles()
    assert summary(bundle)["verdict"] == "BLOCKED"
    assert read_rows(bundle / "rows" / "generation.jsonl") == [{"attempts": 1, "calls": 0}]
    said = {row["case"]: row["said"] for row in read_rows(bundle / "rows" / "results.jsonl")}
    assert said["c5"] == "403 forbidden"


def test_a_failed_attempt_still_counts_as_a_call(tmp_path):
    made = workspace(tmp_path)
    with Server(answer(embedding([1.0]))) as server:
        assert run(made, server.url).returncode == 0
    (bundle,) = made.bundles()
    attempts = read_rows(bundle / "rows" / "attempts.jsonl")
    assert [(row["case"], row["error"], row["vector_dimension"]) for row in attempts] == [
        ("c1", "dimension", 1),
        ("c3", "dimension", 1),
    ]


def test_without_a_credential_the_run_stops_as_the_protocol_says(tmp_path):
    made = workspace(tmp_path)
    with Server(answer()) as server:
        done = run(made, server.url, key="")
        assert (done.returncode, server.asked) == (1, [])
    (bundle,) = made.bundles()
    told = summary(bundle)
    assert (told["verdict"], told["counters"]["cases"]) == ("BLOCKED", 0)
    assert read_rows(bundle / "rows" / "cases.jsonl") == []
    reason = "embedding cannot be called: the environment has no TEST_KEY"
    assert f"  stopped before any row was read and any split was spent: {reason}\n" in done.stdout
    assert reason in (bundle / "RECEIPT.md").read_text().replace("\\", "")
    assert reason in (bundle / "logs" / "launch.log").read_text()
    assert "verdict BLOCKED" in made.protoc("verify", str(bundle.relative_to(made.folder)))


def test_without_a_credential_nothing_is_read_where_the_protocol_is_silent(tmp_path):
    made = workspace(tmp_path, record=False)
    done = run(made, "http://127.0.0.1:9", key="")
    assert done.returncode == 1
    assert "E1601" in done.stderr + done.stdout
    assert made.bundles() == []
    assert not (made.folder / "registry.jsonl").exists()
    assert [path.name for path in (made.folder / "runs").rglob("ledger.jsonl")] == ["ledger.jsonl"]


@pytest.mark.parametrize("text", ["def answer(case):\n    return {'results': {'first': None, 'said': str(case)}}\n"])
def test_a_subject_that_wants_no_providers_gets_none(tmp_path, text):
    made = workspace(tmp_path, subject=text)
    with Server(answer()) as server:
        run(made, server.url)
        assert server.asked == []
    (bundle,) = made.bundles()
    assert summary(bundle)["counters"]["scored"] == 4


def test_the_environment_of_the_tests_is_clean():
    assert "TEST_KEY" not in os.environ
