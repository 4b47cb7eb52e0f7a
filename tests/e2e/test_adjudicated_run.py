"""A run that people finish: pending, sheets out and in, the final verdict; and what is refused on the way."""

from __future__ import annotations

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from e2e import judged
from e2e.workspaces import Workspace, read_rows, write_rows
from protoc_runtime.adjudication.stages import open_stage
from protoc_runtime.main import run_package

Row = dict[str, Any]


@pytest.fixture(scope="module")
def pending(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A workspace with one closed run that waits for people, and its first sheet, empty."""
    made = judged.workspace(tmp_path_factory.mktemp("judged") / "w")
    made.protoc("run", "specs/topics", "--attest", "blind=Ada", status=1)
    made.protoc("adjudicate", str(made.bundles()[-1]), "--export", "sheets")
    return made.folder


@pytest.fixture(scope="module")
def decided(pending: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The same, judged and decided."""
    made = Workspace(_copy(pending, tmp_path_factory.mktemp("decided")))
    run = _run(made)
    judged.judge(made, run)
    made.protoc("verdict", str(run), status=1)
    return made.folder


def _copy(folder: Path, into: Path) -> Path:
    return Path(shutil.copytree(folder, into / "w", symlinks=True))


def _run(made: Workspace) -> Path:
    return made.bundles()[0]


def _summary(folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((folder / "summary.json").read_text(encoding="utf-8"))
    return found


def _own(run: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-I", "verify.py"], cwd=run, text=True, capture_output=True)


def test_a_run_waits_for_people(pending: Path) -> None:
    run = _run(Workspace(pending))
    summary = _summary(run)
    assert (summary["verdict"], summary["released"]) == ("PENDING", False)
    assert summary["pending"] == {"metrics": ["helped", "missed"], "gates": ["helps"], "lists": ["without_help"]}
    assert summary["metrics"] == {"routed": {"num": 2, "den": 3}, "helped": None, "missed": None}
    assert summary["gates"] == {"routes": True, "helps": None}
    assert not (run / "rows" / "ratings.jsonl").exists()
    page = (run / "RECEIPT.md").read_text(encoding="utf-8")
    assert "| gate helps | waits for people |" in page
    assert "| missed | waits for people |" in page
    assert "| Nobody who judged had seen the system before. | attested | Ada confirmed it at" in page
    assert "| Each judged alone. | attested | not attested: nobody has confirmed it |" in page
    own = _own(run)
    assert (own.returncode, "verdict PENDING, not released" in own.stdout) == (0, True)


def test_a_sheet_shows_only_what_a_rater_may_see(pending: Path) -> None:
    rows = read_rows(pending / "sheets" / "ratings.jsonl")
    assert [row["key"] for row in rows] == [{"case": case, "rank": rank} for case in "ab" for rank in (1, 2)]
    assert all(set(row["sees"]) == {"message", "rank", "title"} for row in rows)
    assert not (pending / "sheets" / "reasons.jsonl").exists()  # it follows from the ratings
    page = (pending / "sheets" / "JUDGED.md").read_text(encoding="utf-8")
    assert "- message: prove \\| \\# \\*this\\*" in page
    assert "expected" not in page


def test_to_the_verdict(decided: Path) -> None:
    made = Workspace(decided)
    run = _run(made)
    before, after = _summary(run), _summary(run / "verdict")
    assert before["verdict"] == "PENDING"
    assert (after["verdict"], after["released"], "pending" in after) == ("MIXED", False, False)
    assert after["metrics"]["helped"] == {"num": 1, "den": 3}
    assert after["metrics"]["routed"] == before["metrics"]["routed"]
    assert after["lists"] == {"without_help": ["b", "d"]}
    assert "verdict MIXED" in made.protoc("verify", str(run))
    own = _own(run)
    assert own.returncode == 0, own.stdout
    assert "verdict MIXED" in own.stdout
    page = (run / "verdict" / "RECEIPT_v1.md").read_text(encoding="utf-8")
    assert "Adjudication cannot change gates.routes, routed" in page
    assert "- without\\_help: b, d" in (run / "verdict" / "JUDGED.md").read_text(encoding="utf-8")
    assert "MIXED" in made.protoc("runs")
    events = read_rows(decided / "registry.jsonl")
    assert [event["kind"] for event in events if event["kind"] in ("closed", "decided")] == ["closed", "decided"]


def test_readings_are_told_with_the_final_verdict(decided: Path, tmp_path: Path) -> None:
    """That the run itself had to wait for people is over."""
    made = Workspace(_copy(decided, tmp_path))
    listed = made.protoc("splits")
    assert ("MIXED" in listed, "PENDING" in listed) == (True, False)
    refused = made.try_protoc("run", "specs/topics", "--attest", "blind=Ada")
    assert "E1301" in refused.stderr, refused
    assert "verdict MIXED" in refused.stderr


def test_what_people_told_is_replayed_with_the_run(pending: Path, decided: Path, tmp_path: Path) -> None:
    """Under another protocol a run that is judged ends otherwise; one that waits for people goes on waiting."""
    for folder, old, new in ((decided, "MIXED", "GOOD"), (pending, "PENDING", "PENDING")):
        made = Workspace(_copy(folder, tmp_path / new))
        run = _run(made)
        spec = (run / "spec" / "protocol.yaml").read_text(encoding="utf-8")
        lower = made.folder / "lower.yaml"
        lower.write_text(spec.replace("It helps in at least half", "It helps in at least 10%").replace(
            "must: helped >= 50%", "must: helped >= 10%"), encoding="utf-8")  # fmt: skip
        said = made.protoc("diff", "--no-proof", str(run), str(lower), "--replay", str(run), "--format", "json")
        (found,) = json.loads(said)["replayed"]
        assert (found["old"], found["new"], found["error"]) == (old, new, None)
        assert found["flips"] == (["gates.helps false -> true"] if folder == decided else [])


def test_copies_stand_under_the_asked_names(decided: Path) -> None:
    run = _run(Workspace(decided))
    for asked, own in (
        ("RECEIPT_v1.md", "RECEIPT.md"),
        ("all_cases.jsonl", "cases.jsonl"),
        ("files.json", "manifest.json"),
    ):
        assert (run / asked).read_bytes() == (run / own).read_bytes()
        assert (run / "verdict" / asked).read_bytes() == (run / "verdict" / own).read_bytes()


def test_a_released_verdict_ends_well(pending: Path, tmp_path: Path) -> None:
    made = Workspace(_copy(pending, tmp_path))
    run = _run(made)
    made.protoc("adjudicate", str(run), "--export", "first")
    judged.fill(made.folder / "first", "ratings", a="good", b="good")
    made.protoc("adjudicate", str(run), "--import", "first")
    made.protoc("verdict", str(run), status=1)  # the reasons are not in
    made.protoc("adjudicate", str(run), "--export", "second")
    judged.fill(made.folder / "second", "reasons")
    made.protoc("adjudicate", str(run), "--import", "second")
    assert "verdict: GOOD (released)" in made.protoc("verdict", str(run))
    made.protoc("verify", str(run))


def edited(change: Callable[[list[Row]], list[Row] | None]) -> Callable[[list[Row]], list[Row]]:
    """A change of rows, in place or as others."""
    return lambda rows: change(rows) or rows


def _set(place: int, **values: Any) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [row | values if number == place else row for number, row in enumerate(rows)]


def _see(place: int, **values: Any) -> Callable[[list[Row]], list[Row]]:
    return lambda rows: [
        row | {"sees": row["sees"] | values} if number == place else row for number, row in enumerate(rows)
    ]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (_set(0, label="god"), [("E1809", "did you mean good?")]),
        (_set(1, label=""), [("E1809", "empty")]),
        (_set(1, adjudicator=" "), [("E1810", "who judged it")]),
        (_set(1, at="yesterday"), [("E1810", "when it was judged")]),
        (_set(1, at="2024-12-01T10:00:00"), [("E1810", "when it was judged")]),
        (_see(2, title="Group theory"), [("E1808", "title of case b, rank 1")]),
        (_see(2, more=1), [("E1808", "more of case b, rank 1")]),
        (lambda rows: rows[1:], [("E1805", "case a, rank 1")]),
        (lambda rows: [*rows, rows[0]], [("E1806", "the first is on line 1")]),
        (_set(3, key={"case": "b", "rank": 3}), [("E1805", "case b, rank 2"), ("E1807", "case b, rank 3")]),
        (_set(0, judgement="reasons"), [("E1804", "reasons"), ("E1805", "case a, rank 1")]),
        (_set(0, more="x"), [("E1804", "it has also more"), ("E1805", "case a, rank 1")]),
        (_set(0, note="-----BEGIN PRIVATE KEY-----"), [("E1816", "private key")]),
        (lambda rows: _set(0, label="god")(rows)[:-1], [("E1805", "case b"), ("E1809", "god")]),
    ],
)
def test_what_is_refused_of_a_sheet(
    pending: Path, tmp_path: Path, change: Callable[[list[Row]], list[Row]], expected: list[tuple[str, str]]
) -> None:
    made = Workspace(pending)
    run = _run(made)
    shutil.copytree(pending / "sheets", tmp_path / "s")
    judged.fill(tmp_path / "s", "ratings")
    write_rows(tmp_path / "s" / "ratings.jsonl", change(read_rows(tmp_path / "s" / "ratings.jsonl")))
    done = made.try_protoc("adjudicate", str(run), "--import", str(tmp_path / "s"))
    assert done.returncode == 1, done.stdout
    lines = [line for line in done.stderr.splitlines() if " E18" in f" {line}"]
    assert len(lines) == len(expected), done.stderr
    for kind, words in expected:
        assert any(kind in line for line in lines), done.stderr
        assert words in done.stderr
    assert not (run / "adjudication.unfinished").exists()  # nothing was taken


def test_numbers_in_another_form_are_the_same_numbers(pending: Path, tmp_path: Path) -> None:
    made = Workspace(_copy(pending, tmp_path))
    judged.fill(made.folder / "sheets", "ratings")
    path = made.folder / "sheets" / "ratings.jsonl"
    path.write_text(path.read_text(encoding="utf-8").replace('"rank": 1', '"rank": 1.0'), encoding="utf-8")
    assert "ratings: taken" in made.protoc("adjudicate", str(_run(made)), "--import", "sheets")


def test_what_was_told_stays_told(decided: Path, tmp_path: Path) -> None:
    made = Workspace(decided)
    run = str(_run(made))
    again = made.protoc("adjudicate", run, "--import", "sheets_ratings")
    assert "in already, from the same sheet" in again
    shutil.copytree(decided / "sheets_ratings", tmp_path / "s")
    judged.fill(tmp_path / "s", "ratings", b="good")
    done = made.try_protoc("adjudicate", run, "--import", str(tmp_path / "s"))
    assert (done.returncode, "E1811" in done.stderr) == (1, True)
    done = made.try_protoc("verdict", run)
    assert (done.returncode, "E1813" in done.stderr) == (1, True)


def test_stages_that_wait_for_nothing_are_met_as_they_are_written(tmp_path: Path) -> None:
    """By name they would stand the other way round; nothing but the order of the protocol puts `scores` first."""
    spec = judged.SPEC.replace("    ratings:\n      says", "    scores:\n      says")
    spec = spec.replace("      judges: failures", "      judges: called_for")
    spec = spec.replace("  failures: cases", "  called_for: cases where expected == call\n  failures: cases")
    workspace = judged.workspace(tmp_path / "w", spec=spec)
    workspace.protoc("run", "specs/topics", status=1)
    run = workspace.bundles()[-1]
    stage = open_stage(run)
    assert [part.name for part in stage.turns] == ["scores", "reasons"]
    workspace.protoc("adjudicate", str(run), "--export", str(tmp_path / "sheets"))
    page = (tmp_path / "sheets" / "JUDGED.md").read_text(encoding="utf-8")
    assert page.index("## scores") < page.index("## reasons")
    for name in ("scores", "reasons"):
        judged.fill(tmp_path / "sheets", name)
    workspace.protoc("adjudicate", str(run), "--import", str(tmp_path / "sheets"))
    workspace.protoc("verdict", str(run), status=1)
    workspace.protoc("verify", str(run))


def test_sheets_are_not_written_over(pending: Path) -> None:
    done = Workspace(pending).try_protoc("adjudicate", str(_run(Workspace(pending))), "--export", "sheets")
    assert (done.returncode, done.stderr.count("E1817")) == (1, 2)


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("rows/found.jsonl", "Proofs", "Prooofs"),
        ("adjudication/rows/ratings.jsonl", '"bad"', '"good"'),
        ("adjudication/sheets/ratings.jsonl", '"bad"', '"good"'),
        ("adjudication/ledger.jsonl", "ratings", "ratingz"),
        ("adjudication/receipt.json", '"rows": 4', '"rows": 5'),
        ("adjudication/JUDGED.md", "Ada", "Bob"),
        ("verdict/summary.json", '"MIXED"', '"GOOD"'),
        ("verdict/receipt.json", '"MIXED"', '"GOOD"'),
        ("verdict/RECEIPT_v1.md", "MIXED", "GOOD"),
        ("verdict/RECEIPT.md", "MIXED", "GOOD"),
        ("RECEIPT_v1.md", "PENDING", "GOOD"),
    ],
)
def test_a_changed_stage_does_not_hold(decided: Path, tmp_path: Path, file: str, old: str, new: str) -> None:
    made = Workspace(_copy(decided, tmp_path))
    path = _run(made) / file
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")
    done = made.try_protoc("verify", str(_run(made)))
    assert done.returncode == 1, done.stdout
    assert "E14" in done.stderr or "E15" in done.stderr
    if not file.endswith(("RECEIPT.md", "adjudication/receipt.json")):  # these verify.py leaves to `protoc verify`
        assert _own(_run(made)).returncode == 1


