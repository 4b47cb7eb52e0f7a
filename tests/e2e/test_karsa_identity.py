"""What changes the spec digest of the extractor protocol, and what does not."""

from __future__ import annotations

import re

import pytest

from e2e.workspaces import ROOT
from protoc_compiler import identity, pipeline

PROTOCOL = ROOT / "specs" / "karsa_extractor_v2" / "protocol.yaml"
TEXT = PROTOCOL.read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def sealed() -> str:
    return digest(TEXT.encode())


def digest(text: bytes) -> str:
    """The spec digest of this text, in the place of the real one."""
    checked = pipeline.examine(PROTOCOL, text)
    assert checked.protocol is not None, [found.message for found in checked.findings]
    return identity.digest(checked.protocol)


def edited(*changes: tuple[str, str]) -> bytes:
    text = TEXT
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new)
    return text.encode()


THRESHOLDS = {
    "pass rate": [("0.70", "0.71")],
    "pricing": [("price is exact (1.00)", "price is exact (0.99)"), ("pricing_rate == 1.00", "pricing_rate == 0.99")],
    "injection": [("(recall 1.00)", "(recall 0.99)"), ("prompt_injection == 1.00", "prompt_injection == 0.99")],
    "grounded": [("as it is (1.00)", "as it is (0.99)"), ("span_rate == 1.00", "span_rate == 0.99")],
    "interval width": [("26%", "27%")],
    "interval level": [("95%", "90%")],
    "case count dev": [("split == dev) == 24", "split == dev) == 25")],
    "case count v1": [("split == heldout_v1) == 36", "split == heldout_v1) == 37")],
    "case count v2": [("split == heldout_v2) == 50", "split == heldout_v2) == 51")],
    "controls": [("flag == prompt_injection) == 2", "flag == prompt_injection) == 3")],
    "set-up fee": [("450 USD", "451 USD")],
    "rate": [("36 USD", "37 USD")],
    "tier": [("leads < 300", "leads < 301")],
    "time-out": [("timeout: 5 s", "timeout: 6 s")],
    "baseline F1": [("0.779", "0.780")],
    "baseline count": [("baseline_passed: {is: 1,", "baseline_passed: {is: 0,"), ("where 1 did", "where 0 did")],
}
FORMULAS = {
    "gate": [("pricing_rate == 1.00", "pricing_rate >= 1.00")],
    "blocker": [("use == tune", "use == score")],
    "population": [("v2:        cases where split == heldout_v2", "v2:        cases where split != heldout_v2")],
    "metric": [("rate(caught over v2_flags where expected)", "rate(caught over v2_flags where control)")],
    "definition": [("standing in [exact, absent]", "standing in [exact, missed]")],
    "default": [("{is: flagged, if_undefined: false}", "{is: flagged, if_undefined: true}")],
    "verdict order": [
        (
            "  - INVALID when some blockers have fired\n",
            "  - FAIL    when gates.pricing is not true\n  - INVALID when some blockers have fired\n",
        ),
    ],
    "released": [("released: [PASS]", "released: [PASS, FAIL]")],
    "list": [("list(case over failing)", "list(case over v2)")],
    "key": [("      from: subject\n      key: [case, field]", "      from: subject\n      key: [field, case]")],
    "sees": [("sees: [source]", "sees: [case, source]")],
    "uses of a split": [("may: [score once]", "may: [score]")],
    "what a phase reads": [("reads: [dev, heldout_v1, heldout_v2]", "reads: [heldout_v2]")],
}
LABELS = {
    "title": [("title: Extractor evaluation v2", "title: Extractor evaluation")],
    "words of a gate": [("Every price is exact", "Each price is exact")],
    "words of a blocker": [("was used to revise", "has been used to revise")],
    "words of a metric": [("complete-case pass rate\n", "pass rate\n")],
    "cites": [("cites: [D004]", "cites: [D005]")],
    "a limit": [("A live model provider", "A model provider")],
    "a duty": [("the release stays blocked", "the release is blocked")],
    "an attestation": [("were written and committed", "were committed")],
    "a member": [("price_wrong", "wrong_price")],
    "a role": [("role: heldout\n", "role: test\n")],
    "a baseline": [("published at commit b84571b", "published at commit b84571c")],
    "a step": [("Commit the revision", "Push the revision")],
}
PINS = {
    "briefs": [("69d6a6d11d1b", "79d6a6d11d1b")],
    "extractor before": [("865c5b76d7cf", "965c5b76d7cf")],
    "frozen file": [("file: baseline/extraction_before.py", "file: extraction.py")],
    "subject": [("extraction.py:extract,", "extraction.py:read,")],
    "rows of a table": [("data/prices_<splits>", "data/price_<splits>")],
}
MEANT = {f"{kind}: {name}": change for kind, group in (("threshold", THRESHOLDS), ("formula", FORMULAS),
         ("label", LABELS), ("pin", PINS)) for name, change in group.items()}  # fmt: skip


