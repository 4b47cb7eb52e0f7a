"""Freeze a file by a digest that is not its own."""

from pathlib import Path

spec = Path("specs/spam_filter/protocol.yaml")
text = spec.read_text()
frozen = f"procedure:\n  freeze:\n    prompt: {{file: prompt.txt, is: sha256:{'0' * 64}}}\n"
spec.write_text(text.replace("procedure:\n", frozen))
