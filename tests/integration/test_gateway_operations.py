"""Long work of the gateway: it begins at once, tells how far it is, and its end is found by any gateway."""

import threading
import time
from collections.abc import Iterator

import pytest
from fastapi.testclient import TestClient

from contracts.access import Scope
from contracts.base import Json
from tests.support.gateway import gateway_over, key_for
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.errors import NotFound
from workers.gateway.background import Operation, State, begin, read_operation, wait_for_end
from workers.operations.base import Tell


@pytest.fixture
def client(services: ProcessServices) -> Iterator[TestClient]:
    with gateway_over(ProcessServices(services.settings)) as found:
        yield found


def ended(db: Database, found: Operation) -> Operation:
    give_up_at = time.monotonic() + 120
    while found.state is State.RUNNING:
        assert time.monotonic() < give_up_at
        time.sleep(0.05)
        found = read_operation(db, found.id, "en")
    wait_for_end(60)
    return found


@pytest.mark.parametrize(
    ("path", "part"), [("/v1/history/reindex", "tickets"), ("/v1/catalogue/reindex", "nodes"), ("/v1/reindex/skills", "packs")]
)
def test_a_reindex_is_answered_at_once_and_its_result_is_found_by_its_id(
    client: TestClient, services: ProcessServices, path: str, part: str
) -> None:
    admin = key_for(services.database, "ops", Scope.ADMIN)

    begun = client.post(path, headers=admin)

    assert begun.status_code == 202
    ended(services.database, Operation.model_validate(begun.json()))
    found = client.get(f"/v1/operations/{begun.json()['id']}", headers=admin).json()
    assert (found["state"], found["error"]) == ("done", None)
    assert part in found["result"]
    assert client.get(f"/v1/operations/{begun.json()['id']}", headers=key_for(services.database, "shop")).status_code == 403


def test_the_same_work_runs_once_and_tells_how_far_it_is(database: Database) -> None:
    go_on = threading.Event()

    def work(tell: Tell) -> Json:
        tell("Vectors", 3, 10)
        assert go_on.wait(120)
        return {"did": 1}

    first, second = begin(database, "work", work), begin(database, "work", work)
    while (seen := read_operation(database, first, "en")).doing is None:
        time.sleep(0.05)

    assert first == second
    assert (seen.state, seen.doing, seen.done, seen.total) == (State.RUNNING, "Vectors", 3, 10)
    go_on.set()
    assert ended(database, seen).result == {"did": 1}
    third = begin(database, "work", work)
    assert third != first
    ended(database, read_operation(database, third, "en"))


def test_work_that_fails_says_why_and_work_whose_gateway_ended_is_over(database: Database) -> None:
    def fail(_: Tell) -> Json:
        raise NotFound("There is no such thing.")

    failed = ended(database, read_operation(database, begin(database, "work", fail), "en"))
    assert (failed.state, failed.error) == (State.FAILED, "There is no such thing.")

    database.statement("INSERT INTO operations (id, what, state) VALUES (gen_random_uuid(), 'work', 'running')")
    database.statement("UPDATE operations SET beat_at = now() - interval '2 minutes' WHERE state = 'running'")
    row = database.row("SELECT id FROM operations WHERE state = 'running'")
    assert row is not None
    lost = read_operation(database, row["id"], "zh")
    assert lost.state is State.FAILED
    assert "网关" in (lost.error or "")
    again = begin(database, "work", lambda _: {})
    assert again != row["id"]
    assert ended(database, read_operation(database, again, "en")).state is State.DONE
