"""What intake writes of a submission, one by one and many together, and what makes two submissions the same."""

from typing import Any
from uuid import UUID

import pytest
from pydantic import ValidationError

from contracts.base import Json, content_hash
from contracts.jobs import Budget, EngineChoice, SubmitJob
from contracts.roles import RoleName
from tests.support.noop import NoopRequest
from workers.blackboard.engine import Database
from workers.blackboard.ids import new_id
from workers.coordinator.intake import accept, faults, find_known, prepare, read_submission
from workers.coordinator.intake_batch import accept_many, fits_batch
from workers.errors import IdempotencyConflict, InvalidSubmission
from workers.saying import text_of

SESSION = UUID(int=11)
WHOLE = SubmitJob(
    job={"kind": "noop", "text": "a report"}, owner="ada", session_id=SESSION, priority=7, engine=EngineChoice.LLM,
    budget=Budget(tokens=1000), idempotency_key="k", correlation_id="c", reply_to="stream:bullpen:replies:x",
)  # fmt: skip


def written(db: Database, job_id: UUID) -> Json:
    """All rows of a new job."""
    (job,) = db.statement("SELECT * FROM jobs WHERE id = %(id)s", {"id": job_id})
    stages = db.statement("SELECT * FROM stages WHERE job_id = %(id)s ORDER BY position", {"id": job_id})
    (made,) = db.statement("SELECT * FROM deliverables WHERE job_id = %(id)s", {"id": job_id})
    (event,) = db.statement("SELECT * FROM events WHERE job_id = %(id)s", {"id": job_id})
    return {"job": job, "stages": stages, "input": made, "event": event}


def expect_whole(rows: Json) -> None:
    job: Json = {
        "kind": "noop", "owner": "ada", "session_id": SESSION, "status": "accepted", "priority": 7, "rev": 1, "decided_rev": 0,
        "human_rev": 1, "admitted": True, "engine": "llm", "chooser": "classifier", "result": "s6", "language": None,
        "budget": {"tokens": 1000}, "idempotency_key": "k", "correlation_id": "c", "reply_to": "stream:bullpen:replies:x",
    }  # fmt: skip
    assert {name: rows["job"][name] for name in job} == job
    stages = [
        (row["position"], row["name"], row["role"], row["task"], row["needs"], row["optional"], row["params"]) for row in rows["stages"]
    ]
    assert stages[:3] == [
        (0, "input", None, "", [], False, {}),
        (1, "s1", "classifier", "noop", ["input"], False, {}),
        (2, "s2", "retriever", "noop", ["input", "s1"], False, {}),
    ]
    assert len(rows["stages"]) == 7
    content = {"kind": "noop", "text": "a report", "plan": {}}
    made = rows["input"]
    assert (made["stage"], made["content"], made["content_hash"], made["made_from"]) == ("input", content, *[content_hash(content)] * 2)
    assert (rows["event"]["kind"], rows["event"]["detail"]) == ("job_accepted", {"kind": "noop"})


def test_every_field_of_a_submission_is_kept(database: Database) -> None:
    job_id = accept(database, WHOLE, owner_cap=1, chooser=RoleName.CLASSIFIER, has_model=True).job_id

    expect_whole(written(database, job_id))


def test_many_together_are_written_as_one_by_one(database: Database) -> None:
    new = prepare(WHOLE, chooser=RoleName.CLASSIFIER, has_model=True)
    plain = [prepare(SubmitJob(job={"kind": "noop"}, owner="ada")) for _ in range(2)]

    assert accept_many(database, [new, *plain], owner_cap=2) == {new["id"]: True, plain[0]["id"]: True, plain[1]["id"]: False}
    assert accept_many(database, [], owner_cap=2) == {}
    assert accept_many(database, [new], owner_cap=2) == {}, "a first try has written it"
    expect_whole(written(database, new["id"]))
    assert not fits_batch(WHOLE)
    assert fits_batch(SubmitJob(job={"kind": "noop"}))


def test_a_model_is_needed_where_a_job_insists_on_one(database: Database) -> None:
    for refuse in (lambda: accept(database, WHOLE, owner_cap=1), lambda: prepare(WHOLE)):
        with pytest.raises(InvalidSubmission, match="BULLPEN_MODEL"):
            refuse()
    accept(database, WHOLE.model_copy(update={"engine": EngineChoice.AUTO}), owner_cap=1)


@pytest.mark.parametrize(
    "other",
    [{"job": {"kind": "noop", "text": "b"}}, {"priority": 1}, {"engine": "rules"}, {"budget": {"tokens": 2}}, {"session_id": str(SESSION)}],
    ids=lambda other: next(iter(other)),
)
def test_a_key_belongs_to_one_body(database: Database, other: dict[str, Any]) -> None:
    body = {"job": {"kind": "noop"}, "idempotency_key": "k", "correlation_id": "1"}
    first = accept(database, read_submission(body), owner_cap=1)

    again = accept(database, read_submission({**body, "correlation_id": "2", "reply_to": "stream:bullpen:replies:x"}), owner_cap=1)
    with pytest.raises(IdempotencyConflict, match=f"'k'.*belongs to job {first.job_id}, whose body differs"):
        accept(database, read_submission({**body, **other}), owner_cap=1)

    assert (first.existing, again.existing, again.job_id) == (False, True, first.job_id)
    assert database.row("SELECT count(*) AS n FROM jobs") == {"n": 1}


def test_a_job_whose_answer_was_lost_is_found_by_its_id(database: Database) -> None:
    new = prepare(SubmitJob(job={"kind": "noop"}))
    accept_many(database, [new], owner_cap=1)

    known = find_known(database, new)
    assert (known.job_id, known.existing) == (new["id"], False)
    with pytest.raises(IdempotencyConflict, match="another job"):
        find_known(database, {**new, "id": new_id()})
    with pytest.raises(InvalidSubmission, match="belongs to another owner"):
        find_known(database, {**new, "id": new_id()}, own_session=False)


def test_a_session_of_another_owner_is_refused(database: Database) -> None:
    accept(database, SubmitJob(job={"kind": "noop"}, owner="ada", session_id=SESSION), owner_cap=1)

    with pytest.raises(InvalidSubmission, match="another owner than 'bob'"):
        accept(database, SubmitJob(job={"kind": "noop"}, owner="bob", session_id=SESSION), owner_cap=1)


def test_faults_are_listed_with_their_places_ten_at_most() -> None:
    with pytest.raises(ValidationError) as one:
        SubmitJob.model_validate(7)
    with pytest.raises(ValidationError) as many:
        NoopRequest.model_validate({f"wrong{number}": 1 for number in range(12)})

    assert text_of(faults(one.value), "en") == "message must be a mapping of names to values."
    lines = text_of(faults(many.value), "en").split(", ")
    assert [line.partition(" is not known here")[0] for line in lines] == [f"wrong{number}" for number in range(10)]
