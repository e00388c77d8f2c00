"""The language of `--language`, for what is refused before a job with a language of its own is found."""

import os
from contextlib import suppress
from contextvars import ContextVar

from workers.errors import BullpenError

SETTING = "BULLPEN_LANGUAGE"

_asked: ContextVar[str | None] = ContextVar("asked_language", default=None)


def ask_for(language: str | None) -> str | None:
    """Remember what `--language` says; the same value. None forgets it."""
    _asked.set(language)
    return language


def asked_language() -> str | None:
    """What `--language` says, or BULLPEN_LANGUAGE, also for commands that have no such option; None: nothing was said."""
    return _asked.get() or os.environ.get(SETTING)


def language_here() -> str | None:
    """The language of this account where BULLPEN_LANGUAGE does not say it: the one that `bullpen init --language` kept, else that of the
    terminal (LC_ALL, LC_MESSAGES, LANG) if we speak it and it is not English."""
    from workers.named_secrets import kept_secrets

    with suppress(BullpenError):  # the command that needs the secrets reports what is wrong with them
        if kept := kept_secrets().get(SETTING):
            return kept
    locale = next((value for name in ("LC_ALL", "LC_MESSAGES", "LANG") if (value := os.environ.get(name, ""))), "")
    code = locale.partition(".")[0].partition("@")[0].partition("_")[0].lower()
    if code in ("", "en", "c", "posix"):
        return None
    from workers.saying import INSTALLED

    return code if code in INSTALLED.languages() else None


def speak_as_here() -> None:
    """Let BULLPEN_LANGUAGE be `language_here`, unless it is set."""
    if not os.environ.get(SETTING) and (found := language_here()) is not None:
        os.environ[SETTING] = found


def language_asked() -> str | None:
    """What is asked for without an option of the command; a language that no catalogue has is left out: the job was accepted already."""
    from workers.saying import UnknownLanguage, check_language

    try:
        return check_language(asked_language() or "")
    except UnknownLanguage:
        return None
