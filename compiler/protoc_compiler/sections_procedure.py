"""The shape of the section `procedure`: what is run, with which services, and what people decide after it."""

from __future__ import annotations

from protoc_compiler.sections_agent import SESSION_KEYS
from protoc_compiler.sections_common import CITES, NAME, SAYS, TEXT, setting
from protoc_compiler.sections_manifest import MANIFEST, PARITY
from protoc_compiler.sections_phases import PHASE
from protoc_compiler.shape import Either, FormulaShape, Items, Key, Keys, Named, Words
from protoc_runtime.procedure import CAUSES, OUTPUTS

_ENV = r"env [A-Za-z_][A-Za-z0-9_]*"
_PATHS = Items(
    "a list of path patterns", "Globs in the repository: `ask/**`.",
    Words("a path pattern", pattern=r"(?!/)(?!(?:.*/)?\.\.(?:/|$)).+",
          plan="a path pattern inside the repository, such as `ask/**`"),
    True, True,
)  # fmt: skip
_CAUSES = Items(
    "a list of causes", "A status (`429`), a class of statuses (`5xx`), or " + ", ".join(CAUSES) + ".",
    Words("a cause", pattern="[1-5](?:[0-9][0-9]|xx)|" + "|".join(CAUSES),
          plan="a status such as `429`, a class such as `5xx`, or " + ", ".join(f"`{cause}`" for cause in CAUSES)),
    True, True,
)  # fmt: skip
_YES = Words("`true` or `false`", choices=("true", "false"))

