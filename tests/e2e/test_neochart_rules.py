"""Each rule of the protocol on opinions, broken once on purpose, by rows and by the text of the protocol."""

from __future__ import annotations

import io
import json
import shutil
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest

from e2e.neochart import SPEC, Row, Rows, candidate, perfect
from e2e.workspaces import write_rows
from protoc_compiler.cli import main
from protoc_compiler.cli.compile import compiled
from protoc_compiler.emit.package import write
from protoc_runtime.diagnostics import Findings, Refused
from protoc_runtime.packages import load_protocol, load_rules
from protoc_runtime.scoring import score

Spoil = Callable[[Rows], None]


class Scorer:
    """`protoc score` over rows that a test makes."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        (folder / "spec").mkdir()
        shutil.copy(SPEC / "protocol.yaml", folder / "spec")

    def protoc(self, *words: str) -> tuple[int, str, str]:
        """Exit status, output and diagnostics."""
        printed, told = io.StringIO(), io.StringIO()
        ended = main([words[0], str(self.folder / "spec"), *words[1:]], io.StringIO(), printed, told)
        return ended, printed.getvalue(), told.getvalue()

    def try_score(self, rows: Rows) -> tuple[int, str, str]:
        """Exit status, output and diagnostics for these rows."""
        data = self.folder / "rows"
        shutil.rmtree(data, ignore_errors=True)
        data.mkdir()
        for table, content in rows.items():
            write_rows(data / f"{table}.jsonl", content)
        declared, rules = package(self.text())
        try:
            scored = score(declared, rules, data)
        except Refused as refused:
            return 1, "", "\n".join(fault.message for fault in refused.diagnostics)
        told = "\n".join(fault.message for fault in scored.warnings)
        return (0 if scored.released else 1), json.dumps(scored.results), told

    def text(self) -> str:
        """The protocol as it is now."""
        return (self.folder / "spec" / "protocol.yaml").read_text(encoding="utf-8")

    def score(self, rows: Rows, status: int) -> dict[str, Any]:
        """The score of these rows; `status` is the expected exit status."""
        ended, printed, told = self.try_score(rows)
        assert told == ""
        assert ended == status
        return json.loads(printed)  # type: ignore[no-any-return]

    def edit(self, old: str, new: str) -> None:
        """Change the protocol's text at one place."""
        path = self.folder / "spec" / "protocol.yaml"
        text = path.read_text(encoding="utf-8")
        assert text.count(old) == 1, old
        path.write_text(text.replace(old, new), encoding="utf-8")


@lru_cache(maxsize=4)
def package(text: str) -> tuple[Any, Any]:
    """The protocol and the rules of a text, compiled once; with what a test lists beside the reports."""
    with TemporaryDirectory() as folder:
        spec = Path(folder) / "protocol.yaml"
        spec.write_text(
            text.replace("  lists:\n", "  lists:\n    reasons: list(outcome over proposed)\n", 1), encoding="utf-8"
        )
        (made,) = compiled([spec], Findings(), workspace=Path(folder))
        write(made.files, Path(folder) / made.folder.name)
        return load_protocol(Path(folder) / made.folder.name), load_rules(Path(folder) / made.folder.name)


@pytest.fixture
def scorer(tmp_path: Path) -> Scorer:
    return Scorer(tmp_path)


def fired(score: dict[str, Any]) -> set[str]:
    return {name for name, value in score["blockers"].items() if value is not False}


def failed(score: dict[str, Any], kind: str = "gates") -> set[str]:
    return {name for name, value in score[kind].items() if value is not True}


def number(score: dict[str, Any], metric: str) -> float | None:
    value = score["metrics"][metric]
    return None if value is None else value["num"] / value["den"]


def add(rows: Rows, quote: str, case: int = 0, **values: Any) -> Row:
    """One more candidate of a case; its source gets the quote where the test says so before."""
    name = rows["cases"][case]["case"]
    position = 1 + max(row["position"] for row in rows["proposed"] if row["case"] == name)
    element = rows["proposed"][case]["element"]
    row = candidate(name, position, values.pop("element", element), quote, **values)
    rows["proposed"].append(row)
    return row


