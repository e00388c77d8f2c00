"""Skew as a report of it or a table of stages tells it: by keys, by partitions, by the heaviest task of a stage. Uneven times alone are
a hint, for a straggler looks the same."""

from collections.abc import Iterable, Iterator

from contracts import statements
from contracts.artefacts import HotPartition, ShuffleRow, SkewReport, StageRow, UnevenStage
from contracts.code import HotKey
from contracts.figures import FigureId
from contracts.statements import Statement, Value, say
from contracts.verdicts import Blame, ColumnRef, Figure, KeyStatistics, Severity, Unit, Verdict, VerdictKind
from workers.engines.artefacts.stage_quantiles import ALL_STAGES
from workers.engines.counts import exactly
from workers.engines.scripts.keys import is_sentinel
from workers.engines.spark.verdicts.skew import MIN_EXCESS_MS
from workers.engines.spark.verdicts.straggler import TIME_RATIO as UNEVEN_TIME_RATIO
from workers.engines.verdicts import at_line, figure, in_artefact, measured, problem_if
from workers.engines.verdicts.thresholds import DATA_RATIO, MIN_TASKS, TIME_RATIO
from workers.engines.verdicts.thresholds import MIN_TASK_BYTES as MIN_BYTES
from workers.engines.verdicts.thresholds import MIN_TASK_RECORDS as MIN_RECORDS

HOT_SHARE = 0.2
"""Share of all rows from which on a key is heavy: of the usual 200 partitions, one with a fifth of the rows has 40 times its part."""

MOST_KEYS = 5
NULL = "null"
"""How reports write a null key."""

MILLION = 1_000_000


def reported_skew(report: SkewReport) -> Iterator[Verdict]:
    """By keys and partitions, a verdict for each stage or column; then by stages. A report tells no times, so the part of the rows in one
    place stands for the part of time that it touches."""
    groups: dict[tuple[str, str, str, bool], list[HotPartition]] = {}
    for partition in report.partitions:
        groups.setdefault((partition.stage, partition.table, partition.column, partition.key is not None), []).append(partition)
    for (_, _, _, is_key), rows in groups.items():
        verdict = _hot_keys(report.name, rows) if is_key else _hot_partition(report.name, rows)
        if verdict is not None:
            yield verdict
    for stage in report.stages:
        yield from uneven_stage(report.name, stage)


def _hot_keys(name: str, rows: list[HotPartition]) -> Verdict | None:
    """Keys that carry much of all rows."""
    hot = sorted((row for row in rows if (row.share or 0) >= HOT_SHARE), key=lambda row: -(row.share or 0))[:MOST_KEYS]
    if not hot or (hot[0].records is not None and hot[0].records < MIN_RECORDS):
        return None
    worst = hot[0]
    share = worst.share or 0
    column = ".".join(filter(None, (worst.table, worst.column)))
    top = tuple(_key(row) for row in sorted(rows, key=lambda row: -(row.share or 0)))
    return Verdict(
        kind=VerdictKind.DATA_SKEW,
        severity=Severity.PROBLEM,
        stage_ids=ids([worst]),
        share=round(share, 4),
        summary=_hot_key(worst, column),
        figures=tuple(_hot_figures(name, hot)),
        blame=Blame(
            columns=(ColumnRef(table=worst.table, column=worst.column),) if worst.column else (),
            tables=(worst.table,) if worst.table else (),
            keys=tuple(
                KeyStatistics(
                    column=ColumnRef(table=row.table, column=row.column),
                    value=row.key or "",
                    rows=int(row.records or 0),
                    share=row.share or 0,
                    table_rows=int(row.records / row.share) if row.records and row.share else 0,
                    is_sentinel=is_sentinel(_key(row), top),
                )
                for row in hot
                if row.column
            ),
        ),
    )


