"""What a protocol declares of the sessions of an agent, and of the files that tell of them."""

from __future__ import annotations

from protoc_runtime.record import record

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, Literal

SANDBOXES = ("read-only", "read-only or attested")
NETWORKS = ("closed", "open")


@record
class Configured:
    """A value of the tool's own configuration: the `key` of a file (TOML or JSON; beside the spec, or below `~/`), or
    the first line that a command prints. It must be the frozen text of the same name."""

    name: str
    file: str = ""
    key: str = ""
    argv: tuple[str, ...] = ()


@record
class Usage:
    """A column of turns and the field of `turn.completed.usage` that it holds. `part_of`: the column whose count
    includes it, or empty."""

    name: str
    field: str
    part_of: str = ""


@record
class Session:
    """One new process per case whose output is a stream of events.

    `prompt` is the file of the prompt's text, `response` that of the answer's JSON Schema, "" for none. `allowed` are
    the kinds of items that may occur. `retry` "never": a case whose session had begun when a run was interrupted has
    failed. `resume` "skips": finished cases keep what they have.
    """

    prompt: str
    response: str = ""
    sandbox: Literal["", "read-only", "read-only or attested"] = ""
    network: Literal["", "closed", "open"] = ""
    allowed: tuple[str, ...] = ()
    configured: tuple[Configured, ...] = ()
    usage: tuple[Usage, ...] = ()
    retry: Literal["", "never"] = ""
    resume: Literal["", "skips"] = ""


def session(given: dict[str, Any] | None) -> Session | None:
    """A session from `protocol.json`, where the subject has one."""
    if given is None:
        return None
    plain = {name: given[name] for name in ("prompt", "response", "sandbox", "network", "retry", "resume")}
    return Session(
        **plain,
        allowed=tuple(given["allowed"]),
        configured=tuple(
            Configured(each["name"], each["file"], each["key"], tuple(each["argv"])) for each in given["configured"]
        ),
        usage=tuple(Usage(each["name"], each["field"], each["part_of"]) for each in given["usage"]),
    )
