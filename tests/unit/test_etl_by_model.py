"""What a model answers for the analyst of `etl`, and which tables its names mean."""

from typing import Any

import pytest

from contracts.etl.answers import AnalysisAnswer
from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.review import Verdict
from contracts.pipelines.workflow import Workflow
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.pipelines import NoBreach
from workers.kinds.etl.roles.by_model import Known, analyse_by_model, analysis_text
from workers.kinds.etl.roles.remarking import Reviewed, remark_by_model
from workers.kinds.registry import load_kinds
from workers.llm import ScriptedChat
from workers.llm.probe_tools import no_tools

WORDS = "Build the orders of each day"


def table(schema: str, name: str) -> TableDetail:
    return TableDetail(name=name, schema_name=schema, columns=(ColumnDetail(name="day", type="DATE"),))


KNOWN = Known(dialect="postgres", tables=[table("public", "orders"), table("archive", "orders"), table("public", "straße")])


def analysed(**answer: Any) -> AnalysisResult:
    """The analysis that a model's only answer makes."""
    load_kinds()
    given = {"steps": [{"name": "Read", "tables": ["public.orders"]}], "table": "daily", "columns": [{"name": "day"}], **answer}
    return analyse_by_model(ScriptedChat(AnalysisAnswer.model_validate(given)), WORDS, "shop", KNOWN, language="en")


@pytest.mark.parametrize(
    ("name", "exists"),
    [
        ("orders", True),
        ("Orders", True),
        ("ARCHIVE.orders", True),
        ("shop.public.orders", True),
        ("straße", True),
        ("daily", False),
        ("mart.orders", False),
    ],
)
def test_a_target_that_is_there_already_is_known_also_by_a_name_that_several_tables_have(name: str, exists: bool) -> None:
    """The table of such a name was dropped instead of emptied."""
    assert analysed(table=name).target.exists is exists


def test_a_target_that_is_there_keeps_its_names_and_those_of_its_columns() -> None:
    facts = TableDetail(name="Sales Facts", columns=tuple(ColumnDetail(name=name, type="INTEGER") for name in ("Order Id", "Amount")))
    given = {"steps": [{"name": "Read", "tables": ["Sales Facts"]}], "table": "sales facts", "key": ["Order Id"], "mode": "append"}
    answer = AnalysisAnswer.model_validate({**given, "columns": [{"name": "order id"}, {"name": "Amount"}, {"name": "Net Price"}]})

    target = analyse_by_model(ScriptedChat(answer), WORDS, "shop", Known(dialect="postgres", tables=[facts]), language="en").target

    assert (target.table, target.exists, target.key) == ("Sales Facts", True, ("Order Id",))
    assert [column.name for column in target.columns] == ["Order Id", "Amount", "net_price"]


def test_a_name_means_its_table_in_any_letters() -> None:
    name = "public.straße"

    found = analysed(steps=[{"name": "Read", "tables": [name]}], keeps_all=name, only=[{"table": name, "condition": "TRUE"}])

    assert (found.tables, found.target.keeps_all, found.target.only) == ((name,), name, ((name, "TRUE"),))


def test_a_review_takes_the_first_remarks_that_hold_and_no_answer_is_lost_for_one_too_many() -> None:
    said = [{"text": f"Wrong {place}.", "phrase": "each day" if place else "each hour"} for place in range(5)]
    chat = ScriptedChat({"step": {"final": {"remarks": said}}})
    analysis = analysed()
    reviewed = Reviewed(analysis.model_copy(update={"requirement": WORDS}), Workflow(name="daily", jobs=(), layers=()), (), Verdict(of=""))

    found = remark_by_model(chat, reviewed, KNOWN, (), no_tools(), lambda _: NoBreach("none"), "en")

    assert ["Wrong 1." in str(issue.text) for issue in found.warnings] == [True, False, False]
    assert len(chat.asked) == 1


def test_an_analysis_that_is_to_be_changed_is_shown_whole() -> None:
    """ "Change this and nothing else" can only be said of what is shown."""
    columns = [{"name": name} for name in ("day", "since", "until", "now")]
    history = {"mode": "history", "key": ["day", "since"], "valid_from": "since", "valid_to": "until", "is_current": "now"}
    assumed = [{"question": "Which day?", "assumed": "Of the order."}, {"question": "Whose?"}]

    shown = analysis_text(analysed(columns=columns, **history, todos=["Each day."], ambiguities=assumed)).splitlines()

    wanted = {"valid_from: since", "valid_to: until", "is_current: now", "tables of the steps: public.orders", "- Read"}
    assert wanted | {"assumed: Which day? Of the order.", "todos:", "- Each day."} <= set(shown)
    assert not [line for line in shown if "Whose?" in line]
