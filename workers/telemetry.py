"""How log lines are written: by structlog, one line per event, as JSON or for a console, without secrets."""

import logging
import sys
from typing import Any

import structlog
from structlog.typing import EventDict, WrappedLogger

from workers.loggers import set_up_otherwise
from workers.secrets import redact_url


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Remove the secrets that this process knows, and passwords in URLs and parameters, from a log line."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact_url(value)
    return event


def configure_logging(log_format: str, level: str) -> None:
    """Send log lines of Bullpen and of the standard library to stderr, as JSON or formatted for a console."""
    set_up_otherwise()
    shared: list[Any] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.StackInfoRenderer(),
        hide_secrets,
    ]
    if log_format == "json":
        shared.append(structlog.processors.format_exc_info)
        renderer: Any = structlog.processors.JSONRenderer(ensure_ascii=False)
    else:
        traceback = structlog.dev.RichTracebackFormatter(show_locals=False)  # users' texts and settings stay out of logs
        renderer = structlog.dev.ConsoleRenderer(colors=sys.stderr.isatty(), exception_formatter=traceback)
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.make_filtering_bound_logger(getattr(logging, level.upper())),
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=True,
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=shared,
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, hide_secrets, renderer],
        )
    )
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level.upper())
    for noisy in ("celery.worker.strategy", "celery.app.trace", "alembic.runtime.plugins", "httpx"):
        logging.getLogger(noisy).setLevel(max(logging.WARNING, root.level))
