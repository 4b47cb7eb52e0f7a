"""The distribution as pip installs it: two packages, one command, usable from any folder."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from e2e.workspaces import ROOT

NO_INDEX = (
    "No matching distribution", "Could not find a version", "No module named pip", "ConnectionError", "timed out",
    "Max retries exceeded", "IncompleteRead", "HTTP error",
)  # fmt: skip
OWN_BACKEND = "--no-build-isolation"  # that of the test's own environment: what can be built without an index is


def pip(*arguments: str) -> None:
    """Run pip, or skip where it or the package index with the build backend cannot be reached."""
    command = [sys.executable, "-m", "pip", *arguments, "--quiet", "--disable-pip-version-check"]
    done = subprocess.run(command, text=True, capture_output=True, timeout=300)
    if done.returncode and any(words in done.stderr for words in NO_INDEX):
        pytest.skip(f"no pip, or no index with the build backend: {done.stderr.strip().splitlines()[-1]}")
    assert done.returncode == 0, done.stderr


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    pip("wheel", str(ROOT), "--no-deps", OWN_BACKEND, "--wheel-dir", str(folder))
    (made,) = folder.glob("*.whl")
    return made


def environment_with(folder: Path, *what: str) -> Path:
    """A virtual environment into which only this is installed; what it depends on is that of the test's own."""
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True)
    python = folder / "bin" / "python"
    pip("--python", str(python), "install", "--no-deps", *what)
    site = subprocess.run(
        [python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))"],
        text=True,
        capture_output=True,
        check=True,
    ).stdout.strip()
    Path(site, "zz_dependencies.pth").write_text(sysconfig.get_path("purelib") + "\n", encoding="utf-8")
    return folder / "bin"


def answer(command: list[str], folder: Path) -> str:
    kept = {name: os.environ[name] for name in ("HOME", "TMPDIR") if name in os.environ}
    environment = {**kept, "PATH": "/usr/bin:/bin", "LANG": "C.UTF-8"}
    done = subprocess.run(command, cwd=folder, env=environment, text=True, capture_output=True, timeout=120)
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


def test_the_wheel_holds_two_packages_and_their_data(wheel: Path) -> None:
    names = zipfile.ZipFile(wheel).namelist()
    tops = {name.split("/")[0] for name in names}
    assert {top for top in tops if not top.endswith(".dist-info")} == {"protoc_compiler", "protoc_runtime"}
    assert not [name for name in names if "__pycache__" in name or name.endswith(".pyc")]
    for needed in ("protoc_compiler/grammar.lark", "protoc_compiler/py.typed", "protoc_runtime/py.typed"):
        assert needed in names
    assert [name for name in names if name.startswith("protoc_compiler/templates/python/specs/")]


@pytest.mark.parametrize("how", ["wheel", "editable"])
def test_the_command_works_from_any_folder(how: str, wheel: Path, tmp_path: Path) -> None:
    what = [str(wheel)] if how == "wheel" else ["--editable", str(ROOT)]
    binary = environment_with(tmp_path / "environment", *what)
    place = tmp_path / "elsewhere"
    place.mkdir()
    where = answer([str(binary / "python"), "-c", "import protoc_compiler as p; print(p.__file__)"], place).strip()
    assert Path(where).is_relative_to((tmp_path / "environment" if how == "wheel" else ROOT / "compiler").resolve())
    for name in ("protoc", "evalprotoc"):
        assert answer([str(binary / name), "--version"], place).strip()
    answer([str(binary / "protoc"), "init", "project"], place)
    answer([str(binary / "protoc"), "check", "project/specs/spam_filter"], place)
    answer([str(binary / "protoc"), "compile", "project/specs/spam_filter"], place)
    assert (place / "project" / "generated" / "spam_filter_v1" / "verify.py").is_file()
