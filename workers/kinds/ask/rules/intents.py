"""What a message is after without a model: the tool to begin with, and the tool that its user needs in the end.

Closed forms come first: who is to answer, a statement, a command, a search of a log, a question or a change of one, each consumed whole.
Anything else is looked for: in the documents if they fit better than the tables, and in the tables.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache

from contracts.ask.request import Agent, AskRequest
from contracts.ask.results import ChartWish
from contracts.ask.steps import Carried
from contracts.ask.tools import Tool
from contracts.statements import Sayable, lines, say, term
from workers.kinds.ask.rules.messages import Command, begins_like, chart_in, command_in, statement_in

DIRECT: dict[Agent, Tool] = {
    Agent.FIX_SQL: Tool.FIX_SQL,
    Agent.EXPLAIN_SQL: Tool.EXPLAIN_SQL,
    Agent.LOGIFY: Tool.SEARCH_LOG,
    Agent.DATA_SUITE_EXPERT: Tool.DATA_SUITE_EXPERT,
}
"""Clients that name who is to answer (S16)."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the deployment has for this user, and what it makes of the words."""

    has_sources: bool = False
    has_logs: bool = False
    has_documents: bool = False
    reads: bool = False
    """The grammar reads the words as a question about a source."""
    changes: bool = False
    """It reads them as a change of the question before them."""
    searches_logs: bool = False
    """The words are a search of a log in the closed form, or LogQL, all of them."""
    names_bullpen: bool = False
    """The words name Bullpen, and its own documents answer them."""
    passage_fit: float = 0.0
    """How well the best passage of the documents that answers the words fits them, 0 to 1."""
    table_fit: float = 0.0
    """How well the best table fits them, 0 to 1."""


