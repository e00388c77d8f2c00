"""The fleet over a real RabbitMQ with quorum queues: the same promises as over Redis."""

import hashlib
import json
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import amqp
import pytest

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import own_database, running_fleet
from tests.support.fleet import FleetProcesses
from tests.support.rabbitmq import RabbitMQ, why_not
from tests.support.relay import ROLES
from tests.support.servers import Servers
from workers.app.role_states import set_role_state

pytestmark = [
    pytest.mark.acceptance,
    pytest.mark.skipif(why_not() is not None, reason=why_not() or ""),
]

RELAY = {"kind": "relay"}
JOBS = "bullpen.jobs"
PAUSED = "Canceling queue bullpen.analyst"
"""In a worker's log when it takes no more; `role_paused` stands there a moment before."""


@pytest.fixture(scope="module")
def fleet(rabbitmq: RabbitMQ, servers: Servers, template: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetProcesses]:
    """One fleet for all tests of this file."""
    env = {"BULLPEN_NEWER_MESSAGE_WAIT_S": "1.5"}
    with (
        own_database(servers, template) as url,
        running_fleet(tmp_path_factory.mktemp("amqp"), url, rabbitmq.url, env) as fleet,
    ):
        fleet.start(COORDINATOR, *ROLES)
        yield fleet


class Client:
    """A client that knows AMQP and JSON, and nothing of Celery; `reply` is its own queue."""

    def __init__(self, url: str) -> None:
        host = url.split("@")[1].rstrip("/")
        self._connection = amqp.Connection(host, userid="guest", password="guest", confirm_publish=True)  # noqa: S106
        self._connection.connect()
        self.channel = self._connection.channel()
        self.reply = self.channel.queue_declare(queue="", exclusive=True).queue

    def close(self) -> None:
        self._connection.close()

    def publish(self, body: bytes | str, queue: str = JOBS, **properties: Any) -> None:
        self.channel.basic_publish(amqp.Message(body, delivery_mode=2, **properties), routing_key=queue)

    def submit(self, job: dict[str, Any] | None = None, **properties: Any) -> None:
        self.publish(json.dumps({"job": job or RELAY}), reply_to=self.reply, **properties)

    def answer(self, fleet: FleetProcesses) -> dict[str, Any]:
        """The next answer, waited for; its own correlation id with it."""
        message = fleet.wait_until(lambda: self.channel.basic_get(self.reply, no_ack=True), "an answer arrives")
        answer = json.loads(message.body)
        assert message.properties.get("correlation_id") == answer["correlation_id"]
        return answer

    def length(self, queue: str) -> int:
        return self.channel.queue_declare(queue, passive=True).message_count


@pytest.fixture
def client(rabbitmq: RabbitMQ) -> Iterator[Client]:
    client = Client(rabbitmq.url)
    yield client
    client.close()


def quarantined(fleet: FleetProcesses, mark: str) -> dict[str, Any]:
    find = "SELECT * FROM quarantine WHERE position(%(mark)s::bytea in body) > 0"
    return fleet.wait_until(lambda: fleet.db.row(find, {"mark": mark.encode()}), f"{mark!r} is quarantined")


def test_jobs_end_over_quorum_queues(fleet: FleetProcesses, client: Client):
    """F1, F4: with every queue of the fleet a quorum queue with dead letters."""
    jobs = fleet.submit_many(30) + fleet.submit_many(20, "fan") + [fleet.submit(plan={"first": {"fail": 1}})]

    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
    arguments = {
        "x-queue-type": "quorum",
        "x-delivery-limit": 20,
        "x-dead-letter-exchange": "",
        "x-dead-letter-routing-key": "bullpen.dead",
    }
    arguments |= {"x-dead-letter-strategy": "at-least-once", "x-overflow": "reject-publish"}
    client.channel.queue_declare("bullpen.analyst", durable=True, auto_delete=False, arguments=arguments)  # refused if it were another


