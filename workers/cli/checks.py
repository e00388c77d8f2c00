"""The checks of `bullpen doctor`, from the settings up to the work that waits."""

import shutil
import time
from collections.abc import Callable, Mapping, Set
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from contracts.checks import System
from contracts.roles import COORDINATOR
from contracts.statements import Join, Statement, code, count, listing, name, names, passage, say, seconds, size
from workers.app.broker_try import try_amqp, try_redis
from workers.app.fleet_facts import WORKERS, live_workers, queued_messages
from workers.app.queues import is_redis
from workers.blackboard import sweeps
from workers.blackboard.schema import current, head
from workers.cli.check import Check
from workers.cli.context import database, services, settings
from workers.coordinator.playbooks import find_playbook, kinds
from workers.errors import BullpenError, ConfigurationError, EngineError
from workers.extras import install_command
from workers.llm import load_embedder
from workers.llm.embeddings import LOCAL, embeddings_name
from workers.local.fleet import addresses_path
from workers.reading.fleet import count_waiting_for_human, read_fleet, read_overdue
from workers.reading.server import read_server
from workers.reading.words import ROLE_STATES
from workers.saying.reasons import reason_of
from workers.secrets import redact_url

OLDEST_POSTGRES = 160000
OLDEST_PGVECTOR = (0, 8)
OLDEST_REDIS = (6, 2)
"""Streams with XAUTOCLAIM."""
UNDECIDED_S = 10.0
SWEEP_LATE_S = 30.0
"""A part of the sweep is late if its last success is longer ago than this, or than ten rounds if that is longer. Seconds."""
STARTING_S = 60.0
"""A process of a fleet is up within this time, also on two busy cores."""
LITTLE_DISK_BYTES = 1024**3


NONE = say("doctor.none")
MIGRATE = say("doctor.migrate", command=code("bullpen db migrate"))

Run = Callable[[], list[Check]]


def server_checks() -> list[Run]:
    """Quick ones: is what every process needs there?"""
    return [check_settings, check_database, check_broker]


def fleet_checks(*, servers_answer: bool) -> list[Run]:
    """The rest; those that need database and broker are left out when these do not answer."""
    of_servers: list[Run] = [check_roles, check_work, check_circuits, check_probe, check_systems]
    return [*(of_servers if servers_answer else []), check_embedder, check_models, check_disk]


def check_settings() -> list[Check]:
    """Settings can be read and name servers."""
    try:
        known = settings()
        services()
    except BullpenError as error:
        return [Check("settings", "fail", reason_of(error), say("doctor.mend_settings", command=code("bullpen settings")))]
    known_kinds = names(kinds())
    if known.extensions:
        return [Check("settings", "ok", say("doctor.kinds_extended", kinds=known_kinds, extensions=names(known.extensions)))]
    return [Check("settings", "ok", say("doctor.kinds", kinds=known_kinds))]


def check_database() -> list[Check]:
    """Postgres answers, is new enough, has pgvector and our schema."""
    try:
        database().require_sessions()
    except ConfigurationError as error:
        return [Check("database", "fail", reason_of(error))]
    except BullpenError:
        pass  # it does not answer at all, which is said below
    try:
        server = read_server(database())
    except BullpenError as error:
        return [Check("database", "fail", reason_of(error), say("doctor.start_postgres", setting=name("BULLPEN_DATABASE_URL")))]
    where = redact_url(database().url)
    checks = [Check("database", "ok", _at("Postgres", server.version, where))]
    if server.version_number < OLDEST_POSTGRES:
        checks = [
            Check("database", "warn", _too_old("Postgres", server.version, where, "16"), say("doctor.upgrade", server=name("Postgres")))
        ]
    if server.pgvector is None:
        move = MIGRATE if server.has_pgvector_files else say("doctor.install_pgvector", command=code("bullpen db migrate"))
        checks.append(Check("pgvector", "fail", say("doctor.no_pgvector"), move))
    elif _numbers(server.pgvector) < OLDEST_PGVECTOR:
        old = say("doctor.old_pgvector", version=name(server.pgvector), oldest=name("0.8"))
        checks.append(Check("pgvector", "warn", old, say("doctor.upgrade_pgvector")))
    else:
        checks.append(Check("pgvector", "ok", server.pgvector))
    have, want = current(database()), head()
    if have == want:
        return [*checks, Check("schema", "ok", say("doctor.revision", revision=name(have)))]
    other = say("doctor.other_revision", revision=name(have) if have else NONE, needed=name(want))
    return [*checks, Check("schema", "fail", other, MIGRATE)]


def _at(server: str, version: str, where: str) -> Statement:
    return say("doctor.at", server=name(server), version=name(version), address=name(where))


def _too_old(server: str, version: str, where: str, oldest: str) -> Statement:
    return say("doctor.too_old", server=name(server), version=name(version), address=name(where), oldest=name(oldest))


def _numbers(version: str) -> tuple[int, ...]:
    return tuple(int(part) for part in version.split(".")[:2] if part.isdigit())


