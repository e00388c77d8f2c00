"""What could not be processed."""

from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any
from uuid import UUID

from contracts.base import Json
from contracts.faults import Fault, FaultAdvice
from contracts.statements import Shown
from workers.blackboard.quarantine import Selection, count_entries, get_entry, give_up_many, group_entries, list_entries, settle
from workers.cli.context import database, services
from workers.cli.reach.remote import gateway
from workers.cli.telling import reader

GIVEN_UP = "given_up"
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


def entries(which: Selection, limit: int) -> tuple[list[Mapping[str, Any]], int]:
    """The newest entries, and how many there are."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        call = fleet.quarantine(**_chosen(which), state=which.state, limit=limit)
        answer = away.answer(call)
        return [_typed(row) for row in answer.value], int(answer.headers["x-total-count"])
    rows = list_entries(database(), which, limit=limit)
    return [*rows], len(rows) if len(rows) < limit else count_entries(database(), which)


def groups(which: Selection) -> list[Mapping[str, Any]]:
    """Entries by source and cause."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        found = away.value(fleet.quarantine_groups(state=which.state or "new", older_s=which.older_s, newer_s=which.newer_s))
        return [_typed(row) for row in found]
    return [*group_entries(database(), which)]


def entry_of(entry: UUID) -> Mapping[str, Any]:
    """One entry with its body as text."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return _typed(away.value(fleet.quarantined(entry)))
    row = get_entry(database(), entry)
    return {**row, "body": bytes(row["body"]).decode("utf-8", "replace")}


def replay(entry: UUID, note: str | None) -> tuple[Shown, UUID | None]:
    """Process an entry again: what was done, and the job that it became or is about."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        done = away.value(fleet.replay_quarantined(entry, note=note))
        return done["did"], None if done["job_id"] is None else UUID(done["job_id"])
    from workers.app.quarantine import replay_entry

    replayed = replay_entry(services(), entry, note=note)
    return replayed.did, replayed.job_id


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


def give_up(entry: UUID, note: str | None) -> None:
    """Settle an entry."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        away.send(fleet.give_up_quarantined(entry, note=note))
        return
    settle(database(), entry, GIVEN_UP, note=note)


def give_up_all(which: Selection, note: str | None) -> int:
    """Settle all new entries of these; how many."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        return away.value(fleet.give_up_quarantine(**_chosen(which), note=note))["done"]
    return give_up_many(database(), which, note=note)


def advice_on(entry: UUID) -> tuple[Fault, FaultAdvice | None]:
    """The fault behind an entry, and what helped with faults like it."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import fleet

        value = away.value(fleet.quarantine_advice(entry))
        advice = None if value["advice"] is None else FaultAdvice.model_validate(value["advice"])
        return Fault.model_validate(value["fault"]), advice
    from workers.kinds.faults import advise_on
    from workers.kinds.registry import load_kinds
    from workers.reading.faults import read_entry_fault, read_solved

    load_kinds(services().settings.extensions)
    fault = read_entry_fault(database(), entry)
    return fault, advise_on(fault, read_solved(database()))


def _chosen(which: Selection) -> dict[str, Any]:
    return {"source": which.source, "cause": which.cause, "older_s": which.older_s, "newer_s": which.newer_s}


def _typed(row: Json) -> Json:
    """Times as times, which a table shows as ages."""
    return {name: datetime.fromisoformat(value) if name.endswith("_at") and value else value for name, value in row.items()}
