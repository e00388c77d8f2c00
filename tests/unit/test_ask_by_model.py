"""What a model may say about a message of `ask`, and what the code takes of it."""

import pytest
from pydantic import ValidationError

from contracts.ask.answers import CitedSentence, SupervisorAnswer
from contracts.ask.request import Agent, AskRequest, Strategy
from contracts.ask.results import Reading as TableReading
from contracts.ask.results import ReadingStatus, Refused, SqlMade, TablesFound
from contracts.ask.steps import AskAnswer, AskPlan, Carried, Ending, Understanding
from contracts.ask.tools import Tool
from contracts.statements import Statement, lines
from tests.support.prompt_cases import rendered
from workers.engines.stray_figures import stray_figures
from workers.kinds.ask.rules.agents import agent_of
from workers.kinds.ask.rules.by_model import MEANINGS, in_its_words, offered, problem_of, statement_of, understood
from workers.kinds.ask.rules.intents import Grounds, judge
from workers.kinds.ask.rules.messages import statement_in
from workers.kinds.ask.rules.planning import allowed_tools
from workers.kinds.ask.work.dialogue import conversation_text
from workers.kinds.ask.work.supervising import answer_form, meanings_of
from workers.kinds.ask.work.wording import _holds  # pyright: ignore[reportPrivateUsage]
from workers.llm.brief import Brief
from workers.llm.prompts import standing_text
from workers.llm.quotes import quoted
from workers.llm.schema import answer_schema
from workers.saying import text_of

ALL = Grounds(has_sources=True, has_logs=True, has_documents=True, passage_fit=0.6, table_fit=0.4)
DATA = Grounds(has_sources=True)
WORDS = "and the storefronts, how did they do?"
PAID = "SELECT SUM(n) FROM t WHERE a = 'Paid' AND b = 'BERN'"


def ask(question: str, **fields: object) -> AskRequest:
    return AskRequest.model_validate({"question": question, **fields})


def text(shown: object) -> str:
    assert isinstance(shown, Statement)
    return text_of(shown, "en")


def said(tool: Tool, final: Tool | None = None, **fields: object) -> SupervisorAnswer:
    return SupervisorAnswer.model_validate({"tool": tool, "final_intent": final or tool, **fields})


def read(answer: SupervisorAnswer, request: AskRequest, carried: Carried | None = None, statements: tuple[str, ...] = ()) -> Understanding:
    return understood(
        answer, request, carried, (), tables=(("shop", "main.orders"), ("shop", "main.stores")), statements=statements, background=""
    )


def test_the_expert_is_never_bound_to_a_model() -> None:
    """S2: only a client that chooses the expert reaches it; a model is neither shown it nor may name it."""
    wants = Understanding(question=WORDS, words=WORDS, intent=Tool.DATA_DISCOVERY, final_intent=Tool.EXECUTE, statement="SELECT 1")
    made = SqlMade(call="c", source="shop", dialect="duckdb", sql="SELECT 1")

    assert set(MEANINGS) == set(Tool) - {Tool.DATA_SUITE_EXPERT}
    assert Tool.DATA_SUITE_EXPERT not in offered(ALL)
    for strategy in Strategy:
        assert Tool.DATA_SUITE_EXPERT not in allowed_tools(wants, strategy, [made], ALL)
    assert "is not there" in str(problem_of(said(Tool.DATA_SUITE_EXPERT), offered(ALL), ask(WORDS), (), may_ask=True))
    assert judge(ask("x", agent=Agent.DATA_SUITE_EXPERT), "x", None, lambda: ALL).first is Tool.DATA_SUITE_EXPERT


def test_nothing_is_offered_that_the_deployment_does_not_have() -> None:
    """Logs, documents and sources that nobody configured are tools that could only fail."""
    wants = Understanding(question=WORDS, words=WORDS, intent=Tool.DATA_DISCOVERY, final_intent=Tool.EXECUTE)
    tables = TablesFound(tables=(), reading=TableReading(status=ReadingStatus.READ))

    assert allowed_tools(wants, Strategy.DIRECT, [], Grounds()) == {Tool.ASK_HUMAN, Tool.REJECT}
    assert allowed_tools(wants, Strategy.DIRECT, [tables], DATA) == {Tool.ASK_HUMAN, Tool.REJECT, Tool.DATA_DISCOVERY}
    assert {Tool.SEARCH_LOG, Tool.DATASUITE_FAQ} <= allowed_tools(wants, Strategy.DIRECT, [], ALL)
    assert set(offered(Grounds())) == {Tool.ASK_HUMAN, Tool.REJECT}


