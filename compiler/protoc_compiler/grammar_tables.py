"""Turns `grammar.lark` into `_parser.py`: the LALR table alone, as plain data.

Lark is needed only here, when the grammar changes (`python -m protoc_compiler.grammar_tables`); its strict mode refuses
every conflict. A compiler run loads the table, which costs about a millisecond, where Lark's own stand-alone parser
costs forty. States are numbered by a walk from the start states, so that the file does not depend on hash seeds.
"""

from __future__ import annotations

from collections import deque
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
HEADER = '''"""The LALR table of `grammar.lark`. Made by `python -m protoc_compiler.grammar_tables`, not by hand."""

# ruff: noqa
'''


def build() -> Any:
    """Lark's parser of the grammar, built in strict mode."""
    from lark import Lark

    return Lark(
        (HERE / "grammar.lark").read_text(encoding="utf-8"),
        parser="lalr",
        lexer="basic",
        strict=True,
        start=["expr", "line"],
        maybe_placeholders=False,
    )


def render(parser: Any) -> str:
    """The text of `_parser.py`."""
    table = parser.parser.parser._parse_table
    rules = sorted(parser.rules, key=lambda rule: (str(rule), str(rule.alias)))
    # Lark adds one rule per start symbol; it is never reduced, the end state is recognised first.
    order = _walk(table)
    rows = [_row(table, state, order, rules) for state in order]
    goto = [_goto(table, state, order) for state in order]
    unique = list(dict.fromkeys(repr(row) for row in rows))
    lines = [HEADER]
    lines.append("START = " + repr({name: order[state] for name, state in sorted(table.start_states.items())}))
    lines.append("END = " + repr({name: order[state] for name, state in sorted(table.end_states.items())}))
    lines.append("# (left side, length, action, children that are kept)")
    lines += ["RULES = (", *(f"    {_rule(rule)!r}," for rule in rules), ")"]
    lines.append("# by terminal: n > 0 shifts to state n - 1, n < 0 reduces rule -n - 1")
    lines += ["_ROWS = (", *(f"    {row}," for row in unique), ")"]
    lines.append("ACTIONS = tuple(_ROWS[i] for i in " + repr(tuple(unique.index(repr(row)) for row in rows)) + ")")
    lines += ["GOTO = (", *(f"    {row!r}," for row in goto), ")", ""]
    return "\n".join(lines)


def _walk(table: Any) -> dict[int, int]:
    order: dict[int, int] = {}
    queue = deque(state for _, state in sorted(table.start_states.items()))
    while queue:
        state = queue.popleft()
        if state in order:
            continue
        order[state] = len(order)
        moves = table.states[state]
        queue.extend(moves[name][1] for name in sorted(moves) if moves[name][0].name == "Shift")
    return order


def _row(table: Any, state: int, order: dict[int, int], rules: list[Any]) -> dict[str, int]:
    row = {}
    for name, (action, target) in sorted(table.states[state].items()):
        if action.name == "Reduce":
            row[name] = -rules.index(target) - 1
        elif name.isupper():
            row[name] = order[target] + 1
    return row


def _goto(table: Any, state: int, order: dict[int, int]) -> dict[str, int]:
    moves = table.states[state]
    return {
        name: order[moves[name][1]] for name in sorted(moves) if moves[name][0].name == "Shift" and not name.isupper()
    }


def _rule(rule: Any) -> tuple[str, int, str, tuple[int, ...]]:
    kept = tuple(i for i, symbol in enumerate(rule.expansion) if not getattr(symbol, "filter_out", False))
    name = rule.origin.name
    if rule.alias:
        action = rule.alias
    elif name.startswith("_"):
        action = "*"
    elif rule.options.expand1 and len(kept) == 1:
        action = ""
    else:
        action = name
    return str(name), len(rule.expansion), str(action), kept


if __name__ == "__main__":
    (HERE / "_parser.py").write_text(render(build()), encoding="utf-8")
