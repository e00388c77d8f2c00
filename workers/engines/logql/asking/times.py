"""The time that a search names, on the clock of its user."""

from datetime import UTC, datetime, timedelta, timezone

from workers.engines.logql.asking.grammar import Node
from workers.engines.logql.tokens import DURATION_NS, duration_ns

_UNITS = {"SECOND": "s", "MINUTE": "m", "HOUR": "h", "DAY": "d", "WEEK": "w"}
_NUMBERS = {name: number for number, name in enumerate(("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN"), 1)}
_DAYS_BACK = {"TODAY": 0, "YESTERDAY": 1, "BEFORE_YESTERDAY": 2}
Span = tuple[datetime, datetime]


def length_ns(node: Node) -> int:
    """Nanoseconds of `2h`, `two hours`, 半小时."""
    if (given := node.token("LENGTH")) is not None:
        return duration_ns(given.text) or 0
    unit = next(DURATION_NS[_UNITS[kind]] for token in reversed(node.tokens) for kind in token.kinds if kind in _UNITS)
    if (number := node.token("NUMBER")) is not None:
        return round(float(number.text) * unit)
    named = node.token("HALF", *_NUMBERS)
    return unit if named is None else unit // 2 if "HALF" in named.kinds else unit * next(_NUMBERS[kind] for kind in named.kinds)


def span_of(node: Node, now: datetime) -> Span | None:
    """The time that a `range` names; None: the calendar has no such time, it ends before it begins, or it has not begun. A change of the
    clock within it changes no length."""
    now = now.astimezone(UTC) if node.token("UTC") else now
    try:
        start, end = (_settled(moment) for moment in _span(node, now))
    except (ValueError, OverflowError):
        return None
    return (start, end) if start < end and start < now else None


def back_from(now: datetime, length_ns: int) -> Span:
    """The time of this length that ends now, in the zone of `now`."""
    return _settled((now.astimezone(UTC) - timedelta(microseconds=length_ns / 1_000)).astimezone(now.tzinfo)), _settled(now)


def _span(node: Node, now: datetime) -> Span:
    if (length := node.first("exactly")) is not None:
        return back_from(now, length_ns(length))
    first, last = node.first("first"), node.first("last")
    today = now.replace(hour=0, minute=0, second=0, microsecond=0)
    start, _ = _moment(first or node, today, today)
    if last is None:
        is_open = node.token("SINCE", "ONWARDS") is not None
        return start, now if is_open or start <= now < start + timedelta(days=1) else start + timedelta(days=1)
    if last.first("moment") is None:
        return start, now
    end, is_day = _moment(last, today, start.replace(hour=0, minute=0, second=0, microsecond=0))
    if is_day:
        return start, now if end <= now < end + timedelta(days=1) else end + timedelta(days=1)
    return start, end + timedelta(days=1) if end <= start and last.first("day") is None else end


def _moment(node: Node, today: datetime, midnight: datetime) -> tuple[datetime, bool]:
    """The moment, and whether it is a whole day. `midnight`: of the day of a time without a date. Raises `ValueError`."""
    day, clock = node.first("day"), node.first("clock")
    if day is not None:
        date, named = day.token("DATE"), day.token(*_DAYS_BACK)
        back = next((back for kind, back in _DAYS_BACK.items() if named is not None and kind in named.kinds), 0)
        midnight = today - timedelta(days=back) if date is None else datetime.fromisoformat(date.text[:10]).replace(tzinfo=today.tzinfo)
    return midnight + _clock(clock) if clock is not None else midnight, clock is None


def _clock(node: Node) -> timedelta:
    if (given := node.token("CLOCK")) is not None:
        at = datetime.strptime(given.text.zfill(5), "%H:%M:%S" if given.text.count(":") == 2 else "%H:%M")  # noqa: DTZ007 a time of day
        return timedelta(hours=at.hour, minutes=at.minute, seconds=at.second)
    number, half = node.token("NUMBER"), node.token("AM", "PM")
    hour = int(number.text if number is not None else "")
    if not 0 <= hour <= (24 if half is None else 12):
        raise ValueError
    return timedelta(hours=hour if half is None else hour % 12 + 12 * ("PM" in half.kinds))


def _settled(at: datetime) -> datetime:
    """The same moment with the offset that its zone has then: the difference of two such moments is the time between them."""
    return at.replace(tzinfo=timezone(at.utcoffset() or timedelta()))
