"""What a fork does otherwise than the job that it was copied from: parameters of the stages that it did again, and what a person wrote."""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from contracts.base import Json
from contracts.stages import INPUT
from workers.blackboard.board import OPERATOR
from workers.blackboard.engine import Database
from workers.coordinator.edits import Change
from workers.errors import NotFound
from workers.reading.deliverables import read_current
from workers.reading.facts import JobFacts

COPIED_REV = 1
"""The revision of a fork at which everything copied, and the request to do its stage again, was written."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A stage that is not as in the other job."""

    stage: str
    task: str | None
    changes: tuple[Change, ...] = ()
    """Its parameters here and there. Empty: it was done again as it was."""
    is_written: bool = False
    """A person wrote what it holds, here and not there."""


def differences(db: Database, facts: JobFacts) -> tuple[Difference, ...]:
    """Of a fork, in the order of its stages; empty for any other job."""
    if facts.job.forked_from is None:
        return ()
    edits = _edits(facts)
    return tuple(_found(db, facts, edits))


def _edits(facts: JobFacts) -> dict[str, Json]:
    """Stage → the parameters that somebody gave it in this job: as it was forked, and by later replays."""
    replays = [found for found in facts.requests if found.kind == "replay" and found.asker == OPERATOR]
    own = max((found.id for found in replays if found.rev == COPIED_REV), default=None)  # the others of this revision were copied
    edits: dict[str, Json] = {}
    for found in replays:
        if found.rev > COPIED_REV or found.id == own:
            edits.setdefault(found.target, {}).update(found.payload.get("edit") or {})
    return edits


def _found(db: Database, facts: JobFacts, edits: dict[str, Json]) -> Iterator[Difference]:
    for stage in facts.stages:
        if stage.origin == "human" and (stage.by_person or stage.name == INPUT):
            yield Difference(stage.name, stage.task, is_written=True)
        elif stage.name in edits:
            edit, before = edits[stage.name], _parameters(db, facts, stage.name)
            changes = (Change(field, before.get(field), value) for field, value in sorted(edit.items()))
            yield Difference(stage.name, stage.task, tuple(change for change in changes if change.before != change.after))


def _parameters(db: Database, facts: JobFacts, stage: str) -> Json:
    """Of the stage in the other job, as far as that is still there."""
    try:
        found: Any = facts.job.forked_from and read_current(db, facts.job.forked_from, stage).params
    except NotFound:
        return {}
    return found or {}
