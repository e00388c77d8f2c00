"""Faults on the real fleet while jobs run, and what they left behind: nothing may be lost, doubled or stuck."""

import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import psycopg
from redis import Redis, RedisError

from contracts.roles import COORDINATOR
from tests.acceptance.conftest import own_database
from tests.conftest import make_template
from tests.support.clocks import CLOCK, Clock
from tests.support.fleet import QUICK, FleetProcesses
from tests.support.producers import Producers
from tests.support.rabbitmq import RabbitMQ
from tests.support.relay import ROLES, create_outside
from tests.support.servers import Servers
from workers.app.fleet_facts import ALL
from workers.app.key_types import KEY_TYPES
from workers.blackboard.engine import Database

LEASE_S = float(QUICK["BULLPEN_LEASE_S"])
RELAY = {"kind": "relay", "plan": {"first": {"sleep_s": 0.05}, "second": {"sleep_s": 0.05}}}
"""Three stages of two roles."""
ROW = {"kind": "row"}
"""Five short stages of one role: with `INLINE`, a slot goes on with the next one without a message."""
INLINE = {"BULLPEN_ADVANCE": "inline"}
FURTHEST_OFF_S = 2 * 86_400.0
"""How far a process's clock may be off, both ways. Seconds."""
MOST_ATTEMPTS = 20
"""Attempts of a step: each fault may cost one, and a step that used them up is not stuck but failed, as it should."""
POISONOUS = {"second": {"hold": 99}}
"""A plan whose step hangs each process that runs it."""
HUNG_AFTER_S = 5.0

_FINAL = (
    "SELECT count(*) AS n FROM jobs WHERE status IN ('succeeded', 'failed', 'cancelled') AND decided_rev = rev "
    "AND idempotency_key IS NOT NULL"
)
_POISONS = "SELECT count(*) AS n FROM jobs WHERE idempotency_key IS NULL AND status NOT IN ('succeeded', 'failed', 'cancelled')"
_LEFT: dict[str, Any] = {
    "lost": "SELECT %(wanted)s - count(DISTINCT idempotency_key) AS n FROM jobs",
    "doubled": "SELECT (SELECT count(idempotency_key) - count(DISTINCT idempotency_key) FROM jobs) + ("
    "SELECT count(*) FROM (SELECT 1 FROM deliverables WHERE stage <> 'input' GROUP BY job_id, stage HAVING count(*) > 1) d) + ("
    "SELECT count(*) FROM (SELECT 1 FROM events WHERE kind = 'job_succeeded' GROUP BY job_id HAVING count(*) > 1) e) AS n",
    "stuck": "SELECT count(*) AS n FROM jobs WHERE status NOT IN ('succeeded', 'failed', 'cancelled') OR decided_rev <> rev",
    "failed": "SELECT count(*) AS n FROM jobs WHERE status IN ('failed', 'cancelled') AND idempotency_key IS NOT NULL",
    "not_set_aside": "SELECT count(*) AS n FROM jobs j WHERE idempotency_key IS NULL AND NOT EXISTS (SELECT 1 FROM quarantine q "
    "JOIN steps s ON s.id = q.step_id WHERE q.job_id = j.id AND q.cause = 'TookProcessDown' AND s.lost = 3 AND j.status = 'failed')",
    "effects_twice": "SELECT count(*) AS n FROM (SELECT 1 FROM outside_effects e JOIN steps s ON s.id = e.step_id "
    "GROUP BY s.job_id, s.stage, e.call HAVING count(*) > 1) x",
}


@dataclass(slots=True)
class Outcome:
    """What a storm left. Everything but the first three should be 0."""

    kind: str
    jobs: int
    """That were submitted."""
    faults: int = 0
    took_s: float = 0.0
    lost: int = 0
    doubled: int = 0
    stuck: int = 0
    failed: int = 0
    effects_twice: int = 0
    not_set_aside: int = 0
    """Poisonous steps (which come with a fault, and are not among `jobs`) that did not end in quarantine after three processes."""

    @property
    def is_clean(self) -> bool:
        """Whether each job ended well, once."""
        return not (self.lost or self.doubled or self.stuck or self.failed or self.effects_twice or self.not_set_aside)


