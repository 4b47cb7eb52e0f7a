"""Random protocols whose rules read a listed table, the same with other rows in it, and rows that both take."""

from __future__ import annotations

from random import Random
from typing import Any

from drift.tiny import Rows

SPEC = """protoc: 1
protocol: {{id: listed, version: 1, title: Rows that stand in the spec}}
data:
  tables:
    kinds:
      key: kind
      columns: {{at_least: decimal, most: int, hard: bool}}
      rows:
{listed}
    cases:
      key: case
      columns: {{case: text, right: bool, size: int, kind: kinds}}
definitions:
  hard_kinds: kinds where hard
  wide_kinds: kinds where most >= 2
  cases.fits: size <= kind.most
  hard_cases: cases where kind.hard
  cases.first: first(kinds)
  kinds.well: done >= at_least
metrics:
  done.<kinds>: {done}
  cases_of.<kinds>: count(cases)
  fit: rate(fits over cases)
  right_where_hard: rate(right over hard_cases)
{rules}
verdict:
{verdict}
report:
  released: [PASS]
"""
LABELS = ("mail", "chat", "phone", "desk")
SHARES = ("0", "0.25", "0.5", "0.75", "1")
DONE = (
    "rate(right over cases)", "{is: rate(right over cases), if_undefined: 0}",
    "{is: rate(right over cases), if_undefined: 1}", "rate(right and fits over cases)",
    "{is: rate(right over cases where size <= kind.most), if_undefined: 1}",
)  # fmt: skip
OF_KINDS = (
    "done >= at_least", "done > at_least", "done < at_least", "cases_of >= most", "cases_of <= most",
    "done >= at_least or hard", "hard and done >= at_least", "(done >= at_least) is not false", "done >= 0.5", "well",
    "at_least <= 0.5", "most <= 2", "done >= min(at_least over kinds)", "done >= at_least - 0.25", "kind != mail",
)  # fmt: skip
ROWS = (
    "kinds", "kinds", "hard_kinds", "wide_kinds", "kinds where hard", "kinds where not hard", "kinds where most > 1",
    "kinds where kind != mail", "kinds where cases_of > 0",
)  # fmt: skip
TOTALS = (  # of listed rows together
    "count(kinds where well is true) >= 2", "rate(well over kinds) >= 0.5", "count(hard_kinds) <= 1",
    "max(at_least over kinds) <= 0.75", "count(kinds) == 2", "min(done over kinds) >= 0.5",
    "sum(most over hard_kinds) >= 2", "cases_of.mail >= sum(most over kinds)",
    "cases_of.mail >= count(kinds where hard)", "fit >= min(at_least over kinds)", "fit >= median(at_least over kinds)",
    "fit <= mean(at_least over hard_kinds)", "cases_of.mail > distinct(most over kinds)",
    "sum(cases_of over kinds where hard) >= 2", "min(done over hard_kinds) >= 0.5", "mean(done over wide_kinds) >= 0.5",
    "rate(done >= 0.5 over hard_kinds) >= 0.5", "cases_of.mail * max(most over kinds) >= 2",
    "fit > p95(at_least over kinds)", "fit >= rate(hard over kinds)", "cases_of.mail >= distinct(hard over wide_kinds)",
    "median(done over kinds) >= 0.5", "cases_of.mail <= max(most over kinds where at_least > 0.5)",
    "fit > product(at_least over kinds)", "(sum(at_least over hard_kinds) <= fit) is not false",
    "distinct(kind over hard_kinds) <= cases_of.mail",
)  # fmt: skip
FILTERED = (  # of data that refer to some of the listed rows
    "rate(fits over cases where kind.hard) >= 0.5", "count(cases where kind.hard and size <= kind.most) <= 1",
    "some cases where kind.hard have size > kind.most", "all cases where kind == mail have fits",
    "no cases where kind.at_least > 0.3 have size > kind.most", "mean(kind.most over hard_cases) >= 2",
    "count(cases where not kind.hard and fits) >= 1", "some cases have kind.hard and fits",
    "no cases have not fits and kind.at_least <= 0.5", "sum(kind.most over cases where kind != mail) <= 3",
)  # fmt: skip
OTHERS = (
    *TOTALS, *FILTERED,
    "all cases have fits", "fit >= 0.5", "count(cases where kind.hard) >= 1", "done.mail >= 0.5",
    "no cases where kind == mail have size > 1", "first(kinds).most <= 2", "last(kinds).hard",
    "some cases have kind.at_least > 0.5", "count(cases where kind.well) >= 1",
    "only(kinds where kind == mail).most <= count(cases)", "rate(right over cases where kind.hard) >= 0.5",
    "no cases have size > kind.most", "mean(kind.at_least over cases) <= 0.5", "all cases where kind.hard have right",
    "count(cases where kind.hard and size <= kind.most) <= 2", "count(hard_cases) >= 1", "right_where_hard >= 0.5",
    "count(cases where kind != mail) <= 3", "max(kind.most over cases) <= 2", "count(cases where first.hard) >= 1",
    "no cases have size > first.most",
)  # fmt: skip
LINES = ("all gates have held", "some gates have failed", "gates.g0 is true", "gates.g0 is not undefined",
         "some gates have held")  # fmt: skip


