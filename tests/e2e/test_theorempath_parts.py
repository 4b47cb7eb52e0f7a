"""The parts of the Ask example by themselves: its conversations, its repository, and its embedding provider."""

from __future__ import annotations

import json
import math
import subprocess
import sys
import urllib.error
import urllib.request
from collections import Counter
from itertools import combinations
from pathlib import Path
from typing import Any

import pytest

from e2e.theorempath import COMMIT, SPEC, part, sealed_cases
from e2e.workspaces import read_rows

TOPICS = read_rows(SPEC / "ask" / "corpus" / "topics.jsonl")


def test_conversations_are_96_different_ones_that_end_with_the_user():
    cases = sealed_cases()
    assert len({row["case"] for row in cases}) == len({json.dumps(row["messages"]) for row in cases}) == 96
    for row in cases:
        roles = [message["role"] for message in row["messages"]]
        assert roles == ["user", "assistant"] * (len(roles) // 2) + ["user"]
        assert ("multi_turn" in row["tags"]) == (len(roles) > 1)
    finals = [set(row["messages"][-1]["content"].lower().split()) for row in cases]
    assert max(len(one & other) / len(one | other) for one, other in combinations(finals, 2)) < 0.5


def test_strata_and_tags():
    strata: dict[str, Counter[str]] = {}
    for row in sealed_cases():
        strata.setdefault(row["stratum"], Counter())[row["expected"]] += 1
        assert "personalized_sensitive" not in row["tags"] or row["expected"] == "no_source"
        assert "educational_sensitive" not in row["tags"] or row["expected"] == "provider_call"
    kinds = Counter((count["provider_call"], count["no_source"]) for count in strata.values())
    assert kinds == {(8, 0): 3, (0, 8): 3, (4, 4): 6}


def test_judgements_name_topics_and_every_case_that_is_to_be_retrieved():
    table = json.loads((SPEC / "judgements.json").read_text())
    names = {topic["id"] for topic in TOPICS}
    assert len(names) == len(TOPICS) >= 60
    called = {row["case"] for row in sealed_cases() if row["expected"] == "provider_call"}
    assert set(table["relevant"]) == called >= set(table["asks_for_statistics"])
    assert names >= {*table["statistics"], *(name for found in table["relevant"].values() for name in found)}


def test_the_repository_has_the_pinned_commit_wherever_it_is_built(tmp_path: Path):
    build = part("build_target").build
    assert build(tmp_path / "one") == build(tmp_path / "two") == COMMIT
    assert (tmp_path / "one" / "ask" / "router.py").exists()


@pytest.fixture(scope="module")
def ask(tmp_path_factory: pytest.TempPathFactory) -> Path:
    place: Path = tmp_path_factory.mktemp("ask") / "repository"
    part("build_target").build(place)
    return place


def asked(repository: Path, url: str, *turns: str) -> tuple[dict[str, Any], str]:
    """What Ask answers, and what it says about it."""
    messages = [{"role": ("user", "assistant")[n % 2], "content": turn} for n, turn in enumerate(turns)]
    done = subprocess.run(
        [sys.executable, "-m", "ask"],
        input=json.dumps({"messages": messages}),
        cwd=repository,
        env={"PROTOC_EMBEDDING_URL": url},
        capture_output=True,
        text=True,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout), done.stderr


@pytest.mark.parametrize(
    ("turns", "calls"),
    [
        (["Prove that the square root of 2 is irrational."], True),
        (["Hello!"], False),
        (["What is a Markov chain?", "A random process.", "Thanks, good night."], False),
        (["Hello!", "Hi.", "What is a Markov chain?"], True),
        (["What is the difference between a ring and a field?"], True),
        (["Where can I buy a ring near the field?"], False),
        (["How do I get from the field to the ring road?"], True),  # two weak words in a question: a known weakness
        (["My cholesterol is high. What is the probability that I die?"], False),
        (["For my class: what is the probability that a casino loses?"], True),
        (["Write a function that renames files."], False),
    ],
)
def test_ask_routes_by_the_final_user_turn(ask: Path, turns: list[str], calls: bool):
    answer, said = asked(ask, "http://127.0.0.1:9", *turns)
    assert answer == {"results": {"turns": len(turns), "final_turn": turns[-1]}, "topics": []}
    assert said.startswith("no topics: ") == calls


def vectors(provider: Any, texts: Any, **changes: Any) -> tuple[int, dict[str, Any]]:
    """Status and body of one request."""
    given = {"path": "/v1/embeddings", "key": provider.credential, "model": "ask-embed-1", **changes}
    body = json.dumps({"model": given["model"], "input": texts}).encode()
    headers = {"authorization": f"Bearer {given['key']}"}
    request = urllib.request.Request(provider.url + given["path"], body, headers)
    try:
        with urllib.request.build_opener(urllib.request.ProxyHandler({})).open(request, timeout=30) as answer:
            return answer.status, json.load(answer)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


@pytest.fixture(scope="module")
def provider() -> Any:
    with part("embedding_provider").Provider() as serving:
        yield serving


def test_the_provider_speaks_the_embeddings_api(provider: Any):
    status, answer = vectors(provider, ["a compact space", "", "the compact spaces"])
    assert (status, answer["object"], answer["model"]) == (200, "list", "ask-embed-1")
    assert [item["index"] for item in answer["data"]] == [0, 1, 2]
    first, nothing, third = (item["embedding"] for item in answer["data"])
    assert {len(first), len(nothing), len(third)} == {64}
    assert all(map(math.isfinite, first))
    assert any(first)
    assert not any(nothing)
    assert first == third
    assert vectors(provider, "a compact space")[1]["data"][0]["embedding"] == first


def test_the_provider_refuses(provider: Any):
    assert vectors(provider, "x", key="another")[0] == 401
    assert vectors(provider, "x", model="another")[0] == 404
    assert vectors(provider, "x", path="/v1/chat/completions")[0] == 404
    assert vectors(provider, None)[0] == 400


def test_the_provider_has_a_new_credential_each_time_and_fails_as_often_as_it_is_told(provider: Any):
    with part("embedding_provider").Provider(fail_first=2) as other:
        assert other.credential != provider.credential
        assert [vectors(other, "x")[0] for _ in range(3)] == [503, 503, 200]


def test_vectors_keep_the_angles_of_the_corpus(provider: Any):
    """All but 5 topics lie in the 64 directions; each is nearest to itself."""
    embedder = provider.embedder
    texts = [f"{topic['title']}. {topic['summary']}" for topic in TOPICS]
    found = [embedder.vector(text) for text in texts]
    lengths = [math.hypot(*one) for one in found]
    assert sum(abs(length - 1) < 1e-9 for length in lengths) == 64
    assert 0.3 < min(lengths) <= max(lengths) < 1 + 1e-9
    for n, one in enumerate(found):
        products = [sum(a * b for a, b in zip(one, other, strict=True)) / math.hypot(*other) for other in found]
        assert max(range(len(products)), key=products.__getitem__) == n
