"""The grammar of questions, rule by rule, over the tables of a ferry line; and what is not read, with what the reader says about it."""

# ruff: noqa: S608 statements of the test

from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
import yaml

from contracts.questions import QuestionReading, Verdict
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from contracts.times import TimeSettings
from tests.support.said import said
from workers.engines import questions
from workers.engines.questions import Reader
from workers.engines.questions.asked import AGGREGATES, COMPARISONS, UNITS
from workers.engines.questions.grammar import SKIPPED, Chart, Node, rules
from workers.engines.questions.lexing import Lexer
from workers.engines.questions.names import Names, phrase_of
from workers.engines.questions.reader import MOST_CHARACTERS
from workers.engines.questions.units import units
from workers.engines.sql.build import build_sql

NOW = datetime(2026, 11, 21, 12)  # noqa: DTZ001 local time of the source
STATUS = "状态: delayed=晚点, cancelled=停航"
FERRIES = TableDetail(
    name="ferries", description="渡轮", rows=6, primary_key=("ferry_id",),
    columns=(
        ColumnDetail(name="ferry_id", type="integer", distinct=6),
        ColumnDetail(name="name", type="text", description="船名", distinct=6),
        ColumnDetail(name="kind", type="text", description="船型", values=("catamaran", "hydrofoil"), distinct=2),
        ColumnDetail(name="length_m", type="double", description="长度（米）"),
        ColumnDetail(name="is_electric", type="boolean", description="电动"),
    ),
)  # fmt: skip
CROSSINGS = TableDetail(
    name="crossings", description="航次", rows=900, primary_key=("crossing_id",),
    foreign_keys=(ForeignKey(columns=("ferry_id",), table="ferries", references=("ferry_id",)),),
    columns=(
        ColumnDetail(name="crossing_id", type="integer", distinct=900),
        ColumnDetail(name="ferry_id", type="integer", distinct=6),
        ColumnDetail(name="departed_at", type="timestamp", description="出发时间", nulls=0),
        ColumnDetail(name="harbour", type="text", description="码头", values=("North Quay", "Old Pier"), distinct=2),
        ColumnDetail(name="status", type="text", description=STATUS, values=("sailed", "delayed", "cancelled"), distinct=3),
        ColumnDetail(name="passengers", type="integer", description="乘客数"),
        ColumnDetail(name="fuel_kg", type="double", description="油耗（千克）"),
        ColumnDetail(name="remark", type="text", description="备注"),
    ),
)  # fmt: skip
TICKETS = TableDetail(
    name="tickets", description="船票", rows=9_000, primary_key=("ticket_id",),
    foreign_keys=(ForeignKey(columns=("crossing_id",), table="crossings", references=("crossing_id",)),),
    columns=(
        ColumnDetail(name="ticket_id", type="integer", distinct=9_000),
        ColumnDetail(name="crossing_id", type="integer", distinct=900),
        ColumnDetail(name="sold_on", type="date", description="售票日期", nulls=0),
        ColumnDetail(name="channel", type="text", description="渠道", values=("counter", "app", "agent"), distinct=3),
        ColumnDetail(name="fare_eur", type="double", description="票价"),
        ColumnDetail(name="bags", type="integer", description="行李件数"),
    ),
)  # fmt: skip
TABLES = (FERRIES, CROSSINGS, TICKETS)
DEFINITIONS = (
    "takings = total fare * bags",
    "load = total passengers / number of crossings",
    "late trips = number of delayed crossings",
    "late share = late trips / number of crossings",
    "mood = how cheerful the crew is",
)
READER = Reader(TABLES, NOW, definitions=DEFINITIONS)

TICKET_ROWS = "SELECT tickets.ticket_id, tickets.crossing_id, tickets.sold_on, tickets.channel, tickets.fare_eur, tickets.bags FROM tickets"
CROSSING_ROWS = (
    "SELECT crossings.crossing_id, crossings.ferry_id, crossings.departed_at, crossings.harbour, crossings.status, crossings.passengers, "
    "crossings.fuel_kg, crossings.remark FROM crossings"
)
OF_TICKETS = "SELECT COUNT(*) FROM tickets"
OF_CROSSINGS = "SELECT COUNT(*) FROM crossings"
BY_CHANNEL = "SELECT tickets.channel, COUNT(*) FROM tickets GROUP BY tickets.channel"
FARE_BY_CHANNEL = "SELECT tickets.channel, SUM(tickets.fare_eur) FROM tickets GROUP BY tickets.channel"
WITH_FERRIES = "FROM crossings INNER JOIN ferries ON crossings.ferry_id = ferries.ferry_id"
PER_FERRY = f"SELECT ferries.name, COUNT(*) {WITH_FERRIES} GROUP BY ferries.ferry_id, ferries.name"
BUSY = f"SELECT ferries.name {WITH_FERRIES} GROUP BY ferries.ferry_id, ferries.name HAVING COUNT(*)"
BY_LENGTH = "SELECT ferries.name, ferries.length_m FROM ferries ORDER BY ferries.length_m"
IN_2026 = "tickets.sold_on >= CAST('2026-01-01' AS DATE) AND tickets.sold_on < CAST('2027-01-01' AS DATE)"
IN_MARCH = (
    "crossings.departed_at >= CAST('2026-03-01 00:00:00' AS TIMESTAMP) AND crossings.departed_at < CAST('2026-04-01 00:00:00' AS TIMESTAMP)"
)


