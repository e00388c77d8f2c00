"""The language of `--language`, for what is refused before a job with a language of its own is found."""

import os
from contextvars import ContextVar

_asked: ContextVar[str | None] = ContextVar("asked_language", default=None)


def ask_for(language: str | None) -> str | None:
    """Remember what `--language` says; the same value. None forgets it."""
    _asked.set(language)
    return language


def asked_language() -> str | None:
    """What `--language` says, or BULLPEN_LANGUAGE, also for commands that have no such option; None: nothing was said."""
    return _asked.get() or os.environ.get("BULLPEN_LANGUAGE")
