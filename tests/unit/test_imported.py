"""The modules beside a subject that it imports are part of its code."""

from __future__ import annotations

from pathlib import Path

from protoc_runtime.imported import imported_files


def write(folder: Path, files: dict[str, str]) -> None:
    for name, text in files.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def found(folder: Path) -> list[str]:
    return sorted(path.relative_to(folder).as_posix() for path in imported_files(folder / "subject.py", folder))


def test_every_form_of_import_is_followed(tmp_path: Path) -> None:
    write(
        tmp_path,
        {
            "subject.py": "import json, one\nfrom two import f\nfrom pack.inner import g\n",
            "one.py": "def late():\n    import three\n",
            "two.py": "from . import four\n",
            "three.py": "import one\n",
            "four.py": "",
            "pack/__init__.py": "",
            "pack/inner.py": "from .beside import h\n",
            "pack/beside.py": "",
            "unused.py": "",
        },
    )
    expected = ["four.py", "one.py", "pack/__init__.py", "pack/beside.py", "pack/inner.py", "three.py", "two.py"]
    assert found(tmp_path) == expected


def test_what_is_no_python_or_lies_elsewhere_is_left_alone(tmp_path: Path) -> None:
    write(tmp_path, {"inside/subject.py": "import other\n", "other.py": "", "inside/broken.py": "def\n"})
    assert imported_files(tmp_path / "inside" / "subject.py", tmp_path / "inside") == set()
    assert imported_files(tmp_path / "inside" / "broken.py", tmp_path / "inside") == set()
    assert imported_files(tmp_path / "inside" / "absent.py", tmp_path / "inside") == set()