def _hot_key(worst: HotPartition, column: str) -> Statement:
    values = {
        "where": say("reports.column", column=statements.name(column)) if column else say("reports.a_column"),
        "key": statements.quote(worst.key or ""),
        "share": statements.share(worst.share or 0),
    }
    if worst.records is None:
        return say("reports.verdict.hot_key", **values)
    return say("reports.verdict.hot_key_rows", **values, rows=measured(worst.records, Unit.RECORDS))


def _key(row: HotPartition) -> HotKey:
    """The row as a key, to be compared with its neighbours. Where the report has only shares, a share is its weight."""
    weight = row.records if row.records is not None else (row.share or 0) * MILLION
    return HotKey(value=None if row.key == NULL else row.key, rows=int(weight), share=row.share or 0)


def _hot_figures(name: str, hot: Iterable[HotPartition]) -> Iterator[Figure]:
    for row in hot:
        key, at = statements.quote(row.key or ""), at_line(name, row.line)
        shown = say("reports.share_of_key", key=key)
        yield figure(FigureId.SHARE_OF_KEY, row.share or 0, Unit.SHARE, at, HOT_SHARE, name=shown)
        if row.records is not None:
            shown = say("reports.rows_of_key", key=key)
            yield figure(FigureId.ROWS_OF_KEY, row.records, Unit.RECORDS, at, MIN_RECORDS, name=shown)


