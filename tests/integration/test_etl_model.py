"""`etl` with a model on the wire: what it reads or writes is checked like the answers of rules, and is never called done."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from contracts.jobs import EngineChoice, JobStatus
from contracts.pipelines.analysis import Origin
from contracts.pipelines.package import PackageState
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of, runs
from tests.support.openai_server import Heard, OpenAIServer, Say, good, openai_server
from workers.catalogue import offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob
from workers.settings import load_settings

LOYAL = "Build loyal_customers: the happiness of our loyal friends per region"
ANALYSIS: dict[str, Any] = {
    "steps": [
        {"name": "Join customers with their orders", "tables": ["customers", "orders"]},
        {"name": "Count them", "tables": ["secrets"]},
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
        "home": tmp_path_factory.mktemp("home"), "embedding_model": "none", "embeddings": "none", "model": "test-model",
        "model_base_url": server.base_url, "model_retries": 0, "model_timeout_s": 10.0, "max_attempts": 1,
    }  # fmt: skip
    with silent_bench(load_settings().model_copy(update=given), databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def submit(
    bench: EmbeddedBench, server: OpenAIServer, *scripts: str | dict[str, Any], analysis: dict[str, Any] | str = ANALYSIS
) -> FinishedJob:
    """A job whose model gives this analysis and these queries in turn; the last one stays."""
    given = list(scripts)

    def answer(heard: Heard) -> Say:
        if "You write the query" in json.dumps(heard.body, ensure_ascii=False):
            script = given.pop(0) if len(given) > 1 else given[0]
            return good({"sql": script} if isinstance(script, str) else script)
        return Say(analysis) if isinstance(analysis, str) else good(analysis)

    server.by_prompt = answer
    return bench.run_job({"kind": "etl", "requirement": LOYAL, "source": "shop"}, EngineChoice.AUTO)


def test_a_models_reading_is_a_draft_however_well_it_runs(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Wrong-and-shipped is 0: nothing that no rule confirms is called done. A table that the catalogue lacks is dropped."""
    package = package_of(submit(bench, server, RIGHT))

    assert package.state is PackageState.DRAFT
    assert package.analysis.read_by is Origin.MODEL
    assert {table.rpartition(".")[2] for table in package.analysis.tables} == {"customers", "orders"}
    assert package.scripts[0].written_by is Origin.MODEL
    assert package.reviews[-1].passed
    assert len(package.open) >= 2


@pytest.mark.parametrize("sql", [INVENTED, WRITES, "certainly! here is your query"])
def test_a_query_with_invented_names_or_that_writes_is_refused(bench: EmbeddedBench, server: OpenAIServer, sql: str) -> None:
    job = submit(bench, server, sql)

    assert job.status is JobStatus.FAILED
    assert "package" not in runs(bench, job.job_id)


def test_a_fan_out_of_a_model_comes_back_to_it_with_the_remark(bench: EmbeddedBench, server: OpenAIServer) -> None:
    analysis = {**ANALYSIS, "steps": [{"name": "Join", "tables": ["customers", "orders", "payments", "order_items"]}]}
    job = submit(bench, server, FAN_OUT, MENDED, analysis=analysis)

    assert runs(bench, job.job_id).count("script/1") == 2
    assert package_of(job).state is PackageState.DRAFT


@pytest.mark.parametrize("analysis", ["not JSON at all", {**ANALYSIS, "steps": [{"name": "Guess", "tables": ["nowhere"]}]}])
def test_without_a_usable_answer_the_human_is_asked(bench: EmbeddedBench, server: OpenAIServer, analysis: dict[str, Any] | str) -> None:
    job = submit(bench, server, RIGHT, analysis=analysis)

    assert job.status is JobStatus.WAITING_HUMAN
    assert runs(bench, job.job_id) == ["analysis"]


def test_ambiguities_of_an_unsure_model_are_asked(bench: EmbeddedBench, server: OpenAIServer) -> None:
    """Clarify below 0.7 and only with ambiguities."""
    unsure = {**ANALYSIS, "confidence": 0.5, "ambiguities": [{"question": "Which friends?", "choices": ["all", "new ones"]}]}

    assert submit(bench, server, RIGHT, analysis=unsure).status is JobStatus.WAITING_HUMAN
    assert submit(bench, server, RIGHT, analysis={**unsure, "confidence": 0.8}).status is JobStatus.SUCCEEDED


@pytest.mark.parametrize(
    ("confidence", "issues", "is_asked"), [(0.79, ["Which orders count?"], True), (0.8, ["Which orders count?"], False), (0.5, [], False)]
)
def test_an_unsure_script_with_issues_is_asked_about_once(
    bench: EmbeddedBench, server: OpenAIServer, confidence: float, issues: list[str], is_asked: bool
) -> None:
    """E4, E18: the developer asks below 0.8, and only where it says what it is not sure of."""
    job = submit(bench, server, {"sql": RIGHT, "confidence": confidence, "issues": issues})

    assert job.status is (JobStatus.WAITING_HUMAN if is_asked else JobStatus.SUCCEEDED)
    if is_asked:
        assert "development_review" not in runs(bench, job.job_id)
        assert package_of(bench.answer(job.job_id, "all orders")).state is PackageState.DRAFT
        assert "all orders" in json.dumps(server.heard[-1].body, ensure_ascii=False)
