"""Small random protocols over counts, changed copies of them, and rows on which they may differ.

Everything is drawn from one generator, so a seed names a pair and its rows. The protocols are made to be hard to judge:
undefined values, gates of three values, minimum numbers, blockers that force, several verdicts, groups of known size.
"""

from __future__ import annotations

import copy
import re
from random import Random
from typing import Any

Rows = dict[str, list[dict[str, Any]]]
Parts = dict[str, dict[str, str]]

HEAD = """protoc: 1
protocol: {{id: tiny, version: 1, title: A tiny protocol}}
data:
  tables:
    strata: {{key: stratum, rows: {{a: {{hard: true}}, b: {{hard: false}}, c: {{hard: {third}}}}}}}
    cases:
      key: case
      columns: {{case: text, stratum: strata, kind: [x, y], size: int?, tags: set of text}}
      expect:
{expect}
    answers: {{from: subject, key: case, columns: {{case: cases, right: bool?}}}}
procedure:
  subject: {{python: "s.py:f", of: cases, sees: [kind]}}
"""
DEFINED = (
    "kind == x", "kind != x", "stratum.hard", "right", "big", "answered", '"t" in tags', "size is defined", "good",
    "(size > 1) is true", "said is not false", "said is undefined", "cls == well", "cls != ill", "stratum == a",
    "(said and big) is true", "count(answers) == 0",
)  # fmt: skip
THREE = ("size >= 1", "said", "not said", "said and size > 0", "said or kind == x", "size == 2", "cls == well")
SHARES = ("0", "0.25", "0.3", "0.5", "0.6", "2 / 3", "0.75", "1")
STRATUM = "cases matching stratum"


