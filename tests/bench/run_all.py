"""Run every benchmark and write the table of `docs/benchmarks.md`.

python tests/bench/run_all.py             measure, print, and write the table between its two marks
python tests/bench/run_all.py --quick     tiny inputs: only to see that everything works; writes nothing
"""

from __future__ import annotations

import argparse
import importlib
from datetime import UTC, datetime

from common import QUICK, ROOT, Figure, Size, machine, shown_ratio, versions

BENCHES = (
    *("startup", "check", "compile", "score", "bootstrap", "parity", "validate", "run", "ledger", "gateway", "hash"),
    *("overlap", "quotes", "diff", "proof"),
)
PAGE = ROOT / "docs" / "benchmarks.md"
BEGIN, END = "<!-- figures -->", "<!-- end of figures -->"
HEAD = ("what", "input", "protoc", "baseline", "ratio", "target", "")


def main() -> None:
    """Measure all, then write."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--quick", action="store_true", help="tiny inputs, nothing is written")
    parser.add_argument("--rounds", type=int, default=Size().rounds)
    given = parser.parse_args()
    started = machine()
    print(f"machine: {started}\nversions: {versions()}; byte-code compiled first")
    figures: list[Figure] = []
    for name in BENCHES:
        for figure in importlib.import_module(f"bench_{name}").run(QUICK if given.quick else Size(given.rounds)):
            print(figure.line(), flush=True)
            figures.append(figure)
    if not given.quick:
        write(figures, started)


def write(figures: list[Figure], started: str) -> None:
    """Replace the table in the page; what stands around it is written by hand."""
    text = PAGE.read_text(encoding="utf-8")
    before, _, rest = text.partition(BEGIN)
    _, _, after = rest.partition(END)
    day = f"{datetime.now(UTC):%Y-%m-%d}"
    head = f"Measured on {day}: {started} at the start. {versions()}. Byte-code was compiled first.\n\n"
    PAGE.write_text(f"{before}{BEGIN}\n{head}{table(figures)}\n{END}{after}", encoding="utf-8")


def table(figures: list[Figure]) -> str:
    """The figures as a Markdown table."""
    rows = [HEAD, tuple("---" for _ in HEAD)]
    for one in figures:
        state = "met" if one.met else "**missed**"
        rows.append((one.name, one.input, one.measured, one.baseline, shown_ratio(one), one.target, state))
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


if __name__ == "__main__":
    main()
