"""Excess shuffle by the data flow and the plan: much more moves than is read, an exchange undoes another, a small side is shuffled."""

from collections.abc import Iterator

from contracts.scope import PlanOperatorKind, ScopeFlowEdge, ScopePlan, ScopePlanOperator
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.scope.blame import blame_operator, blame_stages
from workers.engines.scope.flow import exchanges, inputs_of
from workers.engines.scope.job import ScopeJob
from workers.engines.spark.verdicts.broadcast import SIDES_RATIO
from workers.engines.spark.verdicts.measures import MIB, figure
from workers.engines.spark.verdicts.volume import INPUT_RATIO, MIN_BYTES, PROBLEM_SHARE

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
    told_by = job.flow.artefact if by_flow else next((artefact for _, artefact in job.inputs), job.flow.artefact)
    if moved < MIN_BYTES or not taken or moved < INPUT_RATIO * taken:
        return
    heaviest = sorted(moved_edges, key=lambda edge: -(edge.size_bytes or 0))
    touched = sorted({_number(job, end) for edge in moved_edges for end in (edge.source, edge.target)})
    share = job.share_of_stages(touched)
    yield Verdict(
        kind=VerdictKind.SHUFFLE_VOLUME,
        severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
        stage_ids=tuple(touched),
        share=round(share, 4),
        summary=f"{human.size(moved)} go from stage to stage, {human.times(moved / taken)} times the {human.size(taken)} that are read; "
        f"most of it ({human.size(heaviest[0].size_bytes or 0)}) from {_name(job, heaviest[0].source)} to "
        f"{_name(job, heaviest[0].target)}.",
        figures=(
            figure(FigureId.SHUFFLED, moved, Unit.BYTES, f"{job.flow.artefact}, edges between stages", MIN_BYTES),
            figure(FigureId.READ, taken, Unit.BYTES, f"{told_by}, inputs"),
            figure(FigureId.SHUFFLED_TO_READ, moved / taken, Unit.RATIO, job.flow.artefact, INPUT_RATIO),
            figure(FigureId.LARGEST_EXCHANGE, heaviest[0].size_bytes or 0, Unit.BYTES, _edge(job, heaviest[0])),
            figure(FigureId.EXCHANGES, len(moved_edges), Unit.COUNT, job.flow.artefact),
            figure(FigureId.TIME_OF_STAGES, share, Unit.SHARE, job.timed_by or "not told", PROBLEM_SHARE),
        ),
        blame=blame_stages(job, dict.fromkeys(_number(job, edge.target) for edge in heaviest[:3])),
    )


def redundant_exchanges(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict an exchange that the next one undoes, or that partitions by keys by which the rows are partitioned already."""
    for plan in job.plans[:1]:
        owners = {key: one for one in plan.operators for key in (one.operator_id, *one.outputs)}
        told: set[str] = set()
        for exchange in plan.operators:
            if exchange.kind is not PlanOperatorKind.EXCHANGE or _is_merge(exchange):
                continue
            before = _before(owners, exchange)
            if before is None:
                continue
            is_same = bool(exchange.columns) and set(exchange.columns) == set(before.columns)
            is_undone = before.kind is PlanOperatorKind.EXCHANGE and not is_same
            idle = before if is_undone else exchange
            if (is_same or is_undone) and idle.operator_id not in told:
                told.add(idle.operator_id)
                yield _redundant(job, plan, idle, exchange if is_undone else before, is_undone)


def small_sides(job: ScopeJob) -> Iterator[Verdict]:
    """One verdict a join of which one side is small and both are shuffled."""
    if job.flow is None:
        return
    moved = [edge for edge in exchanges(job.flow) if edge.size_bytes and "broadcast" not in edge.kind.lower()]
    joins = {one.stage for plan in job.plans[:1] for one in plan.operators if one.kind is PlanOperatorKind.JOIN and one.stage}
    for number in sorted({job.number(stage) for stage in joins}):
        sides = sorted((edge for edge in moved if _number(job, edge.target) == number), key=lambda edge: edge.size_bytes or 0)
        if len(sides) != 2 or (sides[0].size_bytes or 0) > SMALL_SIDE or (sides[1].size_bytes or 0) < MIN_BYTES:
            continue
        small, large = sides[0].size_bytes or 0, sides[1].size_bytes or 0
        if large < SIDES_RATIO * small:
            continue
        share = job.share_of_stages([number])
        yield Verdict(
            kind=VerdictKind.BROADCASTABLE_JOIN,
            severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
            stage_ids=(number,),
            share=round(share, 4),
            summary=f"Stage {job.name(number)} joins {human.size(large)} with {human.size(small)}, and both are shuffled; "
            f"the small side fits into every vertex.",
            figures=(
                figure(FigureId.SMALL_SIDE, small, Unit.BYTES, _edge(job, sides[0]), SMALL_SIDE),
                figure(FigureId.LARGE_SIDE, large, Unit.BYTES, _edge(job, sides[1])),
                figure(FigureId.LARGE_TO_SMALL, large / max(1, small), Unit.RATIO, job.flow.artefact, SIDES_RATIO),
                figure(FigureId.TIME_OF_STAGE, share, Unit.SHARE, job.timed_by or "not told", PROBLEM_SHARE),
            ),
            blame=blame_stages(job, [number]),
        )


def _redundant(job: ScopeJob, plan: ScopePlan, idle: ScopePlanOperator, other: ScopePlanOperator, is_undone: bool) -> Verdict:
    numbers = [job.number(idle.stage)] if idle.stage else []
    written = sum(edge.size_bytes or 0 for edge in (exchanges(job.flow) if job.flow else ()) if _number(job, edge.source) in numbers)
    share = job.share_of_stages(numbers)
    keys = ", ".join(idle.columns) or "no key"
    why = f"{other.name} by {', '.join(other.columns) or 'no key'} undoes it" if is_undone else f"{other.name} left them so"
    what = f"repartitions by {keys}, and {why}" if is_undone else f"repartitions by {keys}, by which the rows lie already: {why}"
    flow = job.flow.artefact if job.flow else plan.artefact
    works = any(one.stage == idle.stage and one.kind in BY_KEYS for one in plan.operators)  # then its time is not the exchange's
    is_problem = share >= PROBLEM_SHARE and written >= MIN_BYTES and not works
    return Verdict(
        kind=VerdictKind.REDUNDANT_EXCHANGE,
        severity=Severity.PROBLEM if is_problem else Severity.HINT,
        stage_ids=tuple(numbers),
        share=round(share, 4),
        summary=f"Stage {job.name(numbers[0]) if numbers else '(not told)'} {what}"
        + (f"; it moves {human.size(written)}." if written else "."),
        figures=(
            figure(FigureId.MOVED, written, Unit.BYTES, flow, MIN_BYTES),
            figure(FigureId.TIME_OF_STAGE, share, Unit.SHARE, job.timed_by or "not told", PROBLEM_SHARE),
            figure(FigureId.OPERATORS, 1, Unit.COUNT, f"{plan.artefact}, operator {idle.operator_id}"),
        ),
        blame=blame_operator(job, idle),
    )


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


def _edge(job: ScopeJob, edge: ScopeFlowEdge) -> str:
    artefact = job.flow.artefact if job.flow else ""
    return f"{artefact}, edge {_name(job, edge.source)} to {_name(job, edge.target)}"
