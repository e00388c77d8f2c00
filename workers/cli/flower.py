"""`bullpen flower`: Flower, Celery's monitor, on our app. It can revoke and start tasks, so it is never open to a network."""

import ipaddress
import os

from contracts.statements import Value, name, say, sentences
from workers.app.celery_app import create_app
from workers.cli.context import settings
from workers.cli.flower_tasks import SHOWN, prepare_flower
from workers.cli.telling import note
from workers.errors import ConfigurationError
from workers.local.group import LISTENING
from workers.telemetry import configure_logging


def flower() -> None:
    """Run Flower, the fleet's monitor: BULLPEN_FLOWER_ADDRESS, BULLPEN_FLOWER_PORT, BULLPEN_FLOWER_BASIC_AUTH.

    On an address other than loopback it needs basic auth, else it does not start. Without basic auth its pages are open to
    this machine, and /api answers 401 unless FLOWER_UNAUTHENTICATED_API=true.
    """
    known = settings()
    address, auth = known.flower_address, known.flower_basic_auth
    if not is_loopback(address) and not auth:
        raise ConfigurationError(
            f"Flower can start and revoke tasks, so it does not listen on {address or 'every address'} without a password. "
            "Set BULLPEN_FLOWER_BASIC_AUTH=user:password, or BULLPEN_FLOWER_ADDRESS=127.0.0.1."
        )
    if auth is not None and not all(auth.partition(":")):
        raise ConfigurationError("BULLPEN_FLOWER_BASIC_AUTH must be user:password.")
    os.environ.setdefault("FLOWER_TASKS_COLUMNS", SHOWN)
    os.environ.update(flower_environment(address, known.flower_port, auth))
    shown = f"[{address}]" if ":" in address else address or "0.0.0.0"  # noqa: S104  it was checked above
    where: Value = say("said.flower", address=name(f"http://{shown}:{known.flower_port}"))
    if not auth and not os.environ.get("FLOWER_UNAUTHENTICATED_API"):
        where = sentences(where, say("said.flower.api", setting=name("BULLPEN_FLOWER_BASIC_AUTH")))
    note(where, style=None)
    configure_logging(known.log_format, known.log_level)
    app = create_app(known)
    app.conf.broker_transport = None  # kombu's own: Flower knows it by name and asks it for the queues' lengths
    prepare_flower(os.environ.pop(LISTENING, None))
    app.start(["flower"])


def flower_environment(address: str, port: int, auth: str | None) -> dict[str, str]:
    """Flower's options as environment: a password in a command line would be visible to every user of the machine."""
    chosen = {"FLOWER_ADDRESS": address, "FLOWER_PORT": str(port)}
    return chosen if auth is None else {**chosen, "FLOWER_BASIC_AUTH": auth}


def is_loopback(address: str) -> bool:
    """Whether only this machine can reach it. Names other than localhost may be anything."""
    if address == "localhost":
        return True
    try:
        return ipaddress.ip_address(address).is_loopback
    except ValueError:
        return False
