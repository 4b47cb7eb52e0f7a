"""A protocol with providers, a forbidden provider, a target and a command, run by the real command line."""

from __future__ import annotations

import json
import os
import shutil
import signal
import threading
import time
from collections import Counter
from pathlib import Path

import pytest

from e2e.provider_run import ASK, CASES, Provided, read_json
from e2e.workspaces import read_rows
from protoc_runtime.bundle import in_order
from protoc_runtime.ledger_file import read_events
from protoc_runtime.rendering import render
from protoc_runtime.replaying import replay_faults
from protoc_runtime.subjects.walls import find_walls
from protoc_runtime.verifying import verify
from providers.conformance import Server, answer, embedding, failing, held
from providers.running import KEY
from unit.test_git import git

FOUND = find_walls()


@pytest.fixture(scope="module")
def first(tmp_path_factory):
    return Provided(tmp_path_factory.mktemp("provided"))


@pytest.fixture
def made(first, tmp_path):
    return first.copy(tmp_path)


def rule(receipt: dict, name: str) -> dict:
    """A rule of a receipt."""
    return next(rule for rule in receipt["rules"] if rule["name"] == name)


def claim(receipt: dict, words: str) -> dict:
    """A claim of a receipt."""
    return next(claim for claim in receipt["claims"] if words in claim["says"])


def predicate(bundle: Path) -> dict:
    """What a receipt says."""
    return read_json(bundle / "receipt.json")["predicate"]


def spent(made: Provided) -> list[dict]:
    """The lines of the registry."""
    registry = made.workspace.folder / "registry.jsonl"
    return read_rows(registry) if registry.exists() else []


def nothing_left(made: Provided) -> None:
    """No worktree is left, neither in the folder of runs nor in the repository's books."""
    assert list(made.runs.glob("*.worktree")) == []
    assert len(git(made.repository, "worktree", "list").splitlines()) == 1


def test_the_whole_road(made):
    with Server(failing(503), answer()) as server:
        bundle = made.run(status=0, url=server.url)
        assert len(server.asked) == 4
        assert {asked.headers["authorization"] for asked in server.asked} == {f"Bearer {KEY}"}
    receipt = predicate(bundle)
    assert (receipt["verdict"], receipt["released"]) == ("GOOD", True)
    (worktree,) = read_rows(bundle / "rows" / "worktree.jsonl")
    assert worktree["commit"] == made.commit
    assert (worktree["detached"], worktree["clean_at_start"], worktree["clean_at_finish"]) == (True, True, True)
    assert receipt["seals"][0]["time"] < worktree["first_read"] < receipt["run"]["finished"]
    assert read_rows(bundle / "rows" / "embeddings.jsonl") == [{"attempts": 4, "calls": 3}]
    assert read_rows(bundle / "rows" / "generation.jsonl") == [{"attempts": 0, "calls": 0}]
    assert read_rows(bundle / "rows" / "credential.jsonl") == [{"usable": True}]
    assert {row["vector_dimension"] for row in read_rows(bundle / "rows" / "attempts.jsonl")} == {4, None}
    for path in bundle.rglob("*"):
        assert not path.is_file() or KEY.encode() not in path.read_bytes(), path
    nothing_left(made)
    assert "holds: run, verdict GOOD" in made.verify(bundle)
    told = made.workspace.protoc("why", str(bundle.relative_to(made.workspace.folder)), "c1")
    assert "attempts" in told
    assert "expected" not in (bundle / "logs").as_posix()
    order = [event.kind for event in read_events(bundle / "ledger.jsonl")]
    stages = ["run_started", "target_reading", "target_opened", "credential", "subject_opened", "inputs_read",
              "case_started", "attempt_begun", "cases_answered", "target_closed", "run_finished"]  # fmt: skip
    assert sorted(stages, key=order.index) == stages


