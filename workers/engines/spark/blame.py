"""Where a verdict comes from: stage → plan operator → script line and keys → column of a table → the table's key statistics.

Each step takes what the one before found and goes on as far as the sources reach; a source that is missing leaves its part empty."""

import re
from collections.abc import Iterable, Iterator, Sequence

from contracts.code import OperationKind, ScriptFacts, ScriptOperation, TableFacts
from contracts.spark import SqlExecution, SqlNode, StageFacts
from contracts.verdicts import Blame, ColumnRef, KeyStatistics, ScriptSpot, Verdict, VerdictKind
from workers.engines.scripts.keys import heavy_keys
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.call_sites import at_sites
from workers.engines.spark.logged_places import traced_spots
from workers.engines.spark.plan import (
    EXCHANGES,
    Plan,
    is_aggregate,
    is_distinct,
    is_explicit,
    is_global,
    is_join,
    is_range,
    is_scan,
    is_sort,
    is_window,
    keys_of,
    metric,
)
from workers.engines.spark.script_places import by_kind, loop_spots, setting_spots
from workers.engines.spark.verdicts.measures import Run

SPOTS = 6

OF_AN_RDD = ("Scan", "Scan ExistingRDD")
"""Names of the operators that read what the program's own calls have computed, and no table."""

CROSS = re.compile(r"crossJoin\b|cross\s+join\b", re.IGNORECASE)
"""How a cross join begins in a script."""

CROSS_NODE = re.compile(r"\bCross\b")

BY_DATA = (VerdictKind.DATA_SKEW,)
"""Verdicts whose cause is found in the keys of a table."""

OF_THE_RUN = (VerdictKind.IDLE_EXECUTORS, VerdictKind.INCOMPLETE_LOG, VerdictKind.WARM_UP)
"""Nothing of the script brings them about."""


def with_blame(run: Run, verdicts: Iterable[Verdict], script: ScriptFacts, tables: tuple[TableFacts, ...]) -> tuple[Verdict, ...]:
    """The verdicts, each with its origin as far as it can be found."""
    return tuple(
        verdict if verdict.kind in OF_THE_RUN else verdict.model_copy(update={"blame": _blame(run, verdict, script, tables)})
        for verdict in verdicts
    )


def spot_of_stage(run: Run, stage_id: int, script: ScriptFacts) -> ScriptSpot | None:
    """The first place in the script that a stage comes from."""
    stage = run.by_id.get(stage_id)
    if stage is None or not script.operations:
        return None
    for plan in run.plans:
        nodes = [node for node in _of_stage(plan, stage_id) if node.name.strip() not in OF_AN_RDD]
        if nodes:
            names = {column.column for column in _columns(plan, nodes)}
            tables = {table for node in nodes for table in plan.scanned(node.node)}
            return next((spot_of(operation) for operation in _operations(script, nodes, names, tables, [stage])), None)
    return next((spot_of(operation) for operation in at_sites(script, [stage])), None)


def _blame(run: Run, verdict: Verdict, script: ScriptFacts, tables: tuple[TableFacts, ...]) -> Blame:
    plan, nodes = _operators(run, verdict)
    stages = [run.by_id[stage] for stage in verdict.stage_ids if stage in run.by_id]
    blame = verdict.blame
    columns = blame.columns or (_columns(plan, nodes) if plan else ())
    scanned = (*blame.tables, *(table for node in nodes for table in (plan.scanned(node.node) if plan else ())))
    keys_known: set[str] = set() if blame.columns else {column.column for column in columns}
    operations = by_kind(verdict, script, nodes) or _operations(script, nodes, keys_known, set(scanned), stages)
    if not columns:
        columns = _script_columns(operations, tables)
    keys: tuple[KeyStatistics, ...] = ()
    if verdict.kind in BY_DATA:
        columns, keys = heavy_keys(columns, tables)
    named = [*(column.table for column in columns if column.table), *scanned, *_known_tables(operations, tables, scanned)]
    return Blame(
        execution_id=plan.execution.execution_id if plan else None,
        nodes=blame.nodes or tuple(node.node for node in nodes),
        operator=blame.operator or (nodes[0].name if nodes else ""),
        columns=columns,
        tables=tuple(dict.fromkeys(named)),
        spots=(
            *_traced(verdict, stages, script),
            *setting_spots(verdict, stages, script),
            *loop_spots(verdict, script),
            *map(spot_of, operations),
        )[:SPOTS],
        keys=keys,
        functions=_functions(operations, script, stages) or blame.functions,
    )


