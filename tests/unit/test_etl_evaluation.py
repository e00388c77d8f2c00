"""The evaluation of `etl`: what becomes of a model's SQL, and what the catalogue of a case knows."""

import json
from collections.abc import Callable, Generator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from contracts.roles import RoleName
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.errors import InvalidInput
from workers.kinds.etl.evaluation.by_model import play_by_model
from workers.kinds.etl.evaluation.cases import Case, read_cases
from workers.kinds.etl.evaluation.catalogued import catalogued
from workers.kinds.etl.evaluation.form import EtlEvaluation
from workers.kinds.etl.evaluation.running import run_evaluation
from workers.llm.scripted import ScriptedChat


class Quiet:
    """A bench without servers."""

    @contextmanager
    def progress(self, name: str, total: int) -> Generator[Callable[[int], None]]:
        """Say nothing."""
        yield lambda done: None


QUIET: Any = Quiet()
CASES_OF_OURS = Path(__file__).parents[1] / "evals" / "requirements" / "cases"


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
RIGHT = "SELECT o.region, SUM(p.amount) AS amount FROM orders o JOIN payments p ON p.order_id = o.order_id GROUP BY o.region"
WRONG = (
    "SELECT o.region, SUM(p.amount) AS amount FROM orders o JOIN payments p ON p.order_id = o.order_id "
    "JOIN items i ON i.order_id = o.order_id GROUP BY o.region"
)


def test_the_catalogue_of_a_case_knows_what_an_import_would() -> None:
    """Types, rows, nulls, and the values of columns with few; a table that is not there stays as it is."""
    setup = ("CREATE TABLE orders AS SELECT i AS order_id, ['north', 'south', NULL][1 + i % 3] AS region FROM range(60) t(i)",)
    bare = TABLES[0].model_copy(update={"columns": tuple(ColumnDetail(name=column.name) for column in TABLES[0].columns)})

    orders, payments = catalogued((bare, TABLES[1]), setup)

    region = orders.columns[1]
    assert (orders.rows, orders.columns[0].type, orders.columns[0].values) == (60, "BIGINT", ())
    assert (region.type, region.values, region.nulls) == ("VARCHAR", ("north", "south"), 20)
    assert payments == TABLES[1]


SCHEMA = """
CREATE TABLE orders (order_id INTEGER PRIMARY KEY, region VARCHAR NOT NULL);
INSERT INTO orders VALUES (1, 'north'), (2, 'north'), (3, 'south');
"""
CASES = """
- {id: closed, says: "Build region_orders: number of orders per region", gold: "SELECT region, count(*) FROM orders GROUP BY 1"}
- {id: closed, lang: zh, says: "我们需要订单表", gold: SELECT 1}
- id: spec
  gold: SELECT region, count(*) FROM orders GROUP BY 1
  spec: |
    target: mart.region_orders
    grain: [region]
    sql: SELECT region, COUNT(*) AS orders FROM orders GROUP BY region
- id: wrong
  gold: SELECT region, count(*) + 1 FROM orders GROUP BY 1
  spec: |
    target: region_orders
    grain: [region]
    sql: SELECT region, COUNT(*) AS orders FROM orders GROUP BY region
- id: faulty
  gold: SELECT 1
  spec: |
    target: x
    sql: SELECT regoin FROM orders
"""


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "schema.sql").write_text(SCHEMA, "utf-8")
    (tmp_path / "requirements.yaml").write_text(CASES, "utf-8")
    return tmp_path


def test_closed_forms_and_specifications_are_played_and_their_rows_compared(folder: Path) -> None:
    """What is neither stays open without a model."""
    report = run_evaluation(QUIET, EtlEvaluation(cases=folder))

    assert {case.id: (case.status, case.is_right) for case in report.cases} == {
        "closed-en": ("done", True), "closed-zh": ("open", False), "spec-en": ("done", True), "wrong-en": ("done", False),
        "faulty-en": ("open", False),
    }  # fmt: skip
    assert (report.figures["called_done"], report.figures["right"], report.figures["wrong_and_shipped"]) == (3, 2, 1)
    assert "regoin" in report.cases[-1].reason


def test_some_of_the_cases_can_be_named_or_drawn(folder: Path) -> None:
    assert [case.id for case in run_evaluation(QUIET, EtlEvaluation(cases=folder, only="spec")).cases] == ["spec-en"]
    assert len(run_evaluation(QUIET, EtlEvaluation(cases=folder, sample=2)).cases) == 2


@pytest.mark.parametrize(
    ("content", "says"),
    [(None, "holds no requirements.yaml"), ("- {id: x, gold: SELECT 1}", "either `says` or `spec`"), ("a: [", "does not hold a list")],
)
def test_a_folder_without_cases_is_refused(tmp_path: Path, content: str | None, says: str) -> None:
    if content is not None:
        (tmp_path / "requirements.yaml").write_text(content, "utf-8")

    with pytest.raises(InvalidInput, match=says):
        run_evaluation(QUIET, EtlEvaluation(cases=tmp_path))


def test_the_requirements_that_come_with_the_project_can_be_read(tmp_path: Path) -> None:
    folders = sorted(path.parent for path in CASES_OF_OURS.glob("*/requirements.yaml"))

    found = [case for number, folder in enumerate(folders) for case in read_cases(folder, _made(tmp_path / str(number)))]

    assert len(found) == 190
    assert all(case.requirement and case.tables for case in found)


def _made(folder: Path) -> Path:
    folder.mkdir()
    return folder


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
    gold = "SELECT region, sum(amount) FROM orders JOIN payments USING (order_id) GROUP BY 1"
    case = Case("x", "en", "How much was paid where?", TABLES, ROWS, gold)

    def chat(role: RoleName) -> ScriptedChat:
        tables = ["orders", "payments", *(["items"] if "items" in sql else [])]
        analysis = ANALYSIS | {"steps": [{"name": "Add up the payments of a region", "tables": tables}]}
        written = analysis if role is RoleName.ANALYST else {"sql": sql}
        return ScriptedChat(by=lambda _: json.dumps(written))

    result = play_by_model(case, chat)

    assert (result.status, result.is_right) == (status, is_right), result.reason
