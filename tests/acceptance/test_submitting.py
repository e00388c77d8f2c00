"""Jobs from any language over a Redis stream: each answered, each end announced, the bad ones quarantined with their cause."""

import base64
import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

import pytest
from redis import Redis

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import own_database, running_fleet
from tests.support.fleet import FleetProcesses
from tests.support.relay import ROLES
from tests.support.servers import Servers
from tests.support.webhooks import Hook, serving, takes

pytestmark = pytest.mark.acceptance

STREAM = "bullpen:jobs"
RELAY = {"kind": "relay"}
WAIT_NEWER = "1"


@pytest.fixture(scope="module")
def hook() -> Iterator[Hook]:
    """A webhook that this file's fleet may post to."""
    with serving(takes) as hook:
        yield hook


@pytest.fixture(scope="module")
def fleet(servers: Servers, template: str, hook: Hook, tmp_path_factory: pytest.TempPathFactory) -> Iterator[FleetProcesses]:
    """One fleet for all tests of this file."""
    servers.flush_broker()
    env = {"BULLPEN_WEBHOOK_URLS": hook.prefix, "BULLPEN_WEBHOOK_NETWORKS": "127.0.0.1", "BULLPEN_NEWER_MESSAGE_WAIT_S": WAIT_NEWER}
    with (
        own_database(servers, template) as url,
        running_fleet(tmp_path_factory.mktemp("submitting"), url, servers.valkey.url, env) as fleet,
    ):
        fleet.start(COORDINATOR, *ROLES)
        yield fleet


class Producer:
    """A client that knows Redis and JSON, and nothing of Celery."""

    def __init__(self, fleet: FleetProcesses) -> None:
        self._fleet = fleet
        self.redis = Redis.from_url(fleet.settings.broker_url or "", decode_responses=True)
        self.reply = f"bullpen:replies:{uuid4().hex[:8]}"

    def send(self, body: bytes | str | dict[str, Any]) -> None:
        self.redis.xadd(STREAM, {"body": json.dumps(body) if isinstance(body, dict) else body})

    def submit(self, job: dict[str, Any] | None = None, **more: Any) -> None:
        self.send({"job": job or RELAY, "reply_to": f"stream:{self.reply}", **more})

    def answers(self, count: int) -> list[dict[str, Any]]:
        """The first answers, waited for."""
        self._fleet.wait_until(lambda: self.redis.xlen(self.reply) >= count, f"{count} answers on {self.reply}")
        return [json.loads(fields["body"]) for _, fields in self.redis.xrange(self.reply)]


@pytest.fixture
def producer(fleet: FleetProcesses) -> Iterator[Producer]:
    producer = Producer(fleet)
    yield producer
    producer.redis.close()


def quarantined(fleet: FleetProcesses, text: str) -> dict[str, Any]:
    """The entry whose body contains this text, waited for."""
    find = "SELECT * FROM quarantine WHERE position(%(text)s::bytea in body) > 0"
    return fleet.wait_until(lambda: fleet.db.row(find, {"text": text.encode()}), f"{text!r} is quarantined")


def test_a_job_over_the_stream_is_accepted_and_its_end_announced(fleet: FleetProcesses, producer: Producer):
    """F4: every submission is answered, every end announced, by correlation id."""
    producer.submit(correlation_id="order 7 – ü")

    accepted, finished = producer.answers(2)

    assert (accepted["kind"], accepted["existing"], accepted["correlation_id"]) == ("submission_accepted", False, "order 7 – ü")
    assert (finished["kind"], finished["status"], finished["correlation_id"]) == ("job_finished", "succeeded", "order 7 – ü")
    assert finished["job_id"] == accepted["job_id"]
    assert finished["result"]["stage"] == "third"
    fleet.check_exactly_once(UUID(accepted["job_id"]))
    fleet.wait_until(lambda: producer.redis.xlen(STREAM) == 0, "what is done with leaves the stream")


