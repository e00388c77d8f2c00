"""`etl` with a model on the wire: it reads the requirement and writes the query; code judges both like the work of rules and of people."""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta, tzinfo
from typing import Any
from uuid import UUID, uuid4

import pytest

from contracts.jobs import EngineChoice, JobStatus
from contracts.pipelines.analysis import Origin
from contracts.pipelines.package import PackageState
from contracts.statements import Statement, read_stored
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of, requests, runs
from tests.support.openai_server import Heard, OpenAIServer, Say, good, openai_server
from tests.support.prompts_alike import common_beginning
from workers.catalogue import offer_sample
from workers.coordinator.actions import open_questions
from workers.coordinator.replay import replay_stage
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.kinds.etl.work import trying
from workers.saying import text_of
from workers.settings import load_settings

LOYAL = "Build loyal_customers: the happiness of our loyal friends per region"
ANALYSIS: dict[str, Any] = {
    "steps": [
        {"name": "Join customers with their orders", "tables": ["customers", "orders"]},
        {"name": "Count them", "tables": ["orders"]},
    ],
    "table": "loyal_customers",
    "columns": [{"name": "region", "description": "Sales region"}, {"name": "orders", "description": "Number of orders"}],
    "key": ["region"],
    "mode": "overwrite",
    "ambiguities": [],
    "confidence": 0.9,
}
RIGHT = "SELECT c.region, COUNT(*) AS orders FROM customers c JOIN orders o ON o.customer_id = c.customer_id GROUP BY c.region"
INVENTED = "SELECT c.region, COUNT(*) AS orders FROM customers c JOIN invented o ON o.customer_id = c.customer_id GROUP BY c.region"
WRITES = "DELETE FROM customers WHERE region = 'north'"
FAN_OUT = (
    "SELECT c.region, SUM(p.amount) AS orders FROM customers c JOIN orders o ON o.customer_id = c.customer_id "
    "JOIN payments p ON p.order_id = o.order_id JOIN order_items i ON i.order_id = o.order_id GROUP BY c.region"
)

MENDED = (
    "SELECT c.region, SUM(p.amount) AS orders FROM customers c JOIN orders o ON o.customer_id = c.customer_id "
    "JOIN payments p ON p.order_id = o.order_id WHERE EXISTS (SELECT 1 FROM order_items i WHERE i.order_id = o.order_id) GROUP BY c.region"
)