def part_of(condition: str, table: str) -> str:
    return f"CAST(COUNT(CASE WHEN {condition} THEN 1 END) AS DOUBLE) / NULLIF(COUNT(*), 0) FROM {table}"


def over_time(cut: str, table: str = "crossings") -> str:
    return f"SELECT {cut}, COUNT(*) FROM {table} GROUP BY {cut} ORDER BY {cut} ASC"


def month_of(column: str, unit: str = "MONTH") -> str:
    return f"CAST(DATE_TRUNC('{unit}', {column}) AS DATE)"


APPS = part_of("tickets.channel = 'app'", "tickets")
LATE = part_of("crossings.status = 'delayed'", "crossings")
READ: dict[str, dict[str, tuple[str, ...]]] = {
    "opening": {OF_TICKETS: ("then, tell me the number of tickets", "show me the number of tickets", "帮我查一下船票数量")},
    "ending": {OF_TICKETS: ("how many tickets, please", "number of tickets thanks", "有多少船票，谢谢")},
    "asked": {OF_TICKETS: ("how many tickets are there?", "请问有多少船票")},
    "figures": {OF_TICKETS: ("what is the number of tickets", "船票数量是多少")},
    "more_figure": {
        "SELECT tickets.channel, COUNT(*), SUM(tickets.fare_eur) FROM tickets GROUP BY tickets.channel": (
            "number of tickets and total fare per channel", "各渠道的船票数量和总票价",
        ),
    },
    "figure": {
        "SELECT tickets.channel, SUM((tickets.fare_eur * tickets.bags)) FROM tickets GROUP BY tickets.channel": (
            "what is the takings per channel", "total takings of each channel",
        ),
    },
    "counted": {
        OF_CROSSINGS: ("how many crossings are there", "number of crossings", "crossing count", "有多少航次", "有多少个航次", "航次数量"),
        "SELECT COUNT(DISTINCT crossings.harbour) FROM crossings": (
            "how many different harbours are there", "count of distinct harbours", "不同码头的数量", "有多少个不同码头",
        ),
    },
    "measured": {
        "SELECT SUM(tickets.fare_eur) FROM tickets": ("total fare", "total fare of tickets", "总票价", "船票的总票价", "票价总和"),
    },
    "aggregate": {
        "SELECT AVG(tickets.fare_eur) FROM tickets": ("average fare", "平均票价"),
        "SELECT MIN(tickets.fare_eur) FROM tickets": ("the lowest fare", "最低票价"),
        "SELECT MAX(tickets.fare_eur) FROM tickets": ("the highest fare", "最高票价"),
    },
    "aggregated": {
        "SELECT AVG(tickets.fare_eur) FROM tickets": ("票价平均值", "船票票价的平均值"),
        "SELECT MIN(tickets.fare_eur) FROM tickets": ("票价最小值",),
        "SELECT MAX(tickets.fare_eur) FROM tickets": ("票价最大值",),
    },
    "amount": {"SELECT SUM((tickets.fare_eur * tickets.bags)) FROM tickets": ("total fare times bags", "票价乘以行李件数的总和")},
    "implied": {
        "SELECT tickets.channel, SUM(tickets.bags) FROM tickets GROUP BY tickets.channel": ("bags per channel", "各渠道的行李件数"),
    },
    "share": {
        "SELECT tickets.channel, CAST(COUNT(*) AS DOUBLE) / NULLIF(SUM(COUNT(*)) OVER (), 0) FROM tickets GROUP BY tickets.channel": (
            "share of tickets per channel", "各渠道船票占比",
        ),
    },
    "part_word": {
        f"SELECT {APPS}": ("share of tickets from the app",),
        f"SELECT 100 * {LATE}": ("percentage of delayed crossings",),
    },
    "part_said": {
        f"SELECT {LATE}": ("delayed crossings share", "晚点航次的比例"),
        f"SELECT 100 * {LATE}": ("delayed crossings in percent", "晚点航次的百分比"),
    },
    "of_thing": {"SELECT AVG(ferries.length_m) FROM ferries": ("average length of ferries",)},
    "thing": {OF_TICKETS: ("how many rows of tickets", "number of ticket records", "有多少船票记录")},
    "adjective": {
        f"{OF_CROSSINGS} WHERE crossings.status = 'delayed'": ("how many delayed crossings", "晚点航次有多少"),
        "SELECT COUNT(*) FROM ferries WHERE ferries.is_electric = TRUE": ("how many electric ferries", "电动渡轮有多少"),
    },
    "column": {f"SELECT ferries.is_electric, COUNT(*) {WITH_FERRIES} GROUP BY ferries.is_electric": ("number of crossings by electric",)},
    "listing": {
        "SELECT ferries.name FROM ferries": (
            "list ferries", "which ferries are there", "the names of ferries", "列出渡轮", "有哪些渡轮", "渡轮的船名是什么",
        ),
        f"{TICKET_ROWS} WHERE tickets.channel = 'app'": ("list tickets in the app", "列出app的船票"),
    },
    "columns": {"SELECT ferries.name, ferries.kind FROM ferries": ("show the name and kind of ferries", "显示渡轮的船名、船型")},
    "more_column": {"SELECT ferries.kind, ferries.length_m FROM ferries": ("what are the kind and length of ferries",)},
    "ranking": {f"{PER_FERRY} ORDER BY COUNT(*) DESC LIMIT 1": ("which ferry has the most crossings", "航次最多的渡轮")},
    "top": {
        f"{PER_FERRY} ORDER BY COUNT(*) DESC LIMIT 3": (
            "top 3 ferries by number of crossings", "航次最多的3艘渡轮", "航次最多的前3艘渡轮", "按航次数量前3的渡轮",
        ),
        f"{FARE_BY_CHANNEL} ORDER BY SUM(tickets.fare_eur) DESC LIMIT 3": ("按总票价前3的渠道", "按总票价排序前3个渠道"),
        f"{FARE_BY_CHANNEL} ORDER BY SUM(tickets.fare_eur) DESC LIMIT 1": ("总票价最高的渠道是哪个",),
        "SELECT crossings.harbour, AVG(crossings.passengers) FROM crossings GROUP BY crossings.harbour "
        "ORDER BY AVG(crossings.passengers) DESC LIMIT 1": ("which harbour average passengers highest", "乘客数平均值最高的码头"),
    },
    "superlative": {
        f"{CROSSING_ROWS} ORDER BY crossings.passengers DESC LIMIT 1": (
            "list the crossing with the most passengers",
        ),
    },
    "having_most": {
        f"{BY_LENGTH} DESC LIMIT 3": ("show the 3 ferries with the highest length",),
        f"{FARE_BY_CHANNEL} ORDER BY SUM(tickets.fare_eur) DESC LIMIT 1": ("which channel has the highest total fare",),
        "SELECT crossings.harbour, AVG(crossings.fuel_kg) FROM crossings GROUP BY crossings.harbour ORDER BY AVG(crossings.fuel_kg) DESC "
        "LIMIT 2": ("which 2 harbours have the highest average fuel",),
    },
    "most": {
        f"{BY_LENGTH} DESC LIMIT 1": ("which ferry has the highest length", "长度最大的渡轮"),
        f"{BY_LENGTH} ASC LIMIT 1": ("长度最小的渡轮",),
    },
    "most_of": {f"{BY_CHANNEL} ORDER BY COUNT(*) ASC LIMIT 1": ("which channel has the fewest tickets",)},
    "subject": {f"{BY_CHANNEL} ORDER BY COUNT(*) DESC LIMIT 2": ("top 2 channels by number of tickets",)},
    "extreme": {
        f"{TICKET_ROWS} ORDER BY tickets.sold_on DESC LIMIT 5": (
            "the latest 5 tickets", "show 5 latest tickets", "最新的5条船票",
        ),
        "SELECT crossings.harbour, crossings.departed_at FROM crossings ORDER BY crossings.departed_at DESC LIMIT 3": (
            "latest 3 crossings harbour", "最新的3条航次的码头",
        ),
    },
    "late": {
        f"{CROSSING_ROWS} ORDER BY crossings.departed_at ASC LIMIT 1": (
            "the oldest crossing", "最早的航次",
        ),
    },
    "condition": {
        f"{OF_TICKETS} WHERE tickets.fare_eur > 20 AND tickets.channel = 'app'": (
            "how many tickets with fare over 20 and from the app",
        ),
    },
    "grouped": {
        BY_CHANNEL: (
            "how many tickets in each channel", "for each channel, how many tickets", "每个渠道的船票数量",
            "各渠道的船票数量", "按渠道统计船票数量",
        ),
        PER_FERRY: ("how many crossings per ferry", "每艘渡轮有多少航次"),
    },
    "more_dimension": {
        "SELECT crossings.harbour, crossings.status, COUNT(*) FROM crossings GROUP BY crossings.harbour, crossings.status": (
            "how many crossings by harbour and status", "各码头和各状态的航次数量",
        ),
    },
    "dimension": {
        f"SELECT ferries.kind, COUNT(*) {WITH_FERRIES} GROUP BY ferries.kind": ("how many crossings per ferry kind", "每种船型的航次数量"),
    },
    "unit": {
        over_time(month_of("crossings.departed_at")): ("how many crossings per month", "每月航次数量"),
        over_time(month_of("crossings.departed_at", "WEEK")): ("how many crossings per week", "每周航次数量"),
        over_time(month_of("tickets.sold_on", "QUARTER"), "tickets"): ("how many tickets per quarter", "各季度的船票数量"),
        over_time(month_of("crossings.departed_at", "YEAR")): ("number of crossings by year", "每年航次数量"),
        over_time("CAST(crossings.departed_at AS DATE)"): ("number of crossings for each day", "每天航次数量"),
        over_time("ISODOW(crossings.departed_at)"): ("how many crossings per weekday", "按星期几统计航次数量"),
        over_time("EXTRACT(HOUR FROM crossings.departed_at)"): ("how many crossings by hour of the day", "按小时统计航次数量"),
    },
    "restriction": {f"{OF_CROSSINGS} WHERE crossings.status = 'delayed'": ("how many crossings are delayed", "晚点的航次有多少")},
    "is_value": {
        f"{OF_TICKETS} WHERE tickets.channel = 'app'": ("how many tickets whose channel is app", "渠道是app的船票有多少"),
        f"{OF_TICKETS} WHERE tickets.channel <> 'app'": ("how many tickets excluding app", "渠道不是app的船票有多少", "非app的船票数量"),
    },
    "values": {
        f"{OF_CROSSINGS} WHERE crossings.harbour = 'Old Pier'": (
            "how many crossings from the Old Pier", 'how many crossings from "old pier"',
        ),
    },
    "more_value": {
        f"{OF_TICKETS} WHERE tickets.channel IN ('app', 'agent')": (
            "how many tickets from the app or the agent", "渠道是app或agent的船票数量",
        ),
        f"{OF_CROSSINGS} WHERE crossings.status IN ('delayed', 'cancelled')": ("how many crossings that are delayed and cancelled",),
    },
    "is_flag": {
        "SELECT COUNT(*) FROM ferries WHERE ferries.is_electric = FALSE": (
            "how many ferries that are not electric", "不是电动的渡轮有多少",
        ),
    },
    "compared": {
        f"{OF_TICKETS} WHERE tickets.bags = 2": ("how many tickets whose bags are 2", "行李件数为2的船票数量"),
        f"{OF_TICKETS} WHERE tickets.fare_eur > 1500": ("how many tickets with fare over 1.5k",),
        f"{OF_CROSSINGS} WHERE crossings.fuel_kg > 500": ("how many crossings with fuel over 500 kg", "油耗超过500千克的航次有多少"),
    },
    "comparison": {
        f"{OF_TICKETS} WHERE tickets.fare_eur > 20": ("how many tickets with fare over 20", "票价超过20的船票有多少"),
        f"{OF_TICKETS} WHERE tickets.fare_eur >= 20": ("how many tickets with fare at least 20", "票价不低于20的船票有多少"),
        f"{OF_TICKETS} WHERE tickets.fare_eur < 20": ("how many tickets with fare under 20", "票价低于20的船票有多少"),
        f"{OF_TICKETS} WHERE tickets.fare_eur <= 20": ("how many tickets with fare at most 20", "票价不超过20的船票有多少"),
    },
    "or_more": {
        f"{OF_TICKETS} WHERE tickets.fare_eur >= 20": ("how many tickets with fare 20 or more", "票价20以上的船票有多少"),
        f"{OF_TICKETS} WHERE tickets.fare_eur <= 20": ("how many tickets whose fare is 20 or less", "票价20以下的船票有多少"),
    },
    "between": {
        f"{OF_TICKETS} WHERE tickets.fare_eur >= 10 AND tickets.fare_eur <= 20": (
            "how many tickets with a fare between 10 and 20", "票价在10到20之间的船票有多少",
        ),
    },
    "in_time": {
        f"{OF_TICKETS} WHERE {IN_2026}": ("how many tickets in 2026", "2026年有多少船票", "how many tickets sold on in 2026"),
        f"{OF_CROSSINGS} WHERE {IN_MARCH}": ("how many crossings departed in march 2026", "出发时间在2026年3月的航次数量"),
    },
    "without": {
        "SELECT ferries.name FROM ferries WHERE NOT EXISTS("
        "SELECT 1 FROM crossings AS crossings WHERE crossings.ferry_id = ferries.ferry_id)": (
            "list ferries without crossings", "没有航次的渡轮有哪些",
        ),
    },
    "with_number": {
        f"{BUSY} > 10": ("ferries with more than 10 crossings", "哪些渡轮有超过10个航次", "航次超过10的渡轮"),
        f"{BUSY} >= 10": ("which ferries have 10 or more crossings", "航次10个以上的渡轮"),
    },
    "emptiness": {
        f"{OF_CROSSINGS} WHERE crossings.remark IS NULL": ("how many crossings whose remark is empty", "备注为空的航次有多少"),
        f"{OF_CROSSINGS} WHERE NOT crossings.remark IS NULL": ("how many crossings whose remark is not empty", "备注不为空的航次有多少"),
    },
    "sorted": {
        f"{BY_CHANNEL} ORDER BY tickets.channel ASC": ("number of tickets per channel sorted by channel",),
        "SELECT tickets.channel, COUNT(*), SUM(tickets.fare_eur) FROM tickets GROUP BY tickets.channel "
        "ORDER BY SUM(tickets.fare_eur) DESC": (
            "各渠道船票数量按总票价降序",
        ),
    },
    "ranked": {f"{BY_LENGTH} DESC": ("list ferries sorted by length descending", "列出渡轮按长度降序")},
    "direction": {
        f"{BY_CHANNEL} ORDER BY COUNT(*) DESC": ("number of tickets per channel, highest first", "各渠道的船票数量从高到低排序"),
        f"{BY_CHANNEL} ORDER BY COUNT(*) ASC": ("number of tickets per channel, lowest first", "各渠道的船票数量升序"),
    },
    "number": {
        f"{BY_LENGTH} DESC LIMIT 5": ("top five ferries by length", "长度最大的五艘渡轮"),
        f"{BY_LENGTH} DESC LIMIT 20": ("top twenty ferries by length", "前20艘渡轮按长度"),
    },
}  # fmt: skip
"""Rule → statement → the questions that are read as it, and that need the rule."""

