"""Verdicts on a run without its event log: from tables of stages, reports of skew and shuffle, and plain logs.

Such files hold less than the log; most do not show which task got which bytes. What they leave open is not guessed: uneven times
without uneven data are only a hint at skew, since a straggler looks the same. The thresholds are those of the log's verdicts."""

from collections.abc import Iterator, Sequence

from contracts import statements
from contracts.artefacts import (
    ConfigurationFacts,
    LogEventKind,
    LogEvents,
    LogFacts,
    LoggedBatches,
    ShuffleLog,
    SkewReport,
    StageRow,
    StageTable,
    UnevenStage,
)
from contracts.code import OperationKind, ScriptFacts, ScriptOperation
from contracts.figures import FigureId
from contracts.statements import Code, Join, Sayable, Statement, Value, listing, say, say_member
from contracts.verdicts import Blame, Figure, ScriptSpot, Severity, Unit, Verdict, VerdictKind
from workers.engines.artefacts.logged_batches import LEAST_LOST_MS, MUCH_LOST, is_much
from workers.engines.artefacts.stage_pages import joined
from workers.engines.artefacts.values import stage_number
from workers.engines.counts import exactly
from workers.engines.scripts.spots import spot_of
from workers.engines.spark.call_sites import called_at
from workers.engines.spark.logged_places import logged_spots
from workers.engines.spark.lost_time import FEWEST_BATCHES
from workers.engines.spark.verdicts.error_lines import CHARS, line_of_failure
from workers.engines.spark.verdicts.failures import SHOWN_STAGES, TASK_SHARE
from workers.engines.spark.verdicts.memory import GC_RUN_SHARE, GC_STAGE_MS
from workers.engines.spark.verdicts.reported_skew import about_stage, ids, reported_skew, uneven_stage
from workers.engines.verdicts import at_line, figure, heaviest_first, in_artefact, measured, problem_if
from workers.engines.verdicts.thresholds import GC_SHARE, INPUT_RATIO, MIN_SHUFFLED, SPILL_BYTES, SPILL_SHARE
from workers.engines.verdicts.thresholds import MEMORY_PROBLEM_SHARE as SPILL_PROBLEM_SHARE
from workers.engines.verdicts.thresholds import SHUFFLE_PROBLEM_SHARE as PROBLEM_SHARE

MAKES_SKEW = (OperationKind.JOIN, OperationKind.WINDOW, OperationKind.GROUP, OperationKind.REPARTITION)
"""What brings the rows of a key together, those first that combine nothing before."""

NO_SCRIPT = ScriptFacts()

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

SHOWN_CHARS = 200
SHOWN_SETTINGS = 5

MANY_EVENTS = 10
"""Lines of the milder kinds from which on they are a problem by themselves."""


FAILED, COMPLETED = "failed", ("complete", "completed", "succeeded")
"""How the History Server and Spark's pages call the state of a stage."""


def judge_reports(
    stage_tables: Sequence[StageTable] = (),
    skew_reports: Sequence[SkewReport] = (),
    shuffle_logs: Sequence[ShuffleLog] = (),
    logs: Sequence[LogFacts] = (),
    configurations: Sequence[ConfigurationFacts] = (),
    script: ScriptFacts = NO_SCRIPT,
) -> tuple[Verdict, ...]:
    """Verdicts on what these artefacts say, each figure with its artefact and line: problems first, the heaviest first. A file that
    says the same as another is not counted twice: of verdicts of a kind on the same stages the first stays. `script`: all scripts as
    one, for the place at which a trace in a log ends."""
    stage_tables = joined(stage_tables)
    found = [
        *(verdict for report in skew_reports for verdict in reported_skew(report)),
        *(_placed(verdict, table, script) for table in stage_tables for verdict in _stages(table)),
        *(verdict for log in shuffle_logs for verdict in _shuffles(log, stage_tables)),
        *(verdict for log in logs for verdict in _failures(log, configurations, script)),
        *(_late(log, found) for log in logs for found in log.batches if found.batches >= FEWEST_BATCHES and is_much(found)),
    ]
    first: dict[tuple[VerdictKind, tuple[int, ...], Sayable | None], Verdict] = {}
    for verdict in found:
        first.setdefault((verdict.kind, verdict.stage_ids, None if verdict.stage_ids else verdict.summary), verdict)
    return heaviest_first(first.values())


