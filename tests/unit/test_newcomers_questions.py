"""Parcel lockers, as a newcomer asked about them: a word of two kinds, a part of what a code means, and amounts in two currencies."""

from datetime import UTC, datetime

import pytest

from contracts.ask.request import Strategy
from contracts.ask.results import Reading, ReadingStatus, TablesFound
from contracts.ask.steps import ReadingChoice, Understanding
from contracts.ask.tools import Tool
from contracts.questions import Verdict
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.said import said
from workers.engines.offered_questions import formula_offered, offered
from workers.engines.questions import Reader
from workers.engines.results.findings import findings_of
from workers.engines.results.mixed_units import mixed_units
from workers.kinds.ask.roles.conversation import in_whole
from workers.kinds.ask.rules.planning import Ask, next_move
from workers.kinds.ask.work.near_values import values_near
from workers.saying import text_of

STATES = "C collected, R returned to merchant, W waiting, L lost"
PARCELS = TableDetail(
    name="parcels", rows=5_000, primary_key=("parcel_id",),
    columns=(
        ColumnDetail(name="parcel_id", type="integer", distinct=5_000),
        ColumnDetail(name="size", type="varchar", values=("S", "M", "L"), distinct=3),
        ColumnDetail(name="state", type="varchar", description=STATES, values=("C", "L", "R", "W"), distinct=4),
        ColumnDetail(name="deposited_at", type="timestamp", nulls=0),
        ColumnDetail(name="collected_at", type="timestamp", nulls=400, description="When it was taken out, by whomever"),
    ),
)  # fmt: skip
INVOICES = TableDetail(
    name="invoices", rows=900, primary_key=("invoice_id",),
    columns=(
        ColumnDetail(name="invoice_id", type="integer", distinct=900),
        ColumnDetail(name="currency", type="varchar", values=("EUR", "CHF"), distinct=2),
        ColumnDetail(name="issued_on", type="date", nulls=0),
    ),
)  # fmt: skip
LINES = TableDetail(
    name="invoice_lines", rows=2_700, primary_key=("line_id",),
    foreign_keys=(ForeignKey(columns=("invoice_id",), table="invoices", references=("invoice_id",)),),
    columns=(
        ColumnDetail(name="line_id", type="integer", distinct=2_700),
        ColumnDetail(name="invoice_id", type="integer", distinct=900),
        ColumnDetail(name="quantity", type="integer"),
        ColumnDetail(name="net_cents", type="integer", description="Net amount in cents of the invoice currency"),
        ColumnDetail(name="net_eur", type="double"),
    ),
)  # fmt: skip
SHIPMENTS = TableDetail(
    name="shipments", rows=100, primary_key=("id",),
    columns=(
        ColumnDetail(name="id", type="integer", distinct=100),
        ColumnDetail(name="status", type="varchar", values=("delivered", "open"), distinct=2),
        ColumnDetail(name="delivered_at", type="timestamp", nulls=10),
    ),
)  # fmt: skip
SALES = TableDetail(
    name="sales", rows=100, primary_key=("id",), description="订单表",
    columns=(
        ColumnDetail(name="id", type="integer", distinct=100),
        ColumnDetail(name="city", type="varchar", description="城市", values=("北京", "上海"), distinct=2),
        ColumnDetail(name="state", type="varchar", description="状态", values=("已签收", "运输中"), distinct=2),
        ColumnDetail(name="placed", type="timestamp", description="下单时间（北京时间）", nulls=0),
        ColumnDetail(name="signed", type="timestamp", description="签收时间（北京时间）", nulls=20),
    ),
)  # fmt: skip
READER = Reader((PARCELS, INVOICES, LINES), datetime(2026, 12, 1))  # noqa: DTZ001 local time of the source
IN_EURO = "SELECT invoice_id FROM invoices WHERE currency = 'EUR'"
JOINED = "FROM invoice_lines AS l JOIN invoices AS i ON l.invoice_id = i.invoice_id"


