"""The sweep lives on: hostile numbers, broken rows and parts that fail, each with the other jobs going on beside it."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import UUID

import psycopg
import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from contracts.reports import Usage
from contracts.statements import term
from tests.support.said import kept
from workers.app import sweep
from workers.app.services import ProcessServices
from workers.app.sweep import Sweeper
from workers.blackboard import sweeps
from workers.blackboard.engine import Database
from workers.coordinator import sweeper
from workers.coordinator.advance import StepLimits, advance
from workers.coordinator.intake import accept
from workers.coordinator.set_aside import set_aside
from workers.errors import DatabaseUnavailable
from workers.llm.budget import JobBudget
from workers.settings import Settings

LIMITS = StepLimits(max_attempts=2, timeout_s=60)
LARGEST = 2**63 - 1


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    made = ProcessServices(Settings(database_url=database_url, broker_url=broker_url))
    yield made
    made.close()


def running(db: Database, owner: str = "default") -> UUID:
    job_id = accept(db, SubmitJob(job={"kind": "noop"}, owner=owner), owner_cap=100).job_id
    advance(db, job_id, LIMITS)
    return job_id


def waiting(db: Database, owner: str = "default") -> UUID:
    return accept(db, SubmitJob(job={"kind": "noop"}, owner=owner), owner_cap=0).job_id


def job(db: Database, job_id: UUID) -> dict[str, Any]:
    row = db.row("SELECT status, error, exceeded FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    return row


def faults(rounds: list[sweeps.Round]) -> dict[str, str]:
    return {item.part: item.error for item in rounds if item.error}


HOSTILE = [
    {"wall_time_s": 1e13},
    {"wall_time_s": 1e300},
    {"tokens": 2**63},
    {"tokens": 10**200},
    {"cost_usd": 1e308},
    {"wall_time_s": "NaN", "tokens": {}, "cost_usd": [1]},
    ["not", "an", "object"],
    7,
]


@pytest.mark.parametrize("budget", HOSTILE, ids=json.dumps)
def test_a_budget_of_an_old_release_blinds_nobody(services: ProcessServices, budget: object) -> None:
    """F2: the last release took any number; the sweep died with `interval out of range`, for all jobs of all coordinators."""
    db = services.database
    poisoned, late, lost = running(db), running(db), running(db)
    db.statement("UPDATE jobs SET budget = %(budget)s::jsonb WHERE id = %(id)s", {"id": poisoned, "budget": json.dumps(budget)})
    db.statement(
        "UPDATE jobs SET budget = '{\"wall_time_s\": 5}', work_since = now() - interval '9 seconds' WHERE id = %(id)s", {"id": late}
    )
    db.statement(
        "UPDATE steps SET status = 'running', token = gen_random_uuid(), lease_until = now() - interval '1 second', attempt = 1 "
        "WHERE job_id = %(id)s", {"id": lost},
    )  # fmt: skip

    rounds = Sweeper(services).sweep()

    assert faults(rounds) == {}
    assert "longer than 5 s" in kept(job(db, late)["error"])
    assert job(db, poisoned)["status"] == "running"
    assert db.statement("SELECT status FROM steps WHERE job_id = %(id)s", {"id": lost}) == [{"status": "queued"}]


USED = [{"input_tokens": 2**63}, {"output_tokens": 1e300, "cost_usd": 1e308}, {"input_tokens": "many"}, [], {"cost_usd": -1e300}]


@pytest.mark.parametrize("usage", USED, ids=json.dumps)
def test_usage_of_an_old_release_blinds_nobody(database: Database, usage: object) -> None:
    poisoned, spent = running(database), running(database)
    for job_id, used in ((poisoned, usage), (spent, {"input_tokens": 90, "output_tokens": 20})):
        database.statement("UPDATE steps SET usage = %(used)s::jsonb WHERE job_id = %(id)s", {"id": job_id, "used": json.dumps(used)})
    database.statement('UPDATE jobs SET budget = \'{"tokens": 100, "cost_usd": 5}\'')

    over = sweeper.mark_over_budget(database, wall_time_s=3600)

    assert spent in over
    assert (poisoned in over) == any(isinstance(value, int | float) and value > 0 for value in dict(usage or {}).values())  # type: ignore[call-overload]
    step = database.row("SELECT id FROM steps WHERE job_id = %(id)s", {"id": spent})
    assert step is not None
    other = database.row("SELECT id FROM steps WHERE job_id = %(id)s", {"id": poisoned})
    assert other is not None
    assert JobBudget(database, poisoned, step["id"], tokens=None, cost_usd=None).left(Usage()).of_tokens == 100


def test_a_row_that_breaks_a_statement_is_set_aside_with_its_cause_and_the_others_go_on(database: Database) -> None:
    """The revision can not be raised any more: every statement that touches this job fails."""
    broken, late = running(database), running(database)
    database.statement("UPDATE jobs SET work_since = now() - interval '1 hour'")
    database.statement("UPDATE jobs SET rev = %(most)s, decided_rev = %(most)s WHERE id = %(id)s", {"id": broken, "most": LARGEST})

    assert sweeper.mark_over_budget(database, wall_time_s=60) == [late]

    row = job(database, broken)
    assert row["status"] == "failed"
    assert "SetAside: the sweep could not process this job (counting its budget): NumericValueOutOfRange" in kept(row["error"])
    assert database.statement("SELECT DISTINCT status FROM steps WHERE job_id = %(id)s", {"id": broken}) == [{"status": "cancelled"}]
    entry = database.row("SELECT source, cause, job_id FROM quarantine")
    assert entry == {"source": "sweep", "cause": "NumericValueOutOfRange", "job_id": broken}
    assert sweeper.mark_over_budget(database, wall_time_s=60) == []


def test_a_broken_row_does_not_keep_others_from_being_admitted_or_given_up(database: Database) -> None:
    broken, admitted = waiting(database), waiting(database)
    stuck, hopeless = running(database), running(database)
    database.statement(
        "UPDATE jobs SET rev = %(most)s, decided_rev = %(most)s WHERE id = ANY (%(ids)s)", {"ids": [broken, stuck], "most": LARGEST}
    )
    database.statement(
        "UPDATE steps SET status = 'running', token = gen_random_uuid(), lease_until = now() - interval '1 second', attempt = 2"
    )

    assert sweeper.admit_jobs(database, owner_cap=10) == [admitted]
    assert sweeper.give_up_hopeless(database) == [hopeless]

    assert {job(database, job_id)["status"] for job_id in (broken, stuck)} == {"failed"}
    assert "(admitting it)" in kept(job(database, broken)["error"])
    assert "(giving up a step)" in kept(job(database, stuck)["error"])


def test_the_job_after_an_ended_one_is_left_to_the_sweep_when_it_cannot_be_admitted(database: Database) -> None:
    ended, broken = running(database), waiting(database)
    database.statement("UPDATE jobs SET rev = %(most)s, decided_rev = %(most)s WHERE id = %(id)s", {"id": broken, "most": LARGEST})
    database.statement("UPDATE jobs SET status = 'failed', finished_at = now() WHERE id = %(id)s", {"id": ended})

    assert sweeper.admit_next(database, ended, owner_cap=1) == []
    assert job(database, broken)["status"] == "accepted"


def test_a_step_that_is_given_up_is_told_with_its_worker_and_what_to_do(database: Database) -> None:
    job_id = running(database)
    (step,) = database.statement(
        "UPDATE steps SET status = 'running', token = gen_random_uuid(), lease_until = now() - interval '1 second', attempt = 2, "
        "worker = 'host:7' RETURNING id"
    )
    hopeless = database.statement("SELECT id, job_id, stage, role, attempt, worker, lost FROM steps")[0]

    assert sweeper.give_up_hopeless(database) == [job_id]
    assert not sweeper._give_up(database, hopeless), "another coordinator was faster"
    assert sweeper.give_up_hopeless(database) == []

    message = f"The lease of attempt 2 ran out on host:7; no attempt is left. `bullpen replay {step['id']}` tries again."
    (entry,) = database.statement("SELECT source, cause, message, body, job_id, step_id FROM quarantine")
    assert json.loads(bytes(entry.pop("body"))) == {"job_id": str(job_id), "step_id": str(step["id"]), "stage": "s1", "role": "classifier"}
    assert entry == {"source": "sweep", "cause": "LeaseExpired", "message": message, "job_id": job_id, "step_id": step["id"]}
    kinds = database.statement("SELECT kind, stage, step_id, detail FROM events WHERE detail ? 'message' ORDER BY rev")
    assert kept(kinds[0]["detail"].pop("message")) == message
    assert kinds == [{"kind": "step_given_up", "stage": "s1", "step_id": step["id"], "detail": {}}]


def test_jobs_that_nobody_decided_are_found_and_counted(database: Database) -> None:
    old, young, skipped = (accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id for _ in range(3))
    running(database)
    assert sweeper.count_undecided(database) == 3
    database.statement("UPDATE jobs SET updated_at = now() - interval '1 hour' WHERE id <> %(id)s", {"id": young})

    assert sweeper.undecided_jobs(database, grace_s=60, skip=[skipped]) == [old]
    assert sweeper.undecided_jobs(database, grace_s=60, limit=1) == [old]
    assert sweeper.count_undecided(database, skip=[skipped]) == 2
    database.statement("DELETE FROM jobs WHERE rev <> decided_rev")
    assert sweeper.count_undecided(database) == 0


def test_a_job_set_aside_has_its_event_and_ends_once(database: Database) -> None:
    job_id = running(database)

    assert set_aside(database, job_id, ValueError("odd\nrow"), during=term("fleet.during.deciding"))
    assert not set_aside(database, job_id, ValueError("odd\nrow"), during=term("fleet.during.deciding"))

    events = database.statement("SELECT kind, detail FROM events WHERE job_id = %(id)s ORDER BY rev DESC LIMIT 1", {"id": job_id})
    assert events[0]["kind"] == "job_set_aside"
    message = kept(events[0]["detail"]["message"])
    assert message.startswith(
        "SetAside: the sweep could not process this job (deciding what comes next): ValueError: odd row. The other jobs go on."
    )
    (entry,) = database.statement("SELECT source, cause, message, body, job_id FROM quarantine")
    assert json.loads(bytes(entry.pop("body"))) == {"job_id": str(job_id)}
    assert entry == {"source": "sweep", "cause": "ValueError", "message": message, "job_id": job_id}
    other = running(database)
    set_aside(database, other, ValueError("x" * 600), during=term("fleet.during.deciding"))
    assert f"ValueError: {'x' * 500}. The" in kept(job(database, other)["error"])


def test_a_job_that_cannot_be_decided_is_set_aside_after_some_rounds_and_keeps_nobody_waiting(
    services: ProcessServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    db = services.database
    broken, sound = (accept(db, SubmitJob(job={"kind": "noop"}, priority=p), owner_cap=100).job_id for p in (9, 0))
    db.statement("UPDATE jobs SET rev = %(most)s WHERE id = %(id)s", {"id": broken, "most": LARGEST})
    db.statement("UPDATE jobs SET updated_at = now() - interval '1 hour'")
    monkeypatch.setattr(sweep, "LONGEST_PAUSE_S", 0.0)
    looking = Sweeper(services)

    rounds = looking.sweep()

    assert faults(rounds) == {}
    assert (job(db, sound)["status"], job(db, broken)["status"]) == ("running", "accepted")
    for _ in range(sweep.TRIES):
        looking.sweep()
    assert job(db, broken)["status"] == "failed"
    assert "deciding what comes next" in kept(job(db, broken)["error"])


def test_a_part_that_fails_is_recorded_and_the_parts_after_it_run(services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise psycopg.errors.IntervalFieldOverflow("interval out of range")

    db = services.database
    held_back = waiting(db)
    looking = Sweeper(services)
    looking.sweep()
    monkeypatch.setattr(sweeper, "take_back_expired", fail)
    monkeypatch.setattr(sweeper, "mark_over_budget", fail)

    faulty = faults(looking.sweep())
    looking.sweep()

    assert set(faulty) == {"leases", "budgets"}
    assert job(db, held_back)["status"] == "running"
    known = {row["part"]: row for row in sweeps.read(db)}
    assert list(known) == sorted(["leases", "hopeless", "resend", "undecided", "budgets", "admission", "quarantine", "calls"])
    assert known["leases"]["failures"] == 2
    assert known["leases"]["error"] == "IntervalFieldOverflow: interval out of range"
    assert (known["resend"]["failures"], known["resend"]["error"]) == (0, None)
    assert all(row["ok_age_s"] is not None for row in known.values())
    monkeypatch.undo()
    looking.sweep()
    assert {row["failures"] for row in sweeps.read(db)} == {0}


def test_a_round_ends_when_the_database_is_away(services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each part would wait for it in turn, a minute and more before the first is tried again."""

    def away(*_: object, **__: object) -> None:
        raise DatabaseUnavailable("away")

    tried: list[str] = []
    monkeypatch.setattr(sweeper, "take_back_expired", away)
    monkeypatch.setattr(sweeper, "give_up_hopeless", lambda *_: tried.append("hopeless"))

    with pytest.raises(DatabaseUnavailable):
        Sweeper(services).sweep()

    assert tried == []


