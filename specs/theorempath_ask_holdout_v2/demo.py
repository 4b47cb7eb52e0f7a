"""The whole road of this example in a workspace that has a copy of this folder under `specs/`, all of it committed.

python3 demo.py WORKSPACE    needs `protoc_compiler` in the environment of this Python

Starts the embedding provider, builds the repository of Ask, then checks, compiles, seals, runs, judges and verifies.
`python3 dev.py demo theorempath_ask_holdout_v2` makes the workspace and calls this.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

from build_target import build
from embedding_provider import Provider
from judge import fill

NAME = Path(__file__).resolve().parent.name
SPEC = f"specs/{NAME}"
IDENTITY = ("-c", "user.name=A Reader", "-c", "user.email=reader@example.org", "-c", "commit.gpgsign=false")


class Road:
    """A workspace, and the environment in which the tool runs there."""

    def __init__(self, folder: Path, environment: dict[str, str]) -> None:
        self.folder, self.environment = folder, {**os.environ, **environment}

    def protoc(self, *words: str, expect: tuple[int, ...] = (0,)) -> int:
        """One command of the tool, shown as a user would type it."""
        print(f"\n$ protoc {' '.join(words)}", flush=True)
        command = [sys.executable, "-m", "protoc_compiler", *words]
        code = subprocess.run(command, cwd=self.folder, env=self.environment).returncode  # noqa: PLW1510, S603
        if code not in expect:
            raise SystemExit(f"protoc {words[0]} ended with {code}")
        return code

    def commit(self, message: str) -> None:
        """Everything in the workspace, as a user would commit it."""
        for words in (("add", "--all"), ("commit", "--quiet", "--message", message)):
            subprocess.run(["git", *IDENTITY, *words], cwd=self.folder, check=True)  # noqa: S603, S607

    def prepare(self) -> None:
        """Check, compile and seal."""
        tell("Does the protocol say what its author means?")
        self.protoc("check", SPEC)
        self.protoc("compile", SPEC)
        self.commit("Compile the protocol")
        tell("Pin protocol, package and conversations before the repository of Ask is opened.")
        self.protoc("seal", SPEC)
        self.commit("Seal the protocol and its conversations")

    def run(self) -> str:
        """Ask Ask about every conversation; the place of the bundle in the workspace."""
        tell("Run Ask at the pinned commit, in a worktree of its own, behind the gateway. No verdict before judgement.")
        self.protoc("run", SPEC, expect=(0, 1))
        bundle = max((self.folder / "runs").glob("*/*/manifest.json"), key=os.path.getmtime).parent
        return bundle.relative_to(self.folder).as_posix()

    def judge(self, bundle: str) -> None:
        """Every sheet out, filled in and in again: errors can be judged only when the topics are."""
        tell("People judge what was retrieved. Here a table of judgements that was written down fills in the sheets.")
        for stage in ("first", "second"):
            sheets = self.folder / "sheets" / stage
            self.protoc("adjudicate", bundle, "--export", f"sheets/{stage}")
            if fill(sheets):
                self.protoc("adjudicate", bundle, "--import", f"sheets/{stage}")


def tell(words: str) -> None:
    """What the next command is for."""
    print(f"\n# {words}", flush=True)


def main(folder: Path) -> int:
    """The whole road; two requests fail for a moment and are sent again. Exit status of the verdict, 0 if released."""
    with Provider(fail_first=2) as provider, tempfile.TemporaryDirectory(prefix="ask-") as place:
        repository = Path(place) / "repository"
        build(repository)
        environment = {"EMBEDDING_BASE_URL": provider.url, "EMBEDDING_API_KEY": provider.credential}
        road = Road(folder, {**environment, "ASK_REPOSITORY": str(repository)})
        road.prepare()
        bundle = road.run()
        road.judge(bundle)
        tell("Close the run: the whole protocol, applied to what was observed and to what was judged.")
        ended = road.protoc("verdict", bundle, expect=(0, 1))
        tell("Compute everything anew from the bundle.")
        road.protoc("verify", bundle)
    return ended


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).resolve()))
