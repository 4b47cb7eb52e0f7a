"""Audits of overlap: everything that two corpora share is told, and nothing else."""

from __future__ import annotations

import random
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from protoc_runtime import overlap as module
from protoc_runtime.diagnostics import Refused
from protoc_runtime.overlap import Overlap, overlap
from protoc_runtime.reading.corpus import Corpus, telling
from protoc_runtime.texts import ALIKE, alike, jaccard, plain, shingles
from unit.corpora import KINDS_OF_COPIES, planted, project, queries, rows, write_rows
from unit.projects import Project, ids, read_json

WORDS = st.sampled_from(["alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta"])
TEXTS = st.lists(st.lists(WORDS, min_size=1, max_size=7).map(" ".join), min_size=1, max_size=8)


def corpus(texts: list[str], keys: list[str] | None = None) -> Corpus:
    return Corpus(tuple(keys or ()), (), (), telling([texts]))


def test_the_plain_form_keeps_what_is_said() -> None:
    assert plain("  Héllo,\tWORLD!! ") == "héllo world"
    assert plain("ﬁne x²") == "fine x2"
    assert plain("РАУРАL") == plain("PAYPAL"), "letters that look alike"
    assert plain("?!") == "?!"
    assert plain("") == ""
    assert shingles("abc") == {"abc"}
    assert shingles("abcde") == {"abcd", "bcde"}
    assert jaccard(shingles(""), shingles("")) == 0


@given(st.text(max_size=30), st.text(max_size=30))
def test_alike_is_the_exact_index(first: str, second: str) -> None:
    one, two = shingles(plain(first)), shingles(plain(second))
    assert alike(one, two) is (jaccard(one, two) >= ALIKE)
    assert jaccard(one, two) == jaccard(two, one)


@given(TEXTS, TEXTS)
def test_both_ways_tell_the_same_as_every_pair(first: list[str], second: list[str]) -> None:
    """The audit of small corpora against all pairs by hand, and the one with signatures against it."""
    one, two = corpus(first), corpus(second)
    theirs = [text for texts in two.texts for text in texts]
    due = [
        row
        for row, texts in enumerate(one.texts)
        if any(text not in theirs and any(alike(shingles(text), shingles(other)) for other in theirs) for text in texts)
    ]
    found = overlap(one, two)
    assert [pair.first for pair in found.texts] == [r for r, texts in enumerate(one.texts) if set(texts) & set(theirs)]
    assert [pair.first for pair in found.near] == [row for row in due if row not in {p.first for p in found.texts}]


def signed(first: Corpus, second: Corpus, monkeypatch: pytest.MonkeyPatch) -> Overlap:
    """The audit as it is made of larger corpora."""
    monkeypatch.setattr(module, "PAIRWISE", 0)
    return overlap(first, second)


@pytest.mark.parametrize("kind", KINDS_OF_COPIES, ids=lambda kind: kind.__name__.strip("_"))
def test_every_planted_pair_is_told(kind, monkeypatch: pytest.MonkeyPatch) -> None:
    choose = random.Random(5)
    first, second = queries(400, 1), queries(400, 2)
    places = choose.sample(range(400), 60)
    for number, place in enumerate(places):
        second[place] = kind(first[number], choose)
        assert jaccard(shingles(plain(first[number])), shingles(plain(second[place]))) >= ALIKE, "so it is planted"
    found = signed(corpus(first), corpus(second), monkeypatch)
    assert {(pair.first, pair.second) for pair in (*found.texts, *found.near)} == set(enumerate(places))


def test_more_texts_than_pairs_can_be_compared(monkeypatch: pytest.MonkeyPatch) -> None:
    """3,000 against 3,000: the signatures choose, and the same pairs are told in the other direction."""
    choose = random.Random(7)
    first, second = queries(3000, 1), queries(3000, 2)
    for number in range(120):
        second[number] = planted(first[-1 - number], number, choose)
    found, back = overlap(corpus(first), corpus(second)), overlap(corpus(second), corpus(first))
    told = {(pair.first, pair.second) for pair in (*found.texts, *found.near)}
    assert told == {(2999 - number, number) for number in range(120)}
    assert told == {(pair.second, pair.first) for pair in (*back.texts, *back.near)}
    assert "MinHash" in found.method
    assert found.compared == (3000, 3000)