CHANGED: dict[str, dict[str, tuple[str, ...]]] = {
    "edit": {BY_CHANNEL.replace(" GROUP", " WHERE tickets.channel = 'app' GROUP"): ("only app", "only from the app please", "只看app")},
    "edit_word": {
        BY_CHANNEL.replace("channel", "bags"): ("break it down by bags", "now by bags instead", "按行李件数拆开看"),
        over_time(month_of("tickets.sold_on"), "tickets"): ("group it by month",),
        f"SELECT {month_of('tickets.sold_on')}, tickets.channel, COUNT(*) FROM tickets GROUP BY tickets.channel, "
        f"{month_of('tickets.sold_on')} ORDER BY {month_of('tickets.sold_on')} ASC": ("also by month", "再按月"),
    },
    "change": {
        over_time(month_of("tickets.sold_on"), "tickets"): ("by month", "per month, please", "按月"),
        FARE_BY_CHANNEL: ("now total fare", "改成总票价"),
        "SELECT tickets.channel, COUNT(*), SUM(tickets.fare_eur) FROM tickets GROUP BY tickets.channel": ("also total fare", "还有总票价"),
        BY_CHANNEL.replace(" GROUP", f" WHERE {IN_2026} GROUP"): ("in 2026", "what about 2026", "那2026年呢", "in 2025\nin 2026"),
        BY_CHANNEL.replace(" GROUP", " WHERE tickets.fare_eur > 30 GROUP"): ("fare over 30", "fare over 20\nfare over 30"),
        f"{BY_CHANNEL} ORDER BY COUNT(*) DESC": ("highest first", "从高到低", "lowest first\nhighest first"),
    },
    "more_change": {
        BY_CHANNEL.replace(" GROUP", f" WHERE tickets.channel = 'app' AND {IN_2026} GROUP"): ("only app and in 2026",),
    },
    "best": {f"{BY_CHANNEL} ORDER BY COUNT(*) DESC LIMIT 2": ("top 2", "前2")},
}  # fmt: skip
"""Rule → statement → what is said below "how many tickets per channel", line by line."""
BEFORE = "how many tickets per channel"

