"""A hand-made bundle against its own verifier: it holds, and every change to it is named."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import core, identity
from protoc_compiler.core import BOOL, INT, TEXT, Item, Rows
from protoc_compiler.emit import verify
from protoc_compiler.emit.support.bundle import merkle
from unit.verifying import column, const, evaluate, metric, over, row, study

ROWS = [row("a", n=3, right=True), row("b", n=1, right=True), row("c", n=2, right=False)]
TOTAL = core.Global(INT, "metrics", "total")
WRONG = Rows("r", "cases", where=(core.Not(BOOL, column("right", BOOL)),))
PROTOCOL = study(
    metric("accuracy", over("rate", column("right", BOOL)), text="rate(right over cases)"),
    metric("total", over("sum", column("n", INT), kind=INT), text="sum(n over cases)"),
    Item("gates", "P1.1", BOOL, core.Compare(BOOL, (TOTAL, const(5)), (">=",)), "total >= 5"),
    Item(
        "verdict",
        "verdict",
        TEXT,
        core.Choose(TEXT, ((core.Is(BOOL, core.Global(BOOL, "gates", "P1.1"), "true"), const("PASS")),), const("FAIL")),
        "PASS when all gates have held; FAIL otherwise",
        words=("PASS", "FAIL"),
    ),
    Item("lists", "wrong", core.Type("list", item=TEXT),
         over("list", column("case", TEXT), rows=WRONG), "list"),
    released=("PASS",),
)  # fmt: skip


def digest(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def compact(value: Any) -> bytes:
    return json.dumps(value, sort_keys=True, separators=(",", ":")).encode()


def chain(bodies: list[dict[str, Any]]) -> list[bytes]:
    lines, prev = [], "0" * 64
    for seq, body in enumerate(bodies, 1):
        lines.append(compact({"v": 1, "seq": seq, "prev": prev, "kind": "event", "body": body}))
        prev = digest(lines[-1])
    return lines


def close(folder: Path) -> None:
    """Write manifest and receipt for what is in the folder."""
    outside = ("manifest.json", "receipt.json", "RECEIPT.md")
    paths = [p for p in sorted(folder.rglob("*")) if p.is_file() and p.relative_to(folder).as_posix() not in outside]
    files = {
        p.relative_to(folder).as_posix(): {"sha256": digest(p.read_bytes()), "bytes": p.stat().st_size} for p in paths
    }
    manifest = json.dumps({"schema": "protoc/manifest/1", "files": files}).encode()
    (folder / "manifest.json").write_bytes(manifest)
    lines = (folder / "ledger.jsonl").read_bytes().splitlines()
    summary = json.loads((folder / "summary.json").read_text())
    predicate = {
        "protocol": {"spec_digest": identity.digest(PROTOCOL)},
        "manifest": digest(manifest),
        "ledger": {"head": digest(lines[-1]), "length": len(lines), "root": merkle(lines).hex()},
        "verdict": summary["verdict"],
        "released": summary["released"],
        "results": {"metrics": summary["metrics"]},
    }
    subject = [{"name": "manifest.json", "digest": {"sha256": digest(manifest)}}]
    statement = {
        "_type": "https://in-toto.io/Statement/v1",
        "subject": subject,
        "predicateType": "x",
        "predicate": predicate,
    }
    (folder / "receipt.json").write_text(json.dumps(statement))
    (folder / "RECEIPT.md").write_text("# PASS\n")


@pytest.fixture(scope="module")
def made() -> dict[str, bytes]:
    """The files of a bundle without manifest and receipt."""
    results = evaluate(PROTOCOL, cases=ROWS)
    return {
        "rows/cases.jsonl": b"".join(json.dumps(each).encode() + b"\n" for each in ROWS),
        "summary.json": json.dumps({**results, "kind": "run"}, indent=1).encode(),
        "ledger.jsonl": b"".join(line + b"\n" for line in chain([{"n": n} for n in range(5)])),
        "package/protocol.json": identity.canonical(PROTOCOL),
        "seal.json": json.dumps({"predicate": {"spec": identity.digest(PROTOCOL), "inputs": []}}).encode(),
        "verify.py": verify.render(PROTOCOL).encode(),
        "logs/empty.txt": b"",
    }


@pytest.fixture
def bundle(tmp_path: Path, made: dict[str, bytes]) -> Path:
    """A closed bundle."""
    for name, data in made.items():
        path = tmp_path / "bundle" / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(data)
    close(tmp_path / "bundle")
    return tmp_path / "bundle"


def run(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    """The verifier as a stranger runs it."""
    return subprocess.run(
        [sys.executable, "-I", "-B", "verify.py", *arguments], cwd=cwd, capture_output=True, text=True, check=False
    )


def change(path: Path, old: str, new: str) -> None:
    text = path.read_text()
    assert old in text
    path.write_text(text.replace(old, new, 1))


def test_a_bundle_is_checked_from_wherever_it_is_asked(bundle: Path, tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    command = [sys.executable, "-I", "-B", str(bundle / "verify.py")]
    done = subprocess.run(command, cwd=tmp_path / "elsewhere", capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout
    assert "recomputed: verdict FAIL, not released" not in done.stdout
    assert "recomputed: verdict PASS, released" in done.stdout


def test_a_verifier_that_lies_in_no_bundle_says_so(tmp_path: Path, made: dict[str, bytes]) -> None:
    (tmp_path / "verify.py").write_bytes(made["verify.py"])
    done = run(cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert "name the folder of a finished run" in done.stderr


def test_a_whole_bundle_holds(bundle: Path) -> None:
    done = run(cwd=bundle)
    assert (done.returncode, done.stderr) == (0, "")
    assert "the bundle holds" in done.stdout
    assert "cannot tell: who made this: an unsigned receipt protects against accident" in done.stdout
    for words in (
        "7 files against the manifest",
        "chain of 5 events",
        "3 rows",
        "spec digest in receipt.json, summary.json",
    ):
        assert words in done.stdout


@pytest.mark.parametrize(
    ("name", "old", "new", "words"),
    [
        (
            "rows/cases.jsonl",
            '"n": 3',
            '"n": 4',
            "metrics total: summary.json says 6/1, the rows give 7/1 [sum(n over cases)]",
        ),
        (
            "rows/cases.jsonl",
            '"right": false',
            '"right": true',
            'lists wrong: summary.json says ["c"], the rows give []',
        ),
        ("rows/cases.jsonl", '"n": 3', '"n": "3"', 'cases line 1 of cases.jsonl, field n: "3" is not a number'),
        (
            "summary.json",
            '"verdict": "PASS"',
            '"verdict": "FAIL"',
            'verdict: summary.json says "FAIL", the rows give "PASS"',
        ),
        ("summary.json", '"P1.1": true', '"P1.1": null', "gates P1.1: summary.json says null, the rows give true"),
        ("summary.json", '"num": 6', '"num": 5', "metrics total: summary.json says 5/1, the rows give 6/1"),
        ("summary.json", '"spec_digest": "sha256:', '"spec_digest": "sha256:0', "summary.json: its spec digest is"),
        ("ledger.jsonl", '{"n":2}', '{"n":9}', "ledger.jsonl line 4: it does not continue the line before"),
        ("package/protocol.json", "small-study", "small-studz", "protocol.json: its digest is not the spec digest"),
        ("seal.json", '"spec": "sha256:', '"spec": "sha256:0', "seal.json: its spec digest is"),
    ],
)
@pytest.mark.parametrize("closed_again", [False, True])
def test_a_change_is_named(bundle: Path, name: str, old: str, new: str, words: str, closed_again: bool) -> None:
    change(bundle / name, old, new)
    if closed_again:
        close(bundle)
    done = run(cwd=bundle)
    assert done.returncode == 1
    assert words in done.stdout
    assert f"{name}: changed, its digest is not the one in the manifest" in done.stdout or closed_again
    assert "the bundle does not hold" in done.stdout
    assert done.stdout.startswith("DOES NOT HOLD: "), "a verdict comes before what takes it back"


def test_a_changed_log_is_named(bundle: Path) -> None:
    (bundle / "logs" / "empty.txt").write_text("x")
    assert "logs/empty.txt: changed, its digest is not the one in the manifest" in run(cwd=bundle).stdout


def test_missing_and_extra_files_are_named(bundle: Path) -> None:
    (bundle / "logs" / "empty.txt").rename(bundle / "logs" / "other.txt")
    done = run(cwd=bundle)
    assert done.returncode == 1
    assert "logs/empty.txt: in the manifest, but missing" in done.stdout
    assert "logs/other.txt: not in the manifest" in done.stdout


@pytest.mark.parametrize("name", ["manifest.json", "receipt.json", "summary.json", "ledger.jsonl", "rows/cases.jsonl"])
@pytest.mark.parametrize("how", ["removed", "empty", "junk"])
def test_damaged_files_never_end_in_a_traceback(bundle: Path, name: str, how: str) -> None:
    if how == "removed":
        (bundle / name).unlink()
    else:
        (bundle / name).write_bytes(b"" if how == "empty" else b"[1, {\xff")
    done = run(cwd=bundle)
    assert done.returncode == 1
    assert done.stderr == ""
    assert Path(name).name.split(".")[0] in done.stdout


@pytest.mark.parametrize("document", ["[]", "{}", '{"files": 3}', '{"files": {"a": 3}}', "null"])
def test_documents_of_another_shape(bundle: Path, document: str) -> None:
    for name in ("manifest.json", "receipt.json", "summary.json"):
        (bundle / name).write_text(document)
    done = run(cwd=bundle)
    assert (done.returncode, done.stderr) == (1, "")


def test_a_shortened_ledger_is_found_by_the_receipt(bundle: Path) -> None:
    lines = (bundle / "ledger.jsonl").read_bytes().splitlines(keepends=True)
    (bundle / "ledger.jsonl").write_bytes(b"".join(lines[:-1]))
    done = run(cwd=bundle)
    assert done.returncode == 1
    assert "ledger.jsonl: its length is 4, the receipt says 5" in done.stdout


def test_a_wrong_manifest_is_found_by_the_receipt(bundle: Path) -> None:
    with (bundle / "manifest.json").open("a") as file:
        file.write(" ")
    done = run(cwd=bundle)
    assert done.returncode == 1
    assert "manifest.json: changed, its digest is not the one in the receipt" in done.stdout


def test_a_rehearsal_releases_nothing(bundle: Path) -> None:
    change(bundle / "summary.json", '"kind": "run"', '"kind": "rehearsal"')
    close(bundle)
    done = run(cwd=bundle)
    assert done.returncode == 1
    assert "released: summary.json says true, the rows give false" in done.stdout


def test_links_are_no_files(bundle: Path) -> None:
    (bundle / "logs" / "empty.txt").unlink()
    (bundle / "logs" / "empty.txt").symlink_to(bundle / "verify.py")
    assert "logs/empty.txt: a link, not a file" in run(cwd=bundle).stdout


@pytest.mark.parametrize("name", ["manifest.json", "receipt.json", "RECEIPT.md"])
def test_what_the_manifest_does_not_list_is_no_link_either(bundle: Path, tmp_path: Path, name: str) -> None:
    (bundle / name).rename(tmp_path / f"elsewhere-{name}")
    (bundle / name).symlink_to(tmp_path / f"elsewhere-{name}")
    done = run(cwd=bundle)
    assert done.returncode == 1
    assert f"{name}: a link, not a file" in done.stdout


def test_scoring_a_folder(bundle: Path) -> None:
    done = run("--data", "rows", "--json", cwd=bundle)
    assert done.returncode == 0
    found = json.loads(done.stdout)
    assert found["metrics"] == {"accuracy": {"num": 2, "den": 3}, "total": {"num": 6, "den": 1}}
    assert (found["verdict"], found["schema"]) == ("PASS", "protoc/score/1")
    assert "metrics accuracy: 2/3" in run("--data", "rows", cwd=bundle).stdout


@pytest.mark.parametrize(
    ("arguments", "status", "words"),
    [
        (["--json"], 2, "--json has no effect without --data"),
        (["nowhere"], 2, "nowhere is not a folder"),
        (["--data", "logs"], 2, "no file for the table cases"),
        (["--unknown"], 2, "unrecognized arguments"),
    ],
)
def test_wrong_use(bundle: Path, arguments: list[str], status: int, words: str) -> None:
    done = run(*arguments, cwd=bundle)
    assert done.returncode == status
    assert words in done.stderr


@pytest.mark.parametrize("size", range(9))
def test_the_merkle_root_is_that_of_rfc_6962(size: int) -> None:
    leaves = [bytes([n]) for n in range(size)]

    def tree(part: list[bytes]) -> bytes:
        if not part:
            return hashlib.sha256(b"").digest()
        if len(part) == 1:
            return hashlib.sha256(b"\0" + part[0]).digest()
        half = 1 << (len(part) - 1).bit_length() - 1
        return hashlib.sha256(b"\1" + tree(part[:half]) + tree(part[half:])).digest()

    assert merkle(leaves) == tree(leaves)