def check_broker() -> list[Check]:
    """Redis or RabbitMQ answers, and takes what the fleet sends."""
    url = settings().broker_url or ""
    try:
        return _check_redis(redact_url(url)) if is_redis(url) else _check_amqp(redact_url(url))
    except BullpenError as error:
        return [Check("broker", "fail", reason_of(error))]
    except Exception as error:  # any error of a broker client
        reason = " ".join(str(error).split())[:200] or type(error).__name__
        return [
            Check(
                "broker",
                "fail",
                say("doctor.no_answer", address=name(redact_url(url)), reason=passage(redact_url(reason))),
                say("doctor.trust_broker", certificate=name("ssl_ca_certs=FILE"), nothing=name("ssl_cert_reqs=none"))
                if "CERTIFICATE_VERIFY_FAILED" in reason
                else say("doctor.start_broker", setting=name("BULLPEN_BROKER_URL")),
            )
        ]


def _check_redis(where: str) -> list[Check]:
    known = try_redis(services().redis, where)
    server = "Valkey" if known.get("server_name") == "valkey" else "Redis"
    version = str(known.get("valkey_version") or known.get("redis_version") or "0")
    if _numbers(version) < OLDEST_REDIS:
        return [Check("broker", "fail", _too_old(server, version, where, "6.2"), say("doctor.upgrade", server=name(server)))]
    policy = str(known.get("maxmemory_policy", "noeviction"))
    if policy != "noeviction":
        finding = say("doctor.may_evict", server=name(server), version=name(version), address=name(where), policy=name(policy))
        return [Check("broker", "warn", finding, say("doctor.no_eviction"))]
    return [Check("broker", "ok", _at(server, version, where))]


def _check_amqp(where: str) -> list[Check]:
    with services().celery.connection_for_write(connect_timeout=5) as connection:
        connection.ensure_connection(max_retries=1, interval_start=0, timeout=5)
        properties: dict[str, Any] = getattr(connection.connection, "server_properties", {}) or {}
        try_amqp(connection.default_channel, where)
    product, version = (str(properties.get(key, "?")) for key in ("product", "version"))
    return [Check("broker", "ok", _at(product, version, where))]


def check_roles() -> list[Check]:
    """Who answers, who is paused, and how much waits, per role that a playbook needs."""
    needed = {stage.role.value for kind in kinds() for stage in find_playbook(kind).stages}
    answering = _answering({COORDINATOR, *needed})
    fleet = read_fleet(database())
    checks: list[Check] = []
    for role in WORKERS:
        answers, work = answering.get(role, 0), fleet.role(role)
        state, steps = work.state, work.waiting + work.delayed
        if not (answers or steps or state != "running" or role in needed or role == COORDINATOR):
            continue
        length = queued_messages(services(), role)
        finding = say(
            "doctor.role",
            workers=say("doctor.workers", n=count(answers)),
            messages=say("doctor.no_queue") if length is None else say("doctor.messages", n=count(length)),
            steps=say("doctor.steps_queued", n=count(steps)),
        )
        if state != "running":
            paused = say("doctor.role_paused", state=ROLE_STATES.get(state, name(state)), finding=finding)
            checks.append(Check(role, "warn", paused, f"bullpen resume {role}"))
        elif not answers:
            start = say("doctor.start_role", command=name(f"bullpen worker {role}"), all=name("bullpen up"))
            checks.append(Check(role, "warn", say("doctor.role_alone", finding=finding), start))
        else:
            checks.append(Check(role, "ok", finding))
    return checks


def _answering(wanted: Set[str]) -> Mapping[str, int]:
    """Role → processes that answer. Those of a fleet that `bullpen up` has just started are waited for."""
    answering = live_workers(services()) or {}
    while not wanted <= answering.keys() and is_starting(settings().data_dir):
        time.sleep(1)
        answering = live_workers(services()) or {}
    return answering


def is_starting(home: Path) -> bool:
    """Whether `bullpen up` started a fleet here so recently that its processes may not answer yet."""
    try:
        return time.time() - addresses_path(home).stat().st_mtime < STARTING_S
    except OSError:
        return False


def check_work() -> list[Check]:
    """Jobs that nobody decides, leases that nobody takes back, and quarantine."""
    fleet, overdue, old = read_fleet(database()), read_overdue(database(), old_s=UNDECIDED_S), seconds(UNDECIDED_S)
    new, asking = fleet.quarantined, count_waiting_for_human(fleet)
    start = say("doctor.start_coordinator", command=name("bullpen worker coordinator"))
    undecided = say("doctor.undecided", n=count(overdue.undecided_jobs), time=old)
    expired = say("doctor.not_taken_back", n=count(overdue.expired_leases), time=old)
    entries, waiting = say("doctor.new_entries", n=count(new)), say("doctor.waiting", n=count(asking))
    return [
        check_sweeps(),
        Check("undecided jobs", "fail", undecided, start) if overdue.undecided_jobs else Check("undecided jobs", "ok", NONE),
        Check("expired leases", "fail", expired, start) if overdue.expired_leases else Check("expired leases", "ok", NONE),
        Check("quarantine", "warn" if new else "ok", entries, "bullpen quarantine list" if new else ""),
        Check("questions", "ok", waiting, "bullpen jobs --status waiting_human" if asking else ""),
    ]


