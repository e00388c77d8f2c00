"""What the classifier of `ask` yields: the question as it is understood, and the plan, round by round."""

from enum import StrEnum
from typing import Literal

from pydantic import Field

from contracts.ask.results import ChartWish, ToolResult, Understood
from contracts.ask.tools import Tool, ToolCall
from contracts.base import Contract, Text
from contracts.log_questions import LogReading
from contracts.queries import QueryPlan
from contracts.questions import Meaning, OpenWord, UsedDefinition
from contracts.replies import Reply
from contracts.statements import Sayable


class Carried(Contract):
    """What a follow-up takes from the session: the state at which the conversation is."""

    question: Text = ""
    """The question as it was understood before, complete."""
    source: str = ""
    keeps_source: bool = False
    """The user chose the source: the conversation stays there until they choose another."""
    within: tuple[Text, ...] = ()
    """The tables, schemas and tags that the user keeps the conversation to. Empty: all tables are looked at."""
    dialect: str = ""
    tables: tuple[Text, ...] = ()
    sql: Text = ""
    sql_call: str = ""
    plan: QueryPlan | None = None
    """The plan behind the SQL, where there is one."""
    says: tuple[Sayable, ...] = ()
    used: tuple[UsedDefinition, ...] = ()
    """The definitions on which the SQL rests."""
    log_query: LogReading | None = None
    definitions: tuple[Text, ...] = ()
    """What the user said that words mean: "by GPM we mean ..."."""
    background: Text = ""
    """Who the user is: facts such as `region=East`."""
    result_hash: str = ""
    """The hash of the last result's deliverable."""
    cites: tuple[str, ...] = ()
    """Places of the passages that the last answer cited."""
    goal: Tool | None = None
    """What the user was after with the question: a follow-up without a wish of its own is after the same."""
    awaits: Tool | None = None
    """What "yes" would mean: the tool that the user was offered."""


class SettledWord(Contract):
    """What a word means, as the user answered when they were asked."""

    source: Text
    name: Text
    meaning: Meaning
    place: Text = ""
    """Where the catalogue has the definitions among which it was chosen."""


class HalfChosen(Contract):
    """An answer that names a choice and says more: nothing of it is taken, and the same is asked again."""

    number: int
    """Of the choice, from 1."""
    rest: Text
    """What it says beside the choice."""
    candidates: tuple[Understood, ...] = ()
    word: OpenWord | None = None
    """The word whose meaning was asked."""


class Understanding(Contract):
    """A question, complete without its conversation, and what its user is after."""

    question: Text
    """Rewritten where the user's words need the conversation to be understood."""
    words: Text
    """As the user wrote it; where rules read it, with their own facts in place of "my region"."""
    replies: tuple[Reply, ...] = ()
    """What the user was asked in this job and answered, where a model reads it."""
    by_model: bool = False
    """A model read the message; the plan follows what it says."""
    source: Text | None = None
    """The source that is meant: the user chose it, or a model says so."""
    keeps_source: bool = False
    """The user chose it, now or earlier in the conversation."""
    within: tuple[Text, ...] = ()
    """As `Carried.within`, after this message."""
    tables: tuple[Text, ...] = ()
    """The tables that are meant, where a model says so."""
    rewriting: Text = ""
    """Of deliverables of version 0.1: the question as a model rewrote it."""
    subject: Text = ""
    """What the conversation is about after this message: the question about the data, without "run it" or "explain it"."""
    intent: Tool
    """What to do first."""
    final_intent: Tool
    """What the user wants in the end, even when this job stops earlier."""
    is_direct: bool = False
    """The client chose the tool."""
    is_follow_up: bool = False
    instead_of: Text = ""
    """The question of the job, where the user typed a new one in the place of an answer."""
    carried: Carried | None = None
    definitions: tuple[Text, ...] = ()
    """What the user said in this session that words mean."""
    settled: tuple[SettledWord, ...] = ()
    """What the user chose in this job that words mean."""
    open_word: OpenWord | None = None
    """The word whose meaning the user is to write."""
    background: Text = ""
    """Who the user is, as the request or the conversation before says."""
    statement: Text | None = None
    """The SQL that is to be fixed, explained or run: the user's own, or the conversation's."""
    is_closing: bool = False
    """It asks for nothing: a greeting, thanks, or a goodbye. `reason` is the answer."""
    chosen: Understood | None = None
    """The reading that the user chose."""
    half: HalfChosen | None = None
    """What the last answer chose, where it said more."""
    chart: ChartWish | None = None
    """Whether and how the user wants a picture."""
    dialect: str | None = None
    """In which the user wants the SQL."""
    reason: Sayable | None = None
    """Why it is refused, what there is to ask, or the answer to a greeting."""
    choices: tuple[Sayable, ...] = ()


class ReadingChoice(Contract):
    """A question to the user with the readings behind its choices."""

    kind: Literal["ask_reading"] = "ask_reading"
    candidates: tuple[Understood, ...] = ()
    offers: tuple[Text, ...] = ()
    """In their place: other questions, in the order of the choices. A reply that names one stands for its words."""


class DefinitionChoice(Contract):
    """A question to the user what a word means. The last choice is always to write something else."""

    kind: Literal["ask_definition"] = "ask_definition"
    word: OpenWord


class Ending(StrEnum):
    """How the answer to a message ends."""

    TABLES = "tables"
    SQL = "sql"
    SQL_FOR_CONFIRMATION = "sql_for_confirmation"
    ANSWER = "answer"
    REFUSAL = "refusal"


class AskAnswer(Contract):
    """What the user gets."""

    ends_with: Ending
    results: tuple[ToolResult, ...] = Field(min_length=1)
    """Those that the user should see; the last one is what they asked for."""
    state: Carried
    """With which a follow-up begins."""


class AskPlan(Contract):
    """A round of the plan: what is called next, or the answer."""

    round: int = Field(ge=1)
    question: Text
    final_intent: Tool
    calls: tuple[ToolCall, ...] = ()
    route: tuple[Tool, ...] = ()
    """The tools of all rounds up to this one."""
    instead_of: Text = ""
    """The question of the job, where the answer is to a new one that the user typed in the place of an answer."""
    answer: AskAnswer | None = None
    """When nothing is called any more."""
