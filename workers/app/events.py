"""Task events leave in batches: Flower sees them a quarter of a second later, and a step pays a fifth for them."""

from typing import Any

from celery import bootsteps

BATCH_S = 0.25


class BatchEvents(bootsteps.StartStopStep):
    """Celery publishes a worker's task events at each turn of its loop; this publishes them `BATCH_S` apart, or 24 together."""

    requires = ("celery.worker.consumer.events:Events",)

    def __init__(self, parent: Any, **kwargs: Any) -> None:
        super().__init__(parent, **kwargs)
        self._timer: Any = None

    def start(self, parent: Any) -> None:
        """At each (re)connection, which brings a new dispatcher."""
        dispatcher = parent.event_dispatcher
        if parent.hub is None or dispatcher is None or not dispatcher.enabled:
            return
        dispatcher.on_send_buffered = None
        self._timer = parent.timer.call_repeatedly(BATCH_S, dispatcher.flush)

    def stop(self, parent: Any) -> None:
        """What is left goes out with the worker."""
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        if parent.event_dispatcher is not None:
            parent.event_dispatcher.flush()

    shutdown = stop