def check_sweeps() -> Check:
    """Every part of the coordinators' sweep succeeds, and in time."""
    rows = {row["part"]: row for row in sweeps.read(database())}
    failing = [
        say("doctor.part_fails", part=name(part), reason=passage(row["error"] or ""), n=count(row["failures"]))
        for part, row in rows.items()
        if row["failures"]
    ]
    if failing:
        read = say("doctor.read_log", event=name("sweep_part_failed"))
        return Check("sweeps", "fail", listing(*failing, join=Join.CLAUSES), read)
    late_s = max(SWEEP_LATE_S, 10 * settings().sweep_s)
    work_s = sweeps.oldest_work_s(database())
    ages = {part: rows[part]["ok_age_s"] if part in rows else work_s for part in sweeps.PARTS}
    late = [
        say("doctor.part_late", part=name(part), time=seconds(round(age))) for part, age in ages.items() if age is not None and age > late_s
    ]
    if late and work_s:
        return Check("sweeps", "fail", say("doctor.late", parts=listing(*late, join=Join.PLAIN)), say("doctor.replace_coordinator"))
    return Check("sweeps", "ok", say("doctor.no_sweep_needed") if late else say("doctor.in_time"))


def check_embedder() -> list[Check]:
    """The embedding model that the settings name is installed."""
    package = embeddings_name(settings().embeddings)
    if package == "none":
        return [Check("embeddings", "ok", say("doctor.words_only"))]
    if package not in LOCAL:
        return [_served_embedder()]
    if find_spec(package) is None:
        move = say("doctor.or", command=name(install_command("embedded")), setting=name("BULLPEN_EMBEDDINGS=none"))
        return [Check("embeddings", "warn", say("doctor.not_installed", package=name(package)), move)]
    return [Check("embeddings", "ok", package)]


def check_models() -> list[Check]:
    """The models that the settings name are there, and the workers have one too."""
    from workers.app.fleet_models import fleet_models
    from workers.cli.model_check import check_model, check_workers_models

    of_workers = check_workers_models(settings(), fleet_models(services().celery))
    return of_workers if of_workers and not settings().models else [*check_model(settings()), *of_workers]


def check_by_a_call() -> list[Check]:
    """The models that the settings name are there, and answer. Needs no fleet."""
    from workers.cli.model_check import check_model, try_models
    from workers.settings import load_settings

    found = check_model(load_settings())
    return found if any(check.state == "fail" for check in found) else [*found, *try_models(load_settings(), database)]


def check_circuits() -> list[Check]:
    """No model is set aside after failures."""
    from workers.cli import model_check

    return model_check.check_circuits(settings(), database())


def check_probe() -> list[Check]:
    """What the models were seen to fail at."""
    from workers.cli import model_check

    return model_check.check_probe(settings(), database())


def check_systems() -> list[Check]:
    """The systems that a diagnosis looks at let its account in from here. Workers elsewhere may have addresses that this process lacks."""
    from workers.checks.gathering import Looking, reach
    from workers.checks.looking import NoConnection
    from workers.checks.systems import list_systems

    def look(system: System) -> Check | None:
        try:
            reach(Looking(database(), settings().data_dir, system.owners[0] if system.owners else "default"), system)
        except NoConnection as error:
            why = passage(str(error))
        except BullpenError as error:
            why = reason_of(error)
        else:
            return None
        away = say("doctor.system_away", system=name(system.name), reason=why)
        return Check("systems", "warn", away, say("doctor.look", command=code(f"bullpen system look {system.name}")))

    found = list_systems(database())
    away = [check for system in found if (check := look(system)) is not None]
    return away if away or not found else [Check("systems", "ok", names(system.name for system in found))]


def _served_embedder() -> Check:
    """A model behind a server is asked for one vector."""
    embedder = load_embedder(settings())
    try:
        model = name(settings().embeddings)
        found = say("doctor.vector", model=model, n=count(embedder.dim, exact=True)) if embedder else NONE
    except (EngineError, ConfigurationError) as error:
        return Check("embeddings", "warn", say("doctor.until_then", reason=reason_of(error)))
    return Check("embeddings", "ok", found)


def check_disk() -> list[Check]:
    """Room in the data folder."""
    home = settings().data_dir
    at = next((folder for folder in (home, *home.parents) if folder.exists()), home)
    free = shutil.disk_usage(at).free
    where = {"free": size(free), "folder": name(home)}
    finding = say("doctor.free", **where) if home.exists() else say("doctor.free_not_made", **where)
    if free < LITTLE_DISK_BYTES:
        move = say("doctor.make_room", command=code("bullpen purge"), setting=name("BULLPEN_HOME"))
        return [Check("data folder", "warn", finding, move)]
    return [Check("data folder", "ok", finding)]
