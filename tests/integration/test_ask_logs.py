"""Logs with a model on the wire: it writes LogQL, the checker and the log try it, and what is wrong goes back to it."""

from collections.abc import Iterator
from uuid import UUID, uuid4

import pytest

from contracts.ask.results import LogsFound
from contracts.ask.steps import AskPlan
from contracts.base import Json
from contracts.jobs import EngineChoice, JobStatus
from contracts.log_sources import LogKind, LogSource
from tests.support.benches import bench_with_model
from tests.support.databases import Databases
from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.logs.adding import add_with_sample

DAY: Json = {"start": "2025-09-16T00:00:00+00:00", "end": "2025-09-17T00:00:00+00:00"}
WORDS = "How many payments ran into a timeout on 16 September 2025?"


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def bench(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    with bench_with_model(server, tmp_path_factory.mktemp("home"), databases) as running:
        add_with_sample(running.database, running.settings.data_dir, LogSource(name="shop", kind=LogKind.FILES, sample=True))
        yield running


def ask(
    bench: EmbeddedBench, question: str, engine: EngineChoice = EngineChoice.LLM, session: UUID | None = None, **more: object
) -> FinishedJob:
    return bench.run_job({"kind": "ask", "question": question, **more}, engine, session_id=session or uuid4())


def found(job: FinishedJob) -> LogsFound:
    assert job.status is JobStatus.SUCCEEDED, job.error
    answer = AskPlan.model_validate(job.result).answer
    assert answer is not None
    result = answer.results[-1]
    assert isinstance(result, LogsFound)
    return result


def supervisor() -> Say:
    return good({"tool": "search_log", "final_intent": "search_log"})


def test_what_the_checker_or_the_log_refuses_or_does_not_have_goes_back(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S37: LogQL that is none, a time that the log does not allow, and a value that it does not have, each with what shows it."""
    before = len(server.asked)
    server.will(
        supervisor(),
        good({"logql": '{app="payments"', **DAY}),
        good({"logql": 'sum(count_over_time({app="payments"}[90d]))', **DAY}),
        good({"logql": '{app="payments"} |= "timeout"', **DAY}),
        good({"logql": 'sum(count_over_time({app="payment"} |= "timeout" [1h]))', "step": "1h", **DAY}),
    )

    result = found(ask(bench, WORDS))

    asked = [request.user_text for request in server.asked[before + 1 :]]
    assert "Expected" in asked[1]
    assert "shorter time" in asked[2]
    assert "app has no value &#39;payments&#39;" in asked[3] or "app has no value 'payments'" in asked[3]
    assert "payment" in asked[3]
    assert len(result.series[0].points) > 1
    assert result.by == "test-model"


def test_the_model_is_shown_what_the_log_has_the_clock_and_the_words(bench: EmbeddedBench, server: OpenAIServer) -> None:
    session, before = uuid4(), len(server.asked)
    server.will(supervisor(), good({"logql": '{app="payment"} |= "timeout"', **DAY}))
    ask(bench, WORDS, session=session)
    server.will(supervisor(), good({"logql": '{app="payment", host="node-1"} |= "timeout"', **DAY}))
    ask(bench, "and on node-1?", session=session)

    first, second = server.asked[before + 1].user_text, server.asked[before + 3].user_text
    assert "payment" in first.partition("Fields inside")[0]
    assert "took (logfmt, number, duration)" in first
    assert "Now it is " in first
    assert "UTC+00:00)" in first
    assert WORDS in first
    assert '{app="payment"} |= "timeout"' in second
    assert "from 2025-09-16 00:00:00+00:00" in second


def test_a_search_in_the_closed_form_takes_no_call_and_changes_what_a_model_searched(bench: EmbeddedBench, server: OpenAIServer) -> None:
    session = uuid4()
    server.will(supervisor(), good({"logql": '{app="payment"} |= "timeout"', **DAY}))
    ask(bench, WORDS, EngineChoice.AUTO, session=session)
    before = len(server.asked)

    changed = found(ask(bench, "count by host", EngineChoice.AUTO, session=session))
    alone = found(ask(bench, "app=gateway status=503 2025-09-16", EngineChoice.AUTO))

    assert changed.logql == 'sum by (host) (count_over_time({app="payment"} |= "timeout" [24h]))'
    assert alone.lines
    assert len(server.asked) == before


def test_a_direct_route_with_free_words_goes_to_the_model_and_may_ask_or_decline(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """No gate stands in front of it."""
    server.will(good({"ask": "Timeouts of the provider or of the gateway?", "choices": ["provider", "gateway"]}))
    asked = ask(bench, "What went wrong?", EngineChoice.AUTO, agent="logify")
    server.will(good({"cannot": "The log has no heart rates."}))
    declined = found(ask(bench, "Heart rates of the night", EngineChoice.AUTO, agent="logify"))

    assert asked.status is JobStatus.WAITING_HUMAN
    assert declined.problems
    assert not declined.has_run


def test_which_of_several_logs_is_meant_is_asked_and_a_line_with_its_name_answers(bench: EmbeddedBench, server: OpenAIServer) -> None:
    add_with_sample(bench.database, bench.settings.data_dir, LogSource(name="shop2", kind=LogKind.FILES, sample=True))
    asked = ask(bench, "app=payment level=error 2025-09-16", EngineChoice.RULES)

    result = found(bench.answer(asked.job_id, "shop2"))
    server.will(supervisor(), good({"logql": '{app="payment"}', **DAY}), good({"log": "shop", "logql": '{app="payment"}', **DAY}))
    by_model = found(ask(bench, WORDS))

    assert asked.status is JobStatus.WAITING_HUMAN
    assert result.logs == "shop2"
    assert result.lines
    assert by_model.logs == "shop"