def test_pairs_just_at_the_threshold_are_told_as_often_as_is_stated(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of 600 pairs with an index of 0.70 to 0.72 at most two are missed (stated: 0.4 on average)."""
    choose, first, second = random.Random(11), [], []
    for text in queries(600, 3, words=20):
        words = text.split()
        for place in choose.sample(range(20), 20):
            changed = " ".join(words)
            index = jaccard(shingles(plain(text)), shingles(plain(changed)))
            if index < 0.735:
                break
            kept, words[place] = words[place], "".join(choose.choices("bcdfgh", k=4))
            if jaccard(shingles(plain(text)), shingles(plain(" ".join(words)))) < ALIKE:
                words[place] = kept
                break
        first.append(text)
        second.append(" ".join(words))
    near = [n for n in range(600) if ALIKE <= jaccard(shingles(first[n]), shingles(plain(second[n]))) < 1]
    found = signed(corpus(first), corpus(second), monkeypatch)
    missed = set(near) - {pair.first for pair in found.near}
    assert len(near) > 400
    assert len(missed) <= 2, missed


def test_texts_that_are_all_half_alike_are_refused_and_equal_ones_are_not(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "COMPARISONS", 1000)
    base = "the same opening of every text that is rather long and never changes at all "
    first = [f"{base[:60]} {text[:40]}" for text in queries(300, 1)]
    second = [f"{base[:60]} {text[:40]}" for text in queries(300, 2)]
    with pytest.raises(Refused) as refused:
        signed(corpus(first), corpus(second), monkeypatch)
    assert refused.value.diagnostics[0].id == "E2310"
    many = signed(corpus([base] * 3 + queries(2, 1)), corpus([base] * 400 + queries(300, 4)), monkeypatch)
    assert [pair.first for pair in many.texts] == [0, 1, 2]
    same = [base + "x", *queries(2, 1)]
    assert [pair.first for pair in signed(corpus(same), corpus(same), monkeypatch).texts] == [0, 1, 2]


def test_texts_that_all_share_a_form_are_told_without_counting_every_pair(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each is a near-duplicate of very many; one of them is enough."""
    monkeypatch.setattr(module, "COMPARISONS", 10_000)
    first, second = ([f"please show me the order number {n}" for n in range(at, at + 2_000)] for at in (0, 70_000))
    found = signed(corpus(first), corpus(second), monkeypatch)
    monkeypatch.setattr(module, "CROWD", 10**9)
    whole = signed(corpus(first[:100]), corpus(second[:100]), monkeypatch)
    assert {pair.first for pair in whole.near} <= {pair.first for pair in found.near}
    assert len(found.near) == 2_000


def test_without_the_package_large_corpora_are_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "rensa", None)
    with pytest.raises(Refused) as refused:
        signed(corpus(queries(3, 1)), corpus(queries(3, 2)), monkeypatch)
    assert refused.value.diagnostics[0].id == "E2310"
    assert "evalprotoc[overlap]" in refused.value.diagnostics[0].hint
    monkeypatch.undo()
    monkeypatch.setitem(sys.modules, "rensa", None)
    assert not overlap(corpus(queries(9, 1)), corpus(queries(9, 2))).found, "small ones need none"


# --- as a condition of a protocol ---------------------------------------------------------------------------------

SPLITS = """dev: {role: development, may: [score]}
fresh: {role: confirmation, may: [score once], disjoint_from: [dev]}"""
TABLE = """    audits:
      from: audit
      key: [split, other]
      columns: {split: splits, other: splits, shared_texts: int, near_duplicates: int, texts: int}
"""
GATE = """  disjoint: {says: The audit found nothing., must: no audits where near_duplicates + shared_texts > 0}
  audited: {says: There is an audit., must: count(audits) == 1}
"""


def audited(folder: Path, fresh: list[dict], dev: list[dict] | None = None) -> Project:
    given = [*(rows(40, 1, "dev") if dev is None else dev), *fresh]
    return project(folder, "study", given, splits=SPLITS, reads="fresh", tables=TABLE, gates=GATE)


