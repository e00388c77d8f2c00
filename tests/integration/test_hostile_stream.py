"""The Redis stream as an outsider may fill it: each entry becomes a job or goes to quarantine, and the intake lives on in little memory."""

import hashlib
import json
import resource
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from redis import Redis

import tests.support.noop  # noqa: F401  registers the kinds
from workers.app import intake_redis
from workers.app.intake_redis import RedisIntake
from workers.app.queues import JOBS_STREAM
from workers.app.redis_parser import bounded_parser
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.blackboard.quarantine import KEPT_BYTES, Cut
from workers.settings import Settings

JOB = json.dumps({"job": {"kind": "noop"}, "owner": "after"})
MB = 1 << 20


@pytest.fixture
def client(broker_url: str) -> Iterator["Redis"]:
    with Redis.from_url(broker_url, protocol=2) as client:
        yield client


@pytest.fixture
def intake(database_url: str, broker_url: str) -> Iterator[Callable[[], None]]:
    """Starts the intake; a thread as in a coordinator."""
    services, stop = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, newer_message_wait_s=60)), threading.Event()
    threads: list[RedisIntake] = []

    def start() -> None:
        threads.append(RedisIntake(services, stop))
        threads[-1].start()

    yield start
    stop.set()
    for thread in threads:
        thread.join(60)
    services.close()


def wait_for(db: Database, sql: Any, count: int = 1) -> list[dict[str, Any]]:
    give_up_at = time.monotonic() + 120
    while len(rows := db.statement(sql)) < count:
        assert time.monotonic() < give_up_at, f"{len(rows)} of {count}: {sql}"
        time.sleep(0.05)
    return rows


def held_mb() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def test_hostile_entries_go_to_quarantine_and_the_next_job_is_taken(
    client: "Redis", database: Database, intake: Callable[[], None]
) -> None:
    """F2: huge, without a body, binary, of odd names, compressed, and of numbers out of range."""
    entries: list[dict[Any, Any]] = [
        {"body": b"x" * (3 * MB)},
        {"other": "field", "\udc80".encode("utf-8", "surrogatepass"): b"\xff\x00"},
        {b"body": b"\xff\xfe\x00\x01" * 50},
        {"body": zlib.compress(b'{"job": {}}' * 10_000), "compression": "zlib"},
        {"body": "[" * 200_000},
        {"body": '{"job": {"kind": "noop"}, "budget": {"wall_time_s": 1e13}}'},
        {"body": '{"job": {"kind": "noop"}, "priority": 1' + "0" * 300 + "}"},
        {"body": ""},
        {f"f{n}": "v" for n in range(5_000)},
    ]
    for entry in entries:
        client.xadd(JOBS_STREAM, entry)
    client.xadd(JOBS_STREAM, {"body": JOB})

    intake()

    wait_for(database, "SELECT id FROM jobs WHERE owner = 'after'")
    rows = wait_for(database, "SELECT cause, body_size FROM quarantine ORDER BY id", len(entries))
    assert [row["cause"] for row in rows] == [
        "NotJson", "NoBody", "NotJson", "NotJson", "NotJson", "InvalidSubmission", "NotJson", "NotJson", "NoBody",
    ]  # fmt: skip
    assert rows[0]["body_size"] == 3 * MB
    give_up_at = time.monotonic() + 60
    while client.xlen(JOBS_STREAM) and time.monotonic() < give_up_at:
        time.sleep(0.02)
    assert client.xlen(JOBS_STREAM) == 0


def test_what_is_larger_than_a_message_may_be_is_never_held(client: "Redis", database: Database, intake: Callable[[], None]) -> None:
    """The quarantine keeps the first 64 KB, with the size and the hash of the whole."""
    body = b"0123456789abcdef" * (4 * MB)
    intake()
    client.xadd(JOBS_STREAM, {"body": JOB})
    wait_for(database, "SELECT id FROM jobs")
    digest, size = hashlib.sha256(body).hexdigest(), len(body)
    client.set("large", body)
    del body
    before = held_mb()

    client.eval("redis.call('XADD', KEYS[1], '*', 'body', redis.call('GET', KEYS[2]))", 2, JOBS_STREAM, "large")
    row = wait_for(database, "SELECT cause, message, body_size, body_hash, length(body) AS kept FROM quarantine")[0]

    assert (row["cause"], row["body_size"], row["body_hash"], row["kept"]) == ("NotJson", size, digest, KEPT_BYTES)
    assert "are allowed. Send large content by reference." in row["message"]
    assert held_mb() - before < 16, "64 MB came over the wire"


