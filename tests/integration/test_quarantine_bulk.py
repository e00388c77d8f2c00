"""The quarantine in bulk, its expiry and its cap; and what the fleet learns from faults that were solved."""

import json
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any
from uuid import UUID

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.access import Scope
from contracts.faults import FixKind
from contracts.jobs import SubmitJob
from tests.support.gateway import gateway_over, key_for
from workers.app.explaining import explained
from workers.app.in_process import run_all
from workers.app.quarantine import replay_entry, replay_many
from workers.app.queues import JOBS_STREAM
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.app.sweep import Sweeper
from workers.blackboard import quarantine
from workers.blackboard.quarantine import Selection
from workers.coordinator.intake import accept
from workers.errors import Conflict, InvalidInput
from workers.kinds.faults import advise_on
from workers.reading.faults import read_entry_fault, read_failed, read_solved
from workers.settings import Settings

GOOD = b'{"job": {"kind": "noop"}}'


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, quarantine_entries=100))
    yield made
    made.close()


def put(services: ProcessServices, *, body: bytes = GOOD, cause: str = "DatabaseDown", source: str = JOBS_STREAM, age_s: float = 0) -> UUID:
    entry = quarantine.put(services.database, source=source, cause=cause, message=f"{cause} at 12:03", body=body)
    services.database.statement(
        "UPDATE quarantine SET created_at = now() - make_interval(secs => %(age_s)s) WHERE id = %(id)s", {"id": entry, "age_s": age_s}
    )
    return entry


def states(services: ProcessServices) -> dict[str, int]:
    rows = services.database.statement("SELECT state, count(*) AS entries FROM quarantine GROUP BY state")
    return {row["state"]: row["entries"] for row in rows}


def test_entries_are_chosen_by_source_cause_and_age(services: ProcessServices) -> None:
    put(services, age_s=7_200)
    put(services, cause="NotJson")
    put(services, source="bullpen.analyst")
    db = services.database

    assert quarantine.count_entries(db) == 3
    assert quarantine.count_entries(db, Selection(cause="NotJson")) == 1
    assert quarantine.count_entries(db, Selection(source="bullpen.analyst")) == 1
    assert quarantine.count_entries(db, Selection(older_s=3_600)) == 1
    assert quarantine.count_entries(db, Selection(newer_s=3_600)) == 2
    assert [(row["cause"], row["entries"]) for row in quarantine.group_entries(db, Selection(source=JOBS_STREAM))] == [
        ("DatabaseDown", 1),
        ("NotJson", 1),
    ]


def test_a_bulk_replay_makes_jobs_and_leaves_what_cannot_be_taken(services: ProcessServices) -> None:
    for _ in range(5):
        put(services)
    put(services, body=b"nonsense")
    put(services, cause="Other")

    made = replay_many(services, Selection(cause="DatabaseDown"))

    assert (made.done, sum(made.failed.values()), made.left) == (5, 1, 0)
    assert states(services) == {"new": 2, "replayed": 5}
    assert services.database.row("SELECT count(*) AS jobs FROM jobs") == {"jobs": 5}


def test_a_bulk_replay_says_what_its_limit_left(services: ProcessServices) -> None:
    for _ in range(5):
        put(services)

    made = replay_many(services, Selection(), most=2)

    assert (made.done, made.left) == (2, 3)


def test_a_settled_entry_is_not_replayed_again(services: ProcessServices) -> None:
    entry = put(services)
    replay_entry(services, entry)

    with pytest.raises(Conflict, match="already replayed"):
        replay_entry(services, entry)


def test_one_entry_replayed_by_many_at_once_is_one_job(services: ProcessServices) -> None:
    entry = put(services)

    def replay(_: int) -> str:
        try:
            replay_entry(services, entry)
        except Conflict:
            return "conflict"
        return "done"

    with ThreadPoolExecutor(4) as pool:
        assert sorted(pool.map(replay, range(4))) == ["conflict", "conflict", "conflict", "done"]
    assert services.database.row("SELECT count(*) AS jobs FROM jobs") == {"jobs": 1}


def test_many_are_given_up_with_one_note(services: ProcessServices) -> None:
    for _ in range(3):
        put(services, age_s=7_200)
    put(services)

    assert quarantine.give_up_many(services.database, Selection(older_s=3_600), note="a load test") == 3
    assert states(services) == {"new": 1, "given_up": 3}


def test_entries_expire_and_the_cap_is_kept_and_said(services: ProcessServices) -> None:
    """A producer that sends nonsense for a night must not fill the disk, and what was dropped is not silent."""
    put(services, age_s=services.settings.quarantine_lifetime_s + 60)
    for _ in range(120):
        put(services)

    Sweeper(services).sweep()

    assert quarantine.count_entries(services.database) == 101
    said = quarantine.list_entries(services.database, Selection(cause=quarantine.OVERFLOW))
    assert len(said) == 1
    assert f"20 of {JOBS_STREAM}" in said[0]["message"]


def fail(services: ProcessServices, **plan: Any) -> UUID:
    job_id = accept(services.database, SubmitJob(job={"kind": "noop", **plan}), owner_cap=10).job_id
    run_all(services)
    return job_id


