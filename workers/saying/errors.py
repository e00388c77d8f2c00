"""An error as a text: some carry a statement instead of a finished sentence."""

from workers.errors import BullpenError
from workers.saying.spans import text_of


def message_of(error: BaseException, language: str = "en") -> str:
    """What the error says to a reader."""
    says = error.says if isinstance(error, BullpenError) else None
    return str(error) if says is None else text_of(says, language)
