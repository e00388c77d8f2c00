"""One worker process: light without a model, JSON only, and not to be stopped by any message."""

import json
import pickle
import subprocess
import sys
import time
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from redis import Redis

from contracts.roles import COORDINATOR, RoleName
from tests.acceptance.conftest import own_database, running_fleet
from tests.support.fleet import ROOT, FleetProcesses
from tests.support.relay import ROLES
from tests.support.servers import Servers

pytestmark = pytest.mark.acceptance

QUEUE = "bullpen.analyst"
IMPORT_ALL = """
import sys
from contracts.roles import RoleName
from workers.app import worker
from importlib import import_module
from workers.kinds.registry import load_kinds
from workers.roles.registry import task_modules
load_kinds()
for module in task_modules():
    import_module(module)
models = {"langchain", "langchain_core", "langchain_openai", "openai", "langgraph"}
heavy = sorted({name.partition(".")[0] for name in sys.modules} & models)
print(",".join(heavy))
"""


def test_a_worker_without_a_model_never_imports_langchain():
    """F6: its process starts fast and stays small; a model's libraries are loaded where a model is configured."""
    done = subprocess.run(
        [sys.executable, "-c", IMPORT_ALL],
        capture_output=True,
        text=True,
        cwd=ROOT,
        timeout=180,
        check=False,
        env={"PYTHONPATH": str(ROOT)},
    )

    assert (done.returncode, done.stdout.strip()) == (0, ""), done.stderr


@pytest.fixture(scope="module")
def fleet(servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetProcesses]:
    servers.flush_broker()
    with (
        own_database(servers, template) as url,
        running_fleet(tmp_path_factory.mktemp("worker"), url, servers.valkey.url, {"BULLPEN_NEWER_MESSAGE_WAIT_S": "1.5"}) as fleet,
    ):
        fleet.start(COORDINATOR, *ROLES)
        yield fleet


def envelope(body: str, headers: dict[str, Any] | None, **more: Any) -> str:
    """What kombu's Redis transport puts into a queue."""
    properties = {
        "delivery_tag": str(uuid4()),
        "delivery_info": {"exchange": "", "routing_key": QUEUE},
        "correlation_id": str(uuid4()),
    }
    message = {"body": body, "content-type": "application/json", "content-encoding": "utf-8", "headers": headers, "properties": properties}
    return json.dumps({**message, **more})


def task_headers(task: str = QUEUE) -> dict[str, Any]:
    return {"lang": "py", "task": task, "id": str(uuid4()), "argsrepr": "", "kwargsrepr": ""}


def arguments(*args: Any) -> str:
    return json.dumps([args, {}, {"callbacks": None, "errbacks": None, "chain": None, "chord": None}])


def push(fleet: FleetProcesses, *messages: str) -> None:
    with Redis.from_url(fleet.settings.broker_url or "") as client:
        client.lpush(QUEUE, *messages)


def quarantined(fleet: FleetProcesses, mark: str) -> dict[str, Any]:
    find = "SELECT cause, source, message FROM quarantine WHERE position(%(mark)s::bytea in body) > 0 OR position(%(text)s in message) > 0"
    return fleet.wait_until(lambda: fleet.db.row(find, {"mark": mark.encode(), "text": mark}), f"{mark!r} is quarantined")


def works_on(fleet: FleetProcesses) -> None:
    """The fleet still does its work, and no process had to be replaced."""
    job_id = fleet.submit()
    fleet.wait_status(job_id)
    fleet.check_exactly_once(job_id)
    assert fleet.deaths() == 0


def test_a_pickled_message_is_refused_unread(fleet: FleetProcesses, tmp_path: Any):
    """F2: whoever can write to the broker must not run code in a worker."""
    proof = tmp_path / "unpickled"

    class Attack:
        def __reduce__(self) -> Any:
            return (open, (str(proof), "w"))

    fleet.services.celery.send_task(QUEUE, args=(1,), queue=QUEUE)  # an argument that is no message, through the front door
    import base64

    body = base64.b64encode(pickle.dumps(((Attack(),), {}, {}))).decode()
    headers = task_headers()
    push(fleet, envelope(body, headers, **{"content-type": "application/x-python-serialize", "content-encoding": "binary"}))

    works_on(fleet)
    assert not proof.exists()
    cause = fleet.wait_until(
        lambda: fleet.db.row("SELECT cause FROM quarantine WHERE cause LIKE '%%ContentDisallowed%%'"), "the pickle is quarantined"
    )
    assert cause


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("unknown task", "UnknownTask"),
        ("no task", "NoTask"),
        ("body not json", "DecodeError"),
        ("arguments not a list", None),
        ("no message", "ValidationError"),
        ("wrong ids", "ValidationError"),
        ("not an object", "ValueError"),
        ("newer version", "NewerVersion"),
    ],
)
def test_a_malformed_task_message_is_quarantined_and_the_worker_lives(fleet: FleetProcesses, name: str, cause: str | None):
    """F2: nothing is dropped silently, nothing crashes a consumer."""
    mark = uuid4().hex
    message = {
        "unknown task": lambda: envelope(arguments(mark), task_headers(f"bullpen.{mark}")),
        "no task": lambda: envelope(json.dumps({"mark": mark}), {}),
        "body not json": lambda: envelope("{" + mark, task_headers()),
        "arguments not a list": lambda: envelope(json.dumps({"mark": mark}), task_headers()),
        "no message": lambda: envelope(arguments({"mark": mark}), task_headers()),
        "wrong ids": lambda: envelope(arguments({"kind": "run_step", "job_id": mark, "step_id": "7", "stage": "x"}), task_headers()),
        "not an object": lambda: envelope(arguments([mark]), task_headers()),
        "newer version": lambda: envelope(arguments({"v": 2, "mark": mark}), task_headers()),
    }[name]()

    push(fleet, message)

    works_on(fleet)
    if cause is None:
        fleet.wait_until(lambda: "raised unexpected" in fleet.log("analyst") or quarantine_has(fleet, mark), "it is told of")
        return
    entry = quarantined(fleet, mark)
    assert entry["cause"] == cause
    assert entry["source"] == QUEUE