def solved(services: ProcessServices, cause: str, message: str, note: str, *, source: str = "bullpen.retriever") -> None:
    entry = quarantine.put(services.database, source=source, cause=cause, message=message, body=b"{}")
    quarantine.settle(services.database, entry, "given_up", note=note)


def test_what_helped_last_time_is_said(services: ProcessServices) -> None:
    """Values differ from fault to fault: the form of the message and the place tell which it is."""
    for number in range(3):
        solved(services, "StoreUnavailable", f"The store s3://logs/{number} does not answer.", "Renewed the certificate of the store")
        solved(services, "ModelUnavailable", f"Model m at http://gpu-{number} did not answer in time.", "Restarted the model's server")
    solved(services, "NotJson", "The message is not JSON.", "Told the producer", source=JOBS_STREAM)
    text = "The store s3://logs/77 does not answer."
    new = quarantine.put(services.database, source="bullpen.retriever", cause="StoreUnavailable", message=text, body=b"{}")

    advice = advise_on(read_entry_fault(services.database, new), read_solved(services.database, owner=None))

    assert advice is not None
    assert [(fix.note, fix.times) for fix in advice.fixes] == [("Renewed the certificate of the store", 3)]
    assert advice.faults == 3


def test_for_a_fault_that_is_like_none_nothing_is_advised(services: ProcessServices) -> None:
    solved(services, "NotJson", "The message is not JSON.", "Told the producer", source=JOBS_STREAM)
    new = quarantine.put(services.database, source="sweep", cause="ZeroDivisionError", message="division by zero in pricing", body=b"{}")

    assert advise_on(read_entry_fault(services.database, new), read_solved(services.database, owner=None)) is None


def test_a_stage_that_was_done_again_is_a_solved_fault(services: ProcessServices) -> None:
    job_id = fail(services, plan={"s1": {"break": True}})
    failed = read_failed(services.database, job_id)
    assert len(failed) == 1, json.dumps([fault.to_json() for fault in failed])
    services.database.statement(
        "INSERT INTO steps (id, job_id, stage, role, task, status, outcome, made_from, params, may_ask, need_ids, request_ids, ancestors, "
        "priority, attempt, max_attempts, timeout_s, dispatch_rev, ended_rev, finished_at) "
        "SELECT %(id)s, job_id, stage, role, task, 'succeeded', 'completed', 'again', params, may_ask, need_ids, request_ids, ancestors, "
        "priority, 1, max_attempts, timeout_s, dispatch_rev, ended_rev, now() FROM steps WHERE job_id = %(job)s AND status = 'failed'",
        {"id": quarantine.new_id(), "job": job_id},
    )

    assert [(fault.fix, fault.stage) for fault in read_solved(services.database, owner=None)] == [(FixKind.AGAIN, failed[0].stage)]


def test_what_failed_in_another_owners_job_is_no_advice(services: ProcessServices) -> None:
    """The words of a fault and the notes on it name hosts, accounts and tables."""

    def failed(owner: str, note: str | None) -> tuple[UUID, UUID]:
        job = SubmitJob(job={"kind": "noop", "plan": {"s1": {"break": True}}}, owner=owner)
        job_id = accept(services.database, job, owner_cap=10).job_id
        run_all(services)
        (fault,) = read_failed(services.database, job_id)
        entry = quarantine.put(
            services.database, source=fault.where, cause=fault.error, message=fault.message, body=b"{}", job_id=job_id,
            step_id=UUID(fault.id),
        )  # fmt: skip
        if note:
            quarantine.settle(services.database, entry, "given_up", note=note)
        return job_id, entry

    failed("bank", "Unlocked merger_analyst")
    of_shop, entry = failed("shop", None)

    assert explained(services, of_shop).advice == ()
    with gateway_over(services) as client:
        shop, everybody = key_for(services.database, "shop"), key_for(services.database, "ops", *Scope)
        assert client.get(f"/v1/jobs/{of_shop}/why", headers=shop).json()["advice"] == []
        assert client.get(f"/v1/quarantine/{entry}/advice", headers=shop).json()["advice"] is None
        known = client.get(f"/v1/quarantine/{entry}/advice", headers=everybody).json()["advice"]
    assert [fix["note"] for fix in known["fixes"]] == ["Unlocked merger_analyst"]

    failed("shop", "Restarted pg-1")
    (advice,) = explained(services, of_shop).advice
    assert [fix.note for fix in advice.fixes] == ["Restarted pg-1"]


def test_an_age_is_read_as_it_is_written() -> None:
    from workers.cli.quarantine import read_age

    assert [read_age(text) for text in ("90s", "15m", "6h", "30d", None)] == [90, 900, 21_600, 2_592_000, None]
    with pytest.raises(InvalidInput):
        read_age("yesterday")


def test_a_submission_of_a_producer_is_taken_as_before(services: ProcessServices) -> None:
    assert take_submission(services, GOOD, source=JOBS_STREAM).kind == "submission_accepted"