DEFINED: dict[str, dict[str, tuple[str, ...]]] = {
    "formula": {"SELECT SUM((tickets.fare_eur * tickets.bags)) FROM tickets": ("takings",)},
    "over_part": {"SELECT CAST(SUM(crossings.passengers) AS DOUBLE) / NULLIF(COUNT(*), 0) FROM crossings": ("load",)},
    "part": {
        f"{OF_CROSSINGS} WHERE crossings.status = 'delayed'": ("late trips",),
        f"SELECT {LATE}": ("late share",),
    },
}
"""Rule → statement → the term whose definition needs the rule."""

NOT_SURE = {
    "how many tickets whose harbour is app": "the column does not have the value",
    "list ferries without crossings in 2026": "the time may be of the rows that are not there",
    "how many crossings without delayed tickets": "the condition may be of the rows that are not there",
    "how many ferries with no tickets": "no key leads from one to the other",
    "how many delayed crossings are cancelled": "no row has two values in a column",
    "how many tickets in 2025 and 2026": "one figure, or two",
    "how many tickets sold on in 2025 and in 2026": "one figure, or two, also where the column is named",
    "ferries with at most 3 crossings": "those without any would be missing",
    "which ferry has the fewest crossings": "one without any would be missing",
    "how many ferries per month": "no column says when",
    "how many crossings whose remark in 2026": "the column is no time",
    "top 5 tickets by channel": "a text has no greatest",
    "top 0 channels by takings": "no number of rows",
    "top 2.5 channels by takings": "no number of rows",
    "船票最多的渠道": "the number of tickets, or what is added up of them",
    "total fare and number of crossings": "figures of two tables",
    "fare per channel": "a price is not added up",
    "tickets": "the rows, or their number",
    "how many ferries with more than 10 crossings": "a figure of groups",
    "the name of ferries per kind": "a list has no groups",
    "list ferries sorted by number of crossings": "a list is not ordered by a figure",
    "list ferries, highest first": "nothing says by what",
    "number of tickets per channel, sorted by channel, highest first": "two orders",
    "list the kind of ferries that are catamaran": "it would answer with the words of the question",
    "share of crossings": "no part",
    "average kind": "a text has no average",
    "how many crossings with remark over 5": "a text is not compared with a number",
    "how many ferries with crossings and tickets over 5": "nothing has that number",
}
"""Questions whose words are all known, and why they are not answered."""

