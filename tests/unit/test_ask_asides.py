"""Messages of a conversation that are no questions about data, and changes of a plan that no text says."""

from datetime import datetime
from pathlib import Path

import pytest

from contracts.ask.request import AskRequest, Strategy
from contracts.ask.results import Said
from contracts.ask.steps import Carried, Ending
from contracts.ask.tools import Tool
from contracts.queries import QueryPlan, TimeUnit
from contracts.questions import Verdict
from contracts.statements import say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions import Reader
from workers.engines.questions.edges import Edges
from workers.engines.results.charts import charts_of
from workers.engines.results.findings import findings_of
from workers.engines.sql.plan_check import plan_problems
from workers.evaluation.questions.cases import load_tables, value_look_up
from workers.evaluation.questions.companies import write_companies
from workers.kinds.ask.rules.asides import asked_meaning, asks_why, only_greets, only_thanks
from workers.kinds.ask.rules.composing import spoken_of
from workers.kinds.ask.rules.following import rewritten
from workers.kinds.ask.rules.intents import Grounds, judge
from workers.kinds.ask.rules.plan_groups import with_group
from workers.kinds.ask.rules.planning import Finish, next_move
from workers.kinds.ask.rules.splits import splits
from workers.kinds.ask.rules.states import state_after
from workers.kinds.ask.work.meanings import meanings_of
from workers.saying import text_of

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the data
THERE = Grounds(has_sources=True, has_documents=True)


@pytest.fixture(scope="module")
def readers(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Reader]:
    folder: Path = tmp_path_factory.mktemp("companies")
    write_companies(folder, ("vets", "water"))
    return {
        name: Reader(tables, NOW, look_up=value_look_up(folder / "sqlite" / f"{name}.sqlite", tables))
        for name, tables in load_tables(folder).items()
    }


def plan_of(reader: Reader, question: str) -> QueryPlan:
    reading = reader.read(question)
    assert reading.verdict is Verdict.ANSWERED
    return reading.readings[0].plan


def carried(plan: QueryPlan) -> Carried:
    return Carried(question="How many appointments per month?", source="vets", sql="SELECT 1", plan=plan, goal=Tool.EXECUTE)


@pytest.mark.parametrize(
    "words",
    ["hello", "Hi!", "hi there", "hey, good morning", "help", "what can you do?", "What can I ask you here?", "how does this work?",
     "你好", "您好！", "在吗", "你能做什么？", "你可以帮我做什么", "你好，你能帮我查什么", "怎么用"],
)  # fmt: skip
def test_a_greeting_is_answered_with_what_can_be_asked(words: str) -> None:
    """Nothing is looked up, and the conversation stays where it is."""
    intent = judge(AskRequest(question=words), words, None, THERE)
    move = next_move(rewritten(AskRequest(question=words), words, intent, None, "en"), Strategy.CONFIRM, ())

    assert isinstance(move, Finish)
    assert move.ends_with is Ending.ANSWER
    assert isinstance(said := move.results[0], Said)
    assert "Which tables are there?" in text_of(said.text, "en")
    assert "有哪些表" in text_of(said.text, "zh")
    assert "Logs" not in text_of(said.text, "en")


@pytest.mark.parametrize(
    "words",
    ["hello, how many orders failed?", "你好，订单有多少", "help me fix this query", "what can you do with the orders table",
     "能查什么表", "what is revenue?", "all", "你能查到什么订单", "hi store", "帮我查订单", "what can i ask about orders"],
)  # fmt: skip
def test_a_greeting_with_a_question_is_a_question(words: str) -> None:
    assert not only_greets(words)


@pytest.mark.parametrize(
    "words",
    ["thanks!", "great, thank you", "Thank you very much for your help", "thank you, that's all",
     "bye", "谢谢", "多谢", "辛苦了，谢谢", "好的，非常感谢"],
)  # fmt: skip
def test_thanks_are_thanks(words: str) -> None:
    assert only_thanks(words)


