"""Requirements read as typed steps: each form, what it needs, and what is left open."""

# ruff: noqa: E501 requirements as users write them

from collections.abc import Sequence
from datetime import UTC, datetime

import duckdb
import pytest

from contracts.pipelines.analysis import AggregateWork, DedupWork, HistoryWork
from contracts.sql_review import WriteMode
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.requirements import RequirementReading, described_keys, open_envelope, read_requirement
from workers.engines.requirements.upstream import layer_of, rank_upstream
from workers.engines.steps import Relations, statements_of

NOW = datetime(2026, 11, 22, tzinfo=UTC)


def table(name: str, columns: str, key: str = "", refers: Sequence[tuple[str, str, str]] = (), description: str = "") -> TableDetail:
    """`columns`: `name type, name type`."""
    details = tuple(ColumnDetail(name=part.split()[0], type=part.split()[1]) for part in columns.split(", "))
    keys = tuple(ForeignKey(columns=(column,), table=other, references=(to,)) for column, other, to in refers)
    return TableDetail(name=name, columns=details, primary_key=(key,) if key else (), foreign_keys=keys, description=description)


GUESTS = table("guests", "guest_id INTEGER, name VARCHAR, country VARCHAR", "guest_id")
STAYS = table(
    "stays", "stay_id INTEGER, guest_id INTEGER, arrived DATE, state VARCHAR", "stay_id", [("guest_id", "guests", "guest_id")]
)  # fmt: skip
NIGHTS = table("nights", "night_id INTEGER, stay_id INTEGER, rooms INTEGER, rate DECIMAL", "night_id", [("stay_id", "stays", "stay_id")])
HOTEL = (GUESTS, STAYS, NIGHTS)
LOG = table("guest_log", "arrival INTEGER, op VARCHAR, guest_id INTEGER, mail VARCHAR, changed TIMESTAMP", description="change log")
TODAY = table("guest_today", "day DATE, guest_id INTEGER, city VARCHAR, tier VARCHAR", description="full list of a day")

ROWS = (
    "CREATE TABLE guests AS SELECT * FROM (VALUES (1, 'Ann', 'no'), (2, 'Bo', 'se'), (3, 'Cy', 'no')) t(guest_id, name, country)",
    "CREATE TABLE stays AS SELECT * FROM (VALUES (10, 1, DATE '2026-01-01', 'paid'), (11, 1, DATE '2026-02-01', 'open'), "
    "(12, 2, DATE '2026-03-01', 'paid')) t(stay_id, guest_id, arrived, state)",
    "CREATE TABLE nights AS SELECT * FROM (VALUES (100, 10, 1, 50.0), (101, 10, 2, 40.0), (102, 12, 1, 70.0)) t(night_id, stay_id, rooms, rate)",
)


def read(text: str, tables: Sequence[TableDetail] = HOTEL) -> RequirementReading:
    return read_requirement(text, tables, (), NOW)


def run(reading: RequirementReading, tables: Sequence[TableDetail] = HOTEL, setup: Sequence[str] = ROWS) -> list[tuple[object, ...]]:
    """The target's rows after the statements ran."""
    assert reading.target is not None
    with duckdb.connect(":memory:") as connection:
        for statement in setup:
            connection.execute(statement)
        statements, _ = statements_of(Relations(reading.steps, tables, "duckdb"), reading.steps[-1], reading.target, "duckdb")
        for statement in statements:
            connection.execute(statement)
        return sorted(connection.table(reading.target.table).fetchall(), key=str)


FACTS = {
    "en": "Build guest_facts, one row for each guest: guest_id; stays (number of stays); paid (number of stays with state = 'paid'); "
    "value (sum of rooms * rate of nights, 0 if none); last_arrival (latest arrived). Runs daily at 4.",
    "zh": "建立 guest_facts，每个guests一行：guest_id；stays（stays 的数量）；paid（state = 'paid' 的 stays 数量）；"
    "value（rooms * rate 之和，没有则为 0）；last_arrival（最晚 arrived）。",
}


@pytest.mark.parametrize("language", FACTS)
def test_measures_of_several_tables_are_counted_before_they_are_joined(language: str) -> None:
    """Fan-out cannot happen: a guest with two stays and two nights in the first of them has 2 stays and 130 of value."""
    reading = read(FACTS[language])

    assert reading.target is not None
    assert reading.target.key == ("guest_id",)
    assert reading.target.keeps_all == "guests"
    assert sum(isinstance(step.work, AggregateWork) for step in reading.steps) == 2
    assert [row[:4] for row in run(reading)] == [(1, 2, 1, 130), (2, 1, 1, 70), (3, 0, 0, 0)]


