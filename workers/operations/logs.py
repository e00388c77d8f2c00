"""Logs that may be searched, by labels and texts or by LogQL."""

from datetime import datetime

from contracts.base import Contract
from contracts.log_questions import LogReading
from contracts.log_sources import LogResult, LogSource
from contracts.statements import name as identifier
from contracts.statements import quote, say
from workers import logs as library
from workers.errors import NotFound
from workers.logs.adding import add_with_sample
from workers.operations.base import Asker, Here, as_owner, operation


class LogAdded(Contract):
    """A log that was added."""

    log: str
    labels: tuple[str, ...]


@operation("knowledge.logs")
def logs(here: Here, asker: Asker) -> list[LogSource]:
    """The logs that the asker may search. Who else may is not the asker's business."""
    only = asker.only_owner
    if only is None:
        return library.list_logs(here.db)
    return [log.model_copy(update={"owners": (only,)}) if log.owners else log for log in library.list_logs(here.db) if log.is_open_to(only)]


@operation("knowledge.add_log")
def add_log(here: Here, asker: Asker, log: LogSource) -> LogAdded:
    """Add a log after a look at it."""
    return LogAdded(log=log.name, labels=tuple(add_with_sample(here.db, here.settings.data_dir, log)))


@operation("knowledge.remove_log")
def remove_log(here: Here, asker: Asker, name: str) -> None:
    """Forget a log. Its lines are not touched. Raises `NotFound`."""
    library.remove_log(here.db, name)


@operation("knowledge.read_logs")
def read_logs(here: Here, asker: Asker, name: str, question: str, *, owner: str | None = None) -> LogReading:
    """How a search is understood. Nothing is run."""
    _check_open(here, asker, name)
    return library.Logs(here.db, here.settings.data_dir).read(name, question, owner=as_owner(asker, owner), now=here.settings.now)


@operation("knowledge.search_logs")
def search_logs(
    here: Here, asker: Asker, name: str, logql: str, *, start: datetime, end: datetime, step_s: float | None = None,
    lines: int | None = None, owner: str | None = None,
) -> LogResult:  # fmt: skip
    """Run a LogQL query, within the log's limits; without `step_s` one number a series, at the end."""
    _check_open(here, asker, name)
    window = library.Window(start, end, step_s)
    return library.Logs(here.db, here.settings.data_dir).search(name, logql, window, owner=as_owner(asker, owner), lines=lines)


def _check_open(here: Here, asker: Asker, name: str) -> None:
    """Raises `NotFound` for a log that the asker may not search."""
    if asker.only_owner is not None and not library.get_log(here.db, name).is_open_to(asker.only_owner):
        raise NotFound.of(say("refused.no_log", log=quote(name[:80]), command=identifier("GET /v1/logs")))