def test_no_sql_without_tables_and_no_execution_without_sql() -> None:
    """S10, S11: the supervisor names what the user wants; the way there begins with the discovery."""
    for tool in (Tool.GENERATE_SQL, Tool.EXECUTE):
        assert read(said(tool), ask(WORDS)).intent is Tool.DATA_DISCOVERY
        assert read(said(tool), ask(WORDS)).final_intent is tool
    assert read(said(Tool.EXECUTE), ask(WORDS, sql="SELECT 1")).intent is Tool.EXECUTE


def test_a_statement_that_nobody_wrote_is_not_the_user_s() -> None:
    """The supervisor may point to a statement of the message or the conversation, and to no other."""
    carried = Carried(question="orders", sql="SELECT 1 FROM orders", source="shop")
    of_conversation = read(said(Tool.EXECUTE, sql="select 1  from orders;"), ask("run it"), carried, (carried.sql,))
    invented = read(said(Tool.EXECUTE, sql="SELECT 2 FROM payments"), ask("run it"), carried, (carried.sql,))

    assert of_conversation.statement == carried.sql
    assert of_conversation.subject == "orders"
    assert of_conversation.intent is Tool.EXECUTE
    assert invented.statement is None
    assert invented.intent is Tool.DATA_DISCOVERY


@pytest.mark.parametrize(
    ("tool", "sql", "words", "statement"),
    [
        (Tool.EXECUTE, "SELECT SUM(n) FROM t WHERE a = 'Paid' AND b = 'BERN'", "run it", PAID),
        (Tool.EXECUTE, "select sum(n)  FROM t where a = 'Paid'\nAND b = 'BERN';", "run it", PAID),
        (Tool.EXECUTE, "SELECT SUM(n) FROM t", "run it", None),
        (Tool.EXECUTE, "SELECT SUM(n) FROM t WHERE a = 'Paid' AND b = 'Bern'", "run it", None),
        (Tool.EXECUTE, "SELECT a FROM t", "run SELECT a FROM t WHERE b = 1", None),
        (Tool.EXECUTE, "SELECT a FROM t WHERE b = 1", "run SELECT a FROM t WHERE b = 1", "SELECT a FROM t WHERE b = 1"),
        (Tool.EXPLAIN_SQL, "", "explain the last query, please", PAID),
        (Tool.FIX_SQL, "SELEC a FROM t", "fix SELEC a FROM t please", "SELEC a FROM t"),
    ],
)
def test_a_statement_is_the_user_s_as_a_whole(tool: Tool, sql: str, words: str, statement: str | None) -> None:
    """A part of one has lost its conditions, and another text in a condition is another statement."""
    quoted_in = statement_in(words)
    known = (PAID, *([quoted_in.statement] if quoted_in is not None else []))

    assert statement_of(said(tool, sql=sql), ask(words), known) == statement


def test_there_is_nothing_to_mend_where_nobody_gave_a_statement() -> None:
    assert "There is no statement" in str(problem_of(said(Tool.FIX_SQL), offered(ALL), ask("fix it"), (), may_ask=True))


def test_a_refused_message_leaves_the_conversation_where_it_was_and_a_definition_stays_in_it() -> None:
    carried = Carried(question="revenue by month", sql=PAID, source="shop", definitions=("a = total x",))
    words = "margin = sum of revenue - sum of cost\nmargin by month"

    assert read(said(Tool.REJECT, reason="no"), ask("write me a poem"), carried).subject == "revenue by month"
    assert read(said(Tool.EXECUTE, question="margin by month"), ask(words), carried).definitions == (
        "a = total x",
        "margin = sum of revenue - sum of cost",
    )


def test_tables_that_do_not_exist_are_dropped() -> None:
    assert read(said(Tool.EXECUTE, tables=["MAIN.ORDERS", "main.moons"]), ask(WORDS)).tables == ("main.orders",)


@pytest.mark.parametrize(
    ("written", "named", "source", "tables"),
    [
        ("crm.main.people", "", "crm", ("main.people",)),
        ("main.people", "", "crm", ("main.people",)),
        ("People", "", "crm", ("main.people",)),
        ("shop.main.orders", "", "shop", ("main.orders",)),
        ("main.orders", "", None, ("main.orders",)),
        ("orders", "", None, ()),
        ("main.orders", "Shop", "shop", ("main.orders",)),
        ("orders", " CRM ", "crm", ("main.orders",)),
        ("main.people", "the crm", "crm", ("main.people",)),
    ],
)
def test_a_table_is_known_by_each_name_that_means_it_alone(written: str, named: str, source: str | None, tables: tuple[str, ...]) -> None:
    """A name that two schemas have means neither; where several sources are open, a table says which one is meant."""
    known = (("shop", "main.orders"), ("crm", "main.orders"), ("crm", "main.people"), ("shop", "old.orders"))

    answer = said(Tool.EXECUTE, tables=[written], source=named)
    found = understood(answer, ask(WORDS), None, (), tables=known, statements=(), background="")

    assert (found.source, found.tables) == (source, tables)


