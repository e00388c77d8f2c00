"""What an operator may edit in the stages of a `diagnose` job."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Text
from contracts.diagnose.request import DiagnosisMethod

Words = Annotated[Text, Field(min_length=1, max_length=2_000)]
Cause = Annotated[Text, Field(min_length=1, max_length=4_000)]


class EvidenceEdit(Contract):
    """An edit of the stage `evidence`."""

    system: Annotated[Text, Field(max_length=40)] = ""
    """The system to look at, in the place of the one that the incident names."""


class TicketsEdit(Contract):
    """An edit of the stage `tickets`."""

    observations: tuple[Words, ...] = Field(default=(), max_length=20)
    """What else was seen: the history is searched by it as by what the user says."""
    systems: tuple[Words, ...] = Field(default=(), max_length=20)
    """Systems that the incident is about; tickets of all their causes are looked at."""


class DiagnosisEdit(Contract):
    """An edit of the stage `diagnosis`."""

    ask: bool = True
    """False: conclude with what is known, without another question."""
    method: DiagnosisMethod | None = None
    """How it reasons, in the place of the request's method."""
    rule_out: tuple[Cause, ...] = Field(default=(), max_length=50)
    """Causes that somebody has ruled out, by id or in the words of the history. Their tickets are not looked at."""
