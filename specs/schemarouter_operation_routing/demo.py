"""The whole road of this example in a workspace that has a copy of this folder under `specs/`, all of it committed.

python3 demo.py WORKSPACE    needs `protoc_compiler` in the environment of this Python

Develops, freezes, confirms, calibrates and evaluates blind; at two places it tries what the machine does not allow.
`python3 dev.py demo schemarouter_operation_routing` makes the workspace and calls this.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

NAME = Path(__file__).resolve().parent.name
SPEC = f"specs/{NAME}"
IDENTITY = ("-c", "user.name=A Reader", "-c", "user.email=reader@example.org", "-c", "commit.gpgsign=false")
TOLD = {  # what of the manifest nobody can collect
    "candidate.candidate_id": "words-1",
    "candidate.architecture_id": "verb and object, with a veto",
    "candidate.authority.route_authority": "operations.json, read by router.py",
    "candidate.authority.verifier_role": "veto of winners, never a grant",
    "candidate.models[0].role": "scorer",
    "candidate.models[0].name": "propose",
    "candidate.models[0].provider": "none: it is a function in router.py",
    "candidate.models[0].revision": "words-1.0.0",
    "candidate.runtime.dependency_versions": '{"python": "its standard library only"}',
    "candidate.representation.option_ordering_rule": "the order of operations.json",
    "candidate.decision_rule.rule_id": "execute at or above the threshold unless vetoed",
    "candidate.decision_rule.threshold": "0.95",
}


class Road:
    """A workspace, and what is done there."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def protoc(self, *words: str, expect: tuple[int, ...] = (0,)) -> int:
        """One command of the tool, shown as a user would type it."""
        print(f"\n$ protoc {' '.join(word if ' ' not in word else repr(word) for word in words)}", flush=True)
        return self._done((sys.executable, "-m", "protoc_compiler", *words), expect)

    def python(self, script: str, *words: str) -> None:
        """One of the scripts of this example."""
        shown = f"python3 {SPEC}/{script} {' '.join(word if ' ' not in word else repr(word) for word in words)}"
        print(f"\n$ {shown}", flush=True)
        self._done((sys.executable, f"{SPEC}/{script}", *words), (0,))

    def _done(self, command: tuple[str, ...], expect: tuple[int, ...]) -> int:
        code = subprocess.run(command, cwd=self.folder).returncode  # noqa: PLW1510, S603
        if code not in expect:
            raise SystemExit(f"{' '.join(command[1:4])} ended with {code}")
        return code

    def commit(self, message: str) -> None:
        """Everything in the workspace, as a user would commit it."""
        for words in (("add", "--all"), ("commit", "--quiet", "--message", message)):
            subprocess.run(["git", *IDENTITY, *words], cwd=self.folder, check=True)  # noqa: S603, S607

    def seal(self, reason: str) -> None:
        """Pin rows that have been made since."""
        self.commit(reason)
        self.protoc("seal", SPEC, "--reason", reason)
        self.commit(f"Seal: {reason}")

    def run(self, phase: str, expect: int = 0) -> str:
        """Enter a phase; the place of its bundle."""
        self.protoc("run", SPEC, "--phase", phase, expect=(expect,))
        bundles = sorted((self.folder / "runs").glob("*/*/manifest.json"), key=lambda path: path.stat().st_mtime_ns)
        self.commit(f"Run the phase {phase}")
        return bundles[-1].parent.relative_to(self.folder).as_posix()

    def attest(self, phase: str, *duties: str) -> None:
        """Say that people have done what a phase asks of them."""
        told = [word for duty in duties for word in ("--attest", f"{phase}.{duty}=A Reader")]
        self.protoc("phases", SPEC, *told)


def develop(road: Road) -> str:
    """Check, compile, seal and run the development phase."""
    tell("Does the protocol say what its author means? Then pin it, its corpora and the router.")
    road.protoc("check", SPEC)
    road.protoc("compile", SPEC)
    road.commit("Compile the protocol")
    road.protoc("seal", SPEC)
    road.commit("Seal the protocol")
    tell("The development phase may be run as often as it takes. Its verdict releases nothing.")
    bundle = road.run("dev", expect=1)
    tell("Confirmation is not open yet: the candidate is not frozen, and there is no fresh surface.")
    road.protoc("run", SPEC, "--phase", "fresh", expect=(1,))
    return bundle


def freeze(road: Road, bundle: str) -> None:
    """Make the manifest of the candidate that has passed."""
    tell("Freeze it: what can be collected is collected, the evidence comes from the bundle, the rest is told.")
    told = [word for path, value in TOLD.items() for word in ("--set", f"{path}={value}")]
    road.protoc("freeze", "new", SPEC, "--by", "A Reader", "--out", f"{SPEC}/candidate.freeze.json", *told, expect=(1,))
    road.python("record.py", "development", bundle)
    road.protoc("freeze", "check", "--phase", "dev", f"{SPEC}/candidate.freeze.json")
    road.commit("Freeze the candidate")


def confirm(road: Road) -> None:
    """Run the exact candidate once on a surface that shares nothing with any other."""
    tell("Only now the fresh surface is made; here it was written by hand and lies aside.")
    shutil.copy(road.folder / SPEC / "confirmation" / "cases_fresh.jsonl", road.folder / SPEC / "data")
    road.seal("The fresh confirmation surface was written")
    bundle = road.run("fresh")
    tell("A second look is refused: the surface is spent.")
    road.protoc("run", SPEC, "--phase", "fresh", expect=(1,))
    road.python("record.py", "fresh_confirmation", bundle)
    road.protoc("freeze", "check", "--phase", "fresh", f"{SPEC}/candidate.freeze.json")
    road.commit("Record the confirmation")
    tell("Calibration waits for what people do after a confirmation: trackers, ledger, the hand-over.")
    road.attest("fresh", "trackers", "ledger", "handover", "interpretation")


def finish(road: Road) -> str:
    """Calibrate once, then evaluate blind once, each on a corpus that is drawn only then."""
    for split, number, seed in (
        ("calibration", "900", "operation-routing calibration 198"),
        ("blind_final", "1800", "operation-routing blind-final 198"),
    ):
        tell(f"Draw the {split} corpus now, by its frozen seed. It is synthetic.")
        road.python("draw.py", split, number, seed, f"{SPEC}/data/cases_{split}.jsonl")
        road.seal(f"The {split} corpus was drawn")
        bundle = road.run(split)
    return bundle


def tell(words: str) -> None:
    """What the next command is for."""
    print(f"\n# {words}", flush=True)


def main(folder: Path) -> int:
    """The whole road; exit status 0 if blind-final is released and verifies."""
    road = Road(folder)
    freeze(road, develop(road))
    confirm(road)
    bundle = finish(road)
    tell("Where the study stands, and the last bundle computed anew.")
    road.protoc("phases", SPEC)
    road.protoc("verify", bundle)
    return 0


if __name__ == "__main__":
    raise SystemExit(main(Path(sys.argv[1]).resolve()))
