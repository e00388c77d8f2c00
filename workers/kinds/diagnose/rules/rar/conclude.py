"""A conclusion of RAR, checked against the tickets: a supported conclusion becomes a `Diagnosis`, others are downgraded."""

from dataclasses import dataclass

from contracts.diagnose.deliverables import Diagnosis, PhenomenonItem, RarDiagnosis, Verdict
from contracts.diagnose.request import DiagnosisMethod
from contracts.statements import Statement
from workers.kinds.diagnose.rules.likeness import Wording, jaccard
from workers.kinds.diagnose.rules.profiles import OURS
from workers.kinds.diagnose.rules.rar import wording
from workers.kinds.diagnose.rules.rar.case import LEAN_BAR, RarCase
from workers.kinds.diagnose.rules.rar.extract import CITED, diagnose
from workers.kinds.diagnose.rules.rar.items import OWN
from workers.kinds.diagnose.rules.rar.vote import Votes, count_votes, hypotheses, weigh

_ALTERNATIVES = 4
_SUREST = 0.95
"""The largest confidence of a reasoner that the votes do not reach by themselves."""


@dataclass(frozen=True)
class _Held:
    """A conclusion after the check against the tickets. Without a cause it is `unknown`."""

    cause_id: str | None
    confidence: float
    cited: tuple[str, ...] = ()
    dropped: int = 0
    reasoning: Statement | None = None
    downgraded: Statement | None = None


def conclude(
    found: RarDiagnosis, confidence: float, case: RarCase, votes: Votes, not_checked: tuple[PhenomenonItem, ...] = ()
) -> Diagnosis:
    """A conclusion as a diagnosis. It needs a cited ticket that was shown and has the cause that is named; from the bar on
    it is `diagnosed`, from one half on `uncertain`, below, or without such a ticket, `unknown`."""
    return _diagnosis(_hold(found, confidence, case, votes), case, votes, not_checked, forced=case.must_conclude)


def best_vote(case: RarCase, votes: Votes, not_checked: tuple[PhenomenonItem, ...] = ()) -> Diagnosis:
    """The forced conclusion: the cause with the most votes, never more than `uncertain`."""
    if votes.top is None:
        return _diagnosis(_Held(None, 0.0), case, votes, not_checked, forced=True)
    best = diagnose(case, votes, votes.top)
    held = _Held(votes.top, votes.shares[votes.top], cited=best.cited_tickets, reasoning=_vote(case, votes, votes.top))
    return _diagnosis(held, case, votes, not_checked, forced=True, most=Verdict.UNCERTAIN)


def named_cause(text: str, case: RarCase) -> str | None:
    """The cause among the candidates' that a text names: its id, its words, or nearly its words."""
    wording_ = Wording(text)
    best: tuple[float, str] | None = None
    for view in case.tickets:
        if text.strip() == view.cause_id:
            return view.cause_id
        other = Wording(view.root_cause)
        if wording_.plain and (wording_.plain == other.plain or wording_.asks_the_same(other, OURS.wording_bar)):
            near = (-jaccard(wording_.grams, other.grams), view.cause_id)
            best = near if best is None else min(best, near)
    return best and best[1]


def _hold(found: RarDiagnosis, confidence: float, case: RarCase, votes: Votes) -> _Held:
    """The part of a conclusion that the tickets support."""
    causes = {view.ticket_id: view.cause_id for view in case.tickets}
    texts = {view.cause_id: view.root_cause for view in case.tickets}
    named_tickets = tuple(dict.fromkeys(ticket.strip() for ticket in found.cited_tickets))
    cited = tuple(ticket for ticket in named_tickets if ticket in causes)
    dropped = len(named_tickets) - len(cited)
    fallen = votes.shares[votes.top] if votes.top else 0.0
    cause = named_cause(found.root_cause, case)

    def nothing(reason: Statement) -> _Held:
        return _Held(None, fallen, dropped=dropped, downgraded=reason)

    if not cited:
        return nothing(wording.no_citation(found.root_cause))
    if cause is None:
        theirs = {causes[ticket] for ticket in cited}
        if len(theirs) > 1:
            return nothing(wording.no_such_cause(found.root_cause, None))
        (cause,) = theirs
        share = min(confidence, votes.shares[cause], OURS.conclude_bar - 0.01)  # never `diagnosed`
        return _Held(cause, share, cited, dropped, downgraded=wording.no_such_cause(found.root_cause, texts[cause]))
    own = tuple(ticket for ticket in cited if causes[ticket] == cause)
    if not own:
        return nothing(wording.other_cause(found.root_cause))
    confidence = min(confidence, _bearable(case, votes, cause))
    return _Held(cause, confidence, own, dropped, wording.reasoned(found.reasoning) or _vote(case, votes, cause))


