"""The frozen set in git: the newest commit that changed one of its files, as git had it before the first case.

Git's own order is what is recorded: the commit is HEAD or an ancestor of it, and whether every file is in HEAD byte
for byte. The time of a commit is what its author's clock said, no more.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from protoc_runtime.chain import Line
from protoc_runtime.git import find_repository
from protoc_runtime.plan import Plan

FROZEN = "frozen_set"


def frozen_set(made: Plan) -> dict[str, Any]:
    """The body of the event: commit, its time, whether all is committed, and the paths (beside the spec)."""
    pins = made.pins
    paths = sorted({pins.raw.path, *(pin.path for pin in pins.inputs), *(pin.path for pin in pins.code)})
    files = [made.folder / path for path in paths]
    repository = find_repository(made.folder)
    commit = None if repository is None else repository.last_changed(files)
    if repository is None or commit is None:
        return {"commit": None, "time": None, "clean": False, "paths": paths}
    clean = not repository.unclean(files)
    return {"commit": commit, "time": repository.commit_time(commit), "clean": clean, "paths": paths}


def frozen_facts(events: Iterable[Line]) -> dict[str, Any]:
    """The columns of a record `from: git`, as the first launch of a run found them."""
    for event in events:
        if event.kind == FROZEN:
            return {name: event.body[name] for name in ("commit", "time", "clean", "paths")}
    return {"commit": None, "time": None, "clean": False, "paths": []}
