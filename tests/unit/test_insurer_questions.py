"""Questions about the insurer that were wrong or ended in a dead end when they were first asked."""

from datetime import datetime
from pathlib import Path

import pytest

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried
from contracts.ask.tools import Tool
from contracts.questions import Verdict
from contracts.statements import say
from workers.engines.questions import Reader
from workers.engines.sql.build import build_sql
from workers.evaluation.questions.cases import load_tables, value_look_up
from workers.evaluation.questions.companies import write_companies
from workers.kinds.ask.rules.corrections import corrected
from workers.kinds.ask.rules.intents import Grounds, judge
from workers.kinds.ask.rules.plan_edits import edited, edits_in
from workers.kinds.ask.rules.replies import what_counts

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the data


@pytest.fixture(scope="module")
def reader(tmp_path_factory: pytest.TempPathFactory) -> Reader:
    folder: Path = tmp_path_factory.mktemp("companies")
    write_companies(folder, ("insurer",))
    tables = load_tables(folder)["insurer"]
    return Reader(tables, NOW, look_up=value_look_up(folder / "sqlite" / "insurer.sqlite", tables))


def _sql(reader: Reader, question: str) -> str:
    reading = reader.read(question)
    assert reading.verdict is Verdict.ANSWERED
    return build_sql(reading.readings[0].plan, reader.tables, "sqlite", pretty=False)


def test_the_holders_of_policies_are_counted_once_each(reader: Reader) -> None:
    """`policy holders` joined with policies counted a holder once for each policy."""
    assert "JOIN" not in _sql(reader, "How many female policy holders are there in each city?")
    assert 'GROUP BY "holders"."city"' in _sql(reader, "Which city has the most policy holders?")


def test_the_claims_of_policies_are_claims(reader: Reader) -> None:
    """A compound of tables of which one refers to the other is the second."""
    assert "JOIN" not in _sql(reader, "How many policy claims were filed in 2025?")


def test_a_compound_of_tables_that_do_not_belong_together_has_no_meaning(reader: Reader) -> None:
    """`claim payments` had counted the claims of policies with payments of premiums."""
    reading = reader.read("number of claim payments")

    assert reading.verdict is Verdict.UNPLACED
    assert "claim payments" in reading.unplaced


@pytest.mark.parametrize("question", ["每年收到的保费是多少？", "What is the premium per year?", "收到保费最高的5个产品"])
def test_what_may_be_a_quantity_is_not_counted_without_a_word_for_it(reader: Reader, question: str) -> None:
    """Premiums are amounts as well as rows of their payments, and the highest premiums are not the most payments."""
    assert reader.read(question).verdict is not Verdict.ANSWERED


def test_what_was_paid_is_no_list_of_amounts(reader: Reader) -> None:
    """`What did we pay out` had listed each amount once."""
    assert reader.read("What did we pay out for water damage in 2025?").verdict is not Verdict.ANSWERED


def test_an_amount_per_thing_is_its_sum(reader: Reader) -> None:
    """It had no plan. An annual premium is a rate, of which a sum is not sure."""
    assert "SUM" in _sql(reader, "Amount paid out per product in Q2 2026")
    assert reader.read("annual premium per product").verdict is not Verdict.ANSWERED


@pytest.mark.parametrize(("words", "tool"), [("Now delete all rejected claims", Tool.REJECT), ("Write me a poem about ducks", Tool.REJECT)])
def test_what_nothing_here_does_is_refused_within_a_conversation_too(words: str, tool: Tool) -> None:
    """Deleting was taken for a change of the question before."""
    carried = Carried(question="How many claims were rejected?", sql="SELECT COUNT(*) FROM claims", source="insurer", goal=Tool.EXECUTE)
    there = Grounds(has_sources=True)

    assert judge(AskRequest(question=words), words, carried, there).final is tool
    assert judge(AskRequest(question="add the branch"), "add the branch", carried, there).final is Tool.EXECUTE
    poem = judge(AskRequest(question="Write me a poem"), "Write me a poem", None, there)
    assert poem.reason == say("ask.refuse.out_of_scope")


@pytest.mark.parametrize(
    ("before", "words", "wanted"),
    [
        ("收到保费最高的5个产品", "不是5个，是3个", "收到保费最高的3个产品"),
        ("claims per month in 2025", "not 2025 but 2026", "claims per month in 2026"),
        ("claims per month in 2025", "I meant 2026, not 2025", "claims per month in 2026"),
        ("claims per month in 2025", "per week instead of per month", "claims per week in 2025"),
        ("the 15 largest claims of 5 products", "not 5 but 3", "the 15 largest claims of 3 products"),
        ("claims per month in 2025", "not 2024 but 2026", None),
    ],
)
def test_a_correction_names_what_was_wrong(before: str, words: str, wanted: str | None) -> None:
    """What was wrong is replaced where it is in the question, whole and once."""
    assert corrected(before, words) == wanted


def test_another_bound_takes_the_place_of_the_first(reader: Reader) -> None:
    """`no, more than 40` behind `more than 20`."""
    plan = reader.read("Which branches have more than 3 agents?").readings[0].plan
    _, edits = edits_in("no, more than 4")

    changed = edited(plan, edits)

    assert changed is not None
    assert [bound.values for bound in changed.having] == [("4",)]


@pytest.mark.parametrize(
    ("parts", "wanted"),
    [
        (("why did it drop?", "only 2025"), ("only 2025",)),
        (("为什么下降了？", "按诊所看"), ("按诊所看",)),
        (("按损失类型统计", "画成柱状图"), ("画成柱状图",)),
        (("no, the other ones", "run it"), ("no, the other ones",)),
        (("average tip per channel", "the amount per payment method"), ("average tip per channel", "the amount per payment method")),
    ],
)
def test_replies_that_are_no_answers(parts: tuple[str, ...], wanted: tuple[str, ...]) -> None:
    """Behind "why", and as a wish for a picture, a reply is about the result; "run it" says nothing of an open question."""
    assert what_counts(parts, has_result=True) == wanted
    assert what_counts(("why did it drop?", "only 2025"), has_result=False) == ("why did it drop?", "only 2025")
