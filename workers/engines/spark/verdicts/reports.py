"""Verdicts on a run without its event log: from tables of stages, reports of skew and shuffle, and plain logs.

Such files say less than the log: which tasks got which bytes is mostly not told. What they do not tell is not made up: uneven times
alone are a hint at skew, for a straggler looks the same. The thresholds are those of the log's verdicts."""

from collections.abc import Iterator, Sequence

from contracts.artefacts import ConfigurationFacts, LogEventKind, LogFacts, ShuffleLog, SkewReport, StageRow, StageTable, UnevenStage
from contracts.verdicts import Severity, Unit, Verdict, VerdictKind
from workers.engines import human
from workers.engines.spark.verdicts.error_lines import CHARS
from workers.engines.spark.verdicts.failures import TASK_SHARE
from workers.engines.spark.verdicts.measures import figure
from workers.engines.spark.verdicts.memory import GC_RUN_SHARE, GC_SHARE, GC_STAGE_MS, SPILL_BYTES, SPILL_SHARE
from workers.engines.spark.verdicts.memory import PROBLEM_SHARE as SPILL_PROBLEM_SHARE
from workers.engines.spark.verdicts.reported_skew import ids, line_of, reported_skew, stage_words, uneven_stage
from workers.engines.spark.verdicts.volume import INPUT_RATIO, PROBLEM_SHARE
from workers.engines.spark.verdicts.volume import MIN_BYTES as MIN_SHUFFLED

FATAL = (
    LogEventKind.OUT_OF_MEMORY,
    LogEventKind.KILLED_FOR_MEMORY,
    LogEventKind.FETCH_FAILED,
    LogEventKind.DISK_FULL,
    LogEventKind.BROADCAST_TIMEOUT,
    LogEventKind.RESULT_TOO_LARGE,
    LogEventKind.STAGE_ABORTED,
)
"""One such line is a failure; single lost tasks and connections are a cluster's normal life."""

MANY_EVENTS = 10
"""Lines of the milder kinds from which on they are a problem by themselves."""


def judge_reports(
    stage_tables: Sequence[StageTable] = (),
    skew_reports: Sequence[SkewReport] = (),
    shuffle_logs: Sequence[ShuffleLog] = (),
    logs: Sequence[LogFacts] = (),
    configurations: Sequence[ConfigurationFacts] = (),
) -> tuple[Verdict, ...]:
    """Verdicts on what these artefacts say, each figure with its artefact and line: problems first, the heaviest first. A file that
    says the same as another is not counted twice: of verdicts of a kind on the same stages the first stays."""
    found = [
        *(verdict for report in skew_reports for verdict in reported_skew(report)),
        *(verdict for table in stage_tables for verdict in _stages(table)),
        *(verdict for told in shuffle_logs for verdict in _shuffles(told, stage_tables)),
        *(verdict for told in logs for verdict in _failures(told, configurations)),
    ]
    first: dict[tuple[VerdictKind, tuple[int, ...], str], Verdict] = {}
    for verdict in found:
        first.setdefault((verdict.kind, verdict.stage_ids, "" if verdict.stage_ids else verdict.summary), verdict)
    rank = {Severity.PROBLEM: 0, Severity.HINT: 1, Severity.NOTE: 2}
    return tuple(sorted(first.values(), key=lambda verdict: (rank[verdict.severity], -verdict.share)))


def _stages(table: StageTable) -> Iterator[Verdict]:
    """Skew, spill, GC and failures of each stage, the shuffles of all."""
    whole = sum(_time(row) for row in table.rows)
    for row in table.rows:
        at, share = line_of(table.name, row.line), round(_time(row) / whole, 4) if whole else 0.0
        uneven = UnevenStage(
            line=row.line, stage=row.stage, stage_id=row.stage_id, tasks=row.tasks,
            max_bytes=row.task_max_bytes, median_bytes=row.task_median_bytes,
            max_records=row.task_max_records, median_records=row.task_median_records,
            max_ms=row.task_max_ms, median_ms=row.task_median_ms if row.task_median_ms is not None else row.task_mean_ms,
        )  # fmt: skip
        for verdict in uneven_stage(table.name, uneven):
            yield verdict.model_copy(update={"share": round(min(verdict.share, share or verdict.share), 4)})
        yield from _spill(row, at, share)
        yield from _gc(row, at, share)
    failed = [row for row in table.rows if row.failed_tasks]
    if failed:
        yield _failed_stages(table, failed)
    written = sum(row.shuffle_write_bytes or 0 for row in table.rows)
    read = sum(row.input_bytes or 0 for row in table.rows)
    shuffling = [row for row in table.rows if row.shuffle_write_bytes or row.shuffle_read_bytes]
    share = round(sum(_time(row) for row in shuffling) / whole, 4) if whole else 0.0
    yield from _volume(table.name, written, read, ids(shuffling), share)


def _time(row: StageRow) -> float:
    """What weighs a stage: its tasks' time, else its duration."""
    return row.task_ms or row.duration_ms or 0.0


def _spill(row: StageRow, at: str, share: float) -> Iterator[Verdict]:
    spilled = row.disk_spill_bytes or row.memory_spill_bytes or 0
    read = (row.shuffle_read_bytes or 0) + (row.input_bytes or 0)
    if spilled < SPILL_BYTES or spilled < SPILL_SHARE * read:
        return
    yield Verdict(
        kind=VerdictKind.SPILL,
        severity=Severity.PROBLEM if share >= SPILL_PROBLEM_SHARE else Severity.HINT,
        stage_ids=ids([row]),
        share=share,
        summary=f"{stage_words(row.stage)}{human.size(spilled)} spilled" + (f", of {human.size(read)} that it reads." if read else "."),
        figures=(
            figure("spilled", spilled, Unit.BYTES, at, SPILL_BYTES),
            figure("read", read, Unit.BYTES, at),
            figure("of all stages' time", share, Unit.SHARE, at, SPILL_PROBLEM_SHARE),
        ),
    )