@pytest.mark.parametrize(
    "text",
    [
        "Build guest_facts, one row for each guest: guest_id; joy (how happy they are).",
        "Build guest_facts, one row for each guest: guest_id; stays (number of stays). Leave out the noisy guests.",
        "Build guest_facts, one row for each hotel: stays (number of stays).",
        "Build guest_facts, one row for each guest: guest_id; stays (number of stays with mood = 'good').",
        "建立 guest_facts，每个guests一行：guest_id；快乐指数（他们有多快乐）。",
    ],
)
def test_a_requirement_with_a_word_that_has_no_place_is_not_read(text: str) -> None:
    reading = read(text)

    assert reading.target is None
    assert reading.unread


def test_the_last_state_of_a_change_log_leaves_deleted_things_out() -> None:
    text = (
        "guest_log is a change log (op I, U or D). Build guest_now: guest_id, mail and changed of the last state of each guest that is not "
        "deleted. The last state is the one with the latest changed; among equal times the highest arrival."
    )
    setup = (
        "CREATE TABLE guest_log AS SELECT * FROM (VALUES (1, 'I', 7, 'a', TIMESTAMP '2026-01-01'), (2, 'U', 7, 'b', TIMESTAMP '2026-01-01'), "
        "(3, 'I', 8, 'c', TIMESTAMP '2026-01-02'), (4, 'D', 8, NULL, TIMESTAMP '2026-01-03')) t(arrival, op, guest_id, mail, changed)",
    )
    reading = read(text, [LOG])

    assert any(isinstance(step.work, DedupWork) for step in reading.steps)
    assert [row[:2] for row in run(reading, [LOG], setup)] == [(7, "b")]


HISTORY = {
    "en": "Every day guest_today is replaced by the full list of that day. Keep guest_history (guest_id, city, tier, since, until, is_open): a "
    "change of city or tier, also to or from null, closes the current row (until = day, is_open = false) and opens a new one (since = day, "
    "until = 9999-12-31, is_open = true). Guests that are missing in the list are closed the same way.",
    "zh": "guest_today 每天被替换成当天的全量名单。维护 guest_history（guest_id, city, tier, since, until, is_open）：city 或 tier 变化时，当前行关闭"
    "（until = day，is_open = false）并新开一行（since = day，until = 9999-12-31，is_open = true）。名单里没有的客人同样关闭。",
}


@pytest.mark.parametrize("language", HISTORY)
def test_a_history_has_its_key_and_what_it_tracks(language: str) -> None:
    reading = read(HISTORY[language], [TODAY])

    assert reading.target is not None
    assert reading.target.mode is WriteMode.UPSERT
    assert reading.target.key == ("guest_id", "since")
    work = reading.steps[-1].work
    assert isinstance(work, HistoryWork)
    assert (work.key, work.tracked, work.closes_missing) == (("guest_id",), ("city", "tier"), True)
    rows = run(
        reading, [TODAY], ["CREATE TABLE guest_today AS SELECT DATE '2026-01-01' AS day, 1 AS guest_id, 'Oslo' AS city, NULL AS tier"]
    )
    assert len(rows) == 1


def test_a_history_whose_brackets_disagree_is_not_read() -> None:
    assert read(HISTORY["en"].replace("(until = day,", "(until = since,"), [TODAY]).target is None


@pytest.mark.parametrize(
    ("text", "name", "mode", "partition", "schedule"),
    [
        ("Build a table sales_by_day: sales per day. Runs every day at 6:30 pm.", "sales_by_day", None, (), "30 18 * * *"),
        (
            "Create mart.sales_by_day: sales per day, partitioned by day. Overwritten every run.",
            "mart.sales_by_day",
            "overwrite",
            ("day",),
            None,
        ),
        ("建立 sales_by_day：每天的销售额。按 day 分区，每天凌晨2点运行。", "sales_by_day", None, ("day",), "0 2 * * *"),
        ("# Need\n\n- We need a table sales_by_day with sales per day\n- append", "", "append", (), None),
    ],
)
def test_the_frame_is_separated_from_the_content(
    text: str, name: str, mode: str | None, partition: tuple[str, ...], schedule: str | None
) -> None:
    found = open_envelope(text)

    assert (found.table, found.mode, found.partition_by, found.schedule) == (name, mode, partition, schedule) or name == ""
    assert "partition" not in found.content
    assert "分区" not in found.content