TARGET = Keys(
    "a map", "The git repository whose code is evaluated, at a pinned commit.", path="procedure.target",
    mistaken=(("git", "repository"), ("url", "repository"), ("revision", "commit")),
    keys=(
        Key("repository", setting(Words("a repository", "A path beside the spec, or `env NAME`: the variable that "
                                        "holds the place.")), True),
        Key("commit", setting(Words("a commit", "The full id of the commit.", pattern="[0-9a-f]{40}|[0-9a-f]{64}",
                                    plan="the full commit id, 40 hex digits in lower case")), True),
        Key("digests", Named("a map of path sets", "Files whose digest the receipt shows: columns of a record "
                             "`from: target`.", Either(
            "path patterns, or a block with `paths`", scalar=_PATHS, items=_PATHS,
            keys=Keys("a block with `paths`", path="procedure.target.digests", keys=(
                Key("paths", _PATHS, True),
                Key("is", Words("a digest", "The digest that the files must have.", pattern="sha256:[0-9a-f]{64}",
                                plan="`sha256:` and 64 hex digits in lower case")),
                CITES))))),
    ),
)  # fmt: skip
RETRY = Keys(
    "a map", "When a call is sent again; nothing else is.", path="procedure.providers.retry",
    mistaken=(("on", "only_on"), ("max", "at_most"), ("times", "at_most"), ("wait", "waits"), ("never", "never_on")),
    keys=(
        Key("only_on", _CAUSES, True),
        Key("at_most", FormulaShape("a whole number", "How many times a call is sent again."), True),
        Key("waits", Items("a list of durations", "One before each retry: `[1 s, 2 s]`.",
                           FormulaShape("a duration"), lone=True), True),
        Key("never_on", _CAUSES),
        Key("retry_after", Words("`recorded` or `honoured`", "What the provider's Retry-After header does.",
                                 choices=("recorded", "honoured"))),
        CITES,
    ),
)  # fmt: skip
ANSWER = Keys(
    "a map", "What an acceptable answer is.", path="procedure.providers.answer",
    keys=(
        Key("dimension", FormulaShape("a whole number", "How many numbers each vector has.")),
        Key("finite", Words(_YES.what, "Whether every number must be finite.", choices=_YES.choices)),
        Key("json", Words("a path", "A JSON Schema beside the spec that the answer must match.")),
        Key("statuses", Items("a list of statuses", "The statuses that are no failure: `200` if left out.",
                              Words("a status", pattern="[1-5][0-9][0-9]", plan="a status such as `200`"), True, True)),
        CITES,
    ),
)  # fmt: skip
PROVIDER = Keys(
    "a map", path="procedure.providers",
    mistaken=(("url", "base_url"), ("key", "credential"), ("api_key", "credential"), ("deadline", "timeout")),
    keys=(
        Key("request", setting(Words("a request", "The method and the path that are observed: "
                                     "`POST /v1/embeddings`.", pattern=r"[A-Z]+ /\S*",
                                     plan="a method and a path, such as `POST /v1/embeddings`")), True),
        Key("base_url", setting(Words("an address", "`env NAME`: the variable that holds it; or the address.",
                                      pattern=_ENV + r"|https?://\S+", plan="`env NAME`, or an address `https://...`"))),
        Key("credential", setting(Words("a variable", "`env NAME`: the variable that holds it. The runner reads it; "
                                        "the subject never sees it.", pattern=_ENV,
                                        plan="`env NAME`, the variable that holds it: a credential never stands in a "
                                        "spec"))),
        Key("sent_as", setting(Words("a header", "The header that carries the credential, where it is not "
                                     "`authorization: Bearer {credential}`.",
                                     pattern=r"[A-Za-z][A-Za-z0-9-]*: [ -z|~]*\{credential\}[ -z|~]*",
                                     plan="a header with the place of the credential, such as "
                                     "`\"x-api-key: {credential}\"`"))),
        Key("model", setting(Words("a model", "A request for another model is refused and counted; "
                                   "`freeze.NAME` for a frozen text."))),
        Key("answer", ANSWER),
        Key("retry", RETRY),
        Key("timeout", setting(FormulaShape("a duration", "The time that one call may take, its retries included."))),
        Key("concurrency", setting(FormulaShape("a whole number", "How many calls are under way at once."))),
        Key("spacing", setting(FormulaShape("a duration", "The least time between two sends."))),
        Key("keep", setting(Words("`digests` or `bodies`", "What is kept of requests and answers.",
                                  choices=("digests", "bodies")))),
        Key("forbidden", setting(Words(_YES.what, "Whether every request is refused, and counted.",
                                       choices=_YES.choices))),
    ),
)  # fmt: skip
FREEZE = Named(
    "a map of frozen values", "What is fixed before the first call.",
    Either("a frozen value", scalar=Words("a literal or digest"), keys=Keys(
        "a block", path="freeze", keys=(
            Key("is", Words("a literal", "A number, a quoted text, or `sha256:` and 64 hex digits.")),
            Key("file", Words("a path", "The file whose digest is frozen; with `is` it must have this digest.")),
            Key("run", Words("a path", "The bundle of an earlier run that the value comes from.")),
            Key("metric", Words("a metric", "Which metric of the run is the value.")),
            Key("receipt", Words("a digest", "The digest of the run's `receipt.json`.",
                                 pattern=r"sha256:[0-9a-f]{64}", plan="`sha256:` and 64 hex digits")),
            Key("copy_of", Words("a block of a file", "`FILE#/POINTER`: the JSON or YAML block that is copied.")),
            Key("ties", Named("a map of entries", "Which rule has the threshold of an entry.", Words("a rule"),
                              "words")),
            CITES))),
)  # fmt: skip
SUBJECT = Keys(
    "a map", "What is evaluated, and how it is called.", path="procedure.subject",
    keys=(
        Key("python", setting(Words("a function", "`path.py:function`.", pattern=rf"[^:]+\.py:{NAME}",
                                     plan="`path.py:function`"))),
        Key("recorded", setting(Words("a folder", "A folder of rows that exist already."))),
        Key("command", setting(Items("a list of words", "A program and its arguments; it reads a case as JSON from "
                                     "standard input and writes its answer to standard output.", Words("a word")))),
        Key("http", setting(Words("an address", "A service that takes a case as JSON and answers with JSON.",
                                  pattern=r"https?://\S+", plan="an address such as `http://127.0.0.1:8000/ask`"))),
        Key("directory", setting(Words("a folder", "Where a command runs: `target`, `empty` (a fresh folder for each "
                                       "run), or a path beside the spec."))),
        Key("environment", setting(Items("a list of variables", "The variables of the environment that a command "
                                         "gets; the addresses of providers come as `PROTOC_<PROVIDER>_URL`.",
                                         Words("a variable", pattern=NAME, plan="the name of a variable"), True,
                                         True))),
        Key("files", setting(Items("a list of paths", "What a command may read beside its folder and the system, where "
                                   "its file system is closed: paths beside the spec, absolute ones, or `env NAME`.",
                                   Words("a path"), True, True))),
        Key("pool", setting(Words(_YES.what, "Whether a command stays and answers one case after the other, a line of "
                                  "JSON each.", choices=_YES.choices))),
        Key("of", setting(Words("a table", "The table with one row per case."))),
        Key("sees", setting(Items("a list of columns", "The columns that reach the subject; nothing else does.",
                                   Words("a column"), True, True))),
        Key("code", setting(Items("a list of paths", "Further files whose digests are sealed.", Words("a path"), True,
                                   True))),
        Key("timeout", setting(FormulaShape("a duration", "The time that one case may take: `5 s`."))),
        Key("concurrency", setting(FormulaShape("a whole number", "How many cases run at once."))),
        *SESSION_KEYS,
    ),
)  # fmt: skip
JUDGEMENT = Keys(
    "a map", path="procedure.adjudication", mistaken=(("of", "judges"), ("table", "fills"), ("shows", "sees")),
    keys=(
        SAYS,
        Key("judges", Words("a table", "One row is told per row of this table or table definition."), True),
        Key("fills", Words("a table", "The table `from: adjudication` that takes what is told; it has the same key."),
            True),
        Key("column", Words("a column", "The column that the rater fills: an enum with the labels as members."), True),
        Key("sees", Items("a list of columns", "What a rater sees of the row, and of rows it refers to "
                          "(`case.question`); nothing else is shown.", FormulaShape("a column"), lone=True), True),
        Key("labels", Either("a map of labels, or a column", "Each label with its meaning, as the rater reads it; or "
                             "the column of the judged row that holds its labels.", scalar=FormulaShape("a column"),
                             keys=Named("a map of labels", value=TEXT, rule="words")), True),
        Key("marks", Words("a column", "Raters mark passages of this text, which stands in `sees`: `fills` gets a row "
                           "per mark, with `n`, `quote`, `start` and `end`.")),
        Key("follows", Items("a list of judgements", "What a rater must have saved before this one is shown.",
                             Words("a judgement"), True, True)),
        Key("raters", Items("a list of names", "Who judges, each alone and blind to the others; one unnamed person if "
                            "left out.", Words("a name", pattern=NAME, plan="a name such as `QA1`"), True, True)),
        CITES,
    ),
)  # fmt: skip
_WHO = Items(
    "a list of people",
    "`subject`, `public`, `raters` or the name of a rater, raters perhaps `until JUDGEMENT`.",
    Words(
        "a person",
        pattern=rf"{NAME}(?: until {NAME})?",
        plan="`subject`, `raters` or the name of a rater, such as `QA1` or `QA1 until inventory`",
    ),
    True,
    True,
)
HIDDEN = Either(
    "a list of people, or a block with `hidden_from`",
    scalar=_WHO,
    items=_WHO,
    keys=Keys(
        "a block with `hidden_from`", path="procedure.visibility", keys=(SAYS, Key("hidden_from", _WHO, True), CITES)
    ),
)
_KIND = Words("a kind of page", "What the file holds.", choices=OUTPUTS)
OUTPUT = Either(_KIND.what, _KIND.says, scalar=_KIND, keys=Keys(
    "a block with `is`", path="procedure.outputs", keys=(
        Key("is", _KIND, True),
        Key("of", Words("a table", "Of `rows` and `packets`: the table that they are made of.")),
        Key("kept", Words("a table", "The rows that are shown; a packet has only digests of the others.")),
        Key("shows", Items("a list of columns", "What is shown of a row beside its key.", Words("a column"), True,
                           True)),
        Key("rejected", Items("a list of columns", "What a packet shows of a row that is not kept: no texts.",
                              Words("a column"), True, True)),
        Key("digests", Items("a list of columns", "Texts of which a packet shows the SHA-256 where a row is not kept.",
                             Words("a column"), True, True)),
        CITES)))  # fmt: skip
