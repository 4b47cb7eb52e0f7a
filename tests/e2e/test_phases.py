"""Every path through a state machine, walked by the command line; at each step every other phase is refused."""

from __future__ import annotations

import contextlib
import io
import json
import re
import shutil
import time
from pathlib import Path

import pytest

from protoc_compiler.cli import main
from protoc_runtime.chain import decode, encode
from protoc_runtime.diagnostics import Refused
from protoc_runtime.phases.entering import still_legal
from protoc_runtime.plan import Request
from protoc_runtime.planning import plan, wanted
from protoc_runtime.registry import reserve
from protoc_runtime.replaying import replay_faults
from protoc_runtime.workspace import find_workspace

SPEC = """\
protoc: 1
protocol: {id: walked, version: 1, title: A machine that is walked}
data:
  tables:
    cases:
      key: case
      columns: {case: text, split: splits}
    answers:
      from: subject
      key: case
      columns: {case: cases, right: bool, slow: bool}
  records:
    seal: {from: seal, reseals: int}
    tuned: {from: phase dev, verdict: text?, runs: int}
    this_run: {from: runner, phase: text?}
  splits:
    dev:     {role: development, may: [tune]}
    quick:   {role: development, may: [tune]}
    fresh:   {role: heldout, may: [score once]}
    blind:   {role: heldout, may: [score once]}
procedure:
  subject: {recorded: answered, of: cases, code: [backend.txt]}
  phases:
    - {phase: dev, owner: Ada, reads: [dev], use: tune, ends: PASS, then: {PASS: fresh, SLOW: runtime}}
    - phase: runtime
      reads: [quick]
      use: tune
      enter: tuned.verdict == "SLOW"
      may change: [backend.txt]
      then: {PASS: fresh}
    - phase: fresh
      reads: [fresh]
      use: score
      enter: seal.reseals == 0
      once: true
      then: {PASS: blind}
      records: [corpus, counters, {name: meaning, says: What it means.}]
      duties: {tell: Everybody is told.}
    - {phase: blind, reads: [blind], use: score, enter: tuned.runs >= 1, once: true}
metrics:
  accuracy: rate(only(answers).right over cases)
  late: count(answers where slow)
gates:
  good: {says: At least 50% are right., must: accuracy >= 50%}
  quick: {says: 0 are late., must: late == 0}
checks:
  own_phase:
    says: Only the cases of this phase are here.
    is: all cases have split == dev or this_run.phase != "dev"
verdict:
  - PASS when all gates have held
  - SLOW when gates.good is true
  - FAIL otherwise
report:
  released: [PASS]
"""
EDGES = {"dev": {"PASS": "fresh", "SLOW": "runtime"}, "runtime": {"PASS": "fresh"}, "fresh": {"PASS": "blind"}}
SPLITS = {"dev": "dev", "runtime": "quick", "fresh": "fresh", "blind": "blind"}
ROWS = {"PASS": (True, False), "SLOW": (True, True), "FAIL": (False, False)}
PATHS = [
    (("dev", "FAIL"),),
    (("dev", "SLOW"), ("runtime", "FAIL")),
    (("dev", "SLOW"), ("runtime", "SLOW")),
    (("dev", "SLOW"), ("runtime", "PASS"), ("fresh", "FAIL")),
    (("dev", "SLOW"), ("runtime", "PASS"), ("fresh", "SLOW")),
    (("dev", "SLOW"), ("runtime", "PASS"), ("fresh", "PASS"), ("blind", "FAIL")),
    (("dev", "PASS"), ("fresh", "FAIL")),
    (("dev", "PASS"), ("fresh", "PASS"), ("blind", "PASS")),
    (("dev", "PASS"), ("fresh", "PASS"), ("blind", "SLOW")),
]
Path_ = tuple[tuple[str, str], ...]


def protoc(*words: str) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    return main(list(words), io.StringIO(), out, err), out.getvalue(), err.getvalue()


