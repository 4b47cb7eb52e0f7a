"""What the commands of adjudication print."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from protoc_runtime.adjudication.sending import Exported, Imported


def told_export(written: Exported) -> str:
    """The sheets that were written, and the judgements that wait for others."""
    lines = [f"{name}: {count} {'row' if count == 1 else 'rows'}" for name, count in written.rows.items()]
    lines += [f"{name}: waits for what comes before it" for name in written.waiting]
    lines += [f"wrote {path}" for path in written.files] or ["every sheet is in"]
    return "".join(f"{line}\n" for line in lines)


def told_import(taken: Imported, command: str, run: str) -> str:
    """The sheets that were taken, and what to do next with `command` about the folder `run`."""
    lines = [f"{name}: taken" for name in taken.taken]
    lines += [f"{name}: in already, from the same sheet" for name in taken.before]
    lines.append(
        f"next: {command} adjudicate {run} --export DIR" if taken.waiting else f"next: {command} verdict {run}"
    )
    return "".join(f"{line}\n" for line in lines)
