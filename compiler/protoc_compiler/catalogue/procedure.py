"""What the section `procedure` cannot mean: services, retries, judgements. E0329 to E0331, E0522 to E0528, E0811 on."""

from __future__ import annotations

from protoc_runtime.diagnostics import Kind

UNKNOWN_PROVIDER = Kind(
    "E0331",
    "unknown-provider",
    "error",
    "there is no provider `{name}`",
    "{hint}",
    "`from: ledger of X` and `from: provider X` observe a provider that `procedure.providers` must declare: nothing "
    "else is recorded.",
    "data:\n  records:\n    credential: {from: provider embeding, usable: bool}",
)
NO_TARGET = Kind(
    "E0332",
    "no-target",
    "error",
    "{what} needs `procedure.target`, which this protocol lacks",
    "declare the repository and its commit under `procedure.target`",
    "What is observed of the target, and a command that runs in it, need a repository at a pinned commit.",
    "data:\n  records:\n    worktree: {from: target, detached: bool}",
)
NOT_ADJUDICATED = Kind(
    "E0522",
    "not-adjudicated",
    "error",
    "`{table}` does not come `from: adjudication`, so nobody can fill it",
    "give the table `from: adjudication`, or name the one that has it",
    "A judgement fills a table of its own, so that what people decide is never mixed with what was measured.",
    "procedure:\n  adjudication:\n    topics: {judges: top, fills: top, column: label, sees: [title], labels: {a: b}}",
)
KEYS_DIFFER = Kind(
    "E0523",
    "keys-differ",
    "error",
    "`{fills}` has the key {key}, and the judged `{judges}` has {other}",
    "give both the same key columns: a judgement belongs to one judged row",
    "Each row that people fill belongs to exactly one judged row, so both are named by the same columns.",
    "judgements:\n  from: adjudication\n  key: case    # where the judged table has the key [case, rank]",
)
LABELS_DIFFER = Kind(
    "E0524",
    "labels-differ",
    "error",
    "the labels of `{name}` are not the members of `{table}.{column}`: {problem}",
    "{hint}",
    "What a rater may answer and what formulas compare with are one list: the column is an enum, its members are the "
    "labels, each with its meaning.",
    "columns: {case: cases, label: [good, bad]}    # and labels: {good: it helps, poor: it does not}",
)
FILLED_TWICE = Kind(
    "E0525",
    "filled-twice",
    "error",
    "two judgements fill `{table}`: {names}",
    "give each judgement a table of its own",
    "A row that two judgements fill would have two origins.",
    "adjudication:\n  first: {fills: labels, ...}\n  second: {fills: labels, ...}",
)
WAITS = Kind(
    "E0526",
    "waits-do-not-match",
    "error",
    "`at_most: {at_most}` needs {at_most} {noun}, {given} given",
    "write one wait before each retry, such as `waits: [1 s, 2 s]` with `at_most: 2`",
    "Each retry has its own exact wait, so the attempts of a call are fixed in advance: with a wait too few or too "
    "many the policy could be read in two ways.",
    "retry: {only_on: [429], at_most: 2, waits: [1 s]}",
)
CAUSES_OVERLAP = Kind(
    "E0527",
    "causes-overlap",
    "error",
    "`{cause}` stands in {one} and, as `{other}`, in {two}",
    "{hint}",
    "A cause of failure is either sent again or not. A class such as `5xx` holds each of its statuses.",
    "retry: {only_on: [429, 5xx], at_most: 1, waits: [1 s], never_on: [503]}",
)
FORBIDDEN_ALLOWED = Kind(
    "E0528",
    "forbidden-and-configured",
    "error",
    "`{name}` is forbidden, so `{key}` says nothing",
    "delete `{key}`, or `forbidden`",
    "Every request to a forbidden provider is refused before anything is sent: it has no answer, no retry and no wait.",
    "providers:\n  generation: {request: POST /v1/chat/completions, forbidden: true, timeout: 5 s}",
)
NOT_A_COLUMN = Kind(
    "E0529",
    "not-shown",
    "error",
    "{found} cannot stand in `sees`: it names no column",
    "name columns of the judged row, or of a row it refers to: `title`, `case.question`; define a column for a formula",
    "What a rater sees is told by columns, so that each has a name on the sheet and a reader sees where it comes from.",
    "adjudication:\n  topics: {sees: [rank + 1], ...}",
)
NOBODY_FILLS = Kind(
    "E0811",
    "nobody-fills",
    "error",
    "nobody fills `{table}`",
    "declare the judgement that fills it under `procedure.adjudication`, or delete the table",
    "A table `from: adjudication` gets its rows from people, by a judgement that says what they judge, what they may "
    "see and which labels there are.",
    "data:\n  tables:\n    labels: {from: adjudication, key: case, columns: {case: cases, label: [a, b]}}",
)
JUDGES_ITSELF = Kind(
    "E0812",
    "judgement-of-itself",
    "error",
    "the rows of judgement `{name}` depend on what it decides: {path}",
    "judge rows that stand before it, and let later judgements read this one",
    "The sheet of a judgement must be known before it is filled.",
    "definitions:\n  wrong: cases where label == bad    # judged by the judgement that fills `label`",
)
SEALED_READS = Kind(
    "E0813",
    "sealed-reads-adjudication",
    "error",
    "`{name}` is sealed, and adjudication can change it: {path}",
    "compute it from sealed and measured columns alone, or take it out of `report.sealed`",
    "`report.sealed` claims that no human decision after the run can change these results. The claim is proved on the "
    "formulas: none may read a column `from: adjudication`, through whatever names.",
    "report:\n  sealed: [accuracy]    # where accuracy reads a label that people fill",
)
NOBODY_CALLS = Kind(
    "W0814",
    "nobody-calls",
    "warning",
    "nothing can call the provider `{name}`: {reason}",
    "delete it, or declare the subject that calls it",
    "A provider is observed while a subject runs. With recorded answers, or without a subject, its ledger stays empty, "
    "and a rule over it would hold for the wrong reason.",
    "procedure:\n  providers:\n    embedding: {request: POST /v1/embeddings, base_url: env URL}",
)
NOT_RECORDED = Kind(
    "E0815",
    "evidence-not-recorded",
    "error",
    "blocker `{name}` reads `{table}`, and nothing records it: {reason}",
    "declare the subject whose calls are recorded, or delete the blocker",
    "A blocker whose evidence nothing records would never fire. That is no safety.",
    "blockers:\n  called: {says: A call was made., when: generation.calls > 0}    # with recorded answers",
)
RESTATED = Kind(
    "W0816",
    "restates-a-key",
    "warning",
    "{what} `{name}` restates `{key}`, which the runner already keeps",
    "delete it and let `{key}` cite the rule: the receipt shows the rule of conduct that follows from the key",
    "What a key of `procedure` says is enforced, and shown as a rule of its own. Said twice, the two can differ.",
    "blockers:\n  waits: {says: A retry waited less., when: some attempts where n > 1 have waited < 1 s}",
)
NEVER_SENT = Kind(
    "E0827",
    "forbidden-calls",
    "error",
    "{what} `{name}` reads `{table}.calls`, which is always 0: nothing is ever sent to the forbidden `{provider}`",
    "read `{table}.attempts`, which counts every request, also those that are refused",
    "`calls` are calls of which something was sent, `attempts` are all requests that the subject made. Every request "
    "to a forbidden provider is refused, so a rule over its `calls` alone looks like a safeguard and never fires.",
    "blockers:\n  chatted: {says: A chat was asked for., when: chats.calls > 0}    # `chat` is forbidden",
)

CREDENTIAL_SHOWN = Kind(
    "W0534",
    "credential-shown",
    "warning",
    "the command does not get `{name}`, which holds the credential of `{provider}`",
    "delete it from `environment`: the address in `PROTOC_<PROVIDER>_URL` is all that the command needs",
    "The runner adds the credential to each request behind the gateway. A program that has it could call the provider "
    "past the gateway, where nobody counts, and could print it; so the variable is left out, whatever the list says.",
    "procedure:\n  subject: {command: [./run], environment: [KEY], of: cases, sees: [text]}\n  providers:\n"
    "    embedding: {request: POST /v1/embeddings, base_url: env URL, credential: env KEY}",
)
KINDS = tuple(value for value in list(globals().values()) if isinstance(value, Kind))
