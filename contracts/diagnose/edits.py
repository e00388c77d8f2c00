"""What an operator may edit in the stages of a `diagnose` job."""

from typing import Annotated

from pydantic import Field

from contracts.base import Contract, Text

Words = Annotated[Text, Field(min_length=1, max_length=2_000)]


class TicketsEdit(Contract):
    """An edit of the stage `tickets`."""

    observations: tuple[Words, ...] = Field(default=(), max_length=20)
    """What else was seen: the history is searched by it as by what the user says."""
    systems: tuple[Words, ...] = Field(default=(), max_length=20)
    """Systems that the incident is about; tickets of all their causes are looked at."""
