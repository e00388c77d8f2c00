"""Whether the broker takes what the fleet sends: tried at the start of a worker, and by `bullpen doctor`. What it refuses is said in a
sentence; otherwise Celery ends in the middle of its start, and a supervisor starts it again for ever."""

from collections.abc import Generator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any
from uuid import uuid4

from contracts.statements import name, passage, say
from workers.app.redis_alone import exceptions
from workers.app.services import ProcessServices
from workers.errors import BrokerUnavailable, ConfigurationError
from workers.secrets import redact_url

if TYPE_CHECKING:
    from redis import Redis

_TRIED = "bullpen:try"
"""Key and channel of the try; the key lives for a millisecond."""


def require_redis(services: ProcessServices) -> None:
    """Raise what `try_redis` raises. A server that does not answer, or became a replica, is waited for as at any other time."""
    try:
        try_redis(services.redis, redact_url(services.settings.broker_url or ""))
    except (exceptions.ConnectionError, exceptions.TimeoutError, exceptions.ReadOnlyError):
        return


def try_redis(client: "Redis", where: str) -> dict[str, Any]:
    """What `INFO` says. Raises `ConfigurationError` for a cluster and for a user without a right that the fleet needs, and
    `BrokerUnavailable` for a server that takes no writes, since its memory is full or its snapshots fail."""
    try:
        known: Any = client.info()  # pyright: ignore[reportUnknownMemberType]  # redis leaves **kwargs untyped
        if "cluster" in (known.get("redis_mode"), known.get("server_mode")):  # the second in Valkey
            raise ConfigurationError.of(say("refused.broker.cluster", address=name(where)))
        client.set(_TRIED, 1, px=1)
        client.publish(_TRIED, "")  # pyright: ignore[reportUnknownMemberType]  # as above
    except exceptions.NoPermissionError as error:
        raise ConfigurationError.of(say("refused.broker.rights", address=name(where), reason=passage(str(error)))) from None
    except exceptions.ReadOnlyError:
        raise
    except exceptions.ResponseError as error:
        raise BrokerUnavailable.of(say("refused.broker.no_writes", address=name(where), reason=passage(str(error)))) from None
    return known


def try_amqp(channel: Any, where: str) -> None:
    """Declare a queue that only this connection sees. Raises `ConfigurationError` for a user who may not."""
    with rights_said(where):
        channel.queue_declare(queue=f"bullpen.try.{uuid4().hex}", exclusive=True, auto_delete=True)


@contextmanager
def rights_said(where: str) -> Generator[None]:
    """What RabbitMQ refuses to a user within the block becomes a `ConfigurationError`."""
    from amqp.exceptions import AccessRefused, NotAllowed

    try:
        yield
    except (AccessRefused, NotAllowed) as error:
        raise ConfigurationError.of(say("refused.broker.rights", address=name(where), reason=passage(str(error)))) from None
