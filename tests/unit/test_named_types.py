"""Names of types that other languages have, and what follows from one."""

from __future__ import annotations

import pytest

from protoc_compiler.drift.reading import read
from protoc_runtime.diagnostics import Diagnostic, Refused

SPEC = """\
protoc: 1
protocol: {id: demo, version: 1, title: T}
data:
  tables:
    cases: {key: case, columns: {case: TYPE, good: bool}}
metrics:
  share.<cases>.<cases>: rate(good over cases)
verdict:
  - PASS otherwise
report:
  released: [PASS]
"""


def _faults(text: str) -> list[Diagnostic]:
    with pytest.raises(Refused) as refused:
        read("protocol.yaml", "protocol.yaml", text.encode())
    return [fault for fault in refused.value.diagnostics if fault.severity == "error"]


@pytest.mark.parametrize(
    ("written", "meant"), [("string", "text"), ("Float", "decimal"), ("boolean", "bool"), ("timestamp", "time")]
)
def test_a_type_of_another_language_is_named_as_it_is_called_here(written: str, meant: str) -> None:
    (fault,) = _faults(SPEC.replace("TYPE", written).replace("  share.<cases>.<cases>:", "  share:"))
    assert (fault.id, fault.hint) == ("E0304", f"the type is called `{meant}` here")


def test_a_type_that_is_like_nothing_gets_the_list_of_types() -> None:
    (fault,) = _faults(SPEC.replace("TYPE", "quux").replace("  share.<cases>.<cases>:", "  share:"))
    assert fault.id == "E0304"
    assert "`decimal`" in fault.hint


def test_an_entry_of_two_placeholders_is_named_by_two_keys() -> None:
    text = SPEC.replace("TYPE", "[a, b]").replace("cases>.<cases>", "ones>.<twos>").replace(
        "    cases:", "    ones: {key: one, rows: [x, y]}\n    twos: {key: two, rows: [u, v]}\n    cases:"
    ) + "checks:\n  c: {says: It is good., is: share == 1}\n"  # fmt: skip
    checks = text.partition("checks:")
    text = checks[0].replace("verdict:", f"checks:{checks[2]}verdict:")
    assert "name one (`share.KEY.KEY`), or read it in rows of `ones` and `twos`" in [f.hint for f in _faults(text)]
