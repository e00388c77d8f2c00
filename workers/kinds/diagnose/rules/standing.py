"""The state of a dialogue in words: the reply to "why?", "what do you know so far?" and "which causes are possible?"."""

from collections.abc import Sequence

from contracts.diagnose.deliverables import AnswerReading, Evidence, Finding, Hypothesis, PhenomenonItem, PhenomenonQuestion, UserQuery
from contracts.statements import Join, Listing, Statement, Value, as_value, code, count, listing, member_term, name, passage, say
from contracts.tickets import TicketEvidence
from workers.kinds.diagnose.rules.known import Dialogue, latest_findings, observed_unasked
from workers.kinds.diagnose.rules.wording import (
    as_read,
    cause_shares,
    no_near_cause,
    quoted,
    quoted_all,
    said_of,
    seen_and_absent,
    ticket_refs,
)
from workers.tickets.looking import commands_in

_NAMED = 3
"""Causes that are named in passing."""
_LISTED = 5
"""Causes that are listed, phenomena for and against each, and tickets of each."""


def reply(
    latest: AnswerReading,
    question: PhenomenonQuestion,
    hypotheses: Sequence[Hypothesis],
    turns: Dialogue,
    readings: Sequence[AnswerReading],
    evidence: TicketEvidence,
    *,
    concluded: bool = False,
) -> tuple[Statement, ...]:
    """The lines that answer the questions of the latest answer, which came instead of, or together with, an answer to `question`.

    `turns` are the turns that count, each with its reading. `concluded`: whether there is a diagnosis, so that the hypotheses are the
    other ones.
    """
    reply: list[Statement] = []
    for query in latest.queries:
        if query is UserQuery.WHY:
            reply += _why(question)
        elif query is UserQuery.PROGRESS:
            reply += _progress(turns, readings, evidence, () if concluded else hypotheses)
        elif query is UserQuery.HOW:
            reply += _how(question, latest.asked_items, evidence)
        elif query is UserQuery.MEANING:
            reply += _meaning(question, latest.asked_items, evidence)
        else:
            reply += _causes(hypotheses, concluded=concluded)
    return tuple(reply)


def _why(question: PhenomenonQuestion) -> list[Statement]:
    if question.is_of_system_alone:
        return [say("diagnose.reply.why_system")]
    if not question.items:
        return [say("diagnose.reply.why_symptom")]
    named = question.hypotheses[:_NAMED]
    head = say("diagnose.reply.why_between", causes=cause_shares(named)) if named else say("diagnose.reply.why")
    return [
        head,
        *[
            say("diagnose.reply.why_item", number=name(item.number), phenomenon=quoted(item.description), why=as_value(item.why))
            for item in question.items
        ],
    ]


def _meaning(question: PhenomenonQuestion, numbers: Sequence[int], evidence: TicketEvidence) -> list[Statement]:
    """What the items mean that the user asks about: they are the words of tickets, and why they are asked."""
    if not question.items:
        return _why(question)
    items = _asked_of(question, numbers)
    return [say("diagnose.reply.means"), *[_means_item(item, evidence) for item in items]] if items else []


def _means_item(item: PhenomenonItem, evidence: TicketEvidence) -> Statement:
    seen = [ticket.ticket_id for ticket in evidence.tickets if item.phenomenon_id in ticket.phenomenon_ids]
    values: dict[str, Value] = {"number": name(item.number), "phenomenon": passage(item.description), "why": as_value(item.why)}
    if not seen:
        return say("diagnose.reply.means_item", **values)
    return say("diagnose.reply.means_seen", **values, tickets=ticket_refs(seen[:_LISTED]))


def _asked_of(question: PhenomenonQuestion, numbers: Sequence[int]) -> list[PhenomenonItem]:
    """The items with these numbers; all of them where there are no numbers."""
    return [item for item in question.items if not numbers or item.number in numbers]


def _how(question: PhenomenonQuestion, numbers: Sequence[int], evidence: TicketEvidence) -> list[Statement]:
    """How the items are checked that the user asks about, and why they matter; of all items if they name none."""
    items = _asked_of(question, numbers)
    return [say("diagnose.reply.how"), *[_how_item(item, evidence) for item in items]] if items else []