def test_a_page_with_other_line_ends_is_the_same_page(decided: Path, tmp_path: Path) -> None:
    """As git lays text out for a user of Windows: the page of the run, of the sheets and of the final verdict."""
    made = Workspace(_copy(decided, tmp_path))
    pages = sorted(_run(made).rglob("RECEIPT*.md"))
    assert len(pages) >= 5
    for page in pages:
        page.write_bytes(page.read_bytes().replace(b"\n", b"\r\n"))
    made.protoc("verify", str(_run(made)))
    page.write_bytes(page.read_bytes().replace(b"\r\n", b" \r\n", 1))
    assert made.try_protoc("verify", str(_run(made))).returncode == 1


def test_a_file_more_in_a_stage_does_not_hold(decided: Path, tmp_path: Path) -> None:
    made = Workspace(_copy(decided, tmp_path))
    (_run(made) / "verdict" / "more.txt").write_text("more", encoding="utf-8")
    done = made.try_protoc("verify", str(_run(made)))
    assert (done.returncode, "E1404" in done.stderr) == (1, True)
    assert _own(_run(made)).returncode == 1


def test_a_stage_that_was_closed_is_not_open_as_well(decided: Path, tmp_path: Path) -> None:
    """What stands in a folder of sheets to come would be in no manifest."""
    made = Workspace(_copy(decided, tmp_path))
    (_run(made) / "adjudication.unfinished").mkdir()
    (_run(made) / "adjudication.unfinished" / "more.txt").write_text("more", encoding="utf-8")
    done = made.try_protoc("verify", str(_run(made)))
    assert (done.returncode, "E1404" in done.stderr, "unfinished/more.txt" in done.stderr) == (1, True, True)
    own = _own(_run(made))
    assert (own.returncode, "unfinished/more.txt" in own.stdout) == (1, True)


