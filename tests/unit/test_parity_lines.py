"""JSON lines that are read at once: what polars takes is exactly what the reader of single rows finds, or nothing."""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.manifests.meaning import Unreadable
from protoc_runtime.parity import plain_lines
from protoc_runtime.parity.records import Parity
from protoc_runtime.parity.rows import Side, one_by_one, read

PARITY = Parity("case_id", "predicted", "supported_probability", Fraction(19, 20), "error")
VIOLATED = Parity("case_id", "predicted", "supported_probability", Fraction(19, 20), "error", "violated")
PLAIN = '{"case_id": "c%d", "predicted": "op", "supported_probability": 0.97, "error": null}'


def slowly(data: bytes, parity: Parity) -> Side | None:
    """The second account: every row by itself."""
    try:
        return one_by_one(Path("rows.jsonl"), data, parity)
    except Unreadable:
        return None


def check_same_or_nothing(folder: Path, data: bytes, parity: Parity) -> bool:
    """Whether the file is read at once; then everything of it is what the reader of single rows finds."""
    if plain_lines.read(data, parity) is None:
        return False
    (folder / "rows.jsonl").write_bytes(data)
    quick, slow = read(folder / "rows.jsonl", parity), slowly(data, parity)
    assert slow is not None
    assert quick.frame.equals(slow.frame)
    assert quick.scores.exact() == slow.scores.exact()
    assert (quick.sha256, quick.counted, quick.faults, quick.errors) == (slow.sha256, slow.counted, (), ())
    assert slow.counted == (0, 0)
    return True


# --- single lines -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("line", "taken"),
    [
        (PLAIN % 9, True),
        ((PLAIN % 9).replace("null", '""').replace('"op"', "null").replace("0.97", "1"), True),
        ((PLAIN % 9).replace("0.97", "97e-2"), True),
        ((PLAIN % 9).replace("0.97", "0.9700000000000000000000000000000000000001"), True),
        ((PLAIN % 9).replace("0.97", "0.970"), True),
        ((PLAIN % 9).replace("0.97", "-0"), True),
        ((PLAIN % 9).replace('"op"', '"é: {}, []"'), True),
        ((PLAIN % 9).replace('"op"', '": null, {"'), True),
        ((PLAIN % 9).replace(": ", ":"), False),
        (PLAIN % 9 + " ", False),
        ((PLAIN % 9).replace("null}", 'null, "more": 1}'), False),
        ((PLAIN % 9).replace('"op"', '"o\\u0070"'), False),
        ((PLAIN % 9).replace('"predicted"', '"pre\\u0064icted"'), False),
        ((PLAIN % 9).replace("0.97", '"0.97"'), False),
        ((PLAIN % 9).replace("0.97", "NaN"), False),
        ((PLAIN % 9).replace("0.97", "null"), False),
        ((PLAIN % 9).replace("0.97", "097"), False),
        ((PLAIN % 9).replace("0.97", "1e400"), False),
        ((PLAIN % 9).replace("0.97", "9" * 16), False),
        ((PLAIN % 9).replace("null", '"boom"'), False),
        ((PLAIN % 9).replace("null", "false"), False),
        ((PLAIN % 9).replace('"c9"', '" "'), False),
        ((PLAIN % 9).replace('"c9"', "null"), False),
        ((PLAIN % 9).replace('"c9"', "9"), False),
        ((PLAIN % 9).replace('"op"', "[1]"), False),
        ((PLAIN % 9).replace('"op"', '"\x01"'), False),
        ((PLAIN % 9).replace('"op"', '"a\tb"'), False),
        ((PLAIN % 9).replace("null", "nullx"), False),
        ((PLAIN % 9)[:-1] + ', "error": null}', False),
        ((PLAIN % 9)[:-1] + ', "predicted": "op"}', False),
        (PLAIN % 9 + "x", False),
        (PLAIN % 9 + plain_lines.NONE, False),
        (PLAIN % 9 + plain_lines.NONE + "x", False),
        (PLAIN % 9 + '"', False),
        ("null", False),
        (" ", False),
    ],
)
@pytest.mark.parametrize("end", ["\n", ""])
def test_plain_lines_are_read_at_once_and_no_other(tmp_path: Path, line: str, taken: bool, end: str) -> None:
    """What is read at once is what the reader of every file reads."""
    lines = [PLAIN % number for number in range(3)]
    assert check_same_or_nothing(tmp_path, ("\n".join([*lines, line]) + end).encode(), PARITY) is taken


