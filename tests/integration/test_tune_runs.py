"""A `tune` job over a folder of many runs, and over a history server: the overview, and the report on one of them."""

import shutil
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path

import pytest

from contracts.jobs import EngineChoice, SubmitJob
from contracts.tune.runs import RunsCompared
from tests.support.file_server import file_server
from tests.support.history_server import history_answers
from tests.support.said import kept, said
from tests.support.slower_run import slower_run
from tests.support.tune_counts import counted
from tests.support.tune_jobs import SAMPLES, own_services, report_of, tune
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.coordinator.intake import accept
from workers.kinds.base import ShowOptions
from workers.kinds.tune.view import show_result
from workers.saying.document import texts_in

FIXTURES = Path(__file__).parents[1] / "bench" / "spark_pairs" / "fixtures"
DAY_MS = timedelta(days=1) // timedelta(milliseconds=1)


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    with own_services(database_url, broker_url, tmp_path) as made:
        yield made


@pytest.fixture
def days(tmp_path: Path) -> Path:
    """Two days of a job in folders of their own, and the one run of another."""
    folder = tmp_path / "days"
    for number, times in enumerate((1.0, 3.0), start=1):
        log = slower_run(
            FIXTURES / "skewed_join.zstd",
            folder / f"join-{number}" / "eventlog",
            times=times,
            later_ms=number * DAY_MS,
            app_id=f"app-{number}",
        )
        shutil.copy(SAMPLES / "spark_skew" / "nightly_engagement.py", log.with_name(f"join_{number}.py"))
    shutil.copy(FIXTURES / "tiny_tasks.zstd", folder / "tiny.zstd")
    return folder


def test_the_runs_of_a_folder_are_compared_and_the_worst_is_reported(services: ProcessServices, days: Path) -> None:
    report = report_of(services, tune(services, [days]))

    assert [run.app_id for run in report.runs.runs][:2] == ["app-2", "app-1"]
    assert len(report.runs.runs) == 3
    assert [(job.before, job.after) for job in report.runs.slower] == [("join-1/eventlog", "join-2/eventlog")]
    assert {artefact.name for artefact in report.read} == {"join-2/eventlog", "join-2/join_2.py"}
    document = show_result(report.to_json(), ShowOptions())
    assert document is not None
    texts = [said(text) for text in texts_in(document)]
    assert "3 runs, the worst first" in texts
    assert any(text.startswith("The run in detail: skewed_join before (app-2)") for text in texts)


def test_the_request_may_name_another_run(services: ProcessServices, days: Path) -> None:
    report = report_of(services, tune(services, [days], run="app-1"))

    assert report.runs.chosen == "join-1/eventlog"
    assert {artefact.name for artefact in report.read} == {"join-1/eventlog", "join-1/join_1.py"}


def test_a_run_that_is_not_there_ends_the_job_with_those_that_are(services: ProcessServices, days: Path) -> None:
    job_id = tune(services, [days], run="app-9")

    row = services.database.row("SELECT status, error FROM jobs WHERE id = %(id)s", {"id": job_id})
    assert row is not None
    assert row["status"] == "failed"
    assert "app-1" in kept(row["error"])
    assert "app-2" in kept(row["error"])


def test_logs_beyond_what_is_compared_are_named(services: ProcessServices, days: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("workers.kinds.tune.roles.runs.MOST_RUNS", 2)

    report = report_of(services, tune(services, [days]))

    assert len(report.runs.runs) == 2
    assert [said(run.problem).split(":")[0] for run in report.runs.unread] == ["It was not read"]


def test_a_bundle_with_one_log_has_nothing_to_compare_and_no_step_that_does(services: ProcessServices) -> None:
    with counted() as count:
        report = report_of(services, tune(services, [SAMPLES / "spark_skew"]))

    assert report.runs == RunsCompared()
    assert [step.stage for step in count.steps[1:]][:2] == ["bundle", "classification"]


def test_the_url_of_a_history_server_is_the_input_of_a_job(database_url: str, broker_url: str, tmp_path: Path) -> None:
    with file_server() as server:
        server.answers = history_answers([FIXTURES / "skewed_join.zstd", FIXTURES / "tiny_tasks.zstd"])
        with own_services(database_url, broker_url, tmp_path, bundle_urls=(server.url("/"),)) as services:
            submitted = SubmitJob(job={"kind": "tune", "bundle": server.url("/")}, engine=EngineChoice.RULES)
            job_id = accept(services.database, submitted, owner_cap=100, has_model=False).job_id
            run_all(services)
            report = report_of(services, job_id)

    assert [run.app_name for run in report.runs.runs] == ["skewed_join before", "tiny_tasks before"]
    assert report.read[0].name.endswith("skewed_join.zstd")
