"""How a diagnosis is shown: the cause and its confidence, the reasons, the solution, each finding with its weight, and the other
causes."""

from collections.abc import Iterable, Iterator

from pydantic import ValidationError

from contracts.base import Json
from contracts.diagnose.deliverables import VOLUNTEERED, Diagnosis, Evidence, Finding, Hypothesis, Noted, PhenomenonQuestion, Verdict
from contracts.statements import (
    Join,
    Sayable,
    Shown,
    Statement,
    Term,
    count,
    lines,
    listing,
    member_term,
    name,
    number,
    passage,
    quote,
    say,
    sayables_in,
    share,
    term,
)
from workers.checks.view import gathered_blocks, title_of
from workers.kinds.base import AskedForm, AskedItem, ShowOptions
from workers.kinds.diagnose.rules.dangers import dangerous_words
from workers.kinds.diagnose.rules.wording import as_asked, brief, cause_shares, quoted, quoted_all, said_of, ticket_refs
from workers.saying.document import Align, Block, Column, Document, Fact, Facts, Heading, Item, Items, Paragraph, Table, Tone, bullets

_STANDING = 3
"""Causes that are named beside a question."""
_TICKETS = 3
"""Tickets that are named beside a finding."""
_TONES = {Verdict.DIAGNOSED: Tone.GOOD, Verdict.UNCERTAIN: Tone.WARNING, Verdict.UNKNOWN: Tone.WARNING}


def show_result(content: Json, options: ShowOptions) -> Document | None:
    """The report of a diagnosis. None for content that is not a diagnosis."""
    try:
        found = Diagnosis.model_validate(content)
    except ValidationError:
        return None
    return Document(title=_title(found), tone=_TONES[found.verdict], blocks=tuple(_blocks(found, by_person=options.by_person)))


def question_standing(detail: Json) -> Sayable | None:
    """The state of a diagnosis while it asks: what was confirmed and denied, and the causes that are possible; None for a question of
    another form, or without causes."""
    try:
        question = PhenomenonQuestion.model_validate(detail)
    except ValidationError:
        return None
    if not question.hypotheses:
        return None
    found = {evidence.phenomenon_id: evidence for hypothesis in question.hypotheses for evidence in hypothesis.evidence}
    known = [
        say("diagnose.reply.known", finding=member_term("diagnose.finding", finding), phenomena=quoted_all(texts))
        for finding in (Finding.CONFIRMED, Finding.DENIED)
        if (texts := [evidence.description for evidence in found.values() if evidence.finding is finding and evidence.source == "asked"])
    ]
    standing = say("diagnose.standing", causes=cause_shares(question.hypotheses[:_STANDING]))
    return lines(*known, standing) if known else standing


def question_form(detail: Json) -> AskedForm | None:
    """The phenomena of a question, each to be answered; None for a question of another form."""
    try:
        question = PhenomenonQuestion.model_validate(detail)
    except ValidationError:
        return None
    return AskedForm(
        lead=question.notes,
        items=tuple(
            AskedItem(item.number, as_asked(item), passage(item.observation_method) if item.observation_method else None, item.why)
            for item in question.items
        ),
    )


def _title(found: Diagnosis) -> Statement:
    if found.root_cause is None:
        return say("diagnose.report.title.unknown")
    cause = quote(found.root_cause)
    if found.verdict is Verdict.DIAGNOSED:
        return say("diagnose.report.title.diagnosed", cause=cause)
    return say("diagnose.report.title.uncertain", cause=cause)


def _blocks(found: Diagnosis, *, by_person: bool) -> Iterator[Block]:
    yield Facts(facts=tuple(_facts(found)))
    yield Heading(text=term("diagnose.report.why"))
    if found.words:
        yield Paragraph(text=say("diagnose.report.words", words=passage(found.words)))
    if found.words_left_out:
        yield Paragraph(text=say("diagnose.report.words_left_out"), tone=Tone.DIM)
    yield bullets(_why(found))
    if found.by_data and found.cited_tickets:
        yield Paragraph(text=say("diagnose.report.like_tickets", tickets=ticket_refs(found.cited_tickets)))
    yield from solution_blocks(found, by_person=by_person)
    if found.gathered is not None:
        yield Heading(text=title_of(found.gathered))
        yield from gathered_blocks(found.gathered)
    if weighed := (*found.evidence_for, *found.evidence_against):
        yield Heading(text=term("diagnose.report.findings"))
        yield _weights(weighed)
    if found.alternatives:
        yield Heading(text=term("diagnose.report.alternatives"))
        yield _alternatives(found.alternatives)
    if found.noted or found.ruled_out:
        yield Heading(text=term("diagnose.report.noted"))
        yield bullets([*map(_noted, found.noted), *(say("diagnose.report.ruled_out", cause=quote(cause)) for cause in found.ruled_out)])
    if found.unread:
        yield Heading(text=term("diagnose.report.unread"))
        yield bullets(passage(text) for text in found.unread)


