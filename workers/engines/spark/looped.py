"""The loops of a run as its log shows them: one plan, or one call, that runs again and again with nothing else in between.

What a loop costs beside its tasks is the driver's: planning, listing and committing files in each turn, and what lies between two turns."""

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from contracts.spark import JobFacts, RunFacts, SqlExecution, StageFacts
from workers.engines.spark.batches import BATCH
from workers.engines.spark.call_sites import SITE
from workers.engines.spark.plan import Plan, attributes, is_scan, scanned_table

FEWEST_TURNS = 3
"""Two equal queries may be meant; three are a loop."""

PLACED_BY_ENGINE = ("WholeStageCodegen", "InputAdapter", "AQEShuffleRead", "ShuffleQueryStage", "BroadcastQueryStage", "AdaptiveSparkPlan")
"""Nodes that the engine puts into a plan, in one turn and not in the next."""

Shape = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Turn:
    """A query, or a job without one."""

    shape: Shape
    begin: int
    end: int
    """Unix ms."""


class Loops:
    """Those of a run."""

    def __init__(self, facts: RunFacts) -> None:
        stages = {stage.stage_id: stage for stage in facts.stages}
        turns = [
            *(turn for execution in facts.executions if (turn := _of_query(execution))),
            *(turn for job in facts.jobs if (turn := _of_job(job, stages))),
        ]
        self._turns = sorted(turns, key=lambda turn: (turn.begin, turn.end))
        self._times = Counter(turn.shape for turn in turns)

    @cached_property
    def turns(self) -> int:
        """Of the loop with the most; 0 without a loop."""
        most = max(self._times.values(), default=0)
        return most if most >= FEWEST_TURNS else 0

    @cached_property
    def within(self) -> tuple[tuple[int, int], ...]:
        """When later turns ran, (begin, end): the first one has to run anyway."""
        return tuple((turn.begin, turn.end) for turn in self._later)

    @cached_property
    def between(self) -> tuple[tuple[int, int], ...]:
        """The times between a turn and a later turn that follows it, (begin, end)."""
        later = set(map(id, self._later))
        found: list[tuple[int, int]] = []
        ended, is_turn = 0, False
        for turn in self._turns:
            if is_turn and id(turn) in later and turn.begin > ended:
                found.append((ended, turn.begin))
            is_turn = self._times[turn.shape] >= FEWEST_TURNS
            ended = max(ended, turn.end)
        return tuple(found)

    @cached_property
    def _later(self) -> list[Turn]:
        seen: set[Shape] = set()
        found: list[Turn] = []
        for turn in self._turns:
            if self._times[turn.shape] >= FEWEST_TURNS and turn.shape in seen:
                found.append(turn)
            seen.add(turn.shape)
        return found


def overlap_ms(at: int, until: int, spans: tuple[tuple[int, int], ...]) -> int:
    """How much of a time lies in spans, which may overlap each other."""
    took, done = 0, at
    for begin, end in sorted(spans):
        begin, end = max(begin, done), min(end, until)
        if end > begin:
            took, done = took + end - begin, end
    return took


def _of_query(execution: SqlExecution) -> Turn | None:
    if execution.started_at is None or execution.ended_at is None or BATCH.search(execution.description):
        return None
    if not execution.nodes or not execution.stage_ids:  # a view that is made, a command: no turn of work
        return None
    shape = tuple(_shape(Plan(execution)))
    return Turn(("query", *shape), execution.started_at, execution.ended_at)


def _shape(plan: Plan) -> Iterator[object]:
    """Operators, tables and columns, without the values that they compare with, and without the paths that they write."""
    for node in plan.nodes.values():
        if node.name.startswith(PLACED_BY_ENGINE):
            continue
        table = scanned_table(node) if is_scan(node) else ""
        yield node.name, table, () if table else tuple(sorted({column.name for column in attributes(node.simple_string)}))


def _of_job(job: JobFacts, stages: dict[int, StageFacts]) -> Turn | None:
    """A job without a query is known by the lines of the script that made its stages. A line within a library is no place of a loop."""
    if job.execution_id is not None or job.submitted_at is None or job.completed_at is None or BATCH.search(job.description):
        return None
    calls = tuple(stages[stage].name for stage in job.stage_ids if stage in stages)
    return Turn(("job", *calls), job.submitted_at, job.completed_at) if calls and all(map(SITE.search, calls)) else None
