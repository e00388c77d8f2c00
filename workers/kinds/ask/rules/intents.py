"""What a message is after: the tool to begin with, and the tool that its user needs in the end.

A list of rules, the first that applies decides. Each looks at the cues of the words, at what the client sent beside them, at what the
deployment has, and at where the conversation is.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from contracts.ask.request import Agent, AskRequest
from contracts.ask.results import ChartWish
from contracts.ask.steps import Carried
from contracts.ask.tools import Tool
from contracts.statements import Sayable, Statement, lines, passage, say, term
from workers.engines.squeezing import squeezed
from workers.kinds.ask.rules.asides import asked_meaning, asks_why, only_greets, only_thanks
from workers.kinds.ask.rules.charts import wish_in
from workers.kinds.ask.rules.cues import Cue, cues_in, phrases_of, statement_in
from workers.kinds.ask.rules.residue import only_declines, only_draws, only_runs, only_wants_another

DIRECT: dict[Agent, Tool] = {
    Agent.FIX_SQL: Tool.FIX_SQL,
    Agent.EXPLAIN_SQL: Tool.EXPLAIN_SQL,
    Agent.LOGIFY: Tool.SEARCH_LOG,
    Agent.DATA_SUITE_EXPERT: Tool.DATA_SUITE_EXPERT,
}
"""Clients that name who is to answer (S16)."""

_SHORT_WORDS = 8
_SHORT_CHARACTERS = 14
"""A message of at most this many words, or Chinese characters, may leave out what the conversation is about: "in Lyon", "按门店"."""

_WHOLE = re.compile(
    r"^\W*(?:how|which|what(?! about)|who|whose|where|when|why|list|show|give|tell|find|count|compare|plot|draw"
    r"|write|generate|create|is|are|do|"
    r"does|did|were|was|can|could|please (?:list|show|give|write))\b|多少|几[个家条次名人种位]|哪|谁|什么|列出|查询|统计|是否|有没有|吗|写|生成",  # noqa: E501 a pattern
    re.IGNORECASE,
)
"""Questions and orders that are complete as they are."""

_ASKS = re.compile(
    r"^\W*(?:how (?:many|much|often|long)|which|what|who|whose|when|list|show|number of|average|total|share|percentage|count|top)\b"
    r"|多少|几[个家条次名人种位]|哪|谁|占比|比例|趋势|列出|最[高低多少大小新早近晚]",
    re.IGNORECASE,
)
_ORDERS = re.compile(r"把|将|[删去清抹]掉|清空")
"""Questions about data, and what makes an order of them all the same."""

_RANKS = re.compile(
    r"最(?:高|低|多|少|大|小|贵|便宜|长|短|好|差|重|轻|快|慢|早|晚|新)的"
    r"|\bthe (?:most|least|highest|lowest|largest|smallest|longest|shortest|cheapest)\b",
    re.IGNORECASE,
)
"""Superlatives: 最贵的药品是什么 asks for a row, and not for what something is."""

_DESTROYS = re.compile(
    r"\b(?:delete|erase|purge|wipe|truncate)\b(?!.*\b(?:columns?|limit|filters?|conditions?|groups?|grouping|charts?|order)\b)",
    re.IGNORECASE,
)
"""Verbs that say what is to be done with data, and not with a question: "add the store name" may be either."""


@dataclass(frozen=True, slots=True)
class Grounds:
    """What the deployment has for this user."""

    has_sources: bool = False
    has_logs: bool = False
    names_logs: bool = False
    """The words name a service or another label value of the logs."""
    has_documents: bool = False
    names_bullpen: bool = False
    """The words name Bullpen, and its own documents answer them."""
    passage_fit: float = 0.0
    """How well the best passage of the documents fits the words, 0 to 1."""
    table_fit: float = 0.0
    """How well the best table fits them, 0 to 1."""
    meanings: tuple[Statement, ...] = ()
    """What the catalogue says of the word whose meaning is asked for."""
    names: frozenset[str] = frozenset()
    """Words of the names of the tables and columns that fit best."""


@dataclass(frozen=True, slots=True)
class Message:
    """What there is to judge by."""

    request: AskRequest
    words: str
    """The user's words, with what they answered to our questions."""
    carried: Carried | None
    grounds: Grounds
    cues: frozenset[Cue]
    statement: str | None
    """The statement that came with the message."""

    def has(self, *cues: Cue) -> bool:
        """Whether the words have one of these cues."""
        return any(cue in self.cues for cue in cues)

    @property
    def last_words(self) -> str:
        """What the user said last: the question, or the reply to one of ours."""
        return self.words.rpartition("\n")[2]

    @property
    def follows(self) -> bool:
        """Whether the words need the conversation: they say so, or they are too few for a question of their own."""
        if self.carried is None or not self.carried.question:
            return False
        return self.has(Cue.FOLLOWS) or (_is_short(self.words) and not _WHOLE.search(self.words))

    @property
    def goal(self) -> Tool | None:
        """What the conversation is after, for a message that goes on with it."""
        return self.carried.goal if self.carried is not None and self.follows else None

    @property
    def has_earlier_sql(self) -> bool:
        """Whether the conversation holds a statement."""
        return self.carried is not None and bool(self.carried.sql)


