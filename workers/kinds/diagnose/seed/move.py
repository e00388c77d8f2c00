"""The next move by the formulas of `seed`: conclude, recommend, be forced to conclude, or ask for a key symptom.

1. No history: unknown, and how to import one.
2. The best hypothesis reaches 0.80: diagnosed.
3. No turn left, or asking is not allowed: the best guess from one half on, marked as forced; else unknown.
4. Something can be recommended: ask it.
5. Nothing is left to ask and the best hypothesis reaches 0.50: diagnosed; else ask for a key symptom.

Steps 1 and 3 are ours: the source goes on asking without end.
"""

from contracts.diagnose.deliverables import Diagnosis, Hypothesis, PhenomenonItem, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.statements import say
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.conclusion import conclusion
from workers.kinds.diagnose.rules.known import Dialogue, read_all
from workers.kinds.diagnose.rules.wording import note, why_asked
from workers.kinds.diagnose.seed.findings import read_findings
from workers.kinds.diagnose.seed.hypotheses import hypotheses
from workers.kinds.diagnose.seed.recommend import Recommendation, recommend
from workers.kinds.diagnose.seed.retrieve import retrieve
from workers.kinds.diagnose.seed.wording import score_said

CONCLUDE = 0.80
"""Confidence from which the best hypothesis is the diagnosis."""
SETTLE = 0.50
"""Confidence from which it is when nothing is left to ask, and from which a forced conclusion names a cause."""

_SEPARATED = 2
"""Causes named on each side of a `why`."""


def seed_move(
    request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue, *, may_ask: bool = True
) -> Diagnosis | PhenomenonQuestion:
    """What the diagnoser does after `dialogue`, by the source's formulas. Equal inputs give equal moves."""
    case = _Case(request, evidence, dialogue)
    if evidence.total_tickets == 0:
        return case.concluded(Verdict.UNKNOWN)
    confidence = case.top.confidence if case.top else 0.0
    if confidence >= CONCLUDE:
        return case.concluded(Verdict.DIAGNOSED)
    if not may_ask or len(dialogue) >= request.max_turns:
        return case.concluded(Verdict.UNCERTAIN if confidence >= SETTLE else Verdict.UNKNOWN)
    if not case.next and confidence >= SETTLE:
        return case.concluded(Verdict.DIAGNOSED)
    return case.question()


class _Case:
    """One incident at one point of its dialogue."""

    def __init__(self, request: DiagnoseRequest, evidence: TicketEvidence, dialogue: Dialogue) -> None:
        self.evidence = evidence
        self.dialogue = dialogue
        self.readings = read_all(dialogue)
        findings = read_findings(evidence, dialogue, self.readings)
        self.standing = hypotheses(evidence, retrieve(evidence.phenomena), findings)
        self.top: Hypothesis | None = next(iter(self.standing), None)
        self.next = recommend(evidence, self.standing, findings)

    def question(self) -> PhenomenonQuestion:
        """The recommended phenomena; without any, the question for a key symptom."""
        problems = self.readings[-1].problems if self.readings else ()
        return PhenomenonQuestion(
            turn=len(self.dialogue) + 1,
            items=tuple(self._item(number, recommendation) for number, recommendation in enumerate(self.next, start=1)),
            hypotheses=self.standing,
            notes=tuple(note(problem) for problem in problems),
        )

    def _item(self, number: int, recommendation: Recommendation) -> PhenomenonItem:
        """One thing to check, with the hypotheses it speaks for, those it speaks against, and its score."""
        causes = {cause.cause_id: cause for cause in self.evidence.causes}
        shown = recommendation.card.cause_tickets
        ranked = [causes[hypothesis.cause_id] for hypothesis in self.standing]
        speaks_for = [(cause, shown[cause.cause_id]) for cause in ranked if shown.get(cause.cause_id)]
        against = [cause for cause in ranked if not shown.get(cause.cause_id)]
        reason = recommendation.card.why_relevant.get(speaks_for[0][0].cause_id, "")
        why = why_asked(speaks_for[:_SEPARATED], against[:_SEPARATED], reason)
        return PhenomenonItem(
            number=number,
            phenomenon_id=recommendation.card.phenomenon_id,
            description=recommendation.card.description,
            observation_method=recommendation.card.observation_method,
            why=say("diagnose.seed.why", separates=why, score=score_said(recommendation)),
        )

    def concluded(self, verdict: Verdict) -> Diagnosis:
        """The diagnosis with this verdict, as far as tickets bear it."""
        return conclusion(
            verdict,
            self.standing,
            self.evidence,
            citable=self.top.ticket_ids if self.top else (),
            not_checked=tuple(recommendation.card.description for recommendation in self.next),
            turns=len(self.dialogue),
            measure="confidence",
        )
