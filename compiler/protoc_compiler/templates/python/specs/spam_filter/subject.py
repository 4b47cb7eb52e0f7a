"""The filter that is evaluated. It sees one message at a time, and only the columns that the protocol names."""

SUSPICIOUS = ("prize", "fee", "claim", "cheap", "last chance")


def answer(case):
    """The row of table `answers` for this message; the reference to the case is filled in by the runner."""
    text = case["text"].lower()
    suspicious = any(word in text for word in SUSPICIOUS)
    return {"answers": {"answer": "unwanted" if suspicious else "wanted"}}
