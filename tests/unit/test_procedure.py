"""Providers, the target, judgements and outputs: from the spec to the runtime, and what follows from them."""

from __future__ import annotations

from fractions import Fraction

import pytest

from protoc_compiler import core, identity
from protoc_compiler.emit import package
from protoc_runtime import declared
from protoc_runtime.conduct import conduct
from protoc_runtime.procedure import Answer, Output, Provider, Retry, Sealed, Target
from unit.asking import spec
from unit.small import examine, ids, protocol

COMMIT = "dd384574b5f3765acd4a131caae755697a224557"
ROUTING = "5feceb66ffc86f38d952786c6d696c79c2dbc239dd4e91b46729d73a27fb57e9"
RETRY = Retry(("429", "5xx"), 2, (Fraction(1), Fraction(1, 2)), ("dimension", "validation"), "recorded")


def loaded(*changes: tuple[str, str]) -> declared.Declared:
    return declared.load(identity.canonical(protocol(spec(*changes))))


def test_everything_reaches_the_runtime() -> None:
    made = loaded()
    embedding = next(item for item in made.providers if item.name == "embedding")
    assert embedding == Provider(
        "embedding", "POST", "/v1/embeddings", "", "EMBEDDING_BASE_URL", "EMBEDDING_API_KEY", "ask-embed-1",
        Answer(64, True, "answer.schema.json", ("200",)), RETRY, Fraction(20), 4, Fraction(1, 10), "bodies", False,
        (("answer", ("R3",)), ("concurrency", ("R5",)), ("retry", ("R4",))),
    )  # fmt: skip
    chat = next(item for item in made.providers if item.name == "chat")
    assert (chat.forbidden, chat.retry, chat.answer, chat.cites) == (True, None, None, (("forbidden", ("R6",)),))
    assert made.target == Target(
        "", "ASK_REPOSITORY", COMMIT, (("corpus", ("README.md", "corpus/**")), ("routing", ("ask/router.py",))),
        (("routing", ROUTING),), (("commit", ("R1",)), ("digests.routing", ("R2",))),
    )  # fmt: skip
    assert made.outputs == (Output("RECEIPT_v1.md", "receipt", ("R8",)), Output("cases.jsonl", "cases"))
    assert made.sealed == Sealed(("gates.enough", "routed"), ("R9",))


def test_the_compiler_and_the_runtime_have_the_same_records() -> None:
    made = protocol(spec())
    read = declared.load(identity.canonical(made))
    assert sorted(made.providers, key=lambda item: item.name) == list(read.providers)
    assert (made.target, made.sealed) == (read.target, read.sealed)
    assert sorted(made.outputs, key=lambda item: item.path) == list(read.outputs)
    assert {rule.name: rule for rule in conduct(made)} == {rule.name: rule for rule in conduct(read)}


def test_a_command_with_its_folder_and_environment() -> None:
    subject = loaded().subject
    assert subject is not None
    assert (subject.kind, subject.argv, subject.directory) == ("command", ("python3", "-m", "ask"), "target")
    assert (subject.environment, subject.target) == (("LANG", "LC_ALL"), "python3 -m ask")


def test_a_service_is_called_at_its_address() -> None:
    command = "    command: [python3, -m, ask]\n    directory: target\n    environment: [LC_ALL, LANG]\n"
    subject = loaded((command, "    http: http://127.0.0.1:8000/ask\n")).subject
    assert subject is not None
    assert (subject.kind, subject.target, subject.argv) == ("http", "http://127.0.0.1:8000/ask", ())


def test_a_protocol_without_these_parts_keeps_its_form() -> None:
    bare = identity.to_json(protocol(_without_parts()))
    assert not {"target", "providers", "judgements", "outputs", "sealed"} & bare.keys()
    assert not {"argv", "directory", "environment"} & bare["subject"].keys()


def _without_parts() -> str:
    from unit.small import spec as small

    return small()