def test_keys_that_only_comments_name_are_taken_but_not_of_logs() -> None:
    nation = TableDetail(name="nation", columns=(ColumnDetail(name="id", description="key of the nation"),))
    port = TableDetail(name="port", columns=(ColumnDetail(name="nation", description="where it is, nation.id"),))
    log = TableDetail(name="port_log", description="log of ports", columns=(ColumnDetail(name="port", description="key"),))

    found = {item.name: item for item in described_keys([nation, port, log])}

    assert found["nation"].primary_key == ("id",)
    assert found["port"].foreign_keys == (ForeignKey(columns=("nation",), table="nation", references=("id",)),)
    assert found["port_log"].primary_key == ()


def test_upstream_tables_come_from_the_layer_below() -> None:
    tables = [
        TableDetail(name=name, columns=()) for name in ("stg_hotel__guest", "stg_hotel__stay", "hotel__guest_report", "int_hotel__prices")
    ]

    ranked = [item.name for item, _ in rank_upstream("int_hotel__guest_stays", "Table of guests and their stays.", (), tables)]

    assert set(ranked[:2]) == {"stg_hotel__guest", "stg_hotel__stay"}
    assert [layer_of(name) for name in ("raw_x", "stg_x", "int_x", "x")] == [1, 2, 3, 4]


@pytest.mark.parametrize("dialect", ["duckdb", "postgres", "spark", "hive", "trino", "mysql"])
def test_steps_are_printed_in_every_dialect(dialect: str) -> None:
    reading = read(FACTS["en"])
    assert reading.target is not None

    statements, temporary = statements_of(Relations(reading.steps, HOTEL, dialect), reading.steps[-1], reading.target, dialect)

    assert len(statements) == 2
    assert statements[0].startswith("DROP TABLE IF EXISTS")
    assert not temporary


def test_an_update_by_key_leaves_other_rows_and_changes_nothing_twice() -> None:
    reading = read(FACTS["en"])
    assert reading.target is not None
    target = reading.target.model_copy(update={"mode": WriteMode.UPSERT})
    statements, temporary = statements_of(Relations(reading.steps, HOTEL, "duckdb"), reading.steps[-1], target, "duckdb")

    with duckdb.connect(":memory:") as connection:
        for statement in (*ROWS, *statements):
            connection.execute(statement)
        connection.execute("INSERT INTO guest_facts VALUES (99, 0, 0, 0, NULL)")
        once = connection.execute("SELECT * FROM guest_facts ORDER BY ALL").fetchall()
        for statement in statements:
            connection.execute(statement)
        twice = connection.execute("SELECT * FROM guest_facts ORDER BY ALL").fetchall()
        left = {row[0] for row in connection.execute("SHOW TABLES").fetchall()}

    assert once == twice
    assert 99 in {row[0] for row in twice}
    assert not set(temporary) & left


@pytest.mark.parametrize(
    "text", ["", " ", "建", "Build", "Build x_y: " + "(" * 400, "'; DROP TABLE guests; --", "Build a_b, one row for each guest: a (1/0 of)"]
)
def test_odd_texts_are_left_open(text: str) -> None:
    assert read(text).target is None


def test_a_comment_that_names_a_column_which_is_no_key_is_no_reference() -> None:
    """Products have no order item, although a comment says where the price that was paid is."""
    paid = ColumnDetail(name="price", type="DECIMAL", description="Price today; what was paid is order_items.unit_price")
    products = TableDetail(name="products", primary_key=("product_id",), columns=(ColumnDetail(name="product_id", type="INTEGER"), paid))
    sku = ColumnDetail(name="sku", type="INTEGER", description="products.product_id")
    items = TableDetail(name="order_items", columns=(ColumnDetail(name="unit_price", type="DECIMAL"), sku))

    found = {table.name: table.foreign_keys for table in described_keys([products, items])}

    assert found["products"] == ()
    assert [(key.columns, key.table) for key in found["order_items"]] == [(("sku",), "products")]
