"""An error's reason inside another message."""

from contracts.statements import Quote, Statement, passage
from workers.errors import BullpenError

LONGEST = 300
"""Characters of somebody else's words."""


def reason_of(error: BaseException, longest: int = LONGEST) -> Statement | Quote:
    """What an error says, as a value: its statement, or the words of an engine, a driver or a parser on one line."""
    if isinstance(error, BullpenError) and error.says is not None:
        return error.says
    return passage(" ".join(str(error).split())[:longest] or type(error).__name__)
