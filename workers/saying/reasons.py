"""Reasons that many messages give: another error's, and a file that is there already."""

from pathlib import Path

from contracts.statements import Name, Quote, Statement, passage, say
from workers.errors import BullpenError

LONGEST = 300
"""Characters of somebody else's words."""


def statement_of(error: BaseException) -> Statement:
    """What an error says, as a message of its own."""
    reason = reason_of(error)
    return reason if isinstance(reason, Statement) else say("refused.part.other", fault=reason)


def reason_of(error: BaseException, longest: int = LONGEST) -> Statement | Quote:
    """What an error says, as a value: its statement, or the words of an engine, a driver or a parser on one line."""
    if isinstance(error, BullpenError) and error.says is not None:
        return error.says
    return passage(" ".join(str(error).split())[:longest] or type(error).__name__)


def name_taken(file: Path) -> Statement:
    """Why a file is not written: there is one of its name."""
    taken = Name(text=str(file))
    return say("refused.export.folder", file=taken) if file.is_dir() else say("refused.export.exists", file=taken)
