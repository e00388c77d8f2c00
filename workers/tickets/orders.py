"""`tickets.read`: a model reads the prose of the history, as far as somebody ordered it, in whichever process has time.

An order is bounded: so many tickets, so many tokens. What was read is kept by its text (readings.py), so an order that is interrupted goes
on where it was, and one that ended can be given again for the rest. The tickets are changed once, when it ends: one change, which
`bullpen tickets undo` takes back.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from datetime import datetime
from typing import LiteralString

from contracts.reports import Usage
from contracts.tickets import DrawnObservations, Ticket
from workers.blackboard.engine import Database, Row
from workers.errors import BudgetExceeded, BullpenError, ModelAnswerUnusable
from workers.llm.client import ChatClient
from workers.llm.pricing import Prices, priced
from workers.llm.token_count import estimate_tokens
from workers.retrieval.embedding import turn
from workers.tickets.by_model import AT_ONCE, comments_of, drawing, has_prose
from workers.tickets.readings import HASH, keep_reading, text_hash, with_readings
from workers.tickets.tickets import import_tickets, show_ticket

ANSWER_TOKENS = 400
"""Tokens of an answer as a plan counts them: eight quotations of a line each, a cause and a fix."""
FRAME_TOKENS = 1_200
"""Tokens of the instructions and of the answer's form."""
DOUBT = 1.5
"""The most tokens of an order are this many times those that are expected: repairs, and another tokenizer."""
_LOCK = 823649205

OpenChat = Callable[[int], ChatClient]
"""Opens a conversation that may use so many tokens."""

_UNREAD: LiteralString = f"""
  FROM tickets t
 WHERE (t.metadata -> 'drawn' ? 'observations' OR jsonb_typeof(t.metadata -> 'comments') = 'string'
        OR NOT EXISTS (SELECT FROM ticket_anomalies a WHERE a.ticket_id = t.ticket_id))
   AND NOT EXISTS (SELECT FROM ticket_readings r WHERE r.text_hash = {HASH})
"""  # noqa: S608  made of constants
"""Tickets that hold prose which no model has read; see `has_prose`."""


@dataclass(frozen=True, slots=True)
class Plan:
    """What an order would take."""

    model: str
    tickets: int
    read: int
    """Texts that were read before."""
    tokens: int
    """Expected, in and out."""
    most_tokens: int
    cost_usd: float | None
    """Of the most tokens; None: the model has no price."""


@dataclass(frozen=True, slots=True)
class Order:
    """How far an order is."""

    order_id: int
    model: str
    tickets: int
    tokens: int
    tickets_read: int
    tokens_used: int
    useless: int
    changed: int | None
    problem: str | None
    ended_at: datetime | None


def plan_reading(db: Database, model: str, prices: Prices, *, limit: int | None = None) -> Plan:
    """What it would take to read what is not read yet, or the first `limit` tickets of it."""
    into, tickets = 0, 0
    with db.session() as connection:
        rows = connection.execute(f"SELECT t.description, t.metadata ->> 'comments' AS comments {_UNREAD} ORDER BY t.ticket_id")
        for row in rows:
            if tickets == limit:
                break
            tickets += 1
            into += FRAME_TOKENS + estimate_tokens(row["description"]) + estimate_tokens(row["comments"] or "")
    known = db.row("SELECT count(*) AS number FROM ticket_readings")
    return _plan(tickets, into, model, prices, read=0 if known is None else known["number"])


def plan_of(tickets: Iterable[Ticket], model: str, prices: Prices) -> Plan:
    """What it would take to read the prose of these tickets."""
    into = [
        FRAME_TOKENS + estimate_tokens(ticket.description) + estimate_tokens(comments_of(ticket)) for ticket in tickets if has_prose(ticket)
    ]
    return _plan(len(into), sum(into), model, prices)


def _plan(tickets: int, into: int, model: str, prices: Prices, *, read: int = 0) -> Plan:
    out = ANSWER_TOKENS * tickets
    most = int(DOUBT * (into + out))
    worst = priced(Usage(model_calls=1, input_tokens=int(DOUBT * into), output_tokens=most - int(DOUBT * into)), model, prices)
    return Plan(
        model=model,
        tickets=tickets,
        read=read,
        tokens=into + out,
        most_tokens=most,
        cost_usd=worst.cost_usd if model in prices else None,
    )


