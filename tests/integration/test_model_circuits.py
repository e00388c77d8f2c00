"""A model's server that hangs or fails: found out soon, left alone by the whole fleet, replaced by another server, and told."""

import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from typer.testing import CliRunner

import tests.support.forecast  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from tests.support.hanging_server import hanging_server
from tests.support.openai_server import OpenAIServer, Say, good, openai_server
from tests.support.spoken import english
from tests.support.weather import RAINY
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.cli.model_check import check_circuits, check_model
from workers.coordinator.intake import accept
from workers.errors import ModelCircuitOpen, ModelUnavailable
from workers.llm.circuits import MOST_FAILURES, FleetCircuits, Gate, read_open
from workers.settings import Settings

Make = Callable[..., ProcessServices]
FIRST_S = 1.0


@pytest.fixture
def hanging() -> Iterator[str]:
    with hanging_server() as url:
        yield url


@pytest.fixture
def other() -> Iterator[OpenAIServer]:
    with openai_server() as running:
        running.will(good(RAINY))
        yield running


@pytest.fixture
def make(database_url: str, broker_url: str) -> Iterator[Make]:
    made: list[ProcessServices] = []

    def services(**more: Any) -> ProcessServices:
        given: dict[str, Any] = {
            "model": "first", "model_timeout_s": 60.0, "model_first_timeout_s": FIRST_S, "model_retries": 2,
            "retry_base_s": 0.01, "retry_max_s": 0.01, **more,
        }  # fmt: skip
        made.append(ProcessServices(Settings(database_url=database_url, broker_url=broker_url, **given)))
        return made[-1]

    yield services
    for each in made:
        each.close()


def run(services: ProcessServices, engine: str = "auto") -> dict[str, Any]:
    submission = SubmitJob(job={"kind": "forecast"}, engine=engine)
    job_id = accept(services.database, submission, owner_cap=10, has_model=True).job_id
    run_all(services)
    row = services.database.row(
        "SELECT j.status AS job, s.engine, s.usage, s.notes FROM jobs j JOIN steps s ON s.job_id = j.id WHERE j.id = %(id)s", {"id": job_id}
    )
    assert row is not None
    return {**row, "notes": row["notes"] or []}


def test_a_hanging_server_costs_one_short_timeout_and_then_nothing(make: Make, hanging: str) -> None:
    """A turn of a diagnosis took 570 s: three tries of 120 s, and the same for the next step, and the next."""
    services = make(model_base_url=hanging, model_timeout_s=3_600.0)

    first = run(services)  # with the full timeout of a call it would take an hour
    second = run(services)

    assert (first["job"], first["engine"], first["usage"]) == ("succeeded", "rules", {"model_calls": 1})
    assert (second["job"], second["engine"], second["usage"]) == ("succeeded", "rules", None), "no call was made at all"
    assert "did not answer in time" in second["notes"][0], "the note says why"


def test_a_fallback_on_another_server_answers_and_the_report_says_why(make: Make, hanging: str, other: OpenAIServer) -> None:
    services = make(
        model_base_url=hanging, model_fallback="test-model", model_api_key="key-of-the-first",
        model_servers={"test-model": other.base_url}, model_keys={"test-model": "key-of-it"},
    )  # fmt: skip

    job = run(services)

    assert (job["job"], job["engine"]) == ("succeeded", "test-model")
    assert "first failed, and test-model answered instead" in job["notes"][0]
    assert "did not answer in time" in job["notes"][0]
    assert [request.headers["authorization"] for request in other.asked] == ["Bearer key-of-it"]


def test_the_common_key_is_not_sent_to_the_server_of_another_model(make: Make, other: OpenAIServer) -> None:
    services = make(model="test-model", model_servers={"test-model": other.base_url}, model_api_key="key-of-the-first")

    assert run(services)["engine"] == "test-model"
    assert "key-of-the-first" not in str([request.headers for request in other.heard])


def test_a_server_that_is_only_slow_is_given_the_full_time(make: Make, other: OpenAIServer) -> None:
    """It answers the look at its models; so the next try waits longer, and from then on all do."""
    other.will(Say(good(RAINY).content, sleep_s=2.5 * FIRST_S))
    services = make(model_base_url=other.base_url)

    first, second = run(services), run(services)

    assert (first["engine"], first["usage"]["model_calls"]) == ("first", 2)
    assert (second["engine"], second["usage"]["model_calls"]) == ("first", 1)
    assert read_open(services.database) == []


