"""The case that RAR reasons about: the user's statements, the state of the dialogue, and the candidate tickets."""

from dataclasses import dataclass
from functools import cached_property

from contracts.diagnose.deliverables import AnswerReading, Finding, PhenomenonItem, PhenomenonQuestion
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import TicketEvidence
from workers.engines.language import Lang, language_of
from workers.kinds.diagnose.rules.causes import merge_translations
from workers.kinds.diagnose.rules.families import Family, families
from workers.kinds.diagnose.rules.known import Dialogue, Known, gather, observed_unasked, read_all
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar.view import TicketView, candidates
from workers.kinds.diagnose.rules.replies import is_closed

K = 10
"""Tickets that are read."""
CANDIDATES = 2 * K
"""Tickets that are retrieved for a model, to choose those from; the rest is shown as one line each."""
LEAN_BAR = 0.50
"""Confidence of a lean, which may be named as a guess: the bar of the source documents. GAR's is another: a posterior over all
causes of the evidence is spread wider than a model's word or a vote."""
LEAN_TURNS = 3
"""Turns from which on a lean is enough to conclude."""
LAST_TURNS = 5
"""Turns from which on the guidance is to conclude in any case."""
WIDENED_TURNS = OURS.stuck_turns
"""Turns in a row with everything denied after which all tickets of the evidence are candidates."""
GIVEN_UP_TURNS = WIDENED_TURNS + 1
"""And after which the user is asked for a key symptom: the wider search was denied as well."""


@dataclass(frozen=True)
class RarCase:
    """One incident at one point of its dialogue."""

    problem: str
    lang: Lang
    confirmed: tuple[str, ...]
    """Descriptions of what the user confirmed, in the order it was asked, whether or not the history knows it."""
    denied: tuple[str, ...]
    unknown: tuple[str, ...]
    observations: tuple[str, ...]
    """What the user reported without being asked."""
    conversation: tuple[str, ...]
    """What was asked and what the user answered in words of their own, oldest first; closed answers are findings."""
    asked: tuple[PhenomenonItem, ...]
    """Everything that was asked."""
    turns: int
    """Questions answered so far."""
    max_turns: int
    may_ask: bool
    denied_turns: int
    """The number of latest turns in a row with only denials and no observation."""
    asked_for_symptom: bool
    symptom_given: bool
    """False when the latest question was for a key symptom and the answer held none."""
    tickets: tuple[TicketView, ...]
    """The candidates, best first."""
    evidence: TicketEvidence
    groups: tuple[Family, ...]
    known: Known
    readings: tuple[AnswerReading, ...]

    @property
    def widened(self) -> bool:
        """Whether the search was widened, for want of progress."""
        return self.denied_turns >= WIDENED_TURNS

    @property
    def must_conclude(self) -> bool:
        """Whether no question may follow: the last turn, asking not allowed, or no progress and no key symptom to be had."""
        used_up = not self.may_ask or self.turns >= self.max_turns
        return used_up or (self.asked_for_symptom and (not self.symptom_given or self.denied_turns >= GIVEN_UP_TURNS))

    @property
    def needs_symptom(self) -> bool:
        """Whether the wider search was denied as well, so that only a key symptom can help."""
        return self.denied_turns >= GIVEN_UP_TURNS and not self.must_conclude

    @cached_property
    def ticket_ids(self) -> frozenset[str]:
        """Ids of the candidates: all that may be cited."""
        return frozenset(view.ticket_id for view in self.tickets)


def read_case(
    request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, *, may_ask: bool = True, most: int | None = CANDIDATES
) -> RarCase:
    """The case after `dialogue`, with at most `most` candidates. None stands for all tickets of the evidence, which are also used after
    two turns without progress."""
    readings = read_all(dialogue)
    observations = observed_unasked(readings, evidence)
    texts = (request.description, *observations)
    lang = language_of("\n".join(texts))
    evidence, groups = merge_translations(evidence, families(evidence, OURS), OURS, lang)
    known = gather(evidence, groups, dialogue, readings, texts, OURS)
    wordings: dict[str, str] = {}
    findings: dict[str, Finding] = {}
    for (question, _), reading in zip(dialogue, readings, strict=True):
        for item in question.items:
            wordings[item.phenomenon_id] = item.description
            findings[item.phenomenon_id] = reading.findings.get(item.phenomenon_id, Finding.UNKNOWN)

    def of(finding: Finding) -> tuple[str, ...]:
        return tuple(wordings[item] for item, found in findings.items() if found is finding)

    denied_turns = _denied_turns(dialogue, readings)
    confirmed = [fact.family.ids for fact in known.facts if fact.finding is Finding.CONFIRMED]
    most = len(evidence.tickets) if most is None or denied_turns >= WIDENED_TURNS else most
    return RarCase(
        problem=request.description,
        lang=lang,
        confirmed=of(Finding.CONFIRMED),
        denied=of(Finding.DENIED),
        unknown=of(Finding.UNKNOWN),
        observations=observations,
        conversation=tuple(
            _exchange(question, answer)
            for (question, answer), reading in zip(dialogue, readings, strict=True)
            if reading.observations or not is_closed(answer, question)
        ),
        asked=tuple(item for question, _ in dialogue for item in question.items),
        turns=len(dialogue),
        max_turns=request.max_turns,
        may_ask=may_ask,
        denied_turns=denied_turns,
        asked_for_symptom=any(not question.items for question, _ in dialogue),
        symptom_given=not dialogue or bool(dialogue[-1][0].items) or bool(readings[-1].observations),
        tickets=candidates(evidence, confirmed, most),
        evidence=evidence,
        groups=groups,
        known=known,
        readings=readings,
    )


def _exchange(question: PhenomenonQuestion, answer: str) -> str:
    """One question with the answer, on one line."""
    asked = "; ".join(f"{item.number}. {item.description}" for item in question.items)
    systems = f"which system: {', '.join(question.systems)}" if question.systems else "any other symptom"
    return f"asked: {asked or systems} | answered: {answer}"


def _denied_turns(dialogue: Dialogue, readings: tuple[AnswerReading, ...]) -> int:
    count = 0
    for (question, _), reading in reversed(list(zip(dialogue, readings, strict=True))):
        denied = all(reading.findings.get(item.phenomenon_id) is Finding.DENIED for item in question.items)
        if not question.items or reading.observations or not denied:
            break
        count += 1
    return count
