"""Folders that a hostile program has filled are measured and removed, however deep, and whatever they forbid."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from protoc_runtime.clearing import SMALLEST, remove, size

DEEP = 1500


def deep(folder: Path, levels: int = DEEP, last: int = 0) -> None:
    """Folders within folders, deeper than Python recurses and than a path may be, with a file in the last one."""
    before = os.getcwd()
    os.chdir(folder)
    try:
        for _ in range(levels):
            os.mkdir("down")
            os.chdir("down")
        if last:
            Path("file").write_bytes(os.urandom(last))
    finally:
        os.chdir(before)


def test_what_is_on_the_disk_counts_and_what_has_no_bytes_counts_for_its_name(tmp_path: Path) -> None:
    with open(tmp_path / "sparse", "wb") as file:
        file.truncate(1 << 40)
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "real").write_bytes(os.urandom(1 << 16))
    assert 1 << 16 <= size(tmp_path, 1 << 30) < 1 << 20
    for number in range(300):
        (tmp_path / f"empty{number}").touch()
    assert size(tmp_path, 1 << 30) >= (1 << 16) + 300 * SMALLEST


def test_a_folder_too_deep_to_look_into_is_more_than_any_bound(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    deep(folder, last=1 << 16)
    assert size(folder, 1 << 40) == (1 << 40) + 1
    remove(folder)


def test_links_are_not_followed(tmp_path: Path) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "kept").write_bytes(os.urandom(1 << 20))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "link").symlink_to(outside)
    (inside / "loop").symlink_to(inside)
    assert size(inside, 1 << 30) < 1 << 16
    remove(inside)
    assert not inside.exists()
    assert (outside / "kept").stat().st_size == 1 << 20


@pytest.mark.parametrize("mode", [0o000, 0o500, 0o600])
def test_what_its_owner_has_made_unreadable_is_counted_and_removed(tmp_path: Path, mode: int) -> None:
    folder = tmp_path / "own"
    (folder / "a" / "b").mkdir(parents=True)
    (folder / "a" / "b" / "file").write_bytes(os.urandom(1 << 17))
    for path in (folder / "a" / "b", folder / "a", folder):
        path.chmod(mode)
    assert size(folder, 1 << 30) >= 1 << 17
    remove(folder)
    assert not folder.exists()


def test_a_deep_folder_is_removed(tmp_path: Path) -> None:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / ".gone-0").mkdir()  # a name that the removal would take itself
    deep(folder, last=1)
    deep(folder / ".gone-0", 40)
    remove(folder)
    assert not folder.exists()
    assert os.listdir(tmp_path) == []


def test_a_file_or_a_link_in_the_place_of_a_folder_is_removed(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    (tmp_path / "link").symlink_to(tmp_path / "file")
    remove(tmp_path / "link")
    assert (tmp_path / "file").exists()
    remove(tmp_path / "file")
    remove(tmp_path / "nothing")
    assert os.listdir(tmp_path) == []