def test_grades_follow_what_could_be_enforced(made):
    with Server(answer()) as server:
        receipt = predicate(made.run(status=0, url=server.url))
    went = claim(receipt, "went through the gateway")
    assert went["grade"] == ("recorded" if FOUND.closed else "attested")
    assert FOUND.how in went["evidence"]
    assert rule(receipt, "P1.4")["grade"] == ("recorded" if FOUND.closed else "attested")
    assert rule(receipt, "P1.4")["sources"] == ["ledger of generation"]
    assert rule(receipt, "P1.2")["grade"] == "recorded"


def test_rows_that_the_ledger_does_not_tell_are_found(made):
    with Server(answer()) as server:
        bundle = made.run(status=1, url=server.url, mode="dirty")
    file = bundle / "rows" / "worktree.jsonl"
    file.write_text(file.read_text().replace('"clean_at_finish":false', '"clean_at_finish":true'))
    assert [path for path, _ in replay_faults(bundle) if "rows" in path] == ["rows/worktree.jsonl"]


def test_a_program_that_bypasses_the_gateway(made):
    """Behind walls the call fails and counts for nothing; without them the receipt says whose word it is."""
    with Server(answer()) as server:
        bundle = made.run(status=1, url=server.url, mode=f"bypass {server.url}")
        assert len(server.asked) == (0 if FOUND.closed else 3)
    said = {row["case"]: row["said"] for row in read_rows(bundle / "rows" / "results.jsonl")}
    assert said["c1"] == ("URLError" if FOUND.closed else "m-1")
    assert read_rows(bundle / "rows" / "attempts.jsonl") == []
    assert predicate(bundle)["verdict"] == "MIXED"


@pytest.mark.skipif(not FOUND.closed, reason=FOUND.how)
def test_where_no_walls_can_be_had_the_counters_are_attested(made):
    """A real launch in a place where name spaces are forbidden: the bypass succeeds, and the receipt owns up to it."""
    inside = ["unshare", "--user", "--map-root-user", "sh", "-c",
              'echo 0 > /proc/sys/user/max_user_namespaces && exec "$@"', "sh"]  # fmt: skip
    with Server(answer()) as server:
        bundle = made.run(status=1, url=server.url, mode=f"bypass {server.url}", inside=inside)
        assert len(server.asked) == 3
    receipt = predicate(bundle)
    assert claim(receipt, "went through the gateway")["grade"] == "attested"
    assert rule(receipt, "P1.4")["grade"] == "attested"
    assert "no name spaces" in (bundle / "RECEIPT.md").read_text()
    made.verify(bundle)


def test_an_attempt_at_generation_blocks(made):
    with Server(answer()) as server:
        bundle = made.run(status=1, url=server.url, mode="generate")
    assert predicate(bundle)["verdict"] == "BLOCKED"
    assert read_rows(bundle / "rows" / "generation.jsonl") == [{"attempts": 1, "calls": 0}]
    assert rule(predicate(bundle), "P1.4")["state"] == "fired"


def test_a_worktree_that_the_subject_changes_blocks(made):
    with Server(answer()) as server:
        bundle = made.run(status=1, url=server.url, mode="dirty")
    assert predicate(bundle)["verdict"] == "BLOCKED"
    assert rule(predicate(bundle), "P1.2")["state"] == "fired"
    closed = [event.body for event in read_events(bundle / "ledger.jsonl") if event.kind == "target_closed"]
    assert closed[-1]["paths"] == ["corpus/more.md"]
    nothing_left(made)
    made.verify(bundle)


def test_a_withheld_field_is_not_there(made):
    with Server(answer()) as server:
        bundle = made.run(status=0, url=server.url, mode="expected")
    assert {row["said"] for row in read_rows(bundle / "rows" / "results.jsonl")} == {"withheld"}


def test_a_credential_is_not_in_the_environment_of_the_subject(made):
    """Although the protocol's list of variables names it."""
    with Server(answer()) as server:
        bundle = made.run(status=0, url=server.url, mode="environment")
        said = read_rows(bundle / "rows" / "results.jsonl")[0]["said"]
        assert "ASK_MODE" in said
        assert KEY not in said
        assert server.url not in said
    assert KEY.encode() not in b"".join(path.read_bytes() for path in bundle.rglob("*") if path.is_file())