def test_a_verdict_that_was_interrupted_is_begun_anew(decided: Path, tmp_path: Path) -> None:
    made = Workspace(_copy(decided, tmp_path))
    run = _run(made)
    (run / "verdict").rename(run / "verdict.unfinished")
    (run / "verdict.unfinished" / "receipt.json").unlink()
    made.protoc("verify", str(run))
    assert _own(run).returncode == 0
    assert "verdict: MIXED" in made.protoc("verdict", str(run), status=1)
    assert not (run / "verdict.unfinished").exists()
    made.protoc("verify", str(run))
    for gone in ((), ("verdict", "adjudication")):  # it is closed, or cannot have begun
        for stage in gone:
            shutil.rmtree(run / stage)
        (run / "verdict.unfinished").mkdir(exist_ok=True)
        (run / "verdict.unfinished" / "more.txt").write_text("more", encoding="utf-8")
        done = made.try_protoc("verify", str(run))
        assert (done.returncode, "verdict.unfinished/more.txt" in done.stderr) == (1, True)
        own = _own(run)
        assert (own.returncode, "verdict.unfinished/more.txt" in own.stdout) == (1, True)


@pytest.mark.parametrize("file", ["manifest.json", "RECEIPT.md", "adjudication/RECEIPT.md", "verdict/manifest.json"])
def test_what_is_lacking_is_told_by_its_place_in_the_bundle(decided: Path, tmp_path: Path, file: str) -> None:
    made = Workspace(_copy(decided, tmp_path))
    run = _run(made)
    (run / file).unlink()
    done = made.try_protoc("verify", str(run))
    assert done.returncode == 1
    assert f"is not a finished run: {file}: No such file or directory" in done.stderr