def test_a_job_that_fails_is_announced_with_its_error(producer: Producer):
    """F4: the end is told whatever it is."""
    producer.submit({**RELAY, "plan": {"first": {"break": True}}})

    finished = producer.answers(2)[1]

    assert (finished["status"], finished["result"]) == ("failed", None)
    assert "broken as ordered" in finished["error"]


def test_the_same_key_is_the_same_job_and_another_body_is_refused(fleet: FleetProcesses, producer: Producer):
    """F4: the idempotency key."""
    key = uuid4().hex
    producer.submit({**RELAY, "text": "one"}, idempotency_key=key)
    first = producer.answers(1)[0]
    fleet.wait_status(UUID(first["job_id"]))
    producer.answers(2)

    producer.submit({**RELAY, "text": "one"}, idempotency_key=key)
    same = producer.answers(3)[2]
    producer.submit({**RELAY, "text": "two"}, idempotency_key=key)
    other = producer.answers(4)[3]

    assert (same["kind"], same["job_id"], same["existing"]) == ("submission_accepted", first["job_id"], True)
    assert other["kind"] == "submission_refused"
    assert key in other["error"]
    assert fleet.db.row("SELECT count(*) AS n FROM jobs WHERE idempotency_key = %(key)s", {"key": key}) == {"n": 1}


@pytest.mark.parametrize(
    ("message", "cause", "says"),
    [
        ({"job": {"kind": "no such kind"}}, "InvalidSubmission", "no such kind"),
        ({"job": {"kind": "relay", "plan": 7}}, "InvalidSubmission", "plan"),
        ({"job": {"kind": "relay", "surprise": 1}}, "InvalidSubmission", "surprise"),
        ({"job": RELAY, "priority": 11}, "InvalidSubmission", "priority"),
        ({"job": "relay"}, "InvalidSubmission", "job"),
        ({}, "InvalidSubmission", "job"),
        ({"job": RELAY, "v": "one"}, "InvalidSubmission", "version"),
        ({"job": RELAY, "v": 0}, "InvalidSubmission", "version"),
        ({"job": RELAY, "v": 99}, "NewerVersion", "99"),
    ],
)
def test_a_submission_that_is_not_valid_is_refused_and_quarantined(
    fleet: FleetProcesses, producer: Producer, message: dict[str, Any], cause: str, says: str
):
    """F2, F4: with its cause, to the producer and in quarantine; a newer version after it has waited."""
    mark = uuid4().hex

    producer.send({**message, "owner": mark, "reply_to": f"stream:{producer.reply}", "correlation_id": mark})

    refused = producer.answers(1)[0]
    assert (refused["kind"], refused["correlation_id"]) == ("submission_refused", mark)
    assert says in refused["error"]
    entry = quarantined(fleet, mark)
    assert (entry["cause"], entry["source"], str(entry["id"])) == (cause, STREAM, refused["quarantine_id"])


def test_bodies_that_are_no_json_or_too_large_are_quarantined_and_the_consumer_lives_on(fleet: FleetProcesses, producer: Producer):
    """F2: not JSON, not UTF-8, over 2 MB, no body at all."""
    mark = uuid4().hex
    producer.send(f"{mark}-text")
    producer.send(mark.encode() + b'-\xff"')
    producer.send(json.dumps({"job": {**RELAY, "text": f"{mark}-large" + "x" * (2 * 1024 * 1024)}}))
    producer.redis.xadd(STREAM, {"payload": f"{mark}-none"})
    producer.submit(correlation_id=mark)

    causes = {name: quarantined(fleet, f"{mark}-{name}") for name in ("text", "large", "none")}

    assert {name: entry["cause"] for name, entry in causes.items()} == {"text": "NotJson", "large": "NotJson", "none": "NoBody"}
    assert causes["large"]["body_size"] > 2 * 1024 * 1024
    assert len(causes["large"]["body"]) == 65_536
    assert quarantined(fleet, f"{mark}-")["cause"] == "NotJson"
    assert producer.answers(2)[1]["status"] == "succeeded"