SAID = {
    "how many tickets recently": "“recently” does not say which time is meant.",
    "how many crossings with fuel over 2 tonnes": "crossings.fuel_kg is in another unit, and nothing is converted.",
    "how many tickets with fare over 20 usd": "tickets.fare_eur is in another unit, and nothing is converted.",
    'how many tickets whose channel is "kiosk"': "The data have no value “kiosk”.",
    "how cheerful is the crew": "Nothing in the catalogue accounts for these words: how cheerful, crew.",
    "what is the mood": "mood is defined as",
    "how many tickets for my report": "Nothing in the catalogue accounts for these words: my report.",
    "how many passengers": "It is not clear how these words belong to the question: passengers.",
    "share of crossings": "The words are known, but they do not make a query that is sure to be right.",
}
"""What the reader says about a question that it does not read."""


def statement_of(text: str, reader: Reader = READER) -> str:
    reading = reader.read(text)
    assert reading.verdict is Verdict.ANSWERED, (reading.verdict, reading.unplaced, remarks(reading))
    return plain(reading)[0]


def plain(reading: QuestionReading, tables: tuple[TableDetail, ...] = TABLES) -> list[str]:
    return [build_sql(found.plan, tables, "duckdb", pretty=False).replace('"', "") for found in reading.readings]


