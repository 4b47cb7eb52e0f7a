"""Taking back a reading of which cases have been scored."""

from pathlib import Path

from told import told

from protoc_runtime.registry import readings, void_reading

registry = Path("registry.jsonl")
(reading,) = readings(registry)
told(lambda: void_reading(registry, reading.id, reason="regret", evidence={"ledger.jsonl": "0" * 64}, scored=1))
