"""`bullpen gateway`: HTTP, live events and the console, in one process; any number of them serve one fleet."""

import os
import socket
from importlib import import_module

from contracts.statements import name, say
from workers.app.garbage import settle
from workers.app.services import ProcessServices
from workers.cli.context import settings
from workers.cli.flower import is_loopback
from workers.cli.telling import note
from workers.console.routes import all_routers
from workers.errors import ConfigurationError
from workers.gateway.access.keys import has_keys
from workers.gateway.app import create_gateway
from workers.gateway.serving import serve
from workers.heartbeat import Heartbeat
from workers.kinds.registry import load_kinds
from workers.local.group import LISTENING
from workers.telemetry import configure_logging

SLOTS = 10
"""Database connections that this process keeps."""


def gateway() -> None:
    """Run the gateway: BULLPEN_GATEWAY_ADDRESS, BULLPEN_GATEWAY_PORT.

    Every route but health needs a key (`bullpen keys create`). On an address other than loopback it starts only when there is one.
    """
    known = settings()
    load_kinds(known.extensions)
    services = ProcessServices(known, slots=SLOTS)
    if not is_loopback(known.gateway_address) and not has_keys(services.database):
        services.close()
        raise ConfigurationError(
            f"There is no key yet, so the gateway does not listen on {known.gateway_address or 'every address'}. "
            "Make one: bullpen keys create --owner NAME"
        )
    configure_logging(known.log_format, known.log_level)
    note(say("said.gateway", address=name(address_of(known.gateway_address, known.gateway_port))), style=None)
    app = create_gateway(services, all_routers())
    import_module("workers.app.publish")  # now, and not while the first submission waits
    settle()
    handed = os.environ.pop(LISTENING, None)
    listening = socket.socket(fileno=int(handed)) if handed else None
    serve(app, known.gateway_address, known.gateway_port, heart=Heartbeat(known.hung_after_s, known.heartbeat), listening=listening)


def address_of(host: str, port: int) -> str:
    """As a URL."""
    return f"http://{f'[{host}]' if ':' in host else host or '0.0.0.0'}:{port}"  # noqa: S104  only shown
