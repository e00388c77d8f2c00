"""Where the figures of an event log come from."""

from collections.abc import Iterable

from contracts.spark import StageFacts
from contracts.statements import Join, Statement, listing, name, say

EVENT_LOG = say("spark.source.event_log")
TASK_METRICS = say("spark.source.task_metrics")
TASK_STARTS = say("spark.source.task_starts")
TASK_ENDS = say("spark.source.task_ends")
STAGE_ENDS = say("spark.source.stage_ends")
STAGE_EVENTS = say("spark.source.stage_events")
JOB_ENDS = say("spark.source.job_ends")
QUERY_ENDS = say("spark.source.query_ends")
EXECUTORS = say("spark.source.executors")

SHOWN_STAGES = 20


def of_stage(stage: StageFacts) -> Statement:
    """The task metrics of one stage attempt."""
    if stage.attempt:
        return say("spark.source.stage_attempt", stage=name(stage.stage_id), attempt=name(stage.attempt))
    return say("spark.source.stage", stage=name(stage.stage_id))


def of_stages(stages: Iterable[StageFacts]) -> Statement:
    """The task metrics of several stages; the first of them are named."""
    shown = [name(stage.stage_id) for stage in stages][:SHOWN_STAGES]
    return say("spark.source.stages", stages=listing(*shown, join=Join.PLAIN))


def of_plan(execution_id: int) -> Statement:
    """The plan of an execution."""
    return say("spark.source.plan", execution=name(execution_id))


def of_node(execution_id: int, node: int) -> Statement:
    """A node of the plan of an execution."""
    return say("spark.source.node", execution=name(execution_id), node=name(node))