# --- what the digest sees -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[5xx, 429]", "[429, 5xx]"),
        ("[1 s, 500 ms]", "[1_000 ms, 0.5 s]"),
        ("[LC_ALL, LANG]", "[LANG, LC_ALL]"),
        ("[corpus/**, README.md]", "[README.md, corpus/**]"),
        ("timeout: 20 s", "timeout: {is: 20 s}"),
        ("{bad: it does not help, good: it helps}", "{good: it helps, bad: it does not help}"),
        ("dimension: freeze.dimension", "dimension: 64"),
        ("model: freeze.model", "model: ask-embed-1"),
        ("is: [routed, gates.enough]", "is: [gates.enough, routed]"),
    ],
)
def test_another_spelling_is_the_same_meaning(old: str, new: str) -> None:
    assert identity.digest(protocol(spec((old, new)))) == identity.digest(protocol(spec()))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("[5xx, 429]", "[5xx]"),
        ("[1 s, 500 ms]", "[500 ms, 1 s]"),
        ("finite: true", "finite: false"),
        ("timeout: 20 s", "timeout: 21 s"),
        ("spacing: 100 ms", "spacing: 200 ms"),
        ("keep: bodies", "keep: digests"),
        ("env EMBEDDING_API_KEY", "env OTHER_KEY"),
        ("model: freeze.model", "model: other"),
        ("ask-embed-1", "ask-embed-2"),
        (COMMIT, COMMIT[::-1]),
        ("[corpus/**, README.md]", "[corpus/**]"),
        (ROUTING, ROUTING[::-1]),
        ("forbidden: {is: true", "forbidden: {is: false"),
        ("[LC_ALL, LANG]", "[LANG]"),
        ("directory: target", "directory: empty"),
        ("it does not help,", "it does not help at all,"),
        ("sees: [case.turns, rank, title]", "sees: [case.turns, title]"),
        ("RECEIPT_v1.md", "RECEIPT.md"),
        ("[routed, gates.enough]", "[routed]"),
        ("cites: [R9]", "cites: [R10]"),
    ],
)
def test_another_meaning_is_another_digest(old: str, new: str) -> None:
    changes = [(old, new)]
    if "is: false" in new:
        changes.append(("      request: POST /v1/chat", "      base_url: env CHAT\n      request: POST /v1/chat"))
    assert identity.digest(protocol(spec(*changes))) != identity.digest(protocol(spec()))


# --- what is refused ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ("at_most: 2", "at_most: 3", "E0526"),
        ("at_most: 2, waits: [1 s, 500 ms]", "at_most: 1, waits: [1 s, 2 s]", "E0526"),
        ("at_most: 2", "at_most: 0", "E0516"),
        ("[1 s, 500 ms]", "[1 s, 500]", "E0516"),
        ("never_on: [validation, dimension]", "never_on: [503]", "E0527"),
        ("never_on: [validation, dimension]", "never_on: [429]", "E0527"),
        ("never_on: [validation, dimension]", "never_on: [4xx]", "E0527"),
        ("json: answer.schema.json", "statuses: [200, 503]", "E0527"),
        ("[5xx, 429]", "[6xx]", "E0219"),
        ("[5xx, 429]", "[tiredness]", "E0219"),
        ("timeout: 20 s", "timeout: 20", "E0516"),
        ("spacing: 100 ms", "spacing: 100 KiB", "E0516"),
        ("model: freeze.model", "model: freeze.dimension", "E0516"),
        ("dimension: freeze.dimension", "dimension: freeze.modl", "E0516"),
        ("      base_url: env EMBEDDING_BASE_URL\n", "", "E0202"),
        ("credential: env EMBEDDING_API_KEY", "credential: not-a-variable", "E0219"),
        ("request: POST /v1/embeddings", "request: /v1/embeddings", "E0219"),
        (COMMIT, "main", "E0219"),
        (ROUTING, "5feceb66", "E0219"),
        ("{from: ledger of chat,", "{from: ledger of chats,", "E0331"),
        ("from: ledger of embedding", "from: ledger of embeddings", "E0331"),
        ("{from: ledger of chat, attempts: int, calls: int}", "{from: ledger of chat, attempts: text}", "E0501"),
        ("status: int?", "states: int?", "E0319"),
        ("      key: [case, n]\n", "      key: case\n", "E0501"),
        ("columns: {case: cases, n: int, status", "columns: {case: text, n: int, status", "E0501"),
        ("    of: cases\n", "", "E0202"),
        ("clean_at_start: bool,", "clean_at_start: bool, corpse: digest,", "E0319"),
        ("worktree.routing != target.routing", "worktree.routing != target.corpus", "E0305"),
        ("RECEIPT_v1.md: {is: receipt", "RECEIPT_v1.md: {is: recipe", "E0218"),
        ("RECEIPT_v1.md:", "../RECEIPT.md:", "E0212"),
        ("RECEIPT_v1.md:", ".hidden:", "E0212"),
        ("RECEIPT_v1.md:", "CASES.jsonl:", "E0301"),
        ("[corpus/**, README.md]", "[../corpus/**]", "E0219"),
        ("[corpus/**, README.md]", "[/etc/passwd]", "E0219"),
        ("      corpus: [", "      commit: [", "E0301"),
        ("    chat:\n", "    EMBEDDING:\n", "E0301"),
        ("    chat:\n", "    subject:\n", "E0213"),
        ("[routed, gates.enough]", "[rooted]", "E0312"),
        ("[routed, gates.enough]", "[gates.routed]", "E0312"),
        ("[routed, gates.enough]", "[routed, gates.helps]", "E0813"),
        ("[routed, gates.enough]", "[missed]", "E0813"),
        ("    of: cases\n", "    of: cases\n    python: a.py:f\n", "E0221"),
        ("command: [python3, -m, ask]", "recorded: answers", "E0221"),
    ],
)
def test_what_is_refused(old: str, new: str, expected: str) -> None:
    assert expected in ids(spec((old, new)))


def test_a_command_in_the_target_needs_one() -> None:
    text = spec()
    start, end = text.index("  target:\n"), text.index("  freeze:\n")
    assert "E0332" in ids(text[:start] + text[end:])


