"""What the numbers of a log or of metrics mean, by the reading rule of their check."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC

from contracts.checks import (
    CURVE_KEPT,
    ROWS_KEPT,
    CheckFinding,
    CheckOutcome,
    Compared,
    Presence,
    Rule,
    SensorCheck,
    SensorKind,
    Threshold,
    Trend,
    Unit,
)
from contracts.log_sources import LogLine, LogPoint
from contracts.statements import Sayable, Statement, Value, count, name, number, passage, say, seconds, share, size

LEAST_POINTS = 5
"""Points of a trend: a line through fewer says nothing."""
LEAST_COVER = 0.5
"""Part of a trend's time that its points have to span."""
LEAST_FIT = 0.5
"""Part of the spread that a line explains (R²), from which it is a trend and not a zigzag."""
_LINE = 300
"""Characters of a line in a finding."""


@dataclass(frozen=True, slots=True)
class Seen:
    """The numbers of a series: now, an hour before, the same hour a week ago (None: not known), and over time."""

    labels: str = ""
    now: float | None = None
    before: float | None = None
    last_week: float | None = None
    curve: Sequence[LogPoint] = ()


@dataclass(frozen=True, slots=True)
class Sensed:
    """A check of a sensor as it was looked at."""

    check: SensorCheck
    seen: Sequence[Seen] = ()
    lines: Sequence[LogLine] = field(default=())
    query: str = ""
    is_cut: bool = False
    """There were more series than its source gives, and nobody knows what the others are like."""
    why_not: Sayable = ""
    """Why it was not looked at."""
    ms: int = 0


@dataclass(frozen=True, slots=True)
class _Verdict:
    outcome: CheckOutcome
    badness: float = 0.0
    """From 0 at the bar to 1 at the worst."""
    within_s: float | None = None


def read_sensed(sensed: Sensed) -> CheckFinding:
    """What a check found. A series that cannot be decided leaves the check undecided, unless another one confirms it."""
    check = sensed.check
    found = CheckFinding(
        check=check.name, group=check.group, outcome=CheckOutcome.UNDECIDED, is_cause=check.is_cause, sensor=check.kind.value,
        says=sensed.why_not or say("check.sees_nothing"), ms=sensed.ms,
    )  # fmt: skip
    if sensed.why_not or not sensed.seen:
        return found
    verdicts = [(_verdict(check.rule, seen), seen) for seen in sensed.seen]
    confirmed = [pair for pair in verdicts if pair[0].outcome is CheckOutcome.CONFIRMED]
    if not confirmed:
        if any(verdict.outcome is CheckOutcome.UNDECIDED for verdict, _ in verdicts):
            why = "check.no_trend" if isinstance(check.rule, Trend) else "check.no_comparison"
            return found.model_copy(update={"says": say(why)})
        if sensed.is_cut:
            return found.model_copy(update={"says": say("check.cut", seen=count(len(sensed.seen), exact=True))})
        return found.model_copy(update={"outcome": CheckOutcome.DENIED, "says": text_of_check(check, "fine")})
    confirmed.sort(key=lambda pair: (-pair[0].badness, pair[1].labels))
    verdict, worst = confirmed[0]
    values = _values(check, verdict, worst, sensed.lines)
    is_log = check.kind is SensorKind.LOGS
    rows = tuple((moment_of(line), line.line[:_LINE]) for line in sensed.lines[:ROWS_KEPT]) if is_log else tuple(
        (seen.labels, seen.now, seen.before, seen.last_week) for _, seen in confirmed[:ROWS_KEPT]
    )  # fmt: skip
    return found.model_copy(
        update={
            "outcome": CheckOutcome.CONFIRMED,
            "severity": check.severity + (1 - check.severity) * verdict.badness,
            "says": text_of_check(check, "found", values),
            "advice": text_of_check(check, "advice", values) if check.is_cause else "",
            "columns": ("at", "line") if is_log else ("series", "now", "hour_before", "last_week"),
            "rows": rows,
            "count": len(sensed.lines) if is_log else len(confirmed),
            "sql": sensed.query,
            "curve": tuple(worst.curve)[-CURVE_KEPT:],
        }
    )


def moment_of(line: LogLine) -> str:
    """When a line was written, with the zone: a log beside it may be in another one."""
    return f"{line.at.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def text_of_check(check: SensorCheck, what: str, values: dict[str, Value] | None = None) -> Statement:
    """`found`, `fine` or `advice` of a check."""
    return say(f"check.{check.kind.value}.{check.name}.{what}", **(values or {}))


