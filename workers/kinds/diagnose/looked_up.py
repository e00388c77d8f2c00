"""What a person has looked up by a question's own methods: one run for each click, kept beside the question."""

from collections.abc import Mapping
from typing import Any
from uuid import UUID

from pydantic import ValidationError

from contracts.checks import CheckFinding, CheckOutcome, Gathered, MethodRun, System
from contracts.diagnose.deliverables import Finding, PhenomenonItem, PhenomenonQuestion
from contracts.statements import code, name, say
from workers.blackboard.engine import Database, jsonb
from workers.checks.gathering import Looking
from workers.checks.proposals import recognised, run_method
from workers.checks.systems import get_system
from workers.errors import Conflict, InvalidInput, NotFound
from workers.kinds.diagnose.playbook import EVIDENCE

_OUTCOMES = {Finding.CONFIRMED: CheckOutcome.CONFIRMED, Finding.DENIED: CheckOutcome.DENIED, Finding.UNKNOWN: CheckOutcome.UNDECIDED}


def run_item(looking: Looking, job_id: UUID, request_id: UUID, number: int, *, by: str) -> MethodRun:
    """Run the method of an item of an open question on the system that was looked at. Raises `NotFound`, `Conflict` for a question that is
    answered, `InvalidInput` for an item or a method that cannot be run, and what `run_method` raises."""
    row = looking.db.row(
        "SELECT payload, response, void FROM requests WHERE id = %(id)s AND job_id = %(job_id)s AND target = 'human'",
        {"id": request_id, "job_id": job_id},
    )
    if row is None:
        raise NotFound.of(say("refused.no_question", job=name(job_id), question=name(request_id), command=code(f"bullpen show {job_id}")))
    if row["response"] is not None or row["void"]:
        raise Conflict.of(say("refused.no_open_question", job=name(job_id), command=code(f"bullpen show {job_id}")))
    try:
        items = PhenomenonQuestion.model_validate(row["payload"].get("detail")).items
    except ValidationError:
        items = ()
    item = next((item for item in items if item.number == number), None)
    system = looked_at_system(looking.db, job_id)
    if item is None or system is None:
        raise InvalidInput.of(say("diagnose.refused.no_item", item=name(number)) if item is None else say("diagnose.refused.no_system"))
    if not system.is_open_to(looking.owner):
        raise InvalidInput.of(say("diagnose.evidence.not_yours", system=name(system.name)))
    run = run_method(looking, system, item.observation_method, number, by=by)
    looking.db.statement(
        "INSERT INTO method_runs (request_id, item, content) VALUES (%(id)s, %(item)s, %(content)s) "
        "ON CONFLICT (request_id, item) DO UPDATE SET content = excluded.content",
        {"id": request_id, "item": number, "content": jsonb(run.to_json())},
    )
    return run


def looked_at_system(db: Database, job_id: UUID) -> System | None:
    """The system that a job has looked at. None: it has none, or that was forgotten."""
    row = db.row(
        "SELECT content ->> 'system' AS system FROM deliverables WHERE job_id = %(id)s AND stage = %(stage)s ORDER BY version DESC LIMIT 1",
        {"id": job_id, "stage": EVIDENCE},
    )
    if row is None or row["system"] is None:
        return None
    try:
        return get_system(db, row["system"])
    except NotFound:
        return None


def runnable(db: Database, job_id: UUID, detail: Any) -> tuple[int, ...]:
    """The items of a question whose method can be run on the system that the job has looked at, by their numbers."""
    try:
        items = PhenomenonQuestion.model_validate(detail).items
    except ValidationError:
        return ()
    system = looked_at_system(db, job_id) if any(item.observation_method for item in items) else None
    if system is None:
        return ()
    return tuple(item.number for item in items if item.observation_method and recognised(item.observation_method, system))


def runs_of(db: Database, job_id: UUID) -> dict[str, MethodRun]:
    """What was run for a job: phenomenon → the last run. A number says which one only together with the question in which it was asked."""
    rows = db.statement(
        "SELECT i ->> 'phenomenon_id' AS phenomenon, m.content FROM method_runs m JOIN requests r ON r.id = m.request_id "
        "CROSS JOIN jsonb_array_elements(r.payload -> 'detail' -> 'items') AS i "
        "WHERE r.job_id = %(id)s AND (i -> 'number')::int = m.item ORDER BY r.id, m.item",
        {"id": job_id},
    )
    return {row["phenomenon"]: MethodRun.model_validate(row["content"]) for row in rows}


def with_runs(gathered: Gathered, runs: Mapping[str, MethodRun], answers: Mapping[str, tuple[PhenomenonItem, Finding]]) -> Gathered:
    """What was looked up, with what a person had looked up beside it, each item once: the rows, and what the person answered last."""
    added = list[CheckFinding]()
    for number, (phenomenon, run) in enumerate(runs.items(), start=1):
        if phenomenon not in answers:
            continue
        item, finding = answers[phenomenon]
        added.append(
            CheckFinding(
                check=f"asked_{number}",
                group="asked",
                outcome=_OUTCOMES[finding],
                sensor="asked",
                says=item.description,
                columns=run.columns,
                rows=run.rows,
                count=run.count,
                sql=run.query,
            )
        )
    return gathered.model_copy(update={"findings": (*gathered.findings, *added)})
