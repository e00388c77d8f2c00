"""What a model reads in the prose of a ticket: cause, fix, observations and their checks, beside what the rules draw (prose.py).

What the model says is kept only as far as the ticket bears it: the ticket has the words of each quotation, no observation is the cause or
the fix or known already, and none comes from a sentence of a comment that tells what was done. So the history holds nothing that nobody
wrote.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from contracts.statements import say
from contracts.tickets import Anomaly, DrawnObservations, Ticket, TicketProblem
from workers.engines.sentences import sentences
from workers.engines.tokens import clip_to
from workers.errors import BudgetExceeded, ModelAnswerUnusable
from workers.llm.brief import cut_rows
from workers.llm.client import ChatClient
from workers.tickets.prose import take_apart
from workers.tickets.table_files import Item
from workers.tickets.ticket_rows import COMMENTS, DRAWN, UNREAD, drawn_of

Draw = Callable[[Ticket], DrawnObservations]
"""A ticket → what a model reads in its prose. Raises what `ChatClient.ask` raises."""

DRAWN_BY = "drawn_by"
"""The key of a ticket's metadata that names the model."""
AT_ONCE = 4
"""Tickets that are read at a time: most of the wait is the server's."""
_MOST = 8
"""Observations of one ticket that a model may add."""
_SHORTEST, _LONGEST = 6, 300
"""Characters of an observation; a Chinese one counts double."""
_FRAME_TOKENS = 800


def comments_of(ticket: Ticket) -> str:
    """What people at work wrote in a ticket, where its import kept it."""
    kept = ticket.metadata.get(COMMENTS)
    return kept if isinstance(kept, str) else ""


def has_prose(ticket: Ticket) -> bool:
    """Whether there is something to read that no column lists."""
    is_drawn = not ticket.anomalies or "observations" in drawn_of(ticket.metadata)
    return ticket.root_cause == UNREAD or is_drawn or bool(comments_of(ticket))


def drawing(chat: ChatClient) -> Draw:
    """A model that reads tickets."""

    def draw(ticket: Ticket) -> DrawnObservations:
        room = max(chat.context_tokens - _FRAME_TOKENS, 0)
        known = "\n".join(f"- {anomaly.description}" for anomaly in ticket.anomalies) or "(none)"
        whole = {"ticket": ticket.description, "comments": comments_of(ticket), "known": known}
        shown = {part: clip_to(text, room // (2 if part == "ticket" else 4)) for part, text in whole.items()}
        cuts = cut_rows(*((part, len(shown[part]), len(text)) for part, text in whole.items()))
        return chat.ask(DrawnObservations, prompt="retriever/observations", **shown, prompt_cuts=cuts).value

    return draw


def with_model(items: Iterable[Item], draw: Draw, model: str, unread: Callable[[str], None]) -> Iterator[Item]:
    """The items in their order; tickets that hold prose have what the model reads there too. `unread`: hears the id of a ticket for which
    the model's answer was of no use or the budget did not reach, which stays as the rules read it. A ticket of which nobody names the cause
    is a problem. Raises what else `draw` raises."""

    def read(item: Item) -> Item:
        line, ticket = item
        if not isinstance(ticket, Ticket) or not has_prose(ticket):
            return item
        try:
            read = with_reading(ticket, draw(ticket), model)
        except (ModelAnswerUnusable, BudgetExceeded):
            unread(ticket.ticket_id)
            read = ticket
        if read.root_cause != UNREAD:
            return line, read
        return line, TicketProblem(line=line, ticket_id=ticket.ticket_id, reason=say("refused.row.cause_unread"))

    left = iter(items)
    with ThreadPoolExecutor(AT_ONCE) as pool:
        while some := list(islice(left, AT_ONCE)):
            yield from pool.map(read, some)


def with_reading(ticket: Ticket, found: DrawnObservations, model: str) -> Ticket:
    """The ticket with what of a model's reading its text bears. A cause that the rules drew gives way to the model's, and an observation
    that they drew goes if it is the cause or the fix; what a column or a person says stays."""
    drawn = drawn_of(ticket.metadata)
    cause, fix = _borne(found.cause, ticket), _borne(found.fix, ticket)
    root_cause = cause if cause and "root_cause" in drawn else ticket.root_cause
    wrong = [_plain(text) for text in (cause, fix) if text] if "observations" in drawn else []
    stays = [each for each in ticket.anomalies if not any(_plain(each.description) in text for text in wrong)]
    answers = [text for text in (cause, fix, ticket.root_cause, ticket.solution) if text]
    kept = _observed(ticket, stays, found, answers, fix)
    drawn += ["solution"] if fix and not ticket.solution else []
    drawn += ["observations"] if len(kept) > len(stays) else []
    read = {"root_cause": root_cause, "solution": ticket.solution or fix, "anomalies": tuple(kept)}
    made = ticket.model_copy(update=read)
    if made == ticket:
        return ticket
    return made.model_copy(update={"metadata": {**ticket.metadata, DRAWN: list(dict.fromkeys(drawn)), DRAWN_BY: model}})


def _observed(ticket: Ticket, stays: list[Anomaly], found: DrawnObservations, answers: list[str], fix: str) -> list[Anomaly]:
    """The ticket's observations with those of the model that hold. Where nobody knows the fix, any comment may hold it."""
    kept, text = list(stays), _plain(f"{ticket.description}\n{comments_of(ticket)}")
    shown = _of_sight(ticket, answers) if fix or ticket.solution else []
    described, seen = _plain(ticket.description), [_plain(sentence) for sentence in shown]
    for each in found.observations:
        quote, check = " ".join(each.quote.split()), " ".join(each.check.split())
        weight, plain = len(quote) + sum(character > "\u2e80" for character in quote), _plain(quote)
        is_described = plain in described
        if not _SHORTEST <= weight <= _LONGEST or not (is_described or any(plain in sentence for sentence in seen)):
            continue
        if _is_known(quote, kept, answers) or _is_answer(quote, by_people_at_work=not is_described):
            continue
        kept.append(Anomaly(description=quote, observation_method=check if check and _plain(check) in text else ""))
        if len(kept) >= len(stays) + _MOST:
            break
    return kept


def _of_sight(ticket: Ticket, answers: list[str]) -> list[str]:
    """The sentences of the comments that tell what was seen: they hold neither cause nor fix, nor what somebody did. The model reads which
    is which; a comment often has both."""
    known = [_plain(answer) for answer in answers]
    return [
        sentence
        for sentence in sentences(comments_of(ticket))
        if not any(answer in _plain(sentence) for answer in known) and not _is_answer(sentence, by_people_at_work=True)
    ]


def _is_answer(text: str, *, by_people_at_work: bool) -> bool:
    """Whether the rules read a cause, a fix or a deed in it."""
    parts = take_apart(text, by_people_at_work=by_people_at_work)
    return bool(parts.cause or parts.fix or parts.deeds)


def _borne(quote: str, ticket: Ticket) -> str:
    """A quotation that the ticket has; else nothing."""
    quote = " ".join(quote.split())
    return quote if quote and _plain(quote) in _plain(f"{ticket.description}\n{comments_of(ticket)}") else ""


def _is_known(quote: str, kept: Iterable[Anomaly], answers: Iterable[str]) -> bool:
    """Whether it is one of those, a part of one, or one with more around it; or the cause or the fix."""
    mine = _plain(quote)
    others = [_plain(anomaly.description) for anomaly in kept] + [_plain(answer) for answer in answers]
    return any(mine in other or other in mine for other in others if other)


def _plain(text: str) -> str:
    return "".join(text.casefold().split())
