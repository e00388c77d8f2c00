"""The words of a business in `ask`: terms of the catalogue, and values that only the source has."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.ask.results import Queried
from contracts.ask.steps import AskPlan
from contracts.jobs import EngineChoice, JobStatus
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from workers.catalogue import Form, import_path, offer_sample
from workers.evaluation.bench import EmbeddedBench
from workers.settings import load_settings
from workers.sources import Sources


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    settings = load_settings().model_copy(update={"home": tmp_path_factory.mktemp("home"), "embeddings": "none"})
    with silent_bench(settings, databases) as running:
        offer_sample(running.database, running.settings.data_dir)
        yield running


def ask(bench: EmbeddedBench, question: str) -> AskPlan:
    job = bench.run_job({"kind": "ask", "question": question, "source": "shop", "strategy": "direct"}, EngineChoice.RULES)
    assert job.status is JobStatus.SUCCEEDED, job.error
    return AskPlan.model_validate(job.result)


def rows(bench: EmbeddedBench, statement: str) -> list[tuple[object, ...]]:
    return list(Sources(bench.database, bench.settings.data_dir).query("shop", statement, owner="ann").rows)


def queried(plan: AskPlan) -> Queried:
    assert plan.answer is not None
    return next(result for result in plan.answer.results if isinstance(result, Queried))


def test_a_term_of_the_catalogue_is_a_measure(bench: EmbeddedBench, tmp_path: Path) -> None:
    (tmp_path / "terms.yaml").write_text(
        "terms:\n  - {term: ATP, definition: average price of products, synonyms: [平均标签价]}\n", "utf-8"
    )
    import_path(bench.database, None, tmp_path / "terms.yaml", form=Form.TABLES, source="shop")
    right = rows(bench, "SELECT category, avg(price) FROM products GROUP BY 1 ORDER BY 1")

    for question in ("What is the ATP by category?", "各类别的平均标签价是多少？"):
        found = sorted((row[0], round(float(str(row[1])), 4)) for row in queried(ask(bench, question)).rows)
        assert found == [(name, round(float(str(value)), 4)) for name, value in right]


def test_a_name_that_the_catalogue_does_not_list_is_found_in_the_source(bench: EmbeddedBench) -> None:
    name = str(rows(bench, "SELECT name FROM customers ORDER BY customer_id LIMIT 1")[0][0])
    right = rows(bench, f"SELECT count(*) FROM orders JOIN customers USING (customer_id) WHERE name = '{name}'")  # noqa: S608 a name of the sample

    assert queried(ask(bench, f'How many orders of the customer "{name}"?')).rows == tuple(right)


def test_a_value_that_nobody_has_is_asked_about_and_not_queried(bench: EmbeddedBench) -> None:
    question = 'How many orders of the customer "Zzyzx Nobody"?'

    job = bench.run_job({"kind": "ask", "question": question, "source": "shop", "strategy": "direct"}, EngineChoice.RULES)

    assert job.status is JobStatus.WAITING_HUMAN
