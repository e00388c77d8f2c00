"""The statements of the engine, whose texts are in `locale`. Text of users and tickets is inserted only as data."""

from collections.abc import Sequence
from typing import Literal

from contracts.diagnose.deliverables import (
    ALIKE,
    DESCRIBED,
    AnswerProblem,
    AnswerProblemKind,
    AnswerReading,
    Evidence,
    Finding,
    Hypothesis,
    PhenomenonItem,
    PhenomenonQuestion,
    Verdict,
)
from contracts.statements import (
    Join,
    Listing,
    Quote,
    Ref,
    Sayable,
    Statement,
    Target,
    Term,
    Value,
    as_value,
    code,
    count,
    lines,
    listing,
    member_term,
    name,
    number,
    passage,
    quote,
    ref,
    say,
    say_member,
    share,
    term,
)
from contracts.tickets import CauseCard, TicketEvidence
from workers.kinds.diagnose.rules.also import lacks_also

Measure = Literal["posterior", "confidence"]
"""What the share of a hypothesis is: a probability, or a score."""

_SHORT = 80
_LISTED = 3
_REASON = 200
"""Characters of the reason that a ticket gives."""
_PROBLEM = 40
"""Characters of a part of an answer."""
_UNREAD = 200
"""Characters of an answer that nobody could read."""


def brief(text: str, most: int = _SHORT) -> str:
    """One line of a text, cut with an ellipsis."""
    line = " ".join(text.split())
    return line if len(line) <= most else line[: most - 1].rstrip() + "…"


def quoted(text: str) -> Quote:
    """The beginning of somebody's text."""
    return quote(brief(text))


def quoted_all(texts: Sequence[str]) -> Listing:
    """The beginnings of several texts, one after the other."""
    return listing(*[quoted(text) for text in texts], join=Join.PLAIN)


def ticket_refs(ticket_ids: Sequence[str]) -> Listing:
    """Tickets by their ids."""
    return listing(*[_ticket(ticket_id) for ticket_id in ticket_ids], join=Join.PLAIN)


def _ticket(ticket_id: str) -> Ref:
    return ref(Target.TICKET, ticket_id)


def why_asked(speaks_for: Sequence[tuple[CauseCard, int]], speaks_against: Sequence[CauseCard], reason: str) -> Statement:
    """Which causes the answer separates: those whose tickets show the phenomenon (with how many), and rivals."""
    causes = listing(*[_shown_by(cause, tickets) for cause, tickets in speaks_for], join=Join.PLAIN)
    rivals = quoted_all([cause.description for cause in speaks_against])
    if speaks_for and speaks_against:
        statement = say("diagnose.why.for_and_against", causes=causes, rivals=rivals)
    elif speaks_for:
        statement = say("diagnose.why.for", causes=causes)
    elif speaks_against:
        statement = say("diagnose.why.against", rivals=rivals)
    else:
        statement = say("diagnose.why.separates")
    if not reason.strip():
        return statement
    return say("diagnose.why.with_reason", separates=statement, reason=quote(brief(reason, _REASON)))


def _shown_by(cause: CauseCard, tickets: int) -> Statement:
    return say("diagnose.why.cause", cause=quoted(cause.description), shown=count(tickets), tickets=count(cause.ticket_count))


def note(problem: AnswerProblem) -> Statement:
    """One sentence about a part of an answer that has no effect."""
    part = brief(problem.text, _PROBLEM)
    return say_member("diagnose.note", problem.kind, part=name(part) if problem.kind is AnswerProblemKind.CONTRADICTION else quote(part))


def not_read(answer: str, question: PhenomenonQuestion) -> Statement:
    """Nobody could read an answer: it costs no turn and changes nothing. With how it can be given."""
    words = quote(brief(answer, _UNREAD))
    if question.is_of_system_alone:
        return say("diagnose.note.system_not_read", answer=words, last=name(str(len(question.systems))))
    if not question.items:
        return say("diagnose.note.symptom_not_read", answer=words)
    undo = code("bullpen answer JOB --undo")
    if rest := lacks_also(answer, [item.description for item in question.items]):
        return say("diagnose.note.lacks_also", answer=words, rest=quote(brief(rest, _UNREAD)), command=undo)
    if len(question.items) == 1:
        return say("diagnose.note.item_not_read", answer=words, command=undo)
    return say("diagnose.note.items_not_read", answer=words, last=name(str(len(question.items))), command=undo)


