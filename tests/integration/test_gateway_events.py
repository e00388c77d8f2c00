"""Live events: resumed by revisions over gateways and restarts, with a gap and a snapshot behind retention, and an end."""

import asyncio
import json
import threading
import time
from collections.abc import Iterator
from typing import Any
from uuid import UUID, uuid4

import httpx
import psycopg
import pytest

import tests.support.noop  # noqa: F401  registers its kinds
from tests.support.gateway import key_for, served
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.console.routes import all_routers
from workers.coordinator import actions
from workers.gateway import feed
from workers.gateway.access.keys import create_key, list_keys, revoke_key
from workers.gateway.feed import MOST_HANDED, Batch, Feed
from workers.gateway.routes.events import MOST_REV, first_revision
from workers.reading.events import read_events, read_tails

Event = tuple[str, int | None, Any]


def fresh(services: ProcessServices) -> ProcessServices:
    """Services of another process: a gateway closes its own."""
    return ProcessServices(services.settings, slots=4)


def read(response: httpx.Response) -> Iterator[Event]:
    name, rev = "", None
    for line in response.iter_lines():
        field, _, value = line.partition(": ")
        if field == "event":
            name = value
        elif field == "id":
            rev = int(value)
        elif field == "data":
            yield name, rev, json.loads(value)
            name, rev = "", None


def submitted(base: str, headers: dict[str, str], **plan: Any) -> str:
    made = httpx.post(f"{base}/v1/jobs", json={"job": {"kind": "noop", "plan": plan}}, headers=headers)
    assert made.status_code == 201, made.text
    return made.json()["job_id"]


def test_a_stream_follows_a_job_to_its_end_and_resumes_at_another_gateway(services: ProcessServices) -> None:
    headers = key_for(services.database, "shop")
    with served(fresh(services)) as first, served(fresh(services)) as other:
        job = submitted(first, headers, s2={"ask": 1})
        seen: list[Event] = []
        with httpx.stream("GET", f"{first}/v1/jobs/{job}/events?until=question", headers=headers, timeout=120) as response:
            assert response.headers["content-type"].startswith("text/event-stream")
            events = read(response)
            seen.append(next(events))
            work = threading.Thread(target=run_all, args=(services,))
            work.start()
            seen += events
            work.join()
        assert (seen[-1][0], seen[-1][2]["status"]) == ("end", "waiting_human")
        last = max(rev for _, rev, _ in seen if rev is not None)
        actions.answer(services.database, UUID(job), "yes")
        run_all(services)
        with httpx.stream("GET", f"{other}/v1/jobs/{job}/events", headers={**headers, "Last-Event-ID": str(last)}, timeout=120) as response:
            rest = list(read(response))
        revs = [rev for _, rev, _ in [*seen, *rest] if rev is not None]
        assert revs == list(range(1, revs[-1] + 1))  # nothing lost, nothing twice
        assert rest[-1][0] == "end"
        assert rest[-1][2]["status"] == "succeeded"
        again = httpx.get(f"{first}/v1/jobs/{job}/events", headers={**headers, "Last-Event-ID": str(revs[-1])})
        assert again.status_code == 204  # an EventSource comes back no more


def test_a_stream_may_end_at_a_question(services: ProcessServices) -> None:
    headers = key_for(services.database, "shop")
    with served(fresh(services)) as base:
        job = submitted(base, headers, s1={"ask": 1})
        run_all(services)
        with httpx.stream("GET", f"{base}/v1/jobs/{job}/events?until=question", headers=headers, timeout=120) as response:
            *_, last = read(response)
        assert last[0] == "end"
        assert last[2]["status"] == "waiting_human"


def test_a_reader_behind_retention_gets_a_gap_and_a_snapshot(services: ProcessServices) -> None:
    headers = key_for(services.database, "shop")
    with served(fresh(services)) as base:
        job = submitted(base, headers)
        run_all(services)
        services.database.statement("DELETE FROM events WHERE rev <= 5")
        with httpx.stream("GET", f"{base}/v1/jobs/{job}/events", headers={**headers, "Last-Event-ID": "2"}, timeout=120) as response:
            (gap, snapshot, *_, end) = read(response)
        assert (gap[0], gap[2]["after"], gap[2]["next_rev"]) == ("gap", 2, 6)
        assert snapshot[0] == "snapshot"
        assert snapshot[1] == snapshot[2]["rev"] == gap[2]["snapshot_rev"]
        assert snapshot[2]["status"] == "succeeded"
        assert end[0] == "end"


