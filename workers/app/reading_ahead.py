"""The retriever's thread that reads the ticket history ahead, between and beside its steps."""

import threading

import structlog

from workers.app.services import ProcessServices
from workers.errors import BullpenError

log = structlog.get_logger()

_LOOK_S = 2.0
"""Between two looks whether there is anything to read; a history that has changed since the last one is left to settle."""
_PAUSE_S = 0.02
"""Between two slices, which take less: a step that runs meanwhile has most of the processor."""


class ReadingAhead(threading.Thread):
    """Reads until `stop` is set. It spares steps time and nothing depends on it, so what fails is logged and tried again."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-read-ahead", daemon=True)
        self._services = services
        self._stopping = stop

    def run(self) -> None:
        """Until told to stop."""
        pause_s = _LOOK_S
        while not self._stopping.wait(pause_s):
            pause_s = _PAUSE_S if self._read() else _LOOK_S

    def _read(self) -> bool:
        from workers.tickets.ahead import read_ahead  # not while a worker starts, and in no other role's worker

        try:
            embedder = self._services.embedder
            return read_ahead(self._services.database, embedder.model if embedder else None, settled_s=_LOOK_S)
        except BullpenError as error:
            log.warning("read_ahead_failed", reason=str(error))
        except Exception:
            log.exception("read_ahead_crashed")
        return False
