"""Scripts of `etl` jobs planned by the source itself, a real Postgres and a DuckDB file: it reads no row, and what it refuses is mended or
asked about."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from contracts.jobs import EngineChoice, JobStatus
from contracts.pipelines.package import EtlPackage, PackageState
from contracts.pipelines.review import ReviewResult
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialCheck
from contracts.sources import Lock, Source, SourceKind, SourcePolicy, Verdict
from tests.support.benches import silent_bench
from tests.support.databases import Databases
from tests.support.etl_jobs import package_of
from tests.support.servers import Servers
from tests.support.sources import Shop, duckdb_shop, postgres_shop
from workers.catalogue import import_source
from workers.coordinator.replay import replay_stage
from workers.evaluation.bench import EmbeddedBench
from workers.kinds.base import FinishedJob, ShowOptions
from workers.kinds.etl.view import show_result
from workers.saying.terminal import to_lines
from workers.settings import load_settings
from workers.sources import add_source, list_executions, set_policy

REGIONS = """\
target: region_totals
grain: [region]
sql: SELECT region, COUNT(*) AS orders, SUM(total) AS total FROM orders GROUP BY region
"""
AVERAGE = "SELECT region, COUNT(*) AS orders, ROUND(SUM(total) / CAST(1 AS DOUBLE PRECISION), 2) AS total FROM orders GROUP BY region"
"""The sandbox rounds such a number; Postgres has no function that does."""


@pytest.fixture(scope="module", params=["postgres", "duckdb"])
def shop(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, servers: Servers) -> Iterator[Shop]:
    with postgres_shop(servers) if request.param == "postgres" else duckdb_shop(tmp_path_factory.mktemp("shop")) as found:
        yield found


@pytest.fixture(scope="module")
def bench(shop: Shop, tmp_path_factory: pytest.TempPathFactory, databases: Databases) -> Iterator[EmbeddedBench]:
    home = tmp_path_factory.mktemp("home")
    settings = load_settings().model_copy(update={"home": home, "embeddings": "none"})
    with pytest.MonkeyPatch.context() as patched, silent_bench(settings, databases) as running:
        patched.setenv("BULLPEN_SOURCE_SALES_URL", shop.url)
        folder = running.settings.data_dir
        add_source(running.database, folder, Source(name="sales", kind=shop.kind))
        import_source(running.database, running.embedder, folder, "sales")
        yield running


def submit(bench: EmbeddedBench, **fields: object) -> FinishedJob:
    return bench.run_job({"kind": "etl", "spec": REGIONS, "source": "sales", **fields}, EngineChoice.RULES)


@pytest.fixture(scope="module")
def regions(bench: EmbeddedBench) -> FinishedJob:
    return submit(bench)


def planned(package: EtlPackage) -> TrialCheck:
    trial = package.reviews[-1].trial
    assert trial is not None
    return next(check for check in trial.checks if check.kind is CheckKind.SOURCE)


def printed(job: FinishedJob, language: str, width: int) -> str:
    document = show_result(job.result or {}, ShowOptions())
    assert document is not None
    return "\n".join(line.plain for line in to_lines(document, language, width))


def test_the_source_plans_the_scripts_of_a_job_and_reads_no_row(bench: EmbeddedBench, shop: Shop, regions: FinishedJob) -> None:
    package = package_of(regions)
    readme = next(file.text for file in package.files if file.path == "README.md")

    assert package.state is PackageState.DONE
    assert planned(package).status is CheckStatus.PASSED
    assert f"sales ({shop.kind}) plans the one query of the scripts." in readme
    executions = list_executions(bench.database, job_id=regions.job_id)
    assert [row.statement.startswith("EXPLAIN SELECT") for row in executions] == [True]
    assert [lock.verdict for lock in executions[0].locks] == [Verdict.PASSED] * len(Lock)
    assert executions[0].rows is None


@pytest.mark.parametrize("width", [80, 200])
@pytest.mark.parametrize(("language", "text"), [("en", "planned by the source"), ("zh", "数据源执行计划")])
def test_the_outcome_is_in_the_package_as_it_is_read(regions: FinishedJob, language: str, text: str, width: int) -> None:
    lines = printed(regions, language, width)

    assert text in lines
    assert "sales" in lines
    assert "etl." not in lines


def test_what_the_source_refuses_is_a_remark_though_the_sandbox_runs_it(bench: EmbeddedBench, shop: Shop) -> None:
    """Postgres has no ROUND(double precision, integer): the developer's next script takes the place of the edit."""
    if shop.kind is not SourceKind.POSTGRES:
        pytest.skip("DuckDB is the sandbox's engine too")
    job = submit(bench)
    replay_stage(bench.database, job.job_id, "script/1", edit={"sql": AVERAGE})

    ended = bench.go_on(job.job_id)

    rows = bench.database.statement(
        "SELECT content FROM deliverables WHERE job_id = %(id)s AND stage = 'development_review' ORDER BY version", {"id": job.job_id}
    )
    trial = ReviewResult.model_validate(rows[1]["content"]).trial
    assert trial is not None
    assert [check.kind for check in trial.failures] == [CheckKind.SOURCE]
    assert "round(double precision, integer) does not exist" in str(trial.failures[0].text)
    assert package_of(ended).state is PackageState.DONE
    assert "ROUND" not in package_of(ended).scripts[0].sql


def test_scripts_for_another_engine_are_said_not_to_have_been_tried_at_the_source(bench: EmbeddedBench, shop: Shop) -> None:
    package = package_of(submit(bench, dialect="spark", form="sql"))

    assert planned(package).status is CheckStatus.NOT_TRIED
    assert package.open
    assert list_executions(bench.database, job_id=None) is not None


def test_a_policy_binds_the_dry_run_as_it_binds_a_query(bench: EmbeddedBench) -> None:
    """The owner of the job may see some rows only, and the statement that is planned holds the restriction."""
    set_policy(bench.database, bench.settings.data_dir, "sales", SourcePolicy(owner="*", table="orders", predicate="region = 'EU'"))

    job = submit(bench)

    [row] = list_executions(bench.database, job_id=job.job_id)
    assert [lock.verdict for lock in row.locks if lock.lock is Lock.POLICIES] == [Verdict.REWRITTEN]
    assert planned(package_of(job)).status is CheckStatus.PASSED


def test_a_source_that_does_not_answer_leaves_the_job_done_and_the_outcome_said(
    bench: EmbeddedBench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("BULLPEN_SOURCE_SALES_URL")

    job = submit(bench)

    assert job.status is JobStatus.SUCCEEDED
    assert planned(package_of(job)).status is CheckStatus.NOT_TRIED
    assert any("source_not_taken" in str(item) for item in package_of(job).open)
