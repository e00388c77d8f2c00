"""What a model says of a message or of the next call, and what the code takes of it.

A model proposes an intent or a tool by name. What the deployment cannot do, what the order of the tools forbids (S10, S11) and what a
client chose itself (S16) is not its to say: such an answer is unusable, and the rules decide.
"""

import re
from dataclasses import replace

from contracts.ask.tools import Tool
from contracts.base import Contract, Text
from contracts.statements import Sayable, passage, say
from workers.errors import ModelAnswerUnusable
from workers.kinds.ask.rules.intents import Grounds, Intent

MEANINGS: dict[Tool, str] = {
    Tool.DATA_DISCOVERY: "find which tables and columns hold something",
    Tool.GENERATE_SQL: "write the SQL, without running it",
    Tool.EXECUTE: "run SQL and give the figures, the answer or a chart",
    Tool.EXPLAIN_SQL: "say in words what a given SQL statement computes",
    Tool.FIX_SQL: "mend a given SQL statement that does not run",
    Tool.DATASUITE_FAQ: "say how something is done on the platform, from its documents",
    Tool.SEARCH_LOG: "find lines in the logs of services, or count them",
    Tool.ASK_HUMAN: "ask the user what is meant",
    Tool.REJECT: "refuse: it has nothing to do with data, or would change data",
}
"""What a model reads about each tool."""

FORBIDDEN = (
    "change data, tables or rights, in any statement",
    "answer what has nothing to do with data, documents or logs",
    "show data that the tools do not give this user",
)
"""What a model reads that it never helps with (S38): such a message is refused."""

_BEGINS: dict[Tool, Tool] = {Tool.GENERATE_SQL: Tool.DATA_DISCOVERY, Tool.EXECUTE: Tool.DATA_DISCOVERY}
"""The tool with which the way to another begins, where it is not that tool itself."""


MOST_REWRITTEN = 1_000
"""Characters of a question that a model rewrote; a longer one is no question of a user."""

MOST_ASKED = 500
"""Characters of a model's question that the user is shown."""

_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_CHINESE = re.compile(r"[\u3400-\u9fff]")


class IntentAnswer(Contract):
    """What a model takes a message to be after."""

    final_intent: Tool
    question: Text = ""
    """The message as a complete question; with `ask_human`, what the user is to be asked."""


class NextAnswer(Contract):
    """The tool that a model would call now."""

    tool: Tool
    question: Text = ""
    """With `ask_human`: what the user is to be asked."""


def offered(grounds: Grounds, *, has_statement: bool) -> list[tuple[str, str]]:
    """The tools that the deployment has for a message, with their meanings."""
    tools = {Tool.ASK_HUMAN, Tool.REJECT}
    tools |= {Tool.DATA_DISCOVERY, Tool.GENERATE_SQL, Tool.EXECUTE} if grounds.has_sources else set()
    tools |= {Tool.EXPLAIN_SQL, Tool.FIX_SQL} if has_statement else set()
    tools |= {Tool.DATASUITE_FAQ} if grounds.has_documents else set()
    tools |= {Tool.SEARCH_LOG} if grounds.has_logs else set()
    return [(tool.value, meaning) for tool, meaning in MEANINGS.items() if tool in tools]


def taken(answer: IntentAnswer, by_rules: Intent, tools: list[tuple[str, str]], words: str = "", before: str = "") -> Intent:
    """The model's intent with what the rules know of the message (`words`, after the question `before`). Raises `ModelAnswerUnusable`."""
    final = answer.final_intent
    if final.value not in {tool for tool, _ in tools}:
        raise ModelAnswerUnusable(f"The model names {final.value}, which this deployment does not have for the message.")
    if by_rules.first is Tool.REJECT and final is not Tool.REJECT:
        raise ModelAnswerUnusable("The rules refuse this message, and a model does not lift a refusal.")
    if final is Tool.ASK_HUMAN:
        return replace(by_rules, first=final, final=final, reason=in_its_words(answer.question))
    return replace(by_rules, first=_BEGINS.get(final, final), final=final, rewriting=rewriting_of(answer.question, words, before))


def rewriting_of(question: str, words: str, before: str) -> str:
    """The complete question in a model's words, where it may stand for the user's: it is written in the same script, and it names no number
    that the conversation does not. Empty: it may not, or it says nothing else."""
    text = " ".join(question.split())
    if not text or len(text) > MOST_REWRITTEN or text.casefold() == " ".join(words.split()).casefold():
        return ""
    own = set(_NUMBER.findall(f"{words}\n{before}"))
    is_like = bool(_CHINESE.search(text)) == bool(_CHINESE.search(words)) and set(_NUMBER.findall(text)) <= own
    return text if is_like else ""


def in_its_words(question: str) -> Sayable:
    """What a model asks the user, said to be the model's; a question of ours where it has no words of its own."""
    text = " ".join(question.split())[:MOST_ASKED]
    return say("ask.question.of_model", question=passage(text)) if text else say("ask.understand.what")


def next_tool(answer: NextAnswer, allowed: frozenset[Tool]) -> Tool:
    """The tool that a model names, if it may be called now. Raises `ModelAnswerUnusable`."""
    if answer.tool not in allowed:
        raise ModelAnswerUnusable(f"The model names {answer.tool.value}, which may not be called now.")
    return answer.tool
