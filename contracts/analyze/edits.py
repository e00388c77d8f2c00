"""What an operator may edit in the stages of an `analyze` job."""

from pydantic import Field

from contracts.base import Contract, Json, Text
from contracts.statements import LanguageCode


class UnderstandingEdit(Contract):
    """An edit of the stage `understand`."""

    question: Text = Field(default="", max_length=20_000)
    """The message as it should have been put. It is read in the place of the user's."""


class SkillEdit(Contract):
    """An edit of the stage `skill`."""

    skill: Text = Field(default="", max_length=100)
    """The skill to follow, by its name, in the place of the one that was chosen."""


class ActEdit(Contract):
    """An edit of a stage `act/n`."""

    arguments: Json = {}
    """Arguments of the tool that the step calls; each takes the place of the procedure's own."""
    params: Json = {}
    """Values of a form that the step would ask the user for."""


class AnswerEdit(Contract):
    """An edit of the stage `answer`."""

    language: LanguageCode | None = None
    """The language of the answer, in the place of the user's."""
