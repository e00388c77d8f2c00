"""The retriever's thread that reads the prose of tickets with a model, as far as somebody ordered it (`bullpen tickets read`)."""

import threading

from contracts.roles import RoleName
from workers.app.services import ProcessServices
from workers.errors import BullpenError
from workers.loggers import get_logger

log = get_logger(__name__)

_LOOK_S = 5.0
"""Between two looks whether there is anything to read, and whether nobody else has work."""
_BUSY = "SELECT EXISTS (SELECT FROM jobs WHERE finished_at IS NULL AND admitted AND status IN ('accepted', 'running')) AS busy"


class TicketReading(threading.Thread):
    """Reads until `stop` is set, while no job has work: what people wait for goes first. What fails is logged and tried again."""

    def __init__(self, services: ProcessServices, stop: threading.Event) -> None:
        super().__init__(name="bullpen-ticket-reading", daemon=True)
        self._services = services
        self._stopping = stop

    def run(self) -> None:
        """Until `stop` is set."""
        pause_s = _LOOK_S
        while not self._stopping.wait(pause_s):
            pause_s = 0.0 if self.read() else _LOOK_S

    def read(self) -> bool:
        """Read a few tickets; whether there were any, and no job has work."""
        from workers.tickets.orders import read_next  # not while a worker starts, and in no other role's worker

        known = self._services
        try:
            if known.settings.model_of(RoleName.RETRIEVER) is None or (known.database.row(_BUSY) or {})["busy"]:
                return False
            return read_next(known.database, lambda tokens: known.models.without_job(RoleName.RETRIEVER, tokens=tokens))
        except BullpenError as error:
            log.warning("tickets_not_read", reason=str(error))
        except Exception:
            log.exception("ticket_reading_crashed")
        return False