def test_a_plain_json_message_becomes_a_job_and_is_answered(fleet: FleetProcesses, client: Client):
    """F4: basic_publish from any language; reply_to and correlation_id are AMQP's own."""
    client.submit(correlation_id="order 8", message_id=uuid4().hex)

    accepted, finished = client.answer(fleet), client.answer(fleet)

    assert (accepted["kind"], accepted["correlation_id"]) == ("submission_accepted", "order 8")
    assert (finished["kind"], finished["status"], finished["job_id"]) == ("job_finished", "succeeded", accepted["job_id"])
    fleet.check_exactly_once(UUID(accepted["job_id"]))


def test_a_producer_answers_what_its_job_asks_by_message(fleet: FleetProcesses, client: Client):
    """F4: nobody needs a shell."""
    client.submit({**RELAY, "plan": {"first": {"ask": 1}}}, correlation_id="dialogue", message_id=uuid4().hex)
    accepted, asks = client.answer(fleet), client.answer(fleet)
    reply = asks["reply_with"]
    reply["answer"]["text"] = "blue"

    client.publish(json.dumps(reply))
    taken, finished = client.answer(fleet), client.answer(fleet)

    assert (asks["kind"], taken["kind"], finished["kind"]) == ("job_asks", "command_taken", "job_finished")
    assert (finished["status"], finished["job_id"]) == ("succeeded", accepted["job_id"])


def test_messages_of_a_newer_version_do_not_hold_up_the_others(fleet: FleetProcesses, client: Client):
    """Each held the intake for a second, again and again."""
    mark = uuid4().hex
    for _ in range(60):
        client.publish(json.dumps({"job": RELAY, "v": 9, "owner": mark}))

    client.submit(correlation_id="behind", message_id=uuid4().hex)
    accepted = client.answer(fleet)

    assert (accepted["kind"], accepted["correlation_id"]) == ("submission_accepted", "behind")
    count = "SELECT count(*) AS n FROM quarantine WHERE cause = 'NewerVersion' AND position(%(mark)s::bytea in body) > 0"
    fleet.wait_until(lambda: fleet.db.row(count, {"mark": mark.encode()}) == {"n": 60}, "all are given up after they have waited")


def test_an_end_waits_for_a_reply_queue_that_is_not_there(fleet: FleetProcesses, client: Client):
    """RabbitMQ takes a message to a queue that does not exist, and drops it, unless it is told to send it back."""
    name, key = f"replies-{uuid4().hex}", uuid4().hex
    client.publish(json.dumps({"job": RELAY, "idempotency_key": key, "reply_to": f"queue:{name}"}))
    job = fleet.wait_until(lambda: fleet.db.row("SELECT id FROM jobs WHERE idempotency_key = %(key)s", {"key": key}), "it is taken")
    fleet.wait_status([job["id"]])
    tried = "SELECT 1 FROM answers WHERE job_id = %(id)s AND body->>'kind' = 'submission_accepted' AND tries > 1 AND sent_at IS NULL"
    fleet.wait_until(lambda: fleet.db.row(tried, job), "it was tried more than once")

    client.channel.queue_declare(name, exclusive=True)
    heard = [fleet.wait_until(lambda: client.channel.basic_get(name, no_ack=True), "an answer comes") for _ in range(2)]
    assert [json.loads(message.body)["kind"] for message in heard] == ["submission_accepted", "job_finished"]


def test_the_same_key_or_message_id_is_the_same_job(fleet: FleetProcesses, client: Client):
    """F4: sent twice by a producer that saw no confirmation."""
    message_id, key = uuid4().hex, uuid4().hex
    client.submit(message_id=message_id)
    client.submit(message_id=message_id)
    for text in ("one", "one", "two"):
        client.publish(json.dumps({"job": {**RELAY, "text": text}, "idempotency_key": key, "reply_to": f"queue:{client.reply}"}))

    answers = [client.answer(fleet) for _ in range(7)]

    accepted = [answer for answer in answers if answer["kind"] == "submission_accepted"]
    assert len(accepted) == 4
    assert len({answer["job_id"] for answer in accepted}) == 2
    assert [answer["existing"] for answer in accepted].count(True) == 2
    assert sum(answer["kind"] == "submission_refused" and key in answer["error"] for answer in answers) == 1