@pytest.fixture(scope="module")
def compiled(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The compiled protocol, without rows."""
    folder = tmp_path_factory.mktemp("walked")
    (folder / "spec").mkdir()
    (folder / "protoc.toml").touch()
    (folder / "spec" / "protocol.yaml").write_text(SPEC, encoding="utf-8")
    with contextlib.chdir(folder):
        assert protoc("compile", "spec")[0] == 0
    return folder


def project(compiled: Path, folder: Path, verdicts: dict[str, str]) -> None:
    """A sealed project whose phases end with these verdicts."""
    shutil.copytree(compiled, folder, dirs_exist_ok=True)
    spec = folder / "spec"
    (spec / "answered").mkdir()
    (spec / "backend.txt").write_text("slow\n", encoding="utf-8")
    cases = [{"case": f"{split} {number}", "split": split} for split in SPLITS.values() for number in (1, 2)]
    answers = []
    for phase, split in SPLITS.items():
        right, slow = ROWS[verdicts.get(phase, "PASS")]
        answers += [{"case": f"{split} {number}", "right": right, "slow": slow} for number in (1, 2)]
    for name, rows in (("cases", cases), ("answered/answers", answers)):
        text = "".join(json.dumps(row) + "\n" for row in rows)
        (spec / f"{name}.jsonl").write_text(text, encoding="utf-8")
    code, _, told = protoc("seal", "spec")
    assert (code, told) == (0, "")


def standing() -> dict[str, object]:
    code, out, err = protoc("phases", "spec", "--format", "json")
    assert (code, err) == (0, "")
    made: dict[str, object] = json.loads(out)
    return made


def open_after(walked: Path_) -> set[str]:
    """What may be entered after these runs, told from the edges above."""
    if not walked:
        return {"dev"}
    last, verdict = walked[-1]
    found = {EDGES.get(last, {}).get(verdict, "")} - {""}
    again = {"dev"} if last == "dev" and verdict != "PASS" else {"runtime"} if last == "runtime" else set()
    return found | again


@pytest.mark.parametrize("path", PATHS, ids=lambda path: "-".join(f"{phase}.{verdict}" for phase, verdict in path))
def test_every_path_is_walked_and_nothing_beside_it(compiled: Path, tmp_path: Path, path: Path_) -> None:
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, dict(path))
        for at, (phase, verdict) in enumerate(path):
            if not any(other[:at] == path[:at] for other in PATHS[: PATHS.index(path)]):  # each state once
                refuse_others(open_after(path[:at]))
            code, out, err = protoc("run", "spec", "--phase", phase)
            released = verdict == "PASS" and phase in ("fresh", "blind")
            assert (code, re.findall(r"^E.*", err, re.M)) == (int(not released), []), phase
            assert f"verdict: {verdict} " in out
        refuse_others(open_after(path))
        told = standing()
        assert [run["verdict"] for phase in told["phases"] for run in phase["runs"]] == [v for _, v in path]  # type: ignore[attr-defined]
        if path[-1] == ("blind", "PASS"):
            look_at_the_last(tmp_path)


def refuse_others(allowed: set[str]) -> None:
    """Every phase that is not open is refused with E22xx and the phases that are."""
    assert set(standing()["legal"]) == allowed  # type: ignore[call-overload]
    for phase in SPLITS:
        if phase in allowed:
            continue
        before = Path("registry.jsonl").read_bytes() if Path("registry.jsonl").exists() else b""
        code, out, err = protoc("run", "spec", "--phase", phase)
        assert (code, out) == (1, "")
        assert set(re.findall(r"^(E\d{4})", err, re.M)) <= {"E2230", "E2231", "E2232", "E2233"}
        assert all(f"`{name}`" in err for name in allowed) or "E2233" in err
        assert (Path("registry.jsonl").read_bytes() if Path("registry.jsonl").exists() else b"") == before


def look_at_the_last(folder: Path) -> None:
    """The receipts along the path: along which edge, with which evidence; and they verify."""
    bundles = sorted((folder / "runs").glob("*/*"), key=lambda each: each.stat().st_mtime_ns)
    receipts = [json.loads((each / "receipt.json").read_bytes())["predicate"] for each in bundles]
    assert [receipt["phase"]["name"] for receipt in receipts] == ["dev", "fresh", "blind"]
    fresh = receipts[1]
    assert fresh["entered"]["led"]["phase"] == "dev"
    assert fresh["entered"]["guard"] == {"formula": "seal.reseals == 0", "values": "seal.reseals is 0"}
    assert [(item["name"], item["there"], item["grade"]) for item in fresh["phase"]["records"]] == [
        ("corpus", True, "recorded"), ("counters", True, "recorded"), ("meaning", False, "attested"),
    ]  # fmt: skip
    assert receipts[2]["entered"]["earlier"][1]["open"] == ["tell", "meaning"]
    page = (bundles[1] / "RECEIPT.md").read_text(encoding="utf-8")
    assert "- [ ] tell: Everybody is told. (attested: nobody has attested it)" in page
    assert "- [x] corpus: fresh: 2 cases, sha256:" in page
    for bundle in bundles:
        code, _, err = protoc("verify", str(bundle))
        assert code == 0, err


def test_duties_are_attested_after_a_run_and_stand_in_later_receipts(compiled: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, {})
        code, _, err = protoc("phases", "spec", "--attest", "fresh.tell=Ada")
        assert code == 1
        assert "E2240" in err
        for phase in ("dev", "fresh"):
            protoc("run", "spec", "--phase", phase)
        code, out, _ = protoc("phases", "spec", "--attest", "fresh.tell=Ada", "--attest", "fresh.meaning=Bea")
        assert code == 0
        assert "[x] fresh.tell: Everybody is told. (attested by Ada)" in out
        lines = Path("registry.jsonl").read_bytes()
        assert protoc("phases", "spec", "--attest", "fresh.tell=Ada")[0] == 0
        assert Path("registry.jsonl").read_bytes() == lines
        protoc("run", "spec", "--phase", "blind")
        (blind,) = [path for path in tmp_path.glob("runs/*/*/RECEIPT.md") if "## The phase blind" in path.read_text()]
        assert "| fresh | PASS |" in blind.read_text()
        assert "meaning (Bea), tell (Ada)" in blind.read_text()


def test_after_a_merge_duties_are_done_for_the_run_that_counts(compiled: Path, tmp_path: Path) -> None:
    """Both clones have confirmed: people attest what the first one asks for, and the study goes on from there."""
    mine, other = tmp_path / "mine", tmp_path / "other"
    mine.mkdir()
    with contextlib.chdir(mine):
        project(compiled, mine, {})
        protoc("run", "spec", "--phase", "dev")
    shutil.copytree(mine, other)
    for clone in (mine, other):
        with contextlib.chdir(clone):
            assert "verdict: PASS" in protoc("run", "spec", "--phase", "fresh")[1]
        time.sleep(1.1)  # a run's name has the second in which it began
    lines = [line for clone in (mine, other) for line in (clone / "registry.jsonl").read_text().splitlines()]
    (mine / "registry.jsonl").write_text("".join(f"{line}\n" for line in dict.fromkeys(lines)))
    with contextlib.chdir(mine):
        assert "E2241" in protoc("phases", "spec")[2]
        _, out, _ = protoc("phases", "spec", "--attest", "fresh.tell=Ada", "--attest", "fresh.meaning=Bea")
        assert "[x] fresh.tell: Everybody is told. (attested by Ada)" in out
        runs = json.loads(protoc("phases", "spec", "--format", "json")[1])["phases"][2]["runs"]
        assert [(run["counts"], sorted(run["attested"])) for run in runs] == [(True, ["meaning", "tell"]), (False, [])]


def test_a_rehearsal_needs_no_phase_before_it(compiled: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, {})
        code, out, err = protoc("run", "spec", "--rehearse", "--phase", "blind")
        assert (code, err) == (1, "")
        assert "REHEARSAL" in out
        assert set(standing()["legal"]) == {"dev"}  # type: ignore[call-overload]


def test_a_protocol_without_a_machine_has_nothing_to_show(compiled: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, {})
        path = tmp_path / "spec" / "protocol.yaml"
        text = path.read_text(encoding="utf-8")
        start, end = text.index("    - {phase: dev"), text.index("metrics:")
        plain = "    - {phase: dev, reads: [dev], use: tune}\n"
        path.write_text(text[:start] + plain + text[end:], encoding="utf-8")
        code, _, err = protoc("phases", "spec")
        assert code == 2
        assert "make no state machine" in err


def test_a_verdict_that_was_changed_in_the_registry_leads_nowhere(compiled: Path, tmp_path: Path) -> None:
    """A change by hand shows in the line's own sum; where that was taken away, too, the receipt shows it."""
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, {"dev": "FAIL"})
        protoc("run", "spec", "--phase", "dev")
        registry = Path("registry.jsonl")
        *lines, end = registry.read_bytes().splitlines(keepends=True)
        registry.write_bytes(b"".join([*lines, end.replace(b'"verdict":"FAIL"', b'"verdict":"PASS"')]))
        assert "E1303" in protoc("run", "spec", "--phase", "fresh")[2]
        line = decode(end.strip())
        body = {name: value for name, value in line.body.items() if name != "sum"} | {"verdict": "PASS"}
        registry.write_bytes(b"".join([*lines, encode(line.seq, line.prev, line.kind, body) + b"\n"]))
        code, out, err = protoc("run", "spec", "--phase", "fresh")
        assert (code, out) == (1, "")
        assert "E2236" in err
        assert "its receipt has the verdict FAIL, and the registry PASS" in err


