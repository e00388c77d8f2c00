"""Ages and times as people type them: `2h`, `30d`, `2026-11-21`."""

import re
from datetime import UTC, datetime, timedelta

from contracts.statements import quote, say
from workers.errors import InvalidInput

_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86_400, "w": 604_800}
_MOST = timedelta(days=36_500)


def read_age(text: str) -> timedelta:
    """`90s`, `15m`, `2h`, `30d`, `4w`. Raises `InvalidInput`."""
    found = re.fullmatch(r"\s*(\d{1,9}(?:\.\d{1,6})?)\s*([smhdw])\s*", text)
    seconds = 0.0 if found is None else float(found[1]) * _SECONDS[found[2]]
    if found is None or seconds > _MOST.total_seconds():
        raise InvalidInput.of(say("refused.cli.age", given=quote(text[:40])))
    return timedelta(seconds=seconds)


def read_time(text: str) -> datetime:
    """An age before now, or an ISO date or time (without an offset: the local time). Raises `InvalidInput`."""
    if re.fullmatch(r"\s*[\d.]+\s*[a-z]\s*", text):
        return datetime.now(UTC) - read_age(text)
    try:
        return datetime.fromisoformat(text.strip()).astimezone()
    except (ValueError, OverflowError):
        raise InvalidInput.of(say("refused.cli.time", given=quote(text[:40]))) from None
