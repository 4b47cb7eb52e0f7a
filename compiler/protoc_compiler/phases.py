"""The state machine of the phases, resolved: its edges, its guards, its evidence and duties."""

from __future__ import annotations

from protoc_compiler import core
from protoc_compiler.elaborate import expressions
from protoc_compiler.elaborate.context import Fault
from protoc_compiler.elaborate.elaborator import Elaborator
from protoc_compiler.spec import PhaseDecl, PreservedDecl, Text
from protoc_runtime.phases.records import PhaseDuty, Preserved, guard_name


def phases(el: Elaborator) -> tuple[core.Phase, ...]:
    """Every phase as declared."""
    return tuple(_phase(phase) for phase in el.spec.procedure.phases)


def _phase(phase: PhaseDecl) -> core.Phase:
    return core.Phase(
        name=phase.name.text,
        reads=_texts(phase.reads),
        use=phase.use.text,
        says=phase.says.text if phase.says is not None else "",
        cites=_texts(phase.cites),
        owner=phase.owner.text if phase.owner is not None else "",
        enter=guard_name(phase.name.text) if phase.enter is not None else "",
        once=phase.once,
        ends=_texts(phase.ends),
        then=tuple((verdict.text, _texts(to)) for verdict, to in phase.then),
        may_change=_texts(phase.may_change),
        same=_texts(phase.same),
        parity=phase.parity.text if phase.parity is not None else "",
        never=_texts(phase.never),
        records=tuple(Preserved(*_said(item)) for item in phase.records),
        duties=tuple(PhaseDuty(*_said(item)) for item in phase.duties),
    )


def _said(item: PreservedDecl) -> tuple[str, str, tuple[str, ...]]:
    return item.name.text, item.says.text if item.says is not None else "", _texts(item.cites)


def _texts(words: tuple[Text, ...]) -> tuple[str, ...]:
    return tuple(word.text for word in words)


def guards(el: Elaborator) -> list[core.Item]:
    """The guards as definitions, so that everything that computes a protocol computes them too."""
    made = []
    for phase in el.spec.procedure.phases:
        if phase.enter is None:
            continue
        before = el.restart()
        try:
            test = expressions.condition(el, phase.enter.tree, (), "`enter`")
            name = guard_name(phase.name.text)
            made.append(core.Item("definitions", name, core.BOOL, test, phase.enter.text, span=phase.enter.span))
        except Fault:
            continue
        finally:
            el.restart(before)
    return made
