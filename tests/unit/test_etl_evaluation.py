"""The evaluation of `etl`: what becomes of a model's SQL, and what the catalogue of a case knows."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.pipelines.analysis import EtlTarget, TargetColumn
from contracts.pipelines.package import PackageState
from contracts.roles import RoleName
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.campaign import sample
from workers.errors import InvalidInput
from workers.kinds.etl.evaluation.by_model import play_by_model
from workers.kinds.etl.evaluation.cases import Case
from workers.kinds.etl.evaluation.catalogued import catalogued
from workers.kinds.etl.evaluation.drafts import Draft, play_draft
from workers.kinds.etl.evaluation.form import EtlEvaluation
from workers.kinds.etl.evaluation.made_up import read_made_up
from workers.kinds.etl.evaluation.playing import play
from workers.kinds.etl.evaluation.running import run_evaluation
from workers.llm.scripted import ScriptedChat

READ = {
    "roastery-01-en", "roastery-02-zh", "roastery-05-en", "roastery-06-zh", "roastery-09-en", "shop-01-en", "shop-02-zh", "shop-06-zh",
    "shop-09-en", "trade-01-en", "trade-05-en", "trade-09-en", "carshare-05-en", "school-01-zh", "school-03-zh", "school-11-en",
}  # fmt: skip
"""Of the half that was looked at, what is called done without a question."""
ANSWERED = {"carshare-01-en", "carshare-07-en", "school-05-zh"}
"""Of the same half, what is called done after one or two answers."""


class Quiet:
    """A bench without servers."""

    @contextmanager
    def progress(self, name: str, total: int) -> Generator[Callable[[int], None]]:
        """Say nothing."""
        yield lambda done: None


QUIET: Any = Quiet()


TABLES = (
    TableDetail(
        name="orders",
        columns=(
            ColumnDetail(name="order_id", type="INTEGER", nullable=False),
            ColumnDetail(name="region", type="VARCHAR", nullable=False),
        ),
        primary_key=("order_id",),
    ),
    *(
        TableDetail(
            name=name,
            columns=(
                ColumnDetail(name=f"{name[:-1]}_id", type="INTEGER", nullable=False),
                ColumnDetail(name="order_id", type="INTEGER", nullable=False),
                ColumnDetail(name="amount", type="DECIMAL(10,2)", nullable=False),
            ),
            primary_key=(f"{name[:-1]}_id",),
            foreign_keys=(ForeignKey(columns=("order_id",), table="orders", references=("order_id",)),),
        )
        for name in ("payments", "items")
    ),
)
TARGET = EtlTarget(table="paid", key=("region",), columns=(TargetColumn(name="region"), TargetColumn(name="amount")))
RIGHT = "SELECT o.region, SUM(p.amount) AS amount FROM orders o JOIN payments p ON p.order_id = o.order_id GROUP BY o.region"
WRONG = (
    "SELECT o.region, SUM(p.amount) AS amount FROM orders o JOIN payments p ON p.order_id = o.order_id "
    "JOIN items i ON i.order_id = o.order_id GROUP BY o.region"
)


@pytest.mark.parametrize(("sql", "is_right", "is_stopped"), [(RIGHT, True, False), (WRONG, False, True), ("SELECT FROM (", False, True)])
def test_a_models_sql_is_stopped_when_it_is_wrong_and_done_when_it_passes(sql: str, is_right: bool, is_stopped: bool) -> None:
    """Who wrote it does not matter; what is stopped is never done."""
    tables = TABLES if "items" in sql else TABLES[:2]  # a design names the tables that its query is to read
    case = Case("own-en", "en", "Build paid: amount of payments per region.", tables, (), Path("none"), "paid")

    assert play_draft(Draft(case, sql, is_right, TARGET)) == (is_stopped, PackageState.DRAFT if is_stopped else PackageState.DONE)


def test_the_catalogue_of_a_case_knows_what_an_import_would() -> None:
    """Types, rows, nulls, and the values of columns with few; a table that is not there stays as it is."""
    setup = ("CREATE TABLE orders AS SELECT i AS order_id, ['north', 'south', NULL][1 + i % 3] AS region FROM range(60) t(i)",)
    bare = TABLES[0].model_copy(update={"columns": tuple(ColumnDetail(name=column.name) for column in TABLES[0].columns)})

    orders, payments = catalogued((bare, TABLES[1]), setup)

    region = orders.columns[1]
    assert (orders.rows, orders.columns[0].type, orders.columns[0].values) == (60, "BIGINT", ())
    assert (region.type, region.values, region.nulls) == ("VARCHAR", ("north", "south"), 20)
    assert payments == TABLES[1]


def test_no_requirement_that_comes_with_bullpen_is_done_and_wrong(tmp_path: Path) -> None:
    """Wrong and shipped is 0. Those that were read when the set was measured are still read."""
    cases = read_made_up(tmp_path)
    played = {case.id: play(case) for case in [*sample(cases, every=5), *(case for case in cases if case.id == "shop-05-en")]}

    assert len(cases) == 190
    assert len([case for case in cases if case.id.startswith("shop-0") and case.is_aside]) == 4
    assert [name for name, result in played.items() if result.status == "done" and not result.is_right] == []
    assert {name for name, result in played.items() if result.status == "done" and not result.answers} >= READ & played.keys()
    assert {name for name, result in played.items() if result.status == "done" and result.answers} >= ANSWERED & played.keys()
    assert played["shop-05-en"].status == "open", "payments of orders that failed: the payments or the orders"


def test_without_a_folder_only_our_own_requirements_are_played(tmp_path: Path) -> None:
    report = run_evaluation(QUIET, EtlEvaluation(only="shop-01"))

    assert [case.id for case in report.cases] == ["shop-01-en"]
    assert (report.figures["wrong_and_shipped_made_up"], report.figures["requirements_made_up_aside"]) == (0, 0)
    with pytest.raises(InvalidInput, match="holds no etl/cases"):
        run_evaluation(QUIET, EtlEvaluation(data=tmp_path))


ANALYSIS: Any = {
    "steps": [{"name": "Add up the payments of a region", "tables": ["orders", "payments"]}], "table": "paid",
    "columns": [{"name": "region"}, {"name": "amount"}], "key": ["region"], "confidence": 0.9,
}  # fmt: skip
ROWS = (
    "CREATE TABLE orders (order_id INTEGER, region VARCHAR)",
    "INSERT INTO orders VALUES (1, 'north'), (2, 'south')",
    "CREATE TABLE payments (payment_id INTEGER, order_id INTEGER, amount DECIMAL(10,2))",
    "INSERT INTO payments VALUES (1, 1, 10), (2, 2, 5)",
    "CREATE TABLE items (item_id INTEGER, order_id INTEGER, amount DECIMAL(10,2))",
    "INSERT INTO items VALUES (1, 1, 1), (2, 1, 1), (3, 2, 1)",
)


@pytest.mark.parametrize(
    ("sql", "status", "is_right"),
    [(RIGHT, "done", True), (WRONG, "caught", False), ("SELECT o.region, o.mood AS amount FROM orders o", "refused", False)],
)
def test_what_a_model_reads_is_checked(sql: str, status: str, is_right: bool) -> None:
    """With a model the same checks hold: wrong and shipped is 0."""
    case = Case(
        "x",
        "en",
        "How much was paid where?",
        TABLES,
        ROWS,
        "SELECT region, sum(amount) FROM orders JOIN payments USING (order_id) GROUP BY 1",
        "",
    )

    def chat(role: RoleName) -> ScriptedChat:
        tables = ["orders", "payments", *(["items"] if "items" in sql else [])]
        analysis = ANALYSIS | {"steps": [{"name": "Add up the payments of a region", "tables": tables}]}
        written = analysis if role is RoleName.ANALYST else {"sql": sql}
        return ScriptedChat(by=lambda _: json.dumps(written))

    result = play_by_model(case, chat)

    assert (result.status, result.is_right) == (status, is_right), result.reason
