"""What `protoc explain` says, as text, and the probability of a pass as a picture."""

from __future__ import annotations

from protoc_compiler.proof.cases import PartFacts
from protoc_compiler.proof.explaining import Explained
from protoc_runtime.visible import visible

_WIDTH = 40


def text(found: Explained) -> str:
    """The page for people."""
    lines = [f"{found.protocol.id}, version {found.protocol.version}", "", "gates"]
    bounds, told = dict(found.boundaries), set()
    for one in found.parts:
        lines.append(f"  {one.part.name}: {_said(one)}")
        if one.part.gate in bounds and one.part.gate not in told:
            told.add(one.part.gate)
            lines.append(f"    {bounds[one.part.gate].text()}")
    together = _together(found)
    lines += ["", *together, *([""] if together else []), "verdicts"]
    words = {True: "can be reached", False: "can never be reached", None: "not decided: "}
    lines += [f"  {word}: {words[reached]}{why}" for word, reached, why in found.verdicts]
    lines += ["", "probability that the gates over counts hold, by the true rate of right rows"]
    if found.no_curve:
        lines.append(f"  not known: {found.no_curve}")
    lines += [f"  {rate:.2f}  {value:.4f}  {'#' * round(value * _WIDTH)}".rstrip() for rate, value in found.curve]
    return "".join(f"{visible(line)}\n" for line in lines)


def _said(one: PartFacts) -> str:
    if one.can_pass is False:
        return "can never hold"
    if one.can_fail is False:
        return "can never fail"
    if one.implied_by:
        return f"holds whenever {', '.join(one.implied_by)} hold{'s' if len(one.implied_by) == 1 else ''}"
    if one.can_pass is None or one.can_fail is None:
        return "can hold or fail, as far as is known"
    return "can hold and can fail" + (", and no others imply it" if one.implied_by == () else "")


def _together(found: Explained) -> list[str]:
    lines = []
    alone = len(found.together) == 1
    if found.core and not alone:
        if len(found.core) == len(found.together):
            open_ones = [one for one in found.parts if one.part.name in found.together and one.implied_by is None]
            known = ", as far as is known" if open_ones else ""
            lines.append(
                f"of the gates over the same counts none follows from the others{known}: {', '.join(found.core)}"
            )
        elif len(found.core) == 1:
            lines.append(f"{found.core[0]} implies the other gates over the same counts")
        else:
            lines.append(f"these imply all gates over the same counts: {', '.join(found.core)}")
    if found.most is not None:
        errors, counts = found.most
        it = f"{found.core[0]} allows" if alone and found.core else "it allows"
        allow, word = it if len(found.core) == 1 else "they allow", "error" if errors == 1 else "errors"
        lines.append(f"{allow} at most {errors} {word}{f': {counts}' if counts else ''}")
    return lines


def svg(found: Explained) -> str:
    """The probability of a pass over true rates as an SVG picture."""
    left, top, width, height = 60, 20, 520, 300
    low = min((rate for rate, _ in found.curve), default=0.0)
    span = (max((rate for rate, _ in found.curve), default=1.0) - low) or 1.0

    def place(rate: float, value: float) -> str:
        """A point of the curve as coordinates of the picture."""
        return f"{left + (rate - low) / span * width:.1f},{top + (1 - value) * height:.1f}"

    points = " ".join(place(rate, value) for rate, value in found.curve)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 20} {top + height + 50}" role="img">',
        "<title>Probability that the gates over counts hold, by the true rate of right rows</title>",
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="none" stroke="#888"/>',
        f'<polyline points="{points}" fill="none" stroke="#06c" stroke-width="2"/>',
    ]
    for value in (0.0, 0.5, 1.0):
        at = top + (1 - value) * height
        parts.append(f'<text x="{left - 8}" y="{at + 4:.1f}" font-size="12" text-anchor="end">{value:.1f}</text>')
    for rate, _ in found.curve:
        at = left + (rate - low) / span * width
        parts.append(
            f'<text x="{at:.1f}" y="{top + height + 18}" font-size="11" text-anchor="middle">{rate:.2f}</text>'
        )
    return "\n".join([*parts, "</svg>", ""])
