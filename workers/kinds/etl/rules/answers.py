"""What the human answered to the analyst: choices of a closed form, a specification, or a closed form in the place of the requirement.

An answer is a value or nothing: no text is put into a text. Any other answer changes nothing here; a model is shown it as it was said.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.pipelines.analysis import Ambiguity, EtlClarification, OpenPart
from contracts.statements import Name, Sayable, Statement
from workers.engines.requirements import closed_form
from workers.saying import text_of

LANGUAGES = ("en", "zh")
"""A choice may be named in the words of any language that we speak."""
MOST_SAID = 500
"""Characters of a requirement that a question repeats."""
_OURS = (OpenPart.READING, OpenPart.PARTITION, OpenPart.SPECIFICATION)


@dataclass
class Answered:
    """What counts after all answers."""

    requirement: str
    spec: str = ""
    """The last answer that is a specification."""
    reading: int | None = None
    """Which reading of the closed form is meant, from 0."""
    partitions: dict[str, str] = field(default_factory=dict[str, str])
    """The columns that take the place of others in `partition_by`."""
    unread: str = ""
    """The last answer, where it changed nothing."""


def answered(requirement: str, asked: Sequence[tuple[EtlClarification, str]]) -> Answered:
    """The answers in their order. A specification takes the place of the requirement, and so does a closed form."""
    found = Answered(requirement)
    for clarification, reply in asked:
        if clarification.requirement not in ("", about(found.requirement)):
            continue  # it was about a requirement in whose place an edit is
        point, words = clarification.ambiguities[0], reply.strip()
        place = _place(point, words)
        found.unread = ""
        if is_specification(reply):
            found.spec = reply
        elif point.part is OpenPart.READING and place is not None:
            found.reading = place
        elif point.part is OpenPart.PARTITION and place is not None:
            found.partitions[point.words] = _named(point.choices[place])
        elif closed_form(words) is not None:
            found = Answered(words)
        elif point.part in _OURS:
            found.unread = words
    return found


def about(requirement: str) -> str:
    """What a question repeats of the requirement that it is about."""
    return requirement[:MOST_SAID]


def is_specification(text: str) -> bool:
    """Whether a text is meant as a specification: a line of it begins with the field that each has."""
    return any(line.lstrip().startswith("target:") for line in text.splitlines())


def _place(point: Ambiguity, reply: str) -> int | None:
    """The choice that a reply names, by its number or its words, from 0."""
    words = reply.strip(".。)）(（ ").casefold()
    for place, choice in enumerate(point.choices):
        if words in {str(place + 1), *(spoken.casefold() for spoken in _spoken(choice))}:
            return place
    return None


def _spoken(label: Sayable) -> set[str]:
    return {text_of(label, language) for language in LANGUAGES} if isinstance(label, Statement) else {label}


def _named(choice: Sayable) -> str:
    """The name that a choice consists of."""
    value = choice.values.get("name") if isinstance(choice, Statement) else None
    return value.text if isinstance(value, Name) else str(choice)