@pytest.mark.parametrize("name", MEANT)
def test_a_change_of_meaning_changes_the_digest(sealed: str, name: str) -> None:
    assert digest(edited(*MEANT[name])) != sealed


def indented(text: str) -> str:
    """Twice the indentation on every line from the definitions to the checks."""
    before, start, rest = text.partition("\ndefinitions:")
    middle, end, after = rest.partition("\nreport:")
    assert after
    return before + start + re.sub(r"^( +)", lambda spaces: spaces[1] * 2, middle, flags=re.MULTILINE) + end + after


def without_comments(text: str) -> str:
    return re.sub(r"^ *#.*\n", "", text, flags=re.MULTILINE)


def keys_turned(text: str) -> str:
    """The formula of each one-line gate and blocker before its words."""
    turned, count = re.subn(r"(    says: .*\n)(    (?:must|when): \S.*\n)", r"\2\1", text)
    assert count > 8
    return turned


def quoted(text: str) -> str:
    """Formulas and words of rules in double quotes."""
    turned, count = re.subn(r'^(    (?:must|says): )([^">\n]+)$', r'\1"\2"', text, flags=re.MULTILINE)
    assert count > 15
    return turned


UNMEANT = {
    "comments": lambda text: without_comments(text).encode(),
    "a comment": lambda text: text.replace("\nmetrics:", "\n# numbers\nmetrics:  # here").encode(),
    "indentation": lambda text: indented(text).encode(),
    "key order": lambda text: keys_turned(text).encode(),
    "quotes": lambda text: quoted(text).encode(),
    "CRLF": lambda text: text.replace("\n", "\r\n").encode(),
    "BOM": lambda text: b"\xef\xbb\xbf" + text.encode(),
    "blank lines": lambda text: text.replace("\n\n", "\n\n\n").encode(),
    "spaces in formulas": lambda text: text.replace(" == ", "   ==  ").encode(),
    "spaces at line ends": lambda text: text.replace(":\n", ":  \n").encode(),
}


@pytest.mark.parametrize("name", UNMEANT)
def test_another_look_keeps_the_digest(sealed: str, name: str) -> None:
    changed = UNMEANT[name](TEXT)
    assert changed != TEXT.encode()
    assert digest(changed) == sealed


def test_every_change_has_a_digest_of_its_own() -> None:
    digests = [digest(edited(*change)) for change in MEANT.values()]
    assert len(set(digests)) == len(MEANT)


def test_every_rule_of_the_source_document_is_cited() -> None:
    cited = set(re.findall(r"\bD[0-9]{3}\b", TEXT))
    assert cited == {f"D{number:03}" for number in (*range(1, 18), *range(151, 154))}


def test_the_spec_has_no_findings_at_all() -> None:
    findings = pipeline.examine(PROTOCOL).findings
    assert [f"{found.span}: {found.message}" for found in findings] == []
