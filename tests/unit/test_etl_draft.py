"""A specification that search has filled in: it can be read, quotes the requirement, and each TODO is named with its line."""

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from contracts.tables import ColumnDetail, JoinEvidence, JoinPath, TableDetail
from workers.engines.questions.spoken import spoken
from workers.kinds.base import WrongSpec
from workers.kinds.etl.rules.drafting import drafted, unread_in
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
WANTED = "Build client_fees: per client their town, the fee of their visits, and the no_show_rate."


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
    assert "JOIN" not in spec["sql"]
    lines = text.splitlines()
    found = faults(text)
    todo = "TODO AS fee,  -- main.visits.fee, which may have several rows for one of main.clients"
    assert [lines[line - 1].strip() for line, _ in found] == ["# TODO, not read: their", todo, "TODO AS no_show_rate", lines[-1].strip()]
    assert found[2][1] == "Still to be done: TODO AS no_show_rate"


def test_a_draft_whose_todos_are_done_is_taken() -> None:
    done = draft(WANTED).replace("TODO AS no_show_rate", "0 AS no_show_rate").replace("  WHERE TODO  -- which", "  -- which")
    done = done.replace("# TODO, not read: their\n", "")
    done = done.replace("TODO AS fee", "(SELECT SUM(v.fee) FROM visits AS v WHERE v.client_id = main.clients.client_id) AS fee")

    analysis = analysis_in(done, "house", "duckdb", TABLES)

    assert analysis.target.key == ("client_id",)
    assert set(analysis.tables) == {"main.clients", "main.visits"}


@pytest.mark.parametrize(
    ("requirement", "grain", "begins"),
    [
        ("per client: the town and the fee", ["client_id"], "FROM main.clients"),
        ("per visit: the fee and the town", ["visit_id"], "FROM main.visits\nJOIN main.clients"),
        ("visits with their fee and town", ["visit_id"], "FROM main.visits\nJOIN main.clients"),
        ("the fee and the town", ["TODO"], "FROM TODO  -- main.clients or main.visits: of which is a row?"),
        ("clients with their town and fee", ["TODO"], "FROM TODO  -- main.clients or main.visits: of which is a row?"),
        ("the fee per town", ["town"], "FROM TODO  -- main.clients or main.visits: of which is a row?"),
        ("visits per town and month", ["town", "month"], "FROM main.visits\nJOIN main.clients"),
        ("每个城市的 visits", ["town"], "FROM main.visits\nJOIN main.clients"),
    ],
)
def test_the_content_begins_with_what_a_row_is_asked_for_and_is_open_where_nothing_says_it(
    requirement: str, grain: list[str], begins: str
) -> None:
    spec = yaml.safe_load(draft(requirement, target="t"))

    assert spec["grain"] == grain
    assert begins in "\n".join(line.rstrip() for line in spec["sql"].splitlines())


BALANCES = (
    TableDetail(
        name="balances", primary_key=("account_id", "changed_on"),
        columns=(ColumnDetail(name="account_id"), ColumnDetail(name="changed_on"), ColumnDetail(name="balance")),
    ),
    TableDetail(name="users", primary_key=("user_id",), columns=(ColumnDetail(name="user_id"), ColumnDetail(name="user_name"))),
)  # fmt: skip


@pytest.mark.parametrize(
    ("requirement", "grain", "not_read"),
    [
        (
            "Build balance_daily: one row per account and day in March 2025, with the last known balance carried forward on days without "
            "a change.",
            ["account_id", "day"],
            ["March 2025, with the last known", "carried forward on days without a change"],
        ),
        ("Build t: one row per account_id of balances: account_id; balance", ["account_id"], []),
        ("Build t: the happiness per account", ["account_id"], ["happiness"]),
        ("Build t: one balance per user", ["user_id"], []),
        ("建立 t：每个 account_id 每天的 balance，没有变化的日子沿用前一天", ["account_id", "day"], ["没有变化的日子沿用前一天"]),
    ],
)
def test_a_draft_keeps_the_grain_that_is_said_and_names_what_it_did_not_read(
    requirement: str, grain: list[str], not_read: list[str]
) -> None:
    """A part of a name is enough where it is the only such column of its table."""
    text = draft(requirement, BALANCES)

    assert yaml.safe_load(text)["grain"] == grain
    assert [line.partition("not read: ")[2] for line in text.splitlines() if "not read: " in line] == not_read
    assert list(unread_in(requirement, BALANCES)) == not_read


def test_a_name_that_is_said_wins_over_names_that_contain_it() -> None:
    orders = TableDetail(name="orders", schema_name="main", description="订单", primary_key=("id",), columns=(ColumnDetail(name="id"),))
    items = TableDetail(name="order_items", schema_name="main", description="订单明细表", columns=(ColumnDetail(name="order_id"),))

    assert spoken("每天的订单数", (items, orders)).tables == ("main.orders",)
    assert spoken("每天的订单明细数", (orders, items)).tables == ("main.order_items",)
    assert "# Likely tables, the likeliest first:\n#   main.orders" in draft("每天的订单数", (items, orders))


def test_words_that_were_not_read_are_still_to_be_done() -> None:
    """With eleven such lines left, a specification could be taken."""
    done = "# TODO, not read: Test stations must not appear\ntarget: t\nsql: SELECT 1 AS a\n"

    assert faults(done) == [(1, "Not read: Test stations must not appear. See to it, and take the line away.")]
    read_spec(done.partition("\n")[2])


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
    assert [column["name"] for column in yaml.safe_load(text)["columns"]] == ["town", "on"]


@given(st.text(max_size=300), st.sampled_from([(), TABLES]))
def test_every_draft_is_yaml_and_has_something_to_do(requirement: str, tables: tuple[TableDetail, ...]) -> None:
    text = draft(requirement, tables)

    assert isinstance(yaml.safe_load(text), dict)
    assert faults(text)
