"""`bullpen doctor` fails when the coordinators' sweep fails or is late: it said ok while no coordinator could resend or admit anything."""

from collections.abc import Iterator
from pathlib import Path

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from tests.support.spoken import english
from workers.app import sweep
from workers.app.services import ProcessServices
from workers.blackboard import sweeps
from workers.blackboard.engine import Database
from workers.blackboard.sweeps import Round
from workers.cli import checks
from workers.coordinator.intake import accept
from workers.settings import Settings


@pytest.fixture
def doctor(database: Database, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Database]:
    known = Settings(database_url=database.url, broker_url=broker_url, home=tmp_path)
    monkeypatch.setattr(checks, "settings", lambda: known)
    monkeypatch.setattr(checks, "database", lambda: database)
    return database


def swept(db: Database, **faults: str) -> None:
    sweeps.record(db, [Round(part, 0.1, faults.get(part)) for part in sweeps.PARTS], worker="host:1")


def test_sweeps_that_succeed_are_well(doctor: Database) -> None:
    swept(doctor)

    assert (checks.check_sweeps().state, english(checks.check_sweeps().finding)) == ("ok", "all parts in time")


def test_a_part_that_fails_fails_the_doctor_with_its_error_until_it_succeeds(doctor: Database) -> None:
    swept(doctor)
    swept(doctor, budgets="IntervalFieldOverflow: interval out of range")
    swept(doctor, budgets="IntervalFieldOverflow: interval out of range")

    found = checks.check_sweeps()

    assert found.state == "fail"
    assert english(found.finding) == "budgets: IntervalFieldOverflow: interval out of range (2 times in a row)"
    swept(doctor)
    assert checks.check_sweeps().state == "ok"


def test_sweeps_that_are_late_fail_the_doctor_while_there_is_work(doctor: Database) -> None:
    swept(doctor)
    doctor.statement("UPDATE sweeps SET ok_at = now() - interval '5 minutes' WHERE part = 'admission'")
    assert english(checks.check_sweeps().finding) == "no work waits for one"
    accept(doctor, SubmitJob(job={"kind": "noop"}), owner_cap=1)

    found = checks.check_sweeps()

    assert (found.state, english(found.finding).startswith("not done: admission for ")) == ("fail", True)


def test_a_fleet_that_never_swept_is_late_once_its_work_is_old(doctor: Database) -> None:
    accept(doctor, SubmitJob(job={"kind": "noop"}), owner_cap=1)
    assert checks.check_sweeps().state == "ok"
    doctor.statement("UPDATE jobs SET created_at = now() - interval '5 minutes'")

    assert checks.check_sweeps().state == "fail"


def test_the_parts_are_those_that_a_coordinator_runs(database: Database, broker_url: str) -> None:
    services = ProcessServices(Settings(database_url=database.url, broker_url=broker_url))

    parts = [item.part for item in sweep.Sweeper(services).sweep()]

    assert (*parts, "announcements", "answers to broker", "answers to web") == sweeps.PARTS
    services.close()