@dataclass(frozen=True, slots=True)
class Intent:
    """What a message is after."""

    first: Tool
    final: Tool
    is_direct: bool = False
    takes_earlier_sql: bool = False
    """It is about the statement of the conversation."""
    reason: Sayable | None = None
    choices: tuple[Sayable, ...] = ()
    chart: ChartWish | None = None
    follows: bool = False
    """The words need the conversation."""
    is_closing: bool = False
    """It asks for nothing: a greeting, thanks, or a goodbye. It is answered with `reason`."""


def judge(request: AskRequest, words: str, carried: Carried | None, grounds: Grounds) -> Intent:
    """The intent of a message."""
    message = Message(request, squeezed(words), carried, grounds, cues_in(words), request.sql or statement_in(words))
    found = next((intent for rule in RULES if (intent := rule(message)) is not None), None)
    return found or _nothing(message)


def _thanks(message: Message) -> Intent | None:
    """Thanks or a goodbye: nothing is looked up, and the conversation stays where it is."""
    if message.statement or not only_thanks(message.last_words):
        return None
    return _without_looking(say("ask.thanks"))


def _greeting(message: Message) -> Intent | None:
    """A greeting, or what can be asked: the answer says what there is to ask about."""
    if message.statement or not only_greets(message.last_words):
        return None
    grounds = message.grounds
    there = (
        (term("ask.greeting.data"), grounds.has_sources),
        (term("ask.greeting.sql"), grounds.has_sources),
        (term("ask.greeting.logs"), grounds.has_logs),
        (term("ask.greeting.documents"), grounds.has_documents),
        (term("ask.greeting.nothing"), not (grounds.has_sources or grounds.has_logs or grounds.has_documents)),
    )
    return _without_looking(lines(term("ask.greeting"), *(text for text, is_there in there if is_there)))


def _without_looking(answer: Sayable) -> Intent:
    return Intent(Tool.ASK_HUMAN, Tool.ASK_HUMAN, takes_earlier_sql=True, is_closing=True, reason=answer)


def _why(message: Message) -> Intent | None:
    """Why a result is as it is: the data can show where it is so (see `splits.py`)."""
    has_result = message.carried is not None and message.carried.plan is not None
    if not has_result or not asks_why(message.last_words) or message.has(Cue.CHART):
        return None
    return Intent(Tool.DATA_DISCOVERY, Tool.EXECUTE, follows=True)


def _meaning(message: Message) -> Intent | None:
    """What a word of the conversation means: as the user has defined it, else the table or column that has the name, with its comment.
    Documents that say it better come first."""
    what = asked_meaning(message.last_words)
    if not what or message.carried is None or message.carried.plan is None or message.statement:
        return None
    defined = [text for text in message.carried.definitions if what.lower() in text.lower()]
    if defined:
        return _without_looking(lines(passage(defined[-1])))
    grounds = message.grounds
    if not grounds.meanings or grounds.passage_fit > grounds.table_fit:
        return None
    return _without_looking(lines(*grounds.meanings))


