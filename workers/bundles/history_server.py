"""Fetches event logs from a Spark History Server: of one application, or of the newest ones.

The addresses that are asked lie below the prefixes that the operator allows, as every other URL does; size and time are limited for all
logs of a request together.
"""

import json
import re
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, cast

from contracts import statements
from contracts.spark import LogRefusal
from contracts.statements import say
from workers.bundles.files import needing_room, safe_name
from workers.bundles.history_urls import HistoryAddress
from workers.bundles.limits import CHUNK_BYTES, BundleLimits
from workers.bundles.web import WebFile
from workers.engines.spark.eventlog.bundles import open_bundle
from workers.engines.spark.eventlog.limits import ReadLimits
from workers.errors import BullpenError, InvalidInput, NotFound, StoreUnavailable, UnreadableLog

MOST_APPLICATIONS = 100
"""Applications of one request. Each is read as a whole, so a busy server's day is asked for in parts."""

LIST_BYTES = 8 << 20
"""Bytes of an answer that is no log. A hundred applications take about 60 kB."""

DAY = timedelta(days=1)
"""Without a day in the request: the applications that began within so much time before the newest one ended."""

TIME = re.compile(r"^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)")
"""Times of servers before Spark 2.0, which have no field in milliseconds: `2026-01-31T02:00:05.123GMT`."""


@dataclass(frozen=True, slots=True)
class Days:
    """Which days' applications are meant, in UTC. None: open on that side."""

    first: date | None = None
    last: date | None = None


ALL_DAYS = Days()


@dataclass(frozen=True, slots=True)
class _Application:
    app_id: str
    attempts: tuple[Any, ...]
    """Attempt and time of its last change, of each."""
    started_ms: int
    ended_ms: int


class HistoryServer:
    """The event logs behind an address of a history server. Raises the errors of `WebFile`, `InvalidInput` where the server is none, and
    `UnreadableLog` where the logs are too large or their archive is unsafe."""

    def __init__(self, address: HistoryAddress, allow: Callable[[str], str], limits: BundleLimits, within_s: float, days: Days) -> None:
        """`allow`: raises `InvalidInput` for a URL without its query that the deployment does not allow."""
        self._address = address
        self._allow = allow
        self._limits = limits
        self._until = time.monotonic() + within_s
        self._days = days
        self._known: tuple[_Application, ...] | None = None

    def state(self) -> list[Any] | None:
        """The applications with the time of the last change of each attempt."""
        return [[application.app_id, list(application.attempts)] for application in self._applications()]

    def copy_to(self, folder: Path) -> Path:
        """Copy the logs, those of each application into a folder of its own."""
        target, left = folder / "runs", self._limits.bytes
        target.mkdir()
        for application in self._applications():
            left = self._copy(application, folder, target / safe_name(application.app_id), left)
        return target

    def _applications(self) -> tuple[_Application, ...]:
        if self._known is None:
            self._known = self._one(self._address.app_id) if self._address.app_id else self._newest()
        return self._known

    def _one(self, app_id: str) -> tuple[_Application, ...]:
        found = _application(self._json(self._address.application(app_id)))
        if found is None:
            raise self._no_server()
        return (found,)

    def _newest(self) -> tuple[_Application, ...]:
        """At most `MOST_APPLICATIONS`: those of the days asked for, or of the last day with any."""
        listed = self._json(self._address.applications(MOST_APPLICATIONS + 1, self._days.first, self._days.last))
        if not isinstance(listed, list):
            raise self._no_server()
        found = [application for row in cast("list[Any]", listed) if (application := _application(row)) is not None]
        found = [application for application in found if self._is_meant(application, found)]
        if not found:
            raise NotFound.of(say("bundles.refused.no_application", server=statements.name(self._address.base[:200])))
        if len(found) > MOST_APPLICATIONS:
            server, most = statements.name(self._address.base[:200]), statements.count(MOST_APPLICATIONS)
            raise InvalidInput.of(say("bundles.refused.many_applications", server=server, most=most))
        return tuple(sorted(found, key=lambda application: application.app_id))

    def _is_meant(self, application: _Application, others: Sequence[_Application]) -> bool:
        """Servers differ in what they make of days, so it is looked at again here."""
        day = datetime.fromtimestamp(application.started_ms / 1000, UTC).date()
        if self._days.first is None and self._days.last is None:
            newest = max(other.ended_ms for other in others)
            return application.started_ms >= newest - DAY / timedelta(milliseconds=1)
        return (self._days.first or day) <= day <= (self._days.last or day)

    def _copy(self, application: _Application, folder: Path, target: Path, left: int) -> int:
        """The log files of one application, out of the server's archive. Returns the bytes that may still come."""
        attempt = self._address.attempt if self._address.app_id else None
        archive = self._fetch(self._address.logs(application.app_id, attempt), folder, left)
        limits = ReadLimits(file_bytes=self._limits.bytes, expanded_bytes=left, members=self._limits.files)
        bundle = open_bundle(archive, limits)
        for name, file in bundle.read(bundle.in_order()):
            path = target / safe_name(name)
            path.parent.mkdir(parents=True, exist_ok=True)
            with needing_room(folder), path.open("wb") as copy:
                while data := file.read(CHUNK_BYTES):
                    left -= len(data)
                    if left < 0:
                        raise UnreadableLog(
                            LogRefusal.TOO_LARGE, say("bundles.refused.too_large", what=statements.name(self._address.base[:200]))
                        )
                    copy.write(data)
        archive.unlink()
        return left

    def _json(self, url: str) -> Any:
        """An answer of the API. Raises `InvalidInput` if it is something else."""
        try:
            with TemporaryDirectory() as folder:
                return json.loads(self._fetch(url, Path(folder), LIST_BYTES).read_bytes())
        except (ValueError, UnreadableLog) as error:
            raise self._no_server() from error

    def _fetch(self, url: str, folder: Path, most_bytes: int) -> Path:
        self._allow(url.partition("?")[0])
        left_s = self._until - time.monotonic()
        if left_s <= 0:
            raise StoreUnavailable.of(say("bundles.refused.history_slow", server=statements.name(self._address.base[:200])))
        return WebFile(url, BundleLimits(most_bytes, 1), left_s).copy_to(folder)

    def _no_server(self) -> BullpenError:
        server, version = statements.name(self._address.base[:200]), statements.name(self._address.version)
        return InvalidInput.of(say("bundles.refused.no_history", server=server, version=version))


