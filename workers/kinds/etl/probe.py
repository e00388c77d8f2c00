"""How `bullpen eval model` measures a model at the tasks of `etl`: the reading of a small requirement, and its query."""

from contracts.etl.answers import AnalysisAnswer, ScriptAnswer
from contracts.sql_review import WriteMode
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.sandbox import RunFailed, open_sandbox
from workers.engines.sql.schema_text import table_text
from workers.engines.sql.traps import traps_of
from workers.llm.probe import ProbeCase
from workers.llm.probe_tools import no_tools

REQUIREMENT = "Build channel_totals: for each channel the number of its orders and their total amount. All of it is made again every night."
TABLE = TableDetail(
    name="orders",
    description="Orders of all channels",
    columns=(
        ColumnDetail(name="order_id", type="INTEGER", nullable=False),
        ColumnDetail(name="channel", type="VARCHAR", nullable=False, values=("shop", "web")),
        ColumnDetail(name="amount", type="DECIMAL(12,2)", description="In CHF"),
    ),
    primary_key=("order_id",),
    rows=3,
)
_MADE = [
    ("CREATE TABLE orders (order_id INTEGER, channel VARCHAR, amount DECIMAL(12,2))", ()),
    ("INSERT INTO orders VALUES (?, ?, ?)", ((1, "shop", 10), (2, "web", 30), (3, "web", 40))),
]


def _analysed(answer: AnalysisAnswer) -> str:
    if answer.cannot:
        return f"It says that it cannot be done: {answer.cannot}"
    if answer.table.rpartition(".")[2].lower() != "channel_totals" or [column.lower() for column in answer.key] != ["channel"]:
        return f"The target is {answer.table} with the key {', '.join(answer.key)}."
    if answer.mode.strip().lower() != WriteMode.OVERWRITE:
        return f"The mode is {answer.mode}."
    is_read = any(table.rpartition(".")[2].lower() == TABLE.name for step in answer.steps for table in step.tables)
    return "" if is_read else "No step reads the orders."


def _queried(answer: ScriptAnswer) -> str:
    try:
        with open_sandbox() as sandbox:
            table = sandbox.run(_MADE, answer.sql.strip().rstrip(";") or "SELECT")
    except RunFailed as error:
        return f"The query does not run: {error}"
    found = sorted((str(row[0]), *(round(float(str(cell)), 2) for cell in row[1:])) for row in table.rows)
    if [name.lower() for name in table.columns] != ["channel", "orders", "amount"]:
        return f"The result has the columns {', '.join(table.columns)}."
    return "" if found == [("shop", 1, 10), ("web", 2, 70)] else f"The query gives {found}."


_DATA: dict[str, object] = {
    "dialect": "duckdb",
    "traps": traps_of("duckdb"),
    "tables": table_text(TABLE, "duckdb"),
    "today": "Now it is Thursday, 2026-03-05 14:30 (UTC, UTC+00:00).",
    "requirement": REQUIREMENT,
    **dict.fromkeys(("joins", "definitions", "queries", "memory", "remarks", "last", "problem"), ""),
}

CASES = (
    ProbeCase(
        "analyst/etl",
        AnalysisAnswer,
        {
            **_DATA,
            "likely": TABLE.full_name,
            "further": "",
            "language": "English",
            "heard": "",
            "earlier": "",
            "asks_below": 0.7,
            "most_questions": 3,
        },
        _analysed,
    ),
    ProbeCase(
        "developer/etl",
        ScriptAnswer,
        {
            **_DATA,
            "steps": "Count the orders of each channel and add their amounts up",
            "columns": "- channel VARCHAR\n- orders BIGINT: Number of orders\n- amount DECIMAL(18,2): Their total amount",
            "key": "channel",
            "valid_from": "",
            "closes_missing": False,
            "keeps_all": "",
            "demands": "",
            "settings": "",
            "part": "",
            "asks_below": 0.8,
        },
        _queried,
        also=("architect/etl", "reviewer/etl"),
        tools=no_tools,
    ),
)
