"""Places in a script."""

from contracts.code import ScriptOperation
from contracts.verdicts import ScriptSpot


def spot_of(operation: ScriptOperation) -> ScriptSpot:
    """The place of an operation."""
    return ScriptSpot(
        line=operation.line,
        column=operation.column,
        operation=operation.kind.value,
        text=operation.text,
        artefact=operation.artefact,
        used_line=operation.used_line,
    )