def test_a_job_whose_message_waits_in_the_queue_is_left_to_it(database: Database, services: ProcessServices) -> None:
    behind = [accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id for _ in range(3)]
    services.publisher.advance_many([(job_id, 5) for job_id in behind])
    database.statement("UPDATE jobs SET updated_at = now() - interval '1 hour'")

    Sweeper(services).sweep()

    assert {job(database, job_id)["status"] for job_id in behind} == {"accepted"}


def test_a_job_whose_message_was_lost_is_found_among_those_that_wait(database: Database, services: ProcessServices) -> None:
    waiting_s = services.settings.resend_after_s
    lost, young, behind = (accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id for _ in range(3))
    services.publisher.advance(behind)
    database.statement(
        "UPDATE jobs SET updated_at = now() - make_interval(secs => %(s)s) WHERE id = %(id)s", {"s": waiting_s + 1, "id": lost}
    )
    database.statement(
        "UPDATE jobs SET updated_at = now() - make_interval(secs => %(s)s) WHERE id = %(id)s", {"s": waiting_s / 2, "id": young}
    )

    Sweeper(services).sweep()

    assert job(database, lost)["status"] == "running"
    assert job(database, young)["status"] == "accepted", "its message may still be on its way"


def test_with_an_empty_queue_every_job_is_brought_on_at_once(database: Database, services: ProcessServices) -> None:
    lost = [accept(database, SubmitJob(job={"kind": "noop"}), owner_cap=100).job_id for _ in range(3)]
    database.statement("UPDATE jobs SET updated_at = now() - interval '2 s'")

    Sweeper(services).sweep()

    assert {job(database, job_id)["status"] for job_id in lost} == {"running"}
