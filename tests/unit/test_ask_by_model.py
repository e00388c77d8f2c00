"""What a model may say about a message of `ask`, and what the code takes of it."""

import pytest
from pydantic import ValidationError

from contracts.ask.request import Agent, AskRequest, Strategy
from contracts.ask.results import Reading as TableReading
from contracts.ask.results import ReadingStatus, SqlMade, TablesFound
from contracts.ask.steps import Understanding
from contracts.ask.tools import Tool
from contracts.statements import Statement
from workers.errors import ModelAnswerUnusable
from workers.kinds.ask.rules.agents import agent_of
from workers.kinds.ask.rules.by_model import MEANINGS, IntentAnswer, NextAnswer, in_its_words, next_tool, offered, rewriting_of, taken
from workers.kinds.ask.rules.following import rewritten
from workers.kinds.ask.rules.intents import Grounds, judge
from workers.kinds.ask.rules.planning import allowed_tools
from workers.saying import text_of

ALL = Grounds(has_sources=True, has_logs=True, has_documents=True, passage_fit=0.6, table_fit=0.4)
DATA = Grounds(has_sources=True)
WORDS = "and the storefronts, how did they do?"


def ask(question: str, **fields: object) -> AskRequest:
    return AskRequest.model_validate({"question": question, **fields})


def text(shown: object) -> str:
    assert isinstance(shown, Statement)
    return text_of(shown, "en")


def test_the_expert_is_never_bound_to_a_model() -> None:
    """S2: only a client that chooses the expert reaches it; a model is neither shown it nor may name it."""
    wants = Understanding(question=WORDS, words=WORDS, intent=Tool.DATA_DISCOVERY, final_intent=Tool.EXECUTE, statement="SELECT 1")
    made = SqlMade(call="c", source="shop", dialect="duckdb", sql="SELECT 1")

    assert set(MEANINGS) == set(Tool) - {Tool.DATA_SUITE_EXPERT}
    assert "data_suite_expert" not in {tool for tool, _ in offered(ALL, has_statement=True)}
    for strategy in Strategy:
        allowed = allowed_tools(wants, strategy, [made], ALL)
        assert Tool.DATA_SUITE_EXPERT not in allowed
        with pytest.raises(ModelAnswerUnusable, match="may not be called"):
            next_tool(NextAnswer(tool=Tool.DATA_SUITE_EXPERT), allowed)
    with pytest.raises(ModelAnswerUnusable, match="does not have"):
        taken(IntentAnswer(final_intent=Tool.DATA_SUITE_EXPERT), judge(ask(WORDS), WORDS, None, ALL), offered(ALL, has_statement=False))
    assert judge(ask("x", agent=Agent.DATA_SUITE_EXPERT), "x", None, ALL).first is Tool.DATA_SUITE_EXPERT


def test_nothing_is_offered_that_the_deployment_does_not_have() -> None:
    """Logs, documents and sources that nobody configured are tools that could only fail."""
    wants = Understanding(question=WORDS, words=WORDS, intent=Tool.DATA_DISCOVERY, final_intent=Tool.EXECUTE)
    tables = TablesFound(tables=(), reading=TableReading(status=ReadingStatus.READ))

    assert allowed_tools(wants, Strategy.DIRECT, [], Grounds()) == {Tool.ASK_HUMAN, Tool.REJECT}
    assert allowed_tools(wants, Strategy.DIRECT, [tables], DATA) == {Tool.ASK_HUMAN, Tool.REJECT, Tool.DATA_DISCOVERY}
    assert {Tool.SEARCH_LOG, Tool.DATASUITE_FAQ} <= allowed_tools(wants, Strategy.DIRECT, [], ALL)
    assert {tool for tool, _ in offered(Grounds(), has_statement=False)} == {"ask_human", "reject_out_of_scope"}


