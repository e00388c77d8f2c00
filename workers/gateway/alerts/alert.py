"""An alert, whichever monitoring it comes from."""

import hashlib
import json
from dataclasses import dataclass
from datetime import datetime

from contracts.base import clean_text

MOST_TEXT = 18_000
"""Characters of the text that a job is made from."""


@dataclass(frozen=True, slots=True)
class Alert:
    """One thing that fires, or no longer does."""

    fingerprint: str
    """The same for the same thing, each time it fires."""
    title: str
    text: str
    """All that the monitoring says of it."""
    is_resolved: bool = False
    began_at: datetime | None = None


def fingerprint_of(*parts: object) -> str:
    """A name for what these parts name, where the sender gives none."""
    return hashlib.sha256(json.dumps(parts, sort_keys=True, default=str).encode()).hexdigest()[:32]


def as_text(title: str, sentences: list[str], labels: dict[str, str]) -> str:
    """The words of a job: the title, what is said, and the labels."""
    lines = [title, *(line for line in sentences if line and line != title)]
    if labels:
        lines.append(", ".join(f"{name}={value}" for name, value in sorted(labels.items())))
    text: str = clean_text("\n".join(lines))
    return text[:MOST_TEXT]
