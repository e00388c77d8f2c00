"""`bullpen purge`, `quarantine`, `db`, `settings`."""

import json
from datetime import UTC, datetime, timedelta
from uuid import UUID

import pytest

from contracts.commands import AdvanceJob, RunStep
from tests.support.commands import NOWHERE_REDIS, Commands
from workers.app.queues import JOBS_STREAM
from workers.app.run_step import advance_and_publish
from workers.app.submissions import take_submission
from workers.blackboard import quarantine
from workers.blackboard.retention import purge
from workers.catalogue import Catalogue
from workers.cli.ages import read_age, read_time
from workers.cli.context import services
from workers.errors import InvalidInput


def rows(bullpen: Commands) -> dict[str, int]:
    counted = bullpen.db.statement(
        "SELECT 'jobs' AS name, count(*) AS n FROM jobs UNION ALL SELECT 'events', count(*) FROM events UNION ALL "
        "SELECT 'decisions', count(*) FROM decisions UNION ALL SELECT 'steps', count(*) FROM steps UNION ALL "
        "SELECT 'deliverables', count(*) FROM deliverables UNION ALL SELECT 'sessions', count(*) FROM sessions UNION ALL "
        "SELECT 'quarantine', count(*) FROM quarantine"
    )
    return {row["name"]: row["n"] for row in counted}


def age(bullpen: Commands, job: UUID, days: int) -> None:
    bullpen.db.statement(
        "UPDATE jobs SET finished_at = finished_at - make_interval(days => %(days)s) WHERE id = %(id)s", {"id": job, "days": days}
    )
    bullpen.db.statement("UPDATE sessions SET created_at = created_at - make_interval(days => %(days)s)", {"days": days})


def put(bullpen: Commands, body: bytes, source: str = JOBS_STREAM, cause: str = "InvalidSubmission", **more: UUID) -> UUID:
    return quarantine.put(bullpen.db, source=source, cause=cause, message="why", body=body, **more)


def state(bullpen: Commands, entry: UUID) -> str:
    return bullpen.json("quarantine", "show", entry)["state"]


def test_a_purge_deletes_old_finished_jobs_and_nothing_else(bullpen: Commands) -> None:
    old, young, waiting = bullpen.ran("old"), bullpen.ran("young"), bullpen.ran("--set", "plan.s1.ask=1")
    kept = rows(bullpen)
    age(bullpen, old, 40)
    settled, new = put(bullpen, b"a"), put(bullpen, b"b")
    bullpen.out("quarantine", "give-up", settled)
    bullpen.db.statement("UPDATE quarantine SET updated_at = now() - interval '40 days'")

    plan = bullpen.json("purge", "--older-than", "30d", "--dry-run")
    assert (plan["jobs"], plan["quarantine"], plan["dry_run"]) == (1, 1, True)
    assert rows(bullpen)["jobs"] == 3
    done = bullpen.json("purge", "--older-than", "30d", "--yes")

    assert (done["jobs"], done["quarantine"], done["sessions"], done["events"]) == (1, 1, 1, 14)
    assert [row["id"] for row in bullpen.json("jobs")] == [str(waiting), str(young)]
    assert rows(bullpen)["events"] == kept["events"] - 14
    assert (rows(bullpen)["steps"], rows(bullpen)["deliverables"]) == (kept["steps"] - 6, kept["deliverables"] - 7)
    assert [row["id"] for row in bullpen.json("quarantine", "list")] == [str(new)]
    assert "Deleted 0 jobs" in bullpen.out("purge", "--older-than", "30d")


def test_a_purge_needs_a_yes(bullpen: Commands) -> None:
    age(bullpen, bullpen.ran("x"), 2)

    assert "would delete 1 job and 0 quarantine entries. Say --yes, or --dry-run" in bullpen.fails("purge", "--older-than", "1d", code=2)
    assert "“1 month” is no age" in bullpen.fails("purge", "--older-than", "1 month", code=2)
    assert rows(bullpen)["jobs"] == 1


def test_a_purge_goes_on_over_its_batches(bullpen: Commands) -> None:
    session = bullpen.json("show", bullpen.ran("first"))["session_id"]
    for name in "abcd":
        bullpen.ran(name, "--session", session)
    last = bullpen.submit("runs", "--session", session)
    for row in bullpen.json("jobs", "--status", "succeeded"):
        age(bullpen, UUID(row["id"]), 10)
    steps: list[int] = []

    done = purge(bullpen.db, timedelta(days=1), batch=2, progress=lambda so_far: steps.append(so_far.jobs))

    assert (done.jobs, steps, done.sessions) == (5, [2, 4, 5], 0)
    assert [row["id"] for row in bullpen.json("jobs")] == [str(last)]


