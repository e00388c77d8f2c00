"""The whole fleet on one machine, from wheels: Postgres, Redis, workers, the gateway, and Flower."""

import errno
import json
import os
import secrets
import signal
import socket
import sys
from collections.abc import Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from contracts.roles import COORDINATOR, RoleName
from workers.blackboard.engine import Database
from workers.blackboard.schema import migrate
from workers.errors import ConfigurationError
from workers.local.errors import DataFolderInUse
from workers.local.group import ProcessGroup, bullpen_command
from workers.local.postgres import EmbeddedPostgres
from workers.local.process import Child, FolderLock, Launch
from workers.local.valkey import EmbeddedValkey
from workers.loggers import get_logger
from workers.roles.registry import busy_roles
from workers.settings import Settings

log = get_logger(__name__)

BESIDE_SERVERS = 10
"""How far workers give way on the machine of their servers and gateway (`nice`): what it brings while the cores are short is in
docs/evaluation.md, "The gateway"."""


@dataclass(frozen=True, slots=True)
class Addresses:
    """The addresses of the fleet of a data folder. Other commands read them from `addresses.json` (mode 0600)."""

    database_url: str
    broker_url: str
    flower_url: str | None
    flower_basic_auth: str | None
    pid: int
    gateway_url: str | None = None


def addresses_path(home: Path) -> Path:
    """The file in a data folder that holds its `Addresses`."""
    return home / "addresses.json"


@contextmanager
def local_servers(settings: Settings) -> Generator[Addresses]:
    """Postgres and Redis on the data folder, with a migrated database. A server that the settings name is used instead.

    Raises `DataFolderInUse` if another process uses the folder.
    """
    home = settings.data_dir
    make_private(home)
    lock = FolderLock(home)
    try:
        lock.acquire()
    except DataFolderInUse as error:
        raise DataFolderInUse(
            f"A fleet already runs on {home}: {error} Use it as it is (`bullpen jobs`), or set BULLPEN_HOME to another folder."
        ) from None
    before = os.umask(0o077)  # logs, addresses and files of jobs, of this process and of all that it starts
    postgres = EmbeddedPostgres(home / "postgres") if settings.database_url is None else None
    valkey = EmbeddedValkey(home / "redis") if settings.broker_url is None else None
    try:
        if postgres is not None:
            postgres.start()
        if valkey is not None:
            valkey.start()
        database_url = postgres.url if postgres is not None else settings.database_url or ""
        broker_url = valkey.url if valkey is not None else settings.broker_url or ""
        db = Database(database_url, pool_size=1)
        migrate(db)
        db.close()
        yield Addresses(database_url, broker_url, None, None, os.getpid())
    finally:
        addresses_path(home).unlink(missing_ok=True)
        if valkey is not None:
            valkey.stop()
        if postgres is not None:
            postgres.stop()
        lock.release()
        os.umask(before)


def make_private(folder: Path) -> None:
    """Make the folder, or close an existing one of ours, so that no other user of this machine reads what is in it."""
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid == os.getuid():
        folder.chmod(0o700)


def fleet_environment(settings: Settings, addresses: Addresses) -> dict[str, str]:
    """Environment variables of the fleet's processes, added to the environment they inherit."""
    return {
        "BULLPEN_WORKER_NICE": str(BESIDE_SERVERS if settings.worker_nice is None else settings.worker_nice),
        "BULLPEN_DATABASE_URL": addresses.database_url,
        "BULLPEN_BROKER_URL": addresses.broker_url,
        "BULLPEN_HOME": str(settings.data_dir),
        "BULLPEN_LOG_FORMAT": settings.log_format,
    }


def idle_roles() -> list[str]:
    """The roles that no installed kind has a task for. Load the kinds first."""
    busy = busy_roles()
    return [role.value for role in RoleName if role not in busy]


TOGETHER = "worker"
"""Name of the process that serves several roles."""


def worker_commands(scale: Mapping[str, int] | None = None, *, processes: bool = False) -> dict[str, list[str]]:
    """The commands of the workers: one process for the coordinator and all roles but those that `scale` sets to 0, and beside it as many of
    their own as `scale` says. `processes`: no such process, but one of its own for the coordinator and for each role that has work. Names
    are `ROLE` or `ROLE-N`. Load the kinds first."""
    scale = scale or {}
    names = (COORDINATOR, *(role.value for role in RoleName))
    idle = idle_roles()
    commands: dict[str, list[str]] = {}
    if not processes and (served := [name for name in names if scale.get(name) != 0]):
        commands[TOGETHER] = bullpen_command("worker", *(["--all"] if len(served) == len(names) else served))
    for role in names:
        count = scale.get(role, int(processes and role not in idle))
        for number in range(1, count + 1):
            commands[role if count == 1 else f"{role}-{number}"] = bullpen_command("worker", role)
    return commands