@pytest.fixture(scope="module")
def server() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        yield running


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, server: OpenAIServer, databases: Databases) -> Iterator[EmbeddedBench]:
    given = {
        "home": tmp_path_factory.mktemp("home"), "embeddings": "none", "model": "test-model",
        "model_base_url": server.base_url, "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1,
    }  # fmt: skip
    with silent_bench(load_settings().model_copy(update=given), databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def submit(
    bench: EmbeddedBench,
    server: OpenAIServer,
    *scripts: str | dict[str, Any],
    analysis: dict[str, Any] | list[dict[str, Any]] | str = ANALYSIS,
    remarks: Sequence[dict[str, Any]] = (),
    requirement: str = LOYAL,
    session: UUID | None = None,
) -> FinishedJob:
    """A job whose model answers so."""
    answers_with(server, analysis, *scripts, remarks=remarks)
    return bench.run_job({"kind": "etl", "requirement": requirement, "source": "shop"}, EngineChoice.AUTO, session_id=session)


def answers_with(
    server: OpenAIServer,
    analysis: dict[str, Any] | list[dict[str, Any]] | str,
    *scripts: str | dict[str, Any],
    remarks: Sequence[dict[str, Any]] = (),
    designs: Sequence[dict[str, Any]] = (),
) -> None:
    """Have the model give this analysis, these designs and these queries in turn, and these remarks on each version; the last one stays."""
    given, designs = list(scripts), list(designs)
    readings = list(analysis) if isinstance(analysis, list) else [analysis]

    def answer(heard: Heard) -> Say:
        if "You write the query" in json.dumps(heard.body, ensure_ascii=False):
            script = given.pop(0) if len(given) > 1 else given[0]
            return good({"step": {"final": {"sql": script} if isinstance(script, str) else script}})
        if "You review the scripts" in heard.raw:
            return good({"step": {"final": {"remarks": list(remarks)}}})
        if "You are the architect" in heard.raw:
            return good({"step": {"final": designs.pop(0) if len(designs) > 1 else designs[0]}})
        reading = readings.pop(0) if len(readings) > 1 else readings[0]
        return Say(reading) if isinstance(reading, str) else good(reading)

    server.by_prompt = answer


def test_a_model_s_script_that_passed_is_done_and_says_who_wrote_it(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E3, E4: a result that passed its checks is done, whoever wrote it; who did stands beside it."""
    package = package_of(submit(bench, server, RIGHT))

    assert package.state is PackageState.DONE
    assert package.analysis.read_by is Origin.MODEL
    assert {table.rpartition(".")[2] for table in package.analysis.tables} == {"customers", "orders"}
    assert package.scripts[0].written_by is Origin.MODEL
    assert package.reviews[-1].passed
    assert len(package.open) >= 2


STAGED: dict[str, Any] = {
    **ANALYSIS,
    "steps": [
        {"name": "Count the orders of each customer", "tables": ["orders"]},
        {"name": "Add them up per region", "tables": ["customers"]},
    ],
    "intermediate": ["orders_per_customer: the number of orders of each customer"],
    "running": "two retries, at most 20 minutes each",
}
PART: dict[str, Any] = {
    "table": "orders_per_customer", "steps": [1], "reads": ["main.orders"], "key": ["customer_id"],
    "columns": [{"name": "customer_id", "type": "INTEGER"}, {"name": "n", "type": "BIGINT", "description": "Number of orders"}],
    "retries": 2, "timeout_s": 1200,
}  # fmt: skip
WHOLE: dict[str, Any] = {
    "table": "loyal_customers", "steps": [2], "reads": ["main.customers", "orders_per_customer"], "retries": 2, "timeout_s": 1200,
}  # fmt: skip
PER_CUSTOMER = "SELECT o.customer_id, COUNT(*) AS n FROM orders o GROUP BY o.customer_id"
PER_REGION = (
    "SELECT c.region, CAST(SUM(p.n) AS BIGINT) AS orders FROM customers c "
    "JOIN orders_per_customer p ON p.customer_id = c.customer_id GROUP BY c.region"
)


def test_a_table_that_is_wanted_on_the_way_is_a_job_that_a_model_designs(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E4, E8: steps in jobs, tables on the way with columns and key, how they are run. A design that reads what nobody leaves goes back."""
    before = len(server.heard)
    wrong = {"jobs": [{**PART, "reads": ["main.nothing"]}, WHOLE]}
    answers_with(server, STAGED, PER_CUSTOMER, PER_REGION, designs=[wrong, {"jobs": [PART, WHOLE], "risks": ["Orders may come late."]}])

    job = bench.run_job({"kind": "etl", "requirement": LOYAL, "source": "shop"}, EngineChoice.LLM)
    package = package_of(job)

    part, whole = package.workflow.jobs
    assert (part.output, whole.depends, package.workflow.layers) == ("orders_per_customer", (part.id,), ((part.id,), (whole.id,)))
    assert (whole.retries, whole.timeout_s) == (2, 1200)
    assert "Orders may come late." in package.workflow.risks
    assert [script.target for script in package.scripts] == ["orders_per_customer", "loyal_customers"]
    assert (package.state, package.reviews[-1].passed) == (PackageState.DONE, True), package.reviews[-1].issues
    designs = [heard for heard in server.heard[before:] if "You are the architect" in heard.raw]
    assert "reads main.nothing, which is not in the list" in designs[-1].user_text
    writers = [heard.user_text for heard in server.heard[before:] if "You write the query" in heard.raw]
    assert "CREATE TABLE orders_per_customer" in writers[-1]
    assert "CREATE TABLE orders_per_customer" not in writers[0]


def test_a_requirement_of_one_table_asks_no_architect(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.heard)
    submit(bench, server, RIGHT)

    assert not [heard for heard in server.heard[before:] if "You are the architect" in heard.raw]


DESIGNS: list[tuple[dict[str, Any], str]] = [
    ({"jobs": [WHOLE]}, "Each step from 1 to 2 belongs to exactly one job. It is not so with: 1"),
    ({"jobs": [{**PART, "table": "payments"}, WHOLE]}, "There is a table payments already"),
    ({"jobs": [{**PART, "columns": []}, WHOLE]}, "has `columns`, each with a name of its own and a type"),
    ({"jobs": [PART, {**WHOLE, "reads": ["main.customers"]}]}, "No job reads orders_per_customer"),
    ({"jobs": [PART, {**WHOLE, "table": "elsewhere"}]}, "The last job fills loyal_customers"),
    ({"jobs": [PART, WHOLE], "component": "SHELL"}, "`component` is one of"),
]


@pytest.mark.parametrize(("design", "objection"), DESIGNS)
def test_a_design_that_does_not_hold_goes_back(bench: EmbeddedBench, server: OpenAIServer, design: dict[str, Any], objection: str) -> None:
    before = len(server.heard)
    answers_with(server, STAGED, PER_CUSTOMER, PER_REGION, designs=[design, {"jobs": [PART, WHOLE]}])

    bench.run_job({"kind": "etl", "requirement": LOYAL, "source": "shop"}, EngineChoice.LLM)

    designs = [heard.user_text for heard in server.heard[before:] if "You are the architect" in heard.raw]
    assert objection in designs[-1].partition("It cannot be used")[2]


def test_a_phrase_that_the_query_does_not_use_is_shown_beside_the_package(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The quotation is checked: what nobody said is dropped."""
    uses = [{"phrase": "happiness", "part": ""}, {"phrase": "per region", "part": "GROUP BY c.region"}, {"phrase": "per moon", "part": ""}]
    package = package_of(submit(bench, server, {"sql": RIGHT, "uses": uses}))

    assert package.state is PackageState.DONE
    assert package.scripts[0].not_used == ("happiness",)
    assert any("happiness" in text_of(line, "en") for line in package.open if not isinstance(line, str))
    assert [use.phrase for use in package.scripts[0].uses] == ["per region"]


def test_a_table_that_is_not_there_goes_back_with_the_nearest_names(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.heard)
    wrong = {**ANALYSIS, "steps": [{"name": "Count", "tables": ["custmers"]}]}
    answers = [wrong, ANALYSIS]

    job = submit(bench, server, RIGHT, analysis=answers)

    assert package_of(job).state is PackageState.DONE
    second = [heard for heard in server.heard[before:] if "You are the analyst" in heard.raw][1]
    assert "There is no table custmers" in second.user_text
    assert "customers" in second.user_text.partition("It cannot be used")[2]


def test_names_in_chinese_stay_as_the_model_gave_them(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """They once all became `value`, and the table `result`."""
    analysis = {
        **ANALYSIS, "table": "忠实客户月表", "key": ["大区"],
        "columns": [{"name": "大区", "description": "Sales region"}, {"name": "订单数", "description": "Number of orders"}],
    }  # fmt: skip
    package = package_of(
        submit(bench, server, RIGHT.replace("c.region,", "c.region AS 大区,").replace("orders FROM", "订单数 FROM"), analysis=analysis)
    )

    target = package.analysis.target
    assert (target.table, [column.name for column in target.columns], target.key) == ("忠实客户月表", ["大区", "订单数"], ("大区",))
    assert package.state is PackageState.DONE


def test_columns_that_would_be_called_alike_go_back_to_the_model(bench: EmbeddedBench, server: OpenAIServer) -> None:
    before = len(server.heard)
    alike = {**ANALYSIS, "columns": [{"name": "Region", "description": ""}, {"name": "region!", "description": ""}]}

    job = submit(bench, server, RIGHT, analysis=[alike, ANALYSIS])

    assert package_of(job).state is PackageState.DONE
    second = [heard for heard in server.heard[before:] if "You are the analyst" in heard.raw][1]
    assert "several called region" in second.user_text.partition("It cannot be used")[2]


def test_the_prompts_of_a_job_and_of_two_jobs_begin_alike(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """What does not depend on the answer before, nor on the requirement, is the same byte by byte."""
    before = len(server.heard)
    wrong = {**ANALYSIS, "steps": [{"name": "Count", "tables": ["custmers"]}]}
    submit(bench, server, INVENTED, RIGHT, analysis=[wrong, ANALYSIS])
    mark = len(server.heard)
    bench.run_job({"kind": "etl", "requirement": "Build paid: the payments of the dearest", "source": "shop"}, EngineChoice.LLM)

    def prompts(role: str, heard: list[Heard]) -> list[str]:
        return [one.user_text for one in heard if role in one.raw]

    for role in ("You are the analyst", "You write the query"):
        first, second = prompts(role, server.heard[before:mark])[:2]
        assert "# The requirement" in common_beginning(first, second)
        assert "Your last answer" in second.removeprefix(common_beginning(first, second))
    one, other = prompts("You are the analyst", server.heard[before:mark])[0], prompts("You are the analyst", server.heard[mark:])[0]
    tables = one.partition("# Tables\n")[2].partition("<<<END DATA")[0]
    assert tables.count("CREATE TABLE") > 3
    assert common_beginning(one, other).partition("# Tables\n")[2].startswith(tables)


def test_what_the_tables_lack_ends_the_job_with_the_reason(bench: EmbeddedBench, server: OpenAIServer) -> None:
    job = submit(bench, server, RIGHT, analysis={"cannot": "No table has the happiness of anybody."})

    assert job.status is JobStatus.FAILED
    assert "happiness of anybody" in (job.error or "")


def test_the_analyst_is_shown_the_whole_catalogue_and_the_user_s_words(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E5, E13, D13: types, keys, values, the date; the requirement to the letter, and answers with the questions that they answer."""
    unsure = {**ANALYSIS, "ambiguities": [{"question": "Which friends?", "choices": ["all", "new ones"]}]}
    job = submit(bench, server, RIGHT, analysis=[unsure, ANALYSIS])
    assert job.status is JobStatus.WAITING_HUMAN, job.error
    package_of(bench.answer(job.job_id, "the old ones, but not those of Bern"))

    analysts = [heard.user_text for heard in server.heard if "You are the analyst" in heard.raw]
    assert "CREATE TABLE main.orders (" in analysts[-1]
    assert "REFERENCES main.customers (customer_id)" in analysts[-1]
    assert "Now it is " in analysts[-1]
    assert LOYAL in analysts[-1]
    assert "Which friends?" in analysts[-1]
    assert "the old ones, but not those of Bern" in analysts[-1]


def test_all_that_a_model_leaves_to_the_user_is_asked_before_it_reads_the_answers(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """One after another, without a call between them; an assumption is not asked, and nobody is asked the same again."""
    left = [{"question": f"{what}?", "choices": ["yes", "no"]} for what in ("Which friends", "Which regions", "Which year")]
    assumed = {"question": "Which happiness?", "assumed": "That of orders."}
    unsure = {**ANALYSIS, "confidence": 0.5, "ambiguities": [left[0], assumed, *left[1:]]}
    still = {**ANALYSIS, "confidence": 0.5, "ambiguities": [left[0], {"question": "Which orders?"}]}
    before = len(server.heard)
    job = submit(bench, server, RIGHT, analysis=[unsure, still])
    asked_of = list[str]()
    for reply in ("1", "no", "the last one"):
        assert job.status is JobStatus.WAITING_HUMAN, job.error
        text = read_stored(open_questions(bench.database, job.job_id)[0]["payload"]["text"])
        asked_of.append(text if isinstance(text, str) else text_of(text, "en"))
        job = bench.answer(job.job_id, reply)

    assert asked_of == [
        "Which friends? (After this: 2 more questions.)",
        "Which regions? (After this: 1 more question.)",
        "Which year?",
    ]
    package_of(job)
    readings = asked(server, "You are the analyst", before)
    assert len(readings) == 2
    for question, reply in zip(("Which friends?", "Which regions?", "Which year?"), ("1", "no", "the last one"), strict=True):
        assert f"Q: {question}\n1. yes\n2. no\nA: {reply}" in readings[-1]


def test_a_clause_that_names_nothing_goes_back_to_the_model(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """A clause that is dropped in silence is a demand that no review tries."""
    wrong = {**ANALYSIS, "only": [{"table": "custmers", "condition": "region <> 'test'"}], "keeps_all": "nowhere"}
    unknown = {**ANALYSIS, "totals": [{"column": "turnover", "sql": "SELECT 1"}]}
    before = len(server.heard)
    done = submit(bench, server, RIGHT, analysis=[wrong, unknown, {**ANALYSIS, "late_days": 2}])

    assert package_of(done).analysis.target.late_days == 2
    again = asked(server, "It cannot be used", before)
    assert "name tables below, not custmers, nowhere. The nearest: main.customers" in again[0]
    assert "turnover is not among `columns`" in again[1]


@pytest.mark.parametrize("sql", [INVENTED, WRITES, "certainly! here is your query"])
def test_a_query_with_invented_names_or_that_writes_is_refused(bench: EmbeddedBench, server: OpenAIServer, sql: str) -> None:
    job = submit(bench, server, sql)

    assert job.status is JobStatus.FAILED
    assert "package" not in runs(bench, job.job_id)


def test_a_fan_out_goes_back_with_the_rows_that_show_it_before_it_is_delivered(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Remarks: the author gets the rows that show the defect, by trying its own query. The reviewer never sees the wrong one."""
    before = len(server.heard)
    analysis = {**ANALYSIS, "steps": [{"name": "Join", "tables": ["customers", "orders", "payments", "order_items"]}]}
    job = submit(bench, server, FAN_OUT, MENDED, analysis=analysis)

    assert runs(bench, job.job_id).count("script/1") == 1
    assert package_of(job).state is PackageState.DONE
    verdict = [heard for heard in server.heard[before:] if "You write the query" in heard.raw][-1].user_text
    assert "With these rows of" in verdict.partition("What is wrong with it")[2]


def test_a_script_is_tried_once_and_again_only_when_what_its_verdict_rests_on_has_changed(
    bench: EmbeddedBench, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The reviewer takes the verdict of the author's own attempt: a trial takes seconds."""
    tried, moment = list[str](), [datetime.now(UTC)]  # of one day, although midnight may come

    def counted(*given: Any, **more: Any) -> Any:
        tried.append("trial")
        return trying_trial(*given, **more)

    class Clock(datetime):
        @classmethod
        def now(cls, tz: tzinfo | None = None) -> datetime:
            return moment[0]

    trying_trial = trying.trial
    monkeypatch.setattr(trying, "trial", counted)
    monkeypatch.setattr(trying, "datetime", Clock)
    job = submit(bench, server, RIGHT)
    package = package_of(job)

    assert len(tried) == 1
    assert package.reviews[-1].trial is not None
    assert package.reviews[-1].trial.target_rows > 0
    assert package.scripts[0].verdict is None
    replay_stage(bench.database, job.job_id, "development_review")
    package_of(bench.go_on(job.job_id))
    assert len(tried) == 1
    moment[0] += timedelta(days=1)
    replay_stage(bench.database, job.job_id, "development_review")
    package_of(bench.go_on(job.job_id))
    assert len(tried) == 2


def test_an_objection_that_rests_on_a_clause_of_the_analysis_goes_to_the_analyst_with_the_author_s_reply(
    bench: EmbeddedBench, server: OpenAIServer
) -> None:
    """The developer cannot mend a clause that is wrong; nobody is asked, and the script stays."""
    before = len(server.heard)
    wrong = {**ANALYSIS, "totals": [{"column": "orders", "sql": "SELECT COUNT(*) FROM customers"}]}
    reply = "The definition counts customers, and the column counts orders."

    job = submit(bench, server, {"sql": RIGHT, "issues": [reply]}, analysis=[wrong, ANALYSIS])

    assert package_of(job).state is PackageState.DONE
    assert package_of(job).analysis.target.totals == ()
    again = [heard for heard in server.heard[before:] if "You are the analyst" in heard.raw][-1].user_text
    assert "orders of all rows of loyal_customers does not add up to its definition" in again
    assert "With these rows of" in again
    assert f"The author of the script says: {reply}" in again
    assert "totals: orders = SELECT COUNT(*) FROM customers" in again


@pytest.mark.parametrize("analysis", ["not JSON at all", {**ANALYSIS, "steps": [{"name": "Guess", "tables": ["nowhere"]}]}])
def test_without_a_usable_answer_the_human_is_asked(bench: EmbeddedBench, server: OpenAIServer, analysis: dict[str, Any] | str) -> None:
    job = submit(bench, server, RIGHT, analysis=analysis)

    assert job.status is JobStatus.WAITING_HUMAN
    assert runs(bench, job.job_id) == ["analysis"]
    [(_, _, _, payload)] = requests(bench, job.job_id)
    assert "target: loyal_customers" in payload["detail"]["spec"]
    assert "TODO" in payload["detail"]["spec"]


def test_a_closed_form_of_which_every_word_has_a_place_asks_no_model_for_its_reading(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """With `llm` the model reads it all the same."""
    before, request = len(server.heard), {"kind": "etl", "requirement": "Build by_region: number of orders per region", "source": "shop"}
    server.by_prompt = lambda _: good(ANALYSIS)

    assert package_of(bench.run_job(request, EngineChoice.AUTO)).analysis.read_by is Origin.RULES
    assert len(server.heard) == before
    bench.run_job(request, EngineChoice.LLM)
    assert "You are the analyst" in server.heard[before].raw


def test_ambiguities_of_an_unsure_model_are_asked(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Clarify below 0.7 and only with ambiguities; and what has no reading that is plainly the usual one, always."""
    unsure = {**ANALYSIS, "confidence": 0.5, "ambiguities": [{"question": "Which friends?", "choices": ["all", "new ones"]}]}

    assert submit(bench, server, RIGHT, analysis=unsure).status is JobStatus.WAITING_HUMAN
    assert submit(bench, server, RIGHT, analysis={**unsure, "confidence": 0.8}).status is JobStatus.WAITING_HUMAN
    assumed = [{"question": "Which friends?", "choices": ["all", "new ones"], "assumed": "All of them."}]
    done = submit(bench, server, RIGHT, analysis={**unsure, "confidence": 0.8, "ambiguities": assumed})
    assert done.status is JobStatus.SUCCEEDED
    said = [text_of(line, "en") for line in package_of(done).open if not isinstance(line, str)]
    assert "Which friends? Assumed: All of them." in said


@pytest.mark.parametrize(
    ("confidence", "issues", "is_asked"), [(0.79, ["Which orders count?"], True), (0.8, ["Which orders count?"], False), (0.5, [], False)]
)
def test_an_unsure_script_with_issues_is_asked_about_once(
    bench: EmbeddedBench, server: OpenAIServer, confidence: float, issues: list[str], is_asked: bool
) -> None:
    """E4, E18: the developer asks below 0.8, and only where it says what it is not sure of. The answer goes to the analyst, whose target it
    may change: the script never departs from it."""
    job = submit(bench, server, {"sql": RIGHT, "confidence": confidence, "issues": issues})

    assert job.status is (JobStatus.WAITING_HUMAN if is_asked else JobStatus.SUCCEEDED)
    if is_asked:
        assert "development_review" not in runs(bench, job.job_id)
        per_year = {
            **ANALYSIS, "key": ["region", "year"],
            "columns": [*ANALYSIS["columns"], {"name": "year", "description": "Year of the order"}],
        }  # fmt: skip
        answers_with(server, per_year, RIGHT.replace("AS orders", "AS orders, YEAR(o.ordered_at) AS year") + ", year")
        package = package_of(bench.answer(job.job_id, "all orders, per year"))
        assert (package.state, package.analysis.target.key) == (PackageState.DONE, ("region", "year"))
        analyst, author, _reviewer = server.heard[-3:]
        assert "Which orders count?\nA: all orders, per year" in analyst.user_text
        assert "# Your earlier analysis" in analyst.user_text
        assert "all orders, per year" in author.user_text.partition("# The requirement")[2].partition("# The steps")[0]


def test_an_answer_that_is_not_given_to_the_analyst_is_given_to_the_author(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Questions of the last release, which may be open at an upgrade, are for the author alone."""
    job = submit(bench, server, {"sql": RIGHT, "confidence": 0.5, "issues": ["Which orders count?"]})
    bench.database.statement("UPDATE requests SET also = '{}' WHERE job_id = %(job)s", {"job": job.job_id})
    answers_with(server, ANALYSIS, RIGHT)
    before = len(server.heard)

    assert package_of(bench.answer(job.job_id, "all of them")).state is PackageState.DONE
    assert not asked(server, "You are the analyst", before)
    assert "Which orders count?\nA: all of them" in asked(server, "You write the query", before)[-1]


def asked(server: OpenAIServer, words: str, before: int) -> list[str]:
    """The prompts with these words since then."""
    return [heard.user_text for heard in server.heard[before:] if words in heard.raw]


ALL_STATES = "Build loyal_customers: the happiness of our loyal friends per region, without failed orders"
COMPLETED = RIGHT.replace(" GROUP BY", " WHERE o.status <> 'failed' GROUP BY")
FAILED_COUNT = {
    "text": "Failed orders are counted.",
    "phrase": "without failed orders",
    "sql": "SELECT t.region, t.orders FROM loyal_customers t WHERE t.orders > (SELECT COUNT(*) FROM orders o "
    "JOIN customers c ON c.customer_id = o.customer_id WHERE c.region = t.region AND o.status <> 'failed')",
}


def test_a_remark_that_its_query_shows_goes_back_to_the_author_with_the_rows(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """E4: rules first, then a model's remark against words of the requirement, with the rows on which it shows."""
    before = len(server.heard)
    job = submit(bench, server, RIGHT, COMPLETED, remarks=[FAILED_COUNT], requirement=ALL_STATES)

    package = package_of(job)
    assert "failed" in package.scripts[0].sql
    assert runs(bench, job.job_id).count("script/1") == 2
    again = asked(server, "You write the query", before)[-1].partition("# What a reviewer objected")[2]
    assert "Failed orders are counted." in again
    assert "failed" in again.partition("Failed orders are counted.")[2], "the rows that show it"
    assert [issue for issue in package.reviews[-1].warnings if issue.phrase], "what shows nothing any more is a warning"


@pytest.mark.parametrize(
    ("remark", "said"),
    [
        ({**FAILED_COUNT, "sql": ""}, "No query shows it."),
        ({**FAILED_COUNT, "sql": "SELECT 1 FROM loyal_customers WHERE 1 = 0"}, "finds no such row"),
        ({**FAILED_COUNT, "sql": "SELECT COUNT(*) FROM loyal_customers"}, "even where no table has any"),
        ({**FAILED_COUNT, "sql": "SELECT * FROM orders"}, "does not read loyal_customers"),
        ({**FAILED_COUNT, "sql": "DELETE FROM loyal_customers"}, "not a query"),
        ({**FAILED_COUNT, "sql": "SELECT nothing FROM loyal_customers"}, "could not be run"),
    ],
)
def test_a_remark_that_nothing_shows_is_a_warning_and_blocks_nothing(
    bench: EmbeddedBench, server: OpenAIServer, remark: dict[str, Any], said: str
) -> None:
    job = submit(bench, server, RIGHT, remarks=[remark], requirement=ALL_STATES)

    package = package_of(job)
    assert package.state is PackageState.DONE
    assert runs(bench, job.job_id).count("script/1") == 1
    warnings = [text_of(issue.text, "en") for issue in package.reviews[-1].warnings if isinstance(issue.text, Statement)]
    assert any(said in warning and "Failed orders are counted." in warning for warning in warnings), warnings


def test_a_remark_that_quotes_nothing_of_the_requirement_is_dropped(bench: EmbeddedBench, server: OpenAIServer) -> None:
    job = submit(bench, server, RIGHT, remarks=[{**FAILED_COUNT, "phrase": "without cancelled orders"}], requirement=ALL_STATES)

    assert not [issue for issue in package_of(job).reviews[-1].warnings if issue.phrase]


def test_an_author_that_keeps_its_script_in_spite_of_a_remark_is_not_asked_again(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """The remark is shown as a warning: a model's word against a model's, after the rows were seen."""
    before = len(server.heard)
    job = submit(bench, server, RIGHT, remarks=[FAILED_COUNT], requirement=ALL_STATES)

    package = package_of(job)
    assert len(asked(server, "You write the query", before)) == 2
    assert len(asked(server, "You review the scripts", before)) == 1
    warnings = [text_of(issue.text, "en") for issue in package.reviews[-1].warnings if isinstance(issue.text, Statement)]
    assert any("keeps the script" in warning and "Failed orders are counted." in warning for warning in warnings)


def test_a_developer_that_gives_the_same_script_twice_stops(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """No further call is paid: the human says whose work it is, and reads what speaks against the script."""
    before = len(server.heard)
    analysis = {**ANALYSIS, "steps": [{"name": "Join", "tables": ["customers", "orders", "payments", "order_items"]}]}
    job = submit(bench, server, FAN_OUT, analysis=analysis)

    assert job.status is JobStatus.WAITING_HUMAN, job.error
    assert len(asked(server, "You write the query", before)) == 2
    [(_, _, _, payload)] = requests(bench, job.job_id)
    assert "gave the same again" in text_of(Statement.model_validate(payload["text"]), "en")
    assert runs(bench, job.job_id).count("script/1") == 1


def test_a_demand_that_nothing_meets_makes_a_draft_that_names_it(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Each demand of the requirement is met by a part of the query, a column or a setting that code finds, or it is open."""
    analysis = {**ANALYSIS, "todos": ["Per region.", "Orders are counted.", "Rebuilt each time.", "Happiness is shown."]}
    meets = [
        {"demand": 1, "by": "GROUP BY c.region"}, {"demand": 2, "by": "orders"}, {"demand": 3, "by": "mode"},
        {"demand": 4, "by": "happiness_index"}, {"demand": 9, "by": "orders"},
    ]  # fmt: skip
    before = len(server.heard)
    package = package_of(submit(bench, server, {"sql": RIGHT, "meets": meets}, analysis=analysis))

    met = {"Per region.": "GROUP BY c.region", "Orders are counted.": "orders", "Rebuilt each time.": "mode", "Happiness is shown.": ""}
    assert {demand.text: demand.by for demand in package.demands} == met
    assert package.state is PackageState.DRAFT
    assert any("Happiness is shown." in text_of(line, "en") for line in package.open if isinstance(line, Statement))
    readme = next(file.text for file in package.files if file.path == "README.md")
    assert "Happiness is shown." in readme.partition("## Demands of the requirement")[2]
    assert "4. Happiness is shown." in asked(server, "You write the query", before)[-1]
    assert "Happiness is shown." in asked(server, "You review the scripts", before)[-1]


def test_demands_that_are_all_met_leave_a_package_done(bench: EmbeddedBench, server: OpenAIServer) -> None:
    analysis = {**ANALYSIS, "todos": ["Per region."]}
    package = package_of(submit(bench, server, {"sql": RIGHT, "meets": [{"demand": 1, "by": "region"}]}, analysis=analysis))

    assert package.state is PackageState.DONE


def test_the_next_requirement_of_a_session_is_read_with_the_demands_of_the_last(bench: EmbeddedBench, server: OpenAIServer) -> None:
    session = uuid4()
    analysis = {**ANALYSIS, "todos": ["Per region.", "Happiness is shown."]}
    submit(bench, server, {"sql": RIGHT, "meets": [{"demand": 1, "by": "region"}]}, analysis=analysis, session=session)
    before = len(server.heard)
    submit(bench, server, RIGHT, session=session)

    for words in ("You are the analyst", "You write the query", "You review the scripts"):
        shown = asked(server, words, before)[0].partition("# The session so far")[2]
        assert "- Per region. Met by: region" in shown, words
        assert "- Happiness is shown. Open." in shown, words
