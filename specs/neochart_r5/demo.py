"""The whole road of this example in a workspace that has a copy of this folder under `specs/`, all of it committed.

python3 demo.py WORKSPACE    needs `protoc_compiler` in the environment of this Python

Checks, compiles, seals and runs 20 sessions of the agent; then a script takes the part of the reviewer, who marks every
opinion before a proposal is shown. `python3 dev.py demo neochart_r5` makes the workspace and calls this.
"""

from __future__ import annotations

import os
import subprocess
import sys
from importlib.util import find_spec
from pathlib import Path

import page
from review import fill

NAME = Path(__file__).resolve().parent.name
SPEC = f"specs/{NAME}"
IDENTITY = ("-c", "user.name=A Reader", "-c", "user.email=reader@example.org", "-c", "commit.gpgsign=false")


class Road:
    """A workspace, in which the tool runs as a user would run it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def protoc(self, *words: str, expect: tuple[int, ...] = (0,)) -> int:
        """One command of the tool, shown as a user would type it."""
        print(f"\n$ protoc {' '.join(words)}", flush=True)
        code = subprocess.run([sys.executable, "-m", "protoc_compiler", *words], cwd=self.folder).returncode  # noqa: PLW1510, S603
        if code not in expect:
            raise SystemExit(f"protoc {words[0]} ended with {code}")
        return code

    def commit(self, message: str) -> None:
        """Everything in the workspace, as a user would commit it."""
        for words in (("add", "--all"), ("commit", "--quiet", "--message", message)):
            subprocess.run(["git", *IDENTITY, *words], cwd=self.folder, check=True)  # noqa: S603, S607

    def run(self) -> str:
        """Freeze, and ask the agent about every opinion; the place of the bundle in the workspace."""
        tell("Does the protocol say what its author means, and is the sample the one that it draws?")
        self.protoc("check", SPEC)
        self.protoc("compile", SPEC)
        self.commit("Compile the protocol")
        self.protoc("seal", SPEC)
        self.commit("Freeze prompt, schema, agent, reader, checklists, sample, protocol and post-mortem")
        tell("One session per opinion, in an empty folder. No verdict before the review.")
        self.protoc("run", SPEC, expect=(0, 1))
        bundle = max((self.folder / "runs").glob("*/*/manifest.json"), key=os.path.getmtime).parent
        return bundle.relative_to(self.folder).as_posix()

    def review(self, bundle: str) -> None:
        """The inventory first; only when it is saved a proposal is shown. A script takes QA1's part: at the page of the
        review room where the extra `room` is installed, else with sheets."""
        if find_spec("starlette") is not None and find_spec("uvicorn") is not None:
            tell("QA1 in the review room. (A script does at the page what a person would.)")
            print(f"\n$ protoc adjudicate {bundle} --serve --rater QA1", flush=True)
            print("given at the page:", page.review(self.folder, bundle), flush=True)
            return
        for stage in ("inventory", "proposals"):
            tell(f"QA1: {stage}. (A script fills in the sheet; `protoc adjudicate {bundle} --serve` is the page.)")
            self.protoc("adjudicate", bundle, "--export", f"sheets/{stage}")
            print("filled in:", ", ".join(fill(self.folder / "sheets" / stage)), flush=True)
            self.protoc("adjudicate", bundle, "--import", f"sheets/{stage}")


def tell(words: str) -> None:
    """What the next command is for."""
    print(f"\n# {words}", flush=True)


def main(folder: Path) -> int:
    """The whole road. Exit status of the verdict, 0 if released."""
    road = Road(folder)
    bundle = road.run()
    tell("What may be published: of a rejected candidate its reason and the digest of its quote.")
    lines = (folder / bundle / "packets.jsonl").read_text(encoding="utf-8").splitlines()
    print("\n".join([f"$ head -n 4 {bundle}/packets.jsonl", *lines[:4]]), flush=True)
    road.review(bundle)
    tell("Close the run: the whole protocol, applied to what the agent said and to what QA1 saw.")
    ended = road.protoc("verdict", bundle, expect=(0, 1))
    tell("Compute everything anew from the bundle.")
    road.protoc("verify", bundle)
    return ended


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).resolve()))
