"""Opens the server or the folder of a log."""

from pathlib import Path

from contracts.log_sources import LogKind, LogSource
from workers.logs.addresses import folder, loki_address
from workers.logs.backends import Backend


def backend_of(log: LogSource, data_dir: Path) -> Backend:
    """The server or the folder of a log. Connects to nothing yet."""
    match log.kind:
        case LogKind.FILES:
            from workers.logs.files import LogFiles

            return LogFiles(lambda: folder(log, data_dir), log.limits)
        case LogKind.LOKI:
            from workers.logs.loki import Loki

            return Loki(lambda: loki_address(log), log.limits)
