"""Finds the topics of the corpus whose embeddings lie nearest to the embedding of a query."""

from __future__ import annotations

import json
import math
import urllib.error
import urllib.request
from pathlib import Path

CORPUS = Path(__file__).resolve().parents[1] / "corpus" / "topics.jsonl"
MODEL = "ask-embed-1"
TOP = 3


class ProviderFailed(Exception):
    """The embedding provider gave no usable answer."""


def best_topics(query: str, url: str) -> list[dict[str, object]]:
    """The best topics, best first, each with its rank."""
    topics = [json.loads(line) for line in CORPUS.read_text(encoding="utf-8").splitlines()]
    asked, *known = embed([query, *(f"{topic['title']}. {topic['summary']}" for topic in topics)], url)
    scores = [cosine(asked, vector) for vector in known]
    order = sorted(range(len(topics)), key=lambda place: (-scores[place], topics[place]["id"]))
    return [{"rank": rank, **topics[place]} for rank, place in enumerate(order[:TOP], 1)]


def embed(texts: list[str], url: str) -> list[list[float]]:
    """One vector per text, by one request in the form of the OpenAI embeddings API."""
    body = json.dumps({"model": MODEL, "input": texts, "encoding_format": "float"}).encode()
    request = urllib.request.Request(f"{url}/v1/embeddings", body, {"content-type": "application/json"})  # noqa: S310
    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(request, timeout=60) as answer:
            found = json.load(answer)["data"]
    except (OSError, ValueError, KeyError) as fault:
        raise ProviderFailed(str(fault)) from fault
    return [item["embedding"] for item in sorted(found, key=lambda item: item["index"])]


def cosine(one: list[float], other: list[float]) -> float:
    """The cosine of the angle between two vectors; 0 where one of them is zero."""
    lengths = math.hypot(*one) * math.hypot(*other)
    return sum(a * b for a, b in zip(one, other, strict=True)) / lengths if lengths else 0.0
