"""What the human's answers add to a requirement."""

from collections.abc import Sequence

from contracts.pipelines.analysis import EtlClarification
from contracts.statements import Sayable, Statement
from workers.saying import text_of


def _place(clarification: EtlClarification, reply: str, language: str) -> int | None:
    """The choice that a reply names, by its number or its words, from 0."""
    words = reply.strip().strip(".。)）(（").casefold()
    choices = clarification.ambiguities[0].choices
    for place, choice in enumerate(choices):
        if words in {str(place + 1), *(spoken.casefold() for spoken in _spoken(choice, language))}:
            return place
    return None


def _spoken(label: Sayable, language: str) -> set[str]:
    return {text_of(label, each) for each in (language, "en", "zh")} if isinstance(label, Statement) else {label}


def chosen_reading(asked: Sequence[tuple[EtlClarification, str]], language: str) -> int | None:
    """The reading that the last reply to a choice of readings names."""
    for clarification, reply in reversed(asked):
        if clarification.ambiguities[0].choices:
            return _place(clarification, reply, language)
    return None


def with_answers(requirement: str, asked: Sequence[tuple[EtlClarification, str]], edits: Sequence[str] = ()) -> str:
    """The requirement that is read. A reply in words to a question without choices says it again, so it takes the requirement's place;
    where it only explains a word (`X is ...`, `X 指 ...`), it is added. An operator's edit takes the place of all."""
    if edits:
        return edits[-1]
    text = requirement
    for clarification, reply in asked:
        reply = reply.strip()
        if not reply or clarification.ambiguities[0].choices:
            continue
        text = f"{text}\n{reply}" if _explains(reply, clarification.ambiguities[0].words) else reply
    return text


def _explains(reply: str, words: str) -> bool:
    first = reply.casefold()
    return any(first.startswith((word.casefold(), f"by {word.casefold()}")) for word in words.split(", ") if word.strip())
