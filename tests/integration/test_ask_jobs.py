"""Questions about the sample shop as whole jobs, by boss and roles, without a model: first messages and follow-ups."""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from uuid import UUID, uuid4

import pytest

from contracts.ask.request import Agent
from contracts.ask.results import LogsFound, PassagesFound, Queried, Refused, SqlExplained, SqlFixed, SqlMade, TablesFound, ToolResult
from contracts.ask.steps import AskPlan, Ending
from contracts.ask.tools import Tool
from contracts.jobs import EngineChoice, JobStatus
from contracts.log_sources import LogKind, LogSource
from contracts.sources import Source, SourceKind
from contracts.statements import Statement
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from workers.catalogue import Catalogue, import_own_documents, offer_sample
from workers.catalogue.importing import import_source
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.ask.feedback import AskLearnt, AskSaid, give_feedback
from workers.kinds.ask.view import show_result
from workers.kinds.base import FinishedJob, Giving, ShowOptions
from workers.logs.adding import add_with_sample
from workers.saying import text_of
from workers.saying.terminal import to_lines
from workers.settings import load_settings
from workers.sources import add_source, remove_source


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    settings = load_settings().model_copy(update={"home": home, "embeddings": "none"})
    with silent_bench(settings, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        import_own_documents(running.database)  # as `bullpen up` does: nothing that is asked about the shop is answered from them
        add_with_sample(running.database, running.settings.data_dir, LogSource(name="shop", kind=LogKind.FILES, sample=True))
        yield running


class Talk:
    """A conversation."""

    def __init__(self, bench: EmbeddedBench) -> None:
        self.bench = bench
        self.session: UUID = uuid4()

    def say(self, question: str, **fields: object) -> FinishedJob:
        request = {"kind": "ask", "question": question, "source": "shop", "strategy": "confirm", **fields}
        return self.bench.run_job(request, EngineChoice.RULES, session_id=self.session)

    def plan(self, question: str, **fields: object) -> AskPlan:
        job = self.say(question, **fields)
        assert job.status is JobStatus.SUCCEEDED, job.error
        return AskPlan.model_validate(job.result)


@pytest.fixture
def talk(bench: EmbeddedBench) -> Talk:
    return Talk(bench)


def last(plan: AskPlan) -> ToolResult:
    assert plan.answer is not None
    return plan.answer.results[-1]


def ending(plan: AskPlan) -> Ending | None:
    return plan.answer.ends_with if plan.answer else None


def printed(plan: AskPlan, width: int = 80) -> str:
    document = show_result(plan.to_json(), ShowOptions())
    assert document is not None
    return "\n".join(line.plain for line in to_lines(document, "en", width))


def test_sql_is_shown_then_run_then_drawn(talk: Talk) -> None:
    """S6, S12, S22, S23, S33, S36: and nothing is understood anew on the way."""
    first = talk.plan("How many orders are there per channel?")
    second = talk.plan("yes, run it")
    third = talk.plan("show it as a bar chart, best first")
    made, queried, drawn = last(first), last(second), last(third)

    assert ending(first) is Ending.SQL_FOR_CONFIRMATION
    assert isinstance(made, SqlMade)
    assert made.checked
    assert first.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL)
    assert second.route == (Tool.EXECUTE,)
    assert isinstance(queried, Queried)
    assert queried.row_count == 3
    assert queried.sql_call == made.call
    assert isinstance(drawn, Queried)
    assert drawn.chart is not None
    amounts = [float(str(row[-1])) for row in drawn.rows]
    assert amounts == sorted(amounts, reverse=True)


def test_a_direct_question_is_answered_at_once_and_says_how_it_was_understood(talk: Talk) -> None:
    """S7, S24, S25: a tool a step, on to the tool that was meant, and no further."""
    plan = talk.plan("每个渠道有多少订单？", strategy="direct")
    found = last(plan)

    assert plan.route == (Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE)
    assert isinstance(found, Queried)
    assert found.row_count == 3
    assert found.says
    assert found.findings


