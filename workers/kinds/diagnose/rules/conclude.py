"""The next move of a diagnosis: ask, or conclude.

1. No history: unknown, and how to import one.
2. The best cause reaches the bar and something supports it: diagnosed.
3. No turn left, or asking is not allowed: the best guess if it leads, marked as forced; else unknown.
4. Something is worth checking: ask it; after two turns in a row with everything denied, ask for a key symptom beside it.
5. Nothing is: the best guess if it leads, else ask for a key symptom once, else unknown.
"""

from contracts.diagnose.deliverables import Diagnosis, Hypothesis, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import TicketEvidence
from workers.engines.language import Lang, language_of
from workers.kinds.diagnose.rules.causes import merge_translations
from workers.kinds.diagnose.rules.conclusion import conclusion
from workers.kinds.diagnose.rules.echo import echo
from workers.kinds.diagnose.rules.families import families
from workers.kinds.diagnose.rules.known import Dialogue, gather, observed_unasked, only_denials, read_all
from workers.kinds.diagnose.rules.posterior import Belief, begin, believe
from workers.kinds.diagnose.rules.profiles import OURS, Profile
from workers.kinds.diagnose.rules.questions import choose, items
from workers.kinds.diagnose.rules.retold import retold
from workers.kinds.diagnose.rules.wording import invitation

_SHOWN = 5
"""Hypotheses that a question shows."""


def next_move(
    request: DiagnoseRequest,
    evidence: TicketEvidence,
    dialogue: Dialogue,
    *,
    may_ask: bool = True,
    profile: Profile = OURS,
) -> Diagnosis | PhenomenonQuestion:
    """What the diagnoser does after `dialogue`, given what the history holds. Equal inputs give equal moves."""
    case = _Case(request, evidence, dialogue, profile)
    if evidence.total_tickets == 0:
        return case.concluded(Verdict.UNKNOWN)
    top = case.belief.top
    if top and top.confidence >= profile.conclude_bar and case.supported(top):
        return case.concluded(Verdict.DIAGNOSED)
    if not may_ask or len(dialogue) >= request.max_turns:
        return case.best_guess()
    if case.next:
        return case.question()
    if case.leans() or case.asked_for_symptom:
        return case.best_guess()
    return case.question()


class _Case:
    """One incident at one point of its dialogue."""

    def __init__(self, request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, profile: Profile) -> None:
        self.dialogue = dialogue
        self.profile = profile
        self.readings = read_all(dialogue)
        texts = (request.description, *observed_unasked(self.readings, evidence))
        self.lang: Lang = language_of("\n".join(texts))
        self.cause_of = {ticket.ticket_id: ticket.cause_id for ticket in evidence.tickets}
        groups = families(evidence, profile)
        self.evidence, groups = merge_translations(evidence, groups, profile, self.lang)
        known = gather(self.evidence, groups, dialogue, self.readings, texts, profile)
        self.again = retold(self.evidence, request.description, profile)
        begun = begin(self.evidence, profile, self.again) if self.evidence.causes else []
        self.belief: Belief = believe(self.evidence, known.facts, profile, begun)
        self.next = choose(self.evidence, groups, self.belief, known, profile, self.lang)
        self.asked_for_symptom = any(not question.items for question, _ in dialogue)

    def supported(self, top: Hypothesis) -> bool:
        """Whether more than the prior supports a cause: a confirmed or reported phenomenon, or a very similar ticket."""
        seen = any(evidence.bears for evidence in top.evidence)
        again = self.profile.retold_from + self.again.get(top.cause_id, 0.0)
        return seen or again >= self.profile.strong_symptom

    def leans(self) -> bool:
        """Whether the best hypothesis may be named: with one rival at most, or likely enough and ahead of the next."""
        first, second = (*self.belief.hypotheses, None, None)[:2]
        if first is None or first.confidence < self.profile.guess_bar:
            return False
        ahead = second is None or first.confidence >= self.profile.guess_lead * second.confidence
        return ahead or first.confidence >= self.profile.lean_bar

    def stuck(self) -> bool:
        """Whether the latest turns (their number is in the profile) contain only denials and no observation."""
        return only_denials(self.dialogue, self.readings, self.profile.stuck_turns)

    def question(self) -> PhenomenonQuestion:
        """The next question: what is worth checking; where that is nothing, a key symptom in free text."""
        notes = echo(self.dialogue, self.readings, self.evidence)
        if self.next and self.stuck():
            notes.append(invitation())
        return PhenomenonQuestion(
            turn=len(self.dialogue) + 1,
            items=items(self.next, self.evidence, self.belief, self.profile, self.lang),
            hypotheses=self.belief.hypotheses[:_SHOWN],
            notes=tuple(notes),
            reported=self.evidence.reported,
        )

    def best_guess(self) -> Diagnosis:
        """A forced conclusion: the best cause if it leads, else unknown."""
        return self.concluded(Verdict.UNCERTAIN if self.leans() else Verdict.UNKNOWN)

    def concluded(self, verdict: Verdict) -> Diagnosis:
        """The diagnosis with this verdict, as far as tickets bear it."""
        return conclusion(
            verdict,
            self.belief.hypotheses,
            self.evidence,
            citable=self._citable(),
            not_checked=tuple(family.card(self.lang).description for family in self.next),
            turns=len(self.dialogue),
        )

    def _citable(self) -> list[str]:
        """Tickets of the best cause, those that show confirmed phenomena first. Where the cause was described in two languages,
        tickets of the wording that is named."""
        top = self.belief.top
        return [ticket for ticket in top.ticket_ids if self.cause_of.get(ticket, top.cause_id) == top.cause_id] if top else []
