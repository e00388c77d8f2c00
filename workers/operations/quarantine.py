"""What could not be processed: one entry or many are processed again, or given up."""

from typing import Any
from uuid import UUID

from contracts.base import Contract
from contracts.faults import Fault, FaultAdvice
from workers.blackboard.quarantine import (
    GIVEN_UP,
    NEW,
    EntryReplayed,
    Selection,
    get_entry,
    give_up_many,
    group_entries,
    list_entries,
    settle,
)
from workers.operations.base import Asker, Here, operation


class ManyGivenUp(Contract):
    """How many were settled."""

    done: int


class EntryAdvice(Contract):
    """A fault, and what helped before."""

    fault: Fault
    advice: FaultAdvice | None
    """None: nothing like it was solved before."""


@operation("fleet.quarantine")
def quarantine(
    here: Here, asker: Asker, *, state: str | None = None, source: str | None = None, cause: str | None = None,
    older_s: float | None = None, newer_s: float | None = None, limit: int = 50,
) -> list[dict[str, Any]]:  # fmt: skip
    """What could not be processed, the newest first. Entries without a job are seen where everything may be seen."""
    which = Selection(state, source, cause, older_s, newer_s, asker.only_owner)
    return [dict(row) for row in list_entries(here.db, which, limit=limit)]


@operation("fleet.quarantine_groups")
def quarantine_groups(
    here: Here, asker: Asker, *, state: str = NEW, older_s: float | None = None, newer_s: float | None = None
) -> list[dict[str, Any]]:
    """Entries by source and cause, the most frequent first."""
    return [dict(row) for row in group_entries(here.db, Selection(state, None, None, older_s, newer_s, asker.only_owner))]


@operation("fleet.quarantined")
def quarantined(here: Here, asker: Asker, entry_id: UUID) -> dict[str, Any]:
    """An entry with the beginning of its body as text. Raises `NotFound`."""
    row = get_entry(here.db, entry_id, owner=asker.only_owner)
    return {**row, "body": bytes(row["body"]).decode("utf-8", "replace")}


@operation("fleet.replay_quarantined")
def replay_quarantined(here: Here, asker: Asker, entry_id: UUID, *, note: str | None = None) -> EntryReplayed:
    """Process an entry again: a submission becomes a job, a step is replayed, a message of the fleet is sent again. Raises `NotFound`, and
    `Conflict` for one that was settled."""
    from workers.app.quarantine import replay_entry  # loads Celery, which the other operations do without

    get_entry(here.db, entry_id, owner=asker.only_owner)
    return replay_entry(here.services, entry_id, note=note)


@operation("fleet.give_up_quarantined")
def give_up_quarantined(here: Here, asker: Asker, entry_id: UUID, *, note: str | None = None) -> None:
    """Settle an entry: it is kept until a purge, and needs no further attention. Raises `NotFound` and `Conflict`."""
    get_entry(here.db, entry_id, owner=asker.only_owner)
    settle(here.db, entry_id, GIVEN_UP, note=note)


@operation("fleet.give_up_quarantine")
def give_up_quarantine(
    here: Here, asker: Asker, *, source: str | None = None, cause: str | None = None, older_s: float | None = None,
    newer_s: float | None = None, note: str | None = None,
) -> ManyGivenUp:  # fmt: skip
    """Settle all new entries that fit."""
    which = Selection(NEW, source, cause, older_s, newer_s, asker.only_owner)
    return ManyGivenUp(done=give_up_many(here.db, which, note=note))


@operation("fleet.quarantine_advice")
def quarantine_advice(here: Here, asker: Asker, entry_id: UUID) -> EntryAdvice:
    """The fault behind an entry, and what helped with faults like it before: notes of operators, replays that succeeded."""
    from workers.kinds.faults import advise_on
    from workers.kinds.registry import load_kinds
    from workers.reading.faults import read_entry_fault, read_solved

    load_kinds(here.settings.extensions)
    get_entry(here.db, entry_id, owner=asker.only_owner)
    fault = read_entry_fault(here.db, entry_id)
    return EntryAdvice(fault=fault, advice=advise_on(fault, read_solved(here.db, owner=asker.only_owner)))