def test_each_call_is_a_stage_with_its_id_tool_arguments_and_result(talk: Talk) -> None:
    """S18, S20, S24, S33, S35: from the discovery to the SQL to its execution, each names the call that it rests on."""
    job = talk.say("How many orders are there per channel?", strategy="direct")
    rows = talk.bench.database.statement("SELECT stage, content FROM deliverables WHERE job_id = %(id)s ORDER BY stage", {"id": job.job_id})
    content = {row["stage"]: row["content"] for row in rows}
    calls = [call for number in (1, 2, 3) for call in AskPlan.model_validate(content[f"plan/{number}"]).calls]
    found, made, queried = (content[call.stage] for call in calls)

    assert [call.tool for call in calls] == [Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE]
    assert [call.stage for call in calls] == ["tool/1", "tool/2", "tool/3"]
    assert len({call.id for call in calls}) == 3
    assert found["kind"] == "tables"
    assert calls[1].arguments["found_by"] == made["found_by"] == calls[0].id
    assert made["call"] == calls[1].id
    assert calls[2].arguments["sql_call"] == queried["sql_call"] == calls[1].id
    assert calls[2].arguments["sql"] == made["sql"] == queried["sql"]


def test_tables_are_found_and_nothing_is_run(talk: Talk) -> None:
    """S34."""
    plan = talk.plan("Which table holds the refunds?")
    found = last(plan)

    assert plan.route == (Tool.DATA_DISCOVERY,)
    assert isinstance(found, TablesFound)
    assert any(table.name.endswith("returns") for table in found.tables)
    assert all(table.columns and table.reason for table in found.tables)
    assert {pointer.kind for pointer in found.pointers} >= {"table"}
    assert "returns" in printed(plan)


def test_a_discovery_gives_what_is_known_of_the_tables_that_a_question_needs(talk: Talk) -> None:
    """S34: tables that nobody named, with their columns, how they are joined, what documents say, and queries that were run."""
    plan = talk.plan("Which tables do I need for the return rate of products?")
    found = last(plan)

    assert isinstance(found, TablesFound)
    assert {table.name for table in found.tables} >= {"main.returns", "main.products"}
    assert all(table.columns for table in found.tables)
    assert found.joins
    assert any(passage.title == "Return rate" for passage in found.documents)
    assert found.queries
    assert "What the documents say" in printed(plan)


def test_an_order_to_change_data_is_refused(talk: Talk) -> None:
    """S9."""
    plan = talk.plan("Delete all orders of 2024")

    assert ending(plan) is Ending.REFUSAL
    assert isinstance(last(plan), Refused)
    assert "read-only" in printed(plan)


@pytest.mark.parametrize("question", ["What tables do we have?", "How many orders per month in 2025?", "每个渠道有多少订单？"])
def test_a_source_that_is_not_there_is_named_and_nothing_else_answers(talk: Talk, question: str) -> None:
    plan = talk.plan(question, source="nothere")
    refused = last(plan)

    assert ending(plan) is Ending.REFUSAL
    assert isinstance(refused, Refused)
    assert isinstance(refused.reason, Statement)
    assert refused.reason.code == "ask.refuse.no_such_source"
    assert plan.route == (Tool.REJECT,)
    assert "nothere" in printed(plan)


def test_what_the_data_does_not_have_is_asked_and_not_guessed(talk: Talk) -> None:
    """S19: the job waits; the reply is read with the question."""
    job = talk.say("What is the average tip per channel?", strategy="direct")
    assert job.status is JobStatus.WAITING_HUMAN

    answered = talk.bench.answer(job.job_id, "Then how many orders are there per channel?")

    assert answered.status is JobStatus.SUCCEEDED
    found = last(AskPlan.model_validate(answered.result))
    assert isinstance(found, Queried)
    assert found.row_count == 3


def test_a_broken_statement_is_mended_and_runs(talk: Talk) -> None:
    """S14."""
    plan = talk.plan("Only fix this query", sql="SELECT chanel, COUNT(*) AS n FROM orders GROUP BY chanel")
    fixed = last(plan)

    assert isinstance(fixed, SqlFixed)
    assert "channel" in fixed.sql
    assert fixed.checked
    assert ending(plan) is Ending.SQL


def test_a_statement_is_explained_and_not_run(talk: Talk, bench: EmbeddedBench) -> None:
    before = bench.database.row("SELECT count(*) AS n FROM source_executions")
    plan = talk.plan("explain this", sql="SELECT channel, COUNT(*) AS n FROM orders WHERE status = 'failed' GROUP BY channel")

    assert isinstance(last(plan), SqlExplained)
    assert "orders" in printed(plan)
    assert bench.database.row("SELECT count(*) AS n FROM source_executions") == before


