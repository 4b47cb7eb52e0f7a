"""Random specs through the front of the compiler: nothing is raised, layout and spelling change no meaning."""

from __future__ import annotations

import os
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from fuzz.entries import Spec
from fuzz.repair import Tally, accepted
from fuzz.specs import spec
from protoc_compiler import fmt, identity, pipeline
from protoc_compiler.nodes import Scalar
from protoc_compiler.parse import parse_formula
from protoc_compiler.unparse import unparse
from protoc_runtime.diagnostics import Findings, Refused, Span

MANY = 2_000 if os.environ.get("PROTOC_LONG") else 40
SEEDS = st.integers(0, 2**40)
FUZZ = settings(max_examples=MANY, deadline=None, derandomize=MANY == 40, database=None,
                suppress_health_check=list(HealthCheck))  # fmt: skip
PIECES = (
    *"()[]{}:,\"'#*%.-01é\t\n\u202e\x00",
    *("- ", ">-", "..", "<arms>", "undefined", "1e400", "case", "cases", "is true", " where ", " over ", "earlier "),
    *("latest 2 ", " as x", " and ", " when ", " otherwise", " ms", "&a ", "!!x "),
)


def mutated(text: str, rng: Random) -> str:
    """The text with a few lines and pieces moved, doubled, cut out or put in."""
    for _ in range(rng.randint(1, 4)):
        lines = text.split("\n")
        at, to = rng.randrange(len(lines)), rng.randrange(len(lines))
        way = rng.randrange(6)
        if way == 0:
            lines.pop(at)
        elif way == 1:
            lines.insert(to, lines[at])
        elif way == 2:
            lines[at], lines[to] = lines[to], lines[at]
        text = "\n".join(lines)
        place = rng.randrange(max(1, len(text)))
        if way == 3:
            text = text[:place] + rng.choice(PIECES) + text[place:]
        elif way == 4:
            text = text[:place] + text[place + rng.randint(1, 12) :]
        elif way == 5:
            other = rng.randrange(max(1, len(text)))
            text = text[:place] + text[other : other + rng.randint(1, 30)] + text[place:]
    return text


@FUZZ
@given(seed=SEEDS)
def test_check_raises_nothing_whatever_is_written(seed: int) -> None:
    rng = Random(seed)
    text = mutated(spec(rng).text(), rng)
    done = pipeline.examine("mutated.yaml", text.encode("utf-8", "surrogatepass"))
    assert done.findings.failed == (done.protocol is None)
    assert all(item.message for item in done.findings)


def digest(text: bytes) -> str:
    """The spec digest of a text that is accepted."""
    done = pipeline.examine("random.yaml", text)
    assert done.protocol is not None, [item.message for item in done.findings if item.severity == "error"]
    return identity.digest(done.protocol)


def respelt(made: Spec) -> Spec:
    """The spec with every formula that stands alone written as `unparse` does."""
    for entry in made.entries:
        lines = entry.lines()
        if len(lines) == 2 and entry.name != "not withheld":  # a list of names
            text = lines[1].strip()
            places = tuple((1, column + 1) for column in range(len(text) + 1))
            tree = parse_formula(Scalar(text, "plain", Span("x", 1, 1, 1, 1), places), Findings())
            assert tree is not None
            entry.text = unparse(tree)
    return made


@FUZZ
@given(seed=SEEDS)
def test_layout_and_spelling_keep_the_digest(seed: int) -> None:
    made = spec(Random(seed))
    emitted = accepted(made, Tally())
    if emitted is None:
        return
    expected = identity.digest(emitted[0])
    text = made.text().encode()
    try:
        once = fmt.format_text(text)
    except Refused as refused:
        raise AssertionError([item.message for item in refused.diagnostics]) from None
    assert digest(once) == expected
    assert fmt.format_text(once) == once
    assert digest(respelt(made).text().encode()) == expected
