"""What an operator may edit in the stages of an `etl` job."""

from pydantic import Field

from contracts.base import Contract, Text
from contracts.limits import MOST_WORD_CHARACTERS


class AnalysisEdit(Contract):
    """An edit of the stage `analysis`."""

    requirement: Text = Field(default="", max_length=50_000)
    """Takes the place of the requirement and of the answers to questions about it."""


class WorkflowEdit(Contract):
    """An edit of the stage `workflow`."""

    component: Text = Field(default="", max_length=80)
    """What runs the jobs: a name or a number of the list. Other words are asked again."""


class ScriptEdit(Contract):
    """An edit of a stage `script/n`."""

    sql: Text = Field(default="", max_length=MOST_WORD_CHARACTERS)
    """The operator's own statement. It is reviewed like any other."""
