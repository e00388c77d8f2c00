"""Follow-ups: what a message takes from the conversation, and the question that it amounts to (S6)."""

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool
from contracts.statements import Statement, passage, say
from workers.kinds.ask.rules.intents import Intent
from workers.kinds.ask.rules.messages import statement_in
from workers.saying import text_of

MOST_DEFINITIONS = 5


def definitions_in(words: str) -> list[str]:
    """The lines `NAME = FORMULA` of a message. What is one, the reader of questions decides."""
    return [line.strip() for line in words.splitlines() if _is_definition(line)]


def definitions_with(carried: Carried | None, words: str) -> tuple[str, ...]:
    """The definitions of a conversation and of a message in it, the last ones."""
    return tuple(dict.fromkeys([*(carried.definitions if carried else ()), *definitions_in(words)]))[-MOST_DEFINITIONS:]


def _is_definition(line: str) -> bool:
    name, sign, formula = line.partition("=")
    return bool(sign and name.strip() and formula.strip()) and name.strip()[-1] not in "<>!"


def rewritten(request: AskRequest, words: str, intent: Intent, carried: Carried | None, language: str) -> Understanding:
    """The understanding of a message: a question that is complete without its conversation. A change of the question before it is
    a line below that question."""
    follows = carried is not None and bool(carried.question) and (intent.takes_earlier_sql or intent.follows)
    quoted = statement_in(words)
    own = request.sql or (quoted.statement if quoted is not None else None)
    statement = own or (carried.sql if carried and intent.takes_earlier_sql and carried.sql else None)
    question = words
    if follows and carried is not None:
        framed = _framed(intent, carried.question)
        question = text_of(framed, language) if framed is not None else f"{carried.question}\n{words}"
    if intent.is_closing:
        question = words.rpartition("\n")[2]
    goes_on = carried is not None and (intent.takes_earlier_sql or intent.first is Tool.REJECT)
    return Understanding(
        question=question,
        is_closing=intent.is_closing,
        words=words,
        subject=carried.question if carried and goes_on else "" if intent.is_closing else question,
        intent=intent.first,
        final_intent=intent.final,
        is_direct=intent.is_direct,
        is_follow_up=follows,
        definitions=definitions_with(carried, "" if intent.first is Tool.SEARCH_LOG else words),
        carried=carried,
        statement=statement,
        chart=intent.chart,
        dialect=request.dialect or (carried.dialect or None if carried and intent.takes_earlier_sql else None),
        reason=intent.reason,
    )


def _framed(intent: Intent, before: str) -> Statement | None:
    if intent.takes_earlier_sql and intent.first is Tool.EXECUTE:
        return say("ask.rewritten.run", question=passage(before))
    if intent.takes_earlier_sql and intent.first is Tool.EXPLAIN_SQL:
        return say("ask.rewritten.explain", question=passage(before))
    if intent.takes_earlier_sql and intent.first is Tool.FIX_SQL:
        return say("ask.rewritten.fix", question=passage(before))
    return None
