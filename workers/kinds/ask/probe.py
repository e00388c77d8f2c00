"""How `bullpen eval model` measures a model at the tasks of `ask`: one small prompt of each sort, on a table of five rows."""

from collections.abc import Sequence
from typing import Any

from contracts.ask.answers import DocumentAnswer, FixAnswer, LogAnswer, SqlAnswer, SupervisorAnswer, WordsAnswer
from contracts.ask.tools import Tool
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.logql.checker import check_logql
from workers.engines.sql.sandbox import RunFailed, open_sandbox
from workers.engines.sql.schema_text import overview_line, table_text
from workers.engines.sql.traps import traps_of
from workers.engines.stray_figures import stray_figures
from workers.kinds.ask.rules.by_model import FORBIDDEN, MEANINGS
from workers.kinds.ask.work.supervising import meanings_of
from workers.llm.probe import ProbeCase
from workers.llm.probe_tools import no_tools
from workers.llm.quotes import quoted

TODAY = "Now it is Thursday, 2026-03-05 14:30 (UTC, UTC+00:00). Weeks begin on Monday."
TABLE = TableDetail(
    name="orders",
    description="Orders, cancelled ones included",
    columns=(
        ColumnDetail(name="order_id", type="INTEGER", nullable=False),
        ColumnDetail(name="channel", type="VARCHAR", values=("shop", "web")),
        ColumnDetail(name="status", type="VARCHAR", values=("cancelled", "delivered", "open")),
        ColumnDetail(name="amount", type="DECIMAL(12,2)", description="In CHF"),
        ColumnDetail(name="ordered_on", type="DATE"),
    ),
    primary_key=("order_id",),
    rows=5,
)
_MADE = [
    ("CREATE TABLE orders (order_id INTEGER, channel VARCHAR, status VARCHAR, amount DECIMAL(12,2), ordered_on DATE)", ()),
    (
        "INSERT INTO orders VALUES (?, ?, ?, ?, ?)",
        (
            (1, "shop", "delivered", 10, "2026-02-01"),
            (2, "shop", "cancelled", 20, "2026-02-02"),
            (3, "web", "delivered", 30, "2026-02-03"),
            (4, "web", "delivered", 40, "2026-03-01"),
            (5, "web", "open", 50, "2026-03-02"),
        ),
    ),
]
TURNOVER = "Turnover of the delivered orders per channel, the highest first"


def rows_fault(sql: str, wanted: Sequence[tuple[Any, ...]], *, in_order: bool = False) -> str:
    """What is wrong with the result of a statement on the probe's rows; empty: nothing. Statements run in a locked process."""
    if not sql.strip():
        return "There is no statement."
    try:
        with open_sandbox() as sandbox:
            found = [tuple(map(_cell, row)) for row in sandbox.run(_MADE, sql.strip().rstrip(";")).rows]
    except RunFailed as error:
        return f"The statement does not run: {error}"
    right = [tuple(map(_cell, row)) for row in wanted]
    is_right = found == right if in_order else sorted(found, key=str) == sorted(right, key=str)
    return "" if is_right else f"The statement gives {found}, where {right} is right."


def _cell(value: object) -> object:
    return value if isinstance(value, str) else round(float(str(value)), 2)


def _supervised(answer: SupervisorAnswer) -> str:
    return "" if answer.final_intent is Tool.EXECUTE else f"The user wants figures; {answer.final_intent.value} gives none."


def _written(answer: SqlAnswer) -> str:
    return rows_fault(answer.sql, [("web", 70), ("shop", 10)], in_order=True)


def _fixed(answer: FixAnswer) -> str:
    return rows_fault(answer.sql, [("shop", 2), ("web", 3)])


def _searched(answer: LogAnswer) -> str:
    checked = check_logql(answer.logql)
    if checked.query is None or checked.problems:
        return f"{answer.logql!r} is not LogQL."
    return "" if "checkout" in answer.logql and "timeout" in answer.logql else f"{answer.logql!r} looks for something else."


PASSAGES = ("Returns\nA return is booked on the day it arrives.", "Refunds\nA refund is paid within 14 days.")


def _cited(answer: DocumentAnswer) -> str:
    is_right = any(sentence.passage == 1 and quoted(sentence.quote, PASSAGES[0]) for sentence in answer.sentences)
    return "" if is_right else "No sentence quotes the passage that answers the question."


FACTS = "channel, turnover\nweb, 70\nshop, 10"


def _worded(answer: WordsAnswer) -> str:
    text = " ".join(answer.sentences)
    if stray := stray_figures(text, [FACTS, TURNOVER, "2 rows"]):
        return f"The result does not have {', '.join(sorted(stray)[:3])}."
    return "" if "web" in text and "70" in text else "The answer does not name the highest channel with its turnover."


_DATA: dict[str, object] = {
    "dialect": "duckdb",
    "traps": traps_of("duckdb"),
    "tables": table_text(TABLE, "duckdb"),
    "today": TODAY,
    "session": "",
    "replies": "",
    "last": "",
    "problem": "",
}
_TIMEOUTS = "Timeouts of checkout in the last hour"

CASES = (
    ProbeCase(
        "classifier/supervise",
        SupervisorAnswer,
        {
            "tools": meanings_of(tuple(MEANINGS), may_ask=True),
            "may_ask": True,
            "never": FORBIDDEN,
            "sources": [("shop", "duckdb")],
            "tables": overview_line(TABLE),
            "message": TURNOVER,
            "today": TODAY,
            **dict.fromkeys(
                (
                    "definitions",
                    "documents",
                    "logs",
                    "background",
                    "session",
                    "conversation",
                    "likely",
                    "statement",
                    "error",
                    "replies",
                    "last",
                    "problem",
                ),
                "",
            ),
        },
        _supervised,
    ),
    ProbeCase(
        "developer/sql",
        SqlAnswer,
        {
            **_DATA,
            "words": TURNOVER,
            "question": TURNOVER,
            **dict.fromkeys(
                ("joins", "definitions", "examples", "passages", "rows", "background", "conversation", "likely", "remarks"), ""
            ),
        },
        _written,
        tools=no_tools,
    ),
    ProbeCase(
        "developer/fix_sql",
        FixAnswer,
        {
            **_DATA,
            "statement": "SELECT chanel, COUNT(*) AS orders FROM orders GROUP BY chanel",
            "error": 'Binder Error: Referenced column "chanel" not found in FROM clause',
            "review": "",
            "words": "fix this",
        },
        _fixed,
    ),
    ProbeCase(
        "developer/logql",
        LogAnswer,
        {
            "logs": ["gateway"],
            "labels": "app: checkout, search\nlevel: error, info",
            "fields": "",
            "today": TODAY,
            "session": "",
            "before": "",
            "words": _TIMEOUTS,
            "question": _TIMEOUTS,
            "replies": "",
            "last": "",
            "problem": "",
        },
        _searched,
    ),
    ProbeCase(
        "retriever/documents",
        DocumentAnswer,
        {
            "language": "English",
            "passages": PASSAGES,
            "today": TODAY,
            "session": "",
            "conversation": "",
            "question": "When is a return booked?",
        },
        _cited,
    ),
    ProbeCase(
        "analyst/result",
        WordsAnswer,
        {
            "language": "English",
            "row_count": 2,
            "is_cut": False,
            "rows": FACTS,
            "facts": "",
            "says": "",
            "assumed": "",
            "today": TODAY,
            "session": "",
            "question": TURNOVER,
        },
        _worded,
        also=("developer/explain_sql",),
    ),
)