def test_an_audit_stands_in_seal_bundle_receipt_and_rules(tmp_path: Path) -> None:
    study = audited(tmp_path, rows(30, 2, "fresh"))
    study.seal()
    bundle = study.run()
    assert bundle is not None
    (audit,) = read_json(bundle / "audit.json")["audits"]
    assert (audit["split"], audit["other"], audit["rows"], audit["other_rows"]) == ("fresh", "dev", 30, 40)
    assert (audit["texts"], audit["other_texts"], audit["method"]) == (30, 40, "every pair")
    page = (bundle / "RECEIPT.md").read_text()
    assert "fresh and dev: nothing is shared (30 against 40 cases" in page
    assert "disjoint from dev" in page
    study.protoc("verify", bundle)
    study.run("--rehearse", status=1)
    assert read_json(study.bundles()[-1] / "receipt.json")["predicate"].get("audits") is None


@pytest.mark.parametrize("change", ["audit", "rows"])
def test_an_audit_that_was_changed_in_the_bundle_is_found(tmp_path: Path, change: str) -> None:
    from unit.test_verifying import close_again

    study = audited(tmp_path, rows(30, 2, "fresh"))
    study.seal()
    bundle = study.run()
    assert bundle is not None
    path = bundle / ("audit.json" if change == "audit" else "rows/audits.jsonl")
    path.write_text(path.read_text().replace('"texts": 30' if change == "audit" else '"texts":30', '"texts":31', 1))
    assert "31" in path.read_text()
    close_again(bundle)
    study.protoc("verify", bundle, status=1)
    assert "E1405" in ids(study), study.err


@pytest.mark.parametrize(
    ("copy", "told"),
    [
        (lambda row: {**row, "split": "fresh", "case": "n"}, "1 equal rows, 1 equal texts"),
        (lambda row: {**row, "split": "fresh", "case": "n", "query": row["query"].upper()}, "1 equal texts"),
        (lambda row: {**row, "split": "fresh", "case": "n", "query": "a" + row["query"]}, "1 near-duplicate texts"),
    ],
    ids=["row", "text", "near-duplicate"],
)
def test_one_shared_case_refuses_the_seal(tmp_path: Path, copy, told: str) -> None:
    dev = rows(40, 1, "dev")
    study = audited(tmp_path, [*rows(30, 2, "fresh"), copy(dev[3])], dev)
    study.compile()
    study.protoc("seal", study.spec, status=1)
    assert ids(study) == ["E2303"]
    assert told in study.err
    assert 'for example {"case":"n"} and {"case":"q1-3"}' in study.err
    assert not (study.spec / "seal.jsonl").exists()


def test_a_seal_without_the_audit_does_not_meet_the_condition(tmp_path: Path) -> None:
    """A seal that was written by hand, or by a version that made no audits."""
    from protoc_runtime.record import replace
    from protoc_runtime.seal import load_seals
    from protoc_runtime.seal_format import to_bytes

    study = audited(tmp_path, rows(30, 2, "fresh"))
    study.seal()
    path = study.spec / "seal.jsonl"
    (seal,) = load_seals(path)
    path.write_bytes(to_bytes(replace(seal, pins=replace(seal.pins, audits=()))) + b"\n")
    study.run(status=1)
    assert ids(study) == ["E2311"]


def test_two_files_are_audited_without_a_protocol(tmp_path: Path) -> None:
    import csv

    first, second = tmp_path / "a.jsonl", tmp_path / "b.csv"
    given = rows(30, 1, "x")
    write_rows(first, given)
    other = [*rows(20, 2, "y"), {**given[4], "split": "y", "case": "n", "query": given[4]["query"] + " indeed"}]
    with second.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(other[0]))
        writer.writeheader()
        writer.writerows(other)
    study = Project(tmp_path, "none")
    artifact = tmp_path / "audit.json"
    out = study.protoc("splits", "--overlap", first, second, "--key", "case", "--json", artifact, status=1)
    assert "1 near-duplicate texts: 30 cases of" in out
    assert "near duplicates: q1-4 and n, Jaccard index" in out
    told = read_json(artifact)
    assert told["examples"]["near_duplicates"][0]["case"] == "q1-4"
    assert [file["rows"] for file in told["files"]] == [30, 21]
    write_rows(second.with_suffix(".jsonl"), other[:-1])
    assert "nothing is shared" in study.protoc(
        "splits", "--overlap", first, second.with_suffix(".jsonl"), "--text", "query"
    )
    for wrong in ((first, tmp_path / "none.jsonl"), (first, second, "--text", "quary"), (first, tmp_path)):
        study.protoc("splits", "--overlap", *wrong, status=2)
