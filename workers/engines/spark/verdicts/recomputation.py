"""Stages that do again what earlier ones have done, because nothing was kept between the actions."""

from collections.abc import Collection, Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.statements import Statement, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.recomputed import repeated_stages
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import TASK_METRICS, of_stages
from workers.engines.verdicts import figure, problem_if

PROBLEM_SHARE = 0.1
"""Of the run's wall clock: keeping a table costs memory, and is not worth less."""


def recomputation(run: Run) -> Iterator[Verdict]:
    """One verdict a run."""
    again = [stage for stage in repeated_stages(run.facts) if stage in run.by_id]
    if not again or run.account is None:
        return
    lost = run.account.recomputed_ms
    share = run.share_of_run(lost)
    stages = [run.by_id[stage] for stage in again]
    tables = tuple(
        dict.fromkeys(
            table
            for plan in run.plans
            for node in plan.nodes.values()
            if set(node.stage_ids) & set(again)
            for table in plan.scanned(node.node)
        )
    )
    yield Verdict(
        kind=VerdictKind.RECOMPUTATION,
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=tuple(sorted(again, key=lambda stage: -run.by_id[stage].task_ms)),
        share=round(share, 4),
        summary=_summary(again, lost),
        figures=(
            figure(FigureId.COMPUTED_AGAIN, lost, Unit.MS, of_stages(stages)),
            figure(FigureId.SUCH_STAGES, len(again), Unit.COUNT, TASK_METRICS),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
        ),
        blame=Blame(tables=tables),
    )


def _summary(again: Collection[int], lost: float) -> Statement:
    first, spent = statements.name(min(again)), statements.milliseconds(lost)
    if len(again) == 1:
        return say("spark.verdict.recomputation_one", first=first, lost=spent)
    return say("spark.verdict.recomputation", stages=say("artefacts.stages", n=exactly(len(again))), first=first, lost=spent)