@pytest.mark.parametrize(
    "question",
    ["how many parcels were collected in July 2026", "how many collected parcels in July 2026"],
)
def test_a_state_that_may_say_when_as_well_is_a_choice(question: str) -> None:
    """23 of 231 parcels that were collected in July had been returned: the comment of the time says so, and no word of the answer did."""
    reading = READER.read(question)

    assert reading.verdict is Verdict.AMBIGUOUS
    found = [" ".join(map(said, each.understood)) for each in reading.readings]
    assert [("“C”" in text, "parcels.collected_at" in text) for text in found] == [(True, True), (False, True), (True, False)]


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("how many parcels with collected_at in July 2026", "parcels.collected_at"),
        ("number of collected parcels per month", "parcels.deposited_at"),
        ("number of delivered shipments per month", "shipments.delivered_at"),
        ("每月北京的订单数量", "sales.placed"),
        ("2026年7月北京的订单数量", "sales.placed"),
    ],
)
def test_a_column_of_a_time_alone_is_no_choice(question: str, says: str) -> None:
    reading = Reader((PARCELS, SHIPMENTS, SALES), datetime(2026, 12, 1)).read(question)  # noqa: DTZ001 local time of the source

    assert reading.verdict is Verdict.ANSWERED
    assert says in " ".join(map(said, reading.readings[0].understood))


def test_a_chinese_question_that_names_no_figure_is_told_how_to_name_one() -> None:
    reader = Reader((SALES,), datetime(2026, 12, 1))  # noqa: DTZ001 local time of the source

    assert [text_of(remark, "zh") for remark in reader.read("2026年7月上海的订单？").remarks] == [
        "请说明要的是数量还是各行。请在整个问题后加上“的数量”或“有哪些”：“2026年7月上海的订单的数量”，“2026年7月上海的订单有哪些”。"
    ]
    assert reader.read("2026年7月上海的订单的数量").verdict is reader.read("2026年7月上海的订单有哪些").verdict is Verdict.ANSWERED


def test_a_state_before_the_word_for_time_may_say_when() -> None:
    reading = Reader((SALES,), datetime(2026, 12, 1)).read("2026年7月已签收的订单数量")  # noqa: DTZ001 local time of the source

    assert reading.verdict is Verdict.AMBIGUOUS


@pytest.mark.parametrize(
    ("words", "near"),
    [
        (("returned",), ["parcels.state “R” (“returned to merchant”)"]),
        (("returning", "lose"), ["parcels.state “R” (“returned to merchant”)"]),
        (("chf",), ["invoices.currency “CHF”"]),
        (("merchant returned", "turn", ""), []),
    ],
)
def test_values_of_which_a_word_is_a_part_are_near(words: tuple[str, ...], near: list[str]) -> None:
    """`R returned to merchant`, and nothing was found for returned."""
    assert [said(each.says) for each in values_near(words, (PARCELS, INVOICES))] == near


BARE = "Say whether their number or the rows are wanted. Put `number of` or `list` before the whole question: "


@pytest.mark.parametrize(
    ("question", "said_of_it", "beginnings"),
    [
        (
            "parcels per state in July 2026?",
            "Say what is wanted of them. For their number, put `number of` before the whole question: "
            "`number of parcels per state in July 2026`.",
            ["number of"],
        ),
        (
            "lost parcels in July 2026",
            f"{BARE}`number of lost parcels in July 2026`, `list lost parcels in July 2026`.",
            ["number of", "list"],
        ),
    ],
)
def test_a_question_that_names_no_figure_is_told_how_to_name_one(question: str, said_of_it: str, beginnings: list[str]) -> None:
    assert [said(remark) for remark in READER.read(question).remarks] == [said_of_it]
    assert {READER.read(f"{beginning} {question}").verdict for beginning in beginnings} == {Verdict.ANSWERED}


@pytest.mark.parametrize(
    ("sql", "places"),
    [
        (f"SELECT date_trunc('month', i.issued_on) AS m, SUM(l.net_cents) {JOINED} GROUP BY 1", [None]),
        (f"SELECT i.currency, AVG(l.net_cents / 100.0) {JOINED} GROUP BY i.currency", [0]),
        (f"SELECT SUM(l.net_cents) {JOINED} WHERE i.currency = 'EUR'", []),
        (f"SELECT i.invoice_id, SUM(l.net_cents) {JOINED} GROUP BY i.invoice_id", []),
        ("SELECT invoice_id, SUM(net_cents) FROM invoice_lines GROUP BY invoice_id", []),
        ("SELECT SUM(net_cents) FROM invoice_lines WHERE invoice_id IN (IN_EURO)", []),
        ("SELECT SUM(net_cents) FROM invoice_lines WHERE invoice_id NOT IN (IN_EURO)", [None]),
        ("SELECT SUM(net_cents) FROM invoice_lines WHERE line_id IN (IN_EURO)", [None]),
        ("SELECT SUM(net_cents) FROM invoice_lines WHERE invoice_id IN (IN_EURO OR invoice_id > 3)", [None]),
        (
            "SELECT SUM(l.net_cents) FROM invoice_lines l WHERE EXISTS (SELECT 1 FROM invoices i WHERE i.invoice_id = l.invoice_id"
            " AND i.currency = 'EUR')",
            [],
        ),
        ("SELECT SUM(l.net_cents) JOINED WHERE i.currency = (SELECT MIN(currency) FROM invoices)", []),
        (
            "SELECT SUM(l.net_cents) JOINED WHERE i.currency = (SELECT currency FROM invoices j WHERE j.invoice_id = l.line_id)",
            [None],
        ),
        ("SELECT SUM(l.net_cents) JOINED WHERE i.currency IN (SELECT currency FROM invoices WHERE currency = 'EUR')", []),
        ("SELECT SUM(l.net_cents) JOINED WHERE i.currency IN (SELECT currency FROM invoices)", [None]),
        ("SELECT SUM(net_eur), SUM(quantity), COUNT(*) FROM invoice_lines", []),
        ("SELECT SUM(", []),
    ],
)
def test_a_figure_over_amounts_in_several_currencies_is_seen(sql: str, places: list[int | None]) -> None:
    found = mixed_units(sql.replace("IN_EURO", IN_EURO).replace("JOINED", JOINED), "duckdb", (PARCELS, INVOICES, LINES))

    assert [each.place for each in found] == places
    assert {(each.amount, each.unit, each.values) for each in found} <= {("invoice_lines.net_cents", "invoices.currency", ("EUR", "CHF"))}


