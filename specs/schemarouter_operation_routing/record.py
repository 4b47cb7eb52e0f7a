"""Writes what a finished run has shown into the freeze manifest.

python3 record.py development BUNDLE          after the development run, status frozen-dev
python3 record.py fresh_confirmation BUNDLE   after the confirmation, status fresh-confirmed

The numbers come from the bundle's summary, its digest is that of the receipt; nothing is typed in again.
"""

from __future__ import annotations

import hashlib
import json
import sys
from pathlib import Path
from typing import Any

MANIFEST = Path(__file__).parent / "candidate.freeze.json"
STATUS = {"development": "frozen-dev", "fresh_confirmation": "fresh-confirmed"}
METRICS = {
    "supported_exact_route_accuracy": "supported_accuracy",
    "near_domain_unsupported_rejection": "near_rejection",
    "out_of_domain_rejection": "ood_rejection",
    "false_route_rate": "false_route_rate",
    "authority_violations": "authority_violations",
    "execution_errors": "execution_errors",
}


def evidence(bundle: Path, split: str) -> dict[str, Any]:
    """The evidence block of one phase."""
    measured = json.loads((bundle / "summary.json").read_bytes())["metrics"]
    receipt = (bundle / "receipt.json").read_bytes()
    number = len((bundle / "rows" / "readings.jsonl").read_bytes().splitlines())  # readings so far, this one included
    corpus = Path(__file__).parent / "data" / f"cases_{split}.jsonl"
    return {
        "corpus_seed": "written by hand",
        "corpus_sha256": hashlib.sha256(corpus.read_bytes()).hexdigest(),
        "workflow_run_id": number,
        "artifact_id": number,  # a run leaves one artifact: its bundle
        "artifact_sha256": "sha256:" + hashlib.sha256(receipt).hexdigest(),
        "metrics": {
            **{target: value(measured[name]) for target, name in METRICS.items()},
            "combined_p95_ms": value(measured["p95_latency"]) * 1000,
        },
    }


def value(told: Any) -> Any:
    """A measured number as JSON has it."""
    return told["num"] / told["den"] if isinstance(told, dict) else told


def main(phase: str, bundle: str) -> int:
    """Fill the block of the phase, and set the status."""
    manifest = json.loads(MANIFEST.read_bytes())
    blocks = manifest.setdefault("evidence", {})
    if phase == "development":
        blocks[phase] = evidence(Path(bundle), "dev")
    else:
        audit = {"surface_id": "fresh-1", "zero_overlap_audit_artifact": f"{bundle}/audit.json"}
        blocks[phase] = audit | evidence(Path(bundle), "fresh")
    manifest["status"] = STATUS[phase]
    MANIFEST.write_text(json.dumps(manifest, ensure_ascii=False, indent=2) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
