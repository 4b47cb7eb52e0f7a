"""The generated pages and packages of the repository are the ones that the sources give."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from protoc_compiler import docs_gen, pipeline, traceability
from protoc_compiler.emit import package

ROOT = Path(__file__).parents[2]
SPECS = sorted((ROOT / "specs").glob("*/protocol.yaml"))
SEED_RULES = {
    "karsa_extractor_v2": [f"D{number:03}" for number in (*range(1, 18), 151, 152, 153)],
    "theorempath_ask_holdout_v2": [f"A{number:03}" for number in (*range(1, 69), *range(151, 155))],
}


@pytest.mark.parametrize("path", docs_gen.pages(), ids=lambda path: path.name)
def test_page_is_current(path: Path) -> None:
    assert path.read_text(encoding="utf-8") == docs_gen.pages()[path], "run python -m protoc_compiler.docs_gen"


@pytest.mark.parametrize("spec", SPECS, ids=lambda path: path.parent.name)
def test_generated_package_is_current(spec: Path) -> None:
    protocol, _ = pipeline.check(spec)
    assert protocol is not None
    files = package.render(protocol, spec.relative_to(ROOT).as_posix())
    assert list(package.stale(files, ROOT / "generated" / protocol.package)) == [], "run protoc compile specs/*"


@pytest.mark.parametrize("spec", SEED_RULES)
def test_every_rule_of_a_seed_is_said_and_broken_on_purpose_or_attested(spec: str) -> None:
    protocol, _ = pipeline.check(ROOT / "specs" / spec / "protocol.yaml")
    assert protocol is not None
    places = traceability.said(protocol)
    assert sorted({place.rule for place in places}) == SEED_RULES[spec]
    attested = {rule for rule in SEED_RULES[spec] if all(p.enforced == "attested" for p in places if p.rule == rule)}
    unbroken = set(SEED_RULES[spec]) - attested - set(traceability.broken_by(ROOT / "tests"))
    assert unbroken == set()


def test_marks_name_real_tests() -> None:
    broken = traceability.broken_by(ROOT / "tests")
    for rule, tests in broken.items():
        assert re.fullmatch(r"[A-Z]\d{3}", rule), rule
        for test in tests:
            path, _, name = test.partition("::")
            assert f"def {name}(" in (ROOT / path).read_text(encoding="utf-8")
