"""What an operator may edit in the stages of an `ask` job."""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.limits import MOST_WORD_CHARACTERS


class CallArguments(Contract):
    """The arguments of a tool's call."""

    sql: Text | None = Field(default=None, min_length=1, max_length=MOST_WORD_CHARACTERS)
    """The statement that is mended, explained or executed."""
    sql_call: Text | None = Field(default=None, max_length=80)
    """The call that made the statement."""
    found_by: Text | None = Field(default=None, max_length=80)
    """The call that found the tables."""


class CallEdit(Contract):
    """An edit of a stage `tool/n`."""

    arguments: CallArguments = CallArguments()
    """They take the place of all arguments of the call."""
