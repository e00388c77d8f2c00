"""The question about the data inside of a message: without "write the SQL for", "as a bar chart", "do not run it"."""

import re
from pathlib import Path
from typing import Any

import yaml

from workers.engines.squeezing import squeezed


def _read_patterns() -> tuple[re.Pattern[str], ...]:
    """What is removed, in its order."""
    text = Path(__file__).with_name("wrappers.yaml").read_text("utf-8")
    read: dict[str, Any] = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    parts: dict[str, str] = read["parts"]
    patterns: list[str] = [read["before"], *read["around"]]
    return tuple(re.compile(_expanded(pattern, parts), re.IGNORECASE) for pattern in patterns)


def _expanded(pattern: str, parts: dict[str, str]) -> str:
    for name in ("STATEMENT", "PICTURE", "ENGINE"):
        pattern = pattern.replace(f"<{name}>", parts[name])
    return pattern


_PATTERNS = _read_patterns()

_MOST_CHARACTERS = 2_000
"""Characters of a message that may be a question with words around it; the reader of questions takes 600."""


def core_of(words: str) -> str:
    """The words without those that say what is to be done with the answer; the words themselves when nothing else is left."""
    text = squeezed(words).strip()
    if len(text) > _MOST_CHARACTERS:
        return words
    for pattern in _PATTERNS:
        text = pattern.sub("", text)
    text = text.strip(" ,，。.;；:：")
    return text if len(text) > 1 else words