def test_a_credential_in_an_answer_is_found(tmp_path):
    """A program that has it from elsewhere: here it stands in the target's own code."""
    made = Provided(tmp_path, ask=ASK.replace('said = ""', f'said = "{KEY}"'))
    with Server(answer()) as server, made.start(url=server.url) as process:
        out, err = process.communicate(timeout=120)
    (bundle,) = made.bundles()
    assert process.returncode == 1, out + err
    assert rule(predicate(bundle), "P1.8")["state"] == "fired"
    assert {found["file"] for found in predicate(bundle)["secrets"]} >= {"rows/results.jsonl"}
    assert KEY not in (bundle / "receipt.json").read_text()


def test_a_rehearsal_needs_no_credential(made):
    with Server(answer()) as server, made.start("--rehearse", url=server.url, key="") as process:
        out, err = process.communicate(timeout=120)
        assert server.asked == []
    (bundle,) = made.workspace.folder.glob("rehearsals/ask_v1/*/")
    assert process.returncode == 1, out + err
    assert predicate(bundle)["run"]["kind"] == "rehearsal"
    assert read_rows(bundle / "rows" / "credential.jsonl") == [{"usable": False}]
    assert spent(made) == []
    nothing_left(made)


def test_without_a_credential_it_stops_before_a_split_is_spent(made):
    with Server(answer()) as server:
        bundle = made.run(status=1, url=server.url, key="")
        assert server.asked == []
        receipt = predicate(bundle)
        assert (receipt["verdict"], receipt["released"]) == ("BLOCKED", False)
        assert rule(receipt, "no_credential")["state"] == "fired"
        assert receipt["run"]["splits"] == []
        assert "TEST_KEY" in receipt["run"]["stopped"]
        assert "TEST_KEY" in (bundle / "logs" / "launch.log").read_text()
        assert read_rows(bundle / "rows" / "cases.jsonl") == []
        assert spent(made) == []
        nothing_left(made)
        assert "verdict BLOCKED" in made.verify(bundle)
        later = made.run(status=0, url=server.url)
    assert predicate(later)["verdict"] == "GOOD"
    assert len(made.bundles()) == 2
    assert [line["kind"] for line in spent(made)] == ["intent", "closed"]


@pytest.mark.parametrize("name", ["no_credential: {says: No usable credential., when: not credential.usable"])
def test_a_stop_that_no_blocker_forces_has_no_verdict(tmp_path, name):
    made = Provided(tmp_path, **{name: name.replace("not credential.usable", "generation.attempts > 0")})
    with made.start(url="http://127.0.0.1:9", key="") as process:
        _, err = process.communicate(timeout=60)
    assert process.returncode == 1
    assert "E1601" in err
    assert made.bundles() == []
    assert spent(made) == []


def test_a_launch_that_fails_keeps_its_own_log(made):
    """The commit is gone, then the program is: two launches, two folders, no split spent, and the third one runs."""
    moved = made.repository.with_name("moved")
    made.repository.rename(moved)
    for _ in range(2):
        with made.start(url="http://127.0.0.1:9") as process:
            _, err = process.communicate(timeout=60)
        assert process.returncode == 1
        assert "E1701" in err
    logs = sorted(made.runs.glob("*.unfinished/logs/launch.log"))
    assert len(logs) == 2
    assert all("E1701" in log.read_text() for log in logs)
    assert spent(made) == []
    moved.rename(made.repository)
    with Server(answer()) as server:
        made.run(status=0, url=server.url)
    assert all(log.exists() for log in logs)


def test_a_dirty_and_moved_repository_makes_no_difference(made):
    (made.repository / "ask.py").write_text("raise SystemExit(1)\n")
    git(made.repository, "commit", "-qam", "broken")
    (made.repository / "ask.py").write_text("raise SystemExit(2)\n")
    with Server(answer()) as server:
        assert predicate(made.run(status=0, url=server.url))["verdict"] == "GOOD"


