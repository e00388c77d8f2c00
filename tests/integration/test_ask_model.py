"""Questions with a model on the wire: what it writes is checked, repaired and compared, and nonsense falls back on the rules."""

from collections.abc import Iterator
from uuid import uuid4

import pytest

from contracts.ask.results import SqlMade
from contracts.ask.steps import AskPlan, Ending
from contracts.ask.tools import Tool
from contracts.jobs import EngineChoice, JobStatus
from tests.support.benches import bench_with_model
from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from workers.catalogue import offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob

HARD = "How many payments have an amount above the amount of the payment before them?"
"""A question that the rules do not read, about tables that are there."""
_PAYMENTS = "(SELECT amount, LAG(amount) OVER (ORDER BY payment_id) AS amount_before FROM main.payments)"
RIGHT = f"SELECT COUNT(*) AS n FROM {_PAYMENTS} WHERE amount > amount_before"  # noqa: S608  a constant of this file
WRONG = f"SELECT COUNT(*) + 1 AS n FROM {_PAYMENTS} WHERE amount > amount_before"  # noqa: S608  likewise
BROKEN = "SELECT COUNT(*) AS n FROM main.orders WHERE colour_of_the_moon = 1"


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def bench(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory) -> Iterator[EmbeddedBench]:
    with bench_with_model(server, tmp_path_factory.mktemp("home")) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def ask(bench: EmbeddedBench, question: str, engine: EngineChoice = EngineChoice.AUTO, **fields: object) -> FinishedJob:
    request = {"kind": "ask", "question": question, "source": "shop", "strategy": "direct", **fields}
    return bench.run_job(request, engine, session_id=uuid4())


def answered(job: FinishedJob) -> AskPlan:
    assert job.status is JobStatus.SUCCEEDED, job.error
    return AskPlan.model_validate(job.result)


def made(plan: AskPlan) -> SqlMade:
    assert plan.answer is not None
    last = plan.answer.results[-1]
    assert isinstance(last, SqlMade), last
    return last


def sql(text: str) -> Say:
    return good({"sql": text})


def stepped(text: str) -> Say:
    return good({"tables": ["main.orders"], "columns": ["n"], "sql": text})


def test_what_the_rules_read_costs_no_call(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)

    plan = answered(ask(bench, "How many orders are there per channel?"))

    assert plan.route[-1] is Tool.EXECUTE
    assert len(server.asked) == before


def test_drafts_that_agree_are_verified_and_run(bench: EmbeddedBench, server: OpenAIServer) -> None:
    server.will(sql(RIGHT), stepped(RIGHT))

    plan = answered(ask(bench, HARD))

    assert plan.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE)
    assert plan.answer is not None
    assert plan.answer.ends_with is Ending.ANSWER


def test_drafts_that_differ_are_shown_before_they_run(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Even where the strategy is to run on."""
    server.will(sql(RIGHT), stepped(WRONG), sql(BROKEN), sql(BROKEN))

    plan = answered(ask(bench, HARD))

    assert plan.answer is not None
    assert plan.answer.ends_with is Ending.SQL_FOR_CONFIRMATION
    assert not made(plan).is_verified
    assert made(plan).other
    assert made(plan).by == "test-model"


def test_a_draft_that_does_not_run_goes_back_with_the_engine_s_error(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(sql(BROKEN), sql(RIGHT), stepped(RIGHT))

    plan = answered(ask(bench, HARD))

    assert plan.route[-1] is Tool.EXECUTE
    assert "colour_of_the_moon" in server.asked[before + 1].raw
    assert "It is wrong" in server.asked[before + 1].raw


def test_a_statement_that_writes_never_runs(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The five locks judge a model's statement like any other."""
    server.will(*[sql("DELETE FROM main.orders")] * 12)

    job = ask(bench, HARD)

    assert job.status is JobStatus.WAITING_HUMAN


def test_a_model_that_answers_nonsense_leaves_the_question_to_the_rules(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(*[Say("nonsense")] * 12)

    job = ask(bench, HARD)

    assert job.status is JobStatus.WAITING_HUMAN
    assert len(server.asked) > before


def test_with_engine_llm_a_model_names_intent_and_tools(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S5, S8: within what the order of the tools allows."""
    server.will(
        good({"final_intent": "generate_sql", "question": "orders per channel"}),
        good({"tool": "data_discovery"}),
        good({"tool": "generate_sql"}),
    )

    plan = answered(ask(bench, "How many orders are there per channel?", EngineChoice.LLM))

    assert plan.final_intent is Tool.GENERATE_SQL
    assert plan.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL)
    assert made(plan).found_by


def test_a_tool_that_may_not_be_called_now_ends_the_step(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S11: with engine llm the rules do not step in."""
    server.will(
        good({"final_intent": "execute_sql_and_analyze_result", "question": ""}), *[good({"tool": "execute_sql_and_analyze_result"})] * 4
    )

    job = ask(bench, "How many orders are there per channel?", EngineChoice.LLM)

    assert job.status is JobStatus.FAILED
    assert "may not be called now" in (job.error or "")


def test_a_model_does_not_lift_a_refusal(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S9."""
    server.will(*[good({"final_intent": "execute_sql_and_analyze_result", "question": "delete"})] * 4)

    job = ask(bench, "Delete all orders of 2024", EngineChoice.LLM)

    assert job.status is JobStatus.FAILED
