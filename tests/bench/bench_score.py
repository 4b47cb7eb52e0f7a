"""Scoring Parquet rows from counts against a hand-written polars group-by: time in one process, memory in two.

Twelve strata and a confusion matrix, for all rows and in each stratum, with gates and a verdict. Reading is included;
validation is measured apart, since `protoc score` validates all of every row unless it is told not to.
"""

from __future__ import annotations

import json
import subprocess
import sys
from collections import Counter
from fractions import Fraction
from pathlib import Path
from types import ModuleType

from common import ENVIRONMENT, ROOT, Figure, Size, alternating, scratch, show, shown_seconds

from protoc_runtime.declared import Declared

ROWS = (1_000_000, 10_000_000)
MEBIBYTES = 200
SPEC = """protoc: 1
protocol: {id: routing, version: 1, title: Routing of final turns}
question: {asks: Are final turns routed right?, unit: one conversation}
data:
  tables:
    strata: {key: stratum, rows: [s01, s02, s03, s04, s05, s06, s07, s08, s09, s10, s11, s12]}
    turns:
      key: turn
      columns:
        turn: text
        stratum: strata
        expected: [provider_call, no_source]
        actual: [provider_call, no_source]
        note: text
definitions:
  turns.hit: expected == actual
  calls: turns where expected == provider_call
  others: turns where expected == no_source
metrics:
  accuracy: rate(hit over turns)
  precision: rate(hit over turns where actual == provider_call)
  recall: rate(hit over calls)
  no_source_recall: rate(hit over others)
  balanced_accuracy: (recall + no_source_recall) / 2
  accuracy_in.<strata>: rate(hit over turns)
  recall_in.<strata>: rate(hit over calls)
  no_source_recall_in.<strata>: rate(hit over others)
  false_calls.<strata>: count(others where not hit)
  missed_calls.<strata>: count(calls where not hit)
gates:
  accurate: {says: The accuracy is at least 0.90., must: accuracy >= 0.90}
  balanced: {says: The balanced accuracy is at least 0.90., must: balanced_accuracy >= 0.90}
  everywhere: {says: Every stratum has an accuracy of at least 0.75., must: all strata have accuracy_in >= 0.75}
verdict:
  - GOOD when all gates have held
  - BAD  otherwise
report:
  released: [GOOD]
"""


def run(size: Size) -> list[Figure]:
    """Time and memory for each number of rows."""
    package = compiled()
    made: list[Figure] = []
    for rows in ROWS:
        data = written(size.of(rows))
        made += measured(package, data, size)
    return made


def measured(package: Path, data: Path, size: Size) -> list[Figure]:
    """The figures of one folder of rows."""
    declared, rules = loaded(package)
    by_hand(data)
    found = alternating({"ours": lambda: ours(declared, rules, data), "hand": lambda: by_hand(data)}, size.rounds)
    found |= alternating({"all": lambda: checked(declared, data)}, 1)  # apart: it leaves much memory to give back
    assert agree(ours(declared, rules, data), by_hand(data))
    text = f"{size_of(data):,} rows, reading included; validation apart takes {shown_seconds(found['all'])}"
    memory = {name: peak(name, package, data) for name in ("ours", "hand")}
    return [
        Figure(
            "score", text, shown_seconds(found["ours"]), f"polars group-by by hand {shown_seconds(found['hand'])}",
            found["ours"] / found["hand"], 1.5,
        ),
        Figure(
            "score: peak memory beyond the group-by by hand", f"{size_of(data):,} rows", f"{memory['ours']:.0f} MiB",
            f"{memory['hand']:.0f} MiB by hand", memory["ours"] - memory["hand"], MEBIBYTES, unit="MiB",
        ),
    ]  # fmt: skip


def compiled(spec: Path | None = None) -> Path:
    """The package of the protocol above, or of another one."""
    from protoc_compiler import pipeline
    from protoc_compiler.emit import package

    spec = spec or file("routing.yaml", SPEC)
    protocol, findings = pipeline.check(spec)
    assert protocol is not None, [item.message for item in findings]
    folder = scratch() / "package" / protocol.package
    package.write(package.render(protocol, spec.name), folder)
    return folder


def file(name: str, text: str) -> Path:
    """A file of this text."""
    path = scratch() / name
    path.write_text(text, encoding="utf-8")
    return path