def gateway_socket(settings: Settings) -> socket.socket:
    """Listens where the gateway will, which takes it over (`fleet_group`): another fleet that starts meanwhile cannot have the port. If the
    port of the settings is in use, a free port is taken. Raises `ConfigurationError` for an address that cannot be listened on."""
    return _listening("The gateway", "BULLPEN_GATEWAY", settings.gateway_address, settings.gateway_port)


def flower_socket(settings: Settings) -> socket.socket:
    """The same for Flower."""
    return _listening("Flower", "BULLPEN_FLOWER", settings.flower_address, settings.flower_port)


def _listening(who: str, setting: str, host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        try:
            return socket.create_server((host, port), family=family)
        except OSError as error:
            if error.errno != errno.EADDRINUSE:
                raise
            return socket.create_server((host, 0), family=family)
    except OSError as error:
        raise ConfigurationError(
            f"{who} cannot listen on {host or 'every address'}, port {port}: {error.strerror or error}. "
            f"Set {setting}_ADDRESS and {setting}_PORT."
        ) from error


def write_addresses(home: Path, addresses: Addresses) -> None:
    """Write the addresses for other commands on this machine. Only the owner may read the file, since it holds passwords."""
    path = addresses_path(home)
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
    with os.fdopen(descriptor, "w") as file:
        json.dump(asdict(addresses), file)


@contextmanager
def filled_catalogue(settings: Settings, addresses: Addresses) -> Generator[None]:
    """Within the block a process fills the catalogue of these servers (`workers.local.filling`) and ends when it is done. Enter it in the
    main thread, when `ProcessGroup.start` has made the folder of logs."""
    command = [sys.executable, "-P", "-m", "workers.local.filling"]
    env = {**os.environ, **fleet_environment(settings, addresses)}
    child = Child(Launch("catalogue", command, signal.SIGTERM, settings.data_dir / "logs" / "catalogue.log", env=env, folder=Path.cwd()))
    try:
        yield
    finally:
        child.kill()


def fleet_group(
    settings: Settings,
    addresses: Addresses,
    *,
    gateway: bool = True,
    flower: bool = False,
    scale: Mapping[str, int] | None = None,
    processes: bool = False,
    run: Callable[[Sequence[str]], int] | None = None,
) -> tuple[ProcessGroup, Addresses]:
    """The fleet's processes for these servers, as `worker_commands` has them, not started yet, and the addresses with those of gateway and
    Flower, whose ports are listened on from now on. If Flower has no password, a new one is generated, since anybody who reaches it can
    start and revoke tasks. `run`: as `ProcessGroup` takes it."""
    commands = worker_commands(scale, processes=processes)
    env = fleet_environment(settings, addresses)
    if TOGETHER in commands and "advance" not in settings.model_fields_set:
        env["BULLPEN_ADVANCE"] = "inline"  # the workers beside it do as it does
    sockets: dict[str, socket.socket] = {}
    if flower:
        sockets["flower"] = flower_socket(settings)
        auth = settings.flower_basic_auth or f"bullpen:{secrets.token_urlsafe(12)}"
        addresses = replace(addresses, flower_url=_url(settings.flower_address, sockets["flower"]), flower_basic_auth=auth)
        commands["flower"] = bullpen_command("flower")
        env["BULLPEN_FLOWER_PORT"], env["BULLPEN_FLOWER_BASIC_AUTH"] = str(sockets["flower"].getsockname()[1]), auth
    if gateway:
        sockets["gateway"] = gateway_socket(settings)
        addresses = replace(addresses, gateway_url=_url(settings.gateway_address, sockets["gateway"]))
        commands["gateway"] = bullpen_command("gateway")
        env["BULLPEN_GATEWAY_PORT"] = str(sockets["gateway"].getsockname()[1])
    logs, grace_s, hung_after_s = settings.data_dir / "logs", settings.shutdown_grace_s, settings.hung_after_s
    return ProcessGroup(commands, env, logs, sockets=sockets, run=run, grace_s=grace_s, hung_after_s=hung_after_s), addresses


def _url(host: str, listening: socket.socket) -> str:
    return f"http://{f'[{host}]' if ':' in host else host}:{listening.getsockname()[1]}"


def has_sample(database_url: str) -> bool:
    """Whether the sample shop is there, or is to be made: nobody has a source of their own."""
    database = Database(database_url, pool_size=1, name="bullpen-sample")
    try:
        return database.row("SELECT name FROM sources WHERE NOT sample LIMIT 1") is None
    finally:
        database.close()
