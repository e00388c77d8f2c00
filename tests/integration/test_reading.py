"""The read side: what a job looks like, as values."""

import json
import threading
from collections.abc import Iterator, Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, LiteralString
from uuid import UUID, uuid4

import pytest

from contracts.jobs import JobStatus
from tests.support.spoken import english
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard import steps as claims
from workers.blackboard.engine import Database, Row
from workers.coordinator import actions
from workers.coordinator.intake import accept, read_submission
from workers.coordinator.replay import replay_stage
from workers.errors import InvalidInput, NotFound
from workers.kinds.registry import load_kinds
from workers.reading.costs import read_costs
from workers.reading.decisions import read_decisions
from workers.reading.deliverables import read_current, read_version, read_versions
from workers.reading.events import Gap, read_events
from workers.reading.facts import read_job_facts
from workers.reading.fleet import read_fleet, read_leases, read_overdue
from workers.reading.jobs import read_job
from workers.reading.lists import JobFilter, list_jobs
from workers.reading.names import find_id
from workers.reading.questions import read_questions
from workers.reading.steps import read_steps
from workers.reading.waiting import AnswerNeeded, Ended, OwnerAtCap, StepRuns, StepWaits, Undecided, explain
from workers.settings import Settings


class Jobs:
    """Jobs of the no-op kinds on a test's own servers."""

    def __init__(self, services: ProcessServices) -> None:
        self.services = services
        self.db: Database = services.database

    def submit(self, text: str = "", *, kind: str = "noop", owner: str = "me", owner_cap: int = 100, **plan: Any) -> UUID:
        """Accepted, and nothing done yet."""
        submission = read_submission({"job": {"kind": kind, "text": text, "plan": plan}, "owner": owner, "engine": "rules"})
        return accept(self.db, submission, owner_cap=owner_cap, has_model=False).job_id

    def ran(self, text: str = "", **more: Any) -> UUID:
        """Run until it stops by itself."""
        job = self.submit(text, **more)
        run_all(self.services)
        return job


@pytest.fixture
def jobs(database: Database, broker_url: str, tmp_path: Path) -> Iterator[Jobs]:
    settings = Settings(
        database_url=database.url, broker_url=broker_url, home=tmp_path, extensions=("tests.support.noop",), embeddings="none",
        retry_base_s=0.01, retry_max_s=0.02,
    )  # fmt: skip
    load_kinds(settings.extensions)
    services = ProcessServices(settings)
    yield Jobs(services)
    services.close()


def test_the_facts_of_a_job_are_of_one_revision(jobs: Jobs) -> None:
    job = jobs.ran("slow", s2={"ask": 1})

    facts = read_job_facts(jobs.db, job)

    assert (facts.job.id, facts.job.status, facts.job.rev) == (job, JobStatus.WAITING_HUMAN, facts.job.decided_rev)
    assert [(stage.name, stage.fresh, stage.version) for stage in facts.stages[:3]] == [
        ("input", True, 1),
        ("s1", True, 1),
        ("s2", False, None),
    ]
    assert english(facts.stages[2].why) == "asked the human and waits for the answer"
    assert [(step.stage, step.outcome) for step in facts.steps] == [("s1", "completed"), ("s2", "needs_clarification")]
    assert facts.stages[1].step_id == facts.steps[0].id
    assert facts.result is None


def test_the_facts_hold_what_each_part_holds_that_is_read_alone(jobs: Jobs) -> None:
    job = jobs.ran("slow", s2={"ask": 1})
    question = read_job_facts(jobs.db, job).questions[0]
    actions.answer(jobs.db, job, "go on", request_id=question.request_id)
    run_all(jobs.services)
    replay_stage(jobs.db, job, "s3", edit={})

    facts = read_job_facts(jobs.db, job)

    assert facts.job == read_job(jobs.db, job)
    assert facts.questions == read_questions(jobs.db, job)
    assert facts.requests
    assert [replace(step, duration_s=None) for step in facts.steps] == [replace(step, duration_s=None) for step in read_steps(jobs.db, job)]
    assert {stage.deliverable_id for stage in facts.stages if stage.deliverable_id} <= {one.id for one in read_versions(jobs.db, job)}
    assert len(facts.steps) > 3


