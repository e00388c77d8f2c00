"""Errors of the embedded servers. They are not retried: a person has to act."""

from workers.errors import BullpenError


class ServerStartFailed(BullpenError):
    """An embedded server could not be started. The message ends with the tail of its log, if it wrote a log."""

    http_status = 503


class DataFolderInUse(BullpenError):
    """Another process runs a server on this data folder. The message names its pid."""

    http_status = 409


class BinariesMissing(BullpenError):
    """The programs of an embedded server are not installed here."""

    http_status = 503
