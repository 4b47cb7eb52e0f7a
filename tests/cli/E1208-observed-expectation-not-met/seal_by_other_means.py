"""A seal of rows that are not as the protocol expects them, which `protoc seal` does not make."""

from pathlib import Path

from protoc_runtime.diagnostics import Findings
from protoc_runtime.gathering import read_inputs
from protoc_runtime.packages import load_protocol
from protoc_runtime.pinning import present_pins, with_rows
from protoc_runtime.seal import make_seal
from protoc_runtime.seal_format import to_bytes

spec, package, findings = Path("specs/spam_filter/protocol.yaml"), Path("generated/spam_filter_v1"), Findings()
declared = load_protocol(package)
pins = present_pins(declared, spec, package, findings=findings)
tables, _ = read_inputs(declared, spec.parent, ())
pins = with_rows(pins, declared, spec, tables, findings)
(spec.parent / "seal.jsonl").write_bytes(to_bytes(make_seal(pins, None)) + b"\n")