@pytest.mark.parametrize(
    "words", ["thanks, and by month?", "great", "yes", "thank you letters per month",
     "谢谢，再按月看一下", "没有订单的客户", "好的", "that's all orders"]
)  # fmt: skip
def test_what_asks_for_something_is_more_than_thanks(words: str) -> None:
    assert not only_thanks(words)


@pytest.mark.parametrize(
    "words",
    ["why did it drop?", "Why is the third one lower?", "so why?", "what caused the increase?",
     "how come?", "为什么下降了？", "原因是什么", "怎么回事？"],
)  # fmt: skip
def test_the_reason_is_asked_for(words: str) -> None:
    assert asks_why(words)


@pytest.mark.parametrize("words", ["What is the most common reason?", "取消原因有哪些？", "by reason", "最常见的退货原因是什么？"])
def test_a_reason_that_the_data_hold_is_a_question_about_data(words: str) -> None:
    assert not asks_why(words)


def test_thanks_look_nothing_up_and_leave_the_conversation_where_it_is(readers: dict[str, Reader]) -> None:
    before = carried(plan_of(readers["vets"], "How many appointments were there per month in 2026?"))
    request = AskRequest(question="thanks!")
    intent = judge(request, "thanks!", before, THERE)
    understanding = rewritten(request, "thanks!", intent, before, "en")

    move = next_move(understanding, Strategy.DIRECT, ())

    assert isinstance(move, Finish)
    assert move.ends_with is Ending.ANSWER
    assert isinstance(move.results[0], Said)
    assert understanding.subject == before.question
    assert understanding.question == "thanks!"


def test_why_is_asked_of_the_data_and_not_of_the_documents(readers: dict[str, Reader]) -> None:
    before = carried(plan_of(readers["vets"], "How many appointments were there per month in 2026?"))

    assert judge(AskRequest(question="why did it drop?"), "why did it drop?", before, THERE).final is Tool.EXECUTE
    without = judge(AskRequest(question="why did it drop?"), "why did it drop?", None, THERE)
    assert without.final is Tool.DATASUITE_FAQ


def test_a_figure_is_split_by_what_its_rows_have_one_of(readers: dict[str, Reader]) -> None:
    reader = readers["vets"]
    plan = plan_of(reader, "How many completed appointments were there per month in 2026?")

    found = splits(plan, reader.tables, ())

    assert [name for name, _ in found] == ["tbl_appt.rsn_cd", "tbl_vet.fst_nm", "tbl_clinic.cl_nm"]
    for _, made in found:
        assert not plan_problems(made, reader.tables)
        assert made.selected[0].value.unit is TimeUnit.MONTH
        assert made.selected[-1] == plan.selected[-1]
        assert made.filters == plan.filters
        assert made.order_by == plan.order_by


def test_a_figure_without_a_measure_is_not_split(readers: dict[str, Reader]) -> None:
    reader = readers["vets"]

    assert splits(plan_of(reader, "Which clinics opened before 2020?"), reader.tables, ()) == []


@pytest.mark.parametrize(
    ("company", "question", "words", "groups"),
    [
        ("vets", "How many cancelled appointments were there per clinic in 2026?", "and by month?", ["tbl_appt.sched_ts"]),
        (
            "vets",
            "How many cancelled appointments were there in 2026 by month",
            "per clinic instead",
            ["tbl_clinic.cl_id", "tbl_clinic.cl_nm"],
        ),
        ("vets", "How many cats are female?", "按品种", ["tbl_pet.brd"]),
        ("water", "每个品牌有多少块水表？", "按口径统计", ["t_mtr.cal_mm"]),
    ],
)
def test_a_group_takes_the_place_of_the_one_before(
    readers: dict[str, Reader], company: str, question: str, words: str, groups: list[str]
) -> None:
    reader = readers[company]
    plan = plan_of(reader, question)

    made = with_group(plan, reader.items(spoken_of(words)), reader.tables, ())

    assert made is not None
    assert [measure.column for measure in made.group_by] == groups
    assert made.filters == plan.filters
    assert made.periods == plan.periods
    assert not plan_problems(made, reader.tables)


