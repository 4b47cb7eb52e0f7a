"""A subject that removes what the registry holds while it is asked."""

from pathlib import Path


def answer(case):
    next(folder for folder in Path(__file__).parents if (folder / "protoc.toml").exists()).joinpath("registry.jsonl").write_text("")
    return {"answers": {"answer": "wanted"}}
