"""The ticket history: solved incidents, the report of an import, and the part of the history that is relevant to an incident."""

from datetime import datetime
from typing import Literal

from pydantic import Field

from contracts.base import Contract, Json, Text
from contracts.statements import Sayable


class Anomaly(Contract):
    """One phenomenon of one ticket, in its author's words."""

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


class DrawnObservation(Contract):
    """What a model observes in a ticket, in the ticket's words."""

    quote: Text = Field(max_length=1_000)
    """The words of the ticket that say it, copied."""
    check: Text = Field(default="", max_length=1_000)
    """The command or query that shows it, copied from the ticket."""


class DrawnObservations(Contract):
    """A model's reading of one ticket. All of it is copied from the ticket's own words."""

    cause: Text = Field(default="", max_length=1_000)
    """What was found to be the cause. Empty: the ticket does not say it."""
    fix: Text = Field(default="", max_length=2_000)
    """What helped. Empty: the ticket does not say it."""
    observations: tuple[DrawnObservation, ...] = Field(max_length=8)


class CauseCard(Contract):
    """A root cause in the history."""

    cause_id: str
    description: str
    solution: str
    ticket_count: int = Field(ge=1)
    """Tickets of the whole history with this cause."""
    ticket_ids: tuple[str, ...]
    """Tickets that are nearest to the incident, best first, at most 10."""
    similarity: float = Field(default=0.0, ge=-1, le=1)
    """Similarity of the cause's own words to the user's description: users say what they suspect."""


class PhenomenonCard(Contract):
    """A phenomenon that the user can check, with its frequency for each cause of this evidence."""

    phenomenon_id: str
    description: str
    observation_method: str
    similarity: float = Field(ge=-1, le=1)
    """Similarity of its description to the user's description and observations; see workers/tickets/likeness.py."""
    cause_tickets: dict[str, int]
    """cause_id → tickets of that cause that show this phenomenon. Only causes of this evidence."""
    cause_count: int = Field(ge=1)
    """Number of causes in the whole history that show it."""
    why_relevant: dict[str, str] = {}
    """cause_id → why it supports that cause, quoted from a ticket."""
    alike: dict[str, float] = {}
    """phenomenon_id → likeness, of the other phenomena of this evidence that may be the same in other words or another language."""
    reworded: dict[str, float] = {}
    """phenomenon_id → likeness, of those that another ticket of the same cause tells in other words: one observation."""
    perhaps: dict[str, float] = {}
    """phenomenon_id → likeness, of those that another ticket of the same cause perhaps tells in its own particulars."""


class TicketCard(Contract):
    """A ticket similar to the incident, without the text of its root cause."""

    ticket_id: str
    description: str
    cause_id: str
    similarity: float = Field(ge=-1, le=1)
    """Similarity of its symptoms (description and anomalies, never the cause) to the user's description and observations."""
    phenomenon_ids: tuple[str, ...]
    systems: tuple[str, ...] = ()
    """The product or component that the ticket is about, as its metadata names it."""
    hosts: tuple[str, ...] = ()
    """Hosts, configuration items and labels of its metadata."""
    solution: str = ""
    """What helped then, or its beginning."""


class ObservationMatch(Contract):
    """An observation that the user volunteered, and a known phenomenon that it matches. One observation may match up to three
    phenomena; together they count as one observation."""

    text: str
    phenomenon_id: str
    similarity: float = Field(ge=-1, le=1)


class TicketEvidence(Contract):
    """The deliverable of stage `tickets`: the part of the history that is relevant to this incident. Causes, phenomena and tickets are
    each sorted best first, with ties by id, so that equal evidence has an equal hash."""

    causes: tuple[CauseCard, ...]
    phenomena: tuple[PhenomenonCard, ...]
    tickets: tuple[TicketCard, ...]
    observations: tuple[ObservationMatch, ...] = ()
    reported: tuple[str, ...] = ()
    """What a person added to the incident without being asked: observations, which `observations` has the matches of."""
    looked_up: tuple[str, ...] = ()
    """What was found in the incident's system without asking anybody; it counts as what a person observed."""
    absent: tuple[str, ...] = ()
    """What was looked for in the incident's system and is not there, in the words of an operator's check."""
    same_causes: tuple[tuple[str, str], ...] = ()
    """Pairs of causes of this evidence that are one cause in two wordings or languages."""
    words_only: bool = False
    """Texts were compared by their words alone, since the history's vectors were not ready."""
    total_tickets: int = Field(ge=0)
    """Number of tickets in the whole history. 0 means that no tickets were imported."""
    total_causes: int = Field(ge=0)


class TicketProblem(Contract):
    """A row that could not be imported."""

    line: int = Field(ge=1)
    ticket_id: str | None = None
    reason: Sayable
    """The end of a sentence that begins with the row. An answer of the gateway has it as text, in the language of the request."""


class ImportReport(Contract):
    """The result of an import."""

    imported: int = Field(ge=0)
    updated: int = Field(ge=0)
    unchanged: int = Field(ge=0)
    problems: tuple[TicketProblem, ...] = ()
    encoding: Text = ""
    """In which the file was read, where it does not say so itself."""
    id_column: Text = ""
    """Of which the values were taken for ids, where its name does not say so."""
    at: datetime | None = None


MappedTo = Literal[
    "ticket_id", "summary", "description", "root_cause", "solution", "anomalies", "comments", "status", "resolution", "system", "metadata",
    "ignore",
]  # fmt: skip
"""What a model may say that a field of a file holds. The words are those of `--map`."""


class MappedField(Contract):
    """A field of a file, and what it holds."""

    path: Text = Field(min_length=1, max_length=300)
    """A column, or a path as it was shown; `PATH#HEADING` is the part of a text below a heading."""
    holds: MappedTo


class FileMapping(Contract):
    """What a model says of a file of tickets whose form is not known: the closed form of `--map`."""

    records: Text = Field(default="", max_length=300)
    """The path to the tickets in JSON or XML. Empty for a table."""
    header: Text = Field(default="", max_length=20)
    """The lines of the column names of a table, `4` or `3-4`. Empty: the line that was taken is right."""
    delimiter: Text = Field(default="", max_length=3)
    """What is between two columns of a table, if another sign than the one that was taken."""
    fields: tuple[MappedField, ...] = Field(max_length=80)
    solved: tuple[Text, ...] = Field(default=(), max_length=40)
    """The values of the status or resolution of tickets that are solved."""
    not_solved: tuple[Text, ...] = Field(default=(), max_length=40)
    """Those of other tickets, which are left out."""
