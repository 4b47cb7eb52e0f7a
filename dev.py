#!/usr/bin/env python3
"""Set-up, demo and tests with nothing but Python 3.11+ and git.

python3 dev.py demo    set up, then compile, seal, run and verify an example in a throw-away workspace; a word names the
                       example, as `theorempath_ask_holdout_v2`
python3 dev.py test    set up, then run the whole test suite (further words go to pytest)
python3 dev.py lint    set up, then ruff and strict mypy
python3 dev.py lock    pin the newest versions that pyproject.toml allows (needs `uv`)
"""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tempfile
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parent
ENVIRONMENT = ROOT / ".venv"
PYTHON = ENVIRONMENT / "bin" / "python"


def main(words: list[str]) -> int:
    """Run one command."""
    if sys.version_info < (3, 11):
        print(f"Python 3.11 or newer is needed, and this is {sys.version.split()[0]}", file=sys.stderr)
        return 2
    commands = {"demo": demo, "test": test, "lint": lint, "lock": lock}
    if not words or words[0] not in commands:
        print(__doc__)
        return 2
    return commands[words[0]](words[1:])


def set_up(lock_file: str) -> None:
    """The environment in `.venv`, as the lock file pins it, and this checkout installed into it."""
    wanted = hashlib.sha256((ROOT / lock_file).read_bytes() + (ROOT / "pyproject.toml").read_bytes()).hexdigest()
    stamp = ENVIRONMENT / f"{lock_file}.installed"
    if PYTHON.exists() and stamp.exists() and stamp.read_text() == wanted:
        return
    if not PYTHON.exists():
        print("making .venv ...", flush=True)
        venv.create(ENVIRONMENT, with_pip=True)
    print(f"installing into .venv what {lock_file} pins; once, and it may take minutes ...", flush=True)
    pip = [str(PYTHON), "-m", "pip", "install", "--quiet", "--disable-pip-version-check"]
    subprocess.run([*pip, "--require-hashes", "-r", str(ROOT / lock_file)], check=True)
    subprocess.run([*pip, "--no-deps", "-e", str(ROOT)], check=True)
    stamp.write_text(wanted)


def protoc(folder: Path, *words: str, expect: tuple[int, ...] = (0,)) -> int:
    """One command of the tool, shown as a user would type it."""
    print(f"\n$ protoc {' '.join(words)}", flush=True)
    code = subprocess.run([str(PYTHON), "-m", "protoc_compiler", *words], cwd=folder).returncode
    if code not in expect:
        raise SystemExit(f"protoc {words[0]} ended with {code}")
    return code


def tell(words: str) -> None:
    """What the next command is for."""
    print(f"\n# {words}", flush=True)


def git(folder: Path, *words: str) -> None:
    """One git command in the throw-away workspace."""
    name = ["-c", "user.name=A Reader", "-c", "user.email=reader@example.org", "-c", "commit.gpgsign=false"]
    subprocess.run(["git", *name, *words], cwd=folder, check=True, stdout=subprocess.DEVNULL)


def commit(folder: Path, message: str) -> None:
    """Everything in the workspace, as a user would commit it."""
    print(f"\n$ git add --all && git commit --message '{message}'", flush=True)
    git(folder, "add", "--all")
    git(folder, "commit", "--quiet", "--message", message)


def demo(words: list[str]) -> int:
    """An example, from its text to a verified verdict: the extractor, or the one whose folder is named."""
    set_up("requirements.lock")
    example = words[0] if words else "karsa_extractor_v2"
    with tempfile.TemporaryDirectory(prefix="protoc-demo-") as place:
        folder = Path(place)
        shutil.copytree(
            ROOT / "specs" / example, folder / "specs" / example, ignore=shutil.ignore_patterns("seal.jsonl")
        )
        (folder / ".gitignore").write_text("runs/\nsheets/\n__pycache__/\n")
        (folder / ".gitattributes").write_text("registry.jsonl merge=union\n")
        git(folder, "init", "--quiet")
        commit(folder, "Write the protocol")
        spec = f"specs/{example}"
        hook = folder / spec / "demo.py"
        if hook.exists():  # an example with services and judgements of its own
            return subprocess.run([str(PYTHON), str(hook), str(folder)]).returncode
        tell("Does the protocol say what its author means, and can each of its rules hold and fail?")
        protoc(folder, "check", spec)
        tell(
            "Write the package that applies its rules, and commit it, so that the seal can say that git has all of it."
        )
        protoc(folder, "compile", spec)
        commit(folder, "Compile the protocol")
        tell("Pin protocol, package, rows and code before the subject is judged.")
        protoc(folder, "seal", spec)
        commit(folder, "Seal the protocol, its rows and its code")
        tell("Ask the subject for every case, once, and apply the rules.")
        released = protoc(folder, "run", spec, expect=(0, 1)) == 0
        told = (
            "0: the verdict is released"
            if released
            else "1: the verdict does not release. It is published all the same"
        )
        print(f"(exit status {told}.)", flush=True)
        bundle = max((folder / "runs").glob("*/*"), key=os.path.getmtime)
        place = bundle.relative_to(folder)
        tell("The bundle has a receipt for people. It begins so:")
        print(f"\n$ head -n 17 {place}/RECEIPT.md")
        print("\n".join((bundle / "RECEIPT.md").read_text(encoding="utf-8").splitlines()[:17]), flush=True)
        tell("Compute everything anew from the bundle, with this tool and then with Python alone.")
        protoc(folder, "verify", str(place))
        print(f"\n$ python3 -I {place}/verify.py", flush=True)
        subprocess.run([sys.executable, "-I", str(bundle / "verify.py")], cwd=folder, check=True)
        print("\nThis was a throw-away copy of the workspace, so the demo can be repeated; a real one is sealed once.")
    return 0


def test(words: list[str]) -> int:
    """The whole test suite."""
    set_up("requirements-dev.lock")
    environment = {**os.environ, "PYTHONHASHSEED": os.environ.get("PYTHONHASHSEED", "0")}
    return subprocess.run(
        [str(PYTHON), "-m", "pytest", "-n", "2", "--dist", "worksteal", *words], cwd=ROOT, env=environment
    ).returncode


def lint(_: list[str]) -> int:
    """ruff and strict mypy."""
    set_up("requirements-dev.lock")
    checks = (["ruff", "check", "."], ["ruff", "format", "--check", "."], ["mypy"])
    return max(subprocess.run([str(PYTHON), "-m", *check], cwd=ROOT).returncode for check in checks)


def lock(_: list[str]) -> int:
    """Both lock files."""
    common = ["uv", "pip", "compile", "pyproject.toml", "--universal", "--python-version", "3.11"]
    common += ["--generate-hashes", "--no-header", "--no-annotate", "--quiet", "--upgrade"]
    for extra, name in ((["--extra", "all"], "requirements.lock"), (["--extra", "dev"], "requirements-dev.lock")):
        subprocess.run([*common, *extra, "--output-file", name], cwd=ROOT, check=True)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