def test_bad_messages_are_quarantined_and_the_consumer_lives_on(fleet: FleetProcesses, client: Client):
    """F2: each with its cause; where it says who sent it, the producer is told."""
    mark = uuid4().hex
    client.publish(f"{mark}-text")
    client.publish(mark.encode() + b'-utf8"\xff')
    client.publish(json.dumps({"job": {**RELAY, "text": f"{mark}-large" + "x" * (2 * 1024 * 1024)}}))
    client.publish(json.dumps({"job": {"kind": f"{mark}-kind"}}), reply_to=client.reply, correlation_id="bad")
    client.publish(json.dumps({"job": RELAY, "v": 9, "owner": f"{mark}-newer"}), reply_to=client.reply, correlation_id="new")
    client.publish(f"{mark}-headers", content_type="application/x-python-serialize", application_headers={"task": "no such thing"})

    names = ("text", "utf8", "large", "kind", "newer", "headers")
    causes = {name: quarantined(fleet, f"{mark}-{name}")["cause"] for name in names}

    assert causes == {
        "text": "NotJson", "utf8": "NotJson", "large": "NotJson", "kind": "InvalidSubmission", "newer": "NewerVersion",
        "headers": "NotJson",
    }  # fmt: skip
    refused = [client.answer(fleet), client.answer(fleet)]
    assert {(answer["kind"], answer["correlation_id"]) for answer in refused} == {
        ("submission_refused", "bad"),
        ("submission_refused", "new"),
    }
    client.submit()
    assert client.answer(fleet)["kind"] == "submission_accepted"


def test_hostile_headers_and_bombs_never_stop_the_intake(fleet: FleetProcesses, client: Client):
    """F2: a `compression` header that names nothing, one over something else, a bomb, and headers that nobody can read."""
    mark, before, held = uuid4().hex, fleet.deaths(), memory_mb(fleet.pid(COORDINATOR))
    plain = json.dumps({"job": RELAY, "owner": mark})
    client.publish(f"{mark}-nonsense {plain}", application_headers={"compression": "nonsense"})
    client.publish(f"{mark}-not-zlib {plain}", application_headers={"compression": "zlib"})
    bomb = zlib.compress(b" " * (600 * 1024 * 1024))
    client.publish(bomb, application_headers={"compression": "zlib"}, message_id=f"{mark}-bomb")
    client.publish(
        json.dumps({"job": RELAY, "v": 9, "owner": f"{mark}-seen"}), application_headers={"x-bullpen-first-seen": "abc"},
        reply_to=client.reply, correlation_id="seen",
    )  # fmt: skip
    client.publish(f"{mark}-table {plain}", application_headers={"n": [1, {"d": 2.5, "t": True}], "x-delivery-count": "many"})
    client.publish(f"{mark}-encoding {plain}".encode(), content_encoding="nonsense", content_type="application/x-nothing")
    client.publish(f"{mark}-large " + "x" * (12 * 1024 * 1024))

    names = ("nonsense", "not-zlib", "seen", "table", "encoding", "large")
    rows = {name: quarantined(fleet, f"{mark}-{name}") for name in names}

    assert {name: row["cause"] for name, row in rows.items()} == {
        "nonsense": "CompressedMessage", "not-zlib": "CompressedMessage", "seen": "NewerVersion", "table": "NotJson",
        "encoding": "NotJson", "large": "NotJson",
    }  # fmt: skip
    assert (rows["large"]["body_size"] > 12 * 1024 * 1024, len(rows["large"]["body"])) == (True, 65_536)
    assert quarantined_hash(fleet, bomb)["cause"] == "CompressedMessage"
    assert client.answer(fleet)["correlation_id"] == "seen"
    client.submit()
    assert client.answer(fleet)["kind"] == "submission_accepted"
    assert fleet.deaths() == before
    assert memory_mb(fleet.pid(COORDINATOR)) - held < 60


def quarantined_hash(fleet: FleetProcesses, body: bytes) -> dict[str, Any]:
    find = "SELECT * FROM quarantine WHERE body_hash = %(hash)s"
    return fleet.wait_until(lambda: fleet.db.row(find, {"hash": hashlib.sha256(body).hexdigest()}), "the bomb is quarantined")


