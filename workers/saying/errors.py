"""An error as a text: some carry a statement instead of a finished sentence."""

from workers.errors import UnreadableLog
from workers.saying.spans import text_of


def message_of(error: BaseException, language: str = "en") -> str:
    """What the error says to a reader."""
    return text_of(error.says, language) if isinstance(error, UnreadableLog) else str(error)
