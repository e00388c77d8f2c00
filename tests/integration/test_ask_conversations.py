"""Conversations of `ask` that change their course: a new question in the place of an answer, values that are added, lists of tables."""

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from uuid import UUID, uuid4

import pytest

from contracts.ask.results import Queried, TablesFound
from contracts.ask.steps import AskPlan
from contracts.jobs import EngineChoice, JobStatus
from contracts.queries import QueryPlan
from contracts.sources import Source, SourceKind
from contracts.statements import Statement
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from workers.catalogue import import_source, offer_sample
from workers.catalogue.importing import Form, import_path
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.ask.view import show_result
from workers.kinds.base import FinishedJob, ShowOptions
from workers.saying import text_of
from workers.saying.document import texts_in
from workers.settings import load_settings
from workers.sources import add_source, remove_source


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    settings = load_settings().model_copy(
        update={"home": tmp_path_factory.mktemp("home"), "embeddings": "none", "rolling_includes_today": False}
    )
    with silent_bench(settings, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


class Talk:
    """A conversation in which a message to an open question is its answer, as in a session."""

    def __init__(self, bench: EmbeddedBench) -> None:
        self.bench, self.session = bench, uuid4()
        self.waiting: UUID | None = None
        self.source: str | None = "shop"

    def say(self, words: str) -> FinishedJob:
        request = {"kind": "ask", "question": words, "source": self.source, "strategy": "direct"}
        if self.waiting is not None:
            job = self.bench.answer(self.waiting, words)
        else:
            job = self.bench.run_job(request, EngineChoice.RULES, session_id=self.session)
        self.waiting = job.job_id if job.status is JobStatus.WAITING_HUMAN else None
        return job

    def source_of(self, words: str) -> str:
        """The source that answers a message."""
        answer = AskPlan.model_validate(self.say(words).result).answer
        assert answer is not None
        return answer.state.source

    def changed(self, **options: object) -> AskPlan:
        """The answer to a message of options."""
        job = self.bench.run_job({"kind": "ask", "strategy": "direct", **options}, EngineChoice.RULES, session_id=self.session)
        assert job.status is JobStatus.SUCCEEDED, job.error
        return AskPlan.model_validate(job.result)

    def plan(self, *messages: str) -> QueryPlan:
        """The plan behind the answer to the last message."""
        job = [self.say(words) for words in messages][-1]
        answer = AskPlan.model_validate(job.result).answer
        assert answer is not None
        assert answer.state.plan is not None
        return answer.state.plan


@pytest.fixture
def talk(bench: EmbeddedBench) -> Talk:
    return Talk(bench)


def shown(job: FinishedJob, language: str = "en") -> str:
    document = show_result(job.result or {}, ShowOptions())
    assert document is not None
    return "\n".join(part if isinstance(part, str) else text_of(part, language) for part in texts_in(document))


def shown_plan(plan: AskPlan) -> list[str]:
    document = show_result(plan.to_json(), ShowOptions())
    assert document is not None
    return [part if isinstance(part, str) else text_of(part, "en") for part in texts_in(document)]


def asked(talk: Talk, job: FinishedJob) -> tuple[str, list[str]]:
    """The open question of a job, and its choices."""
    assert job.status is JobStatus.WAITING_HUMAN
    row = talk.bench.database.row(
        "SELECT payload FROM requests WHERE job_id = %(id)s AND kind = 'question' AND response IS NULL ORDER BY id DESC LIMIT 1",
        {"id": job.job_id},
    )
    assert row is not None
    texts = [row["payload"]["text"], *row["payload"].get("choices", ())]
    said = [text_of(Statement.model_validate(text), "en") if isinstance(text, dict) else str(text) for text in texts]
    return said[0], said[1:]


def values(plan: QueryPlan) -> dict[str, set[str]]:
    return {condition.column: set(condition.values) for condition in plan.filters}


def test_words_that_are_not_read_come_with_questions_that_are_and_a_number_asks_one(talk: Talk) -> None:
    """A newcomer's first words were answered by what is wrong with them, and by an example about tables that they do not have."""
    _, offers = asked(talk, talk.say("How are we doing, all in all?"))
    assert len(offers) == 3

    job = talk.say("2")

    assert job.status is JobStatus.SUCCEEDED, job.error
    assert f"“{AskPlan.model_validate(job.result).question}”" in offers[1]


@pytest.mark.parametrize(
    ("left", "new", "answers"),
    [
        ("What is the average tip per channel?", "How many orders failed last month?", "n"),
        ("How many customers placed orders in 2026?", "How many orders were there in 2026 per channel?", "channel"),
        ("How many customers placed orders in 2025?", "2026年每月的订单数是多少？", "month"),
    ],
)
def test_a_new_question_takes_the_place_of_the_open_one(talk: Talk, left: str, new: str, answers: str) -> None:
    assert talk.say(left).status is JobStatus.WAITING_HUMAN

    job = talk.say(new)

    plan = AskPlan.model_validate(job.result)
    assert plan.question == new
    assert plan.instead_of == left
    assert f"Taken as a new question; “{left}” was left." in shown(job)
    assert plan.answer is not None
    (found,) = [result for result in plan.answer.results if isinstance(result, Queried)]
    assert answers in found.columns


def test_an_order_to_delete_is_refused_as_a_new_message(talk: Talk) -> None:
    talk.say("What is the average tip per channel?")

    job = talk.say("Delete all orders of 2024")

    assert "read_only" in str(job.result)


def test_a_refusal_in_between_leaves_the_question_to_be_changed(talk: Talk) -> None:
    plan = talk.plan("How many orders per month in 2025?", "delete all orders", "and by channel?")

    assert [measure.column for measure in plan.group_by] == ["orders.channel"]
    assert [str(period.start) for period in plan.periods] == ["2025-01-01"]


def test_a_choice_is_numbered_and_chosen_by_its_number(talk: Talk) -> None:
    _, choices = asked(talk, talk.say("How many customers placed orders in 2026?"))
    assert [choice[:3] for choice in choices] == ["1. ", "2. "]

    plan = talk.plan("2")

    assert [period.column for period in plan.periods] == ["orders.ordered_at"]


def test_a_choice_can_be_said_as_it_was_shown(talk: Talk) -> None:
    _, choices = asked(talk, talk.say("How many customers placed orders in 2026?"))

    plan = talk.plan(choices[0])

    assert [period.column for period in plan.periods] == ["customers.signed_up"]


@pytest.mark.parametrize("reply", ["2, but only for paid orders", "2. also only via web"])
def test_an_answer_that_says_more_than_its_choice_takes_nothing_and_says_so(talk: Talk, reply: str) -> None:
    """The second was taken as a choice, and its condition dropped in silence."""
    _, choices = asked(talk, talk.say("How many customers placed orders in 2026?"))

    again, offered = asked(talk, talk.say(reply))

    assert again.startswith(f"Your answer names choice 2. “{reply[3:]}” beside it was not read, so nothing is taken yet.")
    assert offered == choices
    plan = talk.plan("2")
    assert [period.column for period in plan.periods] == ["orders.ordered_at"]
    assert plan.filters == ()


def test_words_that_were_not_read_and_then_said_again_are_no_part_of_the_question(talk: Talk) -> None:
    talk.say("How many orders were there in 2026 per channel?")
    assert "whatever" in asked(talk, talk.say("only whatever web"))[0]

    assert values(talk.plan("only web")) == {"orders.channel": {"web"}}


def test_a_yes_before_a_change_is_no_word_of_it(talk: Talk) -> None:
    plan = talk.plan("How many orders were there in 2026 per channel?", "yes, but only web")

    assert values(plan) == {"orders.channel": {"web"}}


@pytest.mark.parametrize(("question", "unit"), [("Show the revenue in 2026", "by quarter"), ("2026年有多少订单？", "按季度")])
def test_a_unit_of_time_is_a_change_of_the_question(talk: Talk, question: str, unit: str) -> None:
    plan = talk.plan(question, unit)

    assert [measure.unit for measure in plan.group_by] == ["quarter"]
    assert [str(period.start) for period in plan.periods] == ["2026-01-01"]


@pytest.mark.parametrize(
    ("question", "word"), [("What is the median price per category?", "median"), ("How many excellent customers are there?", "excellent")]
)
def test_a_word_that_is_not_read_is_named_and_nothing_is_run(talk: Talk, question: str, word: str) -> None:
    text, _ = asked(talk, talk.say(question))

    assert text.startswith(f"Nothing here is called: {word}.")


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("How many failed orders were there in 2025?", "How many orders are there per channel?"),
        ("2025年有多少订单？", "每个渠道有多少订单？"),
        ("How many failed orders were there in 2025?", "total amount of payments per channel"),
    ],
)
def test_a_whole_question_takes_nothing_from_the_one_before_it(talk: Talk, first: str, second: str) -> None:
    plan = talk.plan(first, second)

    assert (plan.filters, plan.periods) == ((), ())
    assert [measure.column for measure in plan.group_by] == ["orders.channel"]


