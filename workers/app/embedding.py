"""The retriever's thread that gives vectors to the texts that have none: after an import, and after a change of the model."""

import contextlib
import os
import sys
import threading
import time

from workers.app.services import ProcessServices
from workers.errors import BullpenError
from workers.kinds.registry import all_kinds
from workers.loggers import get_logger

log = get_logger(__name__)

_LOOK_S = 5.0
"""Between two looks whether there is anything to embed."""

_SHARE = 0.5
"""Of the time that the thread works while there is: the rest is left to steps."""


_NICE = 19


class Embedding(threading.Thread):
    """Embeds until `stop` is set. Searches go by words until it is done, so what fails is logged and tried again. Only one process of
    the fleet does it at a time."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-embedding", daemon=True)
        self._services = services
        self._stopping = stop

    def run(self) -> None:
        """Until `stop` is set. Steps go first: on Linux a thread has a priority of its own."""
        if sys.platform == "linux":
            with contextlib.suppress(OSError):
                os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _NICE)
        pause_s = _LOOK_S
        while not self._stopping.wait(pause_s):
            started = time.monotonic()
            worked = self._embed()
            pause_s = (time.monotonic() - started) * (1 / _SHARE - 1) if worked else _LOOK_S

    def _embed(self) -> bool:
        """Make one batch of vectors; whether there was one."""
        from workers.catalogue import embedding as catalogue  # not while a worker starts, and in no other role's worker
        from workers.tickets import embedding as tickets

        try:
            embedder, database = self._services.embedder, self._services.database
            if embedder is None:
                return False
            own = (kind.embed_next.load() for kind in all_kinds() if kind.embed_next)
            return any(embed_next(database, embedder) for embed_next in (*own, tickets.embed_next, catalogue.embed_next))
        except BullpenError as error:
            log.warning("embedding_failed", reason=str(error))
        except Exception:
            log.exception("embedding_crashed")
        return False
