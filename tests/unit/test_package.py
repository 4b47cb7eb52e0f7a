"""A generated package is written as a whole, recognised when it is stale, and never written over somebody's work."""

from __future__ import annotations

import ast
import hashlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from protoc_compiler import identity, pipeline
from protoc_compiler.catalogue import package as kinds
from protoc_compiler.cli import main
from protoc_compiler.emit import package, runner
from protoc_runtime.diagnostics import Refused
from unit import protocols

ROOT = Path(__file__).resolve().parents[2]
SPEC = ROOT / "specs" / "karsa_extractor_v2" / "protocol.yaml"


def with_list(files: dict[str, bytes]) -> dict[str, bytes]:
    """Files with their list, as `render` makes it."""
    listed = package._list(files, "specs/s/protocol.yaml", "sha256:" + "0" * 64)
    return files | {package.LIST: json.dumps(listed).encode()}


OLD = with_list({"rules.py": b"one = 1\n", "schemas/cases.json": b"{}\n", "gone.py": b""})
NEW = with_list({"rules.py": b"one = 2\n", "schemas/cases.json": b"{}\n", "more/new.py": b""})


def ids(work: Callable[[], object]) -> list[str]:
    with pytest.raises(Refused) as refused:
        work()
    return [item.id for item in refused.value.diagnostics]


def test_a_package_is_written_and_replaced_as_a_whole(tmp_path: Path) -> None:
    folder = tmp_path / "generated" / "study_v1"
    assert package.write(OLD, folder)
    assert package.present(folder) == OLD
    (folder / "__pycache__").mkdir()
    (folder / "__pycache__" / "rules.pyc").write_bytes(b"x")
    assert package.write(NEW, folder)
    assert package.present(folder) == NEW
    assert sorted(path.name for path in folder.parent.iterdir()) == ["study_v1"]


def test_the_same_again_touches_nothing(tmp_path: Path) -> None:
    package.write(OLD, tmp_path / "p")
    before = (tmp_path / "p" / "rules.py").stat()
    assert not package.write(OLD, tmp_path / "p")
    after = (tmp_path / "p" / "rules.py").stat()
    assert (before.st_ino, before.st_mtime_ns) == (after.st_ino, after.st_mtime_ns)


def test_an_edited_file_is_not_overwritten(tmp_path: Path) -> None:
    package.write(OLD, tmp_path / "p")
    (tmp_path / "p" / "rules.py").write_bytes(b"one = 100\n")
    (tmp_path / "p" / "notes.txt").write_bytes(b"mine")
    assert ids(lambda: package.write(NEW, tmp_path / "p")) == ["E0902", "E0901"]
    assert (tmp_path / "p" / "rules.py").read_bytes() == b"one = 100\n"
    assert (tmp_path / "p" / "notes.txt").read_bytes() == b"mine"


def test_a_file_that_was_edited_into_what_is_generated_now_is_no_loss(tmp_path: Path) -> None:
    package.write(OLD, tmp_path / "p")
    (tmp_path / "p" / "rules.py").write_bytes(NEW["rules.py"])
    assert package.write(NEW, tmp_path / "p")


@pytest.mark.parametrize("content", [None, b"{", b'{"format": "other", "files": {}}', b"[]"])
def test_a_folder_that_is_no_package_is_left_alone(tmp_path: Path, content: bytes | None) -> None:
    (tmp_path / "p").mkdir()
    (tmp_path / "p" / "thesis.tex").write_bytes(b"years of work")
    if content is not None:
        (tmp_path / "p" / package.LIST).write_bytes(content)
    assert ids(lambda: package.write(NEW, tmp_path / "p")) == ["E0903"]
    assert (tmp_path / "p" / "thesis.tex").exists()


def test_a_file_in_the_place_of_the_folder_is_left_alone(tmp_path: Path) -> None:
    (tmp_path / "p").write_bytes(b"")
    assert ids(lambda: package.write(NEW, tmp_path / "p")) == ["E0903"]


def test_an_empty_folder_is_filled(tmp_path: Path) -> None:
    (tmp_path / "p").mkdir()
    assert package.write(NEW, tmp_path / "p")


def test_where_nothing_can_be_written_nothing_is_changed(tmp_path: Path) -> None:
    (tmp_path / "file").write_bytes(b"")
    assert ids(lambda: package.write(NEW, tmp_path / "file" / "p")) == ["E0906"]
    assert [path.name for path in tmp_path.iterdir()] == ["file"]


def test_stale_files_are_shown_as_a_diff(tmp_path: Path) -> None:
    package.write(OLD, tmp_path / "study_v1")
    assert package.stale(OLD, tmp_path / "study_v1") == []
    text = "".join(package.stale(NEW, tmp_path / "study_v1"))
    assert "--- a/study_v1/rules.py\n+++ b/study_v1/rules.py\n" in text
    assert "-one = 1\n+one = 2\n" in text
    assert "schemas/cases.json" not in text.replace(json.dumps(NEW[package.LIST].decode()), "").split("package.json")[0]


def test_the_digest_of_a_package_is_of_its_paths_and_digests() -> None:
    line = "a.py sha256:1\nb.py sha256:2\n"
    wanted = "sha256:" + hashlib.sha256(line.encode()).hexdigest()
    assert package.package_digest({"b.py": "sha256:2", "a.py": "sha256:1"}) == wanted