STEP = Either("text, or a block with `says`", scalar=TEXT, keys=Keys(
    "a block with `says`", path="procedure.steps", keys=(
        Key("says", TEXT, True),
        Key("by", Words("`runner` or `attestation`", "Who vouches for it.", choices=("runner", "attestation"))),
        Key("shown_by", Items("a list of rules of conduct", "Which derived rules of conduct show that it was done: "
                              "`runner.launches`.", Words("a rule of conduct"), True, True)),
        CITES)))  # fmt: skip
PROCEDURE = Keys(
    "a map", "How the study is run.", path="procedure", ordered=True,
    keys=(
        Key("target", TARGET),
        Key("freeze", FREEZE),
        Key("manifest", MANIFEST),
        Key("providers", Named("a map of providers", "The services that the subject may call, or may not.", PROVIDER)),
        Key("subject", SUBJECT),
        Key("phases", Items("a list of phases", "In order: which splits each reads, and to what use.", PHASE)),
        Key("parity", PARITY),
        Key("visibility", Named("a map of columns", "From whom a column (`cases.pick`) or a whole table is hidden.",
                                HIDDEN, "path")),
        Key("adjudication", Named("a map of judgements", "What people decide after the run.", JUDGEMENT)),
        Key("outputs", Named("a map of files", "Files of the bundle under the names that the protocol asks for.",
                             OUTPUT, "words")),
        Key("steps", Items("a list of steps", "What is done, in words.", STEP)),
    ),
)  # fmt: skip
