"""A run that was killed in the middle of its calls, and goes on."""

from __future__ import annotations

import json
import subprocess
import sys
import threading
import time
from collections import Counter

from e2e.workspaces import environment, read_rows
from protoc_runtime.ledger import read_events
from providers.conformance import Server, answer, held
from providers.running import KEY
from providers.test_run import run, workspace


def test_a_killed_run_is_resumed_without_repeating_or_forgetting(tmp_path):
    cases = [{"case": f"c{n}", "question": f"what is {n}", "expected": "provider_call"} for n in range(10)]
    made = workspace(tmp_path, cases=cases)
    given = {**environment(), "TEST_KEY": KEY}
    command = [sys.executable, "-m", "protoc_compiler", "run", "specs/routes"]
    killed = threading.Event()
    with Server(*[answer()] * 4, held(killed)) as server:
        given["TEST_URL"] = server.url
        quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        with subprocess.Popen(command, cwd=made.folder, env=given, **quiet) as launch:
            while len(server.asked) < 6:  # the two that run at once wait for their answers, four have theirs
                assert launch.poll() is None
                time.sleep(0.01)
            launch.kill()
        killed.set()
        (folder,) = (made.folder / "runs").glob("*/*.unfinished")
        finished = {e.body["case"] for e in read_events(folder / "ledger.jsonl") if e.kind == "case_finished"}
        sent_before = [json.loads(asked.body)["input"] for asked in server.asked]
        done = run(made, server.url, "--resume", str(folder.relative_to(made.folder)))
        assert done.returncode == 0, done.stdout + done.stderr
        sent = [json.loads(asked.body)["input"] for asked in server.asked]
    (bundle,) = made.bundles()
    assert len(finished) == 4
    again = sent[len(sent_before) :]
    assert not {f"what is {case[1:]}" for case in finished} & set(again)
    attempts = read_rows(bundle / "rows" / "attempts.jsonl")
    assert Counter(f"what is {row['case'][1:]}" for row in attempts) >= Counter(sent)
    assert {row["error"] for row in attempts} <= {None, "unfinished"}
    assert [row["n"] for row in attempts if row["case"] in finished] == [1] * len(finished)
    ended = [e.body for e in read_events(bundle / "ledger.jsonl") if e.kind == "attempt_ended"]
    assert sum(body["cost"]["total_tokens"] for body in ended) == 3 * sum(row["error"] is None for row in attempts)
    assert made.protoc("verify", str(bundle.relative_to(made.folder)))