def test_a_ledger_shows_only_what_is_recorded() -> None:
    (found,) = [item for item in examine(spec(("waited: s", "waits: s"))).findings if item.id == "E0319"]
    assert "did you mean `waited`" in found.hint


def test_a_table_cannot_be_called_target() -> None:
    assert "E0301" in ids(spec(("    found:\n", "    target:\n")))


def test_the_whole_spec_has_nothing_to_report() -> None:
    assert ids(spec()) == []


# --- conduct and grades ---------------------------------------------------------------------------------------------


def test_every_key_has_its_rule_of_conduct() -> None:
    rules = {rule.name: rule for rule in conduct(protocol(spec()))}
    assert list(rules) == [
        "target.commit", "target.corpus", "target.routing", "embedding.credential", "embedding.model",
        "embedding.answer", "embedding.retry", "embedding.timeout", "embedding.concurrency", "embedding.spacing",
        "chat.forbidden", "subject.sees", "subject.timeout", "subject.concurrency", "subject.environment",
        "subject.files", "ratings.sees", "reasons.sees", "runner.launches", "runner.redaction", "embedding.stop",
    ]  # fmt: skip
    assert rules["embedding.retry"].says == (
        "A call to embedding is sent again only on 429 or 5xx, at most 2 times, after waits of 1 s and 0.5 s, and "
        "never on dimension or validation; Retry-After is recorded and changes nothing."
    )
    assert rules["embedding.retry"].cites == ("R4",)
    assert rules["ratings.sees"].says == (
        "Who judges ratings sees turns (role, content), rank and title of a row of first_two, and nothing else."
    )
    assert {rule.how for rule in rules.values()} == {"enforced", "recorded"}


def test_a_call_without_a_policy_is_sent_once() -> None:
    line = next(line for line in spec().splitlines() if line.lstrip().startswith("retry:"))
    rules = {rule.name: rule.says for rule in conduct(loaded((line + "\n", "")))}
    assert rules["embedding.retry"] == "A call to embedding is never sent again."


def test_a_blocker_is_graded_by_the_weakest_that_it_reads() -> None:
    grades = {item.name: (item.grade, item.sources) for item in loaded().of("blockers")}
    assert grades == {
        "wrong_code": ("recorded", ("target",)),
        "dirty": ("recorded", ("target",)),
        "late": ("recorded", ("seal", "target")),
        "changed": ("recorded", ("seal",)),
        "short": ("proven", ("file",)),
        "no_key": ("recorded", ("provider embedding",)),
        "chatted": ("recorded", ("ledger of chat",)),
        "secret": ("recorded", ("secret scan",)),
        "unhelpful": ("attested", ("adjudication",)),
    }


def test_only_blockers_are_graded() -> None:
    assert {item.grade for item in loaded().items if item.space != "blockers"} == {""}


def test_everything_says_which_judgements_decide_it() -> None:
    told = {(item.space, item.name): item.judgements for item in loaded().items if item.judgements}
    assert told == {
        ("metrics", "helped"): ("ratings",),
        ("metrics", "missed"): ("reasons",),
        ("blockers", "unhelpful"): ("reasons",),
        ("gates", "helps"): ("ratings",),
        ("verdict", "verdict"): ("ratings", "reasons"),
    }


# --- the package ----------------------------------------------------------------------------------------------------


def test_the_package_says_all_of_it() -> None:
    files = package.render(protocol(spec()), "specs/asking/protocol.yaml")
    page = files["PROTOCOL.md"].decode()
    for words in (
        "named by the variable `ASK_REPOSITORY` at commit", "| chat | `POST /v1/chat/completions` | forbidden",
        "the command `python3 -m ask`, in the target", "| good | it helps |",
        "Metrics and rules that people's answers can change: helped, missed, gates.helps, blockers.unhelpful.",
        "Sealed against adjudication: gates.enough, routed.", "- its evidence is attested, from adjudication",
        "| embedding.retry |", "after ratings",
    ):  # fmt: skip
        assert words in page, words
    assert {f"schemas/{name}.json" for name in ("attempts", "ratings", "reasons", "worktree", "chat")} <= files.keys()


@pytest.mark.parametrize("cause", ["429", "500", "503"])
def test_causes_that_are_sent_again(cause: str) -> None:
    assert RETRY.permits(cause)


@pytest.mark.parametrize("cause", ["400", "401", "dimension", "timeout", "validation"])
def test_causes_that_are_not(cause: str) -> None:
    assert not RETRY.permits(cause)


def test_pinned_values_are_read_like_frozen_ones() -> None:
    made = protocol(spec())
    (blocker,) = [item for item in made.of("blockers") if item.name == "wrong_code"]
    assert isinstance(blocker.expr, core.Or)
    digests = [part.operands[1] for part in blocker.expr.parts if isinstance(part, core.Compare)]
    assert digests == [core.Const(core.DIGEST, COMMIT), core.Const(core.DIGEST, ROUTING)]
