"""What a draw changes: a column about the rows of its own row keeps its value in every copy, in both computations."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from protoc_compiler import pipeline
from protoc_compiler.cli import main
from protoc_compiler.emit import verify

SPEC = """protoc: 1
protocol: {{id: drawn, version: 1, title: Errors by speaker}}
data:
  tables:
    tries: {{key: try, rows: [one, two]}}
    speakers: {{key: speaker, columns: {{speaker: text, place: [north, south]}}}}
    utterances: {{key: utterance, columns: {{utterance: text, speaker: speakers, words: int, errors: int}}}}
definitions:
  made: cross of utterances and tries
  made.counted: errors
  utterances.counted: sum(counted over made)
  speakers.errors: sum(errors over utterances)
  speakers.words: sum(words over utterances)
  places: speakers grouped by place
  places.size: count(speakers matching place)
metrics:
  {metric}
intervals:
  ci:
    metric: rate
    resample: speakers
    follow: [utterances]
    draws: 60
    generator: mersenne twister
    seed: 5
    level: 90%
    low: low
    high: high
verdict:
  - DONE otherwise
report:
  released: [DONE]
"""
DIRECT = "rate: sum(errors over utterances) / sum(words over utterances)"
BY_COLUMN = "rate: sum(errors over speakers) / sum(words over speakers)"
THROUGH_A_PRODUCT = "rate: sum(counted over utterances) / sum(words over utterances) / 2"


def _rows(folder: Path) -> None:
    speakers = [{"speaker": f"s{at}", "place": ("north", "south")[at % 2]} for at in range(6)]
    utterances = [
        {"utterance": f"u{at}", "speaker": f"s{at % 6}", "words": 4 + at * at % 7, "errors": at % 6 * (at % 3)}
        for at in range(26)
    ]
    for name, rows in (("speakers", speakers), ("utterances", utterances)):
        (folder / f"{name}.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")


def _both(folder: Path, metric: str) -> tuple[Any, Any]:
    """The metrics of both computations."""
    _rows(folder)
    path = folder / "protocol.yaml"
    path.write_text(SPEC.format(metric=metric), encoding="utf-8")
    out = io.StringIO()
    main(["score", str(path), "--data", str(folder), "--format", "json"], io.StringIO(), out, io.StringIO())
    protocol, findings = pipeline.check(path)
    assert protocol is not None, [item.message for item in findings]
    (folder / "verify.py").write_text(verify.render(protocol), encoding="utf-8")
    command = [sys.executable, "-I", str(folder / "verify.py"), "--data", str(folder), "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    return _ratios(json.loads(out.getvalue())), _ratios(json.loads(done.stdout))


def _ratios(found: Any) -> dict[str, tuple[int, int]]:
    return {name: (value["num"], value["den"]) for name, value in found["metrics"].items()}


@pytest.mark.parametrize("metric", [BY_COLUMN, THROUGH_A_PRODUCT])
def test_a_column_of_the_drawn_rows_counts_no_copy_twice(metric: str, tmp_path: Path) -> None:
    (tmp_path / "direct").mkdir()
    direct, _ = _both(tmp_path / "direct", DIRECT)
    one, other = _both(tmp_path, metric)
    assert one == other == direct
    assert direct["low"] != direct["high"]


def test_what_looks_at_other_rows_is_computed_anew(tmp_path: Path) -> None:
    one, other = _both(tmp_path, "rate: max(size over places) / count(speakers)")
    assert one == other
    assert one["high"] != one["rate"], "the largest place of a draw has other speakers"


def test_a_product_that_would_have_to_be_drawn_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "protocol.yaml"
    text = SPEC.format(metric=THROUGH_A_PRODUCT).replace("over made)", "over entire made where errors > 1)")
    path.write_text(text, encoding="utf-8")
    told = [item.message for item in pipeline.check(path)[1] if item.id == "E0519"]
    what = "`made`, a cross, which is not made anew of drawn rows"
    assert told == [f"the interval `ci` draws `speakers` anew, but `rate` reads {what}"]
