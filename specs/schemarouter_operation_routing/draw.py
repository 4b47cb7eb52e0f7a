"""Draws the calibration and the blind-final corpus. They are synthetic: sentences put together from parts, by a seed.

python3 draw.py SPLIT NUMBER SEED FILE

Each split has parts of its own, so that no sentence of one looks like one of another. Half of the queries are
supported, three in ten near-domain, two in ten out of the domain.
"""

from __future__ import annotations

import json
import random
import sys
from collections.abc import Callable
from pathlib import Path

Parts = dict[str, list[str]]

# what each operation is asked for with; {who}, {when} and {code} are drawn
SUPPORTED: dict[str, list[str]] = {
    "invoice.list": ["list every bill of {who} {when}", "enumerate the invoices that {who} got {when}"],
    "invoice.send": ["send the invoice {code} to {who} {when}", "issue the bill {code} for {who} {when}"],
    "invoice.pay": ["pay the invoice {code} of {who} {when}", "settle bill {code} with {who} {when}"],
    "customer.find": ["find the customer {who} who wrote {when}", "search the client called {who} from {when}"],
    "customer.update": ["change the address of customer {who} {when}", "correct the client {who} as told {when}"],
    "order.track": ["track order {code} for {who} from {when}", "trace the shipment {code} that {who} awaits {when}"],
    "order.cancel": ["cancel order {code} of {who} {when}", "withdraw the order {code} that {who} made {when}"],
    "sales.report": ["show the turnover with {who} {when}", "display revenue of {who} {when}"],
    "stock.check": ["check the stock of part {code} for {who} {when}", "count inventory item {code} at {who} {when}"],
    "ticket.open": ["open a ticket about {code} for {who} {when}", "raise a complaint on {code} by {who} {when}"],
    "ticket.close": ["close ticket {code} of {who} {when}", "resolve the complaint {code} that {who} filed {when}"],
    "refund.issue": ["send a refund for {code} to {who} {when}", "pay the reimbursement {code} to {who} {when}"],
}
NEAR = [
    "delete the invoice {code} of {who} {when}", "merge the clients {who} and Berg {when}",
    "assign ticket {code} to {who} {when}", "approve order {code} by {who} {when}",
    "export all customers of {who} {when}", "forecast the sales with {who} {when}",
    "duplicate bill {code} for {who} {when}", "archive the complaint {code} of {who} {when}",
    "insure the shipment {code} for {who} {when}", "auction the stock {code} of {who} {when}",
    "dispute refund {code} with {who} {when}", "schedule the order {code} of {who} {when}",
]  # fmt: skip
OUTSIDE = [
    "what is the weather like in {who}'s town {when}", "tell {who} a joke about {code} {when}",
    "who won the match that {who} saw {when}", "how do I cook {code} dumplings for {who} {when}",
    "which film should {who} watch {when}, number {code}", "how tall is the tower {code} near {who} {when}",
    "play some music that {who} liked {when}, track {code}", "sing the song {code} for {who} {when}",
]  # fmt: skip
PARTS: dict[str, Parts] = {
    "calibration": {
        "opening": ["Good morning, could you", "When you have a minute, please", "For the quarterly papers:",
                    "My colleague asks you to", "Quick one from the front desk:", "Before the meeting starts,"],
        "who": ["Alder & Sons", "Mrs Brandt", "Castell Ltd", "Dufour", "the Ekholm group", "Fabri", "Gruber KG",
                "Mr Hansson", "Iversen", "Jansen & Co"],
        "when": ["this morning", "last Thursday", "since the first of May", "over the spring", "on the ninth",
                 "two weeks ago"],
        "closing": ["and let me know.", "- many thanks!", "so I can tick it off.", "if that is possible.",
                    "as we agreed by phone."],
    },
    "blind_final": {
        "opening": ["hi there I need you to", "Would it be possible to", "Next item -", "Boss says:",
                    "From the night shift, kindly", "Hello again, now"],
        "who": ["Kowalski", "the Lindqvist bakery", "Moreau SA", "Nakamura", "O'Brien & Daughters", "Petrov",
                "Quintana", "Ms Rossi", "Sandoval", "Tanaka Works"],
        "when": ["yesterday evening", "in the second week", "during autumn", "back in November", "by Friday noon",
                 "for the past year"],
        "closing": ["whenever you get to it", "thx", "cheers and good night", "before the auditors come",
                    "or tell me why it cannot be done"],
    },
}  # fmt: skip


def draw(split: str, number: int, seed: str) -> list[dict[str, object]]:
    """That many different cases; the same for the same seed."""
    chance, parts, seen = random.Random(f"{split} {seed}"), PARTS[split], set()  # noqa: S311
    made: list[dict[str, object]] = []
    while len(made) < number:
        kind = ["supported", "near_domain", "ood"][[0, 0, 0, 0, 0, 1, 1, 1, 2, 2][len(made) % 10]]
        wanted, query = _query(kind, parts, chance.choice)
        if query not in seen:
            seen.add(query)
            made.append({"case": f"{split[0]}{len(made) + 1:04}", "slice": kind, "query": query, "expected": wanted})
    return made


def _query(kind: str, parts: Parts, choose: Callable[[list[str]], str]) -> tuple[str | None, str]:
    wanted = choose(sorted(SUPPORTED)) if kind == "supported" else None
    bodies = SUPPORTED[wanted] if wanted else NEAR if kind == "near_domain" else OUTSIDE
    code = choose(list("BCDFGHJKLMNPQRSTVWXZ")) + "".join(choose(list("0123456789")) for _ in range(4))
    body = choose(bodies).format(who=choose(parts["who"]), when=choose(parts["when"]), code=code)
    return wanted, f"{choose(parts['opening'])} {body} {choose(parts['closing'])}"


def main(split: str, number: str, seed: str, file: str) -> int:
    """Write the cases as JSON Lines."""
    lines = [json.dumps(case, ensure_ascii=False) + "\n" for case in draw(split, int(number), seed)]
    Path(file).write_text("".join(lines), encoding="utf-8", newline="\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