def test_a_refused_submission_is_taken_once_its_kind_is_known(bullpen: Commands) -> None:
    entry = put(bullpen, b'{"job": {"kind": "noop", "text": "late"}, "priority": 7}')

    done = bullpen.json("quarantine", "replay", str(entry)[-12:])

    assert done["state"] == "replayed"
    assert bullpen.json("show", done["job_id"])["priority"] == 7
    assert "already replayed" in bullpen.fails("quarantine", "replay", entry, code=5)
    assert len(bullpen.json("quarantine", "list")) == 1


def test_a_submission_that_is_still_wrong_stays_where_it_is(bullpen: Commands) -> None:
    for body in (b"not json \x1b[31m", b'{"job": {"kind": "later"}}', b'{"job": {"kind": "noop", "plan": 1}}', b'{"v": 9, "job": {}}'):
        entry = put(bullpen, body)
        assert "It still cannot be taken" in bullpen.fails("quarantine", "replay", entry, code=5)
        assert state(bullpen, entry) == "new"
    assert len(bullpen.json("quarantine", "list")) == 4


def test_a_submission_whose_key_is_taken_makes_no_second_entry_to_look_at(bullpen: Commands) -> None:
    bullpen.submit("a", "--key", "k")
    entry = put(bullpen, b'{"job": {"kind": "noop", "text": "b"}, "idempotency_key": "k"}')

    assert "whose body differs" in bullpen.fails("quarantine", "replay", entry, code=5)
    assert [row["id"] for row in bullpen.json("quarantine", "list", "--state", "new")] == [str(entry)]


def test_a_body_that_was_cut_is_not_taken(bullpen: Commands) -> None:
    entry = put(bullpen, b'{"job": {"kind": "noop", "text": "' + b"x" * 70_000 + b'"}}')

    assert "Only 65,536 of its 70,037 bytes were kept" in bullpen.fails("quarantine", "replay", entry, code=5)