def remarks(reading: QuestionReading) -> list[str]:
    return [said(remark, "en") for remark in reading.remarks]


def without_brackets(statement: str) -> str:
    """Conditions that must all hold are the same however they are bracketed."""
    return statement.replace("(", "").replace(")", "")


def rules_of(text: str, start: str) -> Iterator[set[str]]:
    """The rules of each way to read a text."""
    terms = {phrase_of(term.partition("=")[0]): None for term in DEFINITIONS if "mood" not in term}
    lexed = Lexer(Names(TABLES), NOW, TimeSettings(), None).lex(text, terms)
    for node in Chart(len(text), lexed.edges, lexed.blanks).parse(start):
        yield set(rules_below(node))


def rules_below(node: Node) -> Iterator[str]:
    yield node.rule
    for part in node.parts:
        if isinstance(part, Node):
            yield from rules_below(part)


def rows(table: dict[str, dict[str, tuple[str, ...]]]) -> list[tuple[str, str, str]]:
    return [(rule, text, statement) for rule, read in table.items() for statement, texts in read.items() for text in texts]


@pytest.mark.parametrize(("rule", "question", "statement"), rows(READ))
def test_a_question_of_each_rule_is_read(rule: str, question: str, statement: str) -> None:
    assert without_brackets(statement_of(question)) == without_brackets(statement)
    assert any(rule in ways for ways in rules_of(question, "question"))