def _known_tables(operations: Sequence[ScriptOperation], tables: Sequence[TableFacts], scanned: Sequence[str]) -> Iterator[str]:
    """Tables that the operations name; where tables are known, only those."""
    known = {table.name for table in tables} | set(scanned)
    return (table for operation in operations for table in operation.tables if table in known or not known)


def _traced(verdict: Verdict, stages: list[StageFacts], script: ScriptFacts) -> tuple[ScriptSpot, ...]:
    """Of failures the line that raised."""
    if verdict.kind is not VerdictKind.FAILURES:
        return ()
    return traced_spots((kind.message for stage in stages for kind in stage.failures), script)


def _operators(run: Run, verdict: Verdict) -> tuple[Plan | None, list[SqlNode]]:
    """The plan of the verdict's stages, and the operators that make them what they are: those it names, or what the stages do
    with the exchange they read or, where they read none, with the table they scan."""
    for plan in run.plans:
        if verdict.blame.execution_id == plan.execution.execution_id:
            return plan, [plan.nodes[number] for number in verdict.blame.nodes if number in plan.nodes]
    for stage in verdict.stage_ids:
        for plan in run.plans:
            found = _of_stage(plan, stage)
            if found:
                return plan, found
    for stage in verdict.stage_ids:
        for plan in run.plans:
            if found := _only_user(run, plan, stage):
                return plan, found
    return None, []


def _only_user(run: Run, plan: Plan, stage_id: int) -> list[SqlNode]:
    """The one operator of a plan that works by keys on what an exchange brings, where no node says which stages count for it: a stage of
    this execution that reads a shuffle reads it for that operator."""
    stage = run.by_id.get(stage_id)
    if stage is None or not stage.shuffle_read_bytes or not _is_of(stage, plan.execution):
        return []
    if any(node.stage_ids for node in plan.nodes.values()):
        return []
    users = {node.node: node for exchange in plan.exchanges for node in plan.above(exchange.node) if _works_by_keys(node)}
    return list(users.values()) if len(users) == 1 else []


def _is_of(stage: StageFacts, execution: SqlExecution) -> bool:
    """Whether a stage was run for an execution: it says so, or one of its jobs."""
    return stage.execution_id == execution.execution_id or bool({*stage.job_ids} & {*execution.job_ids})


def _of_stage(plan: Plan, stage: int) -> list[SqlNode]:
    inside = [node for node in plan.nodes.values() if stage in node.stage_ids]
    read = [node for node in inside if node.name in EXCHANGES and stage in plan.readers(node)]
    found: dict[int, SqlNode] = {}
    for exchange in read:
        user = next((node for node in plan.above(exchange.node) if _works_by_keys(node) or node.name in EXCHANGES), None)
        worker = user if user is not None and user.name not in EXCHANGES else exchange
        found[worker.node] = worker
    if not found:
        written = [node for node in inside if node.name in EXCHANGES]
        found = {node.node: node for node in [*written, *(node for node in inside if is_scan(node))][:1]}
    return sorted(found.values(), key=lambda node: (not is_join(node), node.node))


def _works_by_keys(node: SqlNode) -> bool:
    """A sort within partitions only prepares the operator above it."""
    return is_join(node) or is_window(node) or is_aggregate(node) or (is_sort(node) and is_global(node))


def _columns(plan: Plan, nodes: list[SqlNode]) -> tuple[ColumnRef, ...]:
    """The operators' keys, each as the column of the table it was scanned from; of a join, those of the side with more rows first."""
    rows = {
        column.number: metric(exchange, "shuffle records written") or 0
        for node in nodes
        if is_join(node)
        for side in plan.children[node.node]
        if (exchange := plan.exchange_below(side))
        for column in plan.output(side)
    }
    keys = sorted((key for node in nodes for key in keys_of(node)), key=lambda key: -rows.get(key.number, 0))
    return tuple(dict.fromkeys(ColumnRef(table=plan.tables.get(key.number, ""), column=key.name) for key in keys))


