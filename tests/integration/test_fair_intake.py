"""A flood of one owner does not keep others waiting, and what is taken together is taken as carefully as one by one."""

import json
import threading
import time
from collections.abc import Iterator
from typing import Any

import pytest

import tests.support.noop  # noqa: F401  registers the kinds
from contracts.jobs import SubmitJob
from workers.app.entries import Entry
from workers.app.intake_redis import GROUP, RedisIntake, bounded_client
from workers.app.queues import JOBS_STREAM
from workers.app.services import ProcessServices
from workers.app.stream_reading import LookAhead, read_next
from workers.app.taking import in_turn, take_many
from workers.coordinator.intake import accept, prepare
from workers.coordinator.intake_batch import accept_many
from workers.coordinator.sweeper import admit_jobs
from workers.settings import Settings

NOOP = {"kind": "noop_graph"}


@pytest.fixture
def services(database_url: str, broker_url: str) -> Iterator[ProcessServices]:
    services = ProcessServices(Settings(database_url=database_url, broker_url=broker_url, owner_cap=5))
    yield services
    services.close()


def body(**fields: Any) -> bytes:
    return json.dumps({"job": NOOP, **fields}).encode()


def entry(name: str, body: bytes) -> Entry:
    return Entry(name, body, "test", message_id=name)


def test_a_job_behind_a_flood_of_another_owner_is_not_taken_last(services: ProcessServices) -> None:
    """After 10,000 messages of one owner none of 48 others was accepted within 483 s."""
    pipe = services.redis.pipeline(transaction=False)
    for _ in range(2_500):
        pipe.xadd(JOBS_STREAM, {"body": body(owner="flood")})
    pipe.xadd(JOBS_STREAM, {"body": body(owner="urgent", priority=9)})
    pipe.xadd(JOBS_STREAM, {"body": body(owner="patient", priority=1)})
    pipe.execute()
    stop = threading.Event()
    intake = RedisIntake(services, stop)

    intake.start()
    give_up_at = time.monotonic() + 120
    while services.redis.xlen(JOBS_STREAM):
        assert time.monotonic() < give_up_at, "the stream is taken"
        time.sleep(0.1)
    stop.set()
    intake.join(60)

    counted = services.database.row("SELECT count(*) AS jobs, count(DISTINCT idempotency_key) AS keys FROM jobs")
    assert counted == {"jobs": 2_502, "keys": 2_502}
    for owner in ("urgent", "patient"):
        before = services.database.row(
            "SELECT count(*) AS n FROM jobs WHERE owner = 'flood' AND id < (SELECT id FROM jobs WHERE owner = %(owner)s)", {"owner": owner}
        )
        assert before is not None
        assert before["n"] < 1_500, f"{owner} was the last but {2_500 - before['n']}"


def test_what_is_read_is_all_that_is_taken_from_the_stream(services: ProcessServices) -> None:
    """Of a batch of 400 the client kept 128; the others were this consumer's, and waited until another took them over."""
    pipe = services.redis.pipeline(transaction=False)
    for number in range(700):
        pipe.xadd(JOBS_STREAM, {"body": body(owner=f"owner {number}"), "other": "field"})
    pipe.execute()
    client = bounded_client(services.settings)
    client.xgroup_create(JOBS_STREAM, GROUP, id="0")

    read = read_next(client, JOBS_STREAM, GROUP, "me", count=380)
    ahead = LookAhead(client, JOBS_STREAM, message_bytes=services.settings.message_bytes)
    windows = [*ahead.further(500), *ahead.further(500)]

    client.close()
    assert len(read) == 380 == services.redis.xpending(JOBS_STREAM, GROUP)["pending"]
    assert [set(fields) for _, fields in read] == [{b"body", b"other"}] * 380
    assert len({entry_id for entry_id, _ in windows}) == 700
    assert {tuple(fields) for _, fields in windows} == {(b"body",)}