def _direct(message: Message) -> Intent | None:
    if message.request.agent is None:
        return None
    tool = DIRECT[message.request.agent]
    if tool in (Tool.FIX_SQL, Tool.EXPLAIN_SQL) and not message.statement and not message.has_earlier_sql:
        return Intent(Tool.ASK_HUMAN, tool, is_direct=True, reason=say("ask.understand.no_statement"))
    return Intent(tool, tool, is_direct=True, takes_earlier_sql=not message.statement)


def _fix(message: Message) -> Intent | None:
    """A statement to mend, with or without its error."""
    own, fails = message.statement, message.request.error is not None
    if not (message.has(Cue.FIX) or (own and fails)) or not (own or (message.has_earlier_sql and message.has(Cue.FIX))):
        return None
    runs = message.has(Cue.RUN, Cue.OUTPUT) and not message.has(Cue.HOLD, Cue.ONLY)
    return Intent(Tool.FIX_SQL, Tool.EXECUTE if runs else Tool.FIX_SQL, takes_earlier_sql=not own)


def _explain(message: Message) -> Intent | None:
    if not message.has(Cue.EXPLAIN) or not (message.statement or message.has_earlier_sql):
        return None
    if message.has(Cue.RUN, Cue.CHART) and not message.has(Cue.HOLD, Cue.FIRST):
        return None
    return Intent(Tool.EXPLAIN_SQL, Tool.EXPLAIN_SQL, takes_earlier_sql=not message.statement)


def _own_statement(message: Message) -> Intent | None:
    """A statement and nothing that says what is to be done with it: the least that helps is to explain it."""
    if not message.statement:
        return None
    if message.has(Cue.RUN, Cue.CHART, Cue.OUTPUT) and not message.has(Cue.HOLD):
        return Intent(Tool.EXECUTE, Tool.EXECUTE)
    return Intent(Tool.EXPLAIN_SQL, Tool.EXPLAIN_SQL)


def _agree(message: Message) -> Intent | None:
    """Yes, or "run it": what was offered, if something was."""
    if message.has(Cue.HOLD) or not (message.has(Cue.AGREE) or only_runs(message.words)):
        return None
    if message.carried is not None and message.carried.awaits is not None:
        return Intent(message.carried.awaits, message.carried.awaits, takes_earlier_sql=True)
    if message.has_earlier_sql:
        return Intent(Tool.EXECUTE, Tool.EXECUTE, takes_earlier_sql=True)
    return Intent(Tool.ASK_HUMAN, Tool.ASK_HUMAN, reason=say("ask.understand.nothing_pending"))


def _decline(message: Message) -> Intent | None:
    """No to what was offered, and nothing else."""
    if message.has_earlier_sql and only_wants_another(message.last_words):
        return Intent(Tool.ASK_HUMAN, Tool.ASK_HUMAN, reason=say("ask.understand.which_other"), takes_earlier_sql=True)
    if not message.has_earlier_sql or not only_declines(message.words):
        return None
    return Intent(Tool.ASK_HUMAN, Tool.ASK_HUMAN, reason=say("ask.understand.held"), takes_earlier_sql=True)


def _write(message: Message) -> Intent | None:
    """Nothing here changes data (S9)."""
    if not message.has(Cue.WRITE) or (message.has(Cue.HOW_TO) and message.grounds.has_documents):
        return None
    if _ASKS.search(message.words) and not _ORDERS.search(message.words):
        return None  # "how many records were deleted"
    if message.has_earlier_sql and not message.has(Cue.DATA) and not _DESTROYS.search(message.last_words):
        return None  # "add the store name" changes the question, not the data
    return Intent(Tool.REJECT, Tool.REJECT, reason=say("ask.refuse.read_only"))


def _elsewhere(message: Message) -> Intent | None:
    """What no data platform answers, unless the data is about it: flights are data of an airport."""
    phrases = phrases_of(Cue.ELSEWHERE, message.words)
    if not phrases or any(word.rstrip("s") in message.grounds.names for phrase in phrases for word in re.findall(r"\w+", phrase.lower())):
        return None
    return Intent(Tool.REJECT, Tool.REJECT, reason=say("ask.refuse.out_of_scope"))