@pytest.mark.parametrize("words", ["by", "per clinic in 2025", "how many?", "only cats", "by item"])
def test_more_or_less_than_a_group_is_none(readers: dict[str, Reader], words: str) -> None:
    reader = readers["vets"]
    plan = plan_of(reader, "How many cancelled appointments were there per clinic in 2026?")

    assert with_group(plan, reader.items(spoken_of(words)), reader.tables, ()) is None


def test_the_amounts_of_parts_are_ranked_in_two_ways(readers: dict[str, Reader]) -> None:
    for question in ("应收金额最高的5个用水户", "The 5 customers with the highest amount due"):
        reading = readers["water"].read(question)
        assert reading.verdict is Verdict.AMBIGUOUS
        assert [str(found.plan.selected[-1].value.aggregate) for found in reading.readings] == ["sum", "maximum"]


def test_codes_name_what_is_drawn_and_are_no_figures() -> None:
    names, rows = ("pay_mtd", "total"), ((1, 30.0), (2, 20.0), (3, 10.0))

    (chart,) = charts_of(names, rows, is_ordered=False, groups=frozenset({"pay_mtd"}))

    assert str(chart.mark) == "bar"
    assert [row["x"] for row in chart.data] == ["1", "2", "3"]
    assert all("pay_mtd has" not in str(finding.text) for finding in findings_of(names, rows, groups=frozenset({"pay_mtd"})))


def test_tables_of_the_companies_are_those_of_their_dialogues(readers: dict[str, Reader]) -> None:
    tables: tuple[TableDetail, ...] = readers["vets"].tables

    assert Edges(tables).between("tbl_appt", "tbl_clinic") is not None


@pytest.mark.parametrize(
    ("words", "what"),
    [("what do you mean by revenue?", "revenue"), ("What does outcome mean?", "outcome"), ("爽约是什么意思？", "爽约"),
     ("什么叫退费", "退费"), ("what do customers buy?", ""), ("最常见的原因是什么", ""), ("what does each region sell?", "")],
)  # fmt: skip
def test_a_word_whose_meaning_is_asked_for(words: str, what: str) -> None:
    assert asked_meaning(words) == what


VISITS = TableDetail(
    name="visits", description="One row per visit of a donor",
    columns=(ColumnDetail(name="outcome", type="text", description="deferred: the donor was sent home", values=("accepted", "deferred")),
             ColumnDetail(name="st", type="text", description="状态：noshow 爽约", values=("noshow", "done"))),
)  # fmt: skip


@pytest.mark.parametrize(
    ("words", "says"),
    [
        ("what do you mean by outcome?", "visits.outcome: deferred: the donor was sent home"),
        ("爽约是什么意思？", "visits.st：状态：noshow 爽约"),
    ],
)
def test_a_meaning_is_answered_from_the_catalogue_and_the_conversation_stays(readers: dict[str, Reader], words: str, says: str) -> None:
    language = "en" if words.isascii() else "zh"
    before = carried(plan_of(readers["vets"], "How many appointments per month?"))
    there = Grounds(has_sources=True, table_fit=0.5, meanings=meanings_of(asked_meaning(words), [VISITS]))
    intent = judge(AskRequest(question=words), words, before, there)
    understood = rewritten(AskRequest(question=words), words, intent, before, language)
    move = next_move(understood, Strategy.CONFIRM, ())

    assert isinstance(move, Finish)
    assert isinstance(said := move.results[0], Said)
    assert text_of(said.text, language).startswith(says)
    assert state_after(understood, [], []).question == "How many appointments per month?"


def test_a_greeting_leaves_no_question_behind() -> None:
    intent = judge(AskRequest(question="hello"), "hello", None, THERE)

    assert state_after(rewritten(AskRequest(question="hello"), "hello", intent, None, "en"), [], []).question == ""


@pytest.mark.parametrize("words", ["no, the other one", "不对，另一个"])
def test_another_one_is_asked_about(words: str) -> None:
    before = Carried(question="How many appointments?", sql="SELECT 1", goal=Tool.EXECUTE)

    intent = judge(AskRequest(question=words), words, before, THERE)

    assert intent.first is Tool.ASK_HUMAN
    assert intent.reason == say("ask.understand.which_other")
