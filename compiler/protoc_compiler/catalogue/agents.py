"""E2501 to E2529: what a protocol cannot say of an agent's sessions, of what they cost, of what is published."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NO_SESSION = Kind(
    "E2501",
    "no-session",
    "error",
    "{what} is about the sessions of an agent, and this protocol has none",
    "delete it, or let a `command` answer in sessions: `session: ephemeral` and `prompt: PATH` beside it; calls of a "
    "service are tried again by `retry` under `procedure.providers`",
    "Prompts, events, usage and sandboxes belong to sessions: one new process per case whose output is a stream of "
    "events. A Python function, a service or recorded answers have none, and nothing would be recorded.",
    "procedure:\n  subject: {python: agent.py:ask, of: cases, sees: [text], events_allowed: [agent_message]}",
)
SESSION_LACKS = Kind(
    "E2502",
    "session-lacks",
    "error",
    "a session needs {what}",
    "{hint}",
    "A session begins with a prompt in an empty folder of its own and ends with its process, so that nothing of one "
    "case can reach another.",
    "procedure:\n  subject: {command: [agent], session: ephemeral, of: cases, sees: [text]}",
)
NETWORK_ALONE = Kind(
    "E2503",
    "network-without-sandbox",
    "error",
    "`network: {network}` without `sandbox` says nothing",
    "add `sandbox: read-only`, or delete `network`",
    "Without a sandbox a session reaches whatever the runner reaches: nothing could close the network or show that it "
    "was open.",
    "procedure:\n  subject: {command: [agent], session: ephemeral, network: closed}",
)
NOT_CONFIGURED = Kind(
    "E2504",
    "bad-configured-value",
    "error",
    "`configured.{name}` {problem}",
    "{hint}",
    "What the tool's configuration says is read before each session and compared with the frozen text of that name.",
    "configured:\n  model: {file: agent.toml, key: model}    # and no `model` under `freeze`",
)
BAD_COUNT = Kind(
    "E2505",
    "bad-usage-count",
    "error",
    "`usage.{name}` {problem}",
    "{hint}",
    "Each count is a column of the table `from: turns of subject`. A count that another one includes says so, so that "
    "no formula adds both.",
    "usage:\n  cached: {field: cached_input_tokens, part_of: inputs}    # where there is no count `inputs`",
)
ADDED_TWICE = Kind(
    "E2506",
    "part-added-twice",
    "error",
    "{where} adds `{part}` to `{whole}`, which includes it",
    "take `{whole}` alone, or subtract the part",
    "Tools report parts of a count beside it: cached input is input, reasoning is output. A sum of both counts the "
    "part twice.",
    "metrics:\n  tokens: sum(input over turns) + sum(cached over turns)    # where cached is part_of input",
)
NO_PRICES = Kind(
    "E2507",
    "cost-without-prices",
    "error",
    "{where} makes money of what a session used, and no price list is pinned",
    "put the prices into a table of the spec, a file, or `procedure.freeze`, and multiply by them; or report counts",
    "Counts are what the tool reported; a price is somebody's statement at some time. It has to stand among what is "
    "sealed, with a name.",
    "metrics:\n  cost: 0.01 USD * sum(output over turns)",
)
LEAKS = Kind(
    "E2509",
    "packet-cannot",
    "error",
    "the output `{name}` {problem}",
    "{hint}",
    "Of what is not kept, a packet shows no text: reason codes, numbers, and the digest of the text. What it shows "
    "must be columns of its table, and known when the run ends: a column that people decide would look decided.",
    "outputs:\n  packets.jsonl: {is: packets, of: proposed, kept: retained, shows: [quote], rejected: [quote]}",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
