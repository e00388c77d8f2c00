"""Reply streams: no foreign key is written, each has a lifetime, and what Redis forgets is sent again."""

import json
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.events import SubmissionRefused
from contracts.jobs import SubmitJob
from workers.app.answers import Announcer, keep_answer
from workers.app.in_process import run_all
from workers.app.senders import Senders
from workers.app.services import ProcessServices
from workers.coordinator.intake import accept
from workers.local.valkey import EmbeddedValkey
from workers.settings import Settings

STREAM = "bullpen:replies:orders"
TO_STREAM = f"stream:{STREAM}"


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    services = ProcessServices(Settings(database_url=database_url, broker_url=broker_url))
    yield services
    services.close()


@pytest.fixture
def forgetful(tmp_path: Path) -> Iterator[EmbeddedValkey]:
    """A Redis of this test's own, which keeps nothing on disk."""
    with EmbeddedValkey(tmp_path / "redis", durable=False) as server:
        yield server


def heard(services: ProcessServices) -> list[dict[str, Any]]:
    entries: Any = services.redis.xrange(STREAM)
    return [json.loads(fields[b"body"]) for _, fields in entries]


def keep(services: ProcessServices, count: int, *, first: int = 0) -> list[str]:
    """Keep answers for the stream, and return their correlation ids."""
    names = [f"order {number}" for number in range(first, first + count)]
    for name in names:
        keep_answer(services, TO_STREAM, SubmissionRefused(error="no", correlation_id=name))
    return names


def test_a_key_of_another_program_is_never_written(services: ProcessServices) -> None:
    """`stream:orders` was trimmed from 30,000 to 10,002 entries. This job is of a release that allowed it."""
    pipe = services.redis.pipeline()
    for number in range(10_050):
        pipe.xadd("orders", {"n": str(number)})
    pipe.execute()
    job_id = accept(services.database, SubmitJob(job={"kind": "noop"}, reply_to="stream:orders"), owner_cap=100).job_id
    run_all(services)

    Announcer(services, threading.Event()).announce()
    Senders(services, threading.Event()).send_broker()

    assert services.redis.xlen("orders") == 10_050
    entry = services.database.row("SELECT job_id, cause FROM quarantine")
    assert entry == {"job_id": job_id, "cause": "Undeliverable"}
    assert services.database.row("SELECT announced_at IS NOT NULL AS done FROM jobs") == {"done": True}


def test_a_reply_stream_has_a_lifetime_and_its_kept_answers_go_with_it(services: ProcessServices) -> None:
    keep(services, 3)
    senders = Senders(services, threading.Event())
    senders.send_broker()

    assert 0 < services.redis.ttl(STREAM) <= services.settings.reply_lifetime_s
    senders.send_broker()
    assert services.database.row("SELECT count(*) AS n FROM answers WHERE sent_at IS NOT NULL") == {"n": 3}
    services.database.statement("UPDATE answers SET sent_at = now() - interval '25 hours'")
    senders.send_broker()

    assert services.database.statement("SELECT 1 FROM answers") == []


def test_what_is_flushed_is_sent_again_once(services: ProcessServices) -> None:
    """F7: with the same `answer_id`; up to 6 of 150 ends were lost with Redis's memory."""
    names = keep(services, 150)
    senders = Senders(services, threading.Event())
    while senders.send_broker():
        pass
    before = heard(services)

    services.redis.flushall()
    for _ in range(5):
        senders.send_broker()

    again = heard(services)
    assert [answer["correlation_id"] for answer in again] == [answer["correlation_id"] for answer in before] == names
    assert [answer["answer_id"] for answer in again] == [answer["answer_id"] for answer in before]


def test_what_a_killed_redis_forgot_is_sent_again_and_what_came_since_is_not(database_url: str, forgetful: EmbeddedValkey) -> None:
    services = ProcessServices(Settings(database_url=database_url, broker_url=forgetful.url))
    names = keep(services, 20)
    senders = Senders(services, threading.Event())
    senders.send_broker()

    forgetful.stop()
    forgetful.start()
    more = keep(services, 5, first=20)
    for _ in range(3):
        senders.send_broker()

    assert sorted(answer["correlation_id"] for answer in heard(services)) == sorted(names + more)
    services.close()


def test_another_coordinator_notices_what_a_dead_one_delivered_and_redis_forgot(services: ProcessServices) -> None:
    names = keep(services, 3)
    Senders(services, threading.Event()).send_broker()
    services.redis.flushall()

    Senders(services, threading.Event()).send_broker()

    assert [answer["correlation_id"] for answer in heard(services)] == names


def test_an_entry_that_its_producer_read_and_deleted_is_not_sent_again(services: ProcessServices) -> None:
    keep(services, 3)
    senders = Senders(services, threading.Event())
    senders.send_broker()
    entries: Any = services.redis.xrange(STREAM)
    services.redis.xdel(STREAM, *[entry_id for entry_id, _ in entries])
    services.redis.delete("bullpen:memory")  # as if something had been lost

    for _ in range(3):
        senders.send_broker()

    assert services.redis.xlen(STREAM) == 0


def test_while_redis_is_away_answers_wait_and_none_is_given_up(database_url: str, forgetful: EmbeddedValkey) -> None:
    services = ProcessServices(Settings(database_url=database_url, broker_url=forgetful.url))
    names = keep(services, 3)
    services.database.statement("UPDATE answers SET created_at = now() - interval '3 hours'")
    senders = Senders(services, threading.Event())
    forgetful.stop()

    for _ in range(2):
        with pytest.raises(Exception, match="broker does not take answers"):
            senders.send_broker()
    forgetful.start()
    services.database.statement("UPDATE answers SET try_at = now()")
    senders.send_broker()

    assert [answer["correlation_id"] for answer in heard(services)] == names
    assert services.database.statement("SELECT 1 FROM quarantine") == []
    services.close()