@pytest.mark.parametrize("may_ask", [True, False])
def test_a_prompt_speaks_only_of_tools_that_it_offers(may_ask: bool) -> None:
    tools = meanings_of(offered(Grounds(has_documents=True)), may_ask=may_ask)
    prompt = rendered("classifier/supervise", "en", tools=tools, may_ask=may_ask, sources=[], tables="", logs=[])

    asked_for = prompt + standing_text(answer_schema(answer_form(tuple(Tool(tool) for tool, _ in tools))))
    assert not [tool.value for tool in set(Tool) - {Tool(tool) for tool, _ in tools} if tool.value in asked_for]
    assert str(SupervisorAnswer.__doc__) in asked_for
    assert ("ask the user what is meant" in prompt, "Call ask_human" in prompt, "cannot be asked any more" in prompt) == (
        may_ask, may_ask, not may_ask
    )  # fmt: skip


def test_a_refusal_that_holds_a_question_is_in_the_conversation_with_its_numbers() -> None:
    """Where the user could not be asked any more, "the second" is the next message."""
    reason = lines(in_its_words("Which amount?"), "1. net", "2. gross")
    refused = AskAnswer(ends_with=Ending.REFUSAL, results=(Refused(reason=reason),), state=Carried())
    turn = AskPlan(round=1, question="amounts", final_intent=Tool.EXECUTE, answer=refused)

    shown = conversation_text(Brief(4_000), [turn])

    assert shown.endswith("Refused: The model asks: Which amount?\n1. net\n2. gross")


def test_the_complete_question_stands_beside_the_user_s_own_words() -> None:
    """S6."""
    understanding = read(said(Tool.EXECUTE, question="What is the revenue per store?"), ask(WORDS))

    assert understanding.question == understanding.subject == "What is the revenue per store?"
    assert understanding.words == WORDS
    assert read(said(Tool.EXECUTE), ask(WORDS)).question == WORDS


def test_what_a_model_asks_the_user_is_in_its_words_and_said_to_be_its_own() -> None:
    asked = read(said(Tool.ASK_HUMAN, ask="Do you mean the stores or the web shop?", choices=["stores", "shop"]), ask(WORDS))

    assert asked.intent is Tool.ASK_HUMAN
    assert text(asked.reason) == "The model asks: Do you mean the stores or the web shop?"
    assert asked.choices == ("stores", "shop")
    assert len(text(in_its_words("why " * 1_000))) < 900
    assert "cannot be asked any more" in str(problem_of(said(Tool.ASK_HUMAN, ask="What?"), offered(ALL), ask(WORDS), (), may_ask=False))


def test_a_quotation_is_checked_but_for_case_and_blanks() -> None:
    assert quoted("the  STOREFRONTS", WORDS)
    assert not quoted("the stores", WORDS)
    assert not quoted("", WORDS)


@pytest.mark.parametrize(
    ("name", "tool"), [("find_data", Tool.DATA_DISCOVERY), ("data_discovery", Tool.DATA_DISCOVERY), ("fix_sql", Tool.FIX_SQL)]
)
def test_a_tool_is_known_by_its_other_names(name: str, tool: Tool) -> None:
    """S31: `find_data` is the discovery."""
    assert SupervisorAnswer.model_validate({"tool": name, "final_intent": name}).tool is tool


@pytest.mark.parametrize("name", ["Chat BI Agent", "drop_table", "", "DATA_DISCOVERY"])
def test_a_name_that_is_no_tool_s_is_refused(name: str) -> None:
    """S31: an unknown name stands for nothing; it never becomes a tool."""
    with pytest.raises(ValidationError):
        SupervisorAnswer.model_validate({"tool": name, "final_intent": name})


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


@pytest.mark.parametrize(
    ("words", "material", "is_stray"),
    [
        ("The rate is 0.04.", "0.01", True),
        ("It is 12.26.", "12.34", True),
        ("About 0.01 of them", "0.049", True),
        ("It is 12.3.", "12.34", False),
        ("It is 12.35.", "12.345", False),
        ("It is 12.0.", "12", False),
        ("It is 5.", "-5", False),
        ("It is 12.", "12.34", True),
    ],
)
def test_a_figure_is_in_the_material_where_it_is_one_of_it_rounded(words: str, material: str, is_stray: bool) -> None:
    assert bool(stray_figures(words, [material])) is is_stray


@pytest.mark.parametrize(("quote", "holds"), [("a", False), ("is", False), ("within 14 days", True), ("within 15 days", False)])
def test_a_quotation_of_a_few_letters_cites_nothing(quote: str, holds: bool) -> None:
    sentence = CitedSentence(text="Refunds take 14 days.", passage=1, quote=quote)

    assert _holds(sentence, ["A refund is paid within 14 days to the card."]) is holds