def test_hostile_json_is_taken_or_quarantined_but_never_stops_the_fleet(fleet: FleetProcesses, producer: Producer, eval_data: Path):
    """F2: NaN, deep nesting, bad UTF-8 ...: each case as a whole body, and as the text of a job."""
    lines = (eval_data / "hostile" / "json_cases.jsonl").read_text().splitlines()
    cases = [json.loads(line) for line in lines]
    for case in cases:  # one is too long for the file
        case["body"] = b"[" * 100_000 if "100k nested" in (case["note"] or "") else base64.b64decode(case["b64"])
    before = fleet.db.row("SELECT count(*) AS n FROM quarantine")["n"]

    for case in cases:
        producer.send(case["body"])
    whole = "SELECT count(*) AS n FROM quarantine"
    fleet.wait_until(lambda: fleet.db.row(whole)["n"] - before == len(cases), "no case by itself is a submission")
    for number, case in enumerate(cases):
        reply = f'"owner":"hostile","reply_to":"stream:{producer.reply}","correlation_id":"{number}"'.encode()
        producer.send(b'{"job":{"kind":"relay","plan":{"first":{"given":' + case["body"] + b"}}}," + reply + b"}")
    producer.submit(correlation_id="last")
    answers = {"submission_accepted", "submission_refused"}

    def answered() -> dict[str, str]:  # of several owners, the last may be taken before the others
        return {answer["correlation_id"]: answer["kind"] for answer in producer.answers(0) if answer["kind"] in answers}

    fleet.wait_until(lambda: producer.redis.xlen(STREAM) == 0 and "last" in answered(), "all of them are read")
    must = {str(n) for n, case in enumerate(cases) if case["expect"] == "must_accept" and "duplicated_key" not in case["name"]}
    fleet.wait_until(lambda: must <= answered().keys(), "those that are JSON are answered")

    taken = {number for number, kind in answered().items() if kind == "submission_accepted"}
    for number, case in enumerate(cases):
        if case["expect"] == "must_reject":
            assert str(number) not in taken, case["name"]
        if case["expect"] == "must_accept" and "duplicated_key" not in case["name"]:
            assert str(number) in taken, case["name"]
    jobs = fleet.db.statement("SELECT id FROM jobs WHERE owner = 'hostile'")
    fleet.wait_status([job["id"] for job in jobs])
    assert fleet.deaths() == 0


def test_the_same_entry_read_twice_makes_one_job(fleet: FleetProcesses, producer: Producer):
    """F4, F7: a coordinator that dies between the job and the acknowledgement; the entry's own id stands for a key."""
    mark = uuid4().hex
    body = json.dumps({"job": RELAY, "owner": mark})
    last = producer.redis.xinfo_stream(STREAM)["last-generated-id"]
    entry = f"{int(last.split('-')[0]) + 1}-7"

    producer.redis.xadd(STREAM, {"body": body}, id=entry)
    mine = "SELECT id FROM jobs WHERE owner = %(mark)s"
    fleet.wait_until(lambda: fleet.db.statement(mine, {"mark": mark}), "the entry became a job")
    fleet.wait_until(lambda: producer.redis.xlen(STREAM) == 0, "and left the stream")
    producer.redis.delete(STREAM)
    producer.redis.xadd(STREAM, {"body": body}, id=entry)
    fleet.wait_until(lambda: producer.redis.exists(STREAM) and producer.redis.xlen(STREAM) == 0, "the entry was read again")

    assert len(fleet.db.statement(mine, {"mark": mark})) == 1


