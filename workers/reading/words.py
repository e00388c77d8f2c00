"""States and events in words: statements, which a shell says in its language."""

from collections.abc import Callable
from typing import Any

from contracts.base import Json
from contracts.events import EventKind
from contracts.statements import (
    Join,
    Listing,
    Statement,
    Term,
    Value,
    as_value,
    count,
    listing,
    member_term,
    name,
    read_stored,
    say,
    seconds,
    term,
)
from workers.reading.events import EventFacts

STATES = {
    "accepted": term("fleet.status.accepted"),
    "queued": term("fleet.status.queued"),
    "running": term("fleet.status.running"),
    "waiting_human": term("fleet.status.waiting_human"),
    "succeeded": term("fleet.status.succeeded"),
    "failed": term("fleet.status.failed"),
    "cancelled": term("fleet.status.cancelled"),
    "fresh": term("fleet.state.fresh"),
    "stale": term("fleet.state.stale"),
    "missing": term("fleet.state.missing"),
    "drifted": term("fleet.state.drifted"),
}
"""States of jobs, steps and stages."""

ROLE_STATES = {"paused": term("lists.word.paused"), "draining": term("lists.word.draining")}
"""States of a role that takes no steps."""

OUTCOMES = {
    "completed": term("fleet.outcome.completed"),
    "needs_clarification": term("fleet.outcome.needs_clarification"),
    "needs_delegation": term("fleet.outcome.needs_delegation"),
    "failed": term("fleet.outcome.failed"),
}
"""How a step can end, by the word that its row keeps."""


def event_statement(event: EventFacts, label: Callable[[str], Value] = name) -> Statement:
    """An event on one line; text of others in it is not cleaned. `label`: what a stage is called."""
    match event.kind:
        case EventKind.JOB_DECIDED:
            return _decided(event.detail, label)
        case EventKind.STEP_SUCCEEDED | EventKind.STEP_FAILED:
            return _ended(event, label)
        case EventKind.JOB_FORKED:
            stage = label(event.stage) if event.stage else name("?")
            return say("fleet.event.forked", job=name(str(event.detail.get("from")).rpartition("-")[2]), stage=stage)
        case _:
            return _happened(event, label)


def _ended(event: EventFacts, label: Callable[[str], Value]) -> Statement:
    """A step's end: how, how long it took, and its summary."""
    detail = event.detail
    stage = label(event.stage) if event.stage else name("?")
    if event.kind == EventKind.STEP_FAILED:
        how = say("fleet.event.stage_failed", stage=stage)
    elif detail.get("outcome") == "needs_clarification":
        how = say("fleet.event.stage_asks", stage=stage)
    else:
        how = say("fleet.event.stage_succeeded", stage=stage)
    if "duration_s" in detail:
        how = say("fleet.event.took", event=how, duration=seconds(detail["duration_s"]))
    return _with_text(how, detail.get("message") or detail.get("says") or detail.get("summary") or detail.get("error"))


def _happened(event: EventFacts, label: Callable[[str], Value]) -> Statement:
    """An event of another kind, with its stage and its details."""
    word = _word(event.kind)
    statement = say("fleet.event.plain", event=word)
    if event.stage:
        statement = say("fleet.event.of_stage", event=word, stage=label(event.stage))
    if event.kind in (EventKind.QUESTION_ANSWERED, EventKind.ANSWER_TAKEN_BACK, EventKind.INSTRUCTION_GIVEN):
        return _with_text(statement, event.detail.get("text"))
    for field in ("message", "reason"):
        if isinstance(event.detail.get(field), dict):
            return _with_text(statement, event.detail[field])
    plain = {field: value for field, value in event.detail.items() if field not in ("says", "notes", "kind")}
    more = [f"{field} {_plainly(value)}" for field, value in plain.items() if value not in (None, [], "")]
    return _with_text(statement, ", ".join(more))


def _plainly(value: Any) -> str:
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)  # pyright: ignore[reportUnknownArgumentType, reportUnknownVariableType] JSON


def _word(kind: str) -> Value:
    """What happened; an event of a newer release by its name."""
    try:
        return member_term("fleet.event.kind", EventKind(kind))
    except ValueError:
        return name(kind.replace("_", " "))


def _with_text(statement: Statement, text: Any) -> Statement:
    return say("fleet.event.with_text", event=statement, text=as_value(read_stored(text))) if text else statement


def _decided(detail: Json, label: Callable[[str], Value]) -> Statement:
    parts: list[Value] = []
    if detail.get("dispatched"):
        parts.append(say("fleet.event.dispatched", stages=listing(*map(label, detail["dispatched"]))))
    if detail.get("superseded"):
        parts.append(say("fleet.event.superseded", steps=count(int(detail["superseded"]))))
    if detail.get("status"):
        parts.append(say("fleet.event.job_is", status=_state(str(detail["status"]))))
    if detail.get("error"):
        parts.append(as_value(read_stored(detail["error"])))
    moves: Listing | Term = listing(*parts, join=Join.CLAUSES) if parts else term("fleet.event.nothing_to_dispatch")
    return say("fleet.event.decided", moves=moves)


def _state(state: str) -> Value:
    return STATES.get(state) or name(state)
