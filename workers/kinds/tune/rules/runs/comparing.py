"""The overview of several runs: their order, and for each job whether its latest run was slower than the earlier ones, and why."""

import re
from collections import defaultdict
from collections.abc import Iterator, Sequence

from contracts.statements import Statement, Value, code, count, listing, member_term, milliseconds, name, ratio, say, size
from contracts.tune.runs import RunEnd, RunsCompared, SlowerJob, UnreadRun
from workers.kinds.tune.rules.runs.profile import RunProfile
from workers.kinds.tune.rules.saying import kinds_named, shown_name

SLOWER = 1.3
"""Times the earlier runs' time from which on a run counts as slower. Two runs of one job on one machine differ by a fifth each
(the measured spread of the what-if pairs), so together by 1.28."""

LEAST_MS = 5_000
"""A growth below this is not worth a look, even if the run took many times as long."""

PART = 0.2
"""Share of the growth from which on a stage or a part of the time is named."""

MOST_REASONS = 3
"""Stages, or parts of the time, of one job."""

MOST_SETTINGS = 5

DATED = re.compile(
    r"\d{4}[-_./]?\d{2}[-_./]?\d{2}(?:[-_T ]?\d{2}[:_-]?\d{2}(?:[:_-]?\d{2})?)?|\d{6,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}"
)
"""Parts of a name that are a date, a time or an id: two runs of a job differ in them."""

NOBODYS = re.compile(r"^$|^(?:pyspark-?shell|spark[ -]shell|sparksql::.*|zeppelin|livy.*|databricks shell)$", re.IGNORECASE)
"""Names that Spark gives to sessions of any content."""


def compared(profiles: Sequence[RunProfile], chosen: str, unread: Sequence[UnreadRun]) -> RunsCompared:
    """All runs, the worst first, and the jobs that became slower. `chosen`: the event log of the run that is reported, or empty for the
    worst one."""
    ranked = sorted((profile.line for profile in profiles), key=lambda line: (line.end is not RunEnd.FAILED, -line.lost_ms, line.artefact))
    return RunsCompared(
        chosen=chosen or (ranked[0].artefact if ranked else ""),
        runs=tuple(ranked),
        slower=tuple(sorted(_slower(profiles), key=lambda job: job.before_ms - job.after_ms)),
        unread=tuple(unread),
    )


def _slower(profiles: Sequence[RunProfile]) -> Iterator[SlowerJob]:
    by_job: defaultdict[str, list[RunProfile]] = defaultdict(list)
    for profile in profiles:
        if profile.line.end is RunEnd.SUCCEEDED and profile.line.wall_ms and not NOBODYS.match(profile.line.app_name.strip()):
            by_job[DATED.sub("#", profile.line.app_name)].append(profile)
    for runs in by_job.values():
        *earlier, latest = sorted(runs, key=lambda profile: (profile.line.started_at or 0, profile.line.artefact))
        if not earlier:
            continue
        before = sorted(earlier, key=_took)[(len(earlier) - 1) // 2]
        if _took(latest) >= SLOWER * _took(before) and _took(latest) - _took(before) >= LEAST_MS:
            yield SlowerJob(
                app_name=latest.line.app_name,
                before=before.line.artefact,
                after=latest.line.artefact,
                before_ms=_took(before),
                after_ms=_took(latest),
                earlier_runs=len(earlier),
                reasons=(*_where(before, latest), *_why(before, latest)),
            )


def _took(profile: RunProfile) -> int:
    return profile.line.wall_ms or 0


def _where(before: RunProfile, after: RunProfile) -> Iterator[Statement]:
    """The parts of the time and the stages that grew most, and stages that are new."""
    grown = _took(after) - _took(before)
    parts = {part: ms - before.parts.get(part, 0.0) for part, ms in after.parts.items()}
    largest = sorted((item for item in parts.items() if item[1] >= PART * grown), key=lambda item: -item[1])[:MOST_REASONS]
    if largest:
        yield say(
            "tune.runs.parts",
            grown=milliseconds(grown),
            parts=listing(*(say("tune.runs.part", part=member_term("tune.time", part), more=milliseconds(ms)) for part, ms in largest)),
        )
    stages = [(ms - before.stages.get(stage, (0, 0))[1], stage) for stage, (_, ms) in after.stages.items()]
    for more, stage in sorted(stages, key=lambda item: -item[0])[:MOST_REASONS]:
        if more < PART * grown:
            continue
        number, took = after.stages[stage]
        known = before.stages.get(stage)
        values = {"stage": name(number), "after": milliseconds(took)}
        yield (
            say("tune.runs.new_stage", **values)
            if known is None
            else say("tune.runs.stage", was=name(known[0]), before=milliseconds(known[1]), **values)
        )


def _why(before: RunProfile, after: RunProfile) -> Iterator[Statement]:
    """What differs between the runs: data, plan, problems, machines, settings."""
    more_data = after.read_bytes / before.read_bytes if before.read_bytes else 1.0
    data = {"before": size(before.read_bytes), "after": size(after.read_bytes)}
    if more_data >= SLOWER:
        values = {"times": ratio(more_data), **data}
        is_all = _took(after) / _took(before) <= SLOWER * more_data
        yield say("tune.runs.more_data_all", **values) if is_all else say("tune.runs.more_data", **values)
    elif before.read_bytes:
        yield say("tune.runs.same_data", **data)
    if before.shuffled_bytes and after.shuffled_bytes >= SLOWER * max(1.0, more_data) * before.shuffled_bytes:
        yield say("tune.runs.more_shuffled", before=size(before.shuffled_bytes), after=size(after.shuffled_bytes))
    if before.joins != after.joins:
        gone, come = before.joins - after.joins, after.joins - before.joins
        yield say("tune.runs.joins", before=_counted(gone), after=_counted(come))
    new = after.problems - before.problems
    if new:
        yield say("tune.runs.new_problems", kinds=kinds_named(sorted(new)))
    if after.lost_ms - before.lost_ms >= PART * (_took(after) - _took(before)):
        yield say("tune.runs.failed_attempts", before=milliseconds(before.lost_ms), after=milliseconds(after.lost_ms))
    if before.slots and after.slots and after.slots != before.slots:
        yield say("tune.runs.slots", before=count(before.slots), after=count(after.slots))
    yield from _settings(before, after)


def _counted(operators: dict[str, int]) -> Value:
    if not operators:
        return say("tune.runs.no_join")
    return listing(*(say("tune.runs.operator", n=count(n), operator=name(operator)) for operator, n in sorted(operators.items())))


def _settings(before: RunProfile, after: RunProfile) -> Iterator[Statement]:
    changed = [key for key in sorted({*before.settings, *after.settings}) if before.settings.get(key) != after.settings.get(key)]
    for key in changed[:MOST_SETTINGS]:
        old, new = before.settings.get(key), after.settings.get(key)
        values = {
            "before": shown_name(old) if old is not None else say("tune.runs.not_set"),
            "after": shown_name(new) if new is not None else say("tune.runs.not_set"),
        }
        yield say("tune.runs.setting", setting=code(key), **values)
    if len(changed) > MOST_SETTINGS:
        yield say("tune.runs.more_settings", n=count(len(changed) - MOST_SETTINGS))