@dataclass(frozen=True, slots=True)
class Message:
    """What there is to judge by."""

    request: AskRequest
    words: str
    """What the user said last: the question, or the reply to one of ours."""
    carried: Carried | None
    look: Callable[[], Grounds]
    """Looks for the words, which asks the sources."""
    command: Command | None
    """What the words around the statement ask for; without a statement, what the message asks for."""
    statement: str | None
    """The statement that came with the message."""

    @property
    def grounds(self) -> Grounds:
        """What was found."""
        return self.look()

    @property
    def has_earlier_sql(self) -> bool:
        """Whether the conversation holds a statement."""
        return self.carried is not None and bool(self.carried.sql)

    @property
    def goal(self) -> Tool | None:
        """What the conversation is after."""
        return self.carried.goal if self.carried is not None else None


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message is after."""

    first: Tool
    final: Tool
    is_direct: bool = False
    takes_earlier_sql: bool = False
    """It is about the statement of the conversation."""
    reason: Sayable | None = None
    chart: ChartWish | None = None
    follows: bool = False
    """The words need the conversation."""
    is_closing: bool = False
    """It asks for nothing: a greeting, thanks, or a goodbye. It is answered with `reason`."""


def judge(request: AskRequest, words: str, carried: Carried | None, look: Callable[[], Grounds]) -> Intent:
    """The intent of a message; of several lines the last is what was said last. `look` is called once, and only where no closed form
    decides."""
    last = words.rpartition("\n")[2]
    quoted = None if request.sql else statement_in(words)
    command = command_in(quoted.around if quoted is not None else last)
    statement = request.sql or (quoted.statement if quoted is not None else None)
    message = Message(request, last, carried, cache(look), command, statement)
    found = next((intent for rule in RULES if (intent := rule(message)) is not None), None)
    if found is not None:
        return found
    nothing = say("ask.refuse.only_logs") if message.grounds.has_logs else say("ask.refuse.nothing_here")
    return Intent(Tool.REJECT, Tool.REJECT, reason=nothing)


def _direct(message: Message) -> Intent | None:
    if message.request.agent is None:
        return None
    tool = DIRECT[message.request.agent]
    if tool in (Tool.FIX_SQL, Tool.EXPLAIN_SQL) and not message.statement and not message.has_earlier_sql:
        return Intent(Tool.ASK_HUMAN, tool, is_direct=True, reason=say("ask.understand.no_statement"))
    return Intent(tool, tool, is_direct=True, takes_earlier_sql=not message.statement)


def _own_statement(message: Message) -> Intent | None:
    """A statement, with a word for what is to be done with it: the least that helps is to explain it."""
    if not message.statement:
        return None
    if message.command is Command.FIX or message.request.error is not None:
        return Intent(Tool.FIX_SQL, Tool.FIX_SQL)
    if message.command is Command.RUN:
        return Intent(Tool.EXECUTE, Tool.EXECUTE)
    return Intent(Tool.EXPLAIN_SQL, Tool.EXPLAIN_SQL)


def _aside(message: Message) -> Intent | None:
    """Thanks and greetings: nothing is looked up, and the conversation stays where it is."""
    if message.command is Command.THANKS:
        answer: Sayable = say("ask.thanks")
    elif message.command is Command.GREET:
        answer = _greeting(message.grounds)
    else:
        return None
    return Intent(Tool.ASK_HUMAN, Tool.ASK_HUMAN, takes_earlier_sql=True, is_closing=True, reason=answer)


def _greeting(grounds: Grounds) -> Sayable:
    """What there is to ask about."""
    there = (
        (term("ask.greeting.data"), grounds.has_sources),
        (term("ask.greeting.sql"), grounds.has_sources),
        (term("ask.greeting.logs"), grounds.has_logs),
        (term("ask.greeting.documents"), grounds.has_documents),
        (term("ask.greeting.nothing"), not (grounds.has_sources or grounds.has_logs or grounds.has_documents)),
    )
    return lines(term("ask.greeting"), *(text for text, is_there in there if is_there))


def _of_earlier(message: Message) -> Intent | None:
    """What is to be done with the statement of the conversation."""
    if message.command is Command.RUN:
        return _agreed(message)
    if not message.has_earlier_sql:
        return None
    match message.command:
        case Command.HOLD:
            return Intent(Tool.ASK_HUMAN, Tool.ASK_HUMAN, reason=say("ask.understand.held"), takes_earlier_sql=True)
        case Command.EXPLAIN:
            return Intent(Tool.EXPLAIN_SQL, Tool.EXPLAIN_SQL, takes_earlier_sql=True)
        case Command.FIX:
            return Intent(Tool.FIX_SQL, Tool.FIX_SQL, takes_earlier_sql=True)
        case Command.DRAW:
            return Intent(Tool.EXECUTE, Tool.EXECUTE, takes_earlier_sql=True, chart=chart_in(message.words))
        case _:
            return None


def _agreed(message: Message) -> Intent:
    """Yes, or "run it": what was offered, if something was."""
    if message.carried is not None and message.carried.awaits is not None:
        return Intent(message.carried.awaits, message.carried.awaits, takes_earlier_sql=True)
    if message.has_earlier_sql:
        return Intent(Tool.EXECUTE, Tool.EXECUTE, takes_earlier_sql=True)
    return Intent(Tool.ASK_HUMAN, Tool.ASK_HUMAN, reason=say("ask.understand.nothing_pending"))


def _question(message: Message) -> Intent | None:
    """A search of a log, a question of the grammar, or a change of the one before it."""
    grounds = message.grounds
    if message.request.logs is not None and message.request.source is None:
        return None
    if grounds.searches_logs:
        return Intent(Tool.SEARCH_LOG, Tool.SEARCH_LOG, follows=message.goal is Tool.SEARCH_LOG)
    if grounds.changes or grounds.reads:
        return Intent(Tool.DATA_DISCOVERY, Tool.EXECUTE, follows=grounds.changes)
    return None


def _write(message: Message) -> Intent | None:
    """Nothing here changes data (S9)."""
    if not begins_like(message.words, "writes"):
        return None
    return Intent(Tool.REJECT, Tool.REJECT, reason=say("ask.refuse.read_only"))


def _tables(message: Message) -> Intent | None:
    if not message.grounds.has_sources or not (message.command is Command.ALL_TABLES or begins_like(message.words, "tables")):
        return None
    return Intent(Tool.DATA_DISCOVERY, Tool.DATA_DISCOVERY)


def _logs(message: Message) -> Intent | None:
    """Log lines: where logs are chosen, or where the conversation is about them."""
    grounds = message.grounds
    chosen = message.request.logs is not None and message.request.source is None
    follows = message.goal is Tool.SEARCH_LOG
    if not grounds.has_logs:
        return Intent(Tool.REJECT, Tool.REJECT, reason=say("ask.refuse.no_logs")) if chosen else None
    return Intent(Tool.SEARCH_LOG, Tool.SEARCH_LOG, follows=follows) if chosen or follows else None


def _documents(message: Message) -> Intent | None:
    """How something is done: the documents say it, where they fit better than the tables."""
    grounds = message.grounds
    if not grounds.has_documents:
        return None
    fits = grounds.passage_fit > grounds.table_fit or begins_like(message.words, "how_to")
    goes_on = message.goal is Tool.DATASUITE_FAQ
    if grounds.names_bullpen or fits or goes_on or not grounds.has_sources:
        return Intent(Tool.DATASUITE_FAQ, Tool.DATASUITE_FAQ, follows=goes_on)
    return None


def _data(message: Message) -> Intent | None:
    """Words that the grammar does not read: the tables that they may be about are found, and the rest is asked."""
    return Intent(Tool.DATA_DISCOVERY, Tool.EXECUTE) if message.grounds.has_sources else None


RULES: tuple[Callable[[Message], Intent | None], ...] = (
    _direct, _own_statement, _aside, _of_earlier, _question, _write, _tables, _logs, _documents, _data,
)  # fmt: skip
"""In their order."""
