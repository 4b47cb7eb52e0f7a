"""A subject that removes what the registry holds while it is asked."""

from pathlib import Path


def answer(case):
    workspace = next(folder for folder in Path(__file__).parents if (folder / "protoc.toml").exists())
    (workspace / "registry.jsonl").write_text("")
    return {"answers": {"answer": "wanted"}}