def place_order(db: Database, plan: Plan) -> None:
    """Have it read. An order that has not ended yields to the new one; what it read stays."""
    with db.session() as connection, connection.transaction():
        connection.execute("UPDATE ticket_orders SET ended_at = now(), changed = coalesce(changed, 0) WHERE ended_at IS NULL")
        connection.execute(
            "INSERT INTO ticket_orders (model, tickets, tokens) VALUES (%(model)s, %(tickets)s, %(tokens)s)",
            {"model": plan.model, "tickets": plan.tickets, "tokens": plan.most_tokens},
        )


def last_order(db: Database) -> Order | None:
    """The newest order. None: nothing was ever ordered."""
    row = db.row(
        "SELECT order_id, model, tickets, tokens, tickets_read, tokens_used, useless, changed, problem, ended_at FROM ticket_orders"
        " ORDER BY order_id DESC LIMIT 1"
    )
    return None if row is None else Order(**row)


def read_next(db: Database, open_chat: OpenChat) -> bool:
    """Read the next few tickets of the open order, or end it. False: there is none, or another process is at it. Raises what a model that
    cannot be reached raises; the order stays open, and says so."""
    order = last_order(db)
    if order is None or order.ended_at is not None:
        return False
    with db.session() as connection, turn(connection, _LOCK) as is_mine:
        if not is_mine:
            return False
        left = min(AT_ONCE, order.tickets - order.tickets_read)
        ids = [
            row["ticket_id"]
            for row in connection.execute(f"SELECT t.ticket_id {_UNREAD} ORDER BY t.ticket_id LIMIT %(left)s", {"left": left})
        ] if left > 0 else []  # fmt: skip
        if not ids or not _read_some(db, order, [show_ticket(db, ticket_id) for ticket_id in ids], open_chat):
            _end(db, order)
    return True


def _read_some(db: Database, order: Order, tickets: list[Ticket], open_chat: OpenChat) -> bool:
    """Read these; False if the tokens of the order do not reach for all of them."""
    chat = open_chat(order.tokens - order.tokens_used)
    draw = drawing(chat)

    def read(ticket: Ticket) -> tuple[Ticket, DrawnObservations | BullpenError]:
        try:
            return ticket, draw(ticket)
        except BullpenError as error:
            return ticket, error

    with ThreadPoolExecutor(AT_ONCE) as pool:
        answers = list(pool.map(read, tickets))
    failed = [found for _, found in answers if isinstance(found, BullpenError) and not isinstance(found, ModelAnswerUnusable)]
    kept = [(ticket, found) for ticket, found in answers if found not in failed]
    used = chat.usage
    with db.session() as connection, connection.transaction():
        for ticket, found in kept:
            by = chat.answered_by or order.model
            keep_reading(connection, text_hash(ticket), by, found if isinstance(found, DrawnObservations) else None)
        connection.execute(
            "UPDATE ticket_orders SET tickets_read = tickets_read + %(read)s, tokens_used = tokens_used + %(tokens)s,"
            " useless = useless + %(useless)s, problem = %(problem)s WHERE order_id = %(order)s",
            {
                "read": len(kept),
                "tokens": used.input_tokens + used.output_tokens,
                "useless": sum(not isinstance(found, DrawnObservations) for _, found in kept),
                "problem": str(failed[0])[:500] if failed else None,
                "order": order.order_id,
            },
        )
    away = next((error for error in failed if not isinstance(error, BudgetExceeded)), None)
    if away is not None:
        raise away
    return not failed


def _end(db: Database, order: Order) -> None:
    """Give the tickets what was read in them since the order was placed, as one change; then the order is done. Their new
    vectors are made in the background."""
    rows = db.statement(
        f"SELECT t.ticket_id FROM tickets t JOIN ticket_readings r ON r.text_hash = {HASH}"  # noqa: S608  made of constants
        " JOIN ticket_orders o ON o.order_id = %(order)s AND r.read_at >= o.ordered_at ORDER BY t.ticket_id",
        {"order": order.order_id},
    )
    report = import_tickets(db, None, enumerate(_read_tickets(db, rows), 1), what="reading")
    db.statement(
        "UPDATE ticket_orders SET ended_at = now(), changed = %(changed)s WHERE order_id = %(order)s RETURNING 1",
        {"changed": report.updated, "order": order.order_id},
    )


def _read_tickets(db: Database, rows: list[Row]) -> Iterator[Ticket]:
    for row in rows:
        ticket = show_ticket(db, row["ticket_id"])
        with db.session() as connection:
            yield from with_readings(connection, [ticket])