def _operations(
    script: ScriptFacts,
    nodes: list[SqlNode],
    names: set[str],
    tables: set[str],
    stages: list[StageFacts],
) -> list[ScriptOperation]:
    """The script's operations behind the operators, those by the same keys (`names`) first; without a plan, those in the lines
    that the stages name. SQL writes a name in capitals or not, as it likes."""
    if not nodes:
        return at_sites(script, stages)
    kinds = [kind for node in nodes for kind in _kinds(node)]
    wanted_names, wanted_tables = _lower(names), _lower(tables)
    found: list[tuple[int, int, ScriptOperation]] = []
    for operation in script.operations:
        if operation.tables and tables and not wanted_tables & _lower(operation.tables):
            continue
        if operation.kind is OperationKind.SQL and not operation.inputs:
            found.append((len(kinds), 0, operation))  # a statement that could not be read
        if operation.kind not in kinds or not _may_become(operation, nodes):
            continue
        by_keys = len(wanted_names & _lower(operation.columns))
        if not by_keys and operation.columns and names and operation.kind not in (OperationKind.REPARTITION, OperationKind.DISTINCT):
            continue
        found.append((kinds.index(operation.kind), -by_keys, operation))
    return [operation for _, _, operation in sorted(found, key=lambda candidate: (*candidate[:2], candidate[2].number))]


def _may_become(operation: ScriptOperation, nodes: list[SqlNode]) -> bool:
    """A cross join is a product, or a join by keys that the plan still calls a cross join: it becomes no other join and no exchange
    by keys."""
    if operation.kind is not OperationKind.JOIN or not CROSS.match(operation.text):
        return True
    return any((is_join(node) and (not keys_of(node) or CROSS_NODE.search(node.simple_string))) for node in nodes)


def _lower(names: Iterable[str]) -> set[str]:
    return {name.lower() for name in names}


def _kinds(node: SqlNode) -> tuple[OperationKind, ...]:
    """What in a script becomes such an operator. Of a global sort and of a grouping the exchange is the same operation's."""
    if is_join(node):
        return (OperationKind.JOIN,)
    if is_window(node):
        return (OperationKind.WINDOW,)
    if is_distinct(node):
        return (OperationKind.DISTINCT, OperationKind.GROUP)
    if is_aggregate(node):
        return (OperationKind.GROUP, OperationKind.DISTINCT)
    if is_sort(node) or is_range(node):
        return (OperationKind.SORT,)
    if is_explicit(node):
        return (OperationKind.REPARTITION,)
    if node.name in EXCHANGES:
        return (OperationKind.JOIN, OperationKind.GROUP, OperationKind.WINDOW, OperationKind.DISTINCT)
    return (OperationKind.READ,)


def _script_columns(operations: list[ScriptOperation], tables: tuple[TableFacts, ...]) -> tuple[ColumnRef, ...]:
    """The keys as the script names them, in the tables that flow in; the script or the metadata says which table has the column."""
    found: dict[ColumnRef, None] = {}
    for operation in operations:
        named = [origin for origin in operation.origins if origin.table]
        found.update(dict.fromkeys(named))
        for column in operation.columns if len(named) < len(operation.columns) else ():
            if column in {origin.column for origin in named}:
                continue
            owners = [table.name for table in tables if table.name in operation.tables and column in table.columns]
            owners = owners or list(operation.tables if len(operation.tables) == 1 else ("",))
            found.update(dict.fromkeys(ColumnRef(table=owner, column=column) for owner in owners))
    return tuple(found)


def _functions(operations: list[ScriptOperation], script: ScriptFacts, stages: list[StageFacts]) -> tuple[str, ...]:
    """The user's own functions in these operations, and those that an error's trace names."""
    named = [name for operation in operations for name in operation.functions if name in script.functions]
    traces = " ".join(kind.message for stage in stages for kind in stage.failures)
    return tuple(dict.fromkeys([*named, *(name for name in script.functions if f"in {name}\n" in traces)]))