ORDERS = TableDetail(
    name="orders", rows=900, primary_key=("order_id",),
    columns=(
        ColumnDetail(name="order_id", type="integer", distinct=900),
        ColumnDetail(name="region", type="varchar", values=("N", "S")),
        ColumnDetail(name="currency", type="varchar", values=("EUR", "CHF"), distinct=2),
        ColumnDetail(name="total_amount", type="double"),
        ColumnDetail(name="amount_int", type="integer"),
        ColumnDetail(name="rating", type="double"),
        ColumnDetail(name="discount", type="double"),
        ColumnDetail(name="tax_rate", type="double"),
    ),
)  # fmt: skip
TOTALS = "SELECT region, currency, SUM(total_amount) AS t FROM orders GROUP BY 1, 2"


@pytest.mark.parametrize(
    ("sql", "places"),
    [
        ("SELECT MAX(t) AS m FROM (TOTALS) AS x", [None]),
        ("WITH x AS (TOTALS) SELECT region, MAX(t) AS m FROM x GROUP BY region", [None]),
        ("WITH x AS (TOTALS) SELECT MAX(t) AS m FROM x WHERE currency = 'EUR'", []),
        ("SELECT x.t, x.currency FROM (TOTALS) AS x", [1]),
        ("SELECT * FROM (TOTALS) AS x", [1]),
        ("SELECT x.region, x.t FROM (TOTALS) AS x", []),
        ("TOTALS UNION ALL TOTALS", [1]),
        ("SELECT currency, SUM(total_amount) FROM orders GROUP BY ALL", [0]),
        ("SELECT SUM(o.new_col) AS s FROM orders o", []),
        ("SELECT SUM(amount_int) FROM orders", [None]),
        ("SELECT AVG(rating), AVG(discount), AVG(tax_rate) FROM orders", []),
        ("SELECT SUM(total_amount) FROM orders WHERE currency IN ('EUR')", []),
        ("SELECT SUM(total_amount) FROM orders WHERE currency IN ('EUR', 'CHF')", [None]),
        ("SELECT SUM(total_amount) FROM orders WHERE region = 'N' AND ('EUR' = currency)", []),
        ("SELECT SUM(total_amount) FROM orders WHERE lower(currency) = 'eur'", []),
        ("SELECT SUM(total_amount) FROM orders WHERE currency = 'EUR' OR region = 'N'", [None]),
        ("SELECT SUM(total_amount) FROM orders WHERE NOT currency = 'EUR'", [None]),
        ("SELECT SUM(o.total_amount) FROM orders o JOIN orders p ON o.order_id = p.order_id AND o.currency = 'EUR'", []),
        ("SELECT SUM(o.total_amount) FROM orders o LEFT JOIN orders p ON o.order_id = p.order_id AND o.currency = 'EUR'", [None]),
        ("SELECT SUM(o.total_amount) FROM orders o JOIN orders p ON o.currency = p.currency", [None]),
        ("WITH e AS (SELECT * FROM orders WHERE currency = 'EUR') SELECT SUM(total_amount) FROM e", []),
        ("WITH e AS (SELECT * FROM orders WHERE region = 'N') SELECT SUM(total_amount) FROM e", [None]),
        ("SELECT SUM(CASE WHEN currency = 'EUR' THEN total_amount END) FROM orders", []),
        ("SELECT SUM(total_amount) FILTER (WHERE currency = 'EUR') FROM orders", []),
        ("SELECT SUM(total_amount) OVER (PARTITION BY currency) FROM orders", []),
        ("SELECT SUM(total_amount) OVER (PARTITION BY region) FROM orders", [None]),
        (
            "WITH RECURSIVE r AS (SELECT total_amount FROM orders UNION ALL SELECT total_amount FROM r) SELECT SUM(total_amount) FROM r",
            [None],
        ),
    ],
)
def test_a_figure_is_of_several_currencies_where_nothing_holds_them_apart(sql: str, places: list[int | None]) -> None:
    assert [each.place for each in mixed_units(sql.replace("TOTALS", TOTALS), "duckdb", (ORDERS,))] == places