class Tiny:
    """Makes the parts of one protocol."""

    def __init__(self, rng: Random) -> None:
        self.rng = rng
        self.metrics: list[str] = []
        self.size = rng.choice((1, 1, 2))

    def one(self, *ways: Any) -> Any:
        """One of these."""
        return self.rng.choice(ways)

    def whether(self, depth: int = 1) -> str:
        """A condition on a case that is always defined."""
        if depth and self.rng.random() < 0.35:
            join = self.one("and", "or")
            return f"({self.whether(depth - 1)} {join} {self.whether(depth - 1)})"
        made: str = self.rng.choice(DEFINED)
        return f"not ({made})" if self.rng.random() < 0.15 else made

    def rows(self, base: str = "cases") -> str:
        """Some of the cases."""
        return f"{base} where {self.whether()}" if self.rng.random() < 0.55 else base

    def number(self, base: str = "cases") -> tuple[str, str]:
        """A number, and whether it is a count (`n`) or a share (`s`)."""
        if self.metrics and base == "cases" and self.rng.random() < 0.4:
            name = self.rng.choice(self.metrics)
            return name, "s" if name.startswith("s") else "n"
        draw = self.rng.random()
        if draw < 0.4:
            return f"count({base} where {self.whether()})", "n"
        if draw < 0.75:
            return f"rate({self.one(self.whether(), self.rng.choice(THREE))} over {self.rows(base)})", "s"
        function = self.one("sum", "mean", "max", "min", "median", "distinct", "p95")
        where = "where size is defined" if self.rng.random() < 0.7 else "where big"
        return f"{function}(size over {base} {where})", "n"

    def compared(self, base: str = "cases") -> str:
        """A comparison of a number."""
        left, kind = self.number(base)
        if self.rng.random() < 0.2:
            right, other = self.number(base)
            if kind == other:
                return f"{left} {self.one('>=', '>', '==')} {right}{self.one('', ' + 1', ' * 2', ' - 0.25')}"
        if self.rng.random() < 0.15:
            right, other = self.number(base)
            factor = self.one("", "2 * ")
            return f"{left} {self.one('+', '-', '/')} {factor}{right} {self.relation()} {self.bound('s')}"
        return f"{left} {self.relation()} {self.bound(kind)}"

    def relation(self) -> str:
        """How a number is compared."""
        return self.rng.choices((">=", ">", "<=", "<", "==", "!="), (5, 3, 3, 2, 1, 1))[0]

    def bound(self, kind: str) -> str:
        """What a number is compared with."""
        return self.rng.choice(SHARES) if kind == "s" else str(self.rng.randint(0, 4))

    def rule(self, depth: int = 1) -> str:
        """The condition of a gate, blocker or check."""
        draw = self.rng.random()
        if depth and draw < 0.3:
            one, two = self.rule(depth - 1), self.rule(depth - 1)
            return self.one(f"({one}) and ({two})", f"({one}) or ({two})", f"not ({one})", f"({one}) is not false",
                            f"({one}) is true")  # fmt: skip
        if draw < 0.55:
            return self.compared()
        if draw < 0.65:
            left, kind = self.number()
            test = f"{left} {self.relation()} {self.bound(kind)}"
            return self.one(
                f"{left} is undefined or {test}", f"count({self.rows()}) < {self.rng.randint(1, 3)} or {test}"
            )
        if draw < 0.8:
            strata = self.one("strata", "strata", "strata where hard", "strata where not hard")
            return f"{self.one('all', 'some', 'no')} {strata} have {self.compared(STRATUM)}"
        if draw < 0.87:
            inner = self.compared(STRATUM)
            return f"count(strata where ({inner}) is true) {self.relation()} {self.rng.randint(0, 3)}"
        return (
            f"({self.one('all', 'some', 'no')} {self.rows()} have {self.one(self.rng.choice(THREE), self.whether())})"
        )

    def parts(self) -> Parts:
        """The parts of a protocol by section and name."""
        made: Parts = {"expect": {}, "definitions": {}, "metrics": {}, "blockers": {}, "gates": {}, "checks": {}}
        made["head"] = {"third": self.one("true", "false")}
        made["definitions"] = {
            "cases.said": "only(answers).right",
            "cases.right": f"{{is: only(answers).right, if_undefined: {self.one('false', 'true')}}}",
            "cases.answered": "count(answers) > 0",
            "cases.big": f"{{is: size >= {self.rng.randint(0, 2)}, if_undefined: {self.one('false', 'true')}}}",
            "cases.cls": "[well when right, ill when size is undefined, other otherwise]",
        }
        made["definitions"]["cases.good"] = f"(right {self.one('and', 'or')} kind == {self.one('x', 'y')})"
        total = 3 * self.size
        made["expect"] = {"total": f"count(cases) == {total}"} if self.rng.random() < 0.8 else {"total": "some cases"}
        if self.rng.random() < 0.6:
            made["expect"]["each"] = f"all strata have count(cases matching stratum) == {self.size}"
        if self.rng.random() < 0.3:
            made["expect"]["kinds"] = (
                f"count(cases where kind == x) {self.one('==', '>=', '<=')} {self.rng.randint(1, 3)}"
            )
        if self.rng.random() < 0.5:
            made["expect"]["sizes"] = "no cases where size is defined have size > 2 or size < 0"
        if self.rng.random() < 0.3:
            made["expect"]["read"] = f"count(cases where big) {self.one('>=', '<=')} {self.rng.randint(1, 2)}"
        for at in range(self.rng.randint(1, 3)):
            text, kind = self.number()
            if self.rng.random() < 0.2:
                text = f"{{is: '{text}', if_undefined: {self.one('0', '1')}}}"
            made["metrics"][f"{kind}{at}"] = text
            self.metrics.append(f"{kind}{at}")
        for at in range(self.rng.randint(1, 3)):
            made["gates"][f"g{at}"] = self.rule()
        for at in range(self.rng.randint(0, 2)):
            made["blockers"][f"b{at}"] = self.rule()
            made["head"][f"b{at}"] = self.one("fires", "does not fire")
        if self.rng.random() < 0.4:
            made["checks"]["c0"] = self.rule()
        made["verdict"] = {str(at): line for at, line in enumerate(self.lines(made))}
        words = list(dict.fromkeys(line.split()[0] for line in made["verdict"].values()))
        made["report"] = {"released": ", ".join(self.rng.sample(words, self.rng.randint(1, max(1, len(words) - 1))))}
        return made

    def lines(self, made: Parts) -> list[str]:
        """The lines of the verdict."""
        tests = ["all gates have held"]
        gate = self.rng.choice(list(made["gates"]))
        tests += [f"gates.{gate} is {self.one('true', 'not true', 'false', 'undefined', 'not false')}"]
        tests += ["some gates have failed", "some gates have held"]
        if made["blockers"]:
            tests += ["no blockers have fired", "blockers.b0 is true"]
        if made["checks"]:
            tests += ["checks.c0 is true"]
        if self.rng.random() < 0.3:
            tests += [f"({self.compared()}) is true"]
        words = ["PASS", "PARTLY", "FAIL", "OTHER"]
        first = ["INVALID when some blockers have fired"] if made["blockers"] else []
        some = self.rng.sample(tests[1:], self.rng.randint(0, 2))
        some.insert(self.rng.choice((0, 0, len(some))), tests[0])
        return [*first, *(f"{word} when {test}" for word, test in zip(words, some, strict=False)), "FAIL otherwise"]


def text(parts: Parts) -> str:
    """The spec."""
    expect = "\n".join(f"        - {line}" for line in parts["expect"].values())
    lines = [HEAD.format(third=parts["head"]["third"], expect=expect).rstrip()]
    for section in ("definitions", "metrics"):
        lines += [f"{section}:", *(f"  {name}: {_quoted(body)}" for name, body in parts[section].items())]
    for section, key in (("blockers", "when"), ("gates", "must"), ("checks", "is")):
        if parts[section]:
            lines.append(f"{section}:")
        for name, body in parts[section].items():
            lines += [f"  {name}:", "    says: It is as it is.", f"    {key}: {_quoted(body)}"]
            if section == "blockers":
                lines += [f"    if_undefined: {parts['head'][name]}"]
    lines += ["verdict:", *(f"  - {line}" for line in parts["verdict"].values())]
    lines += ["report:", f"  released: [{parts['report']['released']}]"]
    return "\n".join(lines) + "\n"


