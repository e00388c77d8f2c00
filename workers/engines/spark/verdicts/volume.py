"""Shuffle volume against input, whatever the plan says it is for."""

from collections.abc import Iterator

from contracts.spark import StageFacts
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.verdicts.measures import MIB, Run, figure

INPUT_RATIO = 1.5
"""Shuffled to read, in bytes. A join or sort of all that is read shuffles it once, so about one is the price of such a job."""

MIN_BYTES = 64 * MIB
PROBLEM_SHARE = 0.1
"""Of the tasks' time, in the stages that write or read the shuffles."""


def shuffle_volume(run: Run) -> Iterator[Verdict]:
    """One verdict a run, over the SQL executions, and the jobs outside of SQL, that shuffle much more than they read. Each is
    weighed apart: what one shuffles another may have read and cached."""
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
    source = f"event log, stages of {kind} {number}"
    yield Verdict(
        kind=VerdictKind.SHUFFLE_VOLUME,
        severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
        stage_ids=tuple(touched),
        share=round(share, 4),
        summary=f"{kind.capitalize()} {number} shuffles {human.size(written)}, "
        f"{human.times(written / read)} times the {human.size(read)} it reads"
        + (f"; {len(hit) - 1} more do alike." if len(hit) > 1 else "."),
        figures=(
            figure("shuffled", written, Unit.BYTES, source, MIN_BYTES),
            figure("read", read, Unit.BYTES, source),
            figure("shuffled to read", written / read, Unit.RATIO, source, INPUT_RATIO),
            figure("executions or jobs that do so", len(hit), Unit.COUNT, "event log, task metrics"),
            figure("tasks' time in their shuffling stages", share, Unit.SHARE, "event log, task metrics", PROBLEM_SHARE),
        ),
    )


def _is_much(written: int, read: int) -> bool:
    return written >= MIN_BYTES and read > 0 and written >= INPUT_RATIO * read


def _written(stages: list[StageFacts]) -> int:
    return sum(stage.shuffle_write_bytes for stage in stages)


def _read(stages: list[StageFacts]) -> int:
    return sum(stage.input_bytes for stage in stages)
