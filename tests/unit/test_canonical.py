"""The fast way to canonical JSON against the reference implementation."""

from __future__ import annotations

import pytest
import rfc8785
from hypothesis import given, settings
from hypothesis import strategies as st

from protoc_runtime.canonical import dumps

LEAVES = (
    st.none()
    | st.booleans()
    | st.integers(1 - 2**53, 2**53 - 1)
    | st.text()
    | st.floats(allow_nan=False, allow_infinity=False)
)
VALUES = st.recursive(LEAVES, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)


@settings(max_examples=300, deadline=None)
@given(VALUES)
def test_equals_the_reference(value):
    assert dumps(value) == rfc8785.dumps(value)


@pytest.mark.parametrize("value", [float("nan"), float("inf"), 2**53, {1: 2}, "\ud800", {"\ud800": 1}])
def test_refuses_what_has_no_form(value):
    with pytest.raises(ValueError):
        dumps({"inside": [value]})


def test_keys_beyond_the_basic_plane_are_sorted_by_utf_16():
    assert dumps({"\uffff": 1, "\U00010000": 2}) == '{"\U00010000":2,"\uffff":1}'.encode()
