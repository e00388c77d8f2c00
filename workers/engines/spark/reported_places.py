"""Where a stage of a table comes from in the script, by the name that Spark gave it: `parquet at job.py:11`."""

from collections.abc import Iterator

from contracts.artefacts import StageRow
from contracts.code import OperationKind, ScriptFacts, ScriptOperation
from contracts.verdicts import ScriptSpot, VerdictKind
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.call_sites import called_at

MAKES_SKEW = (OperationKind.JOIN, OperationKind.WINDOW, OperationKind.GROUP, OperationKind.REPARTITION)
"""What brings the rows of a key together, those first that combine nothing before."""


def spots_of_row(row: StageRow, kind: VerdictKind, script: ScriptFacts) -> tuple[ScriptSpot, ...]:
    """Of a skewed stage the nearest operation upstream that brings rows of a key together; else the call itself."""
    called = called_at(script, row.name or row.stage)
    if kind is not VerdictKind.DATA_SKEW or not row.shuffle_read_bytes:
        return tuple(spot_of(operation) for operation in called[:1])
    upstream = list(_upstream(script, called))
    for wanted in MAKES_SKEW:
        found = next((operation for operation in upstream if operation.kind is wanted), None)
        if found is not None:
            return (spot_of(found),)
    return tuple(spot_of(operation) for operation in called[:1])


def _upstream(script: ScriptFacts, begins: list[ScriptOperation]) -> Iterator[ScriptOperation]:
    waiting, seen = [operation.number for operation in begins], set[int]()
    while waiting:
        number = waiting.pop(0)
        if number not in seen and number < len(script.operations):
            seen.add(number)
            yield script.operations[number]
            waiting += script.operations[number].inputs