def _how_item(item: PhenomenonItem, evidence: TicketEvidence) -> Statement:
    values: dict[str, Value] = {"number": name(item.number), "phenomenon": quoted(item.description), "why": as_value(item.why)}
    if method := item.observation_method.strip():
        return say("diagnose.reply.how_item", **values, method=passage(method))
    commands, tickets = _commands_beside(item, evidence)
    if commands:
        named = listing(*[code(command) for command in commands], join=Join.PLAIN)
        return say("diagnose.reply.how_commands", **values, commands=named, tickets=ticket_refs(tickets))
    return say("diagnose.reply.how_unknown", **values)


def _commands_beside(item: PhenomenonItem, evidence: TicketEvidence) -> tuple[list[str], list[str]]:
    """Commands that only look, which the tickets with this phenomenon mention anywhere, and these tickets."""
    texts_of = {card.phenomenon_id: f"{card.description}\n{card.observation_method}" for card in evidence.phenomena}
    commands: dict[str, str] = {}
    for ticket in evidence.tickets:
        if item.phenomenon_id in ticket.phenomenon_ids:
            texts = (ticket.description, *(texts_of.get(found, "") for found in ticket.phenomenon_ids))
            for command in commands_in("\n".join(texts)):
                commands.setdefault(command, ticket.ticket_id)
    shown = list(commands)[:_LISTED]
    return shown, list(dict.fromkeys(commands[command] for command in shown))


def _progress(
    turns: Dialogue, readings: Sequence[AnswerReading], evidence: TicketEvidence, hypotheses: Sequence[Hypothesis]
) -> list[Statement]:
    findings = latest_findings(turns, readings).values()
    reply = [text for text in observed_unasked(readings, evidence) if text not in evidence.looked_up]
    known: list[Statement] = []
    for finding in Finding:
        named = [item.description for item, found in findings if found is finding]
        if named:
            known.append(say("diagnose.reply.known", finding=member_term("diagnose.finding", finding), phenomena=quoted_all(named)))
    if reply:
        observations = listing(*[as_read(text, evidence) for text in reply], join=Join.PLAIN)
        known.append(say("diagnose.reply.observations", observations=observations))
    if evidence.looked_up:
        known.append(say("diagnose.reply.looked_up", findings=listing(*map(passage, evidence.looked_up), join=Join.PLAIN)))
    if not known:
        known.append(say("diagnose.reply.nothing_known"))
    if hypotheses:
        known.append(say("diagnose.reply.most_likely", causes=cause_shares(hypotheses[:_NAMED])))
    return [say("diagnose.reply.progress", turns=count(len(turns))), *known]


def _causes(hypotheses: Sequence[Hypothesis], *, concluded: bool) -> list[Statement]:
    if not hypotheses:
        return [say("diagnose.reply.no_other_cause") if concluded else no_near_cause()]
    head = say("diagnose.reply.other_causes") if concluded else say("diagnose.reply.causes")
    return [head, *[_cause(hypothesis) for hypothesis in hypotheses[:_LISTED]]]


def _cause(hypothesis: Hypothesis) -> Statement:
    """One line a cause: its share, the findings for and against it, its tickets."""
    parts: list[Value] = [cause_shares([hypothesis])]
    speaks_for = [evidence for evidence in hypothesis.evidence if evidence.weight > 0]
    speaks_against = [evidence for evidence in hypothesis.evidence if evidence.weight < 0]
    seen, absent = seen_and_absent(speaks_for)
    if seen:
        parts.append(say("diagnose.reply.cause_for", findings=_findings(seen)))
    if absent:
        parts.append(say("diagnose.reply.cause_for_absent", phenomena=_findings(absent)))
    if speaks_against:
        parts.append(say("diagnose.reply.cause_against", findings=_findings(speaks_against)))
    if hypothesis.ticket_ids:
        parts.append(say("diagnose.reply.cause_tickets", tickets=ticket_refs(hypothesis.ticket_ids[:_LISTED])))
    return say("diagnose.reply.cause", parts=listing(*parts, join=Join.CLAUSES))


def _findings(found: Sequence[Evidence]) -> Listing:
    return listing(*[_finding(evidence) for evidence in found[:_LISTED]], join=Join.PLAIN)


def _finding(evidence: Evidence) -> Value:
    return say("diagnose.evidence.finding", phenomenon=quoted(evidence.description), finding=said_of(evidence))
