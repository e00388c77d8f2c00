"""Excess shuffle by the data flow and the plan: much more moves than is read, an exchange undoes another, a small side is shuffled."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.scope import PlanOperatorKind, ScopeFlowEdge, ScopePlan, ScopePlanOperator
from contracts.statements import Join, Statement, Value, listing, name, say
from contracts.verdicts import Unit, Verdict, VerdictKind
from workers.engines.scope.blame import blame_operator, blame_stages
from workers.engines.scope.flow import exchanges, inputs_of
from workers.engines.scope.job import ScopeJob
from workers.engines.scope.verdicts.sources import timed
from workers.engines.verdicts import figure, in_artefact, problem_if
from workers.engines.verdicts.thresholds import (
    INPUT_RATIO,
    MIB,
    SIDES_RATIO,
)
from workers.engines.verdicts.thresholds import MIN_SHUFFLED as MIN_BYTES
from workers.engines.verdicts.thresholds import SHUFFLE_PROBLEM_SHARE as PROBLEM_SHARE

SMALL_SIDE = 100 * MIB
"""Of a join's side that every vertex could be sent: a vertex has gigabytes, and a hash table takes about twice the bytes of its rows."""

STEPS = 1_000
"""Operators that are walked from one exchange to the next."""

KEEP_PARTITIONING = (PlanOperatorKind.FILTER, PlanOperatorKind.SORT, PlanOperatorKind.OTHER)
BY_KEYS = (PlanOperatorKind.JOIN, PlanOperatorKind.AGGREGATE, PlanOperatorKind.REDUCE)


