"""An agent that proposes the last word of its prompt."""

from __future__ import annotations

import json
import sys

prompt = sys.stdin.read()
answer = json.dumps({"proposed": [{"quote": prompt.split()[-1]}]})
for event in (
    {"type": "thread.started", "thread_id": "1"},
    {"type": "turn.started"},
    {"type": "item.completed", "item": {"id": "0", "type": "agent_message", "text": answer}},
    {"type": "turn.completed", "usage": {"input_tokens": len(prompt)}},
):
    print(json.dumps(event))
