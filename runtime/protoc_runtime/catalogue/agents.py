"""E2530 to E2539: why the sessions of an agent cannot begin."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

NO_SANDBOX = Kind(
    "E2530",
    "no-sandbox",
    "error",
    "the protocol asks for a sandbox, and there is none here: {reason}",
    "run it on a system that has one (Linux with name spaces for users), or let the protocol say `sandbox: read-only "
    "or attested`",
    "A sandbox that the protocol promises is tried before any row is read. Without it the promise would be a person's "
    "word, and the protocol does not say that it may be.",
    "`protoc run SPEC` with `sandbox: read-only` where the system forbids name spaces",
)
BAD_PROMPT = Kind(
    "E2531",
    "prompt-does-not-fit",
    "error",
    "the prompt {path} does not fit: {reason}",
    "write each column of `sees` once into the prompt, as `{{{{text}}}}`, and no other",
    "What enters a prompt is the closed list `sees`: nothing more, so that nothing is given away, and nothing less, so "
    "that a reader of the protocol knows what the agent was given.",
    "a prompt with `{{{{label}}}}` where `sees: [text]`",
)
BAD_RESPONSE = Kind(
    "E2532",
    "bad-response-schema",
    "error",
    "the schema {path} of an answer cannot be used: {reason}",
    "write a JSON Schema that is complete in itself",
    "Answers are compared with the schema that the agent is given. Nothing that it names is fetched.",
    "a `response` file that is no JSON",
)

KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
