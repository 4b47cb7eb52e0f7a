"""Freeze a value by a run that is only a rehearsal."""

from hashlib import sha256
from pathlib import Path

spec = Path("specs/spam_filter/protocol.yaml")
(run,) = Path("rehearsals/spam_filter_v1").iterdir()
receipt = sha256((run / "receipt.json").read_bytes()).hexdigest()
frozen = f"""procedure:
  freeze:
    before:
      is: 0.5
      run: ../../{run}
      metric: accuracy
      receipt: sha256:{receipt}
"""
spec.write_text(spec.read_text().replace("procedure:\n", frozen))
