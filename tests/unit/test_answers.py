"""An answer is judged by itself: rows for the declared tables, or the reason why the case failed."""

from __future__ import annotations

import pytest

from protoc_runtime.declared import Column, Declared, Split, Subject, Table, Type
from protoc_runtime.subjects.answers import AnswerFault, Answers, known_keys, targets

TEXT = Type("text")


def column(name, kind, optional=False):
    return Column(name, kind, optional, "input", False)


def table(name, kind, source, key, *columns, listed=(), parent=""):
    return Table(
        name, kind, name, key, (), columns, source, "", False, parent, (), (), listed, (), None, (), "", "", (), ()
    )


REFERENCE = {name: Type("row", table=name) for name in ("cases", "fields", "found", "papers")}
DECLARED = Declared(
    "x", 1, "x", "sha256:0", (), (),
    (
        table("fields", "listed", "listed", ("field",), column("field", TEXT), listed=(("price",), ("date",))),
        table("papers", "input", "file", ("paper",), column("paper", TEXT)),
        table("cases", "input", "file", ("case",), column("case", TEXT), column("text", TEXT)),
        table(
            "found", "input", "subject", ("case", "field"), column("case", REFERENCE["cases"]),
            column("field", REFERENCE["fields"]), column("value", Type("number"), True),
            column("paper", REFERENCE["papers"], True), column("tags", Type("set", item=TEXT)),
        ),
        table("found.parts", "nested", "", (), column("_parent", REFERENCE["found"]), column("position", Type("int")),
              column("part", TEXT), parent="found"),
    ),
    (Split("s", "r", ("score",), "", "", "", ()),),
    Subject("python", "s.py:f", "cases", ("text",), ("found",), ("s.py",), None, 1, ()),
    (), (), (), (), (),
)  # fmt: skip
GOOD = '{"field":"price","value":1.50,"paper":null,"tags":["b","a"],"parts":[{"part":"x"}]}'


@pytest.fixture
def answers():
    assert targets(DECLARED) == ("cases", "papers")
    return Answers(DECLARED, known_keys(DECLARED, {"cases": ["c1", "c2"], "papers": ["p1"]}))


def test_the_case_is_filled_in_and_numbers_keep_their_digits(answers):
    rows = answers.rows("c1", f'{{"found":{GOOD}}}')
    (row,) = rows["found"]
    assert dict(row)["case"] == "c1"
    assert dict(row)["value"] == b"1.50"
    assert answers.rows("c1", f'{{"found":[{GOOD}]}}') == rows
    assert answers.rows("c1", '{"found":[]}') == {"found": []}
    assert answers.rows("c1", "{}") == {}


@pytest.mark.parametrize(
    ("answer", "reason"),
    [
        ("[]", "no object with the tables found"),
        ('"text"', "no object"),
        ('{"fuond":[]}', "the answer has rows of 'fuond'; the subject fills found"),
        ('{"found":["x"]}', "a row of found is not an object"),
        ('{"found":{"case":"c2"}}', "a row of found is about another case"),
        (f'{{"found":{GOOD.replace("price", "prize")}}}', "field field: fields has no row 'prize'"),
        (f'{{"found":{GOOD.replace("null", chr(34) + "p2" + chr(34))}}}', "field paper: papers has no row 'p2'"),
        (f'{{"found":{GOOD.replace("1.50", "true")}}}', "field value"),
        (f'{{"found":{GOOD.replace("1.50", chr(34) + "1.50" + chr(34))}}}', "field value"),
        (f'{{"found":[{GOOD},{GOOD}]}}', "row 2: a second row with the key c1, price"),
        (f'{{"found":{GOOD.replace("value", "worth")}}}', "there is no column 'worth'"),
        (f'{{"found":{GOOD.replace("value", "worth")}}}', "(and 1 more)"),
        (f'{{"found":{GOOD.replace(chr(34) + "a" + chr(34), chr(34) + "b" + chr(34))}}}', "field tags"),
        (f'{{"found":{GOOD.replace("part" + chr(34) + ":", "prat" + chr(34) + ":")}}}', "field parts, row 1"),
        ('{"found":{"field":' + "9" * 5000 + "}}", "not JSON that can be read"),
    ],
)
def test_what_does_not_fit_is_the_reason(answers, answer, reason):
    with pytest.raises(AnswerFault) as fault:
        answers.rows("c1", answer)
    assert reason in str(fault.value)