def test_a_registry_that_was_deleted_tells_no_state(compiled: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, {"dev": "PASS"})
        protoc("run", "spec", "--phase", "dev")
        assert protoc("phases", "spec")[0] == 0
        Path("registry.jsonl").unlink()
        code, out, err = protoc("phases", "spec")
        assert (code, out) == (1, "")
        assert "E2305" in err


def test_a_changed_history_in_a_bundle_does_not_verify(compiled: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, {})
        for phase in ("dev", "fresh", "blind"):
            protoc("run", "spec", "--phase", phase)
        blind = max(tmp_path.glob("runs/*/*"), key=lambda each: each.stat().st_mtime_ns)
        rows = blind / "rows" / "tuned.jsonl"
        assert json.loads(rows.read_bytes()) == {"verdict": "PASS", "runs": 1}
        rows.write_text('{"verdict": "PASS", "runs": 0}\n', encoding="utf-8")
        assert sorted({what.split(":")[0] for _, what in replay_faults(blind)}) == [
            "line 1, runs", "the guard of its phase is not true of the rows here",
        ]  # fmt: skip


def test_an_optimised_runtime_is_compared_with_what_the_run_before_has_left_and_evidence_is_asked_for(
    tmp_path: Path,
) -> None:
    """Rows that were changed in the bundle since are no reference; a receipt that lacks evidence is not complete."""
    spec = SPEC.replace("phase: text?}", "phase: text?, changed: int?}\n    told: {from: receipt, complete: bool}")
    spec = spec.replace(
        "reads: [quick]\n", "reads: [dev]\n      same: answers.right\n      records: [corpus, metrics]\n"
    )
    spec = spec.replace("ends: PASS,", "ends: PASS, records: [source revision],")
    alike = "checks:\n  alike: {says: Both decide alike., is: (this_run.changed == 0) is true}\n"
    spec = spec.replace("checks:\n", alike)
    plain, study = tmp_path / "plain", tmp_path / "study"
    (plain / "spec").mkdir(parents=True)
    (plain / "protoc.toml").touch()
    (plain / "spec" / "protocol.yaml").write_text(spec, encoding="utf-8")
    with contextlib.chdir(plain):
        assert protoc("compile", "spec")[0] == 0
    study.mkdir()
    found = []
    with contextlib.chdir(study):
        project(plain, study, {"dev": "SLOW"})
        for phase in ("dev", "runtime", "runtime"):
            assert protoc("run", "spec", "--phase", phase)[0] == 1
            last = max(study.glob("runs/*/*"), key=lambda each: each.stat().st_mtime_ns)
            rows = {name: json.loads((last / "rows" / f"{name}.jsonl").read_bytes()) for name in ("this_run", "told")}
            found.append((rows["this_run"]["changed"], rows["told"]["complete"]))
            if phase == "dev":
                answers = last / "rows" / "answers.jsonl"
            elif len(found) == 2:
                answers.write_bytes(answers.read_bytes().replace(b"true", b"false", 1))
    assert found == [(None, False), (0, True), (None, True)]


def test_a_phase_that_another_process_has_passed_is_refused_under_the_lock(compiled: Path, tmp_path: Path) -> None:
    with contextlib.chdir(tmp_path):
        project(compiled, tmp_path, {"dev": "SLOW"})
        protoc("run", "spec", "--phase", "dev")
        here = find_workspace(tmp_path, None)
        (package,) = here.generated.iterdir()
        spec = tmp_path / "spec" / "protocol.yaml"
        made = plan(Request(spec=spec, package=package, workspace=here, phase="dev"))
        for phase in ("runtime", "fresh"):
            protoc("run", "spec", "--phase", phase)
        before = here.registry.read_bytes()
        with pytest.raises(Refused) as refused:
            reserve(here.registry, wanted(made), "tune", "runs/late", (), still_legal(made))
        assert [item.id for item in refused.value.diagnostics] == ["E2232"]
        assert here.registry.read_bytes() == before