def left_open(answer: str) -> Statement:
    """Nobody could read the second answer to one question either: it is taken as no answer."""
    return say("diagnose.note.left_open", answer=quote(brief(answer, _UNREAD)))


def words_only() -> Statement:
    """The history's vectors were not ready."""
    return say("diagnose.note.words_only")


def corrected(changed: Sequence[tuple[PhenomenonItem, Finding]]) -> list[Statement]:
    """What the latest answer corrected of earlier ones."""
    return [
        say("diagnose.note.corrected", phenomenon=quoted(item.description), finding=member_term("diagnose.finding", finding))
        for item, finding in changed
    ]


def other_system(system: str) -> Statement:
    """The user names the system."""
    return say("diagnose.note.system", system=quote(system))


def as_read(text: str, evidence: TicketEvidence) -> Value:
    """An observation of the user, with the known phenomenon that it was taken for."""
    best = max((match for match in evidence.observations if match.text == text), key=lambda match: match.similarity, default=None)
    near = next((card for card in evidence.phenomena if best and card.phenomenon_id == best.phenomenon_id), None)
    observation = quote(brief(text, _PROBLEM))
    if near is None or near.description == text:
        return observation
    return say("diagnose.reply.observation_like", observation=observation, phenomenon=quoted(near.description))


def understood(question: PhenomenonQuestion, reading: AnswerReading, evidence: TicketEvidence) -> Statement | None:
    """How each item of an answer was read, by its words, and what was noted beside it, as what; None where nothing was read."""
    read = [_read_as(item, reading) for item in (question.items if reading.findings else ())]
    noted = listing(*[as_read(text, evidence) for text in reading.observations])
    if not read:
        return say("diagnose.note.noted", noted=noted) if reading.observations else None
    items = listing(*map(as_value, read), join=Join.CLAUSES)
    return (
        say("diagnose.note.understood_and_noted", items=items, noted=noted)
        if reading.observations
        else say("diagnose.note.understood", items=items)
    )


def _read_as(item: PhenomenonItem, reading: AnswerReading) -> Statement:
    finding = reading.findings.get(item.phenomenon_id)
    word = term("diagnose.finding.unanswered") if finding is None else member_term("diagnose.finding", finding)
    number, phenomenon = name(str(item.number)), quoted(item.description)
    if words := reading.quotes.get(item.phenomenon_id):
        return say("diagnose.note.heard_as", item=number, phenomenon=phenomenon, finding=word, words=quoted(words))
    return say("diagnose.note.read_as", item=number, phenomenon=phenomenon, finding=word)


def invitation() -> Statement:
    """What is said beside a question when nothing that was asked so far is there."""
    return say("diagnose.invitation")


def question_text(question: PhenomenonQuestion) -> Sayable:
    """The question as a user reads it: notes, items with how to check and why, and how to answer."""
    labels = (*question.system_labels, *("" for _ in question.systems))
    systems = [name(f"{text} ({label})" if label else text) for text, label in zip(question.systems, labels, strict=False)]
    if question.is_of_system_alone:
        offered = [say("diagnose.question.system_item", number=name(str(at)), system=each) for at, each in enumerate(systems, 1)]
        return lines(*question.notes, say("diagnose.question.system"), *offered, say("diagnose.question.system_answer"))
    if not question.items:
        return lines(*question.notes, say("diagnose.question.symptom"))
    items = [part for item in question.items for part in _item(item)]
    how = say("diagnose.question.in_own_words") if question.in_own_words else say("diagnose.question.how_to_answer")
    which = [say("diagnose.question.system_too", systems=listing(*systems, join=Join.PLAIN))] if systems else []
    return lines(*question.notes, say("diagnose.question.check"), *items, how, *which)


def as_asked(item: PhenomenonItem) -> Value:
    """The text of an item: the ticket's, or a model's words with the ticket's beside them."""
    if not item.asked_as:
        return passage(item.description)
    return say("diagnose.question.worded", words=passage(item.asked_as), phenomenon=quote(item.description))


def _item(item: PhenomenonItem) -> list[Statement]:
    parts = [say("diagnose.question.item", number=name(item.number), phenomenon=as_asked(item))]
    if method := item.observation_method.strip():
        parts.append(say("diagnose.question.method", method=passage(method)))
    if item.why:
        parts.append(say("diagnose.question.why", why=as_value(item.why)))
    return parts