def test_a_blocker_that_waits_for_nobody_decides_at_once(tmp_path: Path) -> None:
    subject = judged.SUBJECT.replace('"Proofs"', '"-----BEGIN PRIVATE KEY-----"')
    made = judged.workspace(tmp_path / "w", subject=subject)
    told = made.protoc("run", "specs/topics", status=1)
    assert "verdict: BLOCKED" in told
    summary = _summary(_run(made))
    assert (summary["blockers"]["secret"], summary["gates"]["helps"]) == (True, None)
    page = (_run(made) / "RECEIPT.md").read_text(encoding="utf-8")
    assert "| `rows/found.jsonl` | 1 | private key |" in page
    assert "| `package" not in page
    made.protoc("verify", str(_run(made)))


def test_nobody_attests_what_is_not_asked(pending: Path) -> None:
    done = Workspace(pending).try_protoc("run", "specs/topics", "--rehearse", "--attest", "blnd=Ada")
    assert "did you mean blind?" in done.stderr, done.stderr
    done = Workspace(pending).try_protoc("run", "specs/topics", "--attest", "blind")
    assert done.returncode == 2


def test_score_applies_everything_where_the_files_are_there(decided: Path, tmp_path: Path) -> None:
    made = Workspace(decided)
    run = _run(made)
    shutil.copytree(run / "rows", tmp_path / "rows")
    before = json.loads(
        made.protoc("score", "specs/topics", "--data", str(tmp_path / "rows"), "--format", "json", status=1)
    )
    shutil.copytree(run / "adjudication" / "rows", tmp_path / "rows", dirs_exist_ok=True)
    after = json.loads(
        made.protoc("score", "specs/topics", "--data", str(tmp_path / "rows"), "--format", "json", status=1)
    )
    assert (before["verdict"], after["verdict"]) == ("PENDING", "MIXED")


