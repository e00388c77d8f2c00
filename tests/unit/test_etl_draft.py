"""A specification that search has filled in: it can be read, quotes the requirement, and each TODO is named with its line."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from contracts.tables import ColumnDetail, JoinEvidence, JoinPath, TableDetail
from workers.kinds.base import WrongSpec
from workers.kinds.etl.rules.drafting import drafted
from workers.kinds.etl.rules.specification import analysis_in, read_spec
from workers.saying import text_of

TABLES = (
    TableDetail(
        name="clients", schema_name="main", primary_key=("client_id",), description="Clients of the house",
        columns=(ColumnDetail(name="client_id"), ColumnDetail(name="town", description="城市"), ColumnDetail(name="on")),
    ),
    TableDetail(
        name="visits", schema_name="main", primary_key=("visit_id",), description="Visits of clients",
        columns=(ColumnDetail(name="visit_id"), ColumnDetail(name="client_id"), ColumnDetail(name="fee")),
    ),
)  # fmt: skip
PATH = JoinPath(
    left="main.visits", left_columns=("client_id",), right="main.clients", right_columns=("client_id",), evidence=JoinEvidence.DECLARED
)
WANTED = "Build client_fees: for all clients their town, the fee of their visits, and the no_show_rate."


def draft(requirement: str, tables: tuple[TableDetail, ...] = TABLES, target: str = "") -> str:
    return drafted(requirement, tables, lambda found: (PATH,) if len(found) > 1 else (), ("house", "duckdb"), target=target)


def faults(text: str) -> list[tuple[int, str]]:
    with pytest.raises(WrongSpec) as wrong:
        read_spec(text)
    return [(fault.line, text_of(fault.text, "en")) for fault in wrong.value.faults]


def test_a_draft_has_what_names_tell_and_todo_for_the_rest() -> None:
    text = draft(WANTED)
    spec = yaml.safe_load(text)

    assert f"# > {WANTED}" in text
    assert (spec["target"], spec["source"], spec["grain"]) == ("client_fees", "house", ["client_id"])
    assert [column["name"] for column in spec["columns"]] == ["client_id", "town", "fee", "no_show_rate"]
    assert "JOIN main.visits ON main.visits.client_id = main.clients.client_id  -- a declared key" in spec["sql"]
    lines = text.splitlines()
    found = faults(text)
    assert [lines[line - 1].strip() for line, _ in found] == ["TODO AS no_show_rate", lines[-1].strip()]
    assert found[0][1] == "Still to be done: TODO AS no_show_rate"


def test_a_draft_whose_todos_are_done_is_taken() -> None:
    done = draft(WANTED).replace("TODO AS no_show_rate", "0 AS no_show_rate").replace("  WHERE TODO  -- which", "  -- which")

    analysis = analysis_in(done, "house", "duckdb", TABLES)

    assert analysis.target.key == ("client_id",)
    assert set(analysis.tables) == {"main.clients", "main.visits"}


@pytest.mark.parametrize(
    "spec",
    ["target: x\nsql: SELECT 'TODO' AS mark", "target: x\nsql: |\n  SELECT 'the TODO list' AS mark  -- TODO later"],
)
def test_a_text_in_quotation_marks_may_be_todo(spec: str) -> None:
    read_spec(spec)


def test_a_value_that_is_todo_is_named_with_its_line() -> None:
    assert faults("target: TODO\ngrain: [TODO]\nsql: SELECT 1 AS a") == [(1, "Still to be done: TODO"), (2, "Still to be done: TODO")]


def test_names_are_quoted_where_yaml_would_read_something_else() -> None:
    text = draft("What is on, by 城市", target="on")

    assert yaml.safe_load(text)["target"] == "on"
    assert [column["name"] for column in yaml.safe_load(text)["columns"]] == ["client_id", "town", "on"]


@given(st.text(max_size=300), st.sampled_from([(), TABLES]))
def test_every_draft_is_yaml_and_has_something_to_do(requirement: str, tables: tuple[TableDetail, ...]) -> None:
    text = draft(requirement, tables)

    assert isinstance(yaml.safe_load(text), dict)
    assert faults(text)
