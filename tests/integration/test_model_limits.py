"""Limits that hold over the fleet: calls a minute, and what a job may use."""

import threading
import time
from uuid import UUID, uuid4

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.base import Json
from contracts.jobs import Budget, SubmitJob
from contracts.reports import Usage
from tests.support.said import kept
from tests.support.weather import PROMPT, RAINY, Weather
from workers.blackboard.engine import Database, jsonb
from workers.coordinator import sweeper
from workers.coordinator.advance import StepLimits, advance
from workers.coordinator.intake import accept
from workers.errors import BudgetExceeded, ModelUnavailable
from workers.llm import ScriptedChat
from workers.llm.budget import JobBudget
from workers.llm.rate_limit import FleetRateLimit


def test_two_clients_share_one_rate(database: Database) -> None:
    """Ten calls by two processes at one a minute are given ten turns, a minute apart. When a turn is lies between its wait, counted from
    the moment it was asked for, and the same counted from the answer."""
    other = Database(database.url)
    limits = [FleetRateLimit(db, per_minute=1) for db in (database, other)]
    earliest: list[float] = []
    latest: list[float] = []

    for call in range(10):
        asked = time.monotonic()
        wait_s = limits[call % 2].take(1_000.0)
        earliest.append(asked + wait_s)
        latest.append(time.monotonic() + wait_s)
    other.close()

    for number in range(10):
        assert latest[number] - earliest[0] >= 60 * number - 0.1
        assert earliest[number] - latest[0] <= 60 * number + 0.1


def test_many_threads_never_get_the_same_turn(database: Database) -> None:
    limit = FleetRateLimit(database, per_minute=60)
    earliest: list[float] = []
    latest: list[float] = []

    def take() -> None:
        before = time.monotonic()
        wait_s = limit.take(1_000.0)
        earliest.append(before + wait_s)
        latest.append(time.monotonic() + wait_s)

    threads = [threading.Thread(target=take) for _ in range(12)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    first = min(earliest)
    assert all(turn - first > 0.99 * number for number, turn in enumerate(sorted(latest)))


def test_a_turn_that_is_too_far_is_not_taken_and_its_wait_is_named(database: Database) -> None:
    limit = FleetRateLimit(database, per_minute=1)
    asked = time.monotonic()
    limit.take(0.0)
    taken = time.monotonic()

    for _ in range(3):  # a refusal moves nothing
        again = time.monotonic()
        with pytest.raises(ModelUnavailable, match=r"the next turn is in \d+ s") as caught:
            limit.take(0.1)
        assert caught.value.retry_after_s is not None
        assert 59.9 - (time.monotonic() - asked) <= caught.value.retry_after_s <= 60.1 - max(0.0, again - taken)


def test_turns_that_nobody_took_are_not_saved_up(database: Database) -> None:
    """After an hour of rest the next calls are spread as evenly as ever."""
    limit = FleetRateLimit(database, per_minute=6)
    limit.take(0.0)
    database.statement("UPDATE rate_limits SET tat = tat - interval '1 hour'")

    began = time.monotonic()
    waits = [limit.take(30.0) for _ in range(3)]
    took_s = time.monotonic() - began

    assert all(10 * number - took_s - 0.1 <= wait <= 10 * number + 0.1 for number, wait in enumerate(waits)), waits


def test_a_chat_waits_for_its_turn(database: Database) -> None:
    chat = ScriptedChat(RAINY, RAINY, rate_limit=FleetRateLimit(database, per_minute=120))
    started = time.monotonic()

    for _ in range(2):
        chat.ask(Weather, prompt=PROMPT, report="wet", hints=None)

    assert time.monotonic() - started > 0.4


def job(db: Database, budget: Budget) -> tuple[UUID, UUID]:
    """A job with a step that ran and another that runs."""
    job_id = accept(db, SubmitJob(job={"kind": "noop"}, budget=budget), owner_cap=10).job_id
    step = advance(db, job_id, StepLimits(max_attempts=1, timeout_s=60)).queued[0]
    return job_id, step.id


def spend(db: Database, step_id: UUID, usage: Json) -> None:
    db.statement("UPDATE steps SET usage = %(usage)s WHERE id = %(id)s", {"usage": jsonb(usage), "id": step_id})


def test_what_is_left_counts_the_job_s_other_steps_and_all_attempts_of_this_one(database: Database) -> None:
    job_id, step_id = job(database, Budget(tokens=1_000, cost_usd=2.0))
    spend(database, step_id, {"input_tokens": 300, "output_tokens": 100, "cost_usd": 0.5})

    budget = JobBudget(database, job_id, uuid4(), tokens=9, cost_usd=9.0, before=Usage(input_tokens=50, cost_usd=0.25))
    left = budget.left(Usage(output_tokens=150, cost_usd=0.25))

    assert (left.tokens, left.cost_usd) == (400, pytest.approx(1.0))
    own = JobBudget(database, job_id, step_id, tokens=None, cost_usd=None).left(Usage())
    assert own.tokens == 1_000  # its row is counted by what it used itself, not twice


def test_a_human_word_opens_a_fresh_budget(database: Database) -> None:
    job_id, step_id = job(database, Budget(tokens=1_000))
    spend(database, step_id, {"input_tokens": 990})
    budget = JobBudget(database, job_id, uuid4(), tokens=None, cost_usd=None)
    assert budget.left(Usage()).tokens == 10

    database.statement("UPDATE jobs SET rev = rev + 1, human_rev = rev + 1 WHERE id = %(id)s", {"id": job_id})

    assert budget.left(Usage()).tokens == 1_000


def test_a_chat_asks_for_no_more_than_the_budget_pays_for_and_then_for_nothing(database: Database) -> None:
    job_id, _ = job(database, Budget(tokens=2_000))
    chat = ScriptedChat(
        *["nonsense"] * 2, RAINY, *["nonsense " * 50] * 4, budget=JobBudget(database, job_id, uuid4(), tokens=None, cost_usd=None)
    )

    chat.ask(Weather, prompt=PROMPT, report="wet", hints=None)
    with pytest.raises(BudgetExceeded, match=r"of 2000 tokens are left, and the prompt has about \d+ tokens.*submit it again"):
        chat.ask(Weather, prompt=PROMPT, report="wet", hints=None)

    assert 1_000 < chat.usage.input_tokens + chat.usage.output_tokens <= 2_000
    assert len(chat.asked) < 7


def test_the_sweep_ends_a_job_over_the_deployment_s_budget(database: Database) -> None:
    job_id, step_id = job(database, Budget())
    spend(database, step_id, {"input_tokens": 600, "output_tokens": 500, "cost_usd": 0.7})

    assert sweeper.mark_over_budget(database, wall_time_s=3600) == []
    assert sweeper.mark_over_budget(database, wall_time_s=3600, tokens=2_000, cost_usd=1.0) == []
    assert sweeper.mark_over_budget(database, wall_time_s=3600, tokens=2_000, cost_usd=0.6) == [job_id]
    row = database.row("SELECT exceeded FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    assert kept(row["exceeded"]).startswith("BudgetExceeded: the job cost 0.7 USD of 0.6.")


def test_a_job_s_own_budget_comes_before_the_deployment_s(database: Database) -> None:
    job_id, step_id = job(database, Budget(tokens=5_000))
    spend(database, step_id, {"input_tokens": 1_100})

    assert sweeper.mark_over_budget(database, wall_time_s=3600, tokens=100) == []
    spend(database, step_id, {"input_tokens": 5_100})
    assert sweeper.mark_over_budget(database, wall_time_s=3600, tokens=100_000) == [job_id]
