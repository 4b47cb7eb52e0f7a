"""Decides from the final user turn whether a conversation needs the corpus of mathematics and statistics."""

from __future__ import annotations

import re

# words that are hardly ever used outside of the subject
STRONG = (
    r"eigen\w*|theorem\w*|lemma|proof\w*|prove|derive|p-values?|probabilit\w+|statistic\w*|distribution\w*|variance|"
    r"covariance|correlat\w+|regression|bayes\w*|markov|martingales?|matri\w+|determinants?|integrals?|integrate\w*|"
    r"differentia\w+|derivatives?|divergen\w+|converge\w*|fourier|lagrange|compact|continuous|uncountable|irrational|"
    r"prime|epsilon|subgroups?|median|t-tests?|predictors?|censored|binomial|random|estimators?|null space|kelly|"
    r"simpsons?|monte carlo|gradients?|diagonali[sz]ed?|error vs|independen\w+|confidence intervals?|surjective|"
    r"injective|predictive|logarithmic|almost surely|category theory|pigeonhole|chain rule"
)
# words with an everyday meaning: two of them in a question count as one of the others
WEAK = (
    r"rings?|fields?|mean|sample|function\w*|basis|power|normal|uniform\w*|group|table|set|series|notation|error|rank"
)
ASKS = r"^(what|why|how|when|is|are|which|define|show|explain|state|could|can)\b|\bhow\b|\bwhy\b"
LEARNS = r"\b(lecture|class|textbook|exercise|homework|course|seminar)\b"
PERSONAL = r"\b(i|i'm|i've|my|me)\b"
SENSITIVE = (
    r"\b(biopsy|cancer|doctor|mammogram|cholesterol|statins?|pills?|dose|mg|pain|autism|diagnos\w+|symptoms?|savings|"
    r"saved|invest\w*|stocks?|mortgages?|fund|salary|roulette|casino|bet|betting|stake)\b"
)
DOES = r"^(write|convert|translate|rename|delete|reset|repeat|help|recommend)\b"


def final_turn(messages: list[dict[str, str]]) -> str:
    """What the user said last."""
    return [message["content"] for message in messages if message["role"] == "user"][-1]


def needs_corpus(messages: list[dict[str, str]]) -> bool:
    """Whether the final user turn asks for mathematics or statistics, and is not a request for personal advice."""
    text = final_turn(messages).lower()
    if re.search(DOES, text) or wants_advice(text):
        return False
    if re.search(rf"\b({STRONG})\b", text):
        return True
    return len(set(re.findall(rf"\b(?:{WEAK})\b", text))) >= 2 and bool(re.search(ASKS, text))


def wants_advice(text: str) -> bool:
    """Whether a person asks about his or her own health, money or bets."""
    return bool(re.search(SENSITIVE, text) and re.search(PERSONAL, text) and not re.search(LEARNS, text))


def query_of(messages: list[dict[str, str]]) -> str:
    """What to look for: the final user turn, with the one before if it only points back (`prove that`)."""
    turns = [message["content"] for message in messages if message["role"] == "user"]
    points_back = re.search(r"\b(that|such|it)\b", turns[-1].lower()) and len(turns[-1].split()) <= 12
    return " ".join(turns[-2:] if points_back else turns[-1:])