@pytest.mark.parametrize(("rule", "lines", "statement"), rows(CHANGED))
def test_a_line_below_changes_the_question(rule: str, lines: str, statement: str) -> None:
    assert without_brackets(statement_of(f"{BEFORE}\n{lines}")) == without_brackets(statement)
    assert all(READER.is_change(line) for line in lines.splitlines())
    assert any(rule in ways for line in lines.splitlines() for ways in rules_of(line, "edit"))


@pytest.mark.parametrize(("rule", "term", "statement"), rows(DEFINED))
def test_a_term_means_what_its_formula_says(rule: str, term: str, statement: str) -> None:
    formula = next(text.partition("=")[2] for text in DEFINITIONS if text.startswith(term)).strip()

    assert statement_of(f"what is the {term}") == statement
    assert any(rule in ways for ways in rules_of(formula, "formula"))


def test_each_rule_has_its_row() -> None:
    start = {"question"}  # all rows need it

    assert {*READ, *CHANGED, *DEFINED} | start == set(rules())


def test_another_question_below_takes_the_place_of_the_one_above() -> None:
    assert statement_of(f"{BEFORE}\nlist ferries") == "SELECT ferries.name FROM ferries"
    assert not READER.is_change("list ferries")
    for question in ("total fare", "total fare of tickets", "总票价"):  # a figure alone is a question, and keeps nothing of the one before
        assert statement_of(f"{BEFORE} in 2026\n{question}") == "SELECT SUM(tickets.fare_eur) FROM tickets"
    assert statement_of("latest ticket\nlatest 5").endswith("ORDER BY tickets.sold_on DESC LIMIT 5")


@pytest.mark.parametrize("question", NOT_SURE)
def test_a_question_that_may_mean_something_else_is_not_answered(question: str) -> None:
    reading = READER.read(question)

    assert reading.verdict is Verdict.UNPLACED, plain(reading)
    assert len(reading.remarks) == 1


@pytest.mark.parametrize("question", SAID)
def test_what_is_not_read_is_asked_about(question: str) -> None:
    reading = READER.read(question)

    assert reading.verdict is Verdict.UNPLACED
    (remark,) = remarks(reading)
    assert remark.startswith(SAID[question])


DISPATCHES = TableDetail(
    name="dispatches", description="出库单", rows=900, primary_key=("dispatch_id",),
    columns=(
        ColumnDetail(name="dispatch_id", type="integer", distinct=900),
        ColumnDetail(name="sent_on", type="date", description="出库日期", nulls=0),
        ColumnDetail(name="weight_kg", type="double", description="重量（千克）"),
        ColumnDetail(name="amt_chf", type="double", description="Amount in CHF"),
        ColumnDetail(name="defects", type="integer", description="Defects"),
        ColumnDetail(name="depot", type="text", values=("Bern", "Basel"), distinct=2),
    ),
)  # fmt: skip


@pytest.mark.parametrize(
    ("question", "named"),
    [
        ("monthly revenue", "revenue"),
        ("total amount in EUR per month", "EUR"),
        ("how many km per depot", "km"),
        ("最近7天出库了多少吨", "吨"),
        ("2026年的出库单占全部的比例", "占"),
        ("which depot has the most defects, worst first", "worst"),
        ("depots with more than 100 sales", "sales"),
    ],
)
def test_a_unit_a_share_or_an_order_that_nothing_accounts_for_is_asked_about(question: str, named: str) -> None:
    reading = Reader((DISPATCHES,), NOW).read(question)

    assert reading.verdict is Verdict.UNPLACED
    assert named in remarks(reading)[0]


def test_a_ratio_of_two_tables_is_no_figure() -> None:
    reader = Reader(TABLES, NOW, definitions=["crowd = total passengers / number of ferries"])

    assert reader.read("what is the crowd").verdict is Verdict.UNPLACED


def test_two_tables_of_one_name_are_not_joined() -> None:
    old = FERRIES.model_copy(update={"schema_name": "old", "foreign_keys": ()})
    other = CROSSINGS.model_copy(update={"schema_name": "old", "name": "ferries", "description": "", "primary_key": ("crossing_id",)})
    reader = Reader((old, other), NOW)

    for question in ("how many ferries per harbour", "total passengers per kind"):
        assert all(len(found.plan.sources) == 1 for found in reader.read(question).readings)


