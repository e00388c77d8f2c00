"""What a script does again and again, by its text alone: in a loop, or for several actions with nothing kept between."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum

from contracts.code import OperationKind, ScriptFacts, ScriptOperation

RUNS = (OperationKind.ACTION, OperationKind.WRITE)
"""What makes Spark work; all else only describes it."""

DEAR = (OperationKind.JOIN, OperationKind.GROUP, OperationKind.WINDOW, OperationKind.DISTINCT, OperationKind.SORT)


class Way(StrEnum):
    """How something is repeated."""

    UNION = "union"
    """Parts are put together in a loop."""
    ACTION = "action"
    """A loop runs a job in each turn."""
    COLUMNS = "columns"
    """A loop adds columns one by one."""
    TWICE = "twice"
    """Several actions need the same join, grouping or window."""


@dataclass(frozen=True)
class Repetition:
    """One of them."""

    way: Way
    line: int
    """Of the loop; of what several actions need its own line."""
    operations: tuple[ScriptOperation, ...]
    """What is repeated; of what several actions need first that, then the actions."""

    @property
    def is_loop(self) -> bool:
        """A loop runs it, and no list of actions."""
        return self.way in (Way.UNION, Way.ACTION)

    @property
    def tables(self) -> tuple[str, ...]:
        """That are read again."""
        dear = [operation for operation in self.operations if operation.kind in DEAR] or self.operations
        return tuple(dict.fromkeys(table for operation in dear for table in operation.tables))


def repetitions(script: ScriptFacts) -> list[Repetition]:
    """Loops in the order of the script, then what several actions need."""
    by_number = {operation.number: operation for operation in script.operations}
    loops: dict[tuple[str, int], list[ScriptOperation]] = {}
    for operation in script.operations:
        if operation.loop_line is not None:
            loops.setdefault((operation.artefact, operation.loop_line), []).append(operation)
    found = [made for (_, line), inside in loops.items() if (made := _of_loop(line, inside, by_number))]
    return [*found, *_for_several(script, by_number)]


def _of_loop(line: int, inside: Sequence[ScriptOperation], by_number: Mapping[int, ScriptOperation]) -> Repetition | None:
    unions = [operation for operation in inside if operation.kind is OperationKind.UNION]
    runs = [operation for operation in inside if operation.kind in RUNS]
    dear = [operation for operation in inside if operation.kind in DEAR]
    columns = [operation for operation in inside if operation.text.startswith("withColumn(")]
    if unions and _reads_again(inside, by_number):
        return Repetition(Way.UNION, line, (*dear, *unions))
    if runs and _reads_again(inside, by_number):
        return Repetition(Way.ACTION, line, (*dear, *runs))
    return Repetition(Way.COLUMNS, line, tuple(columns)) if columns and not (dear or runs or unions) else None


def _reads_again(inside: Sequence[ScriptOperation], by_number: Mapping[int, ScriptOperation]) -> bool:
    """A table from outside the loop comes into it, and is not kept: each turn computes it again."""
    own = {operation.number for operation in inside}
    outside = {number for operation in inside for number in operation.inputs if number not in own and number in by_number}
    reads = any(operation.kind is OperationKind.READ for operation in inside)
    return reads or any(by_number[number].kind is not OperationKind.CACHE for number in outside)


def _for_several(script: ScriptFacts, by_number: Mapping[int, ScriptOperation]) -> list[Repetition]:
    """What two actions need, with no cache between: the last such operation of each set of actions."""
    needs: dict[int, list[ScriptOperation]] = {}
    for action in script.operations:
        if action.kind in RUNS:
            for number in _uncached(action, by_number):
                needs.setdefault(number, []).append(action)
    shared = [number for number, actions in needs.items() if by_number[number].kind in DEAR and len(actions) > 1]
    under = {other: _uncached(by_number[other], by_number) for other in shared}
    last = [number for number in shared if not any(number in under[other] and len(needs[other]) >= len(needs[number]) for other in shared)]
    return [Repetition(Way.TWICE, by_number[number].line, (by_number[number], *needs[number])) for number in sorted(last)]


def _uncached(operation: ScriptOperation, by_number: Mapping[int, ScriptOperation]) -> set[int]:
    """The operations that it needs, down to what is kept in memory."""
    waiting, found = list(operation.inputs), set[int]()
    while waiting:
        number = waiting.pop()
        if number in found or number not in by_number or by_number[number].kind is OperationKind.CACHE:
            continue
        found.add(number)
        waiting += by_number[number].inputs
    return found
