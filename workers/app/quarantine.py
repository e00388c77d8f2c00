"""What an operator does with the quarantine: one entry or many, from the command line or the gateway."""

import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from contracts.commands import AdvanceJob, NewerVersion, RunStep, upcast
from contracts.events import SubmissionRefused
from contracts.jobs import StepStatus
from contracts.roles import COORDINATOR, RoleName, queue_name
from contracts.statements import Statement, code, count, name, passage, say
from contracts.wire import NotJson, read_json
from workers.app.celery_submissions import SUBMIT_TASK
from workers.app.queues import JOBS_QUEUE, JOBS_STREAM, URGENT_QUEUE
from workers.app.run_step import move_on
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.blackboard.engine import Row
from workers.blackboard.quarantine import (
    GIVEN_UP,
    NEW,
    REPLAYED,
    STATES,
    EntryReplayed,
    Selection,
    count_entries,
    get_entry,
    list_entries,
    settle,
)
from workers.coordinator.advance import QueuedStep
from workers.coordinator.intake import read_submission
from workers.coordinator.playbooks import find_playbook
from workers.coordinator.replay import replay_step
from workers.coordinator.sweeper import GIVEN_UP as GIVEN_UP_STEPS
from workers.errors import BrokerUnavailable, BullpenError, Conflict, InvalidInput
from workers.reading.steps import read_step
from workers.retrieval.embedding import turn
from workers.saying import message_of

SUBMISSIONS = frozenset({JOBS_STREAM, JOBS_QUEUE, URGENT_QUEUE, SUBMIT_TASK})
COMMANDS = frozenset(queue_name(role) for role in (*RoleName, COORDINATOR))
"""Sources whose bodies are the fleet's own messages."""

_LOCK_BITS = 2**63 - 1
"""Of an entry's id, as the number of the advisory lock of its replay."""
MOST_REPLAYED = 1_000
"""Entries of one bulk replay, unless the caller says otherwise."""


@dataclass(slots=True)
class Replayed:
    """What a bulk replay did."""

    done: int = 0
    failed: Counter[str] = field(default_factory=Counter[str])
    """Reason → entries that could not be replayed. They stay new."""
    left: int = 0
    """Entries that were chosen and not tried, since the limit was reached."""


def replay_entry(services: ProcessServices, entry: UUID, *, note: str | None = None) -> EntryReplayed:
    """Process an entry again: a submission becomes a job, a step is replayed, a message of the fleet is sent again. What was done, with
    the job's id. Raises `NotFound`, or `Conflict` if it was settled, if somebody else is at it, or if nothing can be done."""
    with services.database.session() as connection, turn(connection, entry.int & _LOCK_BITS) as is_mine:
        if not is_mine:
            raise Conflict.of(say("refused.entry_at_work", entry=name(entry)))
        row = get_entry(services.database, entry)
        if row["state"] != NEW:
            raise Conflict.of(say("refused.entry_settled", entry=name(entry), state=STATES.get(row["state"], name(row["state"]))))
        done = _again(services, row)
        settle(services.database, entry, REPLAYED, note=note)
        return done


def replay_many(
    services: ProcessServices,
    selection: Selection,
    *,
    most: int = MOST_REPLAYED,
    a_second: float | None = None,
    note: str | None = None,
    progress: Callable[[int], None] = lambda done: None,
    language: str = "en",
) -> Replayed:
    """Replay the oldest `most` new entries of these, at `a_second` at most, so that the fleet is not flooded. An entry that cannot be
    replayed stays new and does not stop the others. `language`: of the reasons. Raises `Unavailable` when a server is away."""
    chosen = list_entries(services.database, selection, limit=most, oldest_first=True)
    made, began = Replayed(), time.monotonic()
    for number, row in enumerate(chosen):
        if a_second is not None and (early_s := began + number / a_second - time.monotonic()) > 0:
            time.sleep(early_s)
        try:
            replay_entry(services, row["id"], note=note)
            made.done += 1
        except BullpenError as error:
            if error.retryable:
                raise
            made.failed[message_of(error, language).replace(str(row["id"]), "ID")[:200]] += 1
        progress(number + 1)
    made.left = max(0, count_entries(services.database, selection) - sum(made.failed.values()))
    return made


