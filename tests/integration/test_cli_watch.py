"""`bullpen watch` and `bullpen why`: what happens to a job, and why it does not."""

import json
import re
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from contracts.base import Json
from tests.support.commands import NOWHERE_REDIS, Commands, commands_on
from workers.app import fleet_facts
from workers.app.run_step import advance_and_publish
from workers.blackboard import steps
from workers.cli import watch
from workers.cli.context import services
from workers.reading import waiting
from workers.reading.events import EventTail
from workers.reading.follow import follow


@pytest.fixture
def bullpen(database_url: str, broker_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Commands]:
    monkeypatch.setattr(waiting, "YOUNG_S", -1.0)
    with commands_on(database_url, broker_url, tmp_path / "home", monkeypatch) as commands:
        yield commands


def take(bullpen: Commands, stage: str, lease_s: float = 60) -> None:
    """Claim a queued step and leave it running."""
    row = bullpen.db.row("SELECT id FROM steps WHERE stage = %(stage)s AND status = 'queued'", {"stage": stage})
    assert row is not None
    assert steps.claim(bullpen.db, row["id"], token=uuid4(), lease_s=lease_s, worker="test:1") is not None


def test_a_watch_tells_every_event_and_the_result(bullpen: Commands) -> None:
    job = bullpen.ran("x")

    text = bullpen.out("watch", job)

    assert "job accepted\n" in text
    assert "decided: dispatched S1, the job is running" in text
    assert "S6 succeeded" in text
    assert "succeeded: s6 version 1" in text


def test_a_watch_as_json_has_no_gap_and_tells_the_end(bullpen: Commands) -> None:
    job = bullpen.ran("x")

    lines = [json.loads(line) for line in bullpen.out("watch", job, "--json").splitlines()]

    assert [line["rev"] for line in lines[:-1]] == list(range(1, len(lines)))
    assert lines[-1] == {
        "kind": "watch_ended", "job_id": str(job), "status": "succeeded", "error": None, "questions": [], "exit_code": 0,
    }  # fmt: skip


def test_a_watch_follows_a_job_that_runs(bullpen: Commands) -> None:
    job = bullpen.submit("--set", "plan.s3.sleep_s=0.1")
    services()  # made before a second thread asks for it
    runner = threading.Thread(target=bullpen.run_all)

    runner.start()
    lines = [json.loads(line) for line in bullpen.out("watch", job, "--json").splitlines()]
    runner.join()

    assert [line["rev"] for line in lines[:-1]] == list(range(1, len(lines)))
    assert lines[-1]["status"] == "succeeded"


def test_a_notification_ends_the_wait(bullpen: Commands) -> None:
    job = bullpen.submit()
    looks = follow(bullpen.db, job, poll_s=3600.0)
    next(looks)

    bullpen.run_all()
    seen = [next(looks)]
    while not seen[-1].state.has_ended():
        seen.append(next(looks))
    looks.close()  # without notifications the next look would be in an hour

    assert [event.rev for look in seen for event in look.events] == list(range(2, 15))


