"""What a model answers for the analyst of `etl`, and which tables its names mean."""

from typing import Any

import pytest

from contracts.etl.answers import AnalysisAnswer
from contracts.pipelines.analysis import AnalysisResult
from contracts.tables import ColumnDetail, TableDetail
from workers.kinds.etl.roles.by_model import Known, analyse_by_model
from workers.kinds.registry import load_kinds
from workers.llm import ScriptedChat

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


def test_a_name_means_its_table_in_any_letters() -> None:
    name = "public.straße"

    found = analysed(steps=[{"name": "Read", "tables": [name]}], keeps_all=name, only=[{"table": name, "condition": "TRUE"}])

    assert (found.tables, found.target.keeps_all, found.target.only) == ((name,), name, ((name, "TRUE"),))
