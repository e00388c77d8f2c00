"""Where a verdict on a SCOPE job comes from: stage → operator of the plan → the script's line → column of a table → heavy keys."""

from collections.abc import Iterable, Sequence

from contracts.code import OperationKind, ScriptOperation
from contracts.scope import PlanOperatorKind, ScopeJoin, ScopePlanOperator
from contracts.verdicts import Blame, ColumnRef
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.plan import kind_of
from workers.engines.scripts.keys import heavy_keys
from workers.engines.scripts.spots import spot_of

SPOTS = 6
BY_KEYS: dict[PlanOperatorKind, tuple[OperationKind, ...]] = {
    PlanOperatorKind.JOIN: (OperationKind.JOIN, OperationKind.COMBINE),
    PlanOperatorKind.CROSS: (OperationKind.JOIN,),
    PlanOperatorKind.AGGREGATE: (OperationKind.GROUP, OperationKind.DISTINCT, OperationKind.WINDOW),
    PlanOperatorKind.REDUCE: (OperationKind.REDUCE,),
    PlanOperatorKind.EXCHANGE: (OperationKind.REPARTITION,),
    PlanOperatorKind.SORT: (OperationKind.SORT,),
    PlanOperatorKind.PROCESS: (OperationKind.PROCESS,),
    PlanOperatorKind.EXTRACT: (OperationKind.READ,),
    PlanOperatorKind.OUTPUT: (OperationKind.WRITE, OperationKind.REPARTITION),
}
"""What in a script becomes such an operator, those first that a stage is blamed for: it joins rather than it sorts for the join."""


def blame_stages(job: ScopeJob, numbers: Iterable[int], *, with_keys: bool = False) -> Blame:
    """The operators that the stages are there for, and the script's operations behind them; `with_keys` adds the heavy keys of their
    columns. A stage that no plan knows is taken for what its name says."""
    found = [(_main_operator(job, number), kind_of(job.name(number).partition("_")[2])) for number in numbers]
    operations = {
        operation.number: operation
        for operator, named in found
        for operation in _operations(job, operator.kind if operator else named, operator)
    }
    operators = [operator for operator, _ in found if operator]
    return _blame(job, operators, list(operations.values()), with_keys=with_keys)


def blame_operator(job: ScopeJob, operator: ScopePlanOperator) -> Blame:
    """One operator of the plan and the operations behind it."""
    return _blame(job, [operator], _operations(job, operator.kind, operator))


def _blame(job: ScopeJob, operators: Sequence[ScopePlanOperator], operations: list[ScriptOperation], *, with_keys: bool = False) -> Blame:
    columns = _columns(job, operators, operations)
    return blame_operations(job, operations, columns, operator=operators[0].name if operators else "", with_keys=with_keys)


def blame_operations(
    job: ScopeJob,
    operations: Sequence[ScriptOperation],
    columns: tuple[ColumnRef, ...] = (),
    *,
    operator: str = "",
    with_keys: bool = False,
) -> Blame:
    """The blame of these operations of the script."""
    columns = columns or _columns(job, [], operations)
    ordered, keys = heavy_keys(columns, job.tables) if with_keys else (columns, ())
    functions = job.script.script.functions if job.script else ()
    tables = [table for operation in operations for table in operation.tables]
    return Blame(
        operator=operator,
        columns=ordered,
        tables=tuple(dict.fromkeys([*(column.table for column in ordered if column.table), *tables])),
        spots=tuple(spot_of(operation) for operation in operations[:SPOTS]),
        keys=keys,
        functions=tuple(
            dict.fromkeys(name for operation in operations for name in operation.functions if name.rpartition(".")[2] in functions)
        ),
    )


def _main_operator(job: ScopeJob, number: int) -> ScopePlanOperator | None:
    """What the stage is there for: of the first plan that knows the stage, the operator of the foremost kind."""
    order = list(BY_KEYS)
    for plan in job.plans:
        inside = [
            operator for operator in plan.operators if operator.stage and job.number(operator.stage) == number and operator.kind in BY_KEYS
        ]
        if inside:
            return min(inside, key=lambda operator: (order.index(operator.kind), not operator.columns))
    return None


def _operations(job: ScopeJob, kind: PlanOperatorKind, operator: ScopePlanOperator | None) -> list[ScriptOperation]:
    """The operations in the operator's line; else those of its kind by its keys; of a kind that comes once alone, that one."""
    if job.script is None:
        return []
    alike = [operation for operation in job.script.script.operations if operation.kind in BY_KEYS.get(kind, ())]
    if operator and operator.line:
        here = [operation for operation in alike if operation.line == operator.line]
        if here:
            return here
    keys = set(operator.columns) if operator else set[str]()
    by_keys = [operation for operation in alike if keys & set(operation.columns)]
    if by_keys:
        return sorted(by_keys, key=lambda operation: -len(keys & set(operation.columns)))
    by_table = [operation for operation in alike if operator and set(operator.tables) & set(operation.tables)]
    return by_table or (alike if len(alike) == 1 else [])


def _columns(job: ScopeJob, operators: Sequence[ScopePlanOperator], operations: Sequence[ScriptOperation]) -> tuple[ColumnRef, ...]:
    """The keys, each as the column of a table that flows in and has it; the largest table first."""
    names = dict.fromkeys(column for operator in operators for column in operator.columns)
    names |= dict.fromkeys(column for operation in operations if not names for column in operation.columns)
    found: dict[ColumnRef, None] = {}
    for column in names:
        tables = [table for operation in operations for table in _tables_with(job, operation, column)]
        largest_first = sorted(dict.fromkeys(tables), key=lambda name: -job.size_of(name))
        found |= dict.fromkeys(ColumnRef(table=table, column=column) for table in largest_first or [""])
    return tuple(found)


def _tables_with(job: ScopeJob, operation: ScriptOperation, column: str) -> list[str]:
    """Tables that have the column, by their metadata; else by the columns the script extracts, or by the side of the join."""
    known = [(name, table) for name in operation.tables if (table := job.table(name)) is not None]
    owners = [table.name for _, table in known if column in table.columns or column in table.keys]
    if owners:
        return owners
    script = job.script
    if script is None:
        return []
    extracted = [
        table
        for read in script.script.operations
        if read.kind is OperationKind.READ and column in read.columns
        for table in read.tables
        if table in operation.tables
    ]
    if extracted:
        return extracted
    join = next((join for join in script.joins if join.operation == operation.number), None)
    return _side(join, column) if join else list(operation.tables if len(operation.tables) == 1 else ())


def _side(join: ScopeJoin, column: str) -> list[str]:
    sides = ((join.left, join.left_keys), (join.right, join.right_keys))
    return [table for tables, keys in sides if column in keys and len(tables) == 1 for table in tables]
