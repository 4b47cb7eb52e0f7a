"""`protoc seal`: nothing is sealed that is stale, not valid, or not as expected."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from protoc_compiler.sealed import seal_protocol
from protoc_runtime.diagnostics import Refused
from protoc_runtime.seal import FILE_NAME
from unit.test_seal import Study

NO_ROWS = """
from types import SimpleNamespace

def study(tables):  # of these expectations none speaks of single rows
    return SimpleNamespace(rules=SimpleNamespace(expected=[]))
"""
RULES = f"""{NO_ROWS}
def expectations(tables):
    yield "cases", "count(cases) == 3", tables["cases"].height == 3
"""


@pytest.fixture
def study(tmp_path: Path) -> Study:
    made = Study(tmp_path)
    (made.package / "__init__.py").write_text("")
    (made.package / "rules.py").write_text(RULES)
    return made


def emitted(study: Study) -> dict[str, bytes]:
    """What the protocol compiles to: here, what is there."""
    return {path.name: path.read_bytes() for path in study.package.iterdir() if path.is_file()}


def faults(study: Study, files: dict[str, bytes]) -> list[tuple[str, str]]:
    with pytest.raises(Refused) as caught:
        seal_protocol(study.spec, study.package, files, None)
    assert not (study.folder / FILE_NAME).exists()
    return [(item.id, item.message) for item in caught.value.diagnostics]


def test_what_is_fresh_valid_and_as_expected_is_sealed_once(study: Study) -> None:
    first = seal_protocol(study.spec, study.package, emitted(study), None)
    assert (first.new, first.seals, first.seal.commit) == (True, 1, None)
    second = seal_protocol(study.spec, study.package, emitted(study), None)
    assert (second.new, second.seals, second.seal) == (False, 1, first.seal)
    assert study.check() == []


def test_a_stale_package_is_refused_with_what_differs(study: Study) -> None:
    files = emitted(study)
    (study.package / "rules.py").write_text("# edited\n")
    (study.package / "extra.py").touch()
    (study.package / "__init__.py").unlink()
    ((found, message),) = faults(study, files)
    assert found == "E1112"
    assert "__init__.py is lacking, extra.py is not part of it, rules.py differs" in message


def test_a_package_that_was_never_compiled_is_told_in_a_word(study: Study) -> None:
    files = emitted(study)
    shutil.rmtree(study.package)
    ((found, message),) = faults(study, files)
    assert found == "E1112"
    assert message.endswith("compiles to: it is not there")


def test_an_expectation_that_does_not_hold_is_refused(study: Study) -> None:
    study.write("briefs_held.jsonl", '{"case": "c", "text": "z"}\n{"case": "d", "text": "z"}\n')
    ((found, message),) = faults(study, emitted(study))
    assert found == "E1114"
    assert "`count(cases) == 3`" in message
    assert "it is false" in message


def test_an_undefined_expectation_does_not_hold(study: Study) -> None:
    undefined = "def expectations(tables):\n    yield 'cases', 'mean(x) > 0', None\n"
    (study.package / "rules.py").write_text(NO_ROWS + undefined)
    ((found, message),) = faults(study, emitted(study))
    assert (found, message.endswith("it is undefined")) == ("E1114", True)


def test_rows_that_are_not_valid_are_told_all_at_once(study: Study) -> None:
    study.write("briefs_dev.jsonl", '{"case": "a", "text": 1}\n{"case": "a", "text": "y"}\n{"case": "b"}\n')
    found = faults(study, emitted(study))
    assert len(found) == 3
    assert {item[:3] for item, _ in found} == {"E10"}


def test_code_that_is_not_there_is_told(study: Study) -> None:
    (study.folder / "subject.py").unlink()
    assert [item for item, _ in faults(study, emitted(study))] == ["E1116"]
