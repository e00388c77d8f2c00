"""Task events leave where somebody asked for them (Flower does, every second), and in batches: Flower sees them a quarter of a second
later, and a step costs less for both."""

from typing import Any

from celery import bootsteps
from celery.events.dispatcher import EventDispatcher

from workers.app.outbox import Outbox

BATCH_S = 0.25
MOST_EVENTS = 200
"""Events of one message, about 400 bytes each. Celery's 24 are full ten times in `BATCH_S` where steps are short, and a message costs
its sender and each reader as much as several events."""


_TASKS = "task"
"""Celery's group of the events of tasks."""


class SentEvents:
    """Takes `task-sent` events of this process's publisher into the worker's next batch."""

    def __init__(self, dispatcher: EventDispatcher) -> None:
        self._dispatcher = dispatcher

    @property
    def are_wanted(self) -> bool:
        """Whether somebody listens: Flower, or who sent Celery's `enable_events`."""
        return are_wanted(self._dispatcher)

    def publish(self, type: str, fields: dict[str, Any], producer: object, **_options: Any) -> None:
        """As Celery's dispatcher, but later."""
        self._dispatcher.send(type, **fields)


def are_wanted(dispatcher: EventDispatcher) -> bool:
    """Whether a worker's dispatcher lets events of tasks out."""
    return not dispatcher.groups or _TASKS in dispatcher.groups


def batch_events(publisher: Outbox | None) -> type[bootsteps.StartStopStep]:
    """A bootstep: Celery publishes a worker's task events at each turn of its loop; with this they leave every `BATCH_S`,
    or `MOST_EVENTS` together. `publisher`: whose `task-sent` events go with them."""

    class BatchEvents(bootsteps.StartStopStep):
        requires = ("celery.worker.consumer.events:Events",)

        def __init__(self, parent: Any, **kwargs: Any) -> None:
            super().__init__(parent, **kwargs)
            self._timer: Any = None
            self._were_wanted = False

        def start(self, parent: Any) -> None:
            """At each (re)connection, which brings a new dispatcher."""
            dispatcher = parent.event_dispatcher
            if parent.hub is None or dispatcher is None or not dispatcher.enabled:
                return
            if self._were_wanted and dispatcher.groups:
                dispatcher.groups.add(_TASKS)
            dispatcher.on_send_buffered = None
            dispatcher.buffer_limit = MOST_EVENTS
            self._timer = parent.timer.call_repeatedly(BATCH_S, dispatcher.flush)
            if publisher is not None:
                publisher.sent_events = SentEvents(dispatcher)

        def stop(self, parent: Any) -> None:
            """What is left goes out with the worker."""
            if publisher is not None:
                publisher.sent_events = None
            if self._timer is not None:
                self._timer.cancel()
                self._timer = None
            if parent.event_dispatcher is not None:
                self._were_wanted = are_wanted(parent.event_dispatcher)
                parent.event_dispatcher.flush()

        shutdown = stop

    return BatchEvents
