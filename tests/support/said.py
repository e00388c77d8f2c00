"""What a library says, as the text that a reader gets."""

from typing import Any

import workers.kinds  # noqa: F401  registers the texts of the libraries
from contracts.statements import Shown, read_stored
from workers.errors import UnreadableLog
from workers.saying import text_of


def said(shown: Shown | None, language: str = "en") -> str:
    """The text; of nothing, nothing. A text that Babel spaces by narrow or fixed spaces has plain ones."""
    return "" if shown is None else text_of(shown, language)


def kept(stored: Any) -> str:
    """A message as the blackboard keeps it, in English."""
    return said(read_stored(stored))


def why_refused(error: BaseException, language: str = "en") -> str:
    """What a refused log says."""
    assert isinstance(error, UnreadableLog)
    return said(error.says, language)