def source(rows: Rows, case: int, text: str) -> None:
    """Put text at the end of a source, in the sample, in the pool and in the prompt."""
    one = rows["cases"][case]
    one["text"] += text
    next(row for row in rows["pool"] if row["case"] == one["case"])["text"] += text
    rows["calls"][case]["prompt"] = f"Read {one['text']} now."


def test_an_orderly_round_is_reported(scorer: Scorer) -> None:
    score = scorer.score(perfect(), 0)
    assert (score["verdict"], score["released"]) == ("REPORTED", True)
    assert fired(score) == failed(score) == failed(score, "checks") == set()
    assert [number(score, name) for name in ("coverage", "precision", "kept", "failed_cases")] == [1, 1, 20, 0]


# --- the sample -----------------------------------------------------------------------------------------------------


def lose_case(rows: Rows) -> None:
    name = rows["cases"].pop()["case"]
    for table, content in rows.items():
        if table not in ("pool", "laws", "exclusions", "frozen", "runner"):
            rows[table] = [row for row in content if row["case"] != name]


def exclude(rows: Rows) -> None:
    rows["exclusions"].append({"case": rows["cases"][0]["case"], "why": "used before"})


def shorten(rows: Rows) -> None:
    rows["cases"][0]["text"] = rows["cases"][0]["text"][:1100]


def other_stratum(rows: Rows) -> None:
    for row in rows["cases"]:
        row["pick"] = "other" if row["pick"] == "sparse" else row["pick"]


def by_hand(rows: Rows) -> None:
    """Another eligible opinion of the same law and stratum in the place of a drawn one."""
    taken = {row["case"] for row in rows["cases"]} | {row["case"] for row in rows["exclusions"]}
    old = next(row for row in rows["cases"] if row["pick"] == "other")
    new = next(row for row in rows["pool"] if row["case"] not in taken and row["law"] == old["law"]
               and row["text"].count("section") > 3 and len(row["text"]) > 1200)  # fmt: skip
    name = old["case"]
    for content in rows.values():
        for row in content:
            if row.get("case") == name and "split" in row:
                row |= {"case": new["case"], "text": new["text"]}
            elif row.get("case") == name and "why" not in row and row not in rows["pool"]:
                row["case"] = new["case"]


@pytest.mark.parametrize(
    ("spoil", "broken"),
    [
        (lose_case, "count(cases) == 20"),
        (lose_case, "all laws have count(cases) == 4"),
        (exclude, "no cases where case in exclusions.case"),
        (shorten, "all cases have chars(text) in 1_200..50_000"),
        (other_stratum, "all laws have count(cases where pick == sparse) == 1"),
        (other_stratum, "all laws have count(cases where pick == other) == 3"),
        (by_hand, "no cases where (no drawn matching case and law and text)"),
    ],
)
@pytest.mark.breaks("B001", "B002", "B003", "B005")
def test_another_sample_is_refused(scorer: Scorer, spoil: Spoil, broken: str) -> None:
    rows = perfect()
    spoil(rows)
    _, _, told = scorer.try_score(rows)
    assert broken in told


# --- blockers -------------------------------------------------------------------------------------------------------


def change(table: str, **values: Any) -> Spoil:
    """Change the first row of a table."""

    def spoil(rows: Rows) -> None:
        rows[table][0].update(values)

    return spoil


def second_call(rows: Rows) -> None:
    rows["calls"].append({**rows["calls"][0], "n": 2})


def lose_call(rows: Rows) -> None:
    rows["calls"].pop()


def truncate(rows: Rows) -> None:
    rows["calls"][0]["prompt"] = rows["calls"][0]["prompt"][:-100]


def say_it_twice(rows: Rows) -> None:
    rows["calls"][0]["prompt"] *= 2


