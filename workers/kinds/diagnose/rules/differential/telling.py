"""What the user reads of a case: the next question, or the conclusion."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import Diagnosis, PhenomenonItem, PhenomenonQuestion, Verdict
from contracts.diagnose.request import DiagnosisMethod
from contracts.statements import Statement, lines, say, sayables_in
from contracts.tickets import TicketEvidence
from workers.engines.sentences import sentences
from workers.kinds.diagnose.rules.conclusion import conclusion
from workers.kinds.diagnose.rules.differential.askable import has_particulars, observed
from workers.kinds.diagnose.rules.differential.case import CaseState
from workers.kinds.diagnose.rules.echo import echo
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.figures import threshold_of
from workers.kinds.diagnose.rules.likeness import wording
from workers.kinds.diagnose.rules.questions import items
from workers.kinds.diagnose.rules.wording import brief, cause_shares, invitation, quoted

_TO_CHECK = 3
"""Phenomena of the named cause that a conclusion offers to be looked at."""
_WORTH_READING = 0.001
"""Probability of a cause that is named beside the conclusion: those of other systems, and what was ruled out, are below it."""
_SHOWN = 5
"""Hypotheses that a question shows."""


def system_question(case: CaseState) -> PhenomenonQuestion:
    """Which system it is, the likeliest first."""
    return _with_systems(case, _question(case, ()))


def question(case: CaseState) -> PhenomenonQuestion:
    """What is to be asked next; with it, which system it is, where that is open: a turn more would cost the user more than a line."""
    made = _question(case, _items(case, case.next))
    return _with_systems(case, made) if case.system_is_open() else made


def _with_systems(case: CaseState, made: PhenomenonQuestion) -> PhenomenonQuestion:
    system = case.system
    known = {"systems": system.by_likelihood(), "system_labels": system.labels(), "system_names": system.other_names()}
    return made.model_copy(update=known)


def symptom_question(case: CaseState) -> PhenomenonQuestion:
    """A key symptom, in free text."""
    return _question(case, ())


def _question(case: CaseState, asked: tuple[PhenomenonItem, ...]) -> PhenomenonQuestion:
    notes = [*case.system.understood(case.readings), *echo(case.dialogue, case.readings, case.evidence)]
    if asked and case.stuck():
        notes.append(invitation())
    if asked and case.is_confirming:
        notes.append(say("diagnose.note.confirming"))
    if any(has_particulars(item.description) for item in asked):
        notes.append(say("diagnose.note.particulars"))
    return PhenomenonQuestion(
        turn=len(case.dialogue) + 1,
        items=asked,
        hypotheses=case.stated_belief.hypotheses[:_SHOWN],
        notes=tuple(notes),
        method=DiagnosisMethod.DIFFERENTIAL,
        reported=case.evidence.reported,
    )


def _items(case: CaseState, families: Sequence[Family]) -> tuple[PhenomenonItem, ...]:
    """Each in the wording that can be asked, without the figures of other incidents."""
    made = items([_worded(family) for family in families], case.evidence, case.belief, case.profile, case.lang)
    return tuple(item.model_copy(update={"description": _with_subject(case.evidence, item)}) for item in made)


def _with_subject(evidence: TicketEvidence, item: PhenomenonItem) -> str:
    """The text as it is asked; one that does not say what it is about with the sentence of its ticket that does: the one that it was cut
    from, or else the first. A sentence with a limit ("lag exceeds 300 s") is none: a figure would be read as an answer to that."""
    text = observed(item.description)
    if not wording(text).lacks_subject:
        return text
    described = [
        sentence for ticket in evidence.tickets if item.phenomenon_id in ticket.phenomenon_ids for sentence in sentences(ticket.description)
    ]
    own = sorted(described, key=lambda sentence: item.description not in sentence)
    subjects = (subject for subject in (observed(brief(sentence)) for sentence in own) if subject and threshold_of(subject) is None)
    if (subject := next(subjects, text)) == text:
        return text
    return f"{text}（{subject}）" if wording(text).language == "zh" else f"{text} ({subject})"


def _worded(family: Family) -> Family:
    """The family with its askable wordings only."""
    places = [at for at, card in enumerate(family.cards) if observed(card.description)]
    if len(places) == len(family.cards):
        return family
    return family._replace(cards=tuple(family.cards[at] for at in places), wordings=tuple(family.wordings[at] for at in places))


def best_guess(case: CaseState) -> Diagnosis:
    """A forced conclusion: the best cause if it leads, else unknown."""
    return concluded(case, Verdict.UNCERTAIN if case.leads() else Verdict.UNKNOWN)


def concluded(case: CaseState, verdict: Verdict) -> Diagnosis:
    """The diagnosis with this verdict, as far as tickets bear it."""
    made = conclusion(
        verdict,
        case.stated_belief.hypotheses,
        case.evidence,
        citable=_citable(case),
        not_checked=tuple(observed(_worded(family).card(case.lang).description) for family in case.next),
        turns=len(case.dialogue),
        to_check=_items(case, case.next or case.unasked_of_top()[:_TO_CHECK]),
    )
    more = _what_is_open(case, made)
    explanation = lines(*sayables_in(made.explanation), *more) if more else made.explanation
    others = tuple(each for each in made.alternatives if each.confidence >= _WORTH_READING)
    return made.model_copy(update={"method": DiagnosisMethod.DIFFERENTIAL, "explanation": explanation, "alternatives": others})


def _what_is_open(case: CaseState, made: Diagnosis) -> list[Statement]:
    """Of a conclusion that names no cause: the causes that are left, and what would help."""
    if made.verdict is not Verdict.UNKNOWN or not case.stated_belief.hypotheses:
        return []
    if case.system.elsewhere:
        return [say("diagnose.grounds.no_system", system=quoted(case.system.elsewhere))]
    first, *others = case.stated_belief.hypotheses
    is_denied = case.is_denied(first)
    left = [cause for cause in (first, *others) if not case.is_denied(cause)][:2]
    return [
        *([say("diagnose.grounds.all_denied")] if is_denied else []),
        *([say("diagnose.grounds.left", causes=cause_shares(left))] if left else []),
        *([] if made.not_checked else [say("diagnose.grounds.would_help")]),
    ]


def _citable(case: CaseState) -> list[str]:
    """Tickets of the best cause, those that show confirmed phenomena first; of the wording that is named before those of others."""
    if (top := case.stated_belief.top) is None:
        return []
    return sorted(top.ticket_ids, key=lambda ticket: case.cause_of.get(ticket, top.cause_id) != top.cause_id)