def _stages(table: StageTable) -> Iterator[Verdict]:
    """Skew, spill, GC and failures of each stage, the shuffles of all."""
    whole = sum(_time(row) for row in table.rows)
    for row in table.rows:
        at, share = at_line(table.name, row.line), round(_time(row) / whole, 4) if whole else 0.0
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
    done = {_stage(row) for row in table.rows if row.status.lower() in COMPLETED}
    ended = [(row, row.status.lower() == FAILED and _stage(row) not in done) for row in table.rows]  # no other attempt ended well
    aborted = [row for row, is_aborted in ended if is_aborted]
    failed = [row for row, is_aborted in ended if row.failed_tasks or is_aborted]
    if failed:
        yield _failed_stages(table, failed, aborted)
    written = sum(row.shuffle_write_bytes or 0 for row in table.rows)
    read = sum(row.input_bytes or 0 for row in table.rows)
    shuffling = [row for row in table.rows if row.shuffle_write_bytes or row.shuffle_read_bytes]
    share = round(sum(_time(row) for row in shuffling) / whole, 4) if whole else 0.0
    yield from _volume(table.name, written, read, ids(shuffling), share)


def _placed(verdict: Verdict, table: StageTable, script: ScriptFacts) -> Verdict:
    """With the place in the script that the row of its stage is called by."""
    row = next((row for row in table.rows if row.stage_id is not None and verdict.stage_ids == (row.stage_id,)), None)
    spots = _spots_of_row(row, verdict.kind, script) if row and not verdict.blame.spots else ()
    return verdict.model_copy(update={"blame": verdict.blame.model_copy(update={"spots": spots})}) if spots else verdict


def _time(row: StageRow) -> float:
    """What weighs a stage: its tasks' time, else its duration, else that of its longest task."""
    return row.task_ms or row.duration_ms or row.task_max_ms or 0.0


def _spill(row: StageRow, at: Statement, share: float) -> Iterator[Verdict]:
    spilled = row.disk_spill_bytes or row.memory_spill_bytes or 0
    read = (row.shuffle_read_bytes or 0) + (row.input_bytes or 0)
    if spilled < SPILL_BYTES or spilled < SPILL_SHARE * read:
        return
    yield Verdict(
        kind=VerdictKind.SPILL,
        severity=problem_if(share >= SPILL_PROBLEM_SHARE),
        stage_ids=ids([row]),
        share=share,
        summary=about_stage(row.stage, _spilled(spilled, read)),
        figures=(
            figure(FigureId.SPILLED, spilled, Unit.BYTES, at, SPILL_BYTES),
            figure(FigureId.READ, read, Unit.BYTES, at),
            figure(FigureId.SHARE_OF_STAGES_TIME, share, Unit.SHARE, at, SPILL_PROBLEM_SHARE),
        ),
    )


def _spilled(spilled: float, read: float) -> Statement:
    if not read:
        return say("reports.verdict.spilled", spilled=statements.size(spilled))
    return say("reports.verdict.spilled_of", spilled=statements.size(spilled), read=statements.size(read))


def _gc(row: StageRow, at: Statement, share: float) -> Iterator[Verdict]:
    if row.gc_ms is None or row.task_ms is None or row.task_ms < GC_STAGE_MS or row.gc_ms < GC_SHARE * row.task_ms:
        return
    part = min(1.0, row.gc_ms / row.task_ms)
    yield Verdict(
        kind=VerdictKind.GC_PRESSURE,
        severity=problem_if(share * part >= GC_RUN_SHARE),
        stage_ids=ids([row]),
        share=round(share * part, 4),
        summary=about_stage(
            row.stage, say("reports.verdict.collection", took=statements.milliseconds(row.gc_ms), share=statements.share(part))
        ),
        figures=(
            figure(FigureId.COLLECTION, row.gc_ms, Unit.MS, at),
            figure(FigureId.TASK_TIME, row.task_ms, Unit.MS, at, GC_STAGE_MS),
            figure(FigureId.COLLECTION_SHARE, part, Unit.SHARE, at, GC_SHARE),
        ),
    )


