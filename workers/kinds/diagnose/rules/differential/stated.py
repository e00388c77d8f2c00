"""What a model reads in the first words of the user and in what they add later: known phenomena that they state, or rule out, in other
words.

The rules come first: a phenomenon that they found in the text stays as they found it. Of what a model says only that counts which the
text bears: the quote is in it word for word, it does not say the opposite of the phenomenon, and the phenomenon is one that was shown. Each
is then evidence of little weight that makes no diagnosis by itself (`Evidence.bears`), and is not asked again. A text pasted by somebody
else may speak to the model, so that the number of findings and the weight of each are limited.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from contracts.diagnose.deliverables import Finding, OpeningAnswer, PhenomenonQuestion, ReadFinding
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import PhenomenonCard, TicketEvidence
from workers.engines.tokens import CountTokens, clip_to, estimate_tokens
from workers.kinds.diagnose.rules.differential.askable import observed
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.known import Dialogue
from workers.kinds.diagnose.rules.likeness import normalised
from workers.kinds.diagnose.rules.replies import read_answer
from workers.kinds.diagnose.rules.volunteered import Fact
from workers.kinds.diagnose.rules.wording import brief
from workers.tickets.contradiction import opposed

ReadOpening = Callable[[DiagnoseRequest, TicketEvidence], tuple[ReadFinding, ...]]
"""A reader of descriptions: what it finds of the phenomena of the evidence."""

_SHOWN = 40
"""Phenomena that are shown, the nearest to the description first."""
_CHARACTERS = 200
"""Of one phenomenon."""
_FRAME_TOKENS = 500
"""What the prompt takes beside its data."""
_PROBLEM_SHARE = 0.5
"""Part of the room for data that the description may fill."""
_LEAST_QUOTE = 4
"""Characters, white space put aside, below which a quote says nothing; half as many in Chinese."""
_MOST = 8
"""Findings of the description and all remarks."""
STRENGTH = 0.5
"""Of such a finding, against 1 for an answer: the description was weighed as a whole before."""


def candidates(evidence: TicketEvidence) -> tuple[PhenomenonCard, ...]:
    """The phenomena to be looked for: such that a person can see, the nearest first."""
    return tuple(card for card in evidence.phenomena if observed(card.description))[:_SHOWN]


def opening_prompt(
    description: str, cards: Sequence[PhenomenonCard], context_tokens: int, count: CountTokens = estimate_tokens
) -> tuple[dict[str, Any], int]:
    """The data of `diagnoser/opening`, and how many of the phenomena have room in it."""
    room = max(context_tokens - _FRAME_TOKENS, 0)
    problem = clip_to(description, int(room * _PROBLEM_SHARE), count)
    left = room - count(problem)
    lines: list[str] = []
    for number, card in enumerate(cards, start=1):
        line = f"{number}. {brief(observed(card.description), _CHARACTERS)}"
        left -= count(line) + 1
        if left < 0:
            break
        lines.append(line)
    return {"problem": problem, "phenomena": "\n".join(lines)}, len(lines)


def checked(answer: OpeningAnswer, description: str, cards: Sequence[PhenomenonCard]) -> tuple[ReadFinding, ...]:
    """What of an answer the description bears, each phenomenon once. `cards`: those that were shown, in their order."""
    text = plain(description)
    found: dict[str, ReadFinding] = {}
    for stated in answer.stated:
        quote = plain(stated.quote)
        if not 0 < stated.number <= len(cards) or quote not in text or _says_nothing(quote):
            continue
        card = cards[stated.number - 1]
        if opposed(stated.quote, card.description) == stated.present:
            continue  # "no lag" for a lag; or ruled out by words that do not deny it
        finding = Finding.CONFIRMED if stated.present else Finding.DENIED
        made = ReadFinding(phenomenon_id=card.phenomenon_id, finding=finding, quote=stated.quote.strip())
        found.setdefault(card.phenomenon_id, made)
    return tuple(found.values())[:_MOST]


def read_before(dialogue: Dialogue) -> tuple[ReadFinding, ...]:
    """What was read at an earlier turn."""
    return dialogue[-1][0].read if dialogue else ()


def to_be_read(request: DiagnoseRequest, dialogue: Dialogue) -> list[str]:
    """What is to be read now: the description at the first turn, and again when the user has named the system, which brings other
    phenomena; and each remark of the latest answer."""
    if not dialogue:
        return [request.description]
    question, answer = dialogue[-1]
    return [*([request.description] if question.systems else []), *read_answer(answer, question).observations]


def read_opening(
    request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, read: ReadOpening | None
) -> tuple[ReadFinding, ...]:
    """All that is read in the description and in remarks by now."""
    found = {each.phenomenon_id: each for each in read_before(dialogue)}
    if read is not None:
        for text in to_be_read(request, dialogue):
            for each in read(request.model_copy(update={"description": text}), evidence):
                found.setdefault(each.phenomenon_id, each)
    return tuple(found.values())[:_MOST]


def facts_read(
    findings: Sequence[ReadFinding], cards: Mapping[str, tuple[Family, PhenomenonCard]], known: Sequence[Fact]
) -> tuple[Fact, ...]:
    """The findings as facts, without those on phenomena of which something is known. What one quote says of several counts once."""
    quotes = Counter(plain(found.quote) for found in findings)
    taken = {fact.family.key for fact in known if fact.source != "unsaid"}
    made: dict[str, Fact] = {}
    for found in findings:
        if found.phenomenon_id in cards:
            family, card = cards[found.phenomenon_id]
            if family.key not in taken:
                made.setdefault(family.key, Fact(family, card, found.finding, "read", STRENGTH / quotes[plain(found.quote)]))
    return tuple(made.values())


def with_reading(question: PhenomenonQuestion, findings: tuple[ReadFinding, ...]) -> PhenomenonQuestion:
    """The question that takes what was read on to the next turn."""
    return question.model_copy(update={"read": findings}) if findings else question


def plain(text: str) -> str:
    """A text without white space, in which a quotation is looked for."""
    return "".join(normalised(text).split())


def _says_nothing(quote: str) -> bool:
    return len(quote) + sum(character > "\u2e80" for character in quote) < _LEAST_QUOTE