def test_and_before_a_question_takes_the_conditions_along(talk: Talk) -> None:
    plan = talk.plan("How many failed orders were there in 2025?", "and how many orders per channel?")

    assert values(plan) == {"orders.status": {"failed"}}
    assert [str(period.start) for period in plan.periods] == ["2025-01-01"]


def test_added_values_keep_the_groups_and_the_number_of_rows(talk: Talk) -> None:
    plan = talk.plan("What is the revenue per category in 2025?", "top 2", "and camping", "and shoes")

    assert [measure.column for measure in plan.group_by] == ["products.category"]
    assert plan.limit == 2
    assert values(plan)["products.category"] == {"camping", "shoes"}


def test_a_value_is_added_to_a_list_or_takes_its_place(talk: Talk) -> None:
    assert values(talk.plan("How many orders per channel in 2026?", "only web and app")) == {"orders.channel": {"web", "app"}}
    assert values(talk.plan("and store")) == {"orders.channel": {"web", "app", "store"}}
    assert values(talk.plan("only the app")) == {"orders.channel": {"app"}}


@pytest.mark.parametrize("question", ["List all tables", "What tables do we have?", "有哪些表？"])
def test_all_tables_are_listed(talk: Talk, question: str) -> None:
    answer = AskPlan.model_validate(talk.say(question).result).answer

    assert answer is not None
    (found,) = [result for result in answer.results if isinstance(result, TablesFound)]
    assert [table.name for table in found.tables] == [
        f"main.{name}" for name in ("customers", "order_items", "orders", "payments", "products", "returns")
    ]


