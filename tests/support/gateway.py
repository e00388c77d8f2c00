"""A gateway of a test: its routes with what each asks for, keys, and jobs to look at."""

import os
import re
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin, get_type_hints

import httpx
from fastapi import APIRouter, FastAPI
from fastapi.params import Depends, Security
from fastapi.testclient import TestClient

from contracts.access import Scope
from tests.support.servers import lasting_port
from workers.app.in_process import run_all
from workers.app.services import ProcessServices
from workers.blackboard.engine import Database
from workers.gateway.access.keys import create_key
from workers.gateway.app import create_gateway
from workers.gateway.serving import server_of
from workers.settings import Settings

EVERY_SCOPE_BUT_ADMIN = tuple(scope for scope in Scope if scope is not Scope.ADMIN)


@contextmanager
def working(settings: Settings) -> Iterator[ProcessServices]:
    """Services beside which jobs are run as they come, in a thread."""
    services, over = ProcessServices(settings, slots=4), threading.Event()

    def work() -> None:
        while not over.wait(0.05):
            run_all(services)

    worker = threading.Thread(target=work)
    worker.start()
    try:
        yield services
    finally:
        over.set()
        worker.join()
        services.close()


@contextmanager
def gateway_over(services: ProcessServices) -> Iterator[TestClient]:
    """A client of a gateway that runs."""
    with TestClient(create_gateway(services)) as client:
        yield client


def bearer(text: str) -> dict[str, str]:
    """The header of a key."""
    return {"Authorization": f"Bearer {text}"}


def key_for(db: Database, owner: str, *scopes: Scope) -> dict[str, str]:
    """The header of a new key; without scopes, one that may do everything but administer."""
    return bearer(create_key(db, owner, scopes=scopes or EVERY_SCOPE_BUT_ADMIN)[1])


@dataclass(frozen=True, slots=True)
class Reachable:
    """A route that a request can reach."""

    path: str
    method: str
    endpoint: Callable[..., Any]

    def at(self, **values: object) -> str:
        """The path with these values; parameters that are left out get one that is nowhere."""
        named = {name.partition(":")[0]: values.get(name.partition(":")[0], "nowhere") for name in re.findall(r"{([^}]+)}", self.path)}
        return re.sub(r"{([^}:]+)(:[^}]+)?}", lambda found: str(named[found[1]]), self.path)


def routes_of(app: FastAPI) -> list[Reachable]:
    """Every route that a request can reach, also those of included routers."""
    return [Reachable(route.path, method, route.endpoint) for route in _routes(app.routes) for method in sorted(route.methods or ())]


def _routes(routes: Iterable[Any]) -> Iterator[Any]:
    for route in routes:
        if hasattr(route, "effective_route_contexts"):
            yield from _routes(route.effective_route_contexts())
        elif hasattr(route, "endpoint"):
            yield route


OPEN = ("/healthz", "/readyz")
"""Paths that need no key."""


def every_route() -> list[Reachable]:
    """Those of a gateway that need a key."""
    made = create_gateway(ProcessServices(Settings(database_url="postgresql://nowhere/x", broker_url="redis://nowhere")))
    return [route for route in routes_of(made) if route.path not in OPEN]


def scopes_of(route: Reachable) -> set[Scope] | None:
    """The scopes that a route asks for; None: it asks for no key."""
    return _scopes(route.endpoint)


def _scopes(endpoint: Callable[..., Any]) -> set[Scope] | None:
    """Those of its own parameters, and of what these depend on."""
    found: set[Scope] | None = None
    for hint in get_type_hints(endpoint, include_extras=True).values():
        for extra in get_args(hint)[1:] if get_origin(hint) is Annotated else ():
            if isinstance(extra, Security):
                found = (found or set()) | {Scope(scope) for scope in extra.scopes or ()}
            elif isinstance(extra, Depends) and extra.dependency is not None:
                inner = _scopes(extra.dependency)
                found = found if inner is None else (found or set()) | inner
    return found


@contextmanager
def served(services: ProcessServices, port: int = 0, *, pages: Sequence[APIRouter] = (), grace_s: int = 3) -> Iterator[str]:
    """The address of a gateway, as a server that real clients connect to; on a free port unless one is named. `pages`: the console's
    routers. `grace_s`: for what runs when it ends."""
    server = server_of(create_gateway(services, pages), "127.0.0.1", port, grace_s=grace_s)
    thread = threading.Thread(target=server.run, name="gateway", daemon=True)
    thread.start()
    give_up_at = time.monotonic() + 120
    while not server.started:
        assert thread.is_alive()
        assert time.monotonic() < give_up_at
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join(120)
        assert not thread.is_alive(), "the gateway did not end"


@contextmanager
def kept_port() -> Iterator[int]:
    """A port that no other process gets while no server of the test listens on it: connections to it are refused."""
    with socket.socket() as keeper:
        keeper.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        keeper.bind(("127.0.0.1", 0))
        yield keeper.getsockname()[1]


@dataclass(frozen=True, slots=True)
class GatewayProcess:
    """`bullpen gateway` as a process."""

    url: str
    pid: int

    def peak_mib(self) -> float:
        """The most memory that it has had (VmHWM), in MiB."""
        return self._memory("VmHWM")

    def memory_mib(self) -> float:
        """The memory that it has (VmRSS), in MiB."""
        return self._memory("VmRSS")

    def forget_peak(self) -> None:
        """Let the peak begin again at what the process has now."""
        Path(f"/proc/{self.pid}/clear_refs").write_text("5", "ascii")

    def cpu_s(self) -> float:
        """The seconds of a core that it has taken."""
        parts = Path(f"/proc/{self.pid}/stat").read_text("ascii").rpartition(")")[2].split()
        return (int(parts[11]) + int(parts[12])) / os.sysconf("SC_CLK_TCK")

    def _memory(self, line: str) -> float:
        status = Path(f"/proc/{self.pid}/status").read_text("ascii").splitlines()
        return next(int(text.split()[1]) / 1024 for text in status if text.startswith(f"{line}:"))


@contextmanager
def gateway_process(settings: Settings) -> Generator[GatewayProcess]:
    """A gateway of these settings, on a free port, until the block ends."""
    port = lasting_port()
    env = {**os.environ, **environment_of(settings), "BULLPEN_GATEWAY_PORT": str(port)}
    process = subprocess.Popen([sys.executable, "-m", "workers.cli.main", "gateway"], env=env, stderr=subprocess.PIPE, text=True)
    try:
        url = f"http://127.0.0.1:{port}"
        give_up_at = time.monotonic() + 120
        while not _answers(f"{url}/readyz"):
            assert process.poll() is None, process.stderr and process.stderr.read()
            assert time.monotonic() < give_up_at, "the gateway did not start"
            time.sleep(0.1)
        yield GatewayProcess(url, process.pid)
    finally:
        process.terminate()
        process.communicate(timeout=120)


def environment_of(settings: Settings) -> dict[str, str]:
    """The settings that were given, as the environment of a process has them."""
    given = settings.model_dump(mode="json", exclude_unset=True)
    return {
        f"BULLPEN_{name.upper()}": ",".join(value) if isinstance(value, list) else str(value)
        for name, value in given.items()
        if isinstance(value, str | int | list)
    }


def _answers(url: str) -> bool:
    try:
        return httpx.get(url, timeout=60).status_code == 200
    except httpx.TransportError:
        return False
