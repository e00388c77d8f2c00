"""A consumer of task events, as Flower is one. Every Celery contestant has one, and its CPU is counted."""

import sys

from celery import Celery

from tests.bench.processes import READY

if __name__ == "__main__":
    app = Celery("events", broker=sys.argv[1], set_as_current=False)
    app.conf.event_queue_expires = 60
    with app.connection_for_read() as connection:
        receiver = app.events.Receiver(connection, handlers={"*": lambda _event: None})
        print(READY, flush=True)
        receiver.capture(limit=None, timeout=None, wakeup=False)