def test_a_step_that_was_given_up_is_replayed(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s1.break=1")
    step = UUID(bullpen.json("show", job)["steps"][0]["id"])
    entry = put(bullpen, b"{}", source="sweep", cause="LeaseExpired", job_id=job, step_id=step)

    assert f"s1 of job {job} is done again" in bullpen.out("quarantine", "replay", entry)
    assert bullpen.json("show", job)["status"] == "running"
    assert state(bullpen, entry) == "replayed"


def test_a_message_of_the_fleet_is_sent_again(bullpen: Commands) -> None:
    job = bullpen.submit("x")
    advance_and_publish(services(), job)
    step = UUID(bullpen.json("show", job)["steps"][0]["id"])
    command = RunStep(job_id=job, step_id=step, stage="s1").to_json()
    services().redis.flushall()
    forms = [command, {"message": command, "args": [], "kwargs": {}}, [[command], {}, {"chord": None}]]

    for form in forms:
        entry = put(bullpen, json.dumps(form).encode(), source="bullpen.classifier", cause="DeadLetter:delivery_limit")
        assert "The message of s1" in bullpen.out("quarantine", "replay", entry)
    entry = put(bullpen, json.dumps(AdvanceJob(job_id=job).to_json()).encode(), source="bullpen.coordinator")
    assert "The boss was asked" in bullpen.out("quarantine", "replay", entry)

    lengths = {key.split(b"\x06")[0]: services().redis.llen(key) for key in services().redis.keys("bullpen.*")}
    assert lengths == {b"bullpen.classifier": 3, b"bullpen.coordinator": 1}


def test_a_message_without_use_is_not_sent(bullpen: Commands) -> None:
    job = bullpen.ran("x")
    step = UUID(bullpen.json("show", job)["steps"][0]["id"])
    done = put(bullpen, json.dumps(RunStep(job_id=job, step_id=step, stage="s1").to_json()).encode(), source="bullpen.classifier")
    gone = put(bullpen, json.dumps(RunStep(job_id=job, step_id=job, stage="s1").to_json()).encode(), source="bullpen.classifier")
    junk = [put(bullpen, body, source="bullpen.classifier") for body in (b"\xff", b"[]", b"{}", b"[[1]]", b'{"v": 3}')]
    other = put(bullpen, b"x", source="sweep", cause="Other")

    assert f"Step {step} does not wait for its message any more" in bullpen.fails("quarantine", "replay", done, code=5)
    assert "does not wait for its message any more" in bullpen.fails("quarantine", "replay", gone, code=5)
    for entry in junk:
        assert "holds no message with ids" in bullpen.fails("quarantine", "replay", entry, code=5)
    assert "nothing to do again" in bullpen.fails("quarantine", "replay", other, code=5)


def test_a_message_is_not_settled_while_the_broker_is_away(bullpen: Commands) -> None:
    job = bullpen.submit("x")
    entry = put(bullpen, json.dumps(AdvanceJob(job_id=job).to_json()).encode(), source="bullpen.coordinator")
    bullpen.setenv(broker_url=NOWHERE_REDIS)

    assert "broker does not answer" in bullpen.fails("quarantine", "replay", entry, code=6)
    assert state(bullpen, entry) == "new"


def test_quarantine_is_listed_shown_and_given_up(bullpen: Commands) -> None:
    assert "Quarantine is empty" in bullpen.out("quarantine", "list")
    take_submission(services(), "坏 \x1b[31m".encode(), source=JOBS_STREAM)
    entry = bullpen.json("quarantine", "list")[0]["id"]

    assert "NotJson" in bullpen.out("quarantine", "list")
    assert "坏 ␛[31m" in bullpen.out("quarantine", "show", entry[:13])
    assert bullpen.json("quarantine", "show", entry)["body"] == "坏 \x1b[31m"
    assert bullpen.json("quarantine", "give-up", entry) == {"id": entry, "state": "given_up"}
    assert "No entry is like that" in bullpen.out("quarantine", "list", "--state", "new")
    assert "already given_up" in bullpen.fails("quarantine", "replay", entry, code=5)
    assert "There is no quarantine entry" in bullpen.fails("quarantine", "show", "01a1fc79-4c92-70a1-9353-a2b4414b2eb7", code=4)
    assert "'new', 'replayed', 'given_up'" in bullpen.fails("quarantine", "list", "--state", "old", code=2)


def test_the_schema_is_migrated_once(bullpen: Commands) -> None:
    assert "as it was" in bullpen.out("db", "migrate")
    assert Catalogue(bullpen.db, None).own_passages("how do I add a source?")  # the documents of the release come with its schema
    assert bullpen.json("db", "current")["current"] is True
    bullpen.db.statement("DELETE FROM alembic_version")

    result = bullpen("db", "current", "--json")
    assert (result.exit_code, json.loads(result.stdout)["revision"]) == (6, None)
    assert "Run `bullpen db migrate`" in result.stderr


def test_settings_are_printed_without_secrets(bullpen: Commands) -> None:
    bullpen.setenv(broker_url="redis://:hushhush@127.0.0.1:6379/0", flower_basic_auth="admin:hushhush", owner_cap="7")

    value, text = bullpen.json("settings"), bullpen.out("settings")

    assert value["owner_cap"] == {"variable": "BULLPEN_OWNER_CAP", "value": 7, "from": "environment"}
    assert value["broker_url"]["value"] == "redis://:***@127.0.0.1:6379/0"
    assert value["flower_basic_auth"]["value"] == "***"
    assert value["lease_s"]["from"] == "default"
    assert "hushhush" not in text + json.dumps(value)


def test_ages_and_times_are_read_as_people_write_them() -> None:
    assert [read_age(text) for text in ("90s", "15m", "2h", " 1.5d ", "4w")] == [
        timedelta(seconds=90), timedelta(minutes=15), timedelta(hours=2), timedelta(days=1.5), timedelta(weeks=4),
    ]  # fmt: skip
    assert abs(read_time("2h") - (datetime.now(UTC) - timedelta(hours=2))) < timedelta(minutes=1)
    assert read_time("2026-11-21T08:00:00+00:00") == datetime(2026, 11, 21, 8, tzinfo=UTC)
    for text in ("", "2", "h", "-2h", "1e9d", "999999999d", "2 months"):
        with pytest.raises(InvalidInput, match="is no age"):
            read_age(text)
    with pytest.raises(InvalidInput, match="is no time"):
        read_time("soon")
