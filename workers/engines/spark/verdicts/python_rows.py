"""Rows that leave the engine for a Python process, one at a time: user functions, and lambdas over RDDs."""

import re
from collections.abc import Iterator

from contracts import statements
from contracts.figures import FigureId
from contracts.spark import SqlNode, StageFacts
from contracts.spark_time import TimePart
from contracts.statements import Join, Value, listing, say
from contracts.verdicts import Blame, Unit, Verdict, VerdictKind
from workers.engines.spark.plan import metric
from workers.engines.spark.time_account import ms_by_stage
from workers.engines.spark.verdicts.measures import Run
from workers.engines.spark.verdicts.sources import TASK_METRICS
from workers.engines.verdicts import figure, measured, problem_if

ROW_BY_ROW = "BatchEvalPython"
"""The operator that hands over pickled rows; functions over Arrow batches have operators of their own, and are not judged."""

PYTHON_RDD = "PythonRDD"

FEWEST_ROWS = 10_000
"""Below, starting the Python processes costs more than the rows."""

PROBLEM_SHARE = 0.1
"""Of the run's wall clock, in which tasks waited for Python."""

CALLS = re.compile(r"(?<!\w)([A-Za-z_]\w*|<lambda>)\(")
SHOWN_FUNCTIONS = 4


def python_rows(run: Run) -> Iterator[Verdict]:
    """One verdict a run."""
    nodes = [(plan, node) for plan in run.plans for node in plan.nodes.values() if node.name == ROW_BY_ROW]
    by_plan = {stage: rows for _, node in nodes for stage in node.stage_ids if (rows := metric(node, "number of output rows") or 0)}
    by_rdd = {stage.stage_id: _rows(stage) for stage in run.stages if PYTHON_RDD in stage.operators}
    rows = {stage: count for stage, count in {**by_rdd, **by_plan}.items() if count >= FEWEST_ROWS}
    waited = _waited(run)
    stages = sorted((stage for stage in rows if waited.get(stage)), key=lambda stage: -waited[stage])
    if not stages:
        return
    lost = sum(waited[stage] for stage in stages)
    share = run.share_of_run(lost)
    of_stages = [(plan, node) for plan, node in nodes if set(node.stage_ids) & set(stages)]
    functions = tuple(dict.fromkeys(name for _, node in of_stages for name in _functions(node)))
    execution = of_stages[0][0].execution.execution_id if of_stages else None
    most = max(rows[stage] for stage in stages)
    yield Verdict(
        kind=VerdictKind.PYTHON_UDF,
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=tuple(stages),
        share=round(share, 4),
        summary=say(
            "spark.verdict.python_udf",
            rows=measured(most, Unit.RECORDS),
            stage=statements.name(stages[0]),
            functions=_named(functions),
            lost=statements.milliseconds(lost),
        ),
        figures=(
            figure(FigureId.ROWS_TO_PYTHON, most, Unit.RECORDS, TASK_METRICS, FEWEST_ROWS),
            figure(FigureId.WAITED_FOR_PYTHON, lost, Unit.MS, TASK_METRICS),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, TASK_METRICS, PROBLEM_SHARE),
        ),
        blame=Blame(execution_id=execution, nodes=tuple(node.node for _, node in of_stages[:1]), functions=functions),
    )


def _rows(stage: StageFacts) -> int:
    return max(stage.input_records, stage.shuffle_read_records)


def _waited(run: Run) -> dict[int, float]:
    """Stage → wall clock in which its tasks waited for Python."""
    return dict(ms_by_stage(run.facts, TimePart.PYTHON))


def _functions(node: SqlNode) -> list[str]:
    """`BatchEvalPython [clean(note#91)#98], [pythonUDF0#121]`."""
    return CALLS.findall(node.simple_string.partition("[")[2].partition("]")[0])


def _named(functions: tuple[str, ...]) -> Value:
    if not functions:
        return statements.term("spark.python_lambdas")
    return listing(*map(statements.name, functions[:SHOWN_FUNCTIONS]), join=Join.AND)