@pytest.mark.parametrize(
    ("name", "tool"), [("find_data", Tool.DATA_DISCOVERY), ("data_discovery", Tool.DATA_DISCOVERY), ("fix_sql", Tool.FIX_SQL)]
)
def test_a_tool_is_known_by_its_other_names(name: str, tool: Tool) -> None:
    """S31: `find_data` is the discovery."""
    assert NextAnswer.model_validate({"tool": name}).tool is tool


@pytest.mark.parametrize("name", ["Chat BI Agent", "drop_table", "", "DATA_DISCOVERY"])
def test_a_name_that_is_no_tool_s_is_refused(name: str) -> None:
    """S31: an unknown name stands for nothing; it never becomes a tool."""
    with pytest.raises(ValidationError):
        NextAnswer.model_validate({"tool": name})


@pytest.mark.parametrize("language", ["en", "zh"])
def test_each_tool_has_a_name_for_people_and_any_other_is_an_unknown_agent(language: str) -> None:
    """S31, decision 2: the names are for display alone."""
    names = [text_of(agent_of(tool), language) for tool in Tool]

    assert len(set(names)) == len(Tool)
    unknown = text_of(agent_of("chat_bi"), language)
    assert unknown == {"en": "Unknown Agent", "zh": "未知助手"}[language]
    assert unknown not in names
    assert text_of(agent_of("find_data"), language) == text_of(agent_of(Tool.DATA_DISCOVERY), language)


@pytest.mark.parametrize("name", ["Fix SQL", "fix_sql", "Fix SQL Agent", " fix-sql "])
def test_a_client_may_write_an_agent_as_chats_show_it(name: str) -> None:
    """S16, S31."""
    assert ask("x", agent=name).agent is Agent.FIX_SQL


def test_an_agent_that_does_not_exist_is_an_error_that_names_those_that_do() -> None:
    """S31."""
    with pytest.raises(ValidationError, match=r"'fix_sql', 'explain_sql', 'logify' or 'data_suite_expert'"):
        ask("x", agent="Chat BI Agent")


def test_a_model_s_complete_question_is_kept_beside_the_user_s_words() -> None:
    """S6: it is shown as the question and searched by; the words stay what is read first."""
    answer = IntentAnswer(final_intent=Tool.EXECUTE, question="What is the revenue per store?")
    intent = taken(answer, judge(ask(WORDS), WORDS, None, DATA), offered(DATA, has_statement=False), WORDS, "revenue per channel")
    understanding = rewritten(ask(WORDS), WORDS, intent, None, "en")

    assert understanding.question == understanding.rewriting == understanding.subject == "What is the revenue per store?"
    assert understanding.words == WORDS


@pytest.mark.parametrize(
    ("question", "kept"),
    [
        ("What is the revenue per store in 2025?", True),
        ("What is the revenue per store in 2024?", False),
        ("2025年各门店的收入是多少？", False),
        ("", False),
        ("how did   the stores do in 2025", False),
        ("What " + "very " * 300 + "long?", False),
    ],
    ids=["says more", "a year that nobody named", "another language", "empty", "says the same", "endless"],
)
def test_a_rewriting_invents_no_figure_and_keeps_the_language(question: str, kept: bool) -> None:
    assert bool(rewriting_of(question, "how did the stores do in 2025", "revenue per channel")) is kept


def test_what_a_model_asks_the_user_is_in_its_words_and_said_to_be_its_own() -> None:
    asked = taken(
        IntentAnswer(final_intent=Tool.ASK_HUMAN, question="Do you mean the stores or the web shop?"),
        judge(ask(WORDS), WORDS, None, DATA), offered(DATA, has_statement=False), WORDS,
    )  # fmt: skip

    assert asked.first is asked.final is Tool.ASK_HUMAN
    assert text(asked.reason) == "The model asks: Do you mean the stores or the web shop?"
    assert text(in_its_words("")) == "What would you like to know?"
    assert len(text(in_its_words("why " * 1_000))) < 600