@dataclass(slots=True)
class Storm:
    """One kind of fault on one fleet."""

    fleet: FleetProcesses
    servers: Servers
    rabbit: RabbitMQ | None
    chance: random.Random
    clocks: dict[str, Clock] = field(default_factory=dict[str, Clock])
    """Of each member, where their clocks may be off."""
    workers: tuple[str, ...] = tuple(map(str, ROLES))
    coordinators: tuple[str, ...] = (COORDINATOR, f"{COORDINATOR}-2")
    held: list[psycopg.Connection[Any]] = field(default_factory=list[psycopg.Connection[Any]])

    def start(self, kind: "Kind", *, together: bool) -> None:
        """Start a worker of each role, and two coordinators; or two processes with all of them."""
        for role in (ALL, ALL) if together else (*map(str, ROLES), COORDINATOR, COORDINATOR):
            name = f"{role}-2" if role in self.clocks else role
            clock = self.clocks[name] = Clock(self.fleet.folder / f"{name}.clock")
            self.fleet.start(role, ready=False, **({CLOCK: str(clock.path)} if kind.strike is Storm.shift_clock else {}))
        self.fleet.wait_ready(*self.clocks)
        if together:
            self.workers = self.coordinators = tuple(self.clocks)

    def kill_worker(self) -> None:
        """kill -9 of a worker."""
        self._kill(self.chance.choice(self.workers))

    def kill_coordinator(self) -> None:
        """kill -9 of one of two coordinators."""
        self._kill(self.chance.choice(self.coordinators))

    def freeze_worker(self) -> None:
        """SIGSTOP beyond the lease, then SIGCONT: a zombie that reports late."""
        name = self.chance.choice(self.workers)
        with suppress(ProcessLookupError, KeyError, AssertionError):
            self.fleet.freeze(name)
            time.sleep(1.5 * LEASE_S)
            self.fleet.thaw(name)

    def hang_worker(self) -> None:
        """A job comes whose step holds the interpreter of each process that runs it. Two at a time at most: each takes three processes."""
        with suppress(psycopg.Error):
            if _count(self.fleet.db, _POISONS) < 2:
                self.fleet.submit(plan=POISONOUS)

    def kill_redis(self) -> None:
        """kill -9 of the broker; it comes back with nothing in its memory."""
        self.servers.restart_redis_empty()

    def flush_redis(self) -> None:
        """The broker forgets everything and runs on."""
        self.servers.flush_broker()

    def kill_postgres(self) -> None:
        """kill -9 of the database; it recovers what it acknowledged."""
        self.servers.crash(self.servers.postgres)
        self.servers.postgres.start()
        self.fleet.db.close()

    def triple(self) -> None:
        """Nothing to do: a failpoint sends every message three times from the start."""
        time.sleep(0.5)

    def exhaust_connections(self) -> None:
        """Take all connections of the database that are left, for a moment."""
        url = self.servers.postgres.admin_url
        with suppress(psycopg.OperationalError):
            while True:
                self.held.append(psycopg.connect(url, connect_timeout=3))
        time.sleep(1.5)
        while self.held:
            self.held.pop().close()

    def kill_rabbitmq(self) -> None:
        """kill -9 of RabbitMQ; it comes back with what it had confirmed."""
        assert self.rabbit is not None
        self.rabbit.kill()
        self.rabbit.restart()

    def overwrite_key(self) -> None:
        """Somebody writes a value of another type under a name of the fleet's."""
        key = self.chance.choice(list(KEY_TYPES))
        url = self.fleet.settings.broker_url or ""
        with suppress(RedisError), Redis.from_url(url, socket_timeout=10) as client, client.pipeline() as together:
            together.delete(key)
            if KEY_TYPES[key] == "string":
                together.rpush(key, "somebody's")
            else:
                together.set(key, "somebody's")
            together.execute()

    def shift_clock(self) -> None:
        """The clock of a process jumps, by seconds or by days."""
        self.chance.choice(list(self.clocks.values())).shift(self.chance.choice([1.0, -1.0]) * FURTHEST_OFF_S ** self.chance.random())

    def mixed(self) -> None:
        """One of the others."""
        self.chance.choice(
            [
                self.kill_worker,
                self.kill_coordinator,
                self.freeze_worker,
                self.kill_redis,
                self.flush_redis,
                self.kill_postgres,
                self.overwrite_key,
            ]
        )()

    def _kill(self, name: str) -> None:
        with suppress(ProcessLookupError, KeyError, AssertionError):
            self.fleet.send_signal(name, signal.SIGKILL)


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of fault, and on what it falls."""

    strike: Callable[[Storm], None]
    job: dict[str, Any] = field(default_factory=lambda: RELAY)
    env: dict[str, str] = field(default_factory=dict[str, str])


KINDS: dict[str, Kind] = {
    "kill -9 of workers": Kind(Storm.kill_worker),
    "kill -9 of coordinators": Kind(Storm.kill_coordinator),
    "SIGSTOP beyond the lease": Kind(Storm.freeze_worker),
    "steps that hang": Kind(Storm.hang_worker),
    "Redis killed": Kind(Storm.kill_redis),
    "Redis flushed": Kind(Storm.flush_redis),
    "keys of another type": Kind(Storm.overwrite_key),
    "Postgres killed": Kind(Storm.kill_postgres),
    "every message tripled": Kind(Storm.triple, env={"BULLPEN_FAILPOINTS": "triple_publish=on"}),
    "connections exhausted": Kind(Storm.exhaust_connections),
    "RabbitMQ killed": Kind(Storm.kill_rabbitmq),
    "clocks that are off": Kind(Storm.shift_clock),
    "mixed": Kind(Storm.mixed),
    "mixed, inline": Kind(Storm.mixed, env=INLINE),
    "mixed, following": Kind(Storm.mixed, job=ROW, env=INLINE),
}


def brew(
    folder: Path, kind: str, *, jobs: int, seed: int, every_s: float, within_s: float, settle_s: float = 300.0, by_http: bool = True,
    together: bool = False,
) -> Outcome:  # fmt: skip
    """Run this many jobs under one kind of fault until all have ended. They come as rows, by the stream (of RabbitMQ: by its queue), and
    by HTTP unless `by_http` is false. `together`: two processes, each with all roles and a coordinator, in the place of one each.

    A fault comes every `every_s` seconds, on average, and the fleet may work between two at least for as long as the last one took. After
    `within_s` no more jobs are submitted and no more faults happen; what has not ended when nothing has moved for `settle_s` is stuck.
    """
    outcome, began = Outcome(kind, 0), time.monotonic()
    with _storm(folder, kind, seed) as storm:
        fleet = storm.fleet
        storm.start(KINDS[kind], together=together)
        producers = Producers(fleet, KINDS[kind].job, storm.rabbit)
        if by_http:
            producers.start_gateway()
        seen, moved_at, next_fault = 0, time.monotonic(), time.monotonic() + every_s / 2
        while time.monotonic() - moved_at < settle_s:
            fleet.supervise()
            stormy = time.monotonic() - began < within_s
            try:
                ended = _count(fleet.db, _FINAL)
                producers.send_again()
                while stormy and outcome.jobs < min(jobs, 50 + 4 * ended):  # a steady stream, not all before the first fault
                    if not producers.send(outcome.jobs):
                        break
                    outcome.jobs += 1
                if ended >= outcome.jobs and (outcome.jobs == jobs or not stormy) and not _count(fleet.db, _POISONS):
                    break
                if ended != seen or stormy:
                    seen, moved_at = ended, time.monotonic()
            except Exception as error:  # the database is away: so is the producer's answer, and he sends again
                if not isinstance(error, OSError | psycopg.Error) and "database" not in str(error).lower():
                    raise
            if stormy and time.monotonic() >= next_fault:
                struck = time.monotonic()
                KINDS[kind].strike(storm)
                outcome.faults += 1
                lasted_s = time.monotonic() - struck
                next_fault = time.monotonic() + max(every_s * storm.chance.uniform(0.5, 1.5), lasted_s)
            time.sleep(0.1)
        for name, sql in _LEFT.items():
            setattr(outcome, name, _count(fleet.db, sql, wanted=outcome.jobs))
    outcome.took_s = time.monotonic() - began
    return outcome


@contextmanager
def _storm(folder: Path, kind: str, seed: int) -> Iterator[Storm]:
    with ExitStack() as stack:
        servers = stack.enter_context(Servers(folder / "servers", restarts=True))
        rabbit = stack.enter_context(RabbitMQ(folder / "rabbitmq")) if "RabbitMQ" in kind else None
        url = stack.enter_context(own_database(servers, make_template(servers)))
        env = {"BULLPEN_MAX_ATTEMPTS": str(MOST_ATTEMPTS), "BULLPEN_HUNG_AFTER_S": str(HUNG_AFTER_S), **KINDS[kind].env}
        broker = rabbit.url if rabbit is not None else servers.valkey.url
        fleet = stack.enter_context(FleetProcesses(folder / "fleet", url, broker, env))
        create_outside(fleet.db)
        yield Storm(fleet, servers, rabbit, random.Random(seed))


def _count(db: Database, sql: Any, **values: Any) -> int:
    row = db.row(sql, values or None)
    return 0 if row is None else int(row["n"])
