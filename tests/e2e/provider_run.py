"""A protocol with providers, a target repository and a command subject, and what is needed to run it."""

from __future__ import annotations

import copy
import json
import shutil
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from e2e.workspaces import Workspace, environment, new_workspace, write_rows
from providers.running import KEY
from unit.projects import began
from unit.test_git import git

SPEC = """protoc: 1

protocol:
  id: ask
  version: 1
  title: Ask routes to retrieval

question:
  asks: Does Ask call the embedding provider exactly when it should?

data:
  tables:
    cases:
      file: cases
      key: case
      columns: {case: text, split: splits, question: text, expected: [provider_call, no_source]}
      expect: count(cases) == 6
    results:
      from: subject
      key: case
      columns: {case: cases, said: text}
    attempts:
      from: ledger of embedding
      key: [case, n]
      order: [case, n]
      columns: {case: cases, n: int, call: int, status: int?, error: text?, source: [provider, mock, synthetic, cache],
                vector_dimension: int?, acceptable: bool}
  records:
    seal: {from: seal, time: time, files_match: bool}
    embeddings: {from: ledger of embedding, attempts: int, calls: int}
    generation: {from: ledger of generation, attempts: int, calls: int}
    credential: {from: provider embedding, usable: bool}
    scan: {from: secret scan, findings: int}
    worktree: {from: target, commit: digest, detached: bool, clean_at_start: bool, clean_at_finish: bool,
               first_read: time, corpus: digest}
  splits:
    heldout: {role: heldout, may: [score once]}

procedure:
  target:
    repository: env ASK_REPOSITORY
    commit: COMMIT
    digests: {corpus: [corpus/**]}
  providers:
    embedding:
      request: POST /v1/embeddings
      base_url: env TEST_URL
      credential: env TEST_KEY
      model: m-1
      answer: {dimension: 4, finite: true}
      retry: {only_on: [429, 5xx], at_most: 1, waits: [0.1 s], never_on: [authentication]}
      timeout: 20 s
      concurrency: 4
    generation: {request: POST /v1/chat/completions, forbidden: true}
  subject:
    command: [python3, ask.py]
    directory: target
    environment: [LANG, TEST_KEY, ASK_MODE, ASK_NOTES]
    of: cases
    sees: [question]
    timeout: 20 s
    concurrency: 2

definitions:
  cases.route:
    - provider_call when count(attempts) > 0
    - no_source otherwise

metrics:
  accuracy: rate(route == expected over cases)

blockers:
  P1.1:
    says: Sealed after the repository was read.
    when: not seal.files_match or seal.time >= worktree.first_read
    forces: BLOCKED
  P1.2:
    says: Not the pinned commit in a detached worktree that is clean at start and finish.
    when:
      any:
        - worktree.commit != target.commit or not worktree.detached
        - not worktree.clean_at_start or not worktree.clean_at_finish
    forces: BLOCKED
  P1.4: {says: Something was generated., when: generation.attempts > 0 or generation.calls > 0, forces: BLOCKED}
  P1.8: {says: The artifact holds a credential., when: scan.findings > 0, forces: BLOCKED}
  no_credential: {says: No usable credential., when: not credential.usable, forces: BLOCKED}

gates:
  enough: {says: Accuracy at least 75%., must: accuracy >= 75%}

verdict:
  - BLOCKED when some blockers have fired
  - GOOD when all gates have held
  - MIXED otherwise

report:
  released: [GOOD]
"""
ASK = '''"""Answers one question: JSON in, JSON out. ASK_MODE makes it misbehave."""
import json
import os
import sys
import time
import urllib.error
import urllib.request

MODE = os.environ.get("ASK_MODE", "")


def call(url, path, body):
    request = urllib.request.Request(url + path, json.dumps(body).encode(), {"content-type": "application/json"})
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        return json.loads(opener.open(request, timeout=60).read())
    except urllib.error.HTTPError as error:
        return {"failed": error.code}
    except OSError as error:
        return {"failed": type(error).__name__}


case = json.load(sys.stdin)
question = case["question"]
if os.environ.get("ASK_NOTES"):
    print(question, file=sys.stderr, flush=True)
said = ""
if MODE == "expected":
    said = str(case.get("expected", "withheld"))
if MODE == "environment":
    said = json.dumps({name: value for name, value in os.environ.items() if "PROTOC" not in name})
if MODE == "dirty" and "0" in question:
    open("corpus/more.md", "w").write("more")
if MODE == "generate" and "0" in question:
    said = str(call(os.environ["PROTOC_GENERATION_URL"], "/v1/chat/completions", {"model": "g", "messages": []}))
if "what" in question:
    url = os.environ["PROTOC_EMBEDDING_URL"]
    if MODE.startswith("bypass "):
        url = MODE.removeprefix("bypass ")
    found = call(url, "/v1/embeddings", {"model": "m-1", "input": question})
    said = said or str(found.get("failed") or found["model"])
    if MODE == "slow":
        time.sleep(0.3)
print(json.dumps({"results": {"said": said}}))
'''
CASES = [
    {"case": f"c{n}", "split": "heldout", "question": f"{'what is' if n % 2 else 'hello'} {n}",
     "expected": "provider_call" if n % 2 else "no_source"}
    for n in range(6)
]  # fmt: skip


