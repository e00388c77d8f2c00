"""The findings after a dialogue: phenomena that were confirmed, denied or reported, and the wordings that were asked."""

from collections.abc import Sequence
from dataclasses import dataclass

from contracts.diagnose.deliverables import AnswerReading, Finding
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.known import Dialogue

MATCHED = 0.75
"""Likeness from which an observation of the user confirms a phenomenon."""


@dataclass(frozen=True)
class Findings:
    """Ids of phenomena by their finding."""

    confirmed: frozenset[str] = frozenset()
    denied: frozenset[str] = frozenset()
    volunteered: frozenset[str] = frozenset()
    """The confirmed ones that nobody had asked for."""
    asked: frozenset[str] = frozenset()
    """Texts of the items so far: the guard against repetition knows nothing but equal strings."""


def read_findings(evidence: TicketEvidence, dialogue: Dialogue, readings: Sequence[AnswerReading]) -> Findings:
    """Of two answers on one phenomenon the later holds; an answer outweighs an observation."""
    answered: dict[str, Finding] = {}
    for reading in readings:
        answered.update({key: finding for key, finding in reading.findings.items() if finding is not Finding.UNKNOWN})
    volunteered = {match.phenomenon_id for match in evidence.observations if match.similarity >= MATCHED} - answered.keys()
    yes = {key for key, finding in answered.items() if finding is Finding.CONFIRMED}
    return Findings(
        confirmed=frozenset(yes | volunteered),
        denied=frozenset(answered.keys() - yes),
        volunteered=frozenset(volunteered),
        asked=frozenset(item.description for question, _ in dialogue for item in question.items),
    )