def test_the_facts_are_one_statement_and_the_result_another(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    """Each round trip of a busy gateway waits for its turn of the process and of Postgres."""
    job, asked = jobs.ran("slow"), list[str]()
    statement, here = jobs.db.statement, threading.get_ident()

    def counted(sql: LiteralString, parameters: Mapping[str, Any] | None = None) -> list[Row]:
        if threading.get_ident() == here:  # another thread may still tell of the job's end
            asked.append(sql)
        return statement(sql, parameters)

    monkeypatch.setattr(jobs.db, "statement", counted)
    monkeypatch.setattr(jobs.db, "session", lambda: pytest.fail("a transaction of several statements"))

    assert read_job_facts(jobs.db, job).result is not None
    assert len(asked) == 2


def test_every_value_is_json(jobs: Jobs) -> None:
    job = jobs.ran("slow", s2={"ask": 1})

    values = [
        read_job_facts(jobs.db, job), explain(jobs.db, job), read_events(jobs.db, job), read_fleet(jobs.db), list_jobs(jobs.db),
        read_current(jobs.db, job, "s1"), *read_decisions(jobs.db, job), *read_leases(jobs.db), read_overdue(jobs.db, old_s=1),
    ]  # fmt: skip

    for value in values:
        assert json.loads(json.dumps(value.to_json())) == value.to_json()
    assert read_job_facts(jobs.db, job).to_json()["status"] == "waiting_human"


def test_the_result_is_the_current_version_after_an_edit_was_taken_back(jobs: Jobs) -> None:
    job = jobs.ran("slow")
    actions.revise(jobs.db, job, "s6", {"stage": "mine", "given": {}})
    run_all(jobs.services)
    edited = read_job_facts(jobs.db, job).result
    actions.unpin(jobs.db, job, "s6")
    run_all(jobs.services)
    back = read_job_facts(jobs.db, job).result

    assert edited is not None
    assert back is not None
    assert (edited.version, edited.content["stage"]) == (2, "mine")
    assert (back.version, back.content["stage"]) == (1, "s6")
    assert read_current(jobs.db, job, "s6").version == 1
    assert read_version(jobs.db, job, "s6", 2).origin == "human"


def test_a_question_brings_the_form_of_its_answer(jobs: Jobs) -> None:
    job = jobs.ran(s1={"ask": 1})

    (question,) = read_questions(jobs.db, job)

    assert (question.asker, question.state, question.by_boss, question.kind) == ("s1", "open", False, "question")
    assert (question.form.text, question.form.must_choose, question.form.choices) == ("s1: question 1?", False, ())
    actions.answer(jobs.db, job, "yes")
    (question,) = read_questions(jobs.db, job)
    assert (question.state, question.answer) == ("answered", "yes")


def test_a_question_of_the_boss_has_to_be_answered_by_a_choice(jobs: Jobs) -> None:
    job = jobs.ran(kind="noop_graph", review={"remark": 9, "on": "left"})

    (question,) = [question for question in read_questions(jobs.db, job) if question.is_open]

    assert (question.by_boss, question.kind, question.form.must_choose) == (True, "escalation", True)
    assert question.form.choices == ("redo", "keep")
    assert question.about in {request.id for request in read_job_facts(jobs.db, job).requests if request.held}
    with pytest.raises(InvalidInput, match="Begin the answer with one of"):
        actions.answer(jobs.db, job, "perhaps")


def test_events_come_after_a_revision_and_without_a_gap(jobs: Jobs) -> None:
    job = jobs.ran()
    rev = read_job(jobs.db, job).rev

    first = read_events(jobs.db, job, limit=5)
    rest = read_events(jobs.db, job, first.last_rev)

    assert [event.rev for event in (*first.events, *rest.events)] == list(range(1, rev + 1))
    assert (first.more, rest.more, first.gap, rest.gap) == (True, False, None, None)
    assert rest.state.has_ended()
    assert read_events(jobs.db, job, rev).events == ()
    assert read_events(jobs.db, job, rev).gap is None


def test_a_reader_behind_retention_is_given_the_gap_and_where_to_start(jobs: Jobs) -> None:
    job = jobs.ran()
    rev = read_job(jobs.db, job).rev
    jobs.db.statement("DELETE FROM events WHERE job_id = %(id)s AND rev <= 6", {"id": job})

    assert read_events(jobs.db, job, 2).gap == Gap(after=2, next_rev=7, snapshot_rev=rev)
    assert read_events(jobs.db, job, 6).gap is None
    jobs.db.statement("DELETE FROM events WHERE job_id = %(id)s", {"id": job})
    tail = read_events(jobs.db, job, 2)
    assert (tail.gap, tail.last_rev) == (Gap(after=2, next_rev=None, snapshot_rev=rev), rev)
    assert read_events(jobs.db, job, rev).gap is None


def test_a_reader_from_after_a_restored_backup_is_given_a_gap(jobs: Jobs) -> None:
    job = jobs.ran()
    rev = read_job(jobs.db, job).rev

    tail = read_events(jobs.db, job, rev + 100)

    assert (tail.gap, tail.last_rev) == (Gap(after=rev + 100, next_rev=None, snapshot_rev=rev), rev)


def test_pages_of_jobs_hold_each_job_once(jobs: Jobs) -> None:
    made = [jobs.submit(str(number)) for number in range(7)]

    listed: list[UUID] = []
    cursor: UUID | None = None
    for _ in range(4):
        page = list_jobs(jobs.db, limit=2, before=cursor)
        listed += [line.id for line in page.jobs]
        cursor = page.next

    assert listed == made[::-1]
    assert cursor is None


def test_jobs_are_narrowed_by_each_filter_and_by_several(jobs: Jobs) -> None:
    done, asks = jobs.ran("Orders are slow", owner="ann"), jobs.ran("夜间作业变慢", owner="bob", s1={"ask": 1})
    graph = jobs.submit("orders again", kind="noop_graph", owner="ann")
    session = uuid4()
    jobs.db.statement("INSERT INTO sessions (id, owner) VALUES (%(id)s, 'ann')", {"id": session})
    jobs.db.statement("UPDATE jobs SET session_id = %(session)s WHERE id = %(id)s", {"session": session, "id": graph})
    now = datetime.now(UTC)

    def found(**which: Any) -> list[UUID]:
        return [line.id for line in list_jobs(jobs.db, JobFilter(**which)).jobs]

    assert found(owner="ann") == [graph, done]
    assert found(owner="ann", kind="noop") == [done]
    assert found(status=JobStatus.WAITING_HUMAN) == [asks]
    assert found(session_id=session) == [graph]
    assert found(text="ORDERS") == [graph, done]
    assert found(text="作业", owner="bob") == [asks]
    assert found(text="100%") == []
    assert found(since=now - timedelta(minutes=5)) == [graph, asks, done]
    assert found(until=now - timedelta(minutes=5)) == []
    assert [line.questions for line in list_jobs(jobs.db, JobFilter(owner="bob")).jobs] == [1]


def test_a_search_for_a_text_says_where_it_stopped(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.reading.lists.EXAMINED", 3)
    wanted = jobs.submit("the needle")
    for number in range(4):
        jobs.submit(f"hay {number}")

    first = list_jobs(jobs.db, JobFilter(text="needle"))
    second = list_jobs(jobs.db, JobFilter(text="needle"), before=first.next)

    assert first.jobs == ()
    assert first.next is not None
    assert ([line.id for line in second.jobs], second.next) == ([wanted], None)


def test_an_id_is_found_by_every_beginning_and_end(jobs: Jobs) -> None:
    job = jobs.ran()
    step = read_job_facts(jobs.db, job).steps[0].id

    for length in range(6, 32):
        if length > 12:
            assert find_id(jobs.db, step.hex[:length], "step") == step or length < 20
        assert find_id(jobs.db, step.hex[-length:], "step", "job") == step
        assert find_id(jobs.db, job.hex[-length:].upper(), "job") == job
        assert find_id(jobs.db, job.hex[:length], "job") == job
    with pytest.raises(NotFound):
        find_id(jobs.db, "0" * 31, "job")


def test_what_a_job_waits_for_is_a_value(jobs: Jobs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.reading.waiting.YOUNG_S", -1.0)
    asks, failed = jobs.ran(s1={"ask": 1}), jobs.ran(s2={"break": 1})
    fresh, held = jobs.submit(), jobs.submit(owner="busy", owner_cap=0)

    def kinds(job: UUID) -> list[type]:
        return [type(wait) for wait in explain(jobs.db, job).waits]

    assert kinds(asks) == [AnswerNeeded]
    assert kinds(failed) == [Ended]
    assert kinds(fresh) == [Undecided]
    assert kinds(held) == [OwnerAtCap]
    reasons = explain(jobs.db, failed, "s2").reasons
    assert {stage: english(reason) for stage, reason in reasons.items()} == {"s2": "failed: broken as ordered"}
    with pytest.raises(NotFound, match="It has: input, s1"):
        explain(jobs.db, failed, "s9")


def test_queues_leases_and_roles_are_counted(jobs: Jobs) -> None:
    from workers.app.role_states import set_role_state
    from workers.app.run_step import advance_and_publish

    waits, runs = jobs.submit(), jobs.submit()
    for job in (waits, runs):
        advance_and_publish(jobs.services, job)
    step = read_job_facts(jobs.db, runs).steps[0].id
    claims.claim(jobs.db, step, token=uuid4(), lease_s=60, worker="test:1")
    set_role_state(jobs.db, "analyst", "paused")

    fleet, (lease,) = read_fleet(jobs.db), read_leases(jobs.db)

    assert (fleet.role("classifier").waiting, fleet.role("classifier").running) == (1, 1)
    assert (fleet.role("analyst").state, fleet.role("reviewer").state) == ("paused", "running")
    assert (fleet.live_jobs, fleet.quarantined) == ({"running": 2}, 0)
    assert (lease.step_id, lease.worker) == (step, "test:1")
    assert 0 < lease.left_s <= 60
    assert [type(wait) for wait in explain(jobs.db, runs).waits] == [StepRuns]
    assert [type(wait) for wait in explain(jobs.db, waits).waits] == [StepWaits]


def test_costs_are_summed_by_role_and_model(jobs: Jobs) -> None:
    job = jobs.ran()
    jobs.db.statement(
        """UPDATE steps SET usage = '{"input_tokens": 10, "output_tokens": 2, "model_calls": 1, "cost_usd": 0.1}', engine = 'big'
            WHERE stage IN ('s1', 's2')"""
    )
    jobs.db.statement("""UPDATE steps SET usage = '{"input_tokens": 5, "model_calls": 1}', engine = 'small' WHERE stage = 's3'""")
    now = datetime.now(UTC)

    costs = read_job_facts(jobs.db, job).costs

    assert costs is not None
    assert (costs.total.input_tokens, costs.total.model_calls, costs.total.cost_usd) == (25, 3, 0.2)
    assert [(line.name, line.steps) for line in costs.by_role] == [("analyst", 1), ("classifier", 1), ("retriever", 1)]
    assert [(line.name, line.usage.input_tokens) for line in costs.by_model] == [("big", 20), ("small", 5)]
    fleet = read_costs(jobs.db, now - timedelta(hours=1), now + timedelta(hours=1))
    assert [(cost.role, cost.model, cost.usage.input_tokens) for cost in fleet] == [
        ("analyst", "small", 5), ("classifier", "big", 10), ("retriever", "big", 10),
    ]  # fmt: skip
    assert read_costs(jobs.db, now - timedelta(days=2), now - timedelta(days=1)) == ()
