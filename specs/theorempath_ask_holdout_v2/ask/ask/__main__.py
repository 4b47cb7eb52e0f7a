"""Answers one conversation: JSON on standard input, JSON on standard output.

Reads `{"messages": [{"role": ..., "content": ...}, ...]}`, writes what was read of it (`results`) and the best topics
(`topics`, none if the corpus was not asked or the provider failed). The provider's address is PROTOC_EMBEDDING_URL.
"""

from __future__ import annotations

import json
import os
import sys

from ask.retrieval import ProviderFailed, best_topics
from ask.router import needs_corpus, query_of


def main() -> None:
    """One conversation in, one answer out."""
    messages = json.load(sys.stdin)["messages"]
    answer = {"results": {"turns": len(messages), "final_turn": messages[-1]["content"]}, "topics": []}
    if needs_corpus(messages):
        try:
            answer["topics"] = best_topics(query_of(messages), os.environ["PROTOC_EMBEDDING_URL"])
        except ProviderFailed as fault:
            print(f"no topics: {fault}", file=sys.stderr)
    json.dump(answer, sys.stdout)


if __name__ == "__main__":
    main()