class Relisting:
    """One protocol, made of one generator."""

    def __init__(self, chance: Random) -> None:
        self.chance = chance
        labels = ["mail", *chance.sample(LABELS[1:], chance.randint(1, 2))]
        chance.shuffle(labels)
        self.listed = {label: self._cells() for label in labels}
        self.done = chance.choice(DONE)
        self.rules = self._rules()
        first = ["  - INVALID when some blockers have fired"] if "blockers:" in self.rules else []
        asked = chance.choice([LINES[0], LINES[0], LINES[0], *LINES])
        self.verdict = "\n".join([*first, f"  - PASS when {asked}", "  - FAIL otherwise"])

    def _cells(self) -> dict[str, str]:
        hard = self.chance.choice(("true", "false"))
        return {"at_least": self.chance.choice(SHARES), "most": str(self.chance.randint(1, 3)), "hard": hard}

    def _rule(self) -> str:
        if self.chance.random() < 0.35:
            return self.chance.choice(OTHERS)
        many = self.chance.choice(("all", "all", "some", "no"))
        made = f"{many} {self.chance.choice(ROWS)} have {self.chance.choice(OF_KINDS)}"
        return self.chance.choice((made, made, f"not ({made})", f"({made}) is not false", f"({made}) is not undefined"))

    def _rules(self) -> str:
        before, lines = [], ["gates:"]
        for at in range(self.chance.randint(1, 2)):
            lines += [f"  g{at}:", "    says: It is as it is.", f'    must: "{self._rule()}"']
        if self.chance.random() < 0.4:
            table = self.chance.choice(("kinds", "hard_kinds", "wide_kinds"))
            lines += [f"  each.<{table}>:", "    says: It is as it is.", f"    must: {self.chance.choice(OF_KINDS)}"]
        if self.chance.random() < 0.4:
            name, rule = ("b", self._rule()) if self.chance.random() < 0.5 else ("b.<kinds>", self._of_kind())
            undefined = self.chance.choice(("fires", "does not fire"))
            before = ["blockers:", f"  {name}:", "    says: It is as it is.", f'    when: "{rule}"']
            before += ["    forces: INVALID", f"    if_undefined: {undefined}"]
        return "\n".join([*before, *lines])

    def ask(self, rule: str) -> None:
        """Ask for this alone."""
        self.rules = f'gates:\n  g0: {{says: It is as it is., must: "{rule}"}}'
        self.verdict = "  - PASS when all gates have held\n  - FAIL otherwise"

    def _of_kind(self) -> str:
        return self.chance.choice(OF_KINDS)

    def changed(self) -> dict[str, dict[str, str]]:
        """The listed rows with one or two changes."""
        made = {label: dict(cells) for label, cells in self.listed.items()}
        for _ in range(self.chance.choice((1, 1, 2))):
            labels = list(made)
            left = [label for label in LABELS if label not in made]
            way = self.chance.choice(("add", "remove", "reorder", "replace", "number", "number", "flag"))
            if way in ("add", "replace") and left:
                made[self.chance.choice(left)] = self._cells()
            if way in ("remove", "replace") and len(labels) > 1:
                made.pop(self.chance.choice([label for label in labels if label != "mail"]))
            if way in ("reorder", "add"):
                order = self.chance.sample(list(made), len(made))
                made = {label: made[label] for label in order}
            if way == "number":
                cells = made[self.chance.choice(list(made))]
                column = self.chance.choice(("at_least", "at_least", "most"))
                cells[column] = self._cells()[column]
            if way == "flag":
                cells = made[self.chance.choice(list(made))]
                cells["hard"] = "false" if cells["hard"] == "true" else "true"
        return made

    def text(self, listed: dict[str, dict[str, str]]) -> str:
        """The spec with these listed rows."""
        lines = [
            f"        {label}: {{{', '.join(f'{name}: {value}' for name, value in cells.items())}}}"
            for label, cells in listed.items()
        ]
        return SPEC.format(listed="\n".join(lines), done=self.done, rules=self.rules, verdict=self.verdict)


def rows(labels: list[str], chance: Random, most: int = 5) -> Rows:
    """A few cases of these kinds."""

    def one(at: int) -> dict[str, Any]:
        """One case."""
        return {"case": f"c{at}", "right": chance.random() < 0.6, "size": chance.randint(0, 3),
                "kind": chance.choice(labels)}  # fmt: skip

    return {"cases": [one(at) for at in range(chance.randint(0, most))]}