def _stage(row: StageRow) -> int | str:
    """The stage of a row without its attempt: `3 (retry 1)` is 3."""
    label = row.stage.partition(" (")[0]
    number = stage_number(label)
    return label if number is None else number


def _failed_stages(table: StageTable, failed: list[StageRow], aborted: list[StageRow]) -> Verdict:
    count = sum(row.failed_tasks or 0 for row in failed)
    tasks = sum((row.tasks or 0) + (row.failed_tasks or 0) for row in table.rows)
    share = round(min(1.0, count / max(1, tasks)), 4)
    attempts = say(
        "reports.verdict.failed_attempts",
        attempts=say("spark.task_attempts", n=exactly(count)),
        stages=say("artefacts.stages", n=exactly(len(failed))),
        share=statements.share(share),
    )
    named = listing(*(statements.name(row.stage) for row in aborted[:SHOWN_STAGES]), join=Join.PLAIN)
    stages = say("spark.verdict.aborted_stages", n=exactly(min(len(aborted), SHOWN_STAGES)), stages=named)
    parts = [*([stages] if aborted else []), *([attempts] if count else [])]
    return Verdict(
        kind=VerdictKind.FAILURES,
        severity=problem_if(bool(aborted) or share >= TASK_SHARE or tasks == count),
        stage_ids=ids([*aborted, *failed]),
        share=share,
        summary=say("verdicts.sentences", parts=statements.sentences(*parts)),
        figures=(
            *(figure(FigureId.FAILED_ATTEMPTS, row.failed_tasks or 0, Unit.TASKS, at_line(table.name, row.line), 1) for row in failed[:20]),
            figure(FigureId.ABORTED_STAGES, len(aborted), Unit.COUNT, in_artefact(table.name)),
        ),
        error=next((line for row in aborted if (line := line_of_failure(row.failure))), ""),
    )


def _volume(name: str, written: float, read: float, stage_ids: tuple[int, ...], share: float) -> Iterator[Verdict]:
    """Bytes shuffled against bytes read, where both are known."""
    if written < MIN_SHUFFLED or read <= 0 or written < INPUT_RATIO * read:
        return
    at = in_artefact(name)
    yield Verdict(
        kind=VerdictKind.SHUFFLE_VOLUME,
        severity=problem_if(share >= PROBLEM_SHARE),
        stage_ids=stage_ids,
        share=share,
        summary=say(
            "reports.verdict.volume",
            shuffled=statements.size(written),
            times=statements.ratio(written / read),
            read=statements.size(read),
        ),
        figures=(
            figure(FigureId.SHUFFLED, written, Unit.BYTES, at, MIN_SHUFFLED),
            figure(FigureId.READ, read, Unit.BYTES, at),
            figure(FigureId.SHUFFLED_TO_READ, written / read, Unit.RATIO, at, INPUT_RATIO),
        ),
    )


def _shuffles(log: ShuffleLog, tables: Sequence[StageTable]) -> Iterator[Verdict]:
    """Compared with the input that the log gives, or else with that of a table of stages. The time of the shuffle is not known, so its
    part of all bytes moved is taken as its share."""
    written = sum(row.write_bytes or 0 for row in log.rows) or sum(row.read_bytes or 0 for row in log.rows)
    read = sum(row.input_bytes or 0 for row in log.rows)
    read = read or next((total for table in tables if (total := sum(row.input_bytes or 0 for row in table.rows))), 0.0)
    yield from _volume(log.name, written, read, ids(log.rows), round(written / (written + read), 4) if written else 0.0)


def _failures(log: LogFacts, configurations: Sequence[ConfigurationFacts], script: ScriptFacts) -> Iterator[Verdict]:
    """The faults that a plain log shows, by line. Where memory was short, the settings of memory are added."""
    hit = [event for event in log.events if event.kind in FATAL or event.count >= MANY_EVENTS]
    mild = [event for event in log.events if event not in hit]
    shown = hit or mild
    if not shown:
        return
    first = shown[0]
    is_memory = any(event.kind in (LogEventKind.OUT_OF_MEMORY, LogEventKind.KILLED_FOR_MEMORY) for event in hit)
    yield Verdict(
        kind=VerdictKind.FAILURES,
        severity=problem_if(bool(hit)),
        share=round(min(1.0, sum(event.count for event in hit) / max(1, log.errors, sum(event.count for event in log.events))), 4),
        summary=_reported(shown, _memory(configurations) if is_memory else ()),
        figures=(
            *(_of_event(log.name, event) for event in shown),
            figure(FigureId.ERROR_LINES, log.errors, Unit.COUNT, in_artefact(log.name)),
        ),
        error=first.text[:CHARS],
        blame=Blame(spots=logged_spots(log, first, script)),
    )


