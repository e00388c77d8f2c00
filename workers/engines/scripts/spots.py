"""Places in a script."""

from contracts.code import ScriptOperation
from contracts.verdicts import ScriptSpot


def line_text(spot: ScriptSpot | ScriptOperation) -> str:
    """Its line; of a notebook the cell's number in brackets and the line within it: `[4]:2`."""
    return str(spot.line) if spot.cell is None else f"[{spot.cell}]:{spot.cell_line}"


def spot_of(operation: ScriptOperation) -> ScriptSpot:
    """The place of an operation."""
    return ScriptSpot(
        line=operation.line,
        column=operation.column,
        operation=operation.kind.value,
        text=operation.text,
        artefact=operation.artefact,
        used_line=operation.used_line,
        cell=operation.cell,
        cell_line=operation.cell_line,
    )