def test_an_import_that_ended_early_is_closed_by_the_next(decided: Path, tmp_path: Path) -> None:
    made = Workspace(_copy(decided, tmp_path))
    run = _run(made)
    shutil.rmtree(run / "verdict")
    (run / "adjudication").rename(run / "adjudication.unfinished")
    for name in ("manifest.json", "receipt.json", "RECEIPT.md", "JUDGED.md"):
        (run / "adjudication.unfinished" / name).unlink()
    assert "in already" in made.protoc("adjudicate", str(run), "--import", "sheets_ratings")
    assert (run / "adjudication" / "receipt.json").is_file()
    assert "verdict: MIXED" in made.protoc("verdict", str(run), status=1)


def test_a_verdict_that_the_registry_missed_is_told_again(decided: Path, tmp_path: Path) -> None:
    made = Workspace(_copy(decided, tmp_path))
    registry = made.folder / "registry.jsonl"
    registry.write_bytes(b"".join(registry.read_bytes().splitlines(keepends=True)[:-1]))
    run = str(_run(made))
    done = made.try_protoc("verify", run)
    assert (done.returncode, "E1411" in done.stderr) == (1, True)
    assert "verdict: MIXED" in made.protoc("verdict", run, status=1)
    made.protoc("verify", run)


def test_a_rehearsal_can_be_judged_and_releases_nothing(tmp_path: Path) -> None:
    made = Workspace(tmp_path)
    judged.project(tmp_path)
    made.git("init", "-q")
    made.protoc("compile", "specs/topics")
    assert "verdict: PENDING" in made.protoc("run", "specs/topics", "--rehearse", status=1)
    (run,) = (tmp_path / "rehearsals").glob("*/*")
    judged.judge(made, run)
    made.protoc("verdict", str(run), status=1)
    assert _summary(run / "verdict")["released"] is False
    made.protoc("verify", str(run))