FAILED_ORDERS = "SELECT channel, COUNT(*) AS n FROM orders WHERE status = 'failed' GROUP BY channel"


@pytest.mark.parametrize(
    ("agent", "fields", "tool", "kind"),
    [
        (Agent.EXPLAIN_SQL, {"sql": FAILED_ORDERS}, Tool.EXPLAIN_SQL, SqlExplained),
        (Agent.FIX_SQL, {"sql": FAILED_ORDERS.replace("status", "staus"), "error": "no such column: staus"}, Tool.FIX_SQL, SqlFixed),
        (Agent.LOGIFY, {"source": None}, Tool.SEARCH_LOG, LogsFound),
        (Agent.DATA_SUITE_EXPERT, {"product": "returns"}, Tool.DATA_SUITE_EXPERT, PassagesFound),
    ],
)
def test_a_client_s_direct_route_goes_to_its_agent_alone(
    talk: Talk, bench: EmbeddedBench, agent: Agent, fields: dict[str, object], tool: Tool, kind: type
) -> None:
    """S16, S17: whatever the words say otherwise, one tool is called, with the arguments that the client gave, and no source is queried."""
    question = {Agent.LOGIFY: "app=payment level=error per 1h 2025-09-16", Agent.DATA_SUITE_EXPERT: "How long may it take?"}
    before = bench.database.row("SELECT count(*) AS n FROM source_executions WHERE source = 'shop'")

    plan = talk.plan(question.get(agent, "How many orders are there per channel?"), agent=agent.value, strategy="direct", **fields)

    assert plan.route == (tool,)
    assert plan.final_intent is tool
    assert isinstance(last(plan), kind)
    assert bench.database.row("SELECT count(*) AS n FROM source_executions WHERE source = 'shop'") == before


def test_a_direct_explanation_is_of_the_statement_of_the_conversation_or_asks_for_one(talk: Talk) -> None:
    """S17."""
    alone = talk.say("Explain it", agent="explain_sql")
    later = Talk(talk.bench)
    made = last(later.plan("How many orders are there per channel?"))
    explained = last(later.plan("Explain it", agent="explain_sql"))

    assert alone.status is JobStatus.WAITING_HUMAN
    assert isinstance(made, SqlMade)
    assert isinstance(explained, SqlExplained)
    assert "channel" in printed(later.plan("Explain it", agent="explain_sql"))


def test_logs_are_searched_and_the_search_is_narrowed(talk: Talk) -> None:
    """S37: the words become LogQL, which runs; a follow-up changes it."""
    first = last(talk.plan("app=payment level=error per 1h 2025-09-16", source=None))
    second = last(talk.plan('only "timeout"', source=None))

    assert isinstance(first, LogsFound)
    assert first.has_run
    assert 'app="payment"' in first.logql
    assert first.series
    assert sum(point.value or 0.0 for series in first.series for point in series.points) > 0
    assert isinstance(second, LogsFound)
    assert 'app="payment"' in second.logql
    assert "timeout" in second.logql


def test_logs_are_searched_by_logql_with_a_time_behind_it(talk: Talk) -> None:
    found = last(talk.plan('{app="payment"} |= "timeout" 2025-09-16', source=None))

    assert isinstance(found, LogsFound)
    assert found.logql == '{app="payment"} |= "timeout"'
    assert found.lines


def test_a_search_that_is_not_read_is_asked_back_with_what_to_write_and_the_answer_completes_it(talk: Talk) -> None:
    """S19."""
    first = talk.say("find the errors", source=None, logs="shop")
    job = talk.bench.answer(first.job_id, "app=payment level=error 2025-09-16")

    assert first.status is JobStatus.WAITING_HUMAN
    assert job.status is JobStatus.SUCCEEDED, job.error
    found = last(AskPlan.model_validate(job.result))
    assert isinstance(found, LogsFound)
    assert found.logql == '{app="payment", level="error"}'
    assert any("errors" in text_of(text, "en") for text in found.says if isinstance(text, Statement))


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("How long may a customer return something?", "Thirty days from the order."),
        ("What happens when a payment fails?", "Nothing is"),
    ],
)
def test_documents_answer_with_citations(talk: Talk, question: str, said: str) -> None:
    found = last(talk.plan(question))

    assert isinstance(found, PassagesFound)
    assert said in found.passages[0].text
    assert found.cites