def hide_a_failure(rows: Rows) -> None:
    rows["calls"][0]["failed"] = True


@pytest.mark.parametrize(
    ("spoil", "blocker"),
    [
        (change("frozen", time="2026-09-01T10:00:02Z"), "frozen_first"),
        (change("frozen", time=None), "frozen_first"),
        (change("frozen", clean=False), "frozen_first"),
        (change("frozen", paths=["PROMPT.txt", "protocol.yaml"]), "frozen_set"),
        (change("calls", model="extractor-2"), "frozen_model"),
        (change("calls", model=None), "frozen_model"),
        (change("calls", reasoning="high"), "frozen_model"),
        (change("calls", cli_version="extractor 1.0.3"), "frozen_model"),
        (change("calls", verified_at="2026-09-01T10:00:02Z"), "frozen_model"),
        (change("calls", verified_at=None), "frozen_model"),
        (truncate, "whole_text"),
        (say_it_twice, "whole_text"),
        (second_call, "one_call"),
        (lose_call, "one_call"),
        (hide_a_failure, "failure_honest"),
        (change("reviews", first_proposal_shown_at="2026-09-02T09:59:59Z"), "blind_inventory"),
        (change("reviews", first_proposal_shown_at="2026-09-02T10:00:00Z"), "blind_inventory"),
    ],
)
@pytest.mark.breaks("B004", "B007", "B008", "B010", "B013", "B022", "B024", "B033", "B151")
def test_each_blocker_fires_alone_and_invalidates(scorer: Scorer, spoil: Spoil, blocker: str) -> None:
    rows = perfect()
    spoil(rows)
    score = scorer.score(rows, 1)
    assert fired(score) == {blocker}
    assert (score["verdict"], score["released"]) == ("INVALID", False)


@pytest.mark.breaks("B022")
def test_a_failed_call_is_a_failure_and_no_negative_case(scorer: Scorer) -> None:
    rows = perfect()
    name = rows["cases"][0]["case"]
    rows["calls"][0] |= {"failed": True, "wall": None}
    rows["outcomes"][0]["outcome"] = "failed"
    for table in ("answers", "proposed", "turns", "decisions"):
        rows[table] = [row for row in rows[table] if row["case"] != name]
    score = scorer.score(rows, 0)
    assert (number(score, "failed_cases"), score["lists"]["failed"]) == (1, [name])
    assert score["metrics"]["coverage"] == {"num": 19, "den": 20}  # the failed case keeps its place


# --- verification rules ---------------------------------------------------------------------------------------------

QUOTES = {
    "homoglyph": ("The court finds it so, said \u0430nd done.", "The court finds it so, said and done."),
    "composed": ("The caf\u00e9 was closed then.", "The cafe\u0301 was closed then."),
    "soft hyphen": ("The agree\u00adment was signed.", "The agreement was signed."),
    "zero width": ("The agree\u200bment was signed.", "The agreement was signed."),
    "line break": ("Neither of\nthem knew of it.", "Neither of them knew of it."),
    "quotes": ("He said \u201cno\u201d to it.", 'He said "no" to it.'),
    "blank": ("It was\u00a0late by then.", "It was late by then."),
}


@pytest.mark.parametrize("kind", QUOTES)
@pytest.mark.breaks("B015", "B153")
def test_a_quote_that_only_looks_alike_is_no_match(scorer: Scorer, kind: str) -> None:
    rows = perfect()
    there, quoted = QUOTES[kind]
    source(rows, 0, f"\n{there}\n")
    add(rows, quoted)
    assert outcomes(scorer, rows) == {"no_match": 1, "retained": 20}
    rows["proposed"][-1]["quote"] = there
    assert outcomes(scorer, rows) == {"retained": 21}