def _verdict(rule: Rule, seen: Seen) -> _Verdict:
    match rule:
        case Trend():
            return _trend(rule, seen)
        case _ if seen.now is None:
            return _Verdict(CheckOutcome.UNDECIDED)
        case Threshold():
            return _threshold(rule, seen.now)
        case Presence():
            return _Verdict(CheckOutcome.CONFIRMED if seen.now else CheckOutcome.DENIED)
        case Compared():
            return _compared(rule, seen.now, seen)


def _threshold(rule: Threshold, now: float) -> _Verdict:
    bar = rule.above if rule.above is not None else rule.below or 0.0
    is_beyond = now > bar if rule.above is not None else now < bar
    if not is_beyond:
        return _Verdict(CheckOutcome.DENIED)
    worst = bar if rule.worst is None else rule.worst
    return _Verdict(CheckOutcome.CONFIRMED, 0.0 if worst == bar else min(1.0, max(0.0, (now - bar) / (worst - bar))))


def _compared(rule: Compared, now: float, seen: Seen) -> _Verdict:
    if now < rule.least:
        return _Verdict(CheckOutcome.DENIED)
    known = [value for value in (seen.before, seen.last_week) if value is not None]
    if not known:
        return _Verdict(CheckOutcome.UNDECIDED)
    return _Verdict(CheckOutcome.CONFIRMED if now >= rule.factor * max(known) else CheckOutcome.DENIED)


def _trend(rule: Trend, seen: Seen) -> _Verdict:
    """By least squares over the curve."""
    points = [(point.at.timestamp(), point.value) for point in seen.curve if point.value is not None]
    if len(points) < LEAST_POINTS or points[-1][0] - points[0][0] < LEAST_COVER * rule.over_s:
        return _Verdict(CheckOutcome.UNDECIDED)
    toward = rule.toward or ("down" if rule.reaches == 0 else None)
    if toward is None:
        return _Verdict(CheckOutcome.UNDECIDED)
    n, end, newest = len(points), points[-1][0], points[-1][1]
    if newest >= rule.reaches if toward == "up" else newest <= rule.reaches:
        return _Verdict(CheckOutcome.CONFIRMED, 1.0, 0.0)  # it is there
    mean_at, mean = sum(at for at, _ in points) / n, sum(value for _, value in points) / n
    spread_at = sum((at - mean_at) ** 2 for at, _ in points)
    spread = sum((value - mean) ** 2 for _, value in points)
    shared = sum((at - mean_at) * (value - mean) for at, value in points)
    if not spread:
        return _Verdict(CheckOutcome.DENIED)
    slope, fit = shared / spread_at, shared**2 / (spread_at * spread)
    left = rule.reaches - (mean + slope * (end - mean_at))
    if fit < LEAST_FIT or left * slope <= 0:
        return _Verdict(CheckOutcome.DENIED)
    within_s = left / slope
    if within_s > rule.within_s:
        return _Verdict(CheckOutcome.DENIED)
    return _Verdict(CheckOutcome.CONFIRMED, 1 - within_s / rule.within_s, within_s)


def _values(check: SensorCheck, verdict: _Verdict, worst: Seen, lines: Sequence[LogLine]) -> dict[str, Value]:
    """What a sentence may name."""
    values: dict[str, Value] = {
        "value": measured(worst.now, check.unit),
        "before": measured(worst.before, check.unit),
        "last_week": measured(worst.last_week, check.unit),
    }
    if check.kind is SensorKind.LOGS:
        values["line"] = passage(" ".join(lines[0].line.split())[:_LINE]) if lines else name("-")
        values["window"] = seconds(check.window_s)
    else:
        values["series"] = name(worst.labels or "-")
    if verdict.within_s is not None:
        values["within"] = seconds(round(verdict.within_s))
    return values


def measured(value: float | None, unit: Unit) -> Value:
    """A number with its unit; `-` where it is not known."""
    if value is None:
        return name("-")
    match unit:
        case Unit.SECONDS:
            return seconds(value)
        case Unit.BYTES:
            return size(max(0.0, value))
        case Unit.SHARE:
            return share(value)
        case Unit.COUNT:
            return count(round(value))
        case Unit.NUMBER:
            return number(value)
