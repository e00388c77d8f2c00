"""URLs of a Spark History Server: pages that people copy from their browser, and addresses of its REST API."""

import re
from dataclasses import dataclass
from datetime import date
from urllib.parse import quote, unquote, urlencode, urlsplit

API = "api/v1/applications"

_PAGE = re.compile(r"^(?P<base>.*/)history/(?P<app>[^/]+)(?:/(?P<attempt>[0-9]+))?(?:/.*)?$")
_REST = re.compile(r"^(?P<base>.*/)api/v1/applications(?:/(?P<app>[^/]+)(?:/(?P<attempt>[0-9]+))?(?:/.*)?)?/?$")


@dataclass(frozen=True, slots=True)
class HistoryAddress:
    """What a URL means to a history server."""

    base: str
    """The server, with `/` at its end."""
    app_id: str | None = None
    """The application. None: the newest ones."""
    attempt: str | None = None
    """Of the application. None: all its attempts."""

    @property
    def version(self) -> str:
        """Where the server says which Spark it is of."""
        return f"{self.base}api/v1/version"

    def applications(self, most: int, first_day: date | None, last_day: date | None) -> str:
        """The list of finished applications, newest first. `last_day` is part of the list."""
        query = {"status": "completed", "limit": str(most)}
        if first_day is not None:
            query["minDate"] = first_day.isoformat()
        if last_day is not None:
            query["maxDate"] = f"{last_day.isoformat()}T23:59:59.999GMT"
        return f"{self.base}{API}?{urlencode(query)}"

    def application(self, app_id: str) -> str:
        """The description of one application."""
        return f"{self.base}{API}/{quote(app_id, safe='')}"

    def logs(self, app_id: str, attempt: str | None = None) -> str:
        """The zip of its event logs; of all attempts unless one is named."""
        return f"{self.application(app_id)}/{quote(attempt, safe='')}/logs" if attempt else f"{self.application(app_id)}/logs"


def history_address(url: str) -> HistoryAddress | None:
    """What the URL names, if its path is one of a history server. A bare address of a server (`http://host:18080/`) shows only in its
    answers what it is: see `HistoryAddress.version`."""
    parts = urlsplit(url)
    found = _PAGE.match(parts.path) or _REST.match(parts.path)
    if found is None:
        return None
    app = found["app"]
    return HistoryAddress(parts._replace(path=found["base"]).geturl(), unquote(app) if app else None, found["attempt"])
