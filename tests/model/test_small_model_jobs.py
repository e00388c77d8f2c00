"""Whole jobs of `ask` and steps of `diagnose` on the small model. It is weak, so what is asserted is what must hold whatever a model says.

Run: pytest -m model tests/model -n0
"""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from contracts.ask.results import Queried, SqlMade
from contracts.ask.steps import AskPlan, Ending
from contracts.ask.tools import Tool
from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.jobs import EngineChoice, JobStatus
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.incidents import EVIDENCE, asked
from workers.catalogue import offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.kinds.diagnose.roles.consult import consult_with, lead_with
from workers.kinds.diagnose.rules.rar.case import read_case
from workers.kinds.diagnose.rules.rar.guard import guard
from workers.kinds.diagnose.rules.turn import led_move
from workers.llm.chat import Chat
from workers.local.model.serving import CONTEXT_TOKENS, NAME
from workers.settings import load_settings

pytestmark = [pytest.mark.model, pytest.mark.timeout(7200)]

HARD = "How many payments have an amount above the amount of the payment before them?"
"""A question about a table that is there, for which a small model rarely writes the right statement."""


@pytest.fixture(scope="module")
def bench(model_url: str, tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    wanted = {
        "home": tmp_path_factory.mktemp("home"), "embeddings": "none", "model": NAME, "model_base_url": model_url, "model_retries": 0,
        "model_timeout_s": 3_000.0, "model_first_timeout_s": 3_000.0, "step_timeout_s": 7_000.0, "model_context_tokens": CONTEXT_TOKENS,
        "model_output_tokens": 400, "model_temperature": 0.0,
    }  # fmt: skip
    with silent_bench(load_settings().model_copy(update=wanted), databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def ask(bench: EmbeddedBench, question: str, engine: EngineChoice, **fields: object) -> FinishedJob:
    return bench.run_job({"kind": "ask", "question": question, "source": "shop", **fields}, engine, session_id=uuid4())


def only_read(bench: EmbeddedBench, job: FinishedJob) -> bool:
    """Whether each statement that a source took for the job is a query."""
    ran = bench.database.statement("SELECT statement FROM source_executions WHERE job_id = %(id)s AND error IS NULL", {"id": job.job_id})
    return all(row["statement"].lstrip().upper().startswith(("SELECT", "WITH", "EXPLAIN")) for row in ran)


def test_a_statement_of_the_model_runs_only_when_no_check_objects_to_it(bench: EmbeddedBench) -> None:
    """What the model writes is run behind the locks, shown where a check objects to it, or given back as a question."""
    job = ask(bench, HARD, EngineChoice.AUTO, strategy="direct")

    assert job.status in (JobStatus.SUCCEEDED, JobStatus.WAITING_HUMAN), job.error
    if job.status is JobStatus.WAITING_HUMAN:
        return
    plan = AskPlan.model_validate(job.result)
    assert plan.answer is not None
    made = [result for result in plan.answer.results if isinstance(result, SqlMade)]
    print(plan.route, plan.answer.ends_with, [result.sql for result in made])  # noqa: T201  shown by pytest -s
    if plan.answer.ends_with is Ending.SQL_FOR_CONFIRMATION:
        assert Tool.EXECUTE not in plan.route
        assert all(result.by in (NAME, "") for result in made)
    written = [result.made for result in plan.answer.results if isinstance(result, Queried) and result.made is not None]
    assert all(result.by == NAME and result.checked and result.is_verified for result in written)
    assert only_read(bench, job)


def test_whatever_the_model_names_the_order_of_the_tools_holds(bench: EmbeddedBench) -> None:
    """S10, S11, S22: with engine llm the model names intent and tools. What it may not name ends the step with the reason; what is to be
    confirmed does not run before it is."""
    job = ask(bench, "How many orders are there per channel?", EngineChoice.LLM, strategy="confirm")

    if job.status is JobStatus.FAILED:
        assert "model" in (job.error or "").lower()
        return
    assert job.status in (JobStatus.SUCCEEDED, JobStatus.WAITING_HUMAN)
    calls = [
        row["task"]
        for row in bench.database.statement(
            "SELECT task FROM stages WHERE job_id = %(id)s AND name LIKE 'tool/%%' ORDER BY name", {"id": job.job_id}
        )
    ]
    print(calls, job.status)  # noqa: T201  shown by pytest -s
    assert "ask.execute" not in calls
    if "ask.generate_sql" in calls:
        assert "ask.discover" in calls[: calls.index("ask.generate_sql")]


def test_an_order_to_change_data_changes_nothing_whatever_the_model_makes_of_it(bench: EmbeddedBench) -> None:
    """S9: it is refused, asked about, or read as a question about rows that are there."""
    job = ask(bench, "Delete all orders of 2024", EngineChoice.LLM)

    print(job.status, job.error)  # noqa: T201  shown by pytest -s
    assert only_read(bench, job)


def test_a_dialogue_that_the_model_leads_rests_on_tickets_and_on_words_that_stand_there(chat: Chat) -> None:
    """D27: a finding needs the person's words, a diagnosis a ticket that was shown, whatever the model claims."""
    text = "Orders hang since noon. Many sessions wait for a relation lock, and connections pile up."

    move = led_move(DiagnoseRequest(description=text), EVIDENCE, [], lambda shown: lead_with(chat, shown, ""), chat.context_tokens)

    print(move)  # noqa: T201  shown by pytest -s
    if isinstance(move, PhenomenonQuestion):
        assert all(each.quote.casefold() in text.casefold() for each in move.read)
    else:
        assert set(move.cited_tickets) <= {ticket.ticket_id for ticket in EVIDENCE.tickets}


def test_an_answer_in_free_words_is_read_and_its_finding_is_not_asked_again(chat: Chat) -> None:
    """D3, D15: the next turn rests on tickets that were shown, and does not repeat what was answered."""
    sign = "sessions wait for a relation lock"
    answer = "yes, I see lots of sessions that wait for a lock on the relation, behind an ALTER TABLE"
    case = read_case(DiagnoseRequest(description="Orders hang since noon and the shop is slow"), EVIDENCE, [asked(sign, answer=answer)])

    move = guard(consult_with(chat, case), case)

    print(move)  # noqa: T201  shown by pytest -s
    assert sign in case.confirmed
    if isinstance(move, PhenomenonQuestion):
        assert sign not in {item.description for item in move.items}
    else:
        assert set(move.cited_tickets) <= case.ticket_ids