def test_kill_during_calls_and_resume(made):
    """Neither repeats a finished case nor loses a cost; an attempt that was sent is in the ledger."""
    found, killed = answer(embedding(usage={"prompt_tokens": 3})), threading.Event()
    with Server(found, held(killed, found)) as server:
        process = made.start(url=server.url, mode="slow", ASK_NOTES="1")
        deadline = time.monotonic() + 60
        while len(server.asked) < 2 and time.monotonic() < deadline:
            time.sleep(0.01)
        os.killpg(process.pid, signal.SIGKILL)
        process.communicate(timeout=120)
        killed.set()
        time.sleep(1)  # whatever the killed run left behind would go on writing now
        (folder,) = made.runs.glob("*.unfinished")
        before = list(read_events(folder / "ledger.jsonl"))
        sent = len(server.asked)
        assert sum(event.kind == "attempt_begun" for event in before) >= sent
        finished = {event.body["case"] for event in before if event.kind == "case_finished"}
        begun_cases = Counter(event.body["case"] for event in before if event.kind == "case_started")
        assert finished != {case["case"] for case in CASES}
        bundle = made.run("--resume", str(folder), status=0, url=server.url, ASK_NOTES="1")
        asked = len(server.asked)
    events = list(read_events(bundle / "ledger.jsonl"))
    started = Counter(event.body["case"] for event in events if event.kind == "case_started")
    assert all(started[case] == 1 for case in finished)
    assert all(started[case] <= begun_cases[case] + 1 for case in started)
    logs = [line for path in (bundle / "logs").glob("subject-*.log") for line in path.read_text().splitlines()]
    questions = Counter(logs)
    by_case = {case["case"]: case["question"] for case in CASES}
    assert all(questions[by_case[case]] == 1 for case in finished)
    begun = [event.body for event in events if event.kind == "attempt_begun"]
    assert len(begun) >= asked
    assert read_rows(bundle / "rows" / "embeddings.jsonl")[0]["attempts"] == len(begun)
    assert len(read_rows(bundle / "rows" / "attempts.jsonl")) == len(begun)
    places = [(body["case"], body["n"]) for body in begun]
    assert len(set(places)) == len(places)
    costs = [event.body["cost"]["prompt_tokens"] for event in events if event.kind == "attempt_ended"]
    assert costs == [3] * len(costs)
    assert {row["case"]: row["outcome"] for row in read_rows(bundle / "cases.jsonl")} == {
        case["case"]: "scored" for case in CASES
    }
    nothing_left(made)
    made.verify(bundle)


def test_the_receipt_tells_of_target_providers_and_conduct(made):
    retried = embedding(usage={"prompt_tokens": 3})
    with Server(failing(429), answer(retried)) as server:
        bundle = made.run(status=0, url=server.url)
    receipt = predicate(bundle)
    target, (called, forbidden) = receipt["target"], receipt["providers"]
    assert (target["pinned"], target["commit"], target["clean_at_finish"]) == (made.commit, made.commit, True)
    assert list(target["digests"]) == ["corpus"]
    assert (called["attempts"], called["calls"], called["retried"], called["accepted"]) == (4, 3, 1, 3)
    assert (called["model"], called["models"], called["dimension"]) == ("m-1", {"m-1": 4}, 4)
    assert called["dimensions"] == {"4": 3}
    assert called["cost"]["prompt_tokens"] == 3 * 3 + read_cost(bundle, 429)
    assert (forbidden["provider"], forbidden["forbidden"], forbidden["attempts"]) == ("generation", True, 0)
    rules = {rule["rule"]: rule["how"] for rule in receipt["conduct"]}
    assert rules["embedding.retry"] == rules["runner.launches"] == "enforced"
    assert rules["target.commit"] == rules["runner.redaction"] == "recorded"
    page = (bundle / "RECEIPT.md").read_text()
    assert "| embedding | `POST /v1/embeddings` | 4 | 3 | 0 | 1 | 3 | m-1; seen m-1 (4) | 4; seen 4 (3) |" in page
    assert f"- Pinned commit `{made.commit}`, found `{made.commit}`" in page
    for name, change in (("providers", {"attempts": 3}), ("target", {"commit": "0" * 40}), ("conduct", {"how": "x"})):
        other = json.loads((bundle / "receipt.json").read_text())
        part = other["predicate"][name]
        (part if isinstance(part, dict) else part[0]).update(change)
        folder = Path(shutil.copytree(bundle, bundle.with_name(f"copy-{name}")))
        (folder / "receipt.json").write_bytes(in_order(other))
        (folder / "RECEIPT.md").write_text(render(other["predicate"]))
        _, findings = verify(folder, None, whole=False)
        assert any(name in item.message for item in findings), [item.message for item in findings]