def test_a_package_by_itself_takes_a_run_to_its_verdict(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """`python -m PACKAGE.runner` has every command that a run needs, and says what to type next."""
    from protoc_runtime.main import run_package

    made = judged.workspace(tmp_path / "w")
    package = made.folder / "generated" / "finding_topics_v1"
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(made.folder)
        assert run_package(package, ["run", "--attest", "blind=Ada"]) == 1
        (run,) = made.bundles()
        assert run_package(package, ["verdict", str(run)]) == 1
        assert "E1812" in capsys.readouterr().err
        for name in ("ratings", "reasons"):
            sheets = made.folder / f"sheets-{name}"
            assert run_package(package, ["adjudicate", str(run), "--export", str(sheets)]) == 0
            judged.fill(sheets, name)
            assert run_package(package, ["adjudicate", str(run), "--import", str(sheets)]) == 0
        assert f"next: python -m finding_topics_v1.runner verdict {run}" in capsys.readouterr().out
        assert run_package(package, ["verdict", str(run)]) == 1
        assert "verdict: MIXED (not released)" in capsys.readouterr().out
        assert run_package(package, ["verify", str(run)]) == 0
        other = Path(shutil.copytree(package, tmp_path / "other"))
        text = (other / "protocol.json").read_text(encoding="utf-8")
        (other / "protocol.json").write_text(text.replace("Topics that help", "Topics"), encoding="utf-8")
        assert run_package(other, ["verdict", str(run)]) == 1
        assert "not of this package" in capsys.readouterr().err
        with pytest.raises(SystemExit):
            run_package(package, ["run", "--attest", "nobody"])
    assert json.loads((run / "receipt.json").read_text())["predicate"]["claims"][-2]["evidence"].startswith(
        "Ada confirmed"
    )


def test_the_final_verdict_is_signed_with_the_run(decided: Path, tmp_path: Path) -> None:
    pytest.importorskip("cryptography")
    from unit.keys import key_files

    made = Workspace(_copy(decided, tmp_path))
    run = _run(made)
    private, public = key_files(tmp_path, "lab")
    out = made.protoc("sign", str(run), "--key", str(private))
    assert re.findall(r"the (receipt|final verdict) of \S+ is signed", out) == ["receipt", "final verdict"]
    out = made.protoc("verify", str(run), "--key", str(public))
    assert "verified: the final verdict is signed by lab.pub" in out
    assert _own(run).returncode == 0
    (package,) = (made.folder / "generated").iterdir()
    assert run_package(package, ["verify", str(run), "--key", str(public)]) == 0
    of_run, of_verdict = run / "signatures.jsonl", run / "verdict" / "signatures.jsonl"
    lines = of_run.read_bytes(), of_verdict.read_bytes()
    of_verdict.write_bytes(lines[0])
    assert "E2404" in made.try_protoc("verify", str(run)).stderr
    of_verdict.unlink()
    assert run_package(package, ["verify", str(run), "--key", str(public)]) == 0
    of_run.write_bytes(lines[1])
    assert run_package(package, ["verify", str(run), "--key", str(public)]) == 1
    of_run.unlink()
    assert run_package(package, ["verify", str(run), "--key", str(public)]) == 1


def test_why_tells_what_people_said_and_what_follows(pending: Path, decided: Path) -> None:
    before = Workspace(pending)
    said = before.protoc("why", str(_run(before)), "a")
    assert "ratings" not in said
    assert "called: true" in said
    assert "helped" not in said.partition("with it, and without it")[0], "it waits for people"
    after = Workspace(decided)
    said = after.protoc("why", str(_run(after)), "a")
    assert "helped: true" in said
    assert 'case "a", rank 1, label "good", adjudicator "Ada"' in said
    assert "metrics helped: 1/3" in said


def test_why_shows_the_derived_columns_of_every_row(tmp_path: Path) -> None:
    derived = "  cases.called: some found have rank > 0\n"
    spec = judged.SPEC.replace(derived, f"{derived}  found.length: chars(title)\n")
    assert spec != judged.SPEC
    made = judged.workspace(tmp_path / "w", spec=spec)
    made.protoc("run", "specs/topics", "--attest", "blind=Ada", status=1)
    said = made.protoc("why", str(made.bundles()[-1]), "a")
    assert 'case "a", rank 1, title "Proofs", length 6' in said


def test_a_column_that_waits_for_people_has_no_value_yet(pending: Path) -> None:
    row = read_rows(_run(Workspace(pending)) / "cases.jsonl")[0]["row"]
    assert row["called"] is True
    assert "helped" not in row, "nobody has said that it did not help"
