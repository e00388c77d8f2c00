"""Questions with a model on the wire: what it writes is checked, repaired and compared, and nonsense falls back on the rules."""

from collections.abc import Iterator
from typing import LiteralString, cast
from uuid import uuid4

import pytest

from contracts.ask.results import Queried, Refused, SqlMade
from contracts.ask.steps import AskPlan, Ending
from contracts.ask.tools import Tool
from contracts.jobs import EngineChoice, JobStatus
from contracts.statements import Statement, say
from tests.support.benches import bench_with_model
from tests.support.databases import Databases
from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from workers.catalogue import offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.ask.roles import classifier
from workers.kinds.base import FinishedJob
from workers.saying import text_of

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
def bench(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    with bench_with_model(server, tmp_path_factory.mktemp("home"), databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def ask(bench: EmbeddedBench, question: str, engine: EngineChoice = EngineChoice.AUTO, **fields: object) -> FinishedJob:
    request = {"kind": "ask", "question": question, "source": "shop", "strategy": "direct", **fields}
    return bench.run_job(request, engine, session_id=uuid4())


def answered(job: FinishedJob) -> AskPlan:
    assert job.status is JobStatus.SUCCEEDED, job.error
    return AskPlan.model_validate(job.result)


def made(found: AskPlan) -> SqlMade:
    assert found.answer is not None
    last = found.answer.results[-1]
    assert isinstance(last, SqlMade), last
    return last


def plan(table: str = "main.payments", **fields: object) -> Say:
    """A plan that no join or name is missing in: it counts the rows of a table."""
    return good({"tables": [table], "results": [{"column": "", "function": "count"}], **fields})


def sql(text: str) -> Say:
    return good({"sql": text})


def stepped(text: str) -> Say:
    return good({"tables": ["main.orders"], "columns": ["n"], "sql": text})


def test_what_the_rules_read_costs_no_call(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)

    found = answered(ask(bench, "How many orders are there per channel?"))

    assert found.route[-1] is Tool.EXECUTE
    assert len(server.asked) == before


def test_drafts_that_agree_are_verified_and_run(bench: EmbeddedBench, server: OpenAIServer) -> None:
    server.will(plan("main.moons"), plan("main.moons"), sql(RIGHT), stepped(RIGHT))

    found = answered(ask(bench, HARD))

    assert found.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE)
    assert found.answer is not None
    assert found.answer.ends_with is Ending.ANSWER


def test_a_plan_that_a_statement_agrees_with_is_kept_for_the_next_question(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The plan is what the code wrote the statement from; a wrong name goes back to the model with the nearest."""
    before = len(server.asked)
    wrong = plan(results=[{"column": "payments.amont", "function": "sum"}])
    right = plan(results=[{"column": "payments.amount", "function": "sum"}])
    server.will(wrong, right, sql("SELECT SUM(amount) FROM main.payments"))

    found = answered(ask(bench, HARD, strategy="confirm"))

    assert "There is no column payments.amont" in server.asked[before + 1].raw
    assert made(found).plan is not None
    assert made(found).is_verified
    assert len(server.asked) == before + 3


def test_drafts_that_differ_are_shown_before_they_run(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Even where the strategy is to run on."""
    server.will(plan("main.moons"), plan("main.moons"), sql(RIGHT), stepped(WRONG), sql(BROKEN), sql(BROKEN))

    found = answered(ask(bench, HARD))

    assert found.answer is not None
    assert found.answer.ends_with is Ending.SQL_FOR_CONFIRMATION
    assert not made(found).is_verified
    assert made(found).other
    assert made(found).by == "test-model"


def test_a_draft_that_does_not_run_goes_back_with_the_engine_s_error(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(plan("main.moons"), plan("main.moons"), sql(BROKEN), sql(RIGHT), stepped(RIGHT))

    found = answered(ask(bench, HARD))

    assert found.route[-1] is Tool.EXECUTE
    assert "There is no table main.moons" in server.asked[before + 1].raw
    assert "colour_of_the_moon" in server.asked[before + 3].raw
    assert "It is wrong" in server.asked[before + 3].raw


def test_the_board_keeps_what_was_made_and_no_dialogue_with_the_model(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E10."""
    server.will(plan("main.moons"), plan("main.moons"), sql(RIGHT), stepped(RIGHT))

    answered(ask(bench, HARD))

    tables = bench.database.statement("SELECT tablename FROM pg_tables WHERE schemaname = 'public'")
    statements = (cast("LiteralString", f'SELECT t::text AS held FROM "{row["tablename"]}" t') for row in tables)  # noqa: S608  its own tables
    held = "\n".join(str(bench.database.statement(statement)) for statement in statements)
    assert "amount_before" in held
    assert "main.moons" not in held
    assert "Do not write SQL: fill in a plan" not in held


def test_a_statement_that_writes_never_runs(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The five locks judge a model's statement like any other."""
    server.will(*[sql("DELETE FROM main.orders")] * 20)

    job = ask(bench, HARD)

    assert job.status is JobStatus.WAITING_HUMAN


def test_a_model_that_answers_nonsense_leaves_the_question_to_the_rules(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(*[Say("nonsense")] * 20)

    job = ask(bench, HARD)

    assert job.status is JobStatus.WAITING_HUMAN
    assert len(server.asked) > before


def test_with_engine_llm_a_model_names_intent_and_tools(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S5, S8, S15, S29, S35: within what the order of the tools allows, from their names alone."""
    before = len(server.asked)
    server.will(
        good({"final_intent": "dance", "question": "orders per channel"}),
        good({"final_intent": "generate_sql", "question": "orders per channel"}),
        good({"tool": "data_discovery"}),
        good({"tool": "generate_sql"}),
    )

    job = ask(bench, "How many orders are there per channel?", EngineChoice.LLM)
    found = answered(job)

    assert found.final_intent is Tool.GENERATE_SQL
    assert found.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL)
    rounds = bench.database.statement(
        "SELECT content ->> 'final_intent' AS final FROM deliverables WHERE job_id = %(id)s AND stage LIKE 'plan/%%'", {"id": job.job_id}
    )
    assert [row["final"] for row in rounds] == ["generate_sql"] * 3  # looked at in each round, and the same in all of them
    assert made(found).found_by
    assert "Done so far: data_discovery" in server.asked[before + 3].raw
    assert "channel_id" not in server.asked[before + 3].raw


def question_of(bench: EmbeddedBench, job: FinishedJob) -> str:
    """The job's open question, as its user reads it."""
    rows = bench.database.statement(
        "SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question' AND response IS NULL", {"id": job.job_id}
    )
    return text_of(Statement.model_validate(rows[-1]["payload"]["text"]), "en")


def test_what_a_model_wants_to_know_is_asked_in_its_own_words(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S38: it reads what is allowed and what is forbidden; nothing that nobody configured is offered to it."""
    before = len(server.asked)
    server.will(good({"final_intent": "ask_human", "question": "Do you mean orders or payments?"}))
    first = ask(bench, "How many orders are there per channel?", EngineChoice.LLM)
    server.will(good({"final_intent": "generate_sql", "question": ""}), good({"tool": "ask_human", "question": "Of which year?"}))
    second = ask(bench, "How many orders are there per channel?", EngineChoice.LLM)

    assert (first.status, second.status) == (JobStatus.WAITING_HUMAN, JobStatus.WAITING_HUMAN)
    assert question_of(bench, first) == "The model asks: Do you mean orders or payments?"
    assert question_of(bench, second) == "The model asks: Of which year?"
    allowed = server.asked[before].raw
    assert "- execute_sql_and_analyze_result" in allowed
    assert "Never:" in allowed
    assert "change data, tables or rights" in allowed
    assert "- datasuite_expert" not in allowed
    offered = server.asked[before + 2].raw
    assert "- data_discovery" in offered
    assert "- search_log" not in offered
    assert "- data_suite_expert" not in offered


def test_a_model_s_rewriting_is_read_where_the_words_are_not_and_confirmed_by_the_user(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S6: it is the title of the answer; that it is what the user meant, only the user can say."""
    server.will(
        good({"final_intent": "execute_sql_and_analyze_result", "question": "How many orders are there per channel?"}),
        *[Say("nonsense")] * 20,
    )
    job = ask(bench, "the customary gizmo overview of orders and channels")
    assert job.status is JobStatus.WAITING_HUMAN, job.error
    asked = question_of(bench, job)

    done = answered(bench.answer(job.job_id, "1"))

    assert asked == "A model understood the question so. Is it meant?"
    assert done.answer is not None
    assert isinstance(done.answer.results[-1], Queried)


def test_a_tool_that_may_not_be_called_now_ends_the_step(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S11, S27: with engine llm the rules do not step in."""
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


def test_with_engine_llm_the_work_ends_at_the_intent_that_the_model_named(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S26, S25: the strategy would go on, but the tool of the final intent has been reached; where execution is the intent, it runs."""
    intent = good({"final_intent": "execute_sql_and_analyze_result", "question": "orders per channel"})
    steps = [good({"tool": "data_discovery"}), good({"tool": "generate_sql"})]
    server.will(intent, *steps, good({"tool": "execute_sql_and_analyze_result"}))
    ran = answered(ask(bench, "How many orders are there per channel?", EngineChoice.LLM))
    server.will(intent, *steps)
    shown = answered(ask(bench, "How many orders are there per channel?", EngineChoice.LLM, strategy="confirm"))

    assert ran.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE)
    assert shown.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL)
    assert shown.answer is not None
    assert shown.answer.ends_with is Ending.SQL_FOR_CONFIRMATION


def test_a_plan_has_no_more_rounds_than_the_bound(bench: EmbeddedBench, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    """A model that wants another tool in each round is stopped; what was found until then is on the board."""
    monkeypatch.setattr(classifier, "MOST_ROUNDS", 1)
    intent = good({"final_intent": "execute_sql_and_analyze_result", "question": "orders per channel"})
    server.will(intent, good({"tool": "data_discovery"}), good({"tool": "generate_sql"}))

    found = answered(ask(bench, "How many orders are there per channel?", EngineChoice.LLM))

    assert classifier.MOST_ROUNDS == 1
    assert found.route == (Tool.DATA_DISCOVERY, Tool.REJECT)
    assert found.answer is not None
    refused = found.answer.results[-1]
    assert isinstance(refused, Refused)
    assert refused.reason == say("ask.refuse.too_long")