def test_a_key_of_another_type_under_the_stream_s_name_is_put_aside(
    client: "Redis", database: Database, intake: Callable[[], None]
) -> None:
    """A producer that wrote LPUSH instead of XADD, before the first coordinator came."""
    client.lpush(JOBS_STREAM, JOB)

    intake()
    row = wait_for(database, "SELECT cause, message, body FROM quarantine")[0]
    client.xadd(JOBS_STREAM, {"body": JOB})

    wait_for(database, "SELECT id FROM jobs")
    assert row["cause"] == "WrongType"
    assert client.lrange(bytes(row["body"]).decode(), 0, -1) == [JOB.encode()]


def test_entries_that_wait_for_a_newer_release_do_not_hide_those_of_a_dead_coordinator(
    client: "Redis", database: Database, intake: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("workers.app.intake_redis.RECLAIM_IDLE_MS", 300)
    client.xgroup_create(JOBS_STREAM, "bullpen", id="0", mkstream=True)
    for _ in range(50):
        client.xadd(JOBS_STREAM, {"body": '{"v": 2, "job": {"kind": "noop"}}'})
    client.xadd(JOBS_STREAM, {"body": JOB})
    client.xreadgroup("bullpen", "dead:1", {JOBS_STREAM: ">"})

    intake()

    wait_for(database, "SELECT id FROM jobs WHERE owner = 'after'")


def test_the_parser_reads_small_values_as_ever_and_cuts_the_others(broker_url: str) -> None:
    parser = bounded_parser(most_bytes=100_000, most_items=4)
    with Redis.from_url(broker_url, protocol=2, parser_class=parser) as client:
        pipe = client.pipeline(transaction=False)
        for size in (10, 100_000, 100_001, 5_000_000, 3):
            pipe.set("k", "x" * size)
            pipe.get("k")
        pipe.rpush("l", *range(1_000))
        pipe.lrange("l", 0, -1)
        pipe.get("nothing")
        answers: list[Any] = pipe.execute()

        values = answers[1:10:2]
        assert [isinstance(value, Cut) for value in values] == [False, False, True, True, False]
        assert [getattr(value, "size", len(value)) for value in values] == [10, 100_000, 100_001, 5_000_000, 3]
        assert values[3].sha256 == hashlib.sha256(b"x" * 5_000_000).hexdigest()
        assert answers[11:] == [[b"0", b"1", b"2", b"3"], None]
        assert client.ping()


def test_an_entry_that_fails_each_time_ends_in_quarantine_and_the_next_is_taken(
    client: "Redis", database: Database, intake: Callable[[], None], monkeypatch: pytest.MonkeyPatch
) -> None:
    """F2: what cannot be taken, for a reason that nobody thought of, is not tried for ever."""
    poison = json.dumps({"job": {"kind": "noop"}, "owner": "poison"})
    take, tried = intake_redis.take_submission, list[str]()

    def failing(services: ProcessServices, body: bytes, **more: Any) -> Any:
        if b"poison" in body:
            tried.append(more["message_id"])
            raise RuntimeError("a fault of ours")
        return take(services, body, **more)

    monkeypatch.setattr(intake_redis, "take_many", lambda *_: set())
    monkeypatch.setattr(intake_redis, "take_submission", failing)
    monkeypatch.setattr(intake_redis, "RECLAIM_IDLE_MS", 20)
    monkeypatch.setattr(intake_redis, "BLOCK_MS", 20)
    monkeypatch.setattr(intake_redis, "MOST_DELIVERIES", 3)
    client.xadd(JOBS_STREAM, {"body": poison})
    client.xadd(JOBS_STREAM, {"body": JOB})

    intake()

    [kept] = wait_for(database, "SELECT cause, message, body FROM quarantine")
    assert (kept["cause"], bytes(kept["body"])) == ("RuntimeError", poison.encode())
    assert "3 times" in kept["message"]
    assert len(tried) == 3
    wait_for(database, "SELECT 1 FROM jobs WHERE owner = 'after'")
    assert database.statement("SELECT 1 FROM jobs WHERE owner = 'poison'") == []
