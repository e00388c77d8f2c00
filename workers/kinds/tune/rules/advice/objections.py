"""What a reviewer has against a fix."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Objection:
    """One fix that must not go out as it is."""

    fix_id: str
    rule: str
    """The rule that it breaks, in the words of `review.RULES`."""
    text: str
    """In the reader's language: what is wrong, with the number or the name."""
