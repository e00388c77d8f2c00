"""Logs that may be searched."""

from contracts.log_questions import LogReading
from contracts.log_sources import LogResult, LogSource
from workers.cli.context import database
from workers.cli.reach.remote import gateway
from workers.logs import Logs, Window, list_logs, remove_log
from workers.logs.adding import add_with_sample
from workers.settings import load_settings


def logs() -> list[LogSource]:
    """All logs, or at a gateway those of the key's owner."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[LogSource], knowledge.logs())
    return list_logs(database())


def add(log: LogSource) -> tuple[str, ...]:
    """Add a log after a look at it; the names of its labels."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return tuple(away.value(knowledge.add_log(log.to_json()))["labels"])
    return tuple(add_with_sample(database(), load_settings().data_dir, log))


def remove(name: str) -> None:
    """Forget a log."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        away.value(knowledge.remove_log(name))
        return
    remove_log(database(), name)


def read(name: str, question: str, owner: str) -> LogReading:
    """How a search is understood."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(LogReading, knowledge.read_logs(name, question, owner=owner))
    return _logs().read(name, question, owner=owner, now=load_settings().now)


def search(name: str, reading: LogReading | str, window: Window, *, owner: str, lines: int | None = None) -> LogResult:
    """Run a query, or what a search was understood as."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge
        from workers.engines.logql import print_logql

        text = reading if isinstance(reading, str) else "" if reading.query is None else print_logql(reading.query)
        call = knowledge.search_logs(
            name, text, start=window.start, end=window.end, step_s=window.step_s, lines=lines, owner=owner
        )  # fmt: skip
        return away.read(LogResult, call)
    query = reading if isinstance(reading, str) else reading.query
    return _logs().search(name, query or "", window, owner=owner, lines=lines)


def _logs() -> Logs:
    return Logs(database(), load_settings().data_dir)
