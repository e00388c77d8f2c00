"""What the human answered to the analyst: choices of a closed form, a specification, or a closed form in the place of the requirement.

An answer is a value or nothing: no text is put into a text. Any other answer changes nothing here; a model is shown it as it was said.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, field

from contracts.pipelines.analysis import Ambiguity, EtlClarification, OpenPart
from contracts.pipelines.script import ScriptQuestion
from contracts.replies import Reply
from contracts.statements import Name, Sayable, Statement, say
from workers.engines.requirements import closed_form
from workers.roles.base import HeardRequest
from workers.saying import text_of

LANGUAGES = ("en", "zh")
"""A choice may be named in the words of any language that we speak."""
LONGEST_REPLY = 120
"""Characters of an answer that are given again."""
MOST_SAID = 500
"""Characters of a requirement that a question repeats."""
_CLARIFICATION = EtlClarification.model_fields["kind"].default
_HANDED_ON = EtlClarification(ambiguities=(Ambiguity(question=say("etl.ask.specification"), part=OpenPart.SPECIFICATION),), confidence=1.0)
"""Stands for the reviewer's question that a specification answers."""
_OURS = (OpenPart.READING, OpenPart.PARTITION, OpenPart.SPECIFICATION)


@dataclass
class Answered:
    """What counts after all answers."""

    requirement: str
    about: str = field(default="", compare=False)
    """What a question repeats of what it is about."""
    spec: str = ""
    """The last answer that is a specification."""
    reading: int | None = None
    """Which reading of the closed form is meant, from 0."""
    partitions: dict[str, str] = field(default_factory=dict[str, str])
    """The columns that take the place of others in `partition_by`."""
    unread: str = ""
    """The last answer, where it changed nothing."""


def heard(requests: Sequence[HeardRequest], stage: str) -> list[tuple[EtlClarification, str]]:
    """The analyst's questions with their answers, and the specifications that a reviewer hands on from somebody who was asked about their
    SQL, in the order in which they came."""
    found: list[tuple[EtlClarification, str]] = []
    for request in requests:
        if request.kind == "question" and request.response is not None and request.payload.get("kind") == _CLARIFICATION:
            found.append((EtlClarification.model_validate(request.payload["detail"]), str(request.response.get("text", ""))))
        elif request.kind == "remark" and request.target == stage and not request.held and (spec := str(request.payload.get("spec") or "")):
            found.append((_HANDED_ON.model_copy(update={"requirement": str(request.payload.get("about") or "")}), spec))
    return found


def of_scripts(asked: Sequence[tuple[ScriptQuestion, str]], language: str) -> list[Reply]:
    """The developer's questions with their answers."""
    texts = ((question.issues, reply) for question, reply in asked)
    return [Reply(question=" ".join(text_in(issue, language) for issue in issues), reply=reply) for issues, reply in texts]


def text_in(text: Sayable, language: str) -> str:
    """A text in the user's language."""
    return text if isinstance(text, str) else text_of(text, language)


def answered(requirement: str, asked: Sequence[tuple[EtlClarification, str]], spec: str = "") -> Answered:
    """The answers in their order. A specification takes the place of the requirement, and so does a closed form. `spec`: what the request
    gives beside the requirement, or in its place."""
    found = Answered(requirement, about(f"{requirement}\n{spec}" if spec else requirement))
    for clarification, reply in asked:
        if clarification.requirement not in ("", found.about):
            continue  # it was about a requirement in whose place an edit or a revision is
        point, words = clarification.ambiguities[0], reply.strip()
        place = place_of(point.choices, words)
        found.unread = ""
        if is_specification(reply):
            found.spec = reply
        elif point.part is OpenPart.READING and place is not None:
            found.reading = place
        elif point.part is OpenPart.PARTITION and place is not None:
            found.partitions[point.words] = _named(point.choices[place])
        elif closed_form(words) is not None:
            found = Answered(words, about(words))
        elif point.part in _OURS:
            found.unread = words
    return found


def about(requirement: str) -> str:
    """What a question repeats of the requirement that it is about: the beginning of a long one, and a mark of the rest."""
    mark = hashlib.sha256(requirement.encode()).hexdigest()[:12]
    return requirement if len(requirement) <= MOST_SAID else f"{requirement[:MOST_SAID]} {mark}"


def is_specification(text: str) -> bool:
    """Whether a text is meant as a specification: a line of it begins with the field that each has."""
    return any(line.lstrip().startswith("target:") for line in text.splitlines())


def place_of(choices: Sequence[Sayable], reply: str) -> int | None:
    """The choice that a reply names, by its number or its words, from 0."""
    words = reply.strip(".。)）(（ ").casefold()
    for place, choice in enumerate(choices):
        if words in {str(place + 1), *(spoken.casefold() for spoken in _spoken(choice))}:
            return place
    return None


def _spoken(label: Sayable) -> set[str]:
    return {text_of(label, language) for language in LANGUAGES} if isinstance(label, Statement) else {label}


def _named(choice: Sayable) -> str:
    """The name that a choice consists of."""
    value = choice.values.get("name") if isinstance(choice, Statement) else None
    return value.text if isinstance(value, Name) else str(choice)
