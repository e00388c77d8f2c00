"""What the human's answers add to a requirement."""

import re
from collections.abc import Sequence

from contracts.pipelines.analysis import Ambiguity, EtlClarification
from contracts.statements import Name, Sayable, Statement
from workers.engines.requirements import clarified, is_requirement
from workers.saying import text_of

LANGUAGES = ("en", "zh")
"""A choice may be named in the words of any language that we speak."""

_SAYS_AGAIN = re.compile(r"\b(?:per|for each|for every|one row)\b|每|按.+(?:统计|汇总)", re.IGNORECASE)
"""A reply that says what a row is says the requirement again, also where a name was asked for."""


def _place(clarification: EtlClarification, reply: str) -> int | None:
    """The choice that a reply names, by its number or its words, from 0."""
    words = reply.strip().strip(".。)）(（").casefold()
    choices = clarification.ambiguities[0].choices
    for place, choice in enumerate(choices):
        if words in {str(place + 1), *(spoken.casefold() for spoken in _spoken(choice))}:
            return place
    return None


def _spoken(label: Sayable) -> set[str]:
    return {text_of(label, language) for language in LANGUAGES} if isinstance(label, Statement) else {label}


def _named(choice: Sayable) -> str:
    """The name that a choice consists of; empty: it is a reading, or a model's words."""
    value = choice.values.get("name") if isinstance(choice, Statement) else None
    return value.text if isinstance(value, Name) else ""


def chosen_reading(asked: Sequence[tuple[EtlClarification, str]]) -> int | None:
    """The reading that the last reply to a choice of readings names."""
    for clarification, reply in reversed(asked):
        choices = clarification.ambiguities[0].choices
        if choices and not _named(choices[0]) and clarification.ambiguities[0].part is None:
            return _place(clarification, reply)
    return None


def with_answers(requirement: str, asked: Sequence[tuple[EtlClarification, str]], edits: Sequence[str] = ()) -> str:
    """The requirement that is read. A name that is chosen takes the place of the one that was asked about. A reply in words says the
    requirement again, so it takes its place; where it only explains a word (`X is ...`, `X 指 ...`), it is added. An operator's edit
    takes the place of all."""
    if edits:
        return edits[-1]
    text = requirement
    for clarification, reply in asked:
        ambiguity, place = clarification.ambiguities[0], _place(clarification, reply)
        if ambiguity.part is not None and reply.strip() and (place is not None or not is_requirement(reply)):
            answer = _named(ambiguity.choices[place]) if place is not None else reply.strip()
            text = clarified(text, ambiguity.part, ambiguity.words, answer, is_choice=place is not None)
        elif place is not None:
            choice = ambiguity.choices[place]
            if isinstance(choice, str):  # of a model, whose questions are plain text too
                text = f"{text}\n{ambiguity.question}: {choice}"
            elif chosen := _named(choice):
                text = _renamed(text, ambiguity.words, chosen)
        elif _explains(reply.strip(), ambiguity.words):
            text = f"{text}\n{reply.strip()}"
        elif reply.strip() and (is_requirement(reply) or _SAYS_AGAIN.search(reply) or not _is_of_names(ambiguity)):
            text = reply.strip()
    return text


def _is_of_names(ambiguity: Ambiguity) -> bool:
    """Whether one of several names is asked for: other words name no choice, so the question comes again."""
    return bool(ambiguity.choices) and bool(_named(ambiguity.choices[0]))


def _renamed(text: str, before: str, after: str) -> str:
    """The last place where the name is used: what was asked about is at the end of a requirement."""
    found = list(re.finditer(rf"(?<![A-Za-z0-9_]){re.escape(before)}(?![A-Za-z0-9_])", text)) if before else []
    return f"{text[: found[-1].start()]}{after}{text[found[-1].end() :]}" if found else text


def _explains(reply: str, words: str) -> bool:
    first = reply.casefold()
    return any(first.startswith((word.casefold(), f"by {word.casefold()}")) for word in words.split(", ") if word.strip())
