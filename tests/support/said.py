"""What a library says, as the text that a reader gets."""

import workers.kinds  # noqa: F401  registers the texts of the libraries
from contracts.statements import Shown
from workers.errors import UnreadableLog
from workers.saying import text_of


def said(shown: Shown | None, language: str = "en") -> str:
    """The text; of nothing, nothing. A text that Babel spaces by narrow or fixed spaces has plain ones."""
    return "" if shown is None else text_of(shown, language)


def why_refused(error: BaseException, language: str = "en") -> str:
    """What a refused log says."""
    assert isinstance(error, UnreadableLog)
    return said(error.says, language)
