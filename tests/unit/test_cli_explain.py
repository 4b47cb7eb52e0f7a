"""`protoc explain`: the page, the JSON, the picture, and specs with errors."""

from __future__ import annotations

import json
from io import StringIO
from pathlib import Path
from xml.etree import ElementTree

from protoc_compiler.cli import main
from protoc_compiler.proof.facts import Facts
from unit.proving import ASK, EACH, ask
from unit.small import spec


def explained(*argv: str) -> tuple[int, str, str]:
    out, err = StringIO(), StringIO()
    return main(["explain", *argv], StringIO(), out, err), out.getvalue(), err.getvalue()


def written(folder: Path, text: str) -> str:
    path = folder / "protocol.yaml"
    path.write_text(text, encoding="utf-8")
    return str(path)


def test_the_page_of_the_ask_protocol() -> None:
    status, out, err = explained(str(ASK))
    assert (status, err) == (0, "")
    assert "    at least 87 of 96 (95 % interval of that share: 0.8313 to 0.9499)\n" in out
    assert "  P2.6: holds whenever P2.7, P2.8 part 1, P2.8 part 2 hold\n" in out
    assert "they allow at most 8 errors: TP 44, TN 44, FP 4, FN 4\n" in out
    assert "  0.95  0.7985  " in out  # the sealed rows tell which strata are mixed


def test_the_json_of_a_small_protocol(tmp_path: Path) -> None:
    status, out, _ = explained(written(tmp_path, spec()), "--format", "json")
    found = json.loads(out)
    assert (status, found["schema"]) == (0, "protoc/explain/1")
    (gate,) = found["gates"]
    assert (gate["count"], gate["total"], gate["can_pass"], gate["can_fail"]) == (72, 96, True, True)
    assert found["most_errors"]["errors"] == 24
    assert found["verdicts"] == {"PASS": True, "FAIL": True}
    rates = [point["probability"] for point in found["pass_probability"]]
    assert rates == sorted(rates)
    assert all(0 <= value <= 1 for value in rates)


def test_one_gate_alone_is_not_told_to_imply_itself(tmp_path: Path) -> None:
    _, out, _ = explained(written(tmp_path, spec()))
    assert "imply" not in out.replace("no others imply it", "")
    assert "implies" not in out
    assert "enough allows at most 24 errors" in out


def test_the_probability_is_the_binomial_tail(tmp_path: Path) -> None:
    from math import comb

    _, out, _ = explained(written(tmp_path, spec()), "--format", "json")
    points = {point["rate"]: point["probability"] for point in json.loads(out)["pass_probability"]}
    exact = sum(comb(96, wrong) * 0.8 ** (96 - wrong) * 0.2**wrong for wrong in range(25))
    assert abs(points[0.8] - exact) < 1e-9


def test_an_unsealed_divisor_has_a_least_size(tmp_path: Path) -> None:
    gate = "hard: {says: At least 0.80 of hard ones., must: hard_rate >= 0.80}"
    text = spec(metrics="hard_rate: rate(good over cases where kind == hard)", gates=gate)
    _, out, _ = explained(written(tmp_path, text))
    assert "its divisor is not sealed: with fewer than 5 only a perfect score passes" in out


def test_a_divisor_that_is_expected_need_not_be_of_what_a_subject_answers(tmp_path: Path) -> None:
    """How many of the sealed rows are large is not expected, but how many rows there are is."""
    changes = (("rate(good over cases)", "rate(size > 9 over cases)"),)
    _, out, _ = explained(written(tmp_path, spec(changes=changes)))
    assert "  enough: can hold and can fail, and no others imply it\n    at least 72 of 96 (95 % interval" in out


def test_the_divisor_of_a_gate_over_other_rows_than_most_is_known(tmp_path: Path) -> None:
    answered = "{says: At least 0.80 above %d are right., must: rate(right and case.size > %d over answers) >= 0.80}"
    gates = "\n".join(f"of_answers_{number}: {answered % (number, number)}" for number in range(3))
    _, out, _ = explained(written(tmp_path, spec(gates=gates)))
    assert "  enough: can hold and can fail\n    at least 72 of 96 (95 % interval" in out
    assert out.count("its divisor is not sealed") == 3


