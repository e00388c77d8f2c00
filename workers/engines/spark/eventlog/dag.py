"""How the stages of a run depend on each other in time: the chain that determined when it ended, and the time without any."""

from bisect import bisect_right
from collections.abc import Iterable

from contracts.spark import PathStep, StageFacts


def critical_path(stages: Iterable[StageFacts], started_at: int | None) -> tuple[PathStep, ...]:
    """The critical path in the order of time. It is followed back from the stage that completed last: before each step comes the parent
    that completed last or, when no parent ran, the last stage that completed before the step was submitted."""
    ran = sorted(
        (
            (stage.completed_at, stage.submitted_at, stage)
            for stage in stages
            if stage.completed_at is not None and stage.submitted_at is not None
        ),
        key=lambda item: (item[0], item[1], item[2].stage_id, item[2].attempt),
    )
    by_id: dict[int, list[tuple[int, int, StageFacts]]] = {}
    for entry in ran:
        by_id.setdefault(entry[2].stage_id, []).append(entry)
    ends = [entry[0] for entry in ran]
    path: list[PathStep] = []
    seen: set[tuple[int, int]] = set()
    current = ran[-1] if ran else None
    while current is not None and (current[2].stage_id, current[2].attempt) not in seen:
        completed, submitted, stage = current
        seen.add((stage.stage_id, stage.attempt))
        parents = [entry for parent in stage.parent_ids for entry in by_id.get(parent, ()) if entry[0] <= submitted]
        before = max(parents, key=lambda entry: entry[0], default=None)
        waited_for = before[2].stage_id if before else None
        if before is None and (place := bisect_right(ends, submitted)):
            before = _earlier(ran[:place], seen)
        since = before[0] if before else started_at if started_at is not None else submitted
        path.append(
            PathStep(
                stage_id=stage.stage_id,
                attempt=stage.attempt,
                submitted_at=submitted,
                completed_at=completed,
                waited_for=waited_for,
                driver_gap_ms=max(0, submitted - since),
            )
        )
        current = before
    return tuple(reversed(path))


def _earlier(candidates: list[tuple[int, int, StageFacts]], seen: set[tuple[int, int]]) -> tuple[int, int, StageFacts] | None:
    return next((entry for entry in reversed(candidates) if (entry[2].stage_id, entry[2].attempt) not in seen), None)


def idle_ms(stages: Iterable[StageFacts], started_at: int | None, ended_at: int | None) -> int:
    """The time between start and end in which no stage was running. A stage without an end ran to the end."""
    if started_at is None or ended_at is None:
        return 0
    idle, busy_until = 0, started_at
    for begin, end in sorted((s.submitted_at, s.completed_at or ended_at) for s in stages if s.submitted_at is not None):
        idle += max(0, min(begin, ended_at) - busy_until)
        busy_until = max(busy_until, end)
    return idle + max(0, ended_at - busy_until)