@pytest.mark.breaks("B015", "B153")
def test_words_of_the_prompt_are_no_words_of_the_source(scorer: Scorer) -> None:
    """An agent that quotes its instructions, or the statute from the checklist, quotes nothing of the case."""
    rows = perfect()
    frame = (SPEC / "PROMPT.txt").read_text(encoding="utf-8")
    element = next(law for law in rows["laws"] if law["law"] == rows["cases"][0]["law"])["elements"][0]
    for quote in (frame.splitlines()[0], element["quote"], element["notes"]):
        assert quote not in rows["cases"][0]["text"]
        add(rows, quote)
    assert outcomes(scorer, rows) == {"no_match": 3, "retained": 20}


def outcomes(scorer: Scorer, rows: Rows) -> dict[str, int]:
    """How many candidates have each reason."""
    ended, printed, told = scorer.try_score(rows)
    assert ended in (0, 1), told
    found = json.loads(printed)["lists"]["reasons"]
    return {reason: found.count(reason) for reason in sorted(set(found))}


@pytest.mark.breaks("B014", "B017", "B018", "B019", "B152", "B153")
def test_each_reason_is_given_and_the_first_one_counts(scorer: Scorer) -> None:
    rows = perfect()
    long = "x" * 2001
    source(rows, 0, f"\naaaa {long}\nTold once. Told twice. Told twice.\n")
    kept = rows["proposed"][0]
    for row in (
        add(rows, ""),
        add(rows, long),
        add(rows, "Nobody ever wrote this."),
        add(rows, "aa"),  # three times, where places that overlap count
        add(rows, "Told twice."),
        add(rows, kept["quote"]),
    ):
        assert row["case"] == kept["case"]
    add(rows, "Told once.")  # the eighth
    add(rows, "", case=1, element="never_declared")  # and empty, too
    add(rows, "", case=2, role="not_applied", element="never_declared")
    rows["answers"][3]["role"] = "not_applied"
    assert outcomes(scorer, rows) == {
        "ambiguous": 2, "beyond_limit": 2, "empty": 1, "no_match": 1, "overlong": 1, "retained": 19,
        "role_not_applied": 2, "undeclared_element": 1,
    }  # fmt: skip
    rows["proposed"] = [row for row in rows["proposed"] if row["quote"] != long]
    for place, row in enumerate([row for row in rows["proposed"] if row["case"] == kept["case"]], 1):
        row["position"] = place
    found = outcomes(scorer, rows)
    assert (found["duplicate"], found["ambiguous"], found["beyond_limit"]) == (1, 2, 1)


LINES = {
    "ambiguous": ("      - ambiguous          when found > 1\n", "unique", "Told twice."),
    "no_match": ("      - no_match           when found == 0\n", "unique", "Nobody ever wrote this."),
    "overlong": ("      - overlong           when chars(quote) > quote_limit\n", "declared", "y" * 2001),
    "duplicate": (
        "      - duplicate          when some earlier proposed matching case and quote\n",
        "no_duplicates",
        None,
    ),
}


@pytest.mark.parametrize("reason", LINES)
@pytest.mark.breaks("B015", "B016", "B017", "B018")
def test_without_a_line_of_the_verification_its_gate_fails(scorer: Scorer, reason: str) -> None:
    line, gate, quote = LINES[reason]
    rows = perfect()
    source(rows, 0, f"\n{'y' * 2001}\nTold twice. Told twice.\n")
    add(rows, rows["proposed"][0]["quote"] if quote is None else quote)
    assert gate not in failed(scorer.score(rows, 0))
    scorer.edit(line, "")
    score = scorer.score(rows, 1)
    assert gate in failed(score)
    assert score["verdict"] == "DEFECTIVE"


@pytest.mark.breaks("B016")
def test_offsets_that_are_not_derived_fail(scorer: Scorer) -> None:
    scorer.edit("proposed.start: {is: 'offset(quote, case.text)', cites: [B016]}", "proposed.start: 3")
    assert failed(scorer.score(perfect(), 1)) == {"offsets"}


