"""What is shuffled in vain: repartitions and orders that are lost again, columns and rows that nobody needs later, too much of all."""

import ast
from collections.abc import Iterator

from contracts.code import OperationKind, ScriptOperation
from contracts.figures import FigureId
from contracts.statements import Join, Value, listing, name, say, share, size
from contracts.tune.plan import FixKind, Risk
from contracts.verdicts import ColumnRef, Verdict
from contracts.whatif import Change, ChangeKind
from workers.engines.scripts.given import NamedScript
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.plan import Plan, is_distinct
from workers.engines.spark.verdicts.grouped_rows import GROUPING
from workers.kinds.tune.rules.advice.case import Case
from workers.kinds.tune.rules.advice.draft import NO_PATCH, Draft, NotAdvised, Patch, patch_of
from workers.kinds.tune.rules.advice.partitioning import in_vain
from workers.kinds.tune.rules.advice.rewrites.chains import diff_by, receiver, without_calls
from workers.kinds.tune.rules.advice.rewrites.patches import Edit
from workers.kinds.tune.rules.advice.sides import is_right
from workers.kinds.tune.rules.saying import call_at, names

FIRST_SHUFFLES = (OperationKind.JOIN, OperationKind.REPARTITION, OperationKind.DISTINCT, OperationKind.GROUP, OperationKind.SORT)