def _noted(remark: Noted) -> Statement:
    """What the user said, quoted, and what was done with it."""
    if not remark.like:
        return say("diagnose.report.noted.searched", words=quote(remark.text))
    if remark.is_seen:
        return say("diagnose.report.noted.seen", words=quote(remark.text))
    return say("diagnose.report.noted.like", words=quote(remark.text), phenomenon=quoted(remark.like))


def solution_blocks(found: Diagnosis, *, by_person: bool) -> Iterator[Block]:
    """What helped then: plain after a diagnosis, under "if it is this" after a guess; with the steps that cannot be undone, and where it is
    from."""
    if not found.solution:
        return
    is_sure = found.verdict is Verdict.DIAGNOSED
    yield Heading(text=term("diagnose.report.solution") if is_sure else term("diagnose.report.solution_if"))
    if not is_sure and found.root_cause:
        yield Paragraph(
            text=say("diagnose.report.only_if", cause=quoted(found.root_cause), share=share(found.confidence)), tone=Tone.WARNING
        )
    fixes = () if by_person else found.fixes
    if fixes:
        yield Items(
            items=tuple(
                Item(text=say("diagnose.report.fix", tickets=ticket_refs(fix.tickets), solution=passage(fix.solution))) for fix in fixes
            )
        )
    else:
        yield Paragraph(text=passage(found.solution))
    if words := dangerous_words("\n".join(fix.solution for fix in fixes) or found.solution):
        yield Paragraph(text=say("diagnose.report.dangerous", words=listing(*map(quote, words), join=Join.PLAIN)), tone=Tone.WARNING)
    if by_person:
        yield Paragraph(text=say("diagnose.report.solution_by_person"))
    elif fixes:
        yield Paragraph(text=say("diagnose.report.check_first"))
    elif found.cited_tickets:
        yield Paragraph(text=say("diagnose.handover.from_tickets", tickets=ticket_refs(found.cited_tickets)))


def _facts(found: Diagnosis) -> Iterator[Fact]:
    yield Fact(label=term("diagnose.report.confidence"), value=share(found.confidence))
    if found.cause_id:
        yield Fact(label=term("diagnose.report.cause_id"), value=name(found.cause_id))
    yield Fact(label=term("diagnose.report.turns"), value=count(found.turns))
    method = term("diagnose.report.by_data") if found.by_data else name(found.method.value)
    yield Fact(label=term("diagnose.report.method"), value=method)
    if found.forced:
        yield Fact(label=term("diagnose.report.forced"), value=term("diagnose.report.forced_because"))
    if found.downgraded and not _says(found.explanation, found.downgraded):
        yield Fact(label=term("diagnose.report.downgraded"), value=found.downgraded)


def _why(found: Diagnosis) -> Iterator[Shown]:
    """The explanation line by line. Releases before statements wrote it as one text."""
    for sayable in sayables_in(found.explanation):
        if isinstance(sayable, str):
            yield from (line for line in sayable.splitlines() if line.strip())
        else:
            yield sayable


def _says(explanation: Sayable, downgraded: Sayable) -> bool:
    if isinstance(explanation, str):
        return isinstance(downgraded, str) and downgraded in explanation
    return downgraded in sayables_in(explanation)


def _weights(weighed: Iterable[Evidence]) -> Table:
    """Each finding with its weight, in nats; the heaviest of each side first."""
    columns = (
        Column(title=term("diagnose.report.weight"), align=Align.RIGHT, wraps=False),
        Column(title=term("diagnose.report.finding"), wraps=False),
        Column(title=term("diagnose.report.phenomenon")),
        Column(title=term("diagnose.report.tickets")),
    )
    rows = [(number(found.weight, 2), _finding(found), _phenomenon(found), _tickets(found)) for found in weighed]
    return Table(columns=columns, rows=tuple(rows))


def _phenomenon(found: Evidence) -> Shown:
    text = passage(brief(found.description))
    return say("diagnose.report.phenomenon_quoted", phenomenon=text, words=quoted(found.quote)) if found.quote else text


def _finding(found: Evidence) -> Term:
    is_volunteered = found.source == VOLUNTEERED and found.finding is Finding.CONFIRMED
    return term("diagnose.finding.volunteered") if is_volunteered else said_of(found)


def _tickets(found: Evidence) -> Shown:
    if not found.tickets:
        return say("diagnose.report.no_tickets")
    named = ticket_refs(found.tickets[:_TICKETS])
    return named if len(found.tickets) <= _TICKETS else say("diagnose.report.more_tickets", tickets=named)


def _alternatives(alternatives: Iterable[Hypothesis]) -> Items:
    return bullets(_alternative(hypothesis) for hypothesis in alternatives)


def _alternative(hypothesis: Hypothesis) -> Statement:
    cause, part = quoted(hypothesis.root_cause), share(hypothesis.confidence)
    return say("diagnose.report.alternative", cause=cause, id=name(hypothesis.cause_id), share=part)
