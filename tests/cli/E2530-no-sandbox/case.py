"""The walls of a system that allows no name spaces."""

from told import told

from protoc_runtime.agents.opening import require_sandbox
from protoc_runtime.subjects.walls import Walls

without = Walls(False, "name spaces are there on Linux only", False, "name spaces are there on Linux only")
told(lambda: require_sandbox(without, closed=True))
