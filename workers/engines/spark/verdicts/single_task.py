"""Much work in one task: a window over everything, a single partition, a file that cannot be split, one query to a database."""

from collections.abc import Iterator, Sequence
from enum import StrEnum

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import SqlNode, StageFacts
from contracts.statements import member_term, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.counts import exactly
from workers.engines.spark.plan import EXCHANGES, Plan, is_scan, is_window, metric
from workers.engines.spark.verdicts.measures import Run, wall_ms
from workers.engines.spark.verdicts.sources import TASK_METRICS, of_stage
from workers.engines.verdicts import figure, measured, problem_if
from workers.engines.verdicts.thresholds import MIB

FEWEST_ROWS = 100_000
LEAST_BYTES = 16 * MIB
"""Read or written by the one task; with fewer rows and bytes than these, one task is right."""

PROBLEM_SHARE = 0.1
"""Of the run's wall clock, that other slots could have taken over."""

JDBC = "JDBCRelation"
"""In the name of a scan of a database's table."""

SINGLE = "SinglePartition"
COALESCE = ("coalesce", "Coalesce")


class OneTask(StrEnum):
    """Why there is one task."""

    WINDOW = "window"
    COALESCE = "coalesce"
    REPARTITION = "repartition"
    FILE = "file"
    DATABASE = "database"


def single_tasks(run: Run) -> Iterator[Verdict]:
    """One verdict a stage."""
    if run.slots < 2:
        return
    for stage in run.whole:
        if (stage.planned_tasks or stage.succeeded_tasks) != 1 or not stage.succeeded_tasks or not _has_much(stage):
            continue
        found = _why(run, stage)
        if found is None:
            continue
        why, plan, node = found
        lost = wall_ms(stage) * (1 - 1 / run.slots)
        share = run.share_of_run(lost)
        rows = max(stage.input_records, stage.shuffle_read_records)
        yield Verdict(
            kind=VerdictKind.SINGLE_TASK,
            severity=problem_if(share >= PROBLEM_SHARE),
            stage_ids=(stage.stage_id,),
            share=round(share, 4),
            summary=say(
                "spark.verdict.single_task",
                stage=statements.name(stage.stage_id),
                rows=measured(rows, Unit.RECORDS),
                took=statements.milliseconds(wall_ms(stage)),
                slots=exactly(run.slots),
                why=member_term("spark.one_task", why),
            ),
            figures=(
                figure(FigureId.ROWS_IN_ONE_TASK, rows, Unit.RECORDS, of_stage(stage), FEWEST_ROWS),
                figure(FigureId.SLOTS, run.slots, Unit.TASKS, TASK_METRICS),
                figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
            ),
            blame=Blame(execution_id=plan.execution.execution_id if plan else None, nodes=(node,) if node is not None else ()),
        )


def is_asked_for(node: SqlNode) -> bool:
    """The script asks for a single partition, by `coalesce(1)` or `repartition(1)`."""
    asked = node.simple_string.strip()
    return (node.name in COALESCE and asked in ("Coalesce 1", "coalesce")) or (SINGLE in asked and "REPARTITION" in asked)


def is_of_database(node: SqlNode) -> bool:
    """A scan that the options of the read cut, and no partitions of the job."""
    return JDBC in node.name


def _has_much(stage: StageFacts) -> bool:
    rows = max(stage.input_records, stage.shuffle_read_records)
    return rows >= FEWEST_ROWS or max(stage.input_bytes, stage.shuffle_read_bytes, stage.output_bytes) >= LEAST_BYTES


def _why(run: Run, stage: StageFacts) -> tuple[OneTask, Plan | None, int | None] | None:
    """What makes it one task, with the operator of the plan."""
    for plan in run.plans:
        inside = [node for node in plan.nodes.values() if stage.stage_id in node.stage_ids]
        found = _by_exchange(plan, stage, inside) or _by_coalesce(plan, stage, inside) or _by_file(stage, inside)
        if found is not None:
            return found[0], plan, found[1].node
    return (OneTask.COALESCE, None, None) if any(name in COALESCE for name in stage.operators) else None


def _by_exchange(plan: Plan, stage: StageFacts, inside: Sequence[SqlNode]) -> tuple[OneTask, SqlNode] | None:
    """An exchange into one partition: for a window over all rows, or since the script asks for one."""
    exchanges = (node for node in inside if node.name in EXCHANGES and SINGLE in node.simple_string)
    single = next((node for node in exchanges if stage.stage_id in plan.readers(node)), None)
    if single is None:
        return None
    user = next((node for node in plan.above(single.node) if is_window(node)), None)
    if user is not None and not any(node.name in EXCHANGES for node in _between(plan, single.node, user.node)):
        return OneTask.WINDOW, user
    return (OneTask.REPARTITION, single) if "REPARTITION" in single.simple_string else None


def _by_coalesce(plan: Plan, stage: StageFacts, inside: Sequence[SqlNode]) -> tuple[OneTask, SqlNode] | None:
    """A `coalesce(1)` in the stage, or, where the log does not say which stage, in its execution."""
    merged = next((node for node in inside if node.name in COALESCE or node.name.startswith("Coalesce 1")), None)
    if merged is None and _mine(plan, stage):
        merged = next((node for node in plan.nodes.values() if node.name in COALESCE), None)
    return None if merged is None else (OneTask.COALESCE, merged)


def _by_file(stage: StageFacts, inside: Sequence[SqlNode]) -> tuple[OneTask, SqlNode] | None:
    """One large file that no reader can split, or one query to a database."""
    if query := next((node for node in inside if is_of_database(node)), None):
        return OneTask.DATABASE, query
    scan = next((node for node in inside if is_scan(node) and metric(node, "number of files read") == 1), None)
    is_large = not stage.shuffle_read_bytes and stage.input_bytes >= LEAST_BYTES
    return (OneTask.FILE, scan) if scan is not None and is_large else None


def _mine(plan: Plan, stage: StageFacts) -> bool:
    return stage.execution_id == plan.execution.execution_id and any(name in COALESCE for name in stage.operators)


def _between(plan: Plan, low: int, high: int) -> Iterator[SqlNode]:
    for node in plan.above(low):
        if node.node == high:
            return
        yield node