def test_the_runner_says_what_it_runs() -> None:
    text = runner.render(protocols.tickets())
    ast.parse(text)
    assert "python -m small_study_v1.runner --help" in text
    assert "run_package(Path(__file__).resolve().parent" in text


# --- the whole road from a spec --------------------------------------------------------------------------------------


@pytest.fixture(scope="module")
def files() -> dict[str, bytes]:
    protocol, findings = pipeline.check(SPEC)
    assert protocol is not None, [item.message for item in findings]
    return package.render(protocol, "specs/karsa_extractor_v2/protocol.yaml")


def test_every_file_of_a_package_is_there_and_listed(files: dict[str, bytes]) -> None:
    programs = {"__init__.py", "models.py", "rules.py", "runner.py", "verify.py"}
    assert programs | {"protocol.json", "PROTOCOL.md", "package.json", "schemas/cases.json"} <= files.keys()
    listed = json.loads(files["package.json"])
    digests = {
        path: "sha256:" + hashlib.sha256(data).hexdigest() for path, data in files.items() if path != "package.json"
    }
    assert listed["files"] == digests
    assert listed["digest"] == package.package_digest(digests)
    assert listed["spec_digest"] == "sha256:" + hashlib.sha256(files["protocol.json"]).hexdigest()


def test_every_text_says_where_it_comes_from(files: dict[str, bytes]) -> None:
    protocol, _ = pipeline.check(SPEC)
    assert protocol is not None
    for path, data in files.items():
        if path not in ("protocol.json",):
            text = data.decode("utf-8")
            assert "specs/karsa_extractor_v2/protocol.yaml" in text, path
            assert identity.digest(protocol) in text, path
            assert str(ROOT) not in text, path


def test_the_bytes_do_not_depend_on_the_surroundings(files: dict[str, bytes], tmp_path: Path) -> None:
    code = (
        "import sys; from protoc_compiler import pipeline; from protoc_compiler.emit import package\n"
        "files = package.render(pipeline.check(sys.argv[1])[0], 'specs/karsa_extractor_v2/protocol.yaml')\n"
        "import json; print(json.loads(files['package.json'])['digest'])"
    )
    surroundings = {"PYTHONHASHSEED": "12", "TZ": "Pacific/Apia", "LC_ALL": "C", "PATH": os.environ["PATH"]}
    surroundings["PYTHONPATH"] = os.pathsep.join([str(ROOT / "compiler"), str(ROOT / "runtime")])
    done = subprocess.run(
        [sys.executable, "-c", code, str(SPEC)],
        cwd=tmp_path,
        env=surroundings,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == json.loads(files["package.json"])["digest"]


def protoc(*arguments: object) -> tuple[int, str, str]:
    out, err = io.StringIO(), io.StringIO()
    status = main([str(argument) for argument in arguments], io.StringIO(), out, err)
    return status, out.getvalue(), err.getvalue()


def test_compile_writes_then_finds_nothing_stale_until_the_spec_changes(tmp_path: Path) -> None:
    spec = tmp_path / "specs" / "s" / "protocol.yaml"
    spec.parent.mkdir(parents=True)
    spec.write_bytes(SPEC.read_bytes())
    (tmp_path / "protoc.toml").write_bytes(b"")
    folder = tmp_path / "generated" / "karsa_extractor_v2"
    assert protoc("compile", spec.parent, "--check")[0] == 1
    assert not folder.exists()
    status, out, err = protoc("compile", spec.parent)
    assert (status, out, err) == (0, f"{folder}: written\n", "")
    assert protoc("compile", spec) == (0, f"{folder}: unchanged\n", "")
    assert protoc("compile", spec, "--check") == (0, "", "")
    assert b"from specs/s/protocol.yaml." in (folder / "rules.py").read_bytes()
    spec.write_text(
        spec.read_text(encoding="utf-8").replace("Extractor evaluation v2", "Another title"), encoding="utf-8"
    )
    status, out, err = protoc("compile", spec, "--check")
    assert status == 1
    assert "+++ b/karsa_extractor_v2/PROTOCOL.md" in out
    assert "E0905" in err
    assert protoc("compile", spec)[0] == 0


def test_two_specs_of_one_package_are_refused_and_nothing_is_written(tmp_path: Path) -> None:
    for name in ("a.yaml", "b.yaml"):
        (tmp_path / name).write_bytes(SPEC.read_bytes())
    status, out, err = protoc("compile", tmp_path / "a.yaml", tmp_path / "b.yaml", "--out", tmp_path / "out")
    assert (status, out) == (1, "")
    assert "E0904" in err
    assert not (tmp_path / "out").exists()


def test_a_spec_with_errors_stops_the_others_too(tmp_path: Path) -> None:
    (tmp_path / "a.yaml").write_bytes(SPEC.read_bytes())
    (tmp_path / "b.yaml").write_bytes(b"protoc: 1\nunknown: 2\n")
    assert protoc("compile", tmp_path / "a.yaml", tmp_path / "b.yaml", "--out", tmp_path / "out")[0] == 1
    assert not (tmp_path / "out").exists()


def test_every_kind_is_triggered_by_a_test_of_this_file() -> None:
    text = Path(__file__).read_text(encoding="utf-8")
    assert [kind.id for kind in kinds.KINDS if kind.id not in text] == []
