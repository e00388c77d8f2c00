"""What a model has read in tickets, kept by the hash of the text: no text is read twice, regardless of how its ticket comes in."""

import hashlib
from collections.abc import Collection, Sequence
from typing import LiteralString

import psycopg
from pydantic import ValidationError

from contracts.base import Json
from contracts.tickets import DrawnObservations, Ticket
from workers.blackboard.engine import Row, jsonb
from workers.tickets.by_model import comments_of, has_prose, with_reading

Connection = psycopg.Connection[Row]

HASH: LiteralString = (
    "encode(sha256(convert_to(concat_ws(E'\\n', t.description, CASE WHEN jsonb_typeof(t.metadata -> 'comments') = 'string'"
    " AND t.metadata ->> 'comments' <> '' THEN t.metadata ->> 'comments' END), 'UTF8')), 'hex')"
)
"""The hash of a ticket's prose, as `text_hash` makes it."""


def text_hash(ticket: Ticket) -> str:
    """Of a ticket's prose: its description and comments."""
    comments = comments_of(ticket)
    text = f"{ticket.description}\n{comments}" if comments else ticket.description
    return hashlib.sha256(text.encode("utf-8")).hexdigest()


def keep_reading(connection: Connection, digest: str, model: str, found: DrawnObservations | None) -> None:
    """`found`: None for an answer of no use, which is not asked for again either."""
    connection.execute(
        "INSERT INTO ticket_readings (text_hash, model, reading) VALUES (%(hash)s, %(model)s, %(reading)s) ON CONFLICT DO NOTHING",
        {"hash": digest, "model": model, "reading": jsonb({} if found is None else found.to_json())},
    )


def find_readings(connection: Connection, digests: Collection[str]) -> dict[str, tuple[str, DrawnObservations]]:
    """Hash → model and reading, of those that are known and of use."""
    rows = connection.execute(
        "SELECT text_hash, model, reading FROM ticket_readings WHERE text_hash = ANY (%(hashes)s)", {"hashes": list(digests)}
    )
    found = ((row["text_hash"], row["model"], _read(row["reading"])) for row in rows)
    return {digest: (model, reading) for digest, model, reading in found if reading is not None}


def with_readings(connection: Connection, tickets: Sequence[Ticket]) -> list[Ticket]:
    """The tickets with what a model has read in such texts before."""
    known = find_readings(connection, {text_hash(ticket) for ticket in tickets if has_prose(ticket)})

    def read(ticket: Ticket) -> Ticket:
        found = known.get(text_hash(ticket)) if known and has_prose(ticket) else None
        return ticket if found is None else with_reading(ticket, found[1], found[0])

    return [read(ticket) for ticket in tickets]


def _read(value: Json) -> DrawnObservations | None:
    try:
        return DrawnObservations.model_validate(value) if value else None
    except ValidationError:  # another release's
        return None
