"""What a run says of the machine on which it measured durations."""

from __future__ import annotations

import os

from protoc_runtime.hardware import hardware, label


def test_the_machine_is_told_with_what_it_knows_of_itself() -> None:
    told = hardware()
    assert told["cores"] == str(os.cpu_count())
    assert all(value.strip() == value and value for value in told.values())
    assert {"processor", "system"} <= set(told)


def test_the_label_is_one_line_that_stays_the_same() -> None:
    assert label() == label()
    assert "\n" not in label()
    assert f"{os.cpu_count()} cores" in label()
