"""What could not be processed, where the way matters: how many entries there are, and a bulk replay at a rate."""

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from contracts.base import Json
from workers.blackboard.quarantine import Selection, count_entries, list_entries
from workers.cli.context import database, services
from workers.cli.reach.remote import gateway
from workers.cli.telling import reader

AT_ONCE = 50
"""Entries that a gateway replays in one request. Between two of them the rate is kept."""


@dataclass(frozen=True, slots=True)
class Tried:
    """What a bulk replay did."""

    done: int
    failed: Counter[str]
    """Reason → entries that could not be replayed."""
    left: int
    """Entries that were chosen and not tried."""


def entries(which: Selection, limit: int) -> tuple[list[Json], int]:
    """The newest entries, and how many there are."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        call = fleet.quarantine(**_chosen(which), state=which.state, limit=limit)
        answer = away.answer(call)
        return [*answer.value], int(answer.headers["x-total-count"])
    rows = [dict(row) for row in list_entries(database(), which, limit=limit)]
    return rows, len(rows) if len(rows) < limit else count_entries(database(), which)


def replay_all(which: Selection, *, most: int, a_second: float, note: str | None, progress: Callable[[int], None]) -> Tried:
    """Process the oldest new entries again, at a rate."""
    if gateway() is not None:
        return _replay_away(which, most, a_second, note, progress)
    from workers.app.quarantine import replay_many

    language = reader().language
    made = replay_many(services(), which, most=most, a_second=a_second, note=note, progress=progress, language=language)
    return Tried(made.done, made.failed, made.left)


def _replay_away(which: Selection, most: int, a_second: float, note: str | None, progress: Callable[[int], None]) -> Tried:
    """In parts, so that the rate is kept and a long replay is seen to go on. An entry that fails stays new and is the oldest again, so a
    part in which nothing succeeded is the last."""
    import time

    from bullpen_client.calls import fleet

    away, tried = gateway(), Tried(0, Counter(), 0)
    while away is not None and tried.done < most:
        began, part = time.monotonic(), min(AT_ONCE + sum(tried.failed.values()), most)
        value = away.value(fleet.replay_quarantine(**_chosen(which), limit=min(part, 1_000), note=note))
        tried = Tried(tried.done + value["done"], Counter(value["failed"]), value["left"])
        progress(tried.done)
        if not value["done"] or not value["left"]:
            break
        time.sleep(max(0.0, value["done"] / a_second - (time.monotonic() - began)))
    return tried


def _chosen(which: Selection) -> dict[str, Any]:
    return {"source": which.source, "cause": which.cause, "older_s": which.older_s, "newer_s": which.newer_s}