@pytest.mark.parametrize("width", [40, 80, 200])
def test_an_answer_fits_its_terminal(talk: Talk, width: int) -> None:
    text = printed(talk.plan("How many orders are there per channel?", strategy="direct"), width)

    assert max(map(len, text.splitlines())) <= width


@pytest.mark.parametrize(
    "question", ["'; DROP TABLE orders; --", "{{ 7*7 }} %s %(x)s", "\x00\ud800", "a" * 20_000, "../../etc/passwd", "？？？"]
)
def test_hostile_words_are_words(talk: Talk, question: str) -> None:
    """A question is data: it may be refused or asked about, but no job fails by it."""
    job = talk.say(question, strategy="direct")

    assert job.status in (JobStatus.SUCCEEDED, JobStatus.WAITING_HUMAN), job.error


def test_another_owner_s_data_is_not_there(bench: EmbeddedBench) -> None:
    """A source that the owner may not query is not mentioned."""
    bench.database.row("UPDATE sources SET owners = '{ann}' WHERE name = 'shop' RETURNING name")
    try:
        job = bench.run_job({"kind": "ask", "question": "How many orders are there per channel?"}, EngineChoice.RULES)
    finally:
        bench.database.row("UPDATE sources SET owners = '{}' WHERE name = 'shop' RETURNING name")

    assert job.status is JobStatus.SUCCEEDED
    assert ending(AskPlan.model_validate(job.result)) is Ending.REFUSAL
    assert "orders" not in str(job.result).replace("How many orders are there per channel?", "")


WALK = (
    "Which tables hold what revenue needs?",
    "Give me the revenue of 2025.",
    "yes",
    "break it down by category",
    "execute it",
    "show it as a bar chart, best first",
)


def test_the_walk_through_asks_before_it_runs(talk: Talk) -> None:
    """S39, strategy confirm: what it means, the SQL, its run, a drill-down, and a picture."""
    plans = [talk.plan(question) for question in WALK]

    assert [plan.route[-1] for plan in plans] == [
        Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE, Tool.GENERATE_SQL, Tool.EXECUTE, Tool.EXECUTE
    ]  # fmt: skip
    assert [ending(plan) for plan in plans] == [
        Ending.TABLES, Ending.SQL_FOR_CONFIRMATION, Ending.ANSWER, Ending.SQL_FOR_CONFIRMATION, Ending.ANSWER, Ending.ANSWER
    ]  # fmt: skip
    made, total, groups, drawn = (last(plans[place]) for place in (1, 2, 4, 5))
    assert isinstance(made, SqlMade)
    assert made.found_by
    assert isinstance(total, Queried)
    assert isinstance(groups, Queried)
    assert isinstance(drawn, Queried)
    assert total.sql_call == made.call
    assert sum(float(str(row[-1])) for row in groups.rows) == pytest.approx(float(str(total.rows[0][-1])))
    assert drawn.chart is not None


def test_the_walk_through_runs_on_where_the_strategy_says_so(talk: Talk) -> None:
    """S39, strategy direct: the same figures without a word of consent."""
    plans = [talk.plan(question, strategy="direct") for question in (WALK[0], WALK[1], WALK[3], WALK[5])]

    assert [ending(plan) for plan in plans] == [Ending.TABLES, Ending.ANSWER, Ending.ANSWER, Ending.ANSWER]
    total, groups = last(plans[1]), last(plans[2])
    assert isinstance(total, Queried)
    assert isinstance(groups, Queried)
    assert sum(float(str(row[-1])) for row in groups.rows) == pytest.approx(float(str(total.rows[0][-1])))