@pytest.mark.parametrize(
    ("old", "new", "gate"),
    [
        (
            "when role != applied or case.role != applied",
            "when role == applied and chars(quote) > 40_000",
            "applied_only",
        ),
        ("      - unreviewed when outcome == retained\n", "      - accepted when outcome == retained\n", "unreviewed"),
        ("        - undeclared", "", ""),
    ],
)
@pytest.mark.breaks("B017", "B019", "B020")
def test_a_verification_that_keeps_too_much_is_found(scorer: Scorer, old: str, new: str, gate: str) -> None:
    rows = perfect()
    if not gate:
        scorer.edit("      - undeclared_element when element not in case.law.names\n", "")
        rows["proposed"][0]["element"] = "never_declared"
        assert failed(scorer.score(rows, 1)) == {"declared"}
        return
    rows["answers"][0]["role"] = "not_applied"
    scorer.edit(old, new)
    if gate == "unreviewed":
        scorer.edit("no retained have status != unreviewed", "no retained have (status == accepted)")
    assert gate in failed(scorer.score(rows, 1))


@pytest.mark.breaks("B014")
def test_seven_kept_candidates_fail_where_the_limit_is_left_out(scorer: Scorer) -> None:
    rows = perfect()
    source(rows, 0, "".join(f"\nSentence number {place} of these." for place in range(6)))
    for place in range(6):
        add(rows, f"Sentence number {place} of these.")
    assert number(scorer.score(rows, 0), "kept") == 25
    scorer.edit("      - beyond_limit       when position > candidate_limit\n", "")
    score = scorer.score(rows, 1)
    assert (number(score, "kept"), failed(score)) == (26, {"candidates"})


# --- events, usage, time --------------------------------------------------------------------------------------------


@pytest.mark.breaks("B026")
def test_an_event_that_is_not_allowed_quarantines_the_case(scorer: Scorer) -> None:
    rows = perfect()
    name = rows["cases"][0]["case"]
    rows["events"].append({"case": name, "n": 5, "kind": "command_execution", "allowed": False})
    score = scorer.score(rows, 1)
    assert failed(score) == {"quarantined"}  # something of it is kept
    rows["proposed"] = [row for row in rows["proposed"] if row["case"] != name]
    rows["decisions"] = [row for row in rows["decisions"] if row["case"] != name]
    rows["outcomes"][0]["outcome"] = "quarantined"
    score = scorer.score(rows, 0)
    assert (number(score, "quarantined_cases"), score["lists"]["quarantined"]) == (1, [name])
    scorer.edit(
        "      - quarantined when some events where not allowed\n", "      - quarantined when count(events) > 99\n"
    )
    assert failed(scorer.score(rows, 1)) == {"quarantined"}


@pytest.mark.breaks("B027", "B028", "B154")
def test_unknown_usage_is_counted_beside_the_totals_and_is_not_zero(scorer: Scorer) -> None:
    rows = perfect()
    before = number(scorer.score(rows, 0), "input_tokens")
    rows["turns"][0] |= {"input": None, "malformed": True, "reported": '{"input_tokens": "many"}'}
    rows["turns"].append({**rows["turns"][1], "n": 2, "kind": "failed"})
    rows["turns"].append({**rows["turns"][1], "n": 3})
    score = scorer.score(rows, 0)
    assert number(score, "input_tokens") == before  # one turn less is known, one more was completed, one failed
    assert number(score, "unknown_usage") == 1
    assert failed(score, "checks") == {"usage_known"}
    assert score["lists"]["unusual_usage"] == [rows["cases"][0]["case"]]
    scorer.edit("cases.tokens_in: {is: sum(input over turns where kind == completed and input is defined)",
                "cases.tokens_in: {is: sum(input over turns where input is defined)")  # fmt: skip
    assert failed(scorer.score(rows, 1)) == {"totals"}


