"""The ticket history: solved incidents, what an import made of them, and the part of the history that bears on an incident."""

from datetime import datetime

from pydantic import Field

from contracts.base import Contract, Json, Text


class Anomaly(Contract):
    """One phenomenon of one ticket, as its author wrote it."""

    description: Text = Field(min_length=1, max_length=4_000)
    observation_method: Text = Field(default="", max_length=20_000)
    """The query or command that shows it."""
    why_relevant: Text = Field(default="", max_length=4_000)


class Ticket(Contract):
    """One solved incident of the history."""

    ticket_id: Text = Field(min_length=1, max_length=200)
    description: Text = Field(min_length=1, max_length=20_000)
    root_cause: Text = Field(min_length=1, max_length=4_000)
    solution: Text = Field(default="", max_length=20_000)
    metadata: Json = {}
    anomalies: tuple[Anomaly, ...] = Field(default=(), max_length=200)


class CauseCard(Contract):
    """A root cause as the history knows it."""

    cause_id: str
    description: str
    solution: str
    ticket_count: int = Field(ge=1)
    """Tickets of the whole history with this cause."""
    ticket_ids: tuple[str, ...]
    """The ones nearest to the incident, best first; at most 10."""


class PhenomenonCard(Contract):
    """A phenomenon that can be checked, with its share in the causes of this evidence."""

    phenomenon_id: str
    description: str
    observation_method: str
    similarity: float = Field(ge=-1, le=1)
    """Likeness of its description to what the user has told: see workers/tickets/likeness.py."""
    cause_tickets: dict[str, int]
    """cause_id → tickets of that cause that show this phenomenon. Only causes of this evidence."""
    cause_count: int = Field(ge=1)
    """Causes of the whole history that show it."""
    why_relevant: dict[str, str] = {}
    """cause_id → why it speaks for that cause, from a ticket."""


class TicketCard(Contract):
    """A ticket near to the incident, without its label's text."""

    ticket_id: str
    description: str
    cause_id: str
    similarity: float = Field(ge=-1, le=1)
    """Likeness of its symptoms (description and anomalies, never the cause) to what the user has told."""
    phenomenon_ids: tuple[str, ...]


class ObservationMatch(Contract):
    """What the user told of their own accord, and a known phenomenon it says. One observation may match up to three
    phenomena; together they are one observation."""

    text: str
    phenomenon_id: str
    similarity: float = Field(ge=-1, le=1)


class TicketEvidence(Contract):
    """Deliverable of stage `tickets`: the part of the history that bears on this incident. Sorted, so that equal
    evidence has an equal hash: causes, phenomena and tickets each best first, ties by id."""

    causes: tuple[CauseCard, ...]
    phenomena: tuple[PhenomenonCard, ...]
    tickets: tuple[TicketCard, ...]
    observations: tuple[ObservationMatch, ...] = ()
    total_tickets: int = Field(ge=0)
    """Tickets in the whole history; 0 means that nothing was imported."""
    total_causes: int = Field(ge=0)


class TicketProblem(Contract):
    """A row of an import that could not be taken."""

    line: int = Field(ge=1)
    ticket_id: str | None = None
    reason: str


class ImportReport(Contract):
    """What an import did."""

    imported: int = Field(ge=0)
    updated: int = Field(ge=0)
    unchanged: int = Field(ge=0)
    problems: tuple[TicketProblem, ...] = ()
    at: datetime | None = None