def test_of_a_window_each_owner_has_a_turn_and_the_urgent_come_first() -> None:
    flood = [entry(f"{number}-0", body(owner="flood", priority=9)) for number in range(50)]
    others = [entry(f"{90 + number}-0", body(owner=f"other {number}", priority=number)) for number in range(3)]
    unreadable = [entry("99-0", b"{"), entry("99-1", b"[]"), entry("99-2", body(owner=7))]

    chosen = in_turn([*flood, *others, *unreadable], most=5)

    assert [entry.name for entry in chosen] == ["0-0", "92-0", "91-0", "90-0", "1-0"]


def test_what_is_taken_together_is_what_would_have_been_taken_one_by_one(services: ProcessServices) -> None:
    """Keys, caps, answers and messages; what is not a plain submission is left for the slow way, which says why."""
    entries = [
        entry("1-0", body(owner="a", idempotency_key="k")),
        entry("2-0", body(owner="a", idempotency_key="k")),
        *(entry(f"{number}-0", body(owner="b", priority=number - 10)) for number in range(10, 18)),
        entry("20-0", b"no json"),
        entry("21-0", body(owner="a", job={"kind": "unknown"})),
        entry("22-0", body(owner="a", v=99)),
        entry("23-0", body(owner="a", session_id="01a20552-fd60-75d7-8217-c65db31610f7")),
        entry("24-0", json.dumps({"cancel": {"job_id": "01a20552-fd60-75d7-8217-c65db31610f7"}}).encode()),
        entry("25-0", body(owner="a", reply_to="stream:bullpen:replies:x", correlation_id="c")),
        entry("26-0", body(owner="a", reply_to="stream:orders")),
    ]

    taken = take_many(services, entries)

    assert taken == {"1-0", *(f"{number}-0" for number in range(10, 18)), "25-0"}
    jobs = services.database.statement("SELECT owner, priority, admitted, idempotency_key, rev, decided_rev FROM jobs ORDER BY id")
    assert [job["idempotency_key"] for job in jobs] == ["k", *(f"test:{number}-0" for number in range(10, 18)), "test:25-0"]
    assert [job["priority"] for job in jobs if job["owner"] == "b" and job["admitted"]] == [3, 4, 5, 6, 7], "five at once, the most urgent"
    (answer,) = services.database.statement("SELECT address, body FROM answers")
    assert (answer["address"], answer["body"]["correlation_id"]) == ("stream:bullpen:replies:x", "c")
    assert take_many(services, entries) == set(), "a second delivery makes no second job"
    assert services.database.row("SELECT count(*) AS n FROM jobs") == {"n": 10}


def test_a_job_of_a_batch_has_the_same_rows_as_a_single_job(services: ProcessServices) -> None:
    submission = SubmitJob(job=NOOP, owner="x", correlation_id="c")
    single = accept(services.database, submission, owner_cap=5).job_id
    (batched,) = accept_many(services.database, [prepare(submission)], owner_cap=5)

    for table, columns in (
        (
            "jobs",
            "kind, owner, status, priority, rev, decided_rev, human_rev, admitted, engine, chooser, result, language, budget, body_hash",
        ),
        ("stages", "name, position, role, task, needs, optional, params"),
        ("deliverables", "stage, version, made_from, content_hash, content, origin, pinned, rev"),
        ("events", "rev, kind, stage, detail"),
    ):
        key = "id" if table == "jobs" else "job_id"
        read = f"SELECT {columns} FROM {table} WHERE {key} = %(id)s ORDER BY 1, 2"  # noqa: S608  names of ours
        rows = [services.database.statement(read, {"id": job_id}) for job_id in (single, batched)]  # pyright: ignore[reportArgumentType]
        assert rows[0] == rows[1], table


def test_every_owner_with_room_is_admitted_however_many_jobs_another_has_waiting(services: ProcessServices) -> None:
    accept_many(services.database, [prepare(SubmitJob(job=NOOP, owner="flood", priority=9)) for _ in range(300)], owner_cap=5)
    accept_many(services.database, [prepare(SubmitJob(job=NOOP, owner=name)) for name in ("a", "z") for _ in range(3)], owner_cap=0)

    admitted = set(admit_jobs(services.database, owner_cap=5))

    rows = services.database.statement("SELECT owner FROM jobs WHERE id = ANY (%(ids)s)", {"ids": list(admitted)})
    assert sorted(row["owner"] for row in rows) == ["a"] * 3 + ["z"] * 3