def loaded(package: Path) -> tuple[Declared, ModuleType]:
    """The protocol and the rules of a package."""
    from protoc_runtime.packages import load_protocol, load_rules

    return load_protocol(package), load_rules(package)


def written(rows: int) -> Path:
    """A folder with so many rows of `turns`, always the same ones."""
    import polars as pl

    folder = scratch() / f"rows{rows}"
    folder.mkdir(exist_ok=True)
    path = folder / "turns.parquet"
    if not path.exists():
        at = pl.int_range(rows)
        spread = at.hash(7) % 1200
        routes = {True: "provider_call", False: "no_source"}
        call, wrong = (spread // 12) % 2 == 0, at.hash(8) % 100 < 7
        frame = pl.select(
            turn=pl.format("t{}", at),
            stratum=pl.format("s{}", (spread % 12 + 1).cast(pl.String).str.zfill(2)),
            expected=call.replace_strict(routes),
            actual=(call ^ wrong).replace_strict(routes),
            note=pl.format("note {}", at % 97),
        )
        frame.write_parquet(path)
    return folder


def size_of(data: Path) -> int:
    """The number of rows."""
    import polars as pl

    return int(pl.scan_parquet(data / "turns.parquet").select(pl.len()).collect().item())


def ours(declared: Declared, rules: ModuleType, data: Path) -> dict[str, object]:
    """The results, from counts."""
    from protoc_runtime.scoring import score

    return dict(score(declared, rules, data, unchecked=True).results)


def checked(declared: Declared, data: Path) -> None:
    """All of every row read and validated."""
    from protoc_runtime.diagnostics import Findings
    from protoc_runtime.scoring import read_data

    read_data(declared, data, Findings())


def by_hand(data: Path) -> dict[str, tuple[Fraction, ...]]:
    """The same measures as somebody would write them: one group-by, then arithmetic on 48 numbers."""
    import polars as pl

    cube = (
        pl.scan_parquet(data / "turns.parquet").group_by("stratum", "expected", "actual").len()
        .collect(engine="streaming").rows()
    )  # fmt: skip
    counts: Counter[tuple[str, str, str]] = Counter()
    for stratum, expected, actual, count in cube:
        counts[stratum, expected, actual] += count
        counts["", expected, actual] += count
    return {stratum: measures(counts, stratum) for stratum in {"", *(row[0] for row in cube)}}


def measures(counts: Counter[tuple[str, str, str]], stratum: str) -> tuple[Fraction, ...]:
    """Accuracy, both recalls, false and missed calls."""
    call, none = "provider_call", "no_source"
    hit, missed = counts[stratum, call, call], counts[stratum, call, none]
    false, right = counts[stratum, none, call], counts[stratum, none, none]
    total = max(hit + missed + false + right, 1)
    recalls = Fraction(hit, max(hit + missed, 1)), Fraction(right, max(right + false, 1))
    return Fraction(hit + right, total), *recalls, Fraction(false), Fraction(missed)


def agree(results: dict[str, object], expected: dict[str, tuple[Fraction, ...]]) -> bool:
    """Whether both computed the same accuracies."""
    found = results["metrics"]
    assert isinstance(found, dict)
    names = {stratum: f"accuracy_in.{stratum}" if stratum else "accuracy" for stratum in expected}
    return all(Fraction(found[n]["num"], found[n]["den"]) == expected[s][0] for s, n in names.items())


def peak(which: str, package: Path, data: Path) -> float:
    """The peak memory, in MiB, of a process that scores once."""
    paths = [str(ROOT / "compiler"), str(ROOT / "runtime"), str(Path(__file__).parent)]
    environment = {**ENVIRONMENT, "PYTHONPATH": ":".join(paths)}
    command = [sys.executable, __file__, "--peak", which, str(package), str(data)]
    done = subprocess.run(command, env=environment, capture_output=True, check=True)
    return float(json.loads(done.stdout))


def child(which: str, package: str, data: str) -> None:
    """Score once and print the peak memory of this process."""
    if which == "ours":
        ours(*loaded(Path(package)), Path(data))
    else:
        by_hand(Path(data))
    status = Path("/proc/self/status").read_text(
        encoding="ascii"
    )  # the peak that getrusage tells begins with its parent's
    print(int(status.partition("VmHWM:")[2].split()[0]) / 1024)


if __name__ == "__main__":
    if sys.argv[1:2] == ["--peak"]:
        child(*sys.argv[2:5])
    else:
        show(run)