def _late(log: LogFacts, found: LoggedBatches) -> Verdict:
    """What a query's batches took beside the work on their rows, and beyond the interval of their trigger."""
    at, share = at_line(log.name, found.line), round(found.lost_share, 4)
    values: dict[str, Value] = {
        "batches": exactly(found.batches),
        "each": statements.milliseconds(found.took_ms / found.batches),
        "rows": measured(found.rows / found.batches, Unit.RECORDS),
        "work": statements.milliseconds(found.work_ms / found.batches),
    }
    parts = [say("reports.verdict.batches", **values)]
    if len(log.batches) > 1:
        parts.insert(0, say("reports.verdict.batches_run", run=statements.name(found.run or "?")))
    if found.behind:
        beyond = statements.milliseconds(found.behind_ms)
        parts.append(say("reports.verdict.batches_behind", n=exactly(found.behind), beyond=beyond))
    return Verdict(
        kind=VerdictKind.STREAMING_TRIGGERS,
        severity=Severity.PROBLEM,
        share=share,
        summary=say("verdicts.sentences", parts=statements.sentences(*parts, say("reports.verdict.batches_look"))),
        figures=(
            figure(FigureId.TIME_LOST, found.lost_ms, Unit.MS, at, LEAST_LOST_MS),
            figure(FigureId.SHARE_OF_RUN, share, Unit.SHARE, at, MUCH_LOST),
        ),
    )


def _of_event(artefact: str, event: LogEvents) -> Figure:
    """Its id is the event's word."""
    name = say_member("artefacts.log_event", event.kind)
    return Figure(id=event.kind.value, name=name, value=event.count, unit=Unit.COUNT, source=at_line(artefact, event.lines[0]), threshold=1)


def _reported(shown: Sequence[LogEvents], settings: Sequence[Code]) -> Statement:
    first = shown[0]
    values = {
        "events": listing(*map(_lines_of_event, shown), join=Join.PLAIN),
        "line": statements.name(first.lines[0]),
        "text": statements.code(first.text[:SHOWN_CHARS]),
    }
    if not settings:
        return say("reports.verdict.log", **values)
    return say("reports.verdict.log_settings", **values, settings=listing(*settings, join=Join.PLAIN))


def _lines_of_event(event: LogEvents) -> Statement:
    return say(
        "reports.event_lines", event=say_member("artefacts.log_event", event.kind), lines=say("artefacts.lines", n=exactly(event.count))
    )


def _memory(configurations: Sequence[ConfigurationFacts]) -> tuple[Code, ...]:
    found = {name: value for facts in configurations for name, value in facts.settings.items() if "memory" in name.lower()}
    return tuple(statements.code(f"{name} = {value}") for name, value in list(found.items())[:SHOWN_SETTINGS])


def _spots_of_row(row: StageRow, kind: VerdictKind, script: ScriptFacts) -> tuple[ScriptSpot, ...]:
    """Of a skewed stage the nearest operation upstream that brings rows of a key together; else the call itself."""
    called = called_at(script, row.name or row.stage)
    if kind is not VerdictKind.DATA_SKEW or not row.shuffle_read_bytes:
        return tuple(spot_of(operation) for operation in called[:1])
    upstream = list(_upstream(script, called))
    for wanted in MAKES_SKEW:
        found = next((operation for operation in upstream if operation.kind is wanted), None)
        if found is not None:
            return (spot_of(found),)
    return tuple(spot_of(operation) for operation in called[:1])


def _upstream(script: ScriptFacts, begins: list[ScriptOperation]) -> Iterator[ScriptOperation]:
    waiting, seen = [operation.number for operation in begins], set[int]()
    while waiting:
        number = waiting.pop(0)
        if number not in seen and number < len(script.operations):
            seen.add(number)
            yield script.operations[number]
            waiting += script.operations[number].inputs