@pytest.mark.parametrize(
    ("formula", "diagnostic"),
    [
        ("sum(input over turns where input is defined) + sum(cached over turns where cached is defined)", "E2506"),
        ("0.01 USD * input_tokens", "E2507"),
    ],
)
@pytest.mark.breaks("B028", "B154")
def test_parts_are_never_added_and_no_dollar_is_inferred(scorer: Scorer, formula: str, diagnostic: str) -> None:
    scorer.edit("metrics:\n", f"metrics:\n  more: {formula}\n")
    ended, printed, told = scorer.protoc("check")
    assert ended == 1
    assert diagnostic in printed + told


@pytest.mark.parametrize(
    ("spoil", "gate"),
    [(change("calls", wall=900.001), "in_time"), (change("calls", at_once=4), "at_once")],
)
@pytest.mark.breaks("B023", "B031")
def test_limits_of_time_and_of_calls_at_once(scorer: Scorer, spoil: Spoil, gate: str) -> None:
    rows = perfect()
    rows["calls"][0] |= {"wall": 900, "at_once": 3}
    assert failed(scorer.score(rows, 0)) == set()
    spoil(rows)
    assert failed(scorer.score(rows, 1)) == {gate}


@pytest.mark.breaks("B030")
def test_the_time_of_the_batch_is_no_sum_of_latencies(scorer: Scorer) -> None:
    score = scorer.score(perfect(), 0)
    assert [number(score, name) for name in ("call_wall", "case_wall", "batch_wall")] == [40, 60, 21]


# --- review ---------------------------------------------------------------------------------------------------------


@pytest.mark.breaks("B034")
def test_a_variant_without_candidates_has_no_coverage_and_no_precision(scorer: Scorer) -> None:
    rows = perfect()
    rows["proposed"], rows["decisions"] = [], []
    for row in rows["answers"]:
        row["role"] = "not_applied"
    score = scorer.score(rows, 0)
    assert (number(score, "coverage"), score["metrics"]["precision"]) == (0, None)
    assert failed(score, "checks") == set()
    scorer.edit("count(retained_right) / count(retained)", "count(retained_right) / count(cases)")
    assert failed(scorer.score(rows, 0), "checks") == {"null_variant"}


@pytest.mark.breaks("B035", "B155")
def test_exact_spans_are_kept_apart_from_other_evidence_for_the_element(scorer: Scorer) -> None:
    rows = perfect()
    found = rows["proposed"][0]
    whole = len(rows["gold"])
    found["quote"] = found["quote"][:-1]
    score = scorer.score(rows, 0)
    assert score["metrics"]["exact_recall"] == {"num": 19, "den": whole}
    assert score["metrics"]["alternate_recall"] == {"num": 1, "den": whole}


# --- what the text of the protocol cannot say -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "diagnostic"),
    [
        ("sees: {is: [text, law.elements]", "sees: {is: [text, pick, law.elements]", "E26"),
        (
            "      sees: [text, law.elements]\n      labels",
            "      sees: [text, pick, law.elements]\n      labels",
            "E26",
        ),
        ("      follows: inventory\n", "", "E26"),
        ("      may: [score once]", "      may: [tune]", "E0808"),
        ("rejected: [outcome]", "rejected: [outcome, quote]", "E2509"),
        ("    session: {is: ephemeral, cites: [B011]}\n", "", "E2501"),
        ("    directory: {is: empty, cites: [B011]}\n", "", "E2502"),
        ("    prompt: {is: PROMPT.txt, cites: [B012]}\n", "", "E2502"),
        (
            "      model: {file: agent/config.toml, key: model, cites: [B013, B151]}",
            "      modell: {file: a.toml, key: model}",
            "E2504",
        ),
        ("part_of: input", "part_of: inputs", "E2505"),
        ("    sandbox: {is: read-only or attested, cites: [B011]}\n", "    network: open\n", "E2503"),
    ],
)
@pytest.mark.breaks("B006", "B009", "B011", "B012", "B021", "B033")
def test_what_would_give_something_away_is_refused(scorer: Scorer, old: str, new: str, diagnostic: str) -> None:
    scorer.edit(old, new)
    ended, printed, told = scorer.protoc("check")
    assert ended == 1
    assert diagnostic in printed + told
