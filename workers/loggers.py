"""Loggers that bring in structlog with the first line they write: a command that has nothing to log starts a sixth sooner.

Every module takes its logger from here. What `workers.telemetry` sets up may wait for that line too (`set_up_later`), a line of the
standard library's loggers included.
"""

import logging
from collections.abc import Callable
from functools import cached_property
from typing import Any


class Log:
    """A module's logger: each line an event's name, in `snake_case`, and its fields."""

    def __init__(self, name: str) -> None:
        self._name = name

    @cached_property
    def _lines(self) -> Any:
        set_up_now()
        import structlog

        return structlog.get_logger(self._name)

    def debug(self, event: str, **fields: object) -> None:
        """A line for somebody who looks for a fault."""
        self._lines.debug(event, **fields)

    def info(self, event: str, **fields: object) -> None:
        """A line about ordinary work."""
        self._lines.info(event, **fields)

    def warning(self, event: str, **fields: object) -> None:
        """A line about what somebody should look at."""
        self._lines.warning(event, **fields)

    def error(self, event: str, **fields: object) -> None:
        """A line about what failed."""
        self._lines.error(event, **fields)

    def exception(self, event: str, **fields: object) -> None:
        """An error with the traceback of the exception that is handled."""
        self._lines.exception(event, **fields)


_modules: list[Log] = []


def get_logger(name: str) -> Log:
    """The logger of the module of this name, `__name__`."""
    _modules.append(log := Log(name))
    return log


def bind_step(**ids: str | int) -> None:
    """Add ids to every line that this thread logs, until `clear_step`."""
    from structlog.contextvars import bind_contextvars

    bind_contextvars(**ids)


def clear_step() -> None:
    """Remove the ids that `bind_step` added."""
    from structlog.contextvars import clear_contextvars

    clear_contextvars()


class _FirstLine(logging.Handler):
    """Stands in for the handler of the root logger until there is a line."""

    def emit(self, record: logging.LogRecord) -> None:
        set_up_now()
        for handler in logging.getLogger().handlers:
            handler.handle(record)


_waiting: list[Callable[[], None]] = []


def set_up_later(set_up: Callable[[], None], level: int) -> None:
    """Call `set_up` before the first line is written; until then lines below `level` are left out. `set_up`
    replaces the root logger's handlers."""
    _forget_set_up()
    _waiting.append(set_up)
    root = logging.getLogger()
    root.handlers[:] = [_FirstLine()]
    root.setLevel(level)


def set_up_otherwise() -> None:
    """Forget what waits for the first line: logging is set up at once, in another way."""
    _forget_set_up()


def _forget_set_up() -> None:
    """A module that has written lines already writes the next one in the new way."""
    _waiting.clear()
    for log in _modules:
        vars(log).pop("_lines", None)


def set_up_now() -> None:
    """Do what waits for the first line. Also for code that takes its loggers from elsewhere."""
    while _waiting:
        _waiting.pop()()
