"""A small extractive agent with the output of an agent command line: one JSON event a line.

python3 agent.py exec       reads a prompt from standard input, writes events to standard output
python3 agent.py --version  tells its version

It knows nothing but its prompt. It splits the opinion into sentences and proposes, for each element of the checklist,
the sentence that shares most words with the element's notes, quoted as it would print it: on one line. A passage that
the source breaks over two lines is therefore quoted wrongly, as models do.
"""

from __future__ import annotations

import json
import re
import sys

VERSION = "extractor 1.0.2"
MOST = 6
_COMMON = "a an and any are as at be by for from has in into is it not of on or that the this to was were what who with"
_STOP = frozenset(_COMMON.split())
_ABROAD = ("Dorrance", "brief of the losing party", "provides that", "claim rests on")


def words(text: str) -> list[str]:
    """The words of a text that mean something, each without its ending."""
    return [word[:5] for word in re.findall(r"[a-z]+", text.lower()) if word not in _STOP]


def sentences(opinion: str) -> list[str]:
    """Sentences, each as it stands in the opinion."""
    found = re.split(r"(?<=[.?!])\s+", opinion)
    return [sentence.strip() for sentence in found if sentence.strip()]


def read(prompt: str) -> tuple[list[dict[str, str]], str]:
    """The checklist and the opinion of a prompt."""
    _, _, rest = prompt.partition("THE CHECKLIST\n")
    checklist, _, rest = rest.partition("\n\nTHE OPINION\n")
    return json.loads(checklist), rest.rpartition("\nEND OF THE OPINION")[0]


def propose(elements: list[dict[str, str]], opinion: str) -> list[dict[str, str]]:
    """The best sentence for each element, if one shares a word with its notes."""
    made = []
    for element in elements:
        wanted = set(words(element["notes"] + " " + element["element"].replace("_", " ")))
        scored = [
            (len(wanted & set(words(each))), each) for each in sentences(opinion) if not any(w in each for w in _ABROAD)
        ]
        best, sentence = max(scored, key=lambda pair: pair[0], default=(0, ""))
        if best >= 1:
            adverse = re.search(r"\b(no|not|nothing|never|nobody|neither)\b", sentence) is not None
            line = " ".join(sentence.split())
            quote = sentence if len(words(sentence)) % 3 else line
            made.append({
                "element": element["element"], "role": "applied", "polarity": "adverse" if adverse else "favourable",
                "quote": quote, "reason": f"{best} words of the notes",
            })  # fmt: skip
    return made[:MOST]


def emit(kind: str, **more: object) -> None:
    """One event."""
    print(json.dumps({"type": kind, **more}, ensure_ascii=False), flush=True)


def main() -> None:
    """One session."""
    prompt = sys.stdin.read()
    emit("thread.started", thread_id="local")
    emit("turn.started")
    elements, opinion = read(prompt)
    item = {
        "id": "item_0",
        "type": "reasoning",
        "text": f"{len(elements)} elements, {len(sentences(opinion))} sentences",
    }
    emit("item.completed", item=item)
    proposed = propose(elements, opinion)
    about = "applied" if proposed and "concerned the calendar" not in opinion else "not_applied"
    answer = {"answers": {"role": about}, "proposed": proposed if about == "applied" else proposed[:1]}
    item = {"id": "item_1", "type": "agent_message", "text": json.dumps(answer, ensure_ascii=False)}
    emit("item.completed", item=item)
    read_in, written = len(prompt) // 4, len(item["text"]) // 4
    usage = {"input_tokens": 22_000 + read_in, "cached_input_tokens": 21_504, "output_tokens": 60 + written}
    emit("turn.completed", usage={**usage, "reasoning_output_tokens": 60})


if __name__ == "__main__":
    if "--version" in sys.argv:
        print(VERSION)
    else:
        main()