def serves_history(address: HistoryAddress, allow: Callable[[str], str], within_s: float) -> bool:
    """Whether the server says that it is one. Raises what `WebFile` raises, but for a server that does not have the address."""
    try:
        with TemporaryDirectory() as folder:
            allow(address.version)
            reply = json.loads(WebFile(address.version, BundleLimits(LIST_BYTES, 1), within_s).copy_to(Path(folder)).read_bytes())
    except (ValueError, InvalidInput, NotFound, UnreadableLog):
        return False
    return isinstance(reply, dict) and "spark" in reply


def _application(row: Any) -> _Application | None:
    """None if it is not what the API answers."""
    if not isinstance(row, dict):
        return None
    fields = cast("dict[str, Any]", row)
    app_id, attempts = fields.get("id"), fields.get("attempts")
    if not isinstance(app_id, str) or not app_id or not isinstance(attempts, list):
        return None
    rows = [cast("dict[str, Any]", attempt) for attempt in cast("list[Any]", attempts) if isinstance(attempt, dict)]
    return _Application(
        app_id=app_id,
        attempts=tuple([str(row.get("attemptId")), str(row.get("lastUpdatedEpoch", row.get("lastUpdated")))] for row in rows),
        started_ms=min((_ms(row, "startTime") for row in rows), default=0),
        ended_ms=max((_ms(row, "endTime") for row in rows), default=0),
    )


def _ms(row: dict[str, Any], name: str) -> int:
    """A point in time; 0 if it is not known."""
    epoch, text = row.get(f"{name}Epoch"), row.get(name)
    if isinstance(epoch, int):
        return max(0, epoch)
    found = TIME.match(text) if isinstance(text, str) else None
    return int(datetime.fromisoformat(found[1]).replace(tzinfo=UTC).timestamp() * 1000) if found else 0
