"""Follow-ups: what a message takes from the conversation, and the question that it amounts to (S6)."""

import re

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried, Understanding
from contracts.ask.tools import Tool
from contracts.statements import Statement, passage, say
from workers.engines.questions.defining import says_meaning
from workers.kinds.ask.rules.cues import Cue, cues_in, dialect_in, statement_in
from workers.kinds.ask.rules.intents import Intent
from workers.saying import text_of

MOST_DEFINITIONS = 5


def definitions_in(words: str) -> list[str]:
    """The sentences of a message that say what a word means."""
    return [sentence.strip() for sentence in re.split(r"(?<=[.!?。！？])\s+|(?<=[。！？])", words) if says_meaning(sentence)]


def rewritten(request: AskRequest, words: str, intent: Intent, carried: Carried | None, language: str) -> Understanding:
    """The understanding of a message: a question that is complete without its conversation."""
    follows = (
        carried is not None and bool(carried.question) and (intent.takes_earlier_sql or intent.follows or Cue.FOLLOWS in cues_in(words))
    )
    statement = request.sql or statement_in(words) or (carried.sql if carried and intent.takes_earlier_sql and carried.sql else None)
    question = words
    if follows and carried is not None:
        question = text_of(_framed(intent, carried.question, words), language)
    if intent.is_closing:
        question = words.rpartition("\n")[2]
    return Understanding(
        question=question,
        is_closing=intent.is_closing,
        words=words,
        subject=carried.question if carried and intent.takes_earlier_sql else "" if intent.is_closing else question,
        intent=intent.first,
        final_intent=intent.final,
        is_direct=intent.is_direct,
        is_follow_up=follows,
        definitions=tuple(dict.fromkeys([*(carried.definitions if carried else ()), *definitions_in(words)]))[-MOST_DEFINITIONS:],
        carried=carried,
        statement=statement,
        chart=intent.chart,
        dialect=request.dialect or dialect_in(words) or (carried.dialect or None if carried and intent.takes_earlier_sql else None),
        reason=intent.reason,
        choices=intent.choices,
    )


def _framed(intent: Intent, before: str, words: str) -> Statement:
    if intent.takes_earlier_sql and intent.first is Tool.EXECUTE:
        return say("ask.rewritten.run", question=passage(before))
    if intent.takes_earlier_sql and intent.first is Tool.EXPLAIN_SQL:
        return say("ask.rewritten.explain", question=passage(before))
    if intent.takes_earlier_sql and intent.first is Tool.FIX_SQL:
        return say("ask.rewritten.fix", question=passage(before))
    return say("ask.rewritten.more", question=passage(before), words=passage(words))
