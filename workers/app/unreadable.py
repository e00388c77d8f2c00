"""Task messages that Celery itself cannot take: no task in them, an unknown one, a body that is not JSON. Into quarantine."""

from collections.abc import Callable
from typing import Any

from celery.worker.consumer import Consumer
from kombu.message import Message

from workers.app.services import ProcessServices
from workers.app.transport_hooks import TransportHook
from workers.blackboard import quarantine
from workers.blackboard.quarantine import Cut
from workers.loggers import get_logger

log = get_logger(__name__)


def quarantining_consumer(services: ProcessServices, base: type[Consumer] = Consumer) -> type[Consumer]:
    """Celery's consumer, but nothing that it refuses is dropped. What cannot be quarantined now goes Celery's way."""

    class QuarantiningConsumer(base):
        def create_task_handler(self, *args: Any, **kwargs: Any) -> Callable[[Message], Any]:
            handle: Callable[[Message], Any] = super().create_task_handler(*args, **kwargs)

            lost: Any = self  # celery-types does not know these

            def take(message: Message) -> Any:
                try:
                    return handle(message)
                except (*lost.connection_errors, *lost.channel_errors):
                    raise
                except Exception as error:  # e.g. arguments that are not a list: it would end every process that receives it
                    return self.on_invalid_task(None, message, error)

            return take

        def on_unknown_message(self, body: Any, message: Message) -> None:
            if not _put(services, message, "NoTask", "The message names no task."):
                super().on_unknown_message(body, message)

        def on_unknown_task(self, body: Any, message: Message, exc: Exception) -> None:
            name = str((message.headers or {}).get("task", ""))[:200]
            if not _put(services, message, "UnknownTask", f"This worker has no task {name!r}."):
                super().on_unknown_task(body, message, exc)

        def on_invalid_task(self, body: Any, message: Message, exc: Exception) -> None:
            if not _put(services, message, type(exc).__name__, str(exc)):
                super().on_invalid_task(body, message, exc)

        def on_decode_error(self, message: Message, exc: Exception) -> None:
            if not _put(services, message, type(exc).__name__, str(exc)):
                super().on_decode_error(message, exc)

    return QuarantiningConsumer


def keep_unreadable(services: ProcessServices) -> TransportHook[[str, bytes, Exception], None]:
    """For a transport that meets something in a queue that is not even an envelope."""

    def keep(queue: str, raw: bytes, error: Exception) -> None:
        try:
            quarantine.put(services.database, source=queue[:200], cause=type(error).__name__, message=str(error)[:2000], body=raw)
        except Exception as fault:  # no message may end the worker
            log.warning("not_quarantined", cause=type(error).__name__, error=type(fault).__name__, reason=str(fault)[:200])

    return TransportHook(keep)


def _put(services: ProcessServices, message: Message, cause: str, reason: str) -> bool:
    body: Any = message.body
    raw = body.encode("utf-8", "surrogatepass") if isinstance(body, str) else body if isinstance(body, Cut) else bytes(body or b"")
    queue = str((message.delivery_info or {}).get("routing_key", "unknown"))
    try:
        quarantine.put(services.database, source=queue[:200], cause=cause, message=reason[:2000], body=raw)
        message.ack()
    except Exception as error:  # no message may end the worker
        log.warning("not_quarantined", cause=cause, error=type(error).__name__, reason=str(error)[:200])
        return False
    return True