@pytest.mark.parametrize(
    "first",
    ["", "{}", "[]", "{" + (PLAIN % 1)[1:-1], PLAIN % 1 + PLAIN % 2, '{"case_id": "a"}', "\ufeff" + PLAIN % 1, "\n"],
)
def test_a_file_that_begins_otherwise_is_not_read_at_once(first: str) -> None:
    assert plain_lines.read(first.encode(), PARITY) is None
    assert plain_lines.read(b"\xff", PARITY) is None


def test_ends_of_lines_that_windows_writes_are_none_of_the_row(tmp_path: Path) -> None:
    assert check_same_or_nothing(tmp_path, "".join(PLAIN % number + "\r\n" for number in range(3)).encode(), PARITY)
    assert not check_same_or_nothing(
        tmp_path, "".join(PLAIN % number + "\r\r\n" for number in range(3)).encode(), PARITY
    )


def test_columns_that_are_one_are_not_read_at_once() -> None:
    same = Parity("case_id", "case_id", "supported_probability", Fraction(19, 20), "error")
    assert plain_lines.read((PLAIN % 1).encode(), same) is None


def test_lines_of_many_members_are_read_at_once(tmp_path: Path) -> None:
    more = "".join(f', "more{at}": {at}.5e-3, "text{at}": "é {at}"' for at in range(plain_lines.FEW))
    lines = [(PLAIN % number)[:-1] + more + "}" for number in range(3)]
    assert check_same_or_nothing(tmp_path, "\n".join(lines).encode(), PARITY)
    for old, new in (('"c2"', '" "'), (": 3.5e-3", ": 03"), ('"é 2"', '"é\t2"'), ("0.97", "null"), (", ", ",")):
        spoilt = [*lines[:2], lines[2].replace(old, new)]
        assert not check_same_or_nothing(tmp_path, "\n".join(spoilt).encode(), PARITY)


# --- random files -----------------------------------------------------------------------------------------------------

TEXTS = st.sampled_from(
    ['"a"', '"b"', '"é☃"', '"{}"', '","', '":null"', '": null"', '"{a:[1],"', '"null"', '" "', '""', '"a\\"b"',
     '"\\u0061"', '"case_id"', "null", "null"]
)  # fmt: skip
IDS = st.integers(0, 10**6).map(lambda number: f'"c{number}"')
NUMBERS = st.one_of(
    st.floats(0, 1).map(repr), st.sampled_from(["0.95", "0.950", "0.94999999999999999999", "-0", "-0.0", "1", "1e-7"])
)  # fmt: skip
ODD_NUMBERS = ["1e400", "01", ".5", "1.", "+1", "NaN", "Infinity", "0x1", "1E+05", "1e-400", "9" * 30, '"0.5"', "true"]
JUNK = [
    '"',
    ",",
    "}",
    "{",
    "\\",
    "\x00",
    "\x01",
    "\r",
    "\n",
    "\t",
    " ",
    "é",
    "x",
    "null",
    ":",
    '""',
    "\ufeff",
    "\u2028",
]
MANY = {f"more{at}": TEXTS for at in range(plain_lines.FEW)}
EXTRAS = {"note": TEXTS, "count": st.sampled_from(["1", "2.50", "true", "null"]), "violated": st.just("false")}