def test_amounts_of_different_currencies_are_not_compared() -> None:
    """“2026-07-01 EUR has the highest total: 9.5 times as much as 2026-06-01 CHF.”"""
    rows = [("EUR", 950.0), ("CHF", 100.0)]

    assert findings_of(["currency", "total"], rows)
    assert findings_of(["currency", "total"], rows, apart=frozenset({"currency"})) == ()


RIDES = TableDetail(
    name="rides", schema_name="main", rows=9_000, primary_key=("ride_id",),
    foreign_keys=(ForeignKey(columns=("bike_id",), table="main.bikes", references=("bike_id",)),),
    columns=(
        ColumnDetail(name="ride_id", type="integer", distinct=9_000),
        ColumnDetail(name="bike_id", type="integer", distinct=180),
        ColumnDetail(name="status", type="varchar", values=("aborted", "completed", "disputed"), distinct=3),
        ColumnDetail(name="fare_eur", type="real", distinct=3_000),
    ),
)  # fmt: skip
BIKES = TableDetail(
    name="bikes", schema_name="main", rows=180, primary_key=("bike_id",),
    columns=(
        ColumnDetail(name="bike_id", type="integer", distinct=180),
        ColumnDetail(name="model", type="varchar", values=("Cargo", "City"), distinct=2),
    ),
)  # fmt: skip


@pytest.fixture(scope="module")
def bikes_reader() -> Reader:
    return Reader((BIKES, RIDES), datetime(2026, 5, 1, tzinfo=UTC))


def test_what_is_offered_is_about_the_own_tables_and_is_read(bikes_reader: Reader):
    assert list(offered(bikes_reader, "en"))[:2] == ["How many rides are there per status?", "How many bikes are there per model?"]
    assert next(offered(bikes_reader, "zh")) == "每个状态有多少骑行？"
    assert formula_offered(bikes_reader) == "sum of fare_eur of rides"  # no key, and no `amount of orders`, which this source does not have


def test_the_tables_that_the_words_name_are_offered_first(bikes_reader: Reader):
    named = bikes_reader.named_tables("Which bikes break down the most?")

    assert next(offered(bikes_reader, "en", named)) == "How many bikes are there per model?"


def test_a_question_that_was_not_read_comes_with_others_to_choose():
    offers = ("How many rides are there per status?", "How many bikes are there per model?")
    reading = Reading(status=ReadingStatus.UNPLACED, unplaced=("doing",), offers=offers, formula="sum of fare_eur of rides")
    understanding = Understanding(
        question="How are we doing?", words="How are we doing?", intent=Tool.DATA_DISCOVERY, final_intent=Tool.EXECUTE
    )

    move = next_move(understanding, Strategy.DIRECT, [TablesFound(reading=reading)])

    assert isinstance(move, Ask)
    assert move.choices == move.offers == offers
    assert "takings = sum of fare_eur of rides" in said(move.guidance)


@pytest.mark.parametrize(
    ("reply", "meant"),
    [
        ("2", "How many bikes are there per model?"),
        ("2. “How many bikes are there per model?”", "How many bikes are there per model?"),
        ("2. How many bikes are there per model?", "How many bikes are there per model?"),
        ("how many bikes are there per model", "how many bikes are there per model"),
        ("How many riders are there?", "How many riders are there?"),
    ],
)
def test_the_number_of_an_offered_question_stands_for_the_question(reply: str, meant: str):
    offers = ("How many rides are there per status?", "How many bikes are there per model?")
    payload = {"kind": "ask_reading", "detail": ReadingChoice(offers=offers).to_json()}

    assert in_whole(payload, reply) == meant
    assert in_whole({"kind": "ask_definition", "detail": {}}, reply) == reply
