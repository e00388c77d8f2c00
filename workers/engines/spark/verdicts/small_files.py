"""Files so small that opening, listing and committing them costs more than their data."""

from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import SqlNode
from contracts.statements import Statement, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.plan import Plan, is_scan, metric, scanned_table
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import TASK_METRICS, of_node
from workers.engines.verdicts import figure, measured, problem_if
from workers.engines.verdicts.thresholds import MIB

MANY = 200
"""Files of one read or write."""

SMALL_BYTES = 4 * MIB
"""What Spark takes opening a file to cost (`spark.sql.files.openCostInBytes`): with less, a file costs more than its data."""

PROBLEM_SHARE = 0.1
"""Of the run's wall clock, in the stages that read or write them, as far as they do nothing but that."""

WRITES = ("Execute InsertInto", "InsertInto", "WriteFiles", "Execute Create", "AppendData", "OverwriteByExpression")


def small_files(run: Run) -> Iterator[Verdict]:
    """One verdict a read or a write."""
    for plan in run.plans:
        for node in plan.nodes.values():
            if is_scan(node):
                yield from _judge(run, plan, node, "number of files read", "size of files read", is_read=True)
            elif node.name.startswith(WRITES):
                yield from _judge(run, plan, node, "number of written files", "written output", is_read=False)


def _judge(run: Run, plan: Plan, node: SqlNode, files_name: str, bytes_name: str, *, is_read: bool) -> Iterator[Verdict]:
    files, size = metric(node, files_name) or 0, metric(node, bytes_name)
    if files < MANY or size is None or size / files >= SMALL_BYTES:
        return
    stages = node.stage_ids if is_read else _writers(run, plan)
    if not stages:
        return
    wanted = max(1, size // (128 * MIB))
    lost = sum(_wall_of(run, stage) for stage in stages[:1]) * max(0.0, 1 - max(wanted, run.slots) / files)
    share = run.share_of_run(lost)
    number = plan.execution.execution_id
    yield Verdict(
        kind=VerdictKind.SMALL_FILES,
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=stages[:1],
        share=round(share, 4),
        summary=_summary(files, size / files, stages[0], is_read=is_read),
        figures=(
            figure(FigureId.FILES, files, Unit.COUNT, of_node(number, node.node), MANY),
            figure(FigureId.FILE_SIZE, size / files, Unit.BYTES, of_node(number, node.node), SMALL_BYTES),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
        ),
        blame=Blame(execution_id=number, nodes=(node.node,), tables=(table,) if is_read and (table := scanned_table(node)) else ()),
    )


def _summary(files: int, each: float, stage: int, *, is_read: bool) -> Statement:
    values = {"files": exactly(files), "size": measured(each, Unit.BYTES), "stage": statements.name(stage)}
    return say("spark.verdict.small_files_read", **values) if is_read else say("spark.verdict.small_files_written", **values)


def _writers(run: Run, plan: Plan) -> tuple[int, ...]:
    """The stages of an execution that write its output."""
    found = [run.by_id[stage] for stage in plan.execution.stage_ids if stage in run.by_id and run.by_id[stage].output_bytes]
    return tuple(stage.stage_id for stage in sorted(found, key=lambda stage: -stage.task_ms))


def _wall_of(run: Run, stage: int) -> float:
    return float(run.span_ms((stage,)))