@st.composite
def files(draw: st.DrawFn) -> bytes:
    """Lines of one layout, of which some are then spoilt in one way."""
    due = {
        "case_id": IDS,
        "predicted": TEXTS,
        "supported_probability": NUMBERS,
        "error": st.sampled_from(['""', "null"]),
    }
    extras = draw(st.lists(st.sampled_from(sorted(EXTRAS)), unique=True))
    keys = draw(st.permutations([*due, *extras, *(MANY if draw(st.booleans()) else ())]))
    comma, colon = draw(st.sampled_from([(",", ":"), (", ", ": "), (" ,\t", " :")]))
    lines = []
    for _ in range(draw(st.integers(1, 4))):
        members = [f'"{key}"{colon}{draw((due | EXTRAS | MANY)[key])}' for key in keys]
        lines.append(draw(st.sampled_from(["{%s}"] * 6 + ["{ %s }"])) % comma.join(members))
    text = draw(st.sampled_from(["\n"] * 5 + ["\r\n", "\n\n"])).join(lines)
    for _ in range(draw(st.sampled_from([0, 0, 1, 1, 2]))):
        text = _spoilt(draw, text)
    return (text + draw(st.sampled_from(["\n", "\n", "", "\r\n", '"', " "]))).encode()


def _spoilt(draw: st.DrawFn, text: str) -> str:
    at = draw(st.integers(0, len(text)))
    members = [each for each in text.replace("}", ",").replace("{", ",").split(",") if each.strip()]
    member = draw(st.sampled_from(members))
    kind = draw(st.sampled_from(["insert", "drop", "again", "number", "escape", "swap"]))
    if kind == "insert":
        return text[:at] + draw(st.sampled_from(JUNK)) + text[at:]
    if kind == "drop":
        return text[:at] + text[at + 1 :]
    if kind == "again":
        return text.replace(member, f"{member},{member}", 1)
    if kind == "number":
        number = member.rpartition(":")[2]
        return text.replace(number, draw(st.sampled_from(ODD_NUMBERS)), 1)
    if kind == "escape":
        return text.replace('"predicted"', '"pre\\u0064icted"', draw(st.integers(1, 3)))
    other = draw(st.sampled_from(members))
    return text.replace(member, "\x02", 1).replace(other, member, 1).replace("\x02", other, 1)


@pytest.mark.parametrize("parity", [PARITY, VIOLATED])
def test_random_lines_are_read_alike_or_not_at_once(tmp_path_factory: pytest.TempPathFactory, parity: Parity) -> None:
    taken = []

    @settings(max_examples=400, deadline=None)
    @given(files())
    def holds(data: bytes) -> None:
        taken.append(check_same_or_nothing(tmp_path_factory.mktemp("lines", numbered=True), data, parity))

    holds()
    assert sum(taken) > len(taken) // 50  # the quick road is walked, not only avoided


@settings(max_examples=200, deadline=None)
@given(st.binary(max_size=12), st.integers(0, 400), st.integers(0, 3))
def test_random_bytes_inside_of_lines_are_read_alike_or_not_at_once(
    tmp_path_factory: pytest.TempPathFactory, junk: bytes, at: int, gone: int
) -> None:
    data = "\n".join(PLAIN % number for number in range(5)).encode()
    at = min(at, len(data))
    check_same_or_nothing(tmp_path_factory.mktemp("lines"), data[:at] + junk + data[at + gone :], PARITY)


def test_a_large_file_is_read_alike(tmp_path: Path) -> None:
    """Many lines, which are read in several parts."""
    rows: list[dict[str, Any]] = [
        {"case_id": f"c{n}", "predicted": None if n % 7 == 0 else f"operation-{n % 40}", "note": "x" * (n % 90),
         "supported_probability": n / 60_001, "error": ""}
        for n in range(60_000)
    ]  # fmt: skip
    assert check_same_or_nothing(
        tmp_path, "".join(json.dumps(each, separators=(",", ":")) + "\n" for each in rows).encode(), PARITY
    )
    rows[50_000]["error"] = "boom"
    assert not check_same_or_nothing(tmp_path, "".join(json.dumps(each) + "\n" for each in rows).encode(), PARITY)