def _hot_partition(name: str, rows: list[HotPartition]) -> Verdict | None:
    """The heaviest of all listed partitions of a stage against the usual one; of few the median says nothing."""
    by_bytes = [row for row in rows if row.size_bytes is not None]
    by_records = [row for row in rows if row.records is not None]
    listed, is_bytes = (by_bytes, True) if by_bytes else (by_records, False)
    weigh = _size if is_bytes else _records
    if len(listed) < MIN_TASKS:
        return None
    worst = max(listed, key=weigh)
    usual = sorted(weigh(row) for row in listed)[len(listed) // 2]
    if weigh(worst) < (MIN_BYTES if is_bytes else MIN_RECORDS) or weigh(worst) < DATA_RATIO * max(usual, 1):
        return None
    unit, at = Unit.BYTES if is_bytes else Unit.RECORDS, at_line(name, worst.line)
    whole = sum(weigh(row) for row in listed)
    return Verdict(
        kind=VerdictKind.DATA_SKEW,
        severity=Severity.PROBLEM,
        stage_ids=ids([worst]),
        share=round(weigh(worst) / whole, 4),
        summary=about_stage(
            worst.stage,
            say(
                "reports.verdict.hot_partition",
                partition=statements.name(worst.partition),
                listed=exactly(len(listed)),
                got=measured(weigh(worst), unit),
                share=statements.share(weigh(worst) / whole),
                times=statements.ratio(weigh(worst) / max(usual, 1)),
            ),
        ),
        figures=(
            figure(FigureId.HEAVIEST_PARTITION, weigh(worst), unit, at, MIN_BYTES if is_bytes else MIN_RECORDS),
            figure(FigureId.USUAL_PARTITION, usual, unit, in_artefact(name)),
            figure(FigureId.HEAVIEST_TO_USUAL, weigh(worst) / max(usual, 1), Unit.RATIO, at, DATA_RATIO),
            figure(FigureId.SHARE_IN_ONE_PARTITION, weigh(worst) / whole, Unit.SHARE, at),
        ),
    )


def _size(row: HotPartition) -> float:
    return row.size_bytes or 0


def _records(row: HotPartition) -> float:
    return row.records or 0


def uneven_stage(name: str, stage: UnevenStage) -> Iterator[Verdict]:
    """A stage by its heaviest and its usual task: by data it is skew, by time or an unnamed ratio a hint at it."""
    at = at_line(name, stage.line)
    if stage.tasks is not None and stage.tasks < MIN_TASKS:
        return
    for most, usual, unit, tiny in (
        (stage.max_bytes, stage.median_bytes, Unit.BYTES, MIN_BYTES),
        (stage.max_records, stage.median_records, Unit.RECORDS, MIN_RECORDS),
    ):
        if most is None or usual is None:
            continue
        if most >= tiny and most >= DATA_RATIO * max(usual, 1):
            times = (stage.max_ms, stage.median_ms)
            is_felt = times[0] is None or times[1] is None or times[0] >= TIME_RATIO * max(times[1], 1)
            yield Verdict(
                kind=VerdictKind.DATA_SKEW,
                severity=problem_if(is_felt),
                stage_ids=ids([stage]),
                share=_share_of_wait(stage.max_ms, stage.median_ms),
                summary=about_stage(
                    stage.stage,
                    _heavy(stage, measured(most, unit), most / max(usual, 1)),
                ),
                figures=(
                    figure(FigureId.HEAVIEST_TASK, most, unit, at, tiny),
                    figure(FigureId.USUAL_TASK, usual, unit, at),
                    figure(FigureId.HEAVIEST_TO_USUAL, most / max(usual, 1), Unit.RATIO, at, DATA_RATIO),
                    *_slow(at, stage),
                ),
            )
        return
    yield from _by_time(at, stage)


def _heavy(stage: UnevenStage, got: Value, times: float) -> Statement:
    values = {"got": got, "times": statements.ratio(times)}
    if stage.max_ms is None or not stage.median_ms:
        return say("reports.verdict.heavy_task", **values)
    slower = statements.ratio(stage.max_ms / stage.median_ms)
    return say("reports.verdict.heavy_slow_task", **values, took=statements.milliseconds(stage.max_ms), slower=slower)


def _slow(at: Statement, stage: UnevenStage) -> Iterator[Figure]:
    if stage.max_ms is not None and stage.median_ms:
        yield figure(FigureId.TIME_TO_USUAL, stage.max_ms / stage.median_ms, Unit.RATIO, at, TIME_RATIO)


def _by_time(at: Statement, stage: UnevenStage) -> Iterator[Verdict]:
    longest, usual = stage.max_ms, stage.median_ms
    if longest is not None and usual is not None:
        if longest < UNEVEN_TIME_RATIO * max(usual, 1) or longest - usual < MIN_EXCESS_MS:
            return
        summary = say("reports.verdict.long_task", took=statements.milliseconds(longest), usual=statements.milliseconds(usual))
        ratio = longest / max(usual, 1)
        times = (figure(FigureId.LONGEST_TASK, longest, Unit.MS, at), figure(FigureId.USUAL_TASK, usual, Unit.MS, at))
    elif stage.ratio is not None and stage.ratio >= DATA_RATIO:
        summary, ratio, times = say("reports.verdict.ratio", ratio=statements.number(stage.ratio, 1)), stage.ratio, ()
    else:
        return
    yield Verdict(
        kind=VerdictKind.DATA_SKEW,
        severity=Severity.HINT,
        stage_ids=ids([stage]),
        share=_share_of_wait(longest, usual),
        summary=about_stage(stage.stage, summary),
        figures=(*times, figure(FigureId.LONGEST_TO_USUAL, ratio, Unit.RATIO, at, UNEVEN_TIME_RATIO)),
    )


def _share_of_wait(longest: float | None, usual: float | None) -> float:
    """The part of the longest task's time beyond the usual task's time; 0 where it is not known."""
    if longest is None or usual is None or longest <= usual:
        return 0.0
    return round((longest - usual) / longest, 4)


def ids(rows: Iterable[StageRow | UnevenStage | HotPartition | ShuffleRow]) -> tuple[int, ...]:
    """The numbers of the stages that rows are about, each once."""
    return tuple(dict.fromkeys(row.stage_id for row in rows if row.stage_id is not None))


def about_stage(stage: str, statement: Statement) -> Statement:
    """A sentence about a stage, where the report names it, or about the sums of all."""
    if stage == ALL_STAGES:
        return say("reports.about_all_stages", said=statement)
    return (
        say("reports.about_stage", stage=statements.name(stage), said=statement) if stage else say("reports.about_no_stage", said=statement)
    )