def test_a_good_answer_becomes_an_example(talk: Talk, bench: EmbeddedBench) -> None:
    """The next question finds it; a bad one does not become an example."""
    question = "How many orders are there per channel in 2025?"
    job = talk.say(question)
    giving = Giving(bench.database, None, job.job_id)

    bad = give_feedback(giving, AskSaid(bad=True))
    good = give_feedback(giving, AskSaid(good=True))

    catalogue = Catalogue(bench.database, None)
    owner = bench.database.row("SELECT owner FROM jobs WHERE id = %(id)s", {"id": job.job_id})
    assert owner is not None
    known = catalogue.queries(question, "shop", owner=owner["owner"], limit=1)
    assert [query.question for query in known] == [question]
    assert isinstance(bad.learnt, AskLearnt)
    assert isinstance(good.learnt, AskLearnt)
    assert not bad.learnt.example
    assert good.learnt.example == known[0].place

    give_feedback(giving, AskSaid(bad=True))  # the user has changed their mind

    assert not any(query.confirmed for query in catalogue.queries(question, "shop", owner=owner["owner"]))


def test_a_confirmed_answer_answers_its_question_by_its_plan_also_in_another_year(bench: EmbeddedBench) -> None:
    """The user chose what is meant and said that the answer was right: the next one who asks is not asked again."""
    question = "Which 5 customers have the highest amount in 2025?"
    asked = Talk(bench).say(question, strategy="direct")
    assert asked.status is JobStatus.WAITING_HUMAN
    chosen = bench.answer(asked.job_id, "2")
    assert chosen.status is JobStatus.SUCCEEDED, chosen.error
    before = last(AskPlan.model_validate(chosen.result))
    assert isinstance(before, Queried)

    give_feedback(Giving(bench.database, None, chosen.job_id), AskSaid(good=True))

    again = last(Talk(bench).plan(question, strategy="direct"))
    assert isinstance(again, Queried)
    assert again.sql == before.sql


def test_words_that_mean_nothing_here_are_named_and_known_ones_beside_them_are_not(talk: Talk) -> None:
    job = talk.say("What is the average tip per channel?")

    row = talk.bench.database.row("SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question'", {"id": job.job_id})
    assert row is not None
    text = text_of(Statement.model_validate(row["payload"]["text"]), "en")
    assert "tip" in text
    assert "average" not in text


def test_my_region_means_the_users_own_and_holds_for_the_conversation(talk: Talk) -> None:
    """S38: who asks. Another conversation knows nothing of it."""
    first = talk.plan("how many customers are in my region?", strategy="direct", background="department: sales, region: east")
    plain = Talk(talk.bench).plan("how many customers are in east?", strategy="direct")
    second = talk.plan("我的region有多少客户?", strategy="direct")
    stranger = Talk(talk.bench).say("how many customers are in my region?", strategy="direct")
    asked, expected, again = last(first), last(plain), last(second)

    assert isinstance(asked, Queried)
    assert isinstance(expected, Queried)
    assert isinstance(again, Queried)
    assert asked.sql == expected.sql
    assert "'east'" in asked.sql
    assert "'east'" in again.sql
    assert "east" not in str(stranger.result)


@pytest.mark.parametrize(
    ("question", "page", "says"),
    [
        ("how do I add a source?", "docs/faq.md", "bullpen source add sales"),
        ("怎么添加数据源？", "docs/faq.zh.md", "bullpen source add sales"),
        ("How do I upgrade Bullpen?", "docs/faq.md", "bullpen db migrate"),
        ("Bullpen 怎么升级？", "docs/faq.zh.md", "bullpen db migrate"),
        ("How do I count revenue?", "faq.md", "unit_price"),
    ],
)
def test_how_something_is_done_is_answered_with_the_passage_and_its_page(talk: Talk, question: str, page: str, says: str) -> None:
    """Of Bullpen by its own documents, of the shop by those of the shop."""
    plan = talk.plan(question)
    found = last(plan)

    assert plan.route == (Tool.DATASUITE_FAQ,)
    assert isinstance(found, PassagesFound)
    assert found.passages[0].path == page
    assert found.cites[0] == found.passages[0].place
    assert says in found.passages[0].text
    assert page in printed(plan, 200)


@pytest.mark.parametrize(
    "question", ["how do I reset my VPN password?", "怎么申请年假？", "how do I book a meeting room?", "怎么报销差旅费？"]
)
def test_what_no_document_says_is_said_not_to_be_there(talk: Talk, question: str) -> None:
    plan = talk.plan(question)

    assert plan.route == (Tool.DATASUITE_FAQ,)
    assert last(plan) == PassagesFound()
    assert "The imported documents do not say this." in printed(plan)