def _draw(message: Message) -> Intent | None:
    """The last result, drawn in another way."""
    wish = wish_in(message.words)
    if wish is None or not message.has_earlier_sql or not only_draws(message.words):
        return None
    return Intent(Tool.EXECUTE, Tool.EXECUTE, takes_earlier_sql=True, chart=wish)


def _logs(message: Message) -> Intent | None:
    """Log lines, or a follow-up of a search for them."""
    follows = message.carried is not None and message.carried.log_query is not None and message.goal in (Tool.SEARCH_LOG, None)
    follows = follows and message.follows
    chosen = message.request.logs is not None and message.request.source is None
    named = message.grounds.names_logs and (message.has(Cue.LOGS) or not message.grounds.has_sources)
    if not (chosen or follows or named or message.has(Cue.LOGS)) or message.has(Cue.TABLES):
        return None
    if not message.grounds.has_logs:
        return None if message.grounds.has_sources or message.grounds.has_documents else _no_logs()
    return Intent(Tool.SEARCH_LOG, Tool.SEARCH_LOG)


def _no_logs() -> Intent:
    return Intent(Tool.REJECT, Tool.REJECT, reason=say("ask.refuse.no_logs"))


def _tables(message: Message) -> Intent | None:
    if not message.has(Cue.TABLES) or not message.grounds.has_sources:
        return None
    return Intent(Tool.DATA_DISCOVERY, Tool.DATA_DISCOVERY)


def _documents(message: Message) -> Intent | None:
    """How something is done: the documents say it, unless the data does."""
    if not message.grounds.has_documents:
        return None
    if message.grounds.names_bullpen:
        return Intent(Tool.DATASUITE_FAQ, Tool.DATASUITE_FAQ)
    asks_how = message.has(Cue.HOW_TO) and not message.has(Cue.CHART) and not _RANKS.search(message.words)
    goes_on = message.goal is Tool.DATASUITE_FAQ and (message.has(Cue.HOW_TO) or not message.has(Cue.RESULT))
    fits = message.grounds.passage_fit > message.grounds.table_fit
    if goes_on or (asks_how and (fits or not message.has(Cue.RESULT))) or not message.grounds.has_sources:
        return Intent(Tool.DATASUITE_FAQ, Tool.DATASUITE_FAQ)
    return None


def _data(message: Message) -> Intent | None:
    """A question about the data: the statement where that is wanted, the figures otherwise (S8, S13)."""
    if not message.grounds.has_sources:
        return None
    if message.goal is Tool.DATA_DISCOVERY and not message.has(Cue.RESULT, Cue.CHART, Cue.SQL, Cue.RUN):
        return Intent(Tool.DATA_DISCOVERY, Tool.DATA_DISCOVERY)
    wants_sql = message.has(Cue.SQL) and not message.has(Cue.RUN)
    keeps_sql = message.goal is Tool.GENERATE_SQL and not message.has(Cue.RUN, Cue.CHART)
    final = Tool.GENERATE_SQL if wants_sql or keeps_sql or message.has(Cue.HOLD) else Tool.EXECUTE
    return Intent(Tool.DATA_DISCOVERY, final, chart=wish_in(message.words), follows=message.follows)


def _is_short(words: str) -> bool:
    text = words.strip()
    return len(text) <= _SHORT_CHARACTERS if re.search(r"[\u3400-\u9fff]", text) else len(text.split()) <= _SHORT_WORDS


def _nothing(message: Message) -> Intent:
    """The deployment has nothing that could answer."""
    return Intent(Tool.REJECT, Tool.REJECT, reason=say("ask.refuse.nothing_here"))


RULES: tuple[Callable[[Message], Intent | None], ...] = (
    _direct, _thanks, _greeting, _meaning, _fix, _explain, _own_statement, _agree, _decline, _elsewhere, _write, _draw, _logs, _why,
    _tables, _documents, _data,
)  # fmt: skip
"""In their order."""