def memory_mb(pid: int) -> float:
    """The most that the process ever held."""
    lines = Path(f"/proc/{pid}/status").read_text("utf-8").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM:")) / 1024


def test_a_message_that_was_delivered_too_often_is_quarantined(fleet: FleetProcesses, client: Client):
    """A dead letter when RabbitMQ counts it so; else by its own count, which a quorum queue puts into a header."""
    mark = uuid4().hex
    client.publish(f"{mark}-often", application_headers={"x-delivery-count": 20})

    assert quarantined(fleet, f"{mark}-often")["cause"] == "DeliveredTooOften"


@pytest.mark.parametrize("header", ["nonsense", "zlib"])
def test_a_compressed_task_message_is_quarantined_unread(fleet: FleetProcesses, client: Client, header: str):
    mark, before = uuid4().hex, fleet.deaths()
    headers = {"lang": "py", "task": "bullpen.analyst", "id": mark, "compression": header}
    client.publish(mark, "bullpen.analyst", content_type="application/json", content_encoding="utf-8", application_headers=headers)
    client.publish(f"{mark}-large" + "x" * (8 << 20), "bullpen.analyst", content_type="application/json", application_headers=headers)

    assert quarantined(fleet, mark)["cause"] == "CompressedMessage"
    assert quarantined(fleet, f"{mark}-large")["cause"] == "MessageTooLarge"
    fleet.wait_status(fleet.submit())
    assert fleet.deaths() == before


def test_a_malformed_task_message_is_quarantined_and_the_worker_lives(fleet: FleetProcesses, client: Client):
    """F2: unknown task, no task, a pickle, a newer version."""
    mark = uuid4().hex
    task = {"lang": "py", "task": "bullpen.analyst", "id": mark}
    embed = {"callbacks": None, "errbacks": None, "chain": None, "chord": None}
    queue = "bullpen.analyst"
    client.publish(f"{mark}-none", queue, content_type="application/json", content_encoding="utf-8")
    client.publish(
        json.dumps([[f"{mark}-unknown"], {}, embed]), queue, content_type="application/json", content_encoding="utf-8",
        application_headers={**task, "task": "bullpen.nothing"},
    )  # fmt: skip
    client.publish(
        f"{mark}-pickle".encode(), queue, content_type="application/x-python-serialize", content_encoding="binary", application_headers=task
    )
    client.publish(
        json.dumps([[{"v": 2, "mark": f"{mark}-newer"}], {}, embed]), queue, content_type="application/json", content_encoding="utf-8",
        application_headers=task,
    )  # fmt: skip

    causes = {name: quarantined(fleet, f"{mark}-{name}")["cause"] for name in ("none", "unknown", "pickle", "newer")}

    assert causes == {"none": "DecodeError", "unknown": "UnknownTask", "pickle": "ContentDisallowed", "newer": "NewerVersion"}
    fleet.wait_status(fleet.submit())
    assert fleet.deaths() == 0


def test_a_worker_killed_in_mid_step_leaves_its_step_to_the_next_one(fleet: FleetProcesses):
    """F7: RabbitMQ delivers at once again; the claim waits for the lease, the job for neither."""
    job_id = fleet.submit(plan={"second": {"deaf_once_s": 120}})
    fleet.wait_step(job_id, "second", "running")
    before = fleet.deaths("developer")

    fleet.kill("developer")
    fleet.wait_status(job_id)

    assert fleet.deaths("developer") == before + 1
    assert fleet.step(job_id, "second")["attempt"] == 2
    fleet.check_exactly_once(job_id)


