"""`/metrics` over HTTP: what a process counted, and the state of the fleet; off, and closed, unless the operator opens it."""

import re
import urllib.request
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from prometheus_client.parser import text_string_to_metric_families

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from contracts.roles import COORDINATOR
from workers import metrics
from workers.app.in_process import run_all
from workers.app.metrics_server import serve_metrics
from workers.app.queues import JOBS_STREAM
from workers.app.services import ProcessServices
from workers.app.submissions import take_submission
from workers.app.sweep import Sweeper
from workers.coordinator.intake import accept
from workers.local.process import free_port, port_is_free
from workers.settings import Settings

Make = Callable[..., ProcessServices]
Figures = dict[tuple[str, tuple[tuple[str, str], ...]], float]


@pytest.fixture
def make(database_url: str, broker_url: str) -> Iterator[Make]:
    made: list[ProcessServices] = []

    def services(**more: Any) -> ProcessServices:
        made.append(ProcessServices(Settings(**{"database_url": database_url, "broker_url": broker_url, **more})))
        return made[-1]

    yield services
    metrics.switch_off()
    for each in made:
        each.close()


def scrape(port: int | None) -> Figures:
    with urllib.request.urlopen(f"http://127.0.0.1:{port}/metrics", timeout=120) as answer:
        text = answer.read().decode()
    return {
        (sample.name, tuple(sorted(sample.labels.items()))): sample.value
        for family in text_string_to_metric_families(text)
        for sample in family.samples
    }


def test_without_a_port_no_process_listens(make: Make) -> None:
    assert serve_metrics(make(), COORDINATOR) is None
    assert not metrics.is_on()


def test_a_coordinator_serves_its_counts_and_the_state_of_the_fleet(make: Make) -> None:
    services = make(metrics_port=free_port())
    port = serve_metrics(services, COORDINATOR)
    services.redis.xadd(JOBS_STREAM, {"body": "{}"}, id="1000-0")  # a message of 1970 that nobody takes here
    take_submission(services, b'{"job": {"kind": "noop"}}', source="test")
    take_submission(services, b"nonsense", source="test")
    run_all(services)
    accept(services.database, SubmitJob(job={"kind": "noop"}), owner_cap=10)
    Sweeper(services).sweep()

    figures = scrape(port)

    assert figures["bullpen_submissions_total", (("outcome", "accepted"), ("source", "test"))] == 1
    assert figures["bullpen_submissions_total", (("outcome", "refused"), ("source", "test"))] == 1
    assert (
        sum(value for (name, labels), value in figures.items() if name == "bullpen_steps_total" and ("status", "succeeded") in labels) >= 1
    )
    assert figures["bullpen_quarantine_entries", (("source", "test"),)] == 1
    assert figures["bullpen_intake_messages", ()] == 1
    assert figures["bullpen_intake_lag_seconds", ()] > 1e9
    assert figures["bullpen_database_up", ()] == 1
    assert {labels[0][1] for name, labels in figures if name == "bullpen_sweep_lag_seconds"} >= {"leases", "resend", "undecided"}
    assert sum(value for (name, _), value in figures.items() if name == "bullpen_jobs") == 1


def test_a_database_that_is_away_is_a_figure_and_no_error(make: Make) -> None:
    port = serve_metrics(make(metrics_port=free_port(), database_url="postgresql://nobody@127.0.0.1:1/none"), COORDINATOR)

    assert scrape(port)["bullpen_database_up", ()] == 0


def test_workers_of_one_machine_share_the_setting(make: Make) -> None:
    first = free_port()
    ports = [serve_metrics(make(metrics_port=first), "analyst")]
    metrics.switch_off()
    ports.append(serve_metrics(make(metrics_port=first), "reviewer"))

    assert len(set(ports)) == 2
    assert all(port is not None and not port_is_free(port) for port in ports)


def test_no_metric_holds_a_user_s_text(make: Make) -> None:
    services = make(metrics_port=free_port())
    port = serve_metrics(services, COORDINATOR)
    take_submission(services, b'{"job": {"kind": "noop", "description": "password hunter2"}, "owner": "jane.doe"}', source="test")
    run_all(services)

    text = "\n".join(re.sub(r"\W+", " ", str(key)) for key in scrape(port))

    assert "hunter2" not in text
    assert "jane" not in text
