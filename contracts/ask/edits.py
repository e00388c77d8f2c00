"""What an operator may edit in the stages of an `ask` job. The arguments of an edit take the place of all arguments of the call."""

from typing import Annotated

from pydantic import Field, StringConstraints

from contracts.ask.request import Strategy
from contracts.ask.tools import Tool
from contracts.base import Contract, Text
from contracts.limits import MOST_STATEMENT_CHARACTERS
from contracts.sources import SourceName

MOST_QUESTION_CHARACTERS = 20_000

Dialect = Annotated[str, StringConstraints(pattern=r"^[a-z][a-z0-9_]{1,29}$")]


class UnderstandingEdit(Contract):
    """An edit of the stage `understand`."""

    question: Text = Field(default="", max_length=MOST_QUESTION_CHARACTERS)
    """The question as it should have been put. It is read in the place of the user's words and of their answers."""


class PlanEdit(Contract):
    """An edit of a stage `plan/n`."""

    tool: Tool | None = None
    """The tool that the round calls, among those that may be called after what has been done."""
    strategy: Strategy | None = None
    """`direct`: SQL that is ready runs at once; `confirm`: it is shown first. It acts in the round that has the SQL."""


class StatementArguments(Contract):
    """The arguments of a tool that mends or explains a statement."""

    sql: Text | None = Field(default=None, min_length=1, max_length=MOST_STATEMENT_CHARACTERS)
    """The statement."""


class StatementEdit(Contract):
    """An edit of a stage `tool/n` that mends or explains a statement."""

    arguments: StatementArguments = StatementArguments()


class ExecutionArguments(StatementArguments):
    """The arguments of the tool that executes a statement."""

    sql_call: Text | None = Field(default=None, max_length=80)
    """The call that made the statement, which the result names."""


class ExecutionEdit(Contract):
    """An edit of a stage `tool/n` that executes a statement."""

    arguments: ExecutionArguments = ExecutionArguments()


class DiscoveryArguments(Contract):
    """The arguments of the tool that finds tables."""

    question: Text | None = Field(default=None, min_length=1, max_length=MOST_QUESTION_CHARACTERS)
    """What is looked for and read as a query, in the place of the question as it was understood."""
    source: SourceName | None = None
    """The source that is looked at."""


class DiscoveryEdit(Contract):
    """An edit of a stage `tool/n` that finds tables."""

    arguments: DiscoveryArguments = DiscoveryArguments()


class DocumentsArguments(Contract):
    """The arguments of the tools that answer from documents."""

    question: Text | None = Field(default=None, min_length=1, max_length=MOST_QUESTION_CHARACTERS)
    """What the documents are searched for."""


class DocumentsEdit(Contract):
    """An edit of a stage `tool/n` that answers from documents."""

    arguments: DocumentsArguments = DocumentsArguments()


class SqlArguments(Contract):
    """The arguments of the tool that makes SQL."""

    sql: Text | None = Field(default=None, min_length=1, max_length=MOST_STATEMENT_CHARACTERS)
    """The operator's own statement, in the dialect of its source. It is checked and reviewed, and shown before it runs."""
    dialect: Dialect | None = None
    """The dialect to write."""
    found_by: Text | None = Field(default=None, max_length=80)
    """The call that found the tables."""


class SqlEdit(Contract):
    """An edit of a stage `tool/n` that makes SQL."""

    arguments: SqlArguments = SqlArguments()


class LogArguments(Contract):
    """The arguments of the tool that searches logs."""

    question: Text | None = Field(default=None, min_length=1, max_length=MOST_QUESTION_CHARACTERS)
    """What is searched for, with its service and its time."""
    logs: SourceName | None = None
    """The logs that are searched."""


class LogEdit(Contract):
    """An edit of a stage `tool/n` that searches logs."""

    arguments: LogArguments = LogArguments()
