"""The shape of a subject that is an agent: its session, its prompt, what it may do, and what it costs."""

from __future__ import annotations

from protoc_compiler.sections_common import CITES, NAME, setting
from protoc_compiler.shape import Either, Items, Key, Keys, Named, Words
from protoc_runtime.agents.records import NETWORKS, SANDBOXES

_FILE = r"(?!/)(?!(?:.*/)?\.\.(?:/|$)).+"
_CONFIGURED = Keys(
    "a map", path="procedure.subject.configured",
    keys=(
        Key("file", Words("a path", "A TOML or JSON file beside the spec, or below `~/`.")),
        Key("key", Words("a key", "The key in the file, with dots: `model`, `profile.model`.")),
        Key("command", Items("a list of words", "A command whose first line is the value: `[tool, --version]`.",
                             Words("a word"))),
        CITES,
    ),
)  # fmt: skip
_FIELD = Words("a field", "The name of a field of `turn.completed.usage`.")
_USAGE = Either("a field, or a block with `field`", scalar=_FIELD, keys=Keys(
    "a block with `field`", path="procedure.subject.usage",
    keys=(Key("field", _FIELD, True),
          Key("part_of", Words("a name", "The count that includes this one, so that the two are never added.",
                               pattern=NAME, plan="a name of `usage`")),
          CITES)))  # fmt: skip

SESSION_KEYS = (
    Key("session", setting(Words("`ephemeral`", "One new process for each case, of which nothing is kept: its standard "
                                 "output is a stream of events.", choices=("ephemeral",)))),
    Key("prompt", setting(Words("a path", "The text of the prompt, beside the spec: `{{text}}` stands for a column "
                                "that `sees` names.", pattern=_FILE, plan="a path beside the spec"))),
    Key("response", setting(Words("a path", "The JSON Schema of an answer, beside the spec.", pattern=_FILE,
                                  plan="a path beside the spec"))),
    Key("sandbox", setting(Words("a sandbox", "`read-only`: no file can be written, and a run is refused where the "
                                 "system cannot see to it; `read-only or attested`: there a person vouches for it.",
                                 choices=SANDBOXES))),
    Key("network", setting(Words("`closed` or `open`", "What a sandboxed session can reach; `closed` if left out.",
                                 choices=NETWORKS))),
    Key("events_allowed", setting(Items("a list of kinds", "The kinds of items that may occur in the stream; any other "
                                        "quarantines the case.", Words("a kind"), True, True))),
    Key("configured", Named("a map of frozen values", "Where the tool's own configuration has what `freeze` states: "
                            "read and compared before each session.", _CONFIGURED)),
    Key("retry", setting(Words("`never`", "A case is asked once; one whose session an interruption cut off has failed.",
                               choices=("never",)))),
    Key("resume", setting(Words("`skips`", "A run that goes on keeps finished cases and samples none of them again.",
                                choices=("skips",)))),
    Key("usage", Named("a map of counts", "Counts of a turn by their names here, each a field as the tool reports it.",
                       _USAGE)),
)  # fmt: skip
