"""`ask`: the answers of a model. Code checks each: quotes against the user's words, names against the catalogue, statements by trying."""

from typing import Annotated, Literal

from pydantic import Field

from contracts.ask.tools import Tool
from contracts.base import Contract, Text
from contracts.phrases import PhraseUse

Line = Annotated[Text, Field(max_length=2_000)]
Word = Annotated[Text, Field(max_length=300)]
Query = Annotated[Text, Field(max_length=50_000)]


class SupervisorAnswer(Contract):
    """What the supervisor calls next, and what the user wants in the end."""

    question: Line = ""
    """The message as a complete question, in its own language: what it needs from the conversation is in it."""
    final_intent: Tool
    """The tool whose result the user wants in the end. The same in every round, unless the user changes their mind."""
    tool: Tool
    """The tool to call now."""
    source: Word = ""
    """The source that is meant; empty: open."""
    tables: tuple[Word, ...] = Field(default=(), max_length=20)
    """The tables that are meant, by their full names; empty: open."""
    sql: Query = ""
    """The statement to run, explain or fix, where it is in the message or the conversation."""
    chart: Literal["", "bar", "line", "point", "heat"] = ""
    """How the user wants the result drawn; empty: nothing was said."""
    ask: Line = ""
    """With `ask_human`: what the user is asked."""
    choices: tuple[Line, ...] = Field(default=(), max_length=6)
    """With `ask_human`: answers to choose from."""
    reason: Line = ""
    """With `reject_out_of_scope`: why. For thanks or a greeting: the reply."""


class SqlAnswer(Contract):
    """A statement, a question back, or the reason why there is none: one of `sql`, `ask` and `cannot`."""

    sql: Query = ""
    """One SELECT in the dialect of the source."""
    uses: tuple[PhraseUse, ...] = Field(default=(), max_length=30)
    """Each phrase of the question that matters, with its part of the statement."""
    assumed: tuple[Line, ...] = Field(default=(), max_length=8)
    """What was taken for granted although the question leaves it open."""
    definitions: tuple[Word, ...] = Field(default=(), max_length=8)
    """The names of the definitions that were used."""
    ask: Line = ""
    """What has to be known first, where several readings give different results and nothing decides between them."""
    choices: tuple[Line, ...] = Field(default=(), max_length=6)
    """With `ask`: the readings to choose from."""
    cannot: Line = ""
    """Why these data cannot answer the question: what they lack."""


class FixAnswer(Contract):
    """A mended statement, or why there is none."""

    sql: Query = ""
    changes: tuple[Line, ...] = Field(default=(), max_length=10)
    """What was changed and why, a sentence each."""
    ask: Line = ""
    """What is to be known first, where the statement can be meant in several ways."""
    choices: tuple[Line, ...] = Field(default=(), max_length=6)
    cannot: Line = ""


class WordsAnswer(Contract):
    """Facts in words. Each sentence with a figure that the facts do not have is dropped."""

    sentences: tuple[Line, ...] = Field(max_length=12)


class CitedSentence(Contract):
    """A sentence of an answer, and the words of a passage on which it rests."""

    text: Line
    passage: int = Field(ge=1, le=50)
    """The number of the passage."""
    quote: Line
    """Words of that passage, to the letter."""


class DocumentAnswer(Contract):
    """An answer from passages; no sentence: they do not answer the question."""

    sentences: tuple[CitedSentence, ...] = Field(default=(), max_length=12)


class LogAnswer(Contract):
    """A search of logs, a question back, or the reason why there is none."""

    log: Word = ""
    """The log that is searched, where there are several."""
    logql: Query = ""
    step: Word = ""
    """Of a metric query: a number for every such time, as `1h`; empty: one number, at the end."""
    start: Word = ""
    """The beginning of the time that is searched, in ISO 8601."""
    end: Word = ""
    """Its end; empty: now."""
    assumed: tuple[Line, ...] = Field(default=(), max_length=8)
    ask: Line = ""
    choices: tuple[Line, ...] = Field(default=(), max_length=6)
    cannot: Line = ""