class Provided:
    """A sealed workspace and the repository that it evaluates."""

    def __init__(self, folder: Path, *, ask: str = ASK, **changes: str) -> None:
        self.repository = folder / "ask"
        self.repository.mkdir()
        git(self.repository, "init", "-q")
        (self.repository / "ask.py").write_text(ask)
        (self.repository / "corpus").mkdir()
        (self.repository / "corpus" / "a.md").write_text("alpha\n")
        git(self.repository, "add", "-A")
        git(self.repository, "commit", "-qm", "ask")
        self.commit = git(self.repository, "rev-parse", "HEAD")
        source = folder / "source"
        source.mkdir()
        spec = SPEC.replace("COMMIT", self.commit)
        for old, new in changes.items():
            spec = spec.replace(old, new)
        (source / "protocol.yaml").write_text(spec)
        write_rows(source / "cases.jsonl", CASES)
        self.workspace: Workspace = new_workspace(folder / "workspace", source)
        self.spec = f"specs/{source.name}"
        self.workspace.protoc("compile", self.spec)
        self.workspace.commit("Compile")
        self.workspace.protoc("seal", self.spec)
        self.workspace.commit("Seal")

    def copy(self, folder: Path) -> Provided:
        """A copy of the repository and of the workspace, before any run."""
        shutil.copytree(self.workspace.folder.parent, folder, symlinks=True, dirs_exist_ok=True)
        made = copy.copy(self)
        made.repository, made.workspace = folder / "ask", Workspace(folder / "workspace")
        return made

    @property
    def runs(self) -> Path:
        """Where the runs of the protocol are."""
        return self.workspace.folder / "runs" / "ask_v1"

    def environment(self, url: str, key: str = KEY, mode: str = "") -> dict[str, str]:
        """What `protoc run` gets."""
        given = {"TEST_URL": url, "ASK_REPOSITORY": str(self.repository), "ASK_MODE": mode}
        return {**environment(), **given, **({"TEST_KEY": key} if key else {})}

    def start(
        self, *words: str, url: str, key: str = KEY, mode: str = "", inside: Sequence[str] = (), **more: str
    ) -> subprocess.Popen[str]:
        """`protoc run`, in a process group of its own; `inside` is a command that starts another."""
        return subprocess.Popen(
            [*inside, sys.executable, "-m", "protoc_compiler", "run", self.spec, *words],
            cwd=self.workspace.folder,
            env={**self.environment(url, key, mode), **more},
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            start_new_session=True,
        )

    def run(
        self,
        *words: str,
        status: int,
        url: str,
        key: str = KEY,
        mode: str = "",
        inside: Sequence[str] = (),
        **more: str,
    ) -> Path:
        """`protoc run` to its end with this status; the newest bundle."""
        if inside:
            with self.start(*words, url=url, key=key, mode=mode, inside=inside, **more) as process:
                printed = "".join(process.communicate(timeout=120))
            found = process.returncode
        else:
            done = self.workspace.try_protoc("run", self.spec, *words, **self.environment(url, key, mode), **more)
            found, printed = done.returncode, done.stdout + done.stderr
        assert found == status, printed
        self.printed = printed
        return self.bundles()[-1]

    def bundles(self) -> list[Path]:
        """Every finished bundle, oldest first."""
        found = [path.parent for path in self.runs.glob("*/receipt.json") if ".unfinished" not in str(path)]
        return sorted(found, key=began)

    def verify(self, bundle: Path) -> str:
        """`protoc verify`, which must hold."""
        return self.workspace.protoc("verify", str(bundle.relative_to(self.workspace.folder)))


def read_json(path: Path) -> Any:
    """A JSON file."""
    return json.loads(path.read_text())
