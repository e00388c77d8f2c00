"""`bullpen up`: the whole fleet on this machine, kept running until Ctrl-C."""

import contextlib
import time
from collections.abc import Callable
from http.client import HTTPConnection, HTTPException
from typing import Annotated
from urllib.parse import urlsplit

import typer

from contracts.roles import COORDINATOR, RoleName
from contracts.statements import Statement, name, names, quote, say, seconds
from workers.blackboard.engine import Database
from workers.cli.members import load_members, run_member
from workers.cli.telling import note
from workers.console.offered import login_address
from workers.errors import InvalidInput, Unavailable
from workers.kinds.registry import load_kinds
from workers.local.fleet import (
    Addresses,
    addresses_path,
    filled_catalogue,
    fleet_group,
    has_sample,
    idle_roles,
    local_servers,
    write_addresses,
)
from workers.settings import Settings, load_settings
from workers.telemetry import configure_logging


def up(
    scale: Annotated[
        list[str] | None, typer.Option(help="ROLE=N: so many processes for a role alone, 0: it is not served; may be given several times.")
    ] = None,
    processes: Annotated[bool, typer.Option("--processes", help="A process for each role and one for the coordinator.")] = False,
    flower: Annotated[bool, typer.Option(help="Also run Flower.")] = True,
    gateway: Annotated[bool, typer.Option(help="Also run the gateway with the console.")] = True,
) -> None:
    """Run the whole fleet here: Postgres, Redis, a worker for all roles, the gateway and Flower. Ctrl-C stops it cleanly.

    Data is kept in BULLPEN_HOME. If BULLPEN_DATABASE_URL or BULLPEN_BROKER_URL is set, that server is used instead.
    """
    settings = load_settings()
    asked = settings.log_level if "log_level" in settings.model_fields_set else "warning"
    configure_logging("console", asked)  # each process of the fleet logs to a file of its own; here a person reads
    load_kinds(settings.extensions)
    fork = None if settings.extensions else run_member  # a fork does not get what an extension starts as it is imported
    if fork is not None:
        load_members(["worker", *["gateway"] * gateway, *["flower"] * flower])
    counts = read_scale(scale or [])
    started = time.monotonic()
    note(say("said.up.starting"))
    with local_servers(settings) as servers:
        group, addresses = fleet_group(settings, servers, gateway=gateway, flower=flower, scale=counts, processes=processes, run=fork)
        group.start()
        write_addresses(settings.data_dir, addresses)
        note(say("said.up.runs", time=seconds(round(time.monotonic() - started, 1)), folder=name(settings.data_dir)), style="bold")
        if addresses.gateway_url:
            _tell(_gateway(settings, addresses))
        if processes and (idle := [role for role in idle_roles() if role not in counts]):
            _tell(say("said.up.idle", roles=names(idle), option=name("--scale ROLE=1")))
        if addresses.flower_url:
            user, where = (addresses.flower_basic_auth or "").partition(":")[0], addresses_path(settings.data_dir)
            entry = name("flower_basic_auth")
            _tell(say("said.up.flower", address=name(addresses.flower_url), user=name(user), entry=entry, file=name(where)))
        _tell(say("said.up.try", doctor=name("bullpen doctor"), submit=name('bullpen submit diagnose "..."'), jobs=name("bullpen jobs")))
        if has_sample(addresses.database_url):
            _tell(say("said.up.sample", source=name("shop"), command=name('bullpen catalogue search "revenue by month"')))
        _tell(say("said.up.ctrl_c"))
        with filled_catalogue(settings, addresses):
            group.run(_console_offer(addresses))
        _tell(say("said.up.stopping"))
    _tell(say("said.up.stopped"))


def _tell(message: Statement) -> None:
    note(message, style=None)


def _gateway(settings: Settings, addresses: Addresses) -> Statement:
    """Where the gateway is, and why it has another port than the settings say, if it has."""
    where = {"address": name(addresses.gateway_url), "command": name("bullpen keys create")}
    if urlsplit(addresses.gateway_url or "").port == settings.gateway_port:
        return say("said.up.gateway", **where)
    return say("said.up.gateway_moved", port=name(settings.gateway_port), setting=name("BULLPEN_GATEWAY_PORT"), **where)


def _console_offer(addresses: Addresses) -> Callable[[], None]:
    """What prints the address of the console, once: when the gateway answers, so that a click finds it."""
    waits_for = addresses.gateway_url

    def look() -> None:
        nonlocal waits_for
        if waits_for is None or not _answers(waits_for):
            return
        with contextlib.suppress(Unavailable):  # the next look tries again
            address = _login(addresses.database_url, waits_for)
            _tell(say("said.up.console", address=name(address), command=name("bullpen console")))
            waits_for = None

    return look


def _answers(url: str) -> bool:
    place = urlsplit(url)
    asking = HTTPConnection(place.hostname or "127.0.0.1", place.port or 80, timeout=0.5)
    try:
        asking.request("GET", "/healthz")
        return asking.getresponse().status < 500
    except (OSError, HTTPException):
        return False
    finally:
        asking.close()


def _login(database_url: str, gateway_url: str) -> str:
    """An address that logs a browser in once."""
    database = Database(database_url, pool_size=1, name="bullpen-up")
    try:
        return login_address(database, gateway_url)
    finally:
        database.close()


def read_scale(items: list[str]) -> dict[str, int]:
    """`retriever=2` → {"retriever": 2}. Raises `InvalidInput`."""
    known = [COORDINATOR, *(role.value for role in RoleName)]
    counts: dict[str, int] = {}
    for item in items:
        role, _, number = item.partition("=")
        if role not in known or not number.isdigit() or int(number) > 64:
            raise InvalidInput.of(say("refused.cli.scale", given=quote(item), roles=names(known)))
        counts[role] = int(number)
    return counts