def quarantine_has(fleet: FleetProcesses, mark: str) -> bool:
    return bool(fleet.db.statement("SELECT 1 FROM quarantine WHERE position(%(mark)s::bytea in body) > 0", {"mark": mark.encode()}))


@pytest.mark.parametrize("raw", ["no json at all", '{"job": {"kind": "relay"}}', "[]", "7", "{}"])
def test_what_is_no_envelope_in_a_role_queue_does_not_end_the_worker(fleet: FleetProcesses, raw: str):
    """F2: an outsider who writes to a Celery queue by mistake."""
    push(fleet, raw)

    works_on(fleet)


@pytest.mark.parametrize(
    ("name", "cause"),
    [
        ("deep envelope", "RecursionError"),
        ("deep body", None),
        ("not an envelope", "KeyError"),
        ("compression nonsense", "CompressedMessage"),
        ("compression zlib", "CompressedMessage"),
        ("headers a list", "AttributeError"),
        ("too large", "MessageTooLarge"),
    ],
)
def test_hostile_text_in_a_role_queue_is_quarantined_and_its_worker_lives(fleet: FleetProcesses, name: str, cause: str | None):
    """F2: deeply nested text ended the worker, once a message; a compressed one could grow a thousandfold."""
    mark = uuid4().hex
    deep = "[" * 100_000
    text = {
        "deep envelope": lambda: f'{{"{mark}": {deep}',
        "deep body": lambda: envelope(f'[["{mark}"], {deep}', task_headers()),
        "not an envelope": lambda: json.dumps({"job": {"kind": "relay"}, "mark": mark}),
        "compression nonsense": lambda: envelope(arguments(mark), {**task_headers(), "compression": "nonsense"}),
        "compression zlib": lambda: envelope(arguments(mark), {**task_headers(), "compression": "zlib"}),
        "headers a list": lambda: envelope(arguments(mark), [mark]),  # type: ignore[arg-type]
        "too large": lambda: envelope(arguments(mark + "x" * (5 << 20)), task_headers()),
    }[name]()

    push(fleet, text)

    entry = quarantined(fleet, mark)
    assert entry["source"] == QUEUE
    if cause is not None:
        assert entry["cause"] == cause
    works_on(fleet)


def test_a_compressed_or_deep_submission_by_celery_is_quarantined(fleet: FleetProcesses):
    """The coordinator's queue takes `bullpen.submit` from any Celery program."""
    queue = f"bullpen.{COORDINATOR}"
    marks = [uuid4().hex for _ in range(3)]
    nested: Any = marks[2]
    for _ in range(400):
        nested = [nested]
    with Redis.from_url(fleet.settings.broker_url or "") as client:
        for mark, compression, body in (
            (marks[0], "nonsense", {"job": {}}),
            (marks[1], "zlib", {"job": {}}),
            (marks[2], None, {"job": nested}),
        ):
            headers = {**task_headers("bullpen.submit"), "id": mark, **({"compression": compression} if compression else {})}
            client.lpush(queue, envelope(arguments({**body, "owner": mark}), headers))

    causes = [quarantined(fleet, mark)["cause"] for mark in marks]

    assert causes == ["CompressedMessage", "CompressedMessage", "NotJson"]
    works_on(fleet)


def test_messages_of_a_newer_release_do_not_keep_others_waiting(fleet: FleetProcesses):
    """F2: a rolling deploy: many more of them than the worker has slots, each of which a message held for a second."""
    count = 600
    newer = [envelope(arguments({"v": 2, "kind": "run_step", "at": time.time(), "n": n}), task_headers()) for n in range(count)]

    push(fleet, *newer)
    works_on(fleet)

    kept = "SELECT count(*) AS n FROM quarantine WHERE cause = 'NewerVersion' AND source = %(queue)s"
    fleet.wait_until(lambda: fleet.db.row(kept, {"queue": QUEUE})["n"] >= count, "in the end they are quarantined")


def test_every_role_has_a_queue_and_a_task_of_its_own(fleet: FleetProcesses):
    """F1: a worker of a role has that role's task, and no other."""
    names = {role: f"bullpen.{role}" for role in (*RoleName, COORDINATOR)}
    assert len(set(names.values())) == 9

    found: Any = None

    def inspected() -> Any:
        nonlocal found
        found = fleet.services.celery.control.inspect(timeout=2).registered()
        return found and len(found) == 3

    fleet.wait_until(inspected, "three workers answer")
    tasks = {name.partition("@")[0]: sorted(task.split(" ")[0] for task in tasks) for name, tasks in found.items()}
    assert tasks == {
        "coordinator": ["bullpen.coordinator", "bullpen.submit"],
        "analyst": ["bullpen.analyst"],
        "developer": ["bullpen.developer"],
    }
