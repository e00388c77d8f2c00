"""Shuffle volume against input, independent of the plan."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageFacts
from contracts.statements import Statement, say
from contracts.verdicts import Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.plan import Plan
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import (
    TASK_METRICS,
)
from workers.engines.verdicts import figure, problem_if
from workers.engines.verdicts.thresholds import INPUT_RATIO
from workers.engines.verdicts.thresholds import MIN_SHUFFLED as MIN_BYTES
from workers.engines.verdicts.thresholds import SHUFFLE_PROBLEM_SHARE as PROBLEM_SHARE


def shuffle_volume(run: Run) -> Iterator[Verdict]:
    """One verdict for a run, over the SQL executions and the jobs outside of SQL that shuffle much more than they read. Each is weighed
    separately, since an execution may shuffle data that another one read and cached."""
    groups: dict[tuple[str, int], list[StageFacts]] = {}
    for stage in run.stages:
        key = ("execution", stage.execution_id) if stage.execution_id is not None else ("job", stage.job_ids[0] if stage.job_ids else -1)
        groups.setdefault(key, []).append(stage)
    hit = {key: stages for key, stages in groups.items() if _is_much(_written(stages), _read(stages))}
    if not hit:
        return
    kind, number = max(hit, key=lambda key: _written(hit[key]))
    written, read = _written(hit[kind, number]), _read(hit[kind, number])
    touched = sorted(
        {stage.stage_id for stages in hit.values() for stage in stages if stage.shuffle_write_bytes or stage.shuffle_read_bytes}
    )
    share = run.share_of_stages(touched)
    needed = {("execution", plan.execution.execution_id) for plan in run.plans if _needs_all(plan)}
    is_execution = kind == "execution"
    of = statements.name(number)
    source = say("spark.source.stages_of_execution", execution=of) if is_execution else say("spark.source.stages_of_job", job=of)
    yield Verdict(
        kind=VerdictKind.SHUFFLE_VOLUME,
        severity=problem_if(share >= PROBLEM_SHARE and not hit.keys() <= needed),
        stage_ids=tuple(touched),
        share=round(share, 4),
        summary=_summary(say("spark.execution", id=of) if is_execution else say("spark.job", id=of), written, read, len(hit) - 1),
        figures=(
            figure(FigureId.SHUFFLED, written, Unit.BYTES, source, MIN_BYTES),
            figure(FigureId.READ, read, Unit.BYTES, source),
            figure(FigureId.SHUFFLED_TO_READ, written / read, Unit.RATIO, source, INPUT_RATIO),
            figure(FigureId.RUNS_THAT_SHUFFLE, len(hit), Unit.COUNT, TASK_METRICS),
            figure(FigureId.TIME_OF_STAGES, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
        ),
    )


def _needs_all(plan: Plan) -> bool:
    """Whether nothing could be added up before it is moved: no join has an aggregation above it, so that only another question would move
    less. Exchanges that repeat each other, and columns that nobody reads, are found by rules of their own."""
    return bool(plan.nodes) and not any("Aggregate" in node.name for join in plan.joins for node in plan.above(join.node))


def _summary(run: Statement, written: int, read: int, others: int) -> Statement:
    amounts = {"shuffled": statements.size(written), "times": statements.ratio(written / read), "read": statements.size(read)}
    if not others:
        return say("spark.verdict.shuffle_volume", run=run, **amounts)
    return say("spark.verdict.shuffle_volume_more", run=run, **amounts, n=exactly(others))


def _is_much(written: int, read: int) -> bool:
    return written >= MIN_BYTES and read > 0 and written >= INPUT_RATIO * read


def _written(stages: list[StageFacts]) -> int:
    return sum(stage.shuffle_write_bytes for stage in stages)


def _read(stages: list[StageFacts]) -> int:
    return sum(stage.input_bytes for stage in stages)