def _quoted(body: str) -> str:
    return body if body[0] in "{[" else f"'{body}'"


_NUMBER = re.compile(r"(?<![\w.])\d+(?:\.\d+)?(?![\w.])")
_SWAPS = (
    (">=", ">"), ("> ", ">= "), ("<=", "<"), ("< ", "<= "), ("==", "!="), (" and ", " or "), (" or ", " and "),
    ("all ", "some "), ("some ", "no "), ("no ", "all "), ("hard", "not hard"), ("is true", "is not false"),
    ("false", "true"), ("true", "false"), ("kind == x", "kind == y"), ("right", "said is not false"),
    ("size is defined", "big"), ("x", "y"), (" + 1", ""), (" matching stratum", ""),
)  # fmt: skip


def changed(parts: Parts, rng: Random, maker: Tiny) -> Parts:
    """A copy with one to three changes."""
    made = copy.deepcopy(parts)
    for _ in range(rng.choice((1, 1, 1, 2, 3))):
        _change(made, rng, maker)
    return made


def _change(made: Parts, rng: Random, maker: Tiny) -> None:
    section = rng.choices(
        ("gates", "blockers", "checks", "metrics", "definitions", "verdict", "report", "expect", "head"),
        (10, 5, 2, 5, 4, 3, 2, 0.6, 1),
    )[0]
    entries = made[section]
    if not entries:
        return
    name = rng.choice(list(entries))
    draw = rng.random()
    if section == "verdict":
        lines = list(entries.values())
        at = rng.randrange(len(lines) - 1)
        if draw < 0.5 and at + 2 < len(lines):
            lines[at], lines[at + 1] = lines[at + 1], lines[at]
        elif draw < 0.7 and len(lines) > 2:
            del lines[at]
        else:
            lines = maker.lines(made)
        made["verdict"] = {str(number): line for number, line in enumerate(lines)}
    elif section == "report":
        words = list(dict.fromkeys(line.split()[0] for line in made["verdict"].values()))
        entries["released"] = ", ".join(rng.sample(words, rng.randint(1, max(1, len(words) - 1))))
    elif section == "head":
        swaps = {"fires": "does not fire", "does not fire": "fires", "true": "false", "false": "true"}
        entries[name] = swaps[entries[name]]
    elif draw < 0.4 and _NUMBER.search(entries[name]):
        found = rng.choice(list(_NUMBER.finditer(entries[name])))
        old = found.group()
        new = rng.choice((*SHARES[:4], "0.75", "1")) if "." in old else str(max(0, int(old) + rng.choice((-1, 1, 1))))
        entries[name] = entries[name][: found.start()] + new + entries[name][found.end() :]
    elif draw < 0.75:
        fitting = [pair for pair in _SWAPS if pair[0] in entries[name]]
        if fitting:
            old, new = rng.choice(fitting)
            places = [place.start() for place in re.finditer(re.escape(old), entries[name])]
            at = rng.choice(places)
            entries[name] = entries[name][:at] + new + entries[name][at + len(old) :]
    elif section in ("gates", "blockers", "checks"):
        if draw < 0.85:
            entries[name] = rng.choice(
                (f"({entries[name]}) or ({maker.rule(0)})", f"({entries[name]}) and ({maker.rule(0)})")
            )
        elif draw < 0.9 and section != "checks" and len(entries) > 1:
            del entries[name]
        else:
            entries[name] = maker.rule()


def rows(parts: Parts, rng: Random) -> Rows:
    """Rows that are mostly as the protocol expects."""
    found = re.fullmatch(r"count\(cases\) == (\d+)", parts["expect"]["total"])
    number = int(found.group(1)) if found else rng.randint(0, 5)
    strata = ["abc"[at % 3] for at in range(number)]
    if "each" not in parts["expect"] or rng.random() < 0.1:
        strata = [rng.choice("abc") for _ in strata]
    likely, sized, answered = (rng.choice((0.1, 0.5, 0.9, 1)) for _ in range(3))
    kind = rng.choice((0, 0.5, 0.5, 1))
    cases, answers = [], []
    for at in range(number):
        size = rng.choice((0, 1, 2)) if rng.random() < sized else None
        tags = [tag for tag in "tu" if rng.random() < 0.5]
        row = {"case": f"k{at}", "stratum": strata[at], "kind": "x" if rng.random() < kind else "y"}
        cases.append({**row, "size": size, "tags": tags})
        if rng.random() < answered:
            right = None if rng.random() < 0.15 else rng.random() < likely
            answers.append({"case": f"k{at}", "right": right})
    return {"cases": cases, "answers": answers}