def test_a_gateway_that_ends_ends_its_streams_at_once(services: ProcessServices) -> None:
    """A stream that is cut off after the grace would be an error to its reader."""
    headers = key_for(services.database, "shop")
    begun, ended = threading.Event(), threading.Event()

    def follow(url: str) -> None:
        with httpx.stream("GET", url, headers=headers, timeout=120) as response:
            for _ in response.iter_lines():
                begun.set()
        ended.set()

    with served(fresh(services), grace_s=60) as base:
        job = submitted(base, headers)
        reading = threading.Thread(target=follow, args=(f"{base}/v1/jobs/{job}/events",))
        reading.start()
        assert begun.wait(120)
    reading.join(120)

    assert ended.is_set()


def test_a_request_that_the_end_cuts_off_may_be_sent_again(services: ProcessServices, database: Database) -> None:
    """Its client would take 500 for a fault, and a reader of a stream would give up."""
    headers = key_for(database, "shop")
    answers: list[httpx.Response] = []

    def ask(url: str) -> None:
        answers.append(httpx.get(f"{url}/v1/jobs/{uuid4()}/events", headers=headers, timeout=120))

    with psycopg.connect("postgresql://" + database.url.split("://", 1)[1]) as holding:
        with served(fresh(services), grace_s=1) as base:
            holding.execute("LOCK TABLE jobs IN ACCESS EXCLUSIVE MODE")
            asking = threading.Thread(target=ask, args=(base,))
            asking.start()
            give_up_at = time.monotonic() + 120
            while database.statement("SELECT pid FROM pg_locks WHERE NOT granted AND relation = 'jobs'::regclass") == []:
                assert time.monotonic() < give_up_at
                time.sleep(0.05)
        asking.join(120)

    assert [(answer.status_code, answer.headers["retry-after"]) for answer in answers] == [(503, "2")]
    assert answers[0].headers["content-type"] == "application/problem+json"


def test_a_stream_ends_when_its_key_is_revoked(services: ProcessServices, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(feed, "KEYS_EVERY_S", 3_600.0)
    _, text = create_key(services.database, "shop")
    headers = {"Authorization": f"Bearer {text}"}
    with served(fresh(services)) as base:
        job = submitted(base, key_for(services.database, "shop"))
        with httpx.stream("GET", f"{base}/v1/jobs/{job}/events", headers=headers, timeout=120) as response:
            events = read(response)
            assert next(events)[0] == "job_accepted"
            revoke_key(services.database, next(key.id for key in list_keys(services.database) if key.id in text))
            assert [event for event in events if event[0] == "end"] == []


def test_a_reader_that_is_too_slow_reads_the_rows_itself(services: ProcessServices) -> None:
    """What waits for it stays bounded."""

    async def play() -> None:
        watched = Feed(services.database)
        job = UUID(int=1)
        with watched.subscribed(job, 0, "key") as slow:
            state: Any = object()
            for rev in range(1, MOST_HANDED + 1):
                slow.hand(Batch(rev - 1, ((rev, "x"),), state, rev))
            assert not slow.is_behind
            slow.hand(Batch(MOST_HANDED, ((MOST_HANDED + 1, "x"),), state, MOST_HANDED + 1))
            assert slow.is_behind
            assert await slow.wait(0.1) == []

    asyncio.run(play())


def test_a_job_that_cannot_be_read_does_not_stop_the_streams_of_the_others(services: ProcessServices, database: Database) -> None:
    """A revision that no column holds fails in the driver, which is no error of ours."""
    headers = key_for(database, "shop")
    with served(fresh(services)) as base:
        jobs = [UUID(submitted(base, headers)) for _ in range(3)]

    async def play() -> list[Batch]:
        watched = Feed(database)
        async with watched.running():
            with (
                watched.subscribed(jobs[0], 10**25, "key"),
                watched.subscribed(jobs[1], 0, "key") as one,
                watched.subscribed(jobs[2], 0, "key") as other,
            ):
                return [*await one.wait(30), *await other.wait(30)]

    assert len(asyncio.run(play())) == 2


def test_a_revision_that_no_job_has_is_refused_or_cut(services: ProcessServices, database: Database) -> None:
    assert first_revision("9" * 25, 0) == MOST_REV
    assert first_revision("²", 7) == first_revision(None, 7) == 7
    headers = key_for(database, "shop")
    with served(fresh(services), pages=all_routers()) as base:
        job = submitted(base, headers)
        answer = httpx.get(f"{base}/console/jobs/{job}/live?after={'9' * 25}", headers=headers)
    assert answer.status_code == 422


def test_many_tails_are_those_of_one_job_each(services: ProcessServices, database: Database) -> None:
    headers = key_for(database, "shop")
    with served(fresh(services)) as base:
        jobs = [UUID(submitted(base, headers)) for _ in range(3)]
    run_all(services)
    after = dict(zip(jobs, (0, 4, 10_000), strict=True))
    tails = read_tails(database, {**after, UUID(int=5): 0})
    assert tails == {job: read_events(database, job, rev) for job, rev in after.items()}
