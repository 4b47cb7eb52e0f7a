"""Records: values that compare by their fields, whether or not their hash has been asked for."""

from __future__ import annotations

import pickle

import pytest

from protoc_runtime.record import record, replace, values_of


@record
class Leaf:
    """A value."""

    name: str
    number: int = 0


@record
class Node:
    """A value that holds others."""

    left: Leaf | Node
    right: Leaf | Node


def tree(number: int) -> Node:
    return Node(Node(Leaf("a"), Leaf("b", number)), Leaf("c"))


@pytest.mark.parametrize("hashed", [(), (0,), (1,), (0, 1)])
def test_equality_does_not_depend_on_hashes_that_were_asked_for(hashed):
    for number, equal in ((1, True), (2, False)):
        both = (tree(1), tree(number))
        for at in hashed:
            hash(both[at])
        assert (both[0] == both[1]) is equal
        assert (hash(both[0]) == hash(both[1])) is equal


def test_a_changed_copy_has_its_own_hash():
    one = tree(1)
    before = hash(one)
    other = replace(one, right=Leaf("d"))
    assert hash(other) != before
    assert hash(replace(other, right=Leaf("c"))) == before


def test_a_pickled_record_leaves_its_hash_behind():
    one = tree(1)
    fresh = pickle.dumps(one)
    hash(one)
    assert pickle.dumps(one) == fresh
    assert pickle.loads(fresh) == one


def test_a_hash_is_no_field():
    one = Leaf("a", 1)
    hash(one)
    assert repr(one) == "Leaf(name='a', number=1)"
    assert values_of(one) == ("a", 1)
    assert replace(one, _hash=7) == one


@record
class Lone:
    """One field."""

    name: str


@record
class Bare:
    """None at all."""


def test_the_values_of_a_record_are_those_of_its_fields():
    assert values_of(Lone("a")) == ("a",)
    assert values_of(Bare()) == ()
    assert Bare() == Bare() != Lone("a")
    assert values_of(Wide(*range(40))) == tuple(range(40))


@record
class Wide:
    """More fields than there is a constructor for."""

    __annotations__ = {f"field{place}": "int" for place in range(40)}


def test_a_constructor_takes_values_by_place_and_by_name():
    assert Leaf("a") == Leaf(name="a", number=0)
    wide = Wide(*range(39), field39=7)
    assert [getattr(wide, f"field{place}") for place in (0, 16, 38, 39)] == [0, 16, 38, 7]


@pytest.mark.parametrize("given", [{}, {"number": 1}, {"name": "a", "other": 1}])
def test_a_constructor_refuses_what_does_not_fit(given):
    with pytest.raises(TypeError):
        Leaf(**given)
    with pytest.raises(TypeError):
        Leaf("a", 1, 2)
    fields = {f"field{place}": place for place in range(40)}
    assert Wide(**fields) == Wide(*range(40))
    for wrong in ({"field0": 1}, {**fields, "other": 1}):
        with pytest.raises(TypeError):
            Wide(**wrong)
    with pytest.raises(TypeError):
        Wide(*range(41))
    with pytest.raises(TypeError):
        Wide(1, **fields)
