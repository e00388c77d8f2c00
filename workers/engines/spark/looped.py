"""The loops of a run as its log shows them: one plan, or one call, that runs again and again with nothing else in between.

What a loop costs beside its tasks is the driver's: planning, listing and committing files in each turn, and what lies between two turns."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby

from contracts.spark import JobFacts, RunFacts, SqlExecution, StageFacts
from workers.engines.spark.batches import BATCH
from workers.engines.spark.call_sites import SITE
from workers.engines.spark.plan import Plan, attributes, is_scan, scanned_table

FEWEST_TURNS = 3
"""Two equal queries may be meant; three are a loop."""

PLACED_BY_ENGINE = ("WholeStageCodegen", "InputAdapter", "AQEShuffleRead", "ShuffleQueryStage", "BroadcastQueryStage", "AdaptiveSparkPlan")
"""Nodes that the engine puts into a plan, in one turn and not in the next."""

Shape = tuple[object, ...]
Span = tuple[int, int]
"""(begin, end), Unix ms."""


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
        self._loops = list(_loops(sorted(turns, key=lambda turn: (turn.begin, turn.end))))

    @cached_property
    def turns(self) -> int:
        """Of the loop with the most; 0 without a loop."""
        return max((count for loop in self._loops for count in Counter(turn.shape for turn in loop).values()), default=0)

    @cached_property
    def within(self) -> tuple[Span, ...]:
        """When later turns ran: the first one has to run anyway."""
        return merged((turn.begin, turn.end) for loop in self._loops for turn, is_later in _with_later(loop) if is_later)

    @cached_property
    def between(self) -> tuple[Span, ...]:
        """The times between a turn and a later turn that follows it."""
        found: list[Span] = []
        for loop in self._loops:
            ended = loop[0].end
            for turn, is_later in _with_later(loop):
                if is_later and turn.begin > ended:
                    found.append((ended, turn.begin))
                ended = max(ended, turn.end)
        return merged(found)


def _loops(turns: list[Turn]) -> Iterator[list[Turn]]:
    """Turns that follow each other: what comes between two equal ones is a turn as well, and comes again itself."""
    waiting = [turns]
    while waiting:
        row = waiting.pop()
        times = Counter(turn.shape for turn in row)
        parts = _split(row, {shape for shape, count in times.items() if count < FEWEST_TURNS})
        if len(parts) == 1 and len(parts[0]) == len(row):
            yield row
        else:
            waiting += parts


def _split(turns: list[Turn], others: set[Shape]) -> list[list[Turn]]:
    """What lies between the `others`."""
    return [list(group) for is_other, group in groupby(turns, key=lambda turn: turn.shape in others) if not is_other]


def _with_later(loop: Iterable[Turn]) -> Iterator[tuple[Turn, bool]]:
    """Each turn, and whether an equal one was before it."""
    seen: set[Shape] = set()
    for turn in loop:
        yield turn, turn.shape in seen
        seen.add(turn.shape)


def merged(spans: Iterable[Span]) -> tuple[Span, ...]:
    """The same time in spans that do not overlap, in order."""
    found: list[Span] = []
    for begin, end in sorted(spans):
        if found and begin <= found[-1][1]:
            found[-1] = (found[-1][0], max(end, found[-1][1]))
        else:
            found.append((begin, end))
    return tuple(found)


def overlap_ms(at: int, until: int, spans: Sequence[Span]) -> int:
    """How much of a time lies in `merged` spans."""
    took = 0
    for place in range(bisect_right(spans, at, key=lambda span: span[1]), len(spans)):
        begin, end = spans[place]
        if begin >= until:
            break
        took += min(end, until) - max(begin, at)
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
