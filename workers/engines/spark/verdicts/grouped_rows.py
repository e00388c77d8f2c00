"""Rows that are all brought to their key and become few there: RDDs that group before they add up."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import StageFacts
from contracts.statements import Statement, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import TASK_METRICS, of_stage
from workers.engines.verdicts import figure, problem_if
from workers.engines.verdicts.thresholds import MIN_SHUFFLED
from workers.engines.verdicts.thresholds import SHUFFLE_PROBLEM_SHARE as PROBLEM_SHARE

GROUPING = "groupByKey"
"""The operation that brings all rows of a key together, by its name in the stage that reads them."""

KEPT_SHARE = 0.5
"""Of the rows that are brought together, up to which the stage adds them up rather than handing them on."""


def grouped_rows(run: Run) -> Iterator[Verdict]:
    """One verdict a stage. Where nothing goes out of it but a result for the driver, its rows have become few as well."""
    for stage in run.stages:
        if GROUPING not in stage.operators or stage.shuffle_read_bytes < MIN_SHUFFLED:
            continue
        kept = _kept(stage)
        if kept > KEPT_SHARE * stage.shuffle_read_records:
            continue
        stages = (*(parent for parent in stage.parent_ids if parent in run.by_id), stage.stage_id)
        share = run.share_of_stages(stages)
        yield Verdict(
            kind=VerdictKind.SHUFFLE_VOLUME,
            severity=problem_if(share >= PROBLEM_SHARE),
            stage_ids=stages,
            share=round(share, 4),
            summary=_summary(stage, kept),
            figures=(
                figure(FigureId.SHUFFLED, stage.shuffle_read_bytes, Unit.BYTES, of_stage(stage), MIN_SHUFFLED),
                figure(FigureId.READ, sum(run.by_id[number].input_bytes for number in stages), Unit.BYTES, of_stage(stage)),
                figure(FigureId.ROWS_KEPT, kept / max(1, stage.shuffle_read_records), Unit.SHARE, of_stage(stage), KEPT_SHARE),
                figure(FigureId.TIME_OF_STAGES, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
            ),
            blame=Blame(operator=GROUPING),
        )


def _summary(stage: StageFacts, kept: int) -> Statement:
    values = {
        "stage": statements.name(stage.stage_id),
        "rows": exactly(stage.shuffle_read_records),
        "size": statements.size(stage.shuffle_read_bytes),
    }
    if not kept:
        return say("spark.verdict.grouped_rows_all", **values)
    return say("spark.verdict.grouped_rows", kept=exactly(kept), **values)


def _kept(stage: StageFacts) -> int:
    return stage.output_records + stage.shuffle_write_records