def shuffle_volume(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a job."""
    if job.flow is None:
        return
    moved_edges = [edge for edge in exchanges(job.flow) if edge.size_bytes]
    moved = sum(edge.size_bytes or 0 for edge in moved_edges)
    sources = inputs_of(job.flow)
    by_flow = sum(edge.size_bytes or 0 for edge in job.flow.edges if edge.source in sources)
    taken = by_flow or sum(stream.size_bytes or 0 for stream, _ in job.inputs)
    source = job.flow.artefact if by_flow else next((artefact for _, artefact in job.inputs), job.flow.artefact)
    if moved < MIN_BYTES or not taken or moved < INPUT_RATIO * taken:
        return
    heaviest = sorted(moved_edges, key=lambda edge: -(edge.size_bytes or 0))
    touched = sorted({_number(job, end) for edge in moved_edges for end in (edge.source, edge.target)})
    share = job.share_of_stages(touched)
    yield Verdict(
        kind=VerdictKind.SHUFFLE_VOLUME,
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=tuple(touched),
        share=round(share, 4),
        summary=say(
            "scope.verdict.shuffle_volume",
            moved=statements.size(moved),
            times=statements.ratio(moved / taken),
            read=statements.size(taken),
            most=statements.size(heaviest[0].size_bytes or 0),
            source=name(_name(job, heaviest[0].source)),
            target=name(_name(job, heaviest[0].target)),
        ),
        figures=(
            figure(FigureId.SHUFFLED, moved, Unit.BYTES, say("scope.source.edges", artefact=name(job.flow.artefact)), MIN_BYTES),
            figure(FigureId.READ, taken, Unit.BYTES, say("scope.source.inputs", artefact=name(source))),
            figure(FigureId.SHUFFLED_TO_READ, moved / taken, Unit.RATIO, in_artefact(job.flow.artefact), INPUT_RATIO),
            figure(FigureId.LARGEST_EXCHANGE, heaviest[0].size_bytes or 0, Unit.BYTES, _edge(job, heaviest[0])),
            figure(FigureId.EXCHANGES, len(moved_edges), Unit.COUNT, in_artefact(job.flow.artefact)),
            figure(FigureId.TIME_OF_STAGES, share, Unit.SHARE, timed(job), PROBLEM_SHARE),
        ),
        blame=blame_stages(job, dict.fromkeys(_number(job, edge.target) for edge in heaviest[:3])),
    )


def redundant_exchanges(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict an exchange that the next one undoes, or that partitions by keys by which the rows are partitioned already."""
    for plan in job.plans[:1]:
        owners = {key: operator for operator in plan.operators for key in (operator.operator_id, *operator.outputs)}
        reported: set[str] = set()
        for exchange in plan.operators:
            if exchange.kind is not PlanOperatorKind.EXCHANGE or _is_merge(exchange):
                continue
            before = _before(owners, exchange)
            if before is None:
                continue
            is_same = bool(exchange.columns) and set(exchange.columns) == set(before.columns)
            is_undone = before.kind is PlanOperatorKind.EXCHANGE and not is_same
            idle = before if is_undone else exchange
            if (is_same or is_undone) and idle.operator_id not in reported:
                reported.add(idle.operator_id)
                yield _redundant(job, plan, idle, exchange if is_undone else before, is_undone)


def small_sides(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a join of which one side is small and both are shuffled."""
    if job.flow is None:
        return
    joins = {
        operator.stage for plan in job.plans[:1] for operator in plan.operators if operator.kind is PlanOperatorKind.JOIN and operator.stage
    }
    for number in sorted({job.number(stage) for stage in joins}):
        sides = sides_of(job, number)
        if len(sides) != 2 or (sides[0].size_bytes or 0) > SMALL_SIDE or (sides[1].size_bytes or 0) < MIN_BYTES:
            continue
        small, large = sides[0].size_bytes or 0, sides[1].size_bytes or 0
        if large < SIDES_RATIO * small:
            continue
        share = job.share_of_stages([number])
        yield Verdict(
            kind=VerdictKind.BROADCASTABLE_JOIN,
            severity=problem_if(share >= PROBLEM_SHARE),
            stage_ids=(number,),
            share=round(share, 4),
            summary=say(
                "scope.verdict.small_side",
                stage=name(job.name(number)),
                large=statements.size(large),
                small=statements.size(small),
            ),
            figures=(
                figure(FigureId.SMALL_SIDE, small, Unit.BYTES, _edge(job, sides[0]), SMALL_SIDE),
                figure(FigureId.LARGE_SIDE, large, Unit.BYTES, _edge(job, sides[1])),
                figure(FigureId.LARGE_TO_SMALL, large / max(1, small), Unit.RATIO, in_artefact(job.flow.artefact), SIDES_RATIO),
                figure(FigureId.TIME_OF_STAGE, share, Unit.SHARE, timed(job), PROBLEM_SHARE),
            ),
            blame=blame_stages(job, [number]),
        )


def sides_of(job: ScopeJob, number: int) -> list[ScopeFlowEdge]:
    """What is shuffled into a stage, the smallest first."""
    moved = (edge for edge in (exchanges(job.flow) if job.flow else ()) if edge.size_bytes and "broadcast" not in edge.kind.lower())
    return sorted((edge for edge in moved if _number(job, edge.target) == number), key=lambda edge: edge.size_bytes or 0)


def _redundant(job: ScopeJob, plan: ScopePlan, idle: ScopePlanOperator, other: ScopePlanOperator, is_undone: bool) -> Verdict:
    numbers = [job.number(idle.stage)] if idle.stage else []
    written = sum(edge.size_bytes or 0 for edge in (exchanges(job.flow) if job.flow else ()) if _number(job, edge.source) in numbers)
    share = job.share_of_stages(numbers)
    flow = in_artefact(job.flow.artefact if job.flow else plan.artefact)
    works = any(
        operator.stage == idle.stage and operator.kind in BY_KEYS for operator in plan.operators
    )  # then its time is not the exchange's
    is_problem = share >= PROBLEM_SHARE and written >= MIN_BYTES and not works
    return Verdict(
        kind=VerdictKind.REDUNDANT_EXCHANGE,
        severity=problem_if(is_problem),
        stage_ids=tuple(numbers),
        share=round(share, 4),
        summary=_repartitions(job.name(numbers[0]) if numbers else "", idle, other, written, is_undone=is_undone),
        figures=(
            figure(FigureId.MOVED, written, Unit.BYTES, flow, MIN_BYTES),
            figure(FigureId.TIME_OF_STAGE, share, Unit.SHARE, timed(job), PROBLEM_SHARE),
            figure(
                FigureId.OPERATORS,
                1,
                Unit.COUNT,
                say("scope.source.operator", artefact=name(plan.artefact), operator=name(idle.operator_id)),
            ),
        ),
        blame=blame_operator(job, idle),
    )


def _repartitions(stage: str, idle: ScopePlanOperator, other: ScopePlanOperator, moved: int, *, is_undone: bool) -> Statement:
    values = {
        "stage": say("scope.stage", stage=name(stage)) if stage else say("scope.a_stage"),
        "keys": _keys(idle),
        "other": name(other.name),
    }
    if is_undone:
        what = say("scope.verdict.undone_exchange", **values, other_keys=_keys(other))
    else:
        what = say("scope.verdict.repeated_exchange", **values)
    return say("scope.verdict.and_moves", what=what, moved=statements.size(moved)) if moved else what


def _keys(operator: ScopePlanOperator) -> Value:
    return listing(*map(name, operator.columns), join=Join.PLAIN) if operator.columns else say("scope.no_key")


def _before(owners: dict[str, ScopePlanOperator], exchange: ScopePlanOperator) -> ScopePlanOperator | None:
    """The operator by keys, or the exchange, whose partitioning its rows still have; none where several flows meet."""
    here, steps = exchange, 0
    while len(here.inputs) == 1 and steps < STEPS:
        steps += 1
        before = owners.get(here.inputs[0])
        if before is None or before is exchange:
            return None
        is_partial = "local" in before.name.lower() or "partial" in before.name.lower()
        if (before.kind in BY_KEYS and not is_partial) or (before.kind is PlanOperatorKind.EXCHANGE and not _is_merge(before)):
            return before
        if before.kind not in KEEP_PARTITIONING and not _is_merge(before) and not is_partial:
            return None
        here = before
    return None


def _is_merge(operator: ScopePlanOperator) -> bool:
    """The receiving half of an exchange."""
    return "merge" in operator.name.lower()


def _number(job: ScopeJob, vertex_id: str) -> int:
    vertex = job.flow_names.get(vertex_id)
    return job.number(vertex.name or vertex_id if vertex else vertex_id, vertex_id)


def _name(job: ScopeJob, vertex_id: str) -> str:
    vertex = job.flow_names.get(vertex_id)
    return vertex.name or vertex_id if vertex else vertex_id


def _edge(job: ScopeJob, edge: ScopeFlowEdge) -> Statement:
    return say(
        "scope.source.edge",
        artefact=name(job.flow.artefact if job.flow else ""),
        source=name(_name(job, edge.source)),
        target=name(_name(job, edge.target)),
    )