def _again(services: ProcessServices, row: Row) -> EntryReplayed:
    if row["source"] in SUBMISSIONS:
        return _submit_again(services, row)
    if row["cause"] in GIVEN_UP_STEPS and row["step_id"] is not None:
        done = replay_step(services.database, row["step_id"])
        move_on(services, done.job_id)
        again = say("fleet.entry.again", stage=name(done.stage), job=name(done.job_id), follow=_follow(done.job_id))
        return EntryReplayed(again, done.job_id)
    if row["source"] in COMMANDS:
        return _send_again(services, row)
    raise Conflict.of(
        say("refused.nothing_to_repeat", entry=name(row["id"]), source=name(row["source"]), command=code("bullpen quarantine give-up"))
    )


def _submit_again(services: ProcessServices, row: Row) -> EntryReplayed:
    body = bytes(row["body"])
    if row["body_size"] > len(body):
        kept, of = count(len(body), exact=True), count(row["body_size"], exact=True)
        raise Conflict.of(say("refused.entry_cut", kept=kept, of=of))
    try:  # first without effect: what is still wrong must not make a second entry
        submission = read_submission(read_json(body))
        find_playbook(submission.job.get("kind")).read_request(submission.job)
    except (NotJson, NewerVersion, InvalidInput, ValidationError) as error:
        raise Conflict.of(say("refused.entry_still_wrong", reason=_why(error))) from None
    answer = take_submission(services, body, source=row["source"])
    if isinstance(answer, SubmissionRefused):
        if answer.quarantine_id is not None:
            settle(services.database, answer.quarantine_id, GIVEN_UP)  # the entry at hand tells the same
        raise Conflict.of(say("refused.entry_not_taken", reason=passage(answer.error)))
    return EntryReplayed(say("fleet.entry.accepted", job=name(answer.job_id), follow=_follow(answer.job_id)), answer.job_id)


def _follow(job_id: UUID | None) -> Statement:
    return say("fleet.follow", command=name(f"bullpen watch {job_id}"))


def _why(error: Exception) -> Statement:
    """What is wrong with a message: in the reader's language where that is known."""
    if isinstance(error, BullpenError) and error.says is not None:
        return error.says
    return say("refused.part.other", fault=passage(" ".join(str(error).split())[:500]))


def _send_again(services: ProcessServices, row: Row) -> EntryReplayed:
    command = _command_in(bytes(row["body"]), run_step=row["source"] != queue_name(COORDINATOR))
    if command is None:
        raise Conflict.of(
            say(
                "refused.unreadable_entry",
                entry=name(row["id"]),
                why=code("bullpen why JOB"),
                command=code(f"bullpen quarantine give-up {row['id']}"),
            )
        )
    if isinstance(command, AdvanceJob):
        sent = services.publisher.advance(command.job_id)
        did = say("fleet.entry.looked_at", job=name(command.job_id))
    else:
        step = read_step(services.database, command.step_id)
        if step is None or step.status != StepStatus.QUEUED:
            again, away = code(f"bullpen replay {command.step_id}"), code(f"bullpen quarantine give-up {row['id']}")
            raise Conflict.of(say("refused.step_over", step=name(command.step_id), command=again, give_up=away))
        message = QueuedStep(step.id, step.job_id, step.stage, step.role, step.priority)
        sent = services.publisher.run_steps([message]) == 1
        did = say("fleet.entry.sent", stage=name(step.stage), job=name(step.job_id))
    if not sent:
        raise BrokerUnavailable.of(say("refused.broker_away", command=code("bullpen doctor")))
    return EntryReplayed(did, command.job_id)


def _command_in(body: bytes, *, run_step: bool) -> RunStep | AdvanceJob | None:
    """The message in a body: as it was, wrapped with the arguments it came with, or in Celery's own form."""
    try:
        value: Any = read_json(body)
    except NotJson:
        return None
    candidates: list[Any] = [value]
    if isinstance(value, dict):
        candidates.append(value.get("message"))  # pyright: ignore[reportUnknownMemberType] JSON has no static type
    if isinstance(value, list) and value and isinstance(value[0], list):
        candidates += value[0]  # pyright: ignore[reportUnknownVariableType] as above
    contract = RunStep if run_step else AdvanceJob
    for candidate in candidates:
        try:
            return contract.model_validate(upcast(candidate))
        except (ValidationError, ValueError):
            continue
    return None