def said_of(evidence: Evidence) -> Term:
    """How a finding came about, in a word or two."""
    if evidence.source == "unsaid":
        return term("diagnose.finding.unsaid")
    if evidence.source == DESCRIBED:
        return term("diagnose.finding.described")
    if evidence.source == ALIKE:
        return term("diagnose.finding.alike")
    if evidence.source == "read":
        is_there = evidence.finding is Finding.CONFIRMED
        return term("diagnose.finding.read") if is_there else term("diagnose.finding.read_absent")
    return member_term("diagnose.finding", evidence.finding)


def findings(evidence: Sequence[Evidence]) -> Listing:
    """The heaviest findings with their tickets."""
    return listing(*[_finding(found) for found in evidence[:_LISTED]], join=Join.PLAIN)


def _finding(found: Evidence) -> Statement:
    word: Value
    phenomenon, word = quoted(found.description), said_of(found)
    if found.quote:
        word = say("diagnose.evidence.quoted", finding=word, words=quoted(found.quote))
    if not found.tickets:
        return say("diagnose.evidence.finding", phenomenon=phenomenon, finding=word)
    tickets = ticket_refs(found.tickets[:_LISTED])
    return say("diagnose.evidence.in_tickets", phenomenon=phenomenon, finding=word, tickets=tickets)


def seen_and_absent(speaks_for: Sequence[Evidence]) -> tuple[list[Evidence], list[Evidence]]:
    """What speaks for a cause since it is there, and what does since it is not: the other causes would show it."""
    absent = [each for each in speaks_for if each.finding is Finding.DENIED]
    return [each for each in speaks_for if each.finding is not Finding.DENIED], absent


def no_near_cause() -> Statement:
    """No cause of the history resembles the incident."""
    return say("diagnose.headline.nothing_near")


def grounds(
    *, speaks_for: Sequence[Evidence], speaks_against: Sequence[Evidence], between: Sequence[Statement] = (), cited: Sequence[str]
) -> list[Statement]:
    """The findings for and against a cause and the tickets that are cited, each if there are any; `between` findings and tickets."""
    found: list[Statement] = []
    seen, absent = seen_and_absent(speaks_for)
    if seen:
        found.append(say("diagnose.grounds.for", findings=findings(seen)))
    if absent:
        found.append(say("diagnose.grounds.for_absent", phenomena=findings(absent)))
    if speaks_against:
        found.append(say("diagnose.grounds.against", findings=findings(speaks_against)))
    found += between
    if cited:
        found.append(say("diagnose.grounds.tickets", tickets=ticket_refs(cited)))
    return found


def missing(not_checked: Sequence[str]) -> Statement:
    """The phenomena that would help to decide."""
    return say("diagnose.grounds.not_checked", phenomena=quoted_all(not_checked))


def explain(
    verdict: Verdict,
    top: Hypothesis | None,
    *,
    speaks_for: Sequence[Evidence],
    speaks_against: Sequence[Evidence],
    cited: Sequence[str],
    not_checked: Sequence[str],
    total_tickets: int,
    measure: Measure = "posterior",
) -> Statement:
    """The reasons of the diagnosis: the cause, the findings for and against it, the tickets, and what is missing."""
    if total_tickets == 0:
        return say("diagnose.no_history")
    alike: list[Statement] = []
    if top and not speaks_for and verdict is not Verdict.UNKNOWN:
        alike.append(say("diagnose.grounds.alike", similarity=number(top.symptom_similarity, 2)))
    statement = [_headline(verdict, top, measure)]
    statement += grounds(speaks_for=speaks_for, speaks_against=speaks_against, between=alike, cited=cited)
    if not_checked and verdict is not Verdict.DIAGNOSED:
        statement.append(missing(not_checked))
    return lines(*statement)


def _headline(verdict: Verdict, top: Hypothesis | None, measure: Measure) -> Statement:
    """The first sentence of an explanation."""
    if top is None:
        return no_near_cause()
    measured = term("diagnose.measure.posterior") if measure == "posterior" else term("diagnose.measure.confidence")
    return say_member("diagnose.headline", verdict, cause=quoted(top.root_cause), measure=measured, share=share(top.confidence))


def cause_shares(hypotheses: Sequence[Hypothesis]) -> Listing:
    """Causes with how likely each is."""
    return listing(*[_cause_share(hypothesis) for hypothesis in hypotheses], join=Join.PLAIN)


def _cause_share(hypothesis: Hypothesis) -> Value:
    return say("diagnose.cause_share", cause=quoted(hypothesis.root_cause), share=share(hypothesis.confidence))