def read_cost(bundle: Path, status: int) -> int:
    """The tokens that failed attempts with this status have cost."""
    ended = [event.body for event in read_events(bundle / "ledger.jsonl") if event.kind == "attempt_ended"]
    return sum(body.get("cost", {}).get("prompt_tokens", 0) for body in ended if body["status"] == status)


@pytest.mark.skipif(not FOUND.files, reason=FOUND.files_how)
def test_a_program_cannot_read_the_labels_from_the_disk(tmp_path):
    """It knows where they are, and is root; the receipt says that they were not there for it."""
    place = tmp_path / "workspace" / "specs" / "source" / "cases.jsonl"
    ask = f"""
import json, sys
json.load(sys.stdin)
try:
    said = open({str(place)!r}).read()
except OSError as error:
    said = type(error).__name__
print(json.dumps({{"results": {{"said": said}}}}))
"""
    made = Provided(tmp_path, ask=ask)
    with Server(answer()) as server:
        bundle = made.run(status=1, url=server.url)
    assert {row["said"] for row in read_rows(bundle / "rows" / "results.jsonl")} == {"FileNotFoundError"}
    assert claim(predicate(bundle), "read nothing of the rows")["grade"] == "recorded"
    assert "only attested" not in made.printed


STAYS = """
import json, os, sys, urllib.request
for line in sys.stdin:
    given = json.loads(line)
    found = "withheld"
    if "what" in given["case"]["question"]:
        url = given["environment"]["PROTOC_EMBEDDING_URL"] + "/v1/embeddings"
        body = json.dumps({"model": "m-1", "input": given["case"]["question"]}).encode()
        opener = urllib.request.build_opener(urllib.request.ProxyHandler({}))
        request = urllib.request.Request(url, body, {"content-type": "application/json"})
        found = json.loads(opener.open(request, timeout=60).read())["model"]
    print(json.dumps({"results": {"said": f"{found} {os.getpid()}"}}), flush=True)
"""


def test_a_program_that_stays_and_a_service_with_a_header_of_its_own(tmp_path):
    changes = {
        "    directory: target\n": "    directory: target\n    pool: true\n",
        "      model: m-1\n": '      sent_as: "x-api-key: {credential}"\n      model: m-1\n',
        "    concurrency: 2\n\ndefinitions": "    concurrency: 1\n\ndefinitions",
    }
    made = Provided(tmp_path, ask=STAYS, **changes)
    with Server(answer()) as server:
        bundle = made.run(status=0, url=server.url)
        assert {asked.headers["x-api-key"] for asked in server.asked} == {KEY}
        assert not [asked for asked in server.asked if "authorization" in asked.headers]
    said = [row["said"].split() for row in read_rows(bundle / "rows" / "results.jsonl")]
    assert [word for word, _ in said] == ["withheld", "m-1"] * 3
    assert len({process for _, process in said}) == 1
    assert [row["case"] for row in read_rows(bundle / "rows" / "attempts.jsonl")] == ["c1", "c3", "c5"]
    assert "subject.pool" in {rule["rule"] for rule in predicate(bundle)["conduct"]}
    made.verify(bundle)