def test_doctor_says_which_model_is_not_called_and_why(make: Make, hanging: str) -> None:
    services = make(model_base_url=hanging)
    run(services)

    found = check_circuits(services.settings, services.database)

    assert [check.state for check in found] == ["fail"]
    assert "first at" in english(found[0].finding)
    assert "did not answer in time" in english(found[0].finding)
    assert "BULLPEN_MODEL_FALLBACK" in english(found[0].next_move)


def test_doctor_asks_every_server(make: Make, hanging: str, other: OpenAIServer) -> None:
    services = make(
        model="test-model", model_base_url=other.base_url, model_fallback="far", model_servers={"far": hanging}, model_timeout_s=3.0
    )

    assert {check.state for check in check_model(services.settings)} == {"ok", "fail"}


@pytest.fixture
def circuits(database: Database) -> FleetCircuits:
    return FleetCircuits(database, first_timeout_s=1.0)


BROKEN = ModelUnavailable("Model m at s cannot be reached.")


def fail(circuits: FleetCircuits, error: ModelUnavailable = BROKEN, *, gate: Gate | None = None, is_there: bool = True) -> None:
    circuits.failed("s", "m", error, gate or circuits.enter("s", "m"), lambda: is_there)


def test_failures_in_a_row_open_a_circuit_and_an_answer_between_them_keeps_it_closed(circuits: FleetCircuits) -> None:
    for _ in range(MOST_FAILURES - 1):
        fail(circuits)
    circuits.answered("s", "m")
    for _ in range(MOST_FAILURES):
        fail(circuits)

    with pytest.raises(ModelCircuitOpen, match="cannot be reached") as caught:
        circuits.enter("s", "m")
    assert caught.value.retry_after_s is not None
    circuits.enter("s", "another model of the same server")


def test_one_caller_of_the_fleet_tries_a_half_open_circuit(circuits: FleetCircuits, database: Database) -> None:
    for _ in range(MOST_FAILURES):
        fail(circuits)
    database.statement("UPDATE model_circuits SET open_until = now() - interval '1 second'")
    gates: list[Gate | None] = []

    def enter() -> None:
        try:
            gates.append(circuits.enter("s", "m"))
        except ModelCircuitOpen:
            gates.append(None)

    threads = [threading.Thread(target=enter) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()

    assert sum(gate is not None for gate in gates) == 1


def test_a_trial_that_fails_opens_for_longer_and_one_that_succeeds_closes(circuits: FleetCircuits, database: Database) -> None:
    for _ in range(MOST_FAILURES):
        fail(circuits)
    first_s = read_open(database)[0].wait_s
    database.statement("UPDATE model_circuits SET open_until = now() - interval '1 second'")
    fail(circuits)
    second_s = read_open(database)[0].wait_s
    database.statement("UPDATE model_circuits SET open_until = now() - interval '1 second'")
    circuits.enter("s", "m")
    circuits.answered("s", "m")

    assert second_s > 1.5 * first_s
    assert read_open(database) == []


def test_calls_that_began_before_a_circuit_opened_do_not_prolong_it(circuits: FleetCircuits, database: Database) -> None:
    """Sixteen threads wait for the same hanging server."""
    gates = [circuits.enter("s", "m") for _ in range(16)]
    hung = ModelUnavailable("Model m at s did not answer in time.", timed_out=True)

    for gate in gates:
        fail(circuits, hung, gate=gate, is_there=False)

    assert 0 < read_open(database)[0].wait_s <= 31


def test_a_server_that_asks_for_patience_is_not_set_aside(circuits: FleetCircuits, database: Database) -> None:
    for _ in range(2 * MOST_FAILURES):
        fail(circuits, ModelUnavailable("429", is_busy=True))

    assert read_open(database) == []


def test_submit_takes_budgets_of_tokens_and_dollars(
    make: Make, monkeypatch: pytest.MonkeyPatch, database_url: str, broker_url: str
) -> None:
    from workers.cli import context
    from workers.cli.main import app
    from workers.settings import load_settings

    for name, value in {"DATABASE_URL": database_url, "BROKER_URL": broker_url, "MODEL": "first"}.items():
        monkeypatch.setenv(f"BULLPEN_{name}", value)
    load_settings.cache_clear()
    for cached in (context.settings, context.services, context.database):
        getattr(cached, "cache_clear", lambda: None)()

    done = CliRunner().invoke(app, ["submit", "forecast", "--max-tokens", "5000", "--max-cost", "0.25"])

    load_settings.cache_clear()
    assert done.exit_code == 0, done.output
    assert "no price of first is set" in done.output
    row = make().database.row("SELECT budget FROM jobs ORDER BY id DESC LIMIT 1")
    assert row is not None
    assert row["budget"] == {"tokens": 5000, "cost_usd": 0.25}