def test_a_celery_program_submits_by_sending_a_task(fleet: FleetProcesses, producer: Producer):
    """F4: `bullpen.submit` with the same body; a bad one is refused the same way."""
    mark = uuid4().hex
    app = fleet.services.celery

    app.send_task("bullpen.submit", args=({"job": RELAY, "reply_to": f"stream:{producer.reply}"},), queue="bullpen.coordinator")
    app.send_task("bullpen.submit", args=({"job": {"kind": mark}, "reply_to": f"stream:{producer.reply}"},), queue="bullpen.coordinator")
    app.send_task("bullpen.submit", args=({"job": {"kind": mark}, "v": 5},), queue="bullpen.coordinator")

    kinds = sorted(answer["kind"] for answer in producer.answers(3))
    assert kinds == ["job_finished", "submission_accepted", "submission_refused"]
    entries = "SELECT cause FROM quarantine WHERE source = 'bullpen.submit' ORDER BY cause"
    fleet.wait_until(lambda: len(fleet.db.statement(entries)) == 2, "both bad ones are quarantined")
    assert [row["cause"] for row in fleet.db.statement(entries)] == ["InvalidSubmission", "NewerVersion"]


@pytest.mark.parametrize("way", ["stream", "celery"])
def test_a_producer_answers_what_its_job_asks_by_message(fleet: FleetProcesses, producer: Producer, way: str):
    """F4: nobody needs a shell."""
    producer.submit({**RELAY, "plan": {"first": {"ask": 1}}}, correlation_id="dialogue")
    accepted, asks = producer.answers(2)
    reply = asks["reply_with"]
    reply["answer"]["text"] = "blue"

    if way == "stream":
        producer.send(reply)
    else:
        fleet.services.celery.send_task("bullpen.submit", args=(reply,), queue="bullpen.coordinator")
    taken, finished = producer.answers(4)[2:]

    assert (asks["kind"], asks["question"], asks["choices"]) == ("job_asks", "first: which colour?", ["red", "blue"])
    assert (taken["kind"], taken["command"], taken["changed"]) == ("command_taken", "answer", True)
    assert (finished["kind"], finished["status"], finished["job_id"]) == ("job_finished", "succeeded", accepted["job_id"])


def refuses_the_first_end(hook: Hook, connection: socket.socket) -> None:
    """503 to the first end of a job, 204 to all else."""
    body = hook.take(connection)
    if body["kind"] == "job_finished" and len(hook.asked) == 2:
        connection.sendall(b"HTTP/1.1 503 Busy\r\n\r\n")
        return
    hook.heard.append(body)
    connection.sendall(b"HTTP/1.1 204 No Content\r\n\r\n")


def test_a_webhook_hears_of_its_job_although_it_was_away_for_a_moment(fleet: FleetProcesses, producer: Producer, hook: Hook):
    """F4: an answer that is not taken is sent again."""
    hook.behave = refuses_the_first_end

    producer.send({"job": RELAY, "reply_to": hook.url, "correlation_id": "hook"})
    fleet.wait_until(lambda: len(hook.heard) == 2, "two answers are posted")

    assert [body["kind"] for body in hook.heard] == ["submission_accepted", "job_finished"]
    assert {body["correlation_id"] for body in hook.heard} == {"hook"}
    assert len(hook.asked) == 3


def test_addresses_that_cannot_be_answered_are_refused_and_do_not_keep_others_from_their_answers(fleet: FleetProcesses, producer: Producer):
    """F4: a queue on Redis, a stream of the fleet's own, a URL that is not allowed, no address at all."""
    bad = ["queue:somewhere", "stream:bullpen:jobs", "stream:orders", "http://127.0.0.1:1/", "carrier pigeon", "stream:"]
    for address in bad * 6:
        producer.send({"job": RELAY, "reply_to": address, "owner": "unreachable"})
    producer.submit()

    assert producer.answers(2)[1]["kind"] == "job_finished"
    refused = "SELECT count(*) AS n FROM quarantine WHERE message LIKE 'reply_to: %%'"
    # What is good of a batch is a job before the others are refused, one by one.
    fleet.wait_until(lambda: producer.redis.xlen(STREAM) == 0, "all are read")
    assert fleet.db.row(refused) == {"n": 36}
    assert fleet.db.statement("SELECT 1 FROM jobs WHERE owner = 'unreachable'") == []
    assert fleet.deaths() == 0