def test_dead_letters_end_in_quarantine_and_attempts_decide_the_job(fleet: FleetProcesses, client: Client):
    """F7: a message delivered too often, and one refused, are kept; their steps are sent again and done."""
    paused = fleet.log("analyst").count(PAUSED)
    set_role_state(fleet.db, "analyst", "paused")
    fleet.wait_log("analyst", PAUSED, times=paused + 1)
    jobs = fleet.submit_many(2)
    fleet.wait_until(lambda: client.length("bullpen.analyst") == 2, "both messages wait")
    refused = client.channel.basic_get("bullpen.analyst")
    client.channel.basic_reject(refused.delivery_tag, requeue=False)
    deliveries = 0
    while client.length("bullpen.dead") or not any("delivery_limit" in row["cause"] for row in dead(fleet)):
        fleet.supervise()
        again = client.channel.basic_get("bullpen.analyst")
        if again is not None:
            deliveries += 1
            client.channel.basic_reject(again.delivery_tag, requeue=True)
        else:
            time.sleep(0.05)
        assert deliveries < 200

    fleet.wait_until(lambda: {row["cause"] for row in dead(fleet)} >= {"DeadLetter:rejected", "DeadLetter:delivery_limit"}, "both are kept")
    set_role_state(fleet.db, "analyst", "running")
    fleet.wait_status(jobs)

    fleet.check_exactly_once(jobs)
    assert all(row["source"] == "bullpen.analyst" for row in dead(fleet))


def dead(fleet: FleetProcesses) -> list[dict[str, Any]]:
    return fleet.db.statement("SELECT cause, source FROM quarantine WHERE cause LIKE 'DeadLetter%%'")


def test_a_step_that_kills_its_process_at_every_attempt_fails_its_job(fleet: FleetProcesses):
    """F7: attempts, not deliveries, decide."""
    before = fleet.deaths("developer")
    job_id = fleet.submit(plan={"second": {"die": 99}})

    fleet.wait_status(job_id, "failed")

    step = fleet.step(job_id, "second")
    assert (step["attempt"], step["error"]["type"]) == (3, "TookProcessDown")
    fleet.wait_until(lambda: fleet.deaths("developer") >= before + 3, "the deaths have been seen")
    assert fleet.deaths("developer") == before + 3


def test_a_paused_role_takes_nothing_and_goes_on_when_resumed(fleet: FleetProcesses, client: Client):
    """F6: over AMQP the consumer is cancelled and comes back."""
    paused = fleet.log("analyst").count(PAUSED)
    set_role_state(fleet.db, "analyst", "paused")
    fleet.wait_log("analyst", PAUSED, times=paused + 1)
    job_id = fleet.submit()
    fleet.wait_step(job_id, "first", "queued")
    time.sleep(1)
    assert fleet.step(job_id, "first")["status"] == "queued"

    set_role_state(fleet.db, "analyst", "running")

    fleet.wait_status(job_id)


def test_rabbitmq_is_killed_and_comes_back_in_the_middle_of_the_work(fleet: FleetProcesses, rabbitmq: RabbitMQ):
    """F3: connections, the intake and the sweep's look at the queues are made anew."""
    slowly = {stage: {"sleep_s": 0.1} for stage in ("first", "second", "third")}
    pids = fleet.pids()
    jobs = fleet.submit_many(40, plan=slowly)
    done = "SELECT count(*) AS n FROM jobs WHERE status = 'succeeded' AND id = ANY (%(ids)s)"
    fleet.wait_until(lambda: fleet.db.row(done, {"ids": jobs})["n"] >= 5, "some jobs are done")

    rabbitmq.restart()
    fleet.wait_status(jobs, within_s=240)

    fleet.check_exactly_once(jobs)
    assert fleet.pids() == pids, "no process had to be restarted"
    client = Client(rabbitmq.url)
    client.submit()
    assert [client.answer(fleet)["kind"] for _ in range(2)] == ["submission_accepted", "job_finished"]
    client.close()


def test_workers_told_to_stop_end_in_order(fleet: FleetProcesses):
    """F6: SIGTERM; a running step is finished first. The last test of this file."""
    job_id = fleet.submit(plan={"first": {"deaf_s": 1}})
    fleet.wait_step(job_id, "first", "running")

    codes = [fleet.stop(name) for name in ("analyst", "developer", COORDINATOR)]

    assert codes == [0, 0, 0]
    assert fleet.step(job_id, "first")["status"] == "succeeded"
