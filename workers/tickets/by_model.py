"""Observations that a model finds in the prose of tickets, beside those that the rules draw (prose.py).

What the model says is kept only as far as the ticket bears it: the ticket has the words of each observation and of its check, it
is no sentence that names the cause, and it is not known already. So the history holds nothing that nobody wrote.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

from contracts.tickets import Anomaly, DrawnObservations, Ticket
from workers.engines.tokens import clip_to
from workers.errors import ModelAnswerUnusable
from workers.llm.client import ChatClient
from workers.tickets.ticket_files import Item
from workers.tickets.ticket_rows import DRAWN

Draw = Callable[[str, str], DrawnObservations]
"""The ticket's prose, and what is known of it → what a model observes in it. Raises what `ChatClient.ask` raises."""

DRAWN_BY = "drawn_by"
"""The key of a ticket's metadata that names the model."""
_AT_ONCE = 4
"""Tickets that are read at a time: most of the wait is the server's."""
_MOST = 8
"""Observations of one ticket that a model may add."""
_SHORTEST, _LONGEST = 6, 300
"""Characters of an observation; a Chinese one counts double."""
_FRAME_TOKENS = 600


def drawing(chat: ChatClient) -> Draw:
    """A model that reads tickets."""

    def draw(text: str, known: str) -> DrawnObservations:
        room = max(chat.context_tokens - _FRAME_TOKENS, 0)
        ticket = clip_to(text, room * 3 // 4)
        return chat.ask(DrawnObservations, prompt="retriever/observations", ticket=ticket, known=clip_to(known, room // 4)).value

    return draw


def with_model(items: Iterable[Item], draw: Draw, model: str, unread: Callable[[str], None]) -> Iterator[Item]:
    """The items in their order; tickets whose observations no column lists have those of the model too. `unread`: hears the id of a
    ticket for which the model's answer was of no use, which stays as the rules read it. Raises what else `draw` raises."""

    def read(item: Item) -> Item:
        line, ticket = item
        if not isinstance(ticket, Ticket) or (ticket.anomalies and "observations" not in ticket.metadata.get(DRAWN, ())):
            return item
        try:
            found = draw(ticket.description, "\n".join(f"- {anomaly.description}" for anomaly in ticket.anomalies) or "(none)")
        except ModelAnswerUnusable:
            unread(ticket.ticket_id)
            return item
        return line, with_observations(ticket, found, model)

    left = iter(items)
    with ThreadPoolExecutor(_AT_ONCE) as pool:
        while some := list(islice(left, _AT_ONCE)):
            yield from pool.map(read, some)


def with_observations(ticket: Ticket, found: DrawnObservations, model: str) -> Ticket:
    """The ticket with what of a model's observations its text bears."""
    text = _plain(ticket.description)
    kept = list(ticket.anomalies)
    for each in found.observations:
        quote, check = " ".join(each.quote.split()), " ".join(each.check.split())
        weight = len(quote) + sum(character > "\u2e80" for character in quote)
        if not _SHORTEST <= weight <= _LONGEST or _plain(quote) not in text or _is_known(quote, kept, ticket.root_cause):
            continue
        kept.append(Anomaly(description=quote, observation_method=check if check and _plain(check) in text else ""))
        if len(kept) >= len(ticket.anomalies) + _MOST:
            break
    if len(kept) == len(ticket.anomalies):
        return ticket
    drawn = dict.fromkeys([*ticket.metadata.get(DRAWN, ()), "observations"])
    return ticket.model_copy(update={"anomalies": tuple(kept), "metadata": {**ticket.metadata, DRAWN: list(drawn), DRAWN_BY: model}})


def _is_known(quote: str, kept: Iterable[Anomaly], cause: str) -> bool:
    """Whether it is one of those, a part of one, or one with more around it; or the cause."""
    mine = _plain(quote)
    others = [_plain(anomaly.description) for anomaly in kept] + [_plain(cause)]
    return any(mine in other or other in mine for other in others if other)


def _plain(text: str) -> str:
    return "".join(text.casefold().split())
