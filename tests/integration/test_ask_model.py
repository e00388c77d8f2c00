"""Questions with a model on the wire: it reads the message and writes the statement; code tries what it wrote, and sends it back with what
shows that it is wrong."""

import re
from collections.abc import Iterator
from typing import LiteralString, cast
from uuid import UUID, uuid4

import pytest

from contracts.ask.results import PassagesFound, Queried, Refused, SqlExplained, SqlFixed, SqlMade
from contracts.ask.steps import AskPlan, Ending
from contracts.ask.tools import Tool
from contracts.jobs import EngineChoice, JobStatus
from contracts.statements import Statement
from tests.support.benches import bench_with_model
from tests.support.databases import Databases
from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from tests.support.prompts_alike import common_beginning
from workers.catalogue import Catalogue, offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.ask.roles import classifier
from workers.kinds.base import FinishedJob
from workers.llm.chat import Chat
from workers.llm.tool_steps import how_to_answer
from workers.reading.calls import read_calls
from workers.saying import text_of

QUESTION = "How many payments have an amount above the amount of the payment before them?"
_PAYMENTS = "(SELECT amount, LAG(amount) OVER (ORDER BY payment_id) AS amount_before FROM main.payments)"
RIGHT = f"SELECT COUNT(*) AS n FROM {_PAYMENTS} WHERE amount > amount_before"  # noqa: S608  a constant of this file
BY_CHANNEL = "SELECT channel, COUNT(*) AS orders FROM main.orders GROUP BY channel ORDER BY channel"


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def bench(server: OpenAIServer, tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    with bench_with_model(server, tmp_path_factory.mktemp("home"), databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def ask(
    bench: EmbeddedBench, question: str, engine: EngineChoice = EngineChoice.LLM, session: UUID | None = None, **fields: object
) -> FinishedJob:
    return bench.run_job({"kind": "ask", "question": question, "source": "shop", **fields}, engine, session_id=session or uuid4())


def answered(job: FinishedJob) -> AskPlan:
    assert job.status is JobStatus.SUCCEEDED, job.error
    return AskPlan.model_validate(job.result)


def last(job: FinishedJob) -> object:
    answer = answered(job).answer
    assert answer is not None
    return answer.results[-1]


def supervisor(tool: str = "execute_sql_and_analyze_result", final: str = "", **fields: object) -> Say:
    return good({"tool": tool, "final_intent": final or tool, **fields})


def written(**fields: object) -> Say:
    return good({"step": {"final": fields}})


def sql(text: str, **fields: object) -> Say:
    return written(sql=text, **fields)


def words(*sentences: str) -> Say:
    return good({"sentences": sentences})


def question_of(bench: EmbeddedBench, job: FinishedJob) -> tuple[str, list[object]]:
    rows = bench.database.statement(
        "SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question' AND response IS NULL", {"id": job.job_id}
    )
    return text_of(Statement.model_validate(rows[-1]["payload"]["text"]), "en"), list(rows[-1]["payload"]["choices"])


def test_a_question_takes_two_calls_and_no_gate_stands_before_the_model(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S5, S8, S10, S15, S35: understanding and the first call are one answer; the discovery between them is code's."""
    before = len(server.asked)
    server.will(supervisor(question=QUESTION), sql(RIGHT, uses=[{"phrase": "How many payments", "part": "COUNT(*)"}]))

    job = ask(bench, QUESTION)

    assert answered(job).route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE)
    found = last(job)
    assert isinstance(found, Queried)
    assert found.made is not None
    assert found.made.by == "test-model"
    assert [use.part for use in found.made.uses] == ["COUNT(*)"]
    assert len(server.asked) == before + 2


def test_the_developer_is_shown_types_comments_keys_values_ranges_rows_and_the_date(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(supervisor(), sql(RIGHT))

    ask(bench, QUESTION)

    overview, prompt = (request.user_text for request in server.asked[before : before + 2])
    assert re.search(r"ordered_at \d{4}-\d\d-\d\d\.\.\d{4}-\d\d-\d\d", overview), "`in March` is placed by the dates that there are"
    assert "CREATE TABLE main.payments (" in prompt
    assert "REFERENCES main.orders (order_id)" in prompt
    assert "# Some rows of the tables" in prompt
    assert "# duckdb: what is easily wrong" in prompt
    assert "values: '" in prompt
    assert "Now it is " in prompt
    assert "Weeks begin on Monday" in prompt
    assert QUESTION in prompt


def test_every_table_that_the_developer_is_shown_can_be_opened_with_its_tools(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The form of a call names the tables that a tool takes: fewer than the prompt shows would read as a prohibition."""
    before = len(server.asked)
    server.will(supervisor(), sql(RIGHT))

    ask(bench, QUESTION)

    developer = server.asked[before + 1]
    shown = re.findall(r"CREATE TABLE (\S+)", developer.user_text.partition("# Tables\n")[2].partition("<<<END DATA")[0])
    forms = developer.body["response_format"]["json_schema"]["schema"]["properties"]["step"]["anyOf"]
    [detail] = [form for form in forms if form["properties"].get("tool", {}).get("enum") == ["get_table_detail"]]
    [named] = [value["enum"] for value in detail["properties"]["arguments"]["properties"].values() if "enum" in value]
    assert len(shown) > 3
    assert {f"shop.{name}" for name in shown} <= set(named)


def test_the_headings_of_documents_do_not_repeat_the_definitions(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(supervisor(question="What is the GMV?"), sql(RIGHT))

    ask(bench, "What is the GMV, and what is a return?")

    overview = server.asked[before].user_text
    definitions, headings = (
        overview.partition(f"# {part}\n")[2].partition("<<<END DATA")[0].splitlines()[1:]
        for part in ("Definitions of this company", "Documents that may bear on it")
    )
    assert any(line.startswith("Return rate") for line in definitions)
    assert not [heading for heading in headings if any(line.startswith(heading) for line in definitions)]


def test_two_prompts_of_one_step_share_all_that_stands_before_the_verdict(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(supervisor(), sql("SELECT colour_of_the_moon FROM main.orders"), sql(RIGHT))

    ask(bench, QUESTION)

    first, second = (request.user_text for request in server.asked[before + 1 : before + 3])
    assert second.startswith(first.removesuffix(how_to_answer(native=False)))


def test_two_jobs_share_what_does_not_depend_on_their_questions(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """A server that keeps the beginning of a prompt reads the tables once, whichever of them a question is about."""
    before = len(server.asked)
    server.will(supervisor(), sql(BY_CHANNEL), words(), supervisor(), sql("SELECT SUM(amount) AS total FROM main.payments"))

    ask(bench, "orders per channel")
    ask(bench, "What is the total of all payments?")

    prompts = [request.user_text for request in server.asked[before:]]
    for first, second in ((prompts[0], prompts[3]), (prompts[1], prompts[4])):
        tables = first.partition("# Tables\n")[2].partition("<<<END DATA")[0]
        assert tables.count("main.") > 3
        assert common_beginning(first, second).partition("# Tables\n")[2].startswith(tables)


def test_what_a_small_window_leaves_out_is_kept_with_each_call(
    bench: EmbeddedBench, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Chat, "context_tokens", property(lambda chat: 700))
    runs = " UNION ALL ".join([BY_CHANNEL.partition(" ORDER")[0]] * 40)
    server.will(good({"sql": BY_CHANNEL}), words("It counts."), supervisor(), sql(BY_CHANNEL), words())

    jobs = [
        ask(bench, "fix this", sql=runs, agent="fix_sql", error="it fails"),
        ask(bench, "what does this do?", sql=runs, agent="explain_sql"),
        ask(bench, "orders per channel " * 60),
    ]

    cut = {
        call.name: {item["name"] for item in call.cut}
        for job in jobs
        for call in read_calls(bench.database, job.job_id)
        if call.kind == "model"
    }
    assert "statement" in cut["developer/fix_sql"]
    assert "statement" in cut["developer/explain_sql"]
    assert "message" in cut["classifier/supervise"]
    assert {"message", "tables"} <= cut["developer/sql"]
    assert "question" in cut["analyst/result"]


def test_a_statement_that_runs_is_mended_with_what_its_review_shows(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """It is brought for its result: payments that a join repeats are added up twice, and the prompt has rows on which that shows."""
    before = len(server.asked)
    doubled = (
        "SELECT o.channel, SUM(p.amount) AS paid FROM main.orders o JOIN main.payments p ON p.order_id = o.order_id "
        "JOIN main.order_items i ON i.order_id = o.order_id GROUP BY o.channel"
    )
    right = "SELECT o.channel, SUM(p.amount) AS paid FROM main.orders o JOIN main.payments p ON p.order_id = o.order_id GROUP BY o.channel"
    server.will(good({"sql": right, "changes": ["Items repeated the payments."]}))

    found = last(ask(bench, "the sums are too large", sql=doubled, agent="fix_sql"))

    assert isinstance(found, SqlFixed)
    review = server.asked[before].user_text.partition("# What a review found in it")[2]
    assert "With these rows of" in review
    assert "Now it is " in server.asked[before].user_text


def test_a_statement_that_does_not_run_goes_back_with_the_nearest_names(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(supervisor(), sql("SELECT SUM(amont) FROM main.payments"), sql("SELECT SUM(amount) AS total FROM main.payments"))

    found = last(ask(bench, "What is the total of all payments?"))

    assert isinstance(found, Queried)
    verdict = server.asked[before + 2].user_text
    assert "amont" in verdict
    assert "amount" in verdict.partition("What is wrong with it")[2]


def test_a_value_that_the_data_do_not_have_goes_back_with_those_that_they_have(bench: EmbeddedBench, server: OpenAIServer) -> None:
    tables = Catalogue(bench.database, None).tables("shop", owner="default")
    table, column = next(
        (table, column) for table in tables for column in table.columns if len(column.values) > 1 and column.values[0].islower()
    )
    value = column.values[0]
    before = len(server.asked)
    wrong = f"SELECT COUNT(*) AS n FROM {table.full_name} WHERE {column.name} = 'no such thing'"  # noqa: S608  a model's own text
    right = f"SELECT COUNT(*) AS n FROM {table.full_name} WHERE {column.name} = '{value.upper()}'"  # noqa: S608  likewise
    server.will(supervisor(), sql(wrong), sql(right))

    found = last(ask(bench, "How many orders have no such thing?"))

    assert isinstance(found, Queried)
    assert f"'{value}'" in server.asked[before + 2].user_text.partition("What is wrong with it")[2]
    assert f"'{value}'" in found.sql  # spelled as the data spell it


def test_a_result_without_rows_is_looked_at_again_before_it_is_shown(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    empty = "SELECT order_id FROM main.orders WHERE order_id < 0"
    server.will(supervisor(), sql(empty), sql(empty))

    found = last(ask(bench, "Which orders have a negative number?"))

    assert isinstance(found, Queried)
    assert found.row_count == 0
    assert "gives no rows" in server.asked[before + 2].user_text


def test_what_was_asked_back_is_read_with_its_answer_word_for_word(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The answer never takes the place of the question; both are in the next prompt as they were said."""
    server.will(supervisor(), written(ask="By revenue or by number of orders?", choices=["revenue", "number of orders"]))
    job = ask(bench, "Which channel is best?")
    assert job.status is JobStatus.WAITING_HUMAN, job.error
    text, choices = question_of(bench, job)
    before = len(server.asked)
    server.will(supervisor(question="Which channel has most orders?"), sql(BY_CHANNEL), words())

    done = last(bench.answer(job.job_id, "the second, and only complete ones please"))

    assert text == "The model asks: By revenue or by number of orders?"
    assert len(choices) == 2
    assert isinstance(done, Queried)
    for request in server.asked[before : before + 2]:
        assert "Which channel is best?" in request.user_text
        assert "the second, and only complete ones please" in request.user_text
        assert "By revenue or by number of orders?\n1. revenue\n2. number of orders\nA: the second" in request.user_text


def test_a_question_that_the_data_cannot_answer_is_declined_with_what_they_lack(bench: EmbeddedBench, server: OpenAIServer) -> None:
    server.will(supervisor(), written(cannot="No table has the weather."))

    refused = last(ask(bench, "Do we sell more when it rains?"))

    assert isinstance(refused, Refused)
    assert isinstance(refused.reason, Statement)
    assert text_of(refused.reason, "en") == "These data cannot answer it: No table has the weather."


def test_what_the_statement_does_not_use_and_what_was_assumed_is_shown(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Quotes are checked: a phrase that the user did not say is dropped."""
    uses = [
        {"phrase": "for my Monday report", "part": ""},
        {"phrase": "orders per channel", "part": "COUNT(*) ... GROUP BY channel"},
        {"phrase": "which nobody said", "part": "WHERE 1 = 1"},
    ]
    server.will(supervisor(), sql(BY_CHANNEL, uses=uses, assumed=["All years are meant."]), words())

    found = last(ask(bench, "orders per channel, for my Monday report"))

    assert isinstance(found, Queried)
    assert found.made is not None
    assert found.made.not_used == ("for my Monday report",)
    assert [use.phrase for use in found.made.uses] == ["orders per channel"]
    assert found.made.assumed == ("All years are meant.",)


def test_words_with_a_figure_that_the_result_does_not_have_are_dropped(bench: EmbeddedBench, server: OpenAIServer) -> None:
    server.will(supervisor(), sql(BY_CHANNEL), words("Each channel has orders.", "The best has 987654 orders."))

    found = last(ask(bench, "orders per channel"))

    assert isinstance(found, Queried)
    assert found.words == ("Each channel has orders.",)
    assert server.asked[-1].body.get("stream") is True, "who watches the job reads them while they are written"


def test_under_confirm_nothing_runs_before_the_user_has_seen_it(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S22, S23, S25, S26: not even to try the statement; then `yes, run it` costs no call."""
    session = uuid4()
    server.will(supervisor(tables=["main.orders"]), sql(BY_CHANNEL))
    before = bench.database.statement("SELECT count(*) AS n FROM source_executions")[0]["n"]
    shown = answered(ask(bench, "orders per channel", session=session, strategy="confirm"))
    between = bench.database.statement("SELECT count(*) AS n FROM source_executions")[0]["n"]
    calls = len(server.asked)

    ran = last(ask(bench, "yes, run it", EngineChoice.AUTO, session=session, strategy="confirm"))

    assert shown.answer is not None
    assert shown.answer.ends_with is Ending.SQL_FOR_CONFIRMATION
    assert between == before
    assert isinstance(ran, Queried)
    assert ran.row_count > 1
    assert len(server.asked) == calls


def test_under_confirm_tables_that_nobody_chose_go_to_the_user_first(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S22."""
    server.will(supervisor())
    job = ask(bench, "payments of customers with their orders", strategy="confirm")
    assert job.status is JobStatus.WAITING_HUMAN, job.error
    text, choices = question_of(bench, job)
    server.will(supervisor(tables=["main.orders"]), sql(BY_CHANNEL))

    done = answered(bench.answer(job.job_id, "orders"))

    assert text == "Which of these tables are meant? Name one or several."
    assert len(choices) > 1
    assert done.answer is not None
    assert done.answer.ends_with is Ending.SQL_FOR_CONFIRMATION


def test_a_second_question_is_shown_the_first_with_its_statement_and_rows(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S29: the head of a result, and nothing else of what its search found."""
    session = uuid4()
    server.will(supervisor(), sql(BY_CHANNEL), words())
    ask(bench, "orders per channel", session=session)
    before = len(server.asked)
    server.will(supervisor(question="orders per channel, most first"), sql(f"{BY_CHANNEL} DESC"), words())

    done = answered(ask(bench, "and the other way round", session=session))

    assert done.question == "orders per channel, most first"
    for request in server.asked[before : before + 2]:
        assert "GROUP BY" in request.user_text.partition("The conversation so far")[2]
        assert "Result, " in request.user_text


def test_a_chosen_tool_that_the_deployment_does_not_have_goes_back(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S11, S27, S38: what is not there is neither offered nor called; `llm` never lets rules step in."""
    before = len(server.asked)
    server.will(*[supervisor("search_log")] * 8)

    job = ask(bench, QUESTION)

    assert job.status is JobStatus.FAILED
    assert "search_log is not there" in (job.error or "")
    offered = server.asked[before].user_text
    assert "- execute_sql_and_analyze_result" in offered
    assert "- search_log" not in offered
    assert "- data_suite_expert" not in offered
    assert "change data, tables or rights" in offered


def test_what_the_supervisor_refuses_or_wants_to_know_reaches_the_user(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S9, S19."""
    server.will(supervisor("reject_out_of_scope", reason="Data are not deleted here."))
    refused = last(ask(bench, "Delete all orders of 2024"))
    server.will(supervisor("ask_human", ask="Do you mean orders or payments?", choices=["orders", "payments"]))
    asked = ask(bench, "How many were there?")

    assert isinstance(refused, Refused)
    assert isinstance(refused.reason, Statement)
    assert text_of(refused.reason, "en") == "Data are not deleted here."
    assert asked.status is JobStatus.WAITING_HUMAN
    assert question_of(bench, asked)[0] == "The model asks: Do you mean orders or payments?"


def test_a_source_that_is_not_there_costs_no_call(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.heard)

    refused = last(ask(bench, "How many orders are there?", source="nothere"))

    assert isinstance(refused, Refused)
    assert len(server.heard) == before


def test_a_statement_that_writes_never_runs(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The five locks judge a model's statement like any other; `auto` then says that nothing was written, and why."""
    server.will(supervisor(), *[sql("DELETE FROM main.orders")] * 8)

    found = last(ask(bench, QUESTION, EngineChoice.AUTO))

    assert isinstance(found, SqlMade)
    assert not found.sql
    assert found.problems


def test_a_model_that_answers_nonsense_leaves_the_question_to_the_rules(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.asked)
    server.will(*[Say("nonsense")] * 20)

    job = ask(bench, "How many orders are there per channel?", EngineChoice.AUTO)

    assert isinstance(last(job), Queried)
    assert len(server.asked) > before


def test_the_board_keeps_what_was_made_and_no_dialogue_with_the_model(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E10: the deliverables hold results; what a model was shown stands in no table that `decide` reads."""
    server.will(supervisor(), sql("SELECT n FROM main.moons"), sql(RIGHT))

    answered(ask(bench, QUESTION))

    held = ""
    for table in ("deliverables", "requests", "decisions", "events"):
        statement = cast("LiteralString", f"SELECT t::text AS held FROM {table} t")  # noqa: S608  four names of this test
        held += str(bench.database.statement(statement))
    assert "amount_before" in held
    assert "main.moons" not in held


def test_a_mended_statement_is_tried_and_says_what_was_changed(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """S37: the model proposes, the engine's dry run disposes."""
    broken = "SELECT chanel, COUNT(*) FROM main.orders GROUP BY chanel"
    mended = "SELECT channel, COUNT(*) AS orders FROM main.orders GROUP BY channel"
    before = len(server.asked)
    server.will(good({"sql": "SELECT nothing FROM main.orders"}), good({"sql": mended, "changes": ["chanel is called channel."]}))

    found = last(ask(bench, "fix this", sql=broken, agent="fix_sql", error="no such column: chanel"))

    assert isinstance(found, SqlFixed)
    assert (found.sql, found.by, found.checked) == (mended, "test-model", True)
    assert found.changes == ("chanel is called channel.",)
    assert "no such column: chanel" in server.asked[before].user_text
    assert "cannot be used" in server.asked[before + 1].user_text


def test_an_explanation_in_words_keeps_to_the_facts_of_the_code(bench: EmbeddedBench, server: OpenAIServer) -> None:
    server.will(words("It counts the orders of each channel.", "There are 4711 of them."))

    found = last(ask(bench, "what does this do?", sql=BY_CHANNEL, agent="explain_sql"))

    assert isinstance(found, SqlExplained)
    assert found.words == ("It counts the orders of each channel.",)
    assert found.says


def test_an_answer_from_documents_rests_on_their_words_sentence_by_sentence(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """A sentence without a true quotation is dropped."""
    before = len(server.asked)
    server.will(supervisor("datasuite_faq", question="How do I replay a failed step with bullpen?"), good({"sentences": []}))
    nothing = last(ask(bench, "How do I replay a failed step with bullpen?"))
    passages = server.asked[before + 1].user_text
    quote = " ".join(passages.partition("passage\n")[2].split()[3:9])
    sentences = [
        {"text": "It is said there.", "passage": 1, "quote": quote},
        {"text": "It is not.", "passage": 1, "quote": "words that no passage has"},
    ]
    server.will(supervisor("datasuite_faq", question="How do I replay a failed step with bullpen?"), good({"sentences": sentences}))

    found = last(ask(bench, "How do I replay a failed step with bullpen?"))

    assert isinstance(nothing, PassagesFound)
    assert not nothing.passages
    assert isinstance(found, PassagesFound)
    assert found.answer == "It is said there."
    assert len(found.cites) == 1


def test_a_plan_has_no_more_rounds_than_the_bound(bench: EmbeddedBench, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classifier, "MOST_ROUNDS", 1)
    server.will(supervisor(), sql(BY_CHANNEL))

    found = answered(ask(bench, "orders per channel"))

    assert found.route == (Tool.DATA_DISCOVERY, Tool.REJECT)
    assert found.answer is not None
    assert isinstance(found.answer.results[-1], Refused)


def test_every_role_is_shown_the_session_and_nothing_of_it_twice(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E12: what was asked and decided in the session. The questions of the conversation are shown whole, so their lines are left out."""
    session, waits = uuid4(), "How many orders are open at Zürich?"
    server.will(supervisor("ask_human", ask="Which Zürich is meant?", choices=["the shop", "the store"]))
    ask(bench, waits, session=session)
    server.will(supervisor(), sql(BY_CHANNEL), words("Web has most."))
    ask(bench, "orders per channel", session=session)
    before = len(server.asked)
    server.will(supervisor(question=QUESTION), sql(BY_CHANNEL), words("Web has most."))

    ask(bench, QUESTION, session=session)

    supervising, writing, wording = (request.user_text for request in server.asked[before : before + 3])
    for prompt in (supervising, writing, wording):
        assert f"asked (ask, waiting_human): {waits}" in prompt
        assert f"): {QUESTION}" not in prompt
    assert "User: orders per channel" in supervising
    assert "): orders per channel" not in supervising + writing
    assert "asked (ask, succeeded): orders per channel" in wording
