"""Rows for the protocol in this folder, from the published file of recorded solutions."""

from __future__ import annotations

import json
import re
import shutil
from decimal import Decimal
from pathlib import Path

MODELS = ("6b_finetuning", "6b_verification", "175b_finetuning", "175b_verification")
HERE = Path(__file__).parent


def final_number(solution: str) -> Decimal | None:
    """The number after the last `A:`, without its commas; None where there is no plain number."""
    _, mark, text = solution.rpartition("A:")
    text = text.strip().replace(",", "")
    return Decimal(text) if mark and re.fullmatch(r"-?[0-9]+(\.[0-9]+)?", text) else None


def prepare(published: Path, folder: Path) -> None:
    """Write the spec and its rows into `folder`: `protocol.yaml`, `problems.jsonl`, `recorded/answers.jsonl`."""
    (folder / "recorded").mkdir(parents=True)
    shutil.copy(HERE / "protocol.yaml", folder)
    problems, answers = [], []
    for number, line in enumerate(published.read_text(encoding="utf-8").splitlines(), 1):
        row = json.loads(line)
        truth = _text(final_number(row["ground_truth"]))
        question = json.dumps(row["question"], ensure_ascii=False)
        problems.append(f'{{"problem": {number}, "question": {question}, "answer": {truth}}}\n')
        for model in MODELS:
            correct = json.dumps(row[model]["is_correct"])
            final = _text(final_number(row[model]["solution"]))
            answers.append(f'{{"problem": {number}, "model": "{model}", "correct": {correct}, "final": {final}}}\n')
    (folder / "problems.jsonl").write_text("".join(problems), encoding="utf-8")
    (folder / "recorded" / "answers.jsonl").write_text("".join(answers), encoding="utf-8")


def _text(number: Decimal | None) -> str:
    """JSON without a detour through floats; leading zeros, which some solutions have, are not JSON."""
    return "null" if number is None else format(number, "f")
