"""The rules of a package, without the rows of a declared table."""

from pathlib import Path

from told import told

from protoc_runtime.packages import load_rules

told(lambda: load_rules(Path("generated/small_v1")).evaluate({}, {}))