def _bearable(case: RarCase, votes: Votes, cause: str) -> float:
    """The largest confidence that tickets and findings bear, regardless of who states it. Unless something was confirmed or reported that
    the cause's tickets show, a reasoner alone makes no diagnosis, at any turn: only the votes of the tickets do. Denials bear nothing, and
    neither does that somebody was asked."""
    confirmed = any(found.bears for found in weigh(case, count_votes(case, ()), cause))
    return max(votes.shares[cause], _SUREST if confirmed else OURS.conclude_bar - 0.01)


def _vote(case: RarCase, votes: Votes, cause: str) -> Statement:
    """How the tickets voted for a cause."""
    own = sum(view.cause_id == cause for view in case.tickets)
    return wording.voted(own, len(case.tickets), votes.shares[cause])


def _verdict(held: _Held, most: Verdict) -> Verdict:
    if held.cause_id is None or held.confidence < LEAN_BAR:
        return Verdict.UNKNOWN
    return Verdict.UNCERTAIN if held.confidence < OURS.conclude_bar else most


def _diagnosis(
    held: _Held,
    case: RarCase,
    votes: Votes,
    not_checked: tuple[PhenomenonItem, ...],
    *,
    forced: bool,
    most: Verdict = Verdict.DIAGNOSED,
) -> Diagnosis:
    verdict = _verdict(held, most)
    forced = verdict is Verdict.UNCERTAIN or (forced and verdict is Verdict.UNKNOWN)
    causes = {cause.cause_id: cause for cause in case.evidence.causes}
    shown = causes.get(held.cause_id or votes.top or "")
    named = shown if verdict is not Verdict.UNKNOWN else None
    weighed = weigh(case, count_votes(case, ()), shown.cause_id) if shown else ()
    speaks_for = tuple(finding for finding in weighed if finding.weight > 0)
    speaks_against = tuple(finding for finding in weighed if finding.weight < 0)
    missing = tuple(item.description for item in not_checked) if verdict is not Verdict.DIAGNOSED else ()
    known = {fact.card.description for fact in case.known.facts}
    own = {item.description for item in case.asked if item.phenomenon_id.startswith(OWN)}
    head = wording.headline(verdict, shown.description if shown else None, held.confidence, forced=forced)
    others = tuple(finding for finding in hypotheses(case, votes) if named is None or finding.cause_id != named.cause_id)
    return Diagnosis(
        verdict=verdict,
        root_cause=named.description if named else None,
        cause_id=named.cause_id if named else None,
        confidence=held.confidence,
        forced=forced,
        solution=(named.solution or None) if named else None,
        evidence_for=speaks_for if named else (),
        evidence_against=speaks_against,
        cited_tickets=held.cited[:CITED] if named else (),
        not_checked=missing,
        alternatives=others[:_ALTERNATIVES],
        explanation=wording.explain(
            [head] if held.downgraded is None else [held.downgraded, head],
            reasoning=held.reasoning if named else None,
            speaks_for=speaks_for,
            speaks_against=speaks_against,
            beyond=tuple(text for text in case.confirmed if text in own and text not in known),
            cited=held.cited[:CITED] if named else (),
            dropped=held.dropped,
            not_checked=missing,
        ),
        turns=case.turns,
        method=DiagnosisMethod.RAR,
        downgraded=held.downgraded,
    )