def remove_exchanges(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Repartitions and sorts of the script whose order or place of rows nobody uses."""
    script = next((found for spot in verdict.blame.spots for found in [case.script_at(spot)] if found), None)
    gone, kept = in_vain(script, verdict) if script else ((), ())
    source = case.calls_of(script)
    calls = [call for operation in gone for call in [source.call_at(spot_of(operation))] if call] if source else []
    diff = without_calls(script, source, calls) if script and source and calls and len(calls) == len(gone) else ""
    values = {
        "calls": _calls(gone),
        "lines": names(dict.fromkeys(operation.line for operation in gone)),
        "operator": name(verdict.blame.operator or "Exchange"),
        "kept": _calls(kept),
        "bytes": size(case.value(verdict, FigureId.SHUFFLED_IN_VAIN) or 0),
    }
    yield Draft(
        kind=FixKind.REMOVE_REPARTITION,
        remedy=_removal(gone, kept),
        risk=Risk.LOW if gone else Risk.MEDIUM,
        confidence=0.95 if diff else 0.8,
        saves=0.8,
        values=values,
        changes=(Change(kind=ChangeKind.DROP_EXCHANGE, stage_ids=verdict.stage_ids),),
        patch=patch_of(script, diff),
        is_proved=True,
        is_alternative=False,
    )


def _removal(gone: tuple[ScriptOperation, ...], kept: tuple[ScriptOperation, ...]) -> str:
    """The texts for what can go: sorts alone, repartitions, or an exchange that no line of a script shows."""
    if not gone:
        return "remove_exchange"
    if all(operation.kind is OperationKind.SORT for operation in gone):
        return "remove_sort"
    return "remove_repartition_keep" if kept else "remove_repartition"


def early_projection(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Columns that nothing uses are left behind before the first shuffle. What a distinct compares only goes where a unique column
    stays, as the metadata of its table proves: otherwise rows that differ in it alone would become one."""
    by_distinct = is_compared(case, verdict)
    proven = unique_columns(case, verdict) if by_distinct else ()
    if by_distinct and not proven:
        columns = names(column.column for column in verdict.blame.columns)
        yield NotAdvised(say("tune.not_advised.not_proven_unique", columns=columns))
        return
    dropped = [column for column in verdict.blame.columns if column not in proven]
    if not dropped:
        yield NotAdvised(say("tune.not_advised.only_identities", columns=names(column.column for column in proven)))
        return
    unused = case.value(verdict, FigureId.COLUMNS_NOT_USED) or 0
    part = unused * len(dropped) / len(verdict.blame.columns)
    yield Draft(
        kind=FixKind.EARLY_PROJECTION,
        remedy="early_projection_distinct" if by_distinct else "early_projection",
        risk=Risk.LOW,
        confidence=0.9,
        saves=0.9,
        values={
            "unused": names(column.column for column in dropped),
            "kept": names(column.column for column in proven),
            "bytes": size(case.value(verdict, FigureId.SHUFFLED) or 0),
        },
        changes=(Change(kind=ChangeKind.FEWER_BYTES, stage_ids=verdict.stage_ids, kept_share=round(1 - part, 4)),),
        patch=_projection(case, verdict, dropped),
        is_proved=True,
        is_alternative=False,
    )


def is_compared(case: Case, verdict: Verdict) -> bool:
    """A distinct compares the columns: by the plan, or by the script where the plan is not known."""
    plan = case.plan_of(verdict)
    if plan is None:
        return any(spot.operation == OperationKind.DISTINCT for spot in verdict.blame.spots)
    return any(is_distinct(plan.nodes[number]) for number in verdict.blame.nodes if number in plan.nodes)


def unique_columns(case: Case, verdict: Verdict) -> tuple[ColumnRef, ...]:
    """A column of the same table that has another value in each row, and that the exchange carries: with it, the other columns tell no
    two rows apart. Empty where the metadata proves none, or the columns are of several tables."""
    owners = {column.table for column in verdict.blame.columns}
    table = next((table for table in case.tables if owners == {table.name}), None)
    plan = case.plan_of(verdict)
    exchange = next((number for number in verdict.blame.nodes if plan and number in plan.nodes), None)
    if table is None or not table.rows or plan is None or exchange is None:
        return ()
    carried = [attribute.name for attribute in plan.output(exchange) if plan.tables.get(attribute.number) == table.name]
    unique = sorted(column for column in carried if (keys := table.keys.get(column)) and keys.distinct == table.rows)
    return tuple(ColumnRef(table=table.name, column=column) for column in unique[:1])


def early_filter(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Rows are thrown away before they are shuffled."""
    kept = case.value(verdict, FigureId.ROWS_KEPT)
    yield Draft(
        kind=FixKind.EARLY_FILTER,
        remedy="early_filter",
        risk=Risk.LOW,
        confidence=0.85,
        saves=0.9,
        values={
            "dropped": share(1 - (kept if kept is not None else 1)),
            "bytes": size(case.value(verdict, FigureId.SHUFFLED_BEFORE_FILTER) or 0),
        },
        changes=(Change(kind=ChangeKind.DROP_ROWS, stage_ids=verdict.stage_ids, kept_share=kept),),
        is_proved=True,
        is_alternative=False,
    )


def less_volume(case: Case, verdict: Verdict) -> Iterator[Draft | NotAdvised]:
    """Far more is shuffled than read: aggregate first, shuffle once."""
    in_script = any(GROUPING in operation.text for script in case.scripts for operation in script.facts.operations)
    grouped = in_script or verdict.blame.operator == GROUPING
    if not grouped and not case.is_scope and _joins_nothing(case, verdict):
        yield NotAdvised(say("tune.not_advised.no_join"))
        return
    of_spark = "reduce_by_key" if grouped else "less_volume"
    kept = case.value(verdict, FigureId.ROWS_KEPT)
    yield Draft(
        kind=FixKind.PRE_AGGREGATION,
        remedy="less_volume_scope" if case.is_scope else of_spark,
        risk=Risk.MEDIUM,
        confidence=0.6 if grouped else 0.4,
        saves=0.5,
        values={
            "bytes": size(case.value(verdict, FigureId.SHUFFLED) or 0),
            "read": size(case.value(verdict, FigureId.READ) or 0),
        },
        changes=(Change(kind=ChangeKind.FEWER_BYTES, stage_ids=verdict.stage_ids, kept_share=kept if kept is not None else 0.5),),
        is_proved=grouped and kept is not None,
    )


def _joins_nothing(case: Case, verdict: Verdict) -> bool:
    """By the plans of the stages: there is no join before which anything could be aggregated."""
    plans = [Plan(execution) for execution in case.executions if execution.nodes and set(execution.stage_ids) & set(verdict.stage_ids)]
    return bool(plans) and not any(plan.joins for plan in plans)


def _projection(case: Case, verdict: Verdict, dropped: list[ColumnRef]) -> Patch:
    """`.drop(...)` before the first call that shuffles, on the side that the columns come in by."""
    spots = sorted((spot for spot in verdict.blame.spots if spot.operation in FIRST_SHUFFLES), key=lambda spot: (spot.line, spot.column))
    script = case.script_at(spots[0]) if spots else None
    source = case.calls_of(script)
    call = source.call_at(spots[0]) if source and spots else None
    tables = tuple(dict.fromkeys(column.table for column in dropped))
    if script is None or source is None or call is None or len(tables) != 1:
        return NO_PATCH
    is_join = spots[0].operation == OperationKind.JOIN
    right = is_right(case, spots[0], tables) if is_join else False
    side = receiver(call) if right is False else call.args[0] if right and call.args else None
    if side is None or not all(column.column.isprintable() for column in dropped) or _is_named_in(script, call, dropped):
        return NO_PATCH
    names = ", ".join('"' + column.column.replace("\\", "\\\\").replace('"', '\\"') + '"' for column in dropped)
    end = source.end(side)
    if not (source.is_chained(side) or isinstance(side, ast.Subscript)):
        return NO_PATCH
    return Patch(script.name, diff_by(script, [Edit(end, end, f".drop({names})")]))


def _is_named_in(script: NamedScript, call: ast.Call, dropped: list[ColumnRef]) -> bool:
    """The script uses one of them by name from there on, which the plan did not show: leave the lines to the user."""
    names = {column.column for column in dropped}
    return any(
        names & set(operation.columns)
        for operation in script.facts.operations
        if operation.line >= call.lineno and operation.kind is not OperationKind.READ
    )


def _calls(operations: tuple[ScriptOperation, ...]) -> Value:
    return listing(*(call_at(operation.text, operation.line) for operation in operations), join=Join.PLAIN)
