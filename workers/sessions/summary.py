"""The summary of a role's turns: by a model, or by choosing the sentences that say most."""

from collections import Counter
from collections.abc import Callable, Sequence
from math import log
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import Field

from contracts.base import Contract, Text
from contracts.sessions import RoleTurn
from workers.engines.sentences import sentences
from workers.retrieval.tokens import tokens

if TYPE_CHECKING:
    from workers.llm.client import ChatClient

SUMMARY_CHARACTERS = 500
"""Length that is asked for."""
MOST_SUMMARY_CHARACTERS = 1_000
"""Length that is stored."""
PROMPT = "classifier/session_summary"
PROMPTS = Path(__file__).parent / "prompts"
SHARE_BEFORE, SHARE_TURNS = 0.2, 0.7
"""Shares of the model's window."""

Summarise = Callable[[str, Sequence[RoleTurn]], tuple[str, str]]
"""Earlier summary and turns → new summary, and who made it. Raises when it cannot."""


class TurnsSummary(Contract):
    """A model's summary."""

    summary: Text = Field(min_length=1, max_length=MOST_SUMMARY_CHARACTERS)


def by_model(chat: "ChatClient") -> Summarise:
    """Summaries by a model."""

    def summarise(before: str, turns: Sequence[RoleTurn]) -> tuple[str, str]:
        from workers.llm.brief import Brief
        from workers.llm.prompts import add_prompts

        add_prompts(PROMPTS)
        brief = Brief.of(chat)
        turned = [f"{turn.stage}: {turn.summary}" for turn in turns]
        answer = chat.ask(
            TurnsSummary,
            prompt=PROMPT,
            before=brief.text("summary so far", before, SHARE_BEFORE),
            turns=brief.items("turns", turned, SHARE_TURNS, last_first=True),
            most=SUMMARY_CHARACTERS,
            prompt_cuts=brief.cut_rows(),
        )
        return answer.value.summary, answer.model

    return summarise


def extractive(before: str, turns: Sequence[RoleTurn]) -> tuple[str, str]:
    """The sentences with the rarest words, in their order, the later ones preferred; within the length of a summary."""
    known = [part.strip() for part in sentences(before)]
    known += [f"{turn.stage}: {turn.summary}" for turn in turns if turn.summary]
    known = list(dict.fromkeys(known))
    words = [set(tokens(sentence)) for sentence in known]
    held = Counter(word for found in words for word in found)
    weights = [
        sum(log(1 + len(known) / held[word]) for word in found) / (1 + len(found)) ** 0.5 * (1 + place / len(known))
        for place, found in enumerate(words)
    ]
    chosen: set[int] = set()
    room = SUMMARY_CHARACTERS
    for place in sorted(range(len(known)), key=lambda place: -weights[place]):
        if len(known[place]) + 1 <= room:
            chosen.add(place)
            room -= len(known[place]) + 1
    return "\n".join(known[place] for place in sorted(chosen)), "rules"
