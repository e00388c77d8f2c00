"""Structured logging with structlog: one line per event, with the step's ids bound while the step runs."""

import logging
import re
import sys
from typing import Any

import structlog
from structlog.contextvars import bind_contextvars, clear_contextvars
from structlog.typing import EventDict, WrappedLogger

from workers.secrets import hide_known

_URL_PASSWORD = re.compile(r"(?<=://)([^:/@\s]*):(\S+)(?=@)")
"""Greedy on purpose: a password may contain any character, and hiding too much does no harm."""
_SECRET_PARAMETER = re.compile(
    r"(?i)\b((?:ssl)?password|(?:api_?|access_?)?key|(?:[a-z]+[_-])?token|sig|signature|x-[a-z]+-(?:signature|credential|security-token)|secret)"
    r"=[^&\s'\"]+"
)
_HOOK_PATH = re.compile(r"(?i)(https?://[^/\s]*(?:hook|webhook)[^/\s]*)/[^\s'\",]+")
"""Of hosts that are called after webhooks, the path is the secret: hooks.slack.com/services/T.../B.../XXX."""


def hide_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Remove the secrets that this process knows, and passwords in URLs and parameters, from a log line."""
    for key, value in event.items():
        if isinstance(value, str):
            event[key] = redact_url(value)
    return event


def redact_url(text: str) -> str:
    """The text with the secrets that this process knows, and all passwords in URLs, including those given as parameters, replaced by `***`.
    Cut a text after this, not before: half a secret is still a secret."""
    text = hide_known(text)
    if "://" in text:
        text = _HOOK_PATH.sub(r"\1/***", _URL_PASSWORD.sub(r"\1:***", text))
    return _SECRET_PARAMETER.sub(r"\1=***", text) if "=" in text else text


def configure_logging(log_format: str, level: str) -> None:
    """Send log lines of Bullpen and of the standard library to stderr, as JSON or formatted for a console."""
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


def bind_step(**ids: str | int) -> None:
    """Add ids to every line that this thread logs, until `clear_step`."""
    bind_contextvars(**ids)


def clear_step() -> None:
    """Remove the ids that `bind_step` added."""
    clear_contextvars()