def _gc(row: StageRow, at: str, share: float) -> Iterator[Verdict]:
    if row.gc_ms is None or row.task_ms is None or row.task_ms < GC_STAGE_MS or row.gc_ms < GC_SHARE * row.task_ms:
        return
    part = min(1.0, row.gc_ms / row.task_ms)
    yield Verdict(
        kind=VerdictKind.GC_PRESSURE,
        severity=Severity.PROBLEM if share * part >= GC_RUN_SHARE else Severity.HINT,
        stage_ids=ids([row]),
        share=round(share * part, 4),
        summary=f"{stage_words(row.stage)}garbage collection took {human.took(row.gc_ms)}, {human.share(part)} of its tasks' time.",
        figures=(
            figure("collection", row.gc_ms, Unit.MS, at),
            figure("task time", row.task_ms, Unit.MS, at, GC_STAGE_MS),
            figure("of task time", part, Unit.SHARE, at, GC_SHARE),
        ),
    )


def _failed_stages(table: StageTable, failed: list[StageRow]) -> Verdict:
    count = sum(row.failed_tasks or 0 for row in failed)
    tasks = sum((row.tasks or 0) + (row.failed_tasks or 0) for row in table.rows)
    share = round(min(1.0, count / max(1, tasks)), 4)
    return Verdict(
        kind=VerdictKind.FAILURES,
        severity=Severity.PROBLEM if share >= TASK_SHARE or tasks == count else Severity.HINT,
        stage_ids=ids(failed),
        share=share,
        summary=f"{human.counted(count, 'task attempt')} failed in {human.counted(len(failed), 'stage')}, "
        f"{human.share(share)} of all attempts.",
        figures=tuple(
            figure("failed task attempts", row.failed_tasks or 0, Unit.TASKS, line_of(table.name, row.line), 1) for row in failed[:20]
        ),
    )


def _volume(name: str, written: float, read: float, stage_ids: tuple[int, ...], share: float) -> Iterator[Verdict]:
    """Shuffled against read, where both are told."""
    if written < MIN_SHUFFLED or read <= 0 or written < INPUT_RATIO * read:
        return
    yield Verdict(
        kind=VerdictKind.SHUFFLE_VOLUME,
        severity=Severity.PROBLEM if share >= PROBLEM_SHARE else Severity.HINT,
        stage_ids=stage_ids,
        share=share,
        summary=f"{human.size(written)} are shuffled, {human.times(written / read)} times the {human.size(read)} that are read.",
        figures=(
            figure("shuffled", written, Unit.BYTES, name, MIN_SHUFFLED),
            figure("read", read, Unit.BYTES, name),
            figure("shuffled to read", written / read, Unit.RATIO, name, INPUT_RATIO),
        ),
    )


def _shuffles(told: ShuffleLog, tables: Sequence[StageTable]) -> Iterator[Verdict]:
    """Against the input that it tells itself, else that of a table of the stages. What part of the time it takes is not told, so the
    part of all bytes moved stands for it."""
    written = sum(row.write_bytes or 0 for row in told.rows) or sum(row.read_bytes or 0 for row in told.rows)
    read = sum(row.input_bytes or 0 for row in told.rows)
    read = read or next((total for table in tables if (total := sum(row.input_bytes or 0 for row in table.rows))), 0.0)
    yield from _volume(told.name, written, read, ids(told.rows), round(written / (written + read), 4) if written else 0.0)


def _failures(told: LogFacts, configurations: Sequence[ConfigurationFacts]) -> Iterator[Verdict]:
    """Of a plain log: what went wrong, by line. Where memory was short, the settings of memory stand beside it."""
    hit = [event for event in told.events if event.kind in FATAL or event.count >= MANY_EVENTS]
    mild = [event for event in told.events if event not in hit]
    shown = hit or mild
    if not shown:
        return
    first = shown[0]
    is_memory = any(event.kind in (LogEventKind.OUT_OF_MEMORY, LogEventKind.KILLED_FOR_MEMORY) for event in hit)
    words = ", ".join(f"{event.kind.value.replace('_', ' ')} ({human.counted(event.count, 'line')})" for event in shown)
    yield Verdict(
        kind=VerdictKind.FAILURES,
        severity=Severity.PROBLEM if hit else Severity.HINT,
        share=round(min(1.0, sum(event.count for event in hit) / max(1, told.errors, sum(event.count for event in told.events))), 4),
        summary=f"The log reports {words}; first in line {first.lines[0]}: {first.text[:200]}"
        + (f" Settings: {_memory(configurations)}." if is_memory and _memory(configurations) else ""),
        figures=(
            *(
                figure(event.kind.value.replace("_", " "), event.count, Unit.COUNT, line_of(told.name, event.lines[0]), 1)
                for event in shown
            ),
            figure("lines of level ERROR", told.errors, Unit.COUNT, told.name),
        ),
        error=first.text[:CHARS],
    )


def _memory(configurations: Sequence[ConfigurationFacts]) -> str:
    found = {name: value for one in configurations for name, value in one.settings.items() if "memory" in name.lower()}
    return ", ".join(f"{name} = {value}" for name, value in list(found.items())[:5])