def test_a_list_of_tables_that_is_cut_says_so(talk: Talk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.kinds.ask.work.discovery.MOST_LISTED", 2)

    text = shown(talk.say("List all tables"))

    assert "4 more tables are not listed" in text


def test_shares_are_shown_in_percent_with_enough_digits(talk: Talk) -> None:
    text = shown(talk.say("What share of orders failed per month in 2026?"))

    assert "0.89%" in text
    assert "0.0089" not in text


def test_orders_per_weekday_are_seven_rows(talk: Talk) -> None:
    answer = AskPlan.model_validate(talk.say("How many orders were there per weekday in 2026?").result).answer

    assert answer is not None
    (found,) = [result for result in answer.results if isinstance(result, Queried)]
    assert [row[0] for row in found.rows] == [1, 2, 3, 4, 5, 6, 7]


def test_the_settings_of_the_fleet_decide_whether_today_is_a_rolling_day(talk: Talk) -> None:
    text = shown(talk.say("How many orders were there in the last 7 days?"))

    assert "ends with yesterday" in text


@pytest.fixture
def branch(bench: EmbeddedBench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """A second source that has orders too."""
    place = tmp_path / "branch.db"
    with sqlite3.connect(place) as made:
        made.execute("CREATE TABLE orders (order_id INTEGER PRIMARY KEY, channel TEXT, ordered_at TEXT)")
        made.executemany("INSERT INTO orders VALUES (?, ?, '2026-02-01')", [(1, "kiosk"), (2, "kiosk"), (3, "van"), (4, "van")])
    monkeypatch.setenv("BULLPEN_SOURCE_BRANCH_URL", f"sqlite:///{place}")
    folder = bench.settings.data_dir
    add_source(bench.database, folder, Source(name="branch", kind=SourceKind.SQLITE))
    import_source(bench.database, bench.embedder, folder, "branch")
    yield
    remove_source(bench.database, "branch")


def test_a_conversation_asks_once_for_its_source_and_stays_there(talk: Talk, branch: None) -> None:
    talk.source = None
    text, choices = asked(talk, talk.say("How many orders are there per channel?"))
    chosen = talk.source_of("branch")
    further = talk.source_of("How many orders are there?")
    elsewhere = talk.source_of("How many orders are there in shop?")

    assert text.startswith("Several sources have these tables.")
    assert sorted(choices) == ["1. branch", "2. shop"]
    assert (chosen, further, elsewhere) == ("branch", "branch", "shop")


def test_a_source_that_was_named_once_holds_for_the_conversation(talk: Talk, branch: None) -> None:
    first = talk.source_of("How many orders are there?")
    talk.source = None

    assert (first, talk.source_of("How many orders are there per channel?")) == ("shop", "shop")


def test_rows_behind_a_limit_that_are_as_good_as_the_last_are_named(talk: Talk, branch: None) -> None:
    talk.source = "branch"

    text = shown(talk.say("Which channel has the most orders?"))
    whole = shown(talk.say("How many orders are there per channel?"))

    assert "1 further row has the same n as the last one shown: “" in text
    assert "further row" not in whole


def test_options_change_the_plan_of_the_last_answer(talk: Talk) -> None:
    talk.plan("What is the revenue per category in 2025?")

    monthly = talk.changed(by=["month", "region"], where=["category=camping,Shoes"], top=5)
    drawn = talk.changed(by=["region"], chart="bar")
    refused = talk.changed(where=["channel=Web,fax"])
    again = talk.changed(where=["channel=Web,app"], by=["channel"])

    assert monthly.answer is not None
    plan, found = monthly.answer.state.plan, monthly.answer.results[-1]
    assert plan is not None
    assert isinstance(found, Queried)
    assert [(measure.column, measure.unit) for measure in plan.group_by] == [("orders.ordered_at", "month"), ("customers.region", None)]
    assert values(plan)["products.category"] == {"camping", "shoes"}
    assert [str(period.start) for period in plan.periods] == ["2025-01-01"]
    assert found.row_count == 5
    assert any("products.category" in text_of(text, "en") for text in found.says if isinstance(text, Statement))
    assert drawn.answer is not None
    assert isinstance(drawn.answer.results[-1], Queried)
    assert drawn.answer.results[-1].chart is not None
    assert drawn.answer.results[-1].chart.mark == "bar"
    assert "channel has no value “fax”. Near it: app, " in "\n".join(shown_plan(refused))
    assert again.answer is not None
    assert again.answer.state.plan is not None
    assert values(again.answer.state.plan)["orders.channel"] == {"web", "app"}


def test_a_conversation_is_kept_to_tables_schemas_and_tags_that_its_user_picks(talk: Talk, tmp_path: Path) -> None:
    """S32, S34: tables outside are neither found nor asked; a later message stays within, until `*` lifts it."""
    tagged = "".join(f'{{"table": "{table}", "tags": ["CRM"]}}\n' for table in ("customers", "orders"))
    (tmp_path / "tags.jsonl").write_text(tagged)
    import_path(talk.bench.database, None, tmp_path / "tags.jsonl", form=Form.TABLES, source="shop")

    def tables(**given: object) -> set[str]:
        answer = talk.changed(question="What tables do we have?", source="shop", **given).answer
        assert answer is not None
        found = answer.results[-1]
        assert isinstance(found, TablesFound), found
        return {table.name.rpartition(".")[2] for table in found.tables}

    every = tables()
    assert len(every) > 3
    assert tables(within=["crm"]) == {"customers", "orders"}
    assert tables() == {"customers", "orders"}
    assert tables(within=["orders", "main.payments"]) == {"orders", "payments"}
    assert tables(within=["*"]) == every
    refused = talk.changed(question="What tables do we have?", source="shop", within=["nothing_like_it"])
    assert any("There is no table, schema or tag nothing_like_it" in text for text in shown_plan(refused))
    tables(within=["orders"])
    counted = talk.changed(question="run it", sql="SELECT COUNT(*) AS n FROM payments", source="shop").answer
    assert counted is not None
    assert isinstance(counted.results[-1], Queried), "a statement of the user's own is run wherever it reads"


def test_words_go_on_below_an_answer_that_options_have_changed(talk: Talk) -> None:
    """Every message behind an option was asked about: the line of the option is no question."""
    talk.say("How many orders are there per channel?")
    talk.changed(by=["month"])

    plan = talk.plan("only app", "and in 2025")
    left = talk.say("without payments")

    assert [(group.column, group.unit) for group in plan.group_by] == [("orders.ordered_at", "month")]
    assert values(plan) == {"orders.channel": {"app"}}
    assert [str(period.start) for period in plan.periods] == ["2025-01-01"]
    assert "Options changed the last answer" in asked(talk, left)[0]


def test_options_without_an_answer_before_them_say_so(talk: Talk) -> None:
    assert "There is no answer in this conversation that could be changed." in "\n".join(shown_plan(talk.changed(top=3)))
