"""Incidents with facts: what is true of each, and a user who knows exactly that.

A folder holds `incidents.jsonl` (id, opening, system, cause or null, facts: observation → true, false or a figure, value_holds, dont_know,
said_in_opening), `observations.json` (observation → system, text, wordings) and `causes.json` (cause → system, wordings, tickets).
The labels are never shown to a method.
"""

import json
import math
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.diagnose.deliverables import PhenomenonQuestion
from contracts.tickets import Ticket
from workers.engines.language import language_of
from workers.errors import InvalidInput
from workers.kinds.diagnose.evaluation.cases import Case, Evaluation, cause_of
from workers.kinds.diagnose.evaluation.user import Seen

_RECOGNISED = 0.30
"""Cosine of trigrams from which a question is about a known observation."""
_SPACE = re.compile(r"\s+")
_ANSWERS = {"en": ("yes", "no", "don't know"), "zh": ("确认", "否定", "不清楚")}


@dataclass(frozen=True)
class Observations:
    """What can be asked about, in all its wordings."""

    systems: Mapping[str, str]
    wordings: Sequence[tuple[str, str]]
    """Observation and wording."""
    rarity: Mapping[str, float] = field(repr=False)
    vectors: Sequence[Mapping[str, float]] = field(repr=False)

    def asked(self, text: str) -> str | None:
        """The observation that a question is about; None: none of these."""
        asked = _vector(text, self.rarity)
        near = [sum(weight * vector.get(gram, 0.0) for gram, weight in asked.items()) for vector in self.vectors]
        best = max(range(len(near)), key=near.__getitem__)
        return self.wordings[best][0] if near[best] >= _RECOGNISED else None


class FactsUser:
    """Answers from the facts of one incident."""

    def __init__(self, incident: Mapping[str, Any], observations: Observations) -> None:
        self._incident = incident
        self._observations = observations
        self._words = _ANSWERS[language_of(incident["opening"])]
        self._asked: set[str] = set()
        self.repeated = 0
        self.seen: list[Seen] = []

    def answer(self, question: PhenomenonQuestion) -> str:
        """The reply in the closed form: each item by its number."""
        if question.is_of_system_alone:
            return str(self._incident["system"])
        if not question.items:
            return self._words[2]
        answers = [f"{item.number} {self._finding(item.description)}" for item in question.items]
        return ", ".join([*answers, f"system: {self._incident['system']}"] if question.systems else answers)

    def _finding(self, description: str) -> str:
        yes, no, unsure = self._words
        key = self._observations.asked(description)
        if key is None:
            self.seen.append(Seen())
            return unsure
        again = key in self._asked
        self.repeated += again
        self._asked.add(key)
        other = self._observations.systems[key] != self._incident["system"]
        value = self._incident["facts"].get(key)
        holds = self._incident.get("value_holds", {}).get(key) if isinstance(value, str) else value
        stated = key in self._incident.get("said_in_opening", ())
        self.seen.append(Seen(present=holds is True, other_system=other, stated=stated, again=again, about=key))
        if other:
            return no
        if holds is None:
            return unsure
        return yes if holds else no


@dataclass(frozen=True)
class Incidents:
    """Incidents as cases, and what their users know."""

    evaluation: Evaluation
    facts: Mapping[str, Mapping[str, Any]]
    observations: Observations

    def users(self) -> dict[str, FactsUser]:
        """A new user for each incident, by its id: a user remembers what was asked."""
        return {key: FactsUser(incident, self.observations) for key, incident in self.facts.items()}


def read_incidents(folder: Path, history: Sequence[Ticket]) -> Incidents:
    """The incidents as cases over this history. Raises `InvalidInput`."""
    try:
        incidents = [json.loads(line) for line in (folder / "incidents.jsonl").read_text("utf-8").splitlines() if line.strip()]
        causes = json.loads((folder / "causes.json").read_text("utf-8"))
        observations = _observations(json.loads((folder / "observations.json").read_text("utf-8")))
        ids = {ticket.ticket_id: cause_of(ticket) for ticket in history}
        right = {key: frozenset(ids[ticket] for ticket in entry["tickets"] if ticket in ids) for key, entry in causes.items()}
        made = [
            Case(
                Ticket(ticket_id=str(incident["id"]), description=incident["opening"], root_cause=str(incident["cause"])),
                incident["opening"],
                "",
                left_out=False,
                right=right[incident["cause"]] if incident["cause"] else frozenset(),
            )
            for incident in incidents
        ]
    except (OSError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise InvalidInput(f"{folder} holds no incidents with facts: {error!r}.") from None
    return Incidents(
        Evaluation({"": tuple(history)}, tuple(made), 0), {str(incident["id"]): incident for incident in incidents}, observations
    )


def _observations(raw: Mapping[str, Any]) -> Observations:
    wordings = [(key, wording) for key, entry in raw.items() for wording in entry["wordings"]]
    counted = [_grams(wording) for _, wording in wordings]
    holders = Counter(gram for grams in counted for gram in grams)
    rarity = {gram: math.log((1 + len(counted)) / (1 + count)) + 1 for gram, count in holders.items()}
    vectors = [_vector(wording, rarity) for _, wording in wordings]
    return Observations({key: entry["system"] for key, entry in raw.items()}, wordings, rarity, vectors)


def _grams(text: str) -> Counter[str]:
    plain = _SPACE.sub(" ", f" {text.lower()} ")
    return Counter(plain[at : at + 3] for at in range(len(plain) - 2))


def _vector(text: str, rarity: Mapping[str, float]) -> dict[str, float]:
    weights = {gram: (1 + math.log(count)) * rarity[gram] for gram, count in _grams(text).items() if gram in rarity}
    length = math.sqrt(sum(weight * weight for weight in weights.values())) or 1.0
    return {gram: weight / length for gram, weight in weights.items()}