def test_a_gate_whose_counts_cancel_out_has_no_boundary(tmp_path: Path) -> None:
    gate = "none: {says: At most 0.5., must: accuracy - accuracy <= 0.5}"
    status, out, err = explained(written(tmp_path, spec(gates=gate)))
    assert (status, err) == (0, "")
    assert "  none: can never fail\n\n" in out


def test_the_picture_is_a_well_formed_svg(tmp_path: Path) -> None:
    status, out, _ = explained(written(tmp_path, spec()), "--format", "svg")
    assert status == 0
    assert ElementTree.fromstring(out).tag.endswith("svg")


def test_where_groups_are_not_expected_counts_alone_claim_nothing_of_them(tmp_path: Path) -> None:
    """Counts that are not shared out among groups are no case of gates on groups; rows that were tried are one."""
    text = ASK.read_text(encoding="utf-8")
    for line in (EACH, "        - distinct(stratum over cases) == 12\n"):
        assert line in text
        text = text.replace(line, "")
    status, out, _ = explained(written(tmp_path, text))
    assert status == 0
    assert "  P2.1: holds whenever P2.4, P2.5 hold\n" in out
    assert "  P2.4: can hold and can fail" in out
    assert "  P2.6: can hold and can fail" in out
    assert "they allow at most 8 errors\n" in out
    assert "  GOOD: can be reached\n" in out
    assert "  not known: how many groups there are, and of how many rows, is not expected\n" in out
    assert "0.0000" not in out


NEVER = "never: {says: The sizes are 0.3 in the middle., must: median(size over cases) == 0.3}"


def test_what_no_case_shows_is_not_said_to_be_possible(tmp_path: Path) -> None:
    """No median of whole numbers is 0.3, which counting does not know; no verdict that asks for it is reached."""
    path = written(tmp_path, spec(gates=NEVER))
    _, out, _ = explained(path)
    assert "  never: can hold or fail, as far as is known\n" in out
    assert "  FAIL: can be reached\n" in out
    (line,) = [line for line in out.splitlines() if line.startswith("  PASS: ")]
    assert line.startswith("  PASS: not decided: ")
    assert line.endswith(" sets of rows that were tried shows it")
    found = json.loads(explained(path, "--format", "json")[1])
    assert found["verdicts"] == {"PASS": None, "FAIL": True}
    assert list(found["verdicts_unknown"]) == ["PASS"]
    assert {gate["name"]: gate["can_pass"] for gate in found["gates"]}["never"] is None


def test_what_follows_in_each_group_is_known_of_any_number_of_groups() -> None:
    """Sixty strata have too many sums for a small budget; that two errors of eight leave 75 % needs none of them."""
    facts = Facts(
        ask(
            ("count(cases) == 96", "count(cases) == 480"),
            ("distinct(stratum over cases) == 12", "distinct(stratum over cases) == 60"),
            ("expected == provider_call) == 48", "expected == provider_call) == 240"),
            ("expected == no_source) == 48", "expected == no_source) == 240"),
        ),
        budget=200,
    )
    parts = {part.name: part for part in facts.parts}
    others = [part for name, part in parts.items() if name.startswith(("P2.7", "P2.8"))]
    assert facts.follows(parts["P2.6"], others)
    assert not facts.follows(parts["P2.6"], others[:1])


def test_errors_are_told_instead(tmp_path: Path) -> None:
    status, out, err = explained(written(tmp_path, spec(metrics="m: nothing")))
    assert (status, out) == (1, "")
    assert "E0312" in err


def test_where_no_gate_is_about_counts_the_page_has_no_gap(tmp_path: Path) -> None:
    old = "enough: {says: Accuracy at least 75%., must: accuracy >= 75%}"
    text = spec(changes=((old, "long: {says: The sizes are 5 in the middle., must: median(size over cases) == 5}"),))
    _, out, _ = explained(written(tmp_path, text))
    assert "\n\nverdicts\n" in out
    assert "\n\n\n" not in out