def test_rows_that_a_join_repeats_are_counted_by_their_key() -> None:
    counted = statement_of("number of crossings per channel")

    assert "COUNT(DISTINCT crossings.crossing_id)" in counted
    of_two = Reader((FERRIES, CROSSINGS.model_copy(update={"primary_key": ("crossing_id", "departed_at")}), TICKETS), NOW)
    assert of_two.read("number of crossings per channel").verdict is Verdict.UNPLACED


def test_a_question_with_several_readings_shows_them() -> None:
    reading = READER.read("which harbour has the most passengers")

    assert reading.verdict is Verdict.AMBIGUOUS
    assert [statement.split(" FROM ")[0] for statement in plain(reading)] == [
        "SELECT crossings.harbour, MAX(crossings.passengers)", "SELECT crossings.harbour, AVG(crossings.passengers)",
    ]  # fmt: skip
    assert remarks(reading) == ["The question has several readings. Which is meant?"]


def test_a_whole_name_comes_before_a_part_of_another() -> None:
    """`ferry_id` is known as ferry too; a question about ferries has one reading all the same."""
    for question in ("list ferries", "show the name of ferries", "top 3 ferries by number of crossings"):
        assert READER.read(question).verdict is Verdict.ANSWERED


def test_a_question_is_read_up_to_600_characters() -> None:
    question = "how many tickets are there"

    assert READER.read(question + " " * (MOST_CHARACTERS - len(question))).verdict is Verdict.ANSWERED
    assert READER.read(question + " " * (MOST_CHARACTERS - len(question) + 1)).verdict is Verdict.UNPLACED
    assert not READER.is_change("by month" + " " * MOST_CHARACTERS)


def test_a_value_is_looked_for_in_the_data_where_the_catalogue_does_not_have_it() -> None:
    asked: list[str] = []

    def look_up(text: str) -> list[tuple[str, str, str]]:
        asked.append(text)
        return [("ferries", "name", "Sea Swallow")] if text.lower() == "sea swallow" else []

    reader = Reader(TABLES, NOW, look_up=look_up)

    assert statement_of("how many crossings of Sea Swallow", reader).endswith("WHERE ferries.name = 'Sea Swallow'")
    assert statement_of("how many crossings of “sea swallow”", reader).endswith("WHERE ferries.name = 'Sea Swallow'")
    assert reader.read("how many crossings of Sea Gull").unplaced == ("Sea Gull",)
    assert asked


def test_a_synonym_is_a_name() -> None:
    reader = Reader(TABLES, NOW, synonyms={"crossings": ["sailings"], "tickets.fare_eur": ["ticket price"]})

    assert statement_of("how many sailings", reader) == OF_CROSSINGS
    assert statement_of("average ticket price", reader) == "SELECT AVG(tickets.fare_eur) FROM tickets"


def test_the_tables_that_a_text_names_are_known() -> None:
    assert READER.named_tables("the fares that catamarans take") == ("tickets", "ferries")
    assert READER.named_tables("nothing of it") == ()


def test_grammar_and_lexicon_have_the_same_words() -> None:
    """No list that no rule reads, no word of a rule that nothing makes."""
    folder = Path(questions.__file__).parent
    lists = yaml.load((folder / "lexicon.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    symbols = {symbol.rstrip("?*") for ways in rules().values() for way in ways for symbol in way}
    terminals = {symbol for symbol in symbols if symbol.isupper()}
    made = {"TABLE", "COLUMN", "VALUE", "FLAG", "METRIC", "FIGURE", "TIME"}
    text = "electric ferries kind catamaran takings 5 in 2026"
    lexed = Lexer(Names(TABLES), NOW, TimeSettings(), None).lex(text, {("taking",): None})

    assert terminals == set(lists) - {SKIPPED} | made
    assert made <= {edge.kind for edge in lexed.edges}
    assert symbols - terminals <= set(rules())
    assert set(rules()) - symbols == {"question", "edit", "formula"}
    assert set(AGGREGATES) | set(COMPARISONS) | set(UNITS) <= terminals
    assert all(words for kinds in lists.values() for words in kinds.values())


def test_no_list_has_a_word_twice() -> None:
    lists = yaml.load((Path(questions.__file__).parent / "lexicon.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506

    for kinds in lists.values():
        for words in kinds.values():
            assert len(set(words)) == len(words), words


def test_a_unit_has_one_meaning() -> None:
    known = yaml.load((Path(questions.__file__).parent / "units.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506

    assert len(units()) == sum(len(words) for some in known.values() for words in some.values())
