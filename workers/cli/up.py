"""`bullpen up`: the whole fleet on this machine, kept running until Ctrl-C."""

import contextlib
import socket
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Annotated
from urllib.parse import urlsplit

import typer

from contracts.roles import COORDINATOR, RoleName
from contracts.statements import names, quote, say
from workers.blackboard.engine import Database
from workers.cli.context import errors
from workers.console.offered import login_address
from workers.errors import InvalidInput, Unavailable
from workers.kinds.registry import load_kinds
from workers.local.fleet import (
    Addresses,
    addresses_path,
    fleet_group,
    idle_roles,
    local_servers,
    with_flower,
    with_gateway,
    write_addresses,
)
from workers.loggers import get_logger
from workers.settings import Settings, load_settings
from workers.telemetry import configure_logging

log = get_logger(__name__)


def up(
    scale: Annotated[list[str] | None, typer.Option(help="ROLE=N: processes of a role; may be given several times.")] = None,
    flower: Annotated[bool, typer.Option(help="Also run Flower.")] = True,
    gateway: Annotated[bool, typer.Option(help="Also run the gateway with the console.")] = True,
) -> None:
    """Run the whole fleet here: Postgres, Redis, a worker for each role, the coordinator and Flower. Ctrl-C stops it cleanly.

    Data is kept in BULLPEN_HOME. If BULLPEN_DATABASE_URL or BULLPEN_BROKER_URL is set, that server is used instead.
    """
    settings = load_settings()
    asked = settings.log_level if "log_level" in settings.model_fields_set else "warning"
    configure_logging("console", asked)  # each process of the fleet logs to a file of its own; here a person reads
    load_kinds(settings.extensions)
    counts = read_scale(scale or [])
    started = time.monotonic()
    errors.print("Starting Postgres, Redis and the fleet ...", style="dim")
    with local_servers(settings) as servers:
        addresses = with_flower(settings, servers) if flower else servers
        addresses = with_gateway(settings, addresses) if gateway else addresses
        group = fleet_group(settings, addresses, scale=counts)
        group.start()
        write_addresses(settings.data_dir, addresses)
        errors.print(f"[bold]The fleet runs[/] (started in {time.monotonic() - started:.1f} s). Data and logs: {settings.data_dir}")
        if addresses.gateway_url:
            errors.print(f"Gateway: {addresses.gateway_url} (keys: bullpen keys create{_moved(settings, addresses)})", soft_wrap=True)
        if idle := [role for role in idle_roles() if role not in counts]:
            errors.print(f"Not started, since no installed kind of job needs them: {', '.join(idle)} (--scale ROLE=1 starts one).")
        if addresses.flower_url:
            user = (addresses.flower_basic_auth or "").partition(":")[0]
            where = addresses_path(settings.data_dir)
            errors.print(f"Flower: {addresses.flower_url} (user {user}, password: flower_basic_auth in {where})", soft_wrap=True)
        errors.print('In another terminal: [bold]bullpen doctor[/] · [bold]bullpen submit diagnose "..."[/] · [bold]bullpen jobs[/]')
        threading.Thread(target=_fill_catalogue, args=(servers.database_url, settings.data_dir), name="bullpen-sample", daemon=True).start()
        errors.print('A sample shop to ask about is the source shop: [bold]bullpen catalogue search "revenue by month"[/]')
        errors.print("Ctrl-C stops it; running steps get time to finish.")
        group.run(_console_offer(addresses))
        errors.print("Stopping ...")
    errors.print("Stopped. The data is kept.")


def _moved(settings: Settings, addresses: Addresses) -> str:
    """That the gateway has another port than the settings say, and why."""
    if urlsplit(addresses.gateway_url or "").port == settings.gateway_port:
        return ""
    return f"; port {settings.gateway_port} is in use, perhaps by another fleet: BULLPEN_GATEWAY_PORT names one"


def _console_offer(addresses: Addresses) -> Callable[[], None]:
    """What prints the address of the console, once: when the gateway listens, so that a click finds it."""
    waits_for = addresses.gateway_url

    def look() -> None:
        nonlocal waits_for
        if waits_for is None or not _listens(waits_for):
            return
        with contextlib.suppress(Unavailable):  # the next look tries again
            address = _login(addresses.database_url, waits_for)
            errors.print(f"Console: {address} (works once; a new one: bullpen console)", soft_wrap=True, markup=False)
            waits_for = None

    return look


def _listens(url: str) -> bool:
    place = urlsplit(url)
    try:
        with socket.create_connection((place.hostname or "127.0.0.1", place.port or 80), timeout=0.5):
            return True
    except OSError:
        return False


def _login(database_url: str, gateway_url: str) -> str:
    """An address that logs a browser in once."""
    database = Database(database_url, pool_size=1, name="bullpen-up")
    try:
        return login_address(database, gateway_url)
    finally:
        database.close()


def _fill_catalogue(database_url: str, data_dir: Path) -> None:
    """Take in Bullpen's own documents and, once, the sample shop, in the background; a fleet runs as well without them."""
    from workers.catalogue import import_own_documents, offer_sample  # reads SQL, which takes a second to import

    database = Database(database_url, pool_size=1, name="bullpen-sample")
    try:
        import_own_documents(database)
        offer_sample(database, data_dir)
    except Exception as error:  # a convenience that ends with the fleet: nothing of the fleet depends on it
        log.warning("catalogue_not_filled", reason=str(error))
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
