"""What every benchmark does alike: install, compile byte-code, alternate, take medians, and say on what machine."""

from __future__ import annotations

import argparse
import atexit
import contextlib
import os
import platform
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
import venv
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "compiler"), str(ROOT / "runtime")]
SEED_D = ROOT / "specs" / "karsa_extractor_v2"
# byte-code is compiled first and used, whatever the shell says; nothing of the checkout's source path leaks in
ENVIRONMENT = {k: v for k, v in os.environ.items() if k not in ("PYTHONDONTWRITEBYTECODE", "PYTHONPATH")}
SHOWN = ("evalprotoc", "polars", "pydantic", "ruamel.yaml", "check-jsonschema", "datamodel-code-generator")


@dataclass(frozen=True)
class Figure:
    """One measured figure: `ratio` is `measured` over `baseline`, and `limit` what it may be at most (or least)."""

    name: str
    input: str
    measured: str
    baseline: str
    ratio: float
    limit: float
    least: bool = False
    unit: str = "x"

    @property
    def met(self) -> bool:
        """Whether the target is met."""
        return self.ratio >= self.limit if self.least else self.ratio <= self.limit

    @property
    def target(self) -> str:
        """The target in words."""
        return f"{'at least' if self.least else 'at most'} {self.limit:,g} {self.unit}"

    def line(self) -> str:
        """One line for people."""
        state = "met" if self.met else "MISSED"
        compared = f"{self.measured} / {self.baseline}"
        return f"{self.name}: {shown_ratio(self)} ({self.target}: {state}); {compared}; {self.input}"


@dataclass(frozen=True)
class Size:
    """How much is measured: `rounds` alternating runs, and `share` of the rows of a full benchmark."""

    rounds: int = 9
    share: float = 1.0

    def of(self, count: int) -> int:
        """So many of the rows, at least one."""
        return max(1, int(count * self.share))


QUICK = Size(1, 0.001)


def shown_ratio(figure: Figure) -> str:
    """The ratio with its unit."""
    value = f"{figure.ratio:,.0f}" if abs(figure.ratio) >= 100 else f"{figure.ratio:.2f}"
    return f"{value} {figure.unit}"


def machine() -> str:
    """The processor, its number of cores, the system and the load."""
    names = [line.partition(":")[2].strip() for line in _lines("/proc/cpuinfo") if line.startswith("model name")]
    load = os.getloadavg()[0]
    return f"{names[0] if names else platform.machine()}, {os.cpu_count()} cores, {platform.system()}, load {load:.1f}"


def versions() -> str:
    """Python and the libraries that are measured."""
    found = [f"Python {platform.python_version()}"]
    for name in SHOWN:
        with contextlib.suppress(PackageNotFoundError):
            found.append(f"{name} {version(name)}")
    return ", ".join(found)


def _lines(path: str) -> list[str]:
    try:
        return Path(path).read_text(encoding="utf-8").splitlines()
    except OSError:
        return []


def show(run: Callable[[Size], Sequence[Figure]]) -> None:
    """The main of a benchmark: measure, print."""
    parser = argparse.ArgumentParser(description=sys.modules["__main__"].__doc__)
    parser.add_argument("--quick", action="store_true", help="tiny inputs, one round: only to see that it works")
    parser.add_argument(
        "--rounds", type=int, default=Size().rounds, help="alternating rounds of which medians are taken"
    )
    given = parser.parse_args()
    print(f"machine: {machine()}")
    print(f"versions: {versions()}; byte-code compiled first")
    for figure in run(QUICK if given.quick else Size(given.rounds)):
        print(figure.line())


@cache
def scratch() -> Path:
    """A folder that is gone when the process ends."""
    folder = Path(tempfile.mkdtemp(prefix="protoc-bench-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder


@cache
def installed() -> Path:
    """The folder of the console scripts of an installed protoc, byte-code compiled: a copy of this checkout."""
    folder = scratch() / "venv"
    venv.create(folder, symlinks=True)
    site = next((folder / "lib").glob("python*/site-packages"))
    ours = next(path for path in sys.path if path.endswith("site-packages"))
    (site / "dependencies.pth").write_text(ours + "\n", encoding="utf-8")
    for name in ("compiler/protoc_compiler", "runtime/protoc_runtime"):
        shutil.copytree(ROOT / name, site / Path(name).name, ignore=shutil.ignore_patterns("__pycache__"))
    script = folder / "bin" / "protoc"
    python = folder / "bin" / "python"
    script.write_text(
        f"#!{python}\nimport sys\nfrom protoc_compiler.__main__ import script\n"
        'if __name__ == "__main__":\n    sys.exit(script())\n',
        encoding="utf-8",
    )
    script.chmod(0o755)
    subprocess.run([python, "-m", "compileall", "-q", site], check=True, env=ENVIRONMENT)
    return folder / "bin"


def tool(name: str) -> Path | None:
    """A command beside this Python, or on the path; None where it is not installed."""
    beside = Path(sys.executable).parent / name
    found = str(beside) if beside.exists() else shutil.which(name)
    return Path(found) if found else None


def seconds(command: Sequence[str | Path], shows: str = "", **options: object) -> float:
    """The wall time of one process, which must end well, since a refusal would be fast; or at least print `shows`."""
    started = time.perf_counter()
    done = subprocess.run(  # type: ignore[call-overload]
        list(map(str, command)), capture_output=True, **{"env": ENVIRONMENT, **options}
    )
    took = time.perf_counter() - started
    if done.returncode and not (shows and shows in done.stdout.decode()):
        raise RuntimeError(f"{command[0]} ended with {done.returncode}: {done.stderr.decode()}{done.stdout.decode()}")
    return took


def alternating(actions: Mapping[str, Callable[[], object]], rounds: int) -> dict[str, float]:
    """The median seconds of each action: all of them once to warm up, then in turns, so that load hits all alike.

    An action that gives a float has measured itself.
    """
    times: dict[str, list[float]] = {name: [] for name in actions}
    for action in actions.values():
        action()
    for _ in range(rounds):
        for name, action in actions.items():
            started = time.perf_counter()
            found = action()
            took = time.perf_counter() - started
            times[name].append(found if isinstance(found, float) else took)
    return {name: statistics.median(values) for name, values in times.items()}


def shown_seconds(value: float) -> str:
    """Seconds for people."""
    return f"{value * 1000:.0f} ms" if value < 10 else f"{value:.1f} s"