def test_a_watch_of_a_failed_job_tells_the_error(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s2.break=1")

    result = bullpen("watch", job)

    assert result.exit_code == 1
    told = " ".join(result.stdout.split())
    assert "failed: Something went wrong here, and the work has ended. Nothing is asked of you" in told
    assert "s2: broken as ordered" in told
    assert f"bullpen replay {str(job)[-12:]}" in result.stderr
    bullpen.out("cancel", bullpen.submit("other"))
    assert bullpen("watch", bullpen.json("jobs", "--status", "cancelled")[0]["id"]).exit_code == 1


def test_a_step_that_takes_long_is_said_in_plain_words(
    bullpen: Commands, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """`--wait` said nothing between two steps; it names the last call too."""
    monkeypatch.setattr(watch, "LOOK_S", 0.0)
    monkeypatch.setattr(watch, "LONG_S", 0.0)
    job = bullpen.submit()
    advance_and_publish(services(), job)
    take(bullpen, "s1")

    def one_look(found: UUID, *, on_live: Callable[[Json], None] | None, **_: object) -> Iterator[EventTail]:
        if on_live is not None:
            on_live({"kind": "call", "stage": "s1", "name": "try_sql", "model": ""})
        return islice(follow(bullpen.db, found, after=1_000), 1)

    monkeypatch.setattr(watch, "tails_of", one_look)
    watched = bullpen("watch", job).stdout
    watch.wait_job(job)

    assert "now at “S1”, for " in watched
    assert "now at “S1”, for " in capsys.readouterr().err


@contextmanager
def working(bullpen: Commands) -> Iterator[None]:
    """Somebody runs whatever is queued, again and again, until this ends."""
    stop = threading.Event()

    def work() -> None:
        while not stop.wait(0.05):
            bullpen.run_all()

    runner = threading.Thread(target=work)
    runner.start()
    try:
        yield
    finally:
        stop.set()
        runner.join()


def test_a_watch_ends_with_the_question_and_goes_on_after_the_answer(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s1.ask=1")

    text = bullpen.out("watch", job, code=7)
    ended = json.loads(bullpen.out("watch", job, "--json", code=7).splitlines()[-1])

    assert "s1: question 1?" in text
    assert f'answer with: bullpen answer {str(job)[-12:]} "..."' in text
    assert (ended["status"], ended["questions"][0]["asker"], ended["exit_code"]) == ("waiting_human", "s1", 7)

    services()
    with working(bullpen):
        told = bullpen.out("answer", job, "yes", "--watch")
    assert "question answered (S1): yes" in told
    assert "job accepted" not in told
    assert "succeeded: s6 version 1" in told


def test_a_watch_may_end_at_a_question_while_other_steps_run(bullpen: Commands) -> None:
    job = bullpen.submit("--set", "plan.left.ask=1", kind="noop_graph")
    bullpen.db.statement("UPDATE stages SET needs = '{input}' WHERE name IN ('left', 'right')")
    advance_and_publish(services(), job)
    take(bullpen, "right")
    bullpen.run_all()

    assert bullpen.json("show", job)["status"] == "running"
    assert "left: question 1?" in bullpen.out("watch", job, "--until-question", code=7)


def test_a_submission_can_be_watched(bullpen: Commands) -> None:
    services()  # made before a second thread asks for it

    has_ended = threading.Event()

    def run_what_comes() -> None:
        while not bullpen.db.row("SELECT 1 AS yes FROM jobs") and not has_ended.wait(0.02):
            pass
        bullpen.run_all()

    runner = threading.Thread(target=run_what_comes)
    runner.start()
    try:
        lines = bullpen.out("submit", "noop", "x", "--json", "--watch", "--set", "plan.s1.ask=1", code=7)
    finally:
        has_ended.set()
        runner.join()

    first, *events = [json.loads(line) for line in lines.splitlines()]
    assert first["existing"] is False
    assert events[0]["kind"] == "job_accepted"
    assert events[-1]["kind"] == "watch_ended"


def test_a_watch_of_a_job_that_is_purged_ends(bullpen: Commands) -> None:
    job = bullpen.submit()
    looks = follow(bullpen.db, job, poll_s=0.05)
    next(looks)
    bullpen.db.statement("DELETE FROM jobs WHERE id = %(id)s", {"id": job})

    assert list(looks) == []


def test_a_watch_survives_a_lost_connection(bullpen: Commands) -> None:
    """F3: Postgres restarts; the watch goes on where it was."""
    job = bullpen.submit()
    lost: list[str] = []
    looks = follow(bullpen.db, job, poll_s=0.05, on_lost=lambda error: lost.append(str(error)))
    assert [event.rev for event in next(looks).events] == [1]

    bullpen.db.statement(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    bullpen.run_all()
    revs: list[int] = []
    for seen in looks:
        revs += [event.rev for event in seen.events]
        if seen.state.has_ended():
            break
    looks.close()

    assert revs == list(range(2, 15))
    assert len(lost) == 1
    assert "does not answer" in lost[0]


def hints(bullpen: Commands, job: UUID, *stage: str) -> str:
    return " ".join(bullpen.json("why", job, *stage)["hints"])


def test_why_names_the_stage_that_failed(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s2.break=1")

    value, text = bullpen.json("why", job), bullpen.out("why", job)

    assert value["reasons"]["s2"] == "failed: broken as ordered"
    assert value["reasons"]["s3"] == "needs s2"
    assert (value["rule"], value["last_decision"]["rule"]) == ("failed", "failed")
    assert bullpen.json("why", job, "s3")["reasons"] == {"s3": "needs s2"}
    assert f"bullpen replay {str(job)[-12:]}" in text
    assert "It has: input, s1" in bullpen.fails("why", job, "s9", code=4)


def test_why_says_that_all_is_done(bullpen: Commands) -> None:
    job = bullpen.ran("x")

    assert "Every stage is fresh" in bullpen.out("why", job)
    assert bullpen.json("why", job)["hints"] == []


def test_why_shows_the_question_that_is_open(bullpen: Commands) -> None:
    job = bullpen.ran("--set", "plan.s1.ask=1")

    assert f's1 asks: s1: question 1? Answer with: bullpen answer {str(job)[-12:]} "..."' in hints(bullpen, job)


def test_why_finds_the_owner_at_their_cap(bullpen: Commands) -> None:
    bullpen.setenv(owner_cap="1")
    bullpen.submit("first")
    job = bullpen.submit("second")

    assert bullpen.json("why", job)["rule"] == "owner cap"
    assert "has 1 job running of 1 (BULLPEN_OWNER_CAP)" in hints(bullpen, job)
    assert "waits" in bullpen.out("show", job)


def test_why_misses_a_coordinator_and_a_worker(bullpen: Commands) -> None:
    job = bullpen.submit()
    assert "has not looked at revision 1 yet (it decided 0). No coordinator answers" in hints(bullpen, job)
    bullpen.out("pause", "coordinator")
    assert "The coordinator is paused" in hints(bullpen, job)

    advance_and_publish(services(), job)
    assert "No worker answers. Start one: bullpen worker classifier" in hints(bullpen, job)
    assert hints(bullpen, job, "s2") == ""
    bullpen.out("pause", "classifier")
    assert "The role is paused: bullpen resume classifier" in hints(bullpen, job)


def test_why_reads_the_queue_when_workers_answer(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    job = bullpen.submit()
    advance_and_publish(services(), job)
    monkeypatch.setattr(fleet_facts, "live_workers", lambda _: {"coordinator": 1, "classifier": 2})

    assert "2 workers busy; 1 message in the queue" in hints(bullpen, job)
    services().redis.flushall()
    assert "Its message is not in the queue" in hints(bullpen, job)


def test_why_tells_of_a_broker_that_is_away(bullpen: Commands) -> None:
    bullpen.setenv(broker_url=NOWHERE_REDIS)
    job = bullpen.submit()

    assert "The broker does not answer" in hints(bullpen, job)


def test_why_tells_of_running_and_repeated_steps(bullpen: Commands) -> None:
    job = bullpen.submit()
    advance_and_publish(services(), job)
    take(bullpen, "s1")
    assert "s1 runs on test:1" in hints(bullpen, job)

    bullpen.db.statement("UPDATE steps SET lease_until = now() - interval '1 minute'")
    assert re.search(r"Its lease ran out [\d.]+ (?:s|min) ", hints(bullpen, job))

    bullpen.db.statement(
        "UPDATE steps SET status = 'queued', token = NULL, lease_until = NULL, due_at = now() + interval '1 hour', "
        """error = '{"type": "TransientError", "message": "429"}'"""
    )
    assert "after TransientError: 429" in hints(bullpen, job)


def test_why_a_job_failed_is_said_in_the_reader_s_language(bullpen: Commands) -> None:
    """The error is a statement on the blackboard; a fault's own words would not be."""
    job = bullpen.ran("--set", "plan.s1.refuse=true")
    english, chinese = "There is no source warehouse.", "没有数据源 warehouse。"

    for command in ("show", "why", "watch", "jobs"):
        about = () if command == "jobs" else (job,)
        code = 1 if command == "watch" else 0
        assert english in " ".join(bullpen.out(command, *about, "--language", "en", code=code).split())
        assert chinese in bullpen.out(command, *about, "--language", "zh", code=code)
    (of_job,) = bullpen.json("jobs", "--language", "zh")
    assert chinese in of_job["error"]
    lines = [json.loads(line) for line in bullpen.out("watch", job, "--json", "--language", "zh", code=1).splitlines()]
    assert [chinese in line["detail"]["message"] for line in lines if line["kind"] == "step_failed"] == [True]
    assert chinese in lines[-1]["error"]


def test_why_says_of_a_step_that_was_queued_just_now_that_nothing_is_missing(bullpen: Commands, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waiting, "YOUNG_S", 3600.0)
    job = bullpen.submit()
    advance_and_publish(services(), job)

    text = bullpen.out("why", job)

    assert "s1 was handed to a worker of role" in text
    assert "nothing is missing" in text