def test_the_manual_is_no_part_of_what_is_known_of_the_data(bench: EmbeddedBench) -> None:
    """A search for data finds none of it, whoever searches."""
    catalogue = Catalogue(bench.database, None)

    for owner in (None, "default"):
        found = catalogue.search("how do I add a source or connect my database", owner=owner, limit=50)
        assert not [pointer for pointer in found if pointer.kind == "document" and "Bullpen" in pointer.title]
        assert not [passage for passage in catalogue.passages("bullpen source add", owner=owner) if passage.path.startswith("docs/")]
    assert catalogue.own_passages("how do I add a source?")[0].path.startswith("docs/")


@pytest.mark.parametrize(
    ("agent", "fields", "tool"),
    [
        ("Fix SQL", {"sql": "SELECT amout FROM main.payments", "error": "no such column"}, Tool.FIX_SQL),
        ("Explain SQL", {"sql": "SELECT channel, COUNT(*) FROM main.orders GROUP BY channel"}, Tool.EXPLAIN_SQL),
        ("Data Suite Expert", {"product": "shop"}, Tool.DATA_SUITE_EXPERT),
    ],
)
def test_an_agent_that_the_client_chose_answers_whatever_the_words(talk: Talk, agent: str, fields: dict[str, object], tool: Tool) -> None:
    """S2, S16, S17: the words would be a question about data."""
    plan = talk.plan("How do I count revenue per channel?", agent=agent, **fields)

    assert plan.route == (tool,)
    assert plan.final_intent is tool


def test_a_fault_of_a_tool_ends_the_job_without_a_question(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """S27: the user is told that it failed and where, not asked; the conversation goes on afterwards."""

    def break_down(*_: object) -> None:
        raise RuntimeError("connection postgresql://ann:hunter2@db:5432/x is gone")

    with monkeypatch.context() as broken:
        broken.setattr("workers.kinds.ask.roles.retriever.discover", break_down)
        job = talk.say("How many orders are there per channel?")

    assert job.status is JobStatus.FAILED
    assert job.result is None
    assert "tool/1" in (job.error or "")
    assert "hunter2" not in (job.error or "")
    assert talk.bench.database.statement("SELECT id FROM requests WHERE job_id = %(id)s", {"id": job.job_id}) == []
    assert ending(talk.plan("How many orders are there per channel?")) is Ending.SQL_FOR_CONFIRMATION


def test_what_the_data_is_about_is_in_scope_in_a_whole_job(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    """S9: hotels are out of scope, unless a table is called so."""
    folder = talk.bench.settings.data_dir
    with closing(sqlite3.connect(folder / "inn.sqlite")) as inn:
        inn.executescript("CREATE TABLE hotels (name TEXT, rooms INTEGER); INSERT INTO hotels VALUES ('Old Mill', 12), ('Lakeside', 40)")
    monkeypatch.setenv("BULLPEN_SOURCE_INN_URL", f"sqlite:///{folder}/inn.sqlite")
    add_source(talk.bench.database, folder, Source(name="inn", kind=SourceKind.SQLITE))
    unknown = last(talk.plan("Which hotel has the most rooms?", source="inn"))
    assert isinstance(unknown, Refused)
    assert text_of(unknown.reason, "en").endswith("Import them: bullpen catalogue import inn")
    import_source(talk.bench.database, None, folder, "inn")
    try:
        found = last(talk.plan("Which hotel has the most rooms?", source="inn", strategy="direct"))
    finally:
        remove_source(talk.bench.database, "inn")

    assert isinstance(found, Queried)
    assert found.rows[0][0] == "Lakeside"


def test_feedback_says_either_good_or_bad() -> None:
    with pytest.raises(ValueError, match="one of --good, --bad and --define"):
        AskSaid()


def test_an_explanation_shows_what_is_wrong_on_rows(talk: Talk) -> None:
    """A total over rows that a join repeats."""
    statement = (
        "SELECT SUM(p.amount) FROM main.payments p JOIN main.orders o ON o.order_id = p.order_id "
        "JOIN main.order_items i ON i.order_id = o.order_id"
    )

    plan = talk.plan("Explain this statement", sql=statement)
    explained = last(plan)

    assert isinstance(explained, SqlExplained)
    assert explained.review.blockers
    assert explained.review.blockers[0].counterexample is not None
    assert explained.review.blockers[0].summary.code.startswith("sql_review.")
    assert "order_items" in printed(plan)
