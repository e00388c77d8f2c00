"""Advice on the fleet's own faults, by the kind that brings an engine for it."""

from collections.abc import Sequence

from contracts.faults import Fault, FaultAdvice, SolvedFault
from workers.kinds.registry import all_kinds


def advise_on(fault: Fault, solved: Sequence[SolvedFault]) -> FaultAdvice | None:
    """What helped before; None if nothing like it was solved, or no installed kind has an engine. Load the kinds first."""
    others = [other for other in solved if other.id != fault.id]
    engine = next((kind.faults for kind in all_kinds() if kind.faults is not None), None)
    return None if engine is None or not others else engine.load()(fault, others)
