"""What can be asked of the fleet's processes: which workers answer, how long a queue is, and the names of the roles."""

from collections import Counter
from typing import TYPE_CHECKING, Any

from contracts.roles import COORDINATOR, RoleName
from contracts.statements import names, quote, say
from workers.app import fleet_models
from workers.errors import InvalidInput

if TYPE_CHECKING:
    from workers.app.services import ProcessServices

ALL = "all"
"""In the name of a process that serves every role and the coordinator."""
WORKERS = (COORDINATOR, *(role.value for role in RoleName))
"""Names of the workers that there can be."""


def worker_name(text: str) -> str:
    """A role, or `coordinator`. Raises `InvalidInput`, naming all."""
    if text not in WORKERS:
        raise InvalidInput.of(say("refused.no_role", role=quote(text[:80]), roles=names(WORKERS)))
    return text


def live_workers(services: "ProcessServices") -> dict[str, int] | None:
    """Role → worker processes that answer a ping within a second. None: the broker does not answer."""
    try:
        answers: Any = services.celery.control.inspect(timeout=fleet_models.PING_S).ping()
    except Exception:  # each broker client raises its own: it is not there
        return None
    titles: list[str] = [name.partition("@")[0] for name in answers or ()]
    return dict(Counter(role for title in titles for role in (WORKERS if title == ALL else title.split("+"))))


def queued_messages(services: "ProcessServices", role: str) -> int | None:
    """Messages in the queue of a role; None: the broker does not answer."""
    from workers.app.sweep import queue_length  # loads Celery, which few commands that read need

    return queue_length(services, role)
