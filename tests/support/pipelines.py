"""A small shop, and a requirement on it, for tests of trials and packages."""

from collections.abc import Sequence

from contracts.pipelines.analysis import AnalysisResult, AnalysisStep, EtlTarget, TargetColumn
from contracts.pipelines.script import SqlScript
from contracts.pipelines.wishes import Component
from contracts.pipelines.workflow import Workflow, WorkflowJob, WorkflowStage
from contracts.sql_review import WriteMode
from contracts.statements import Sayable, Shown
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.catalogue import LOCALE
from workers.saying import Catalogues, text_of
from workers.saying.catalogues import FLEET_CATALOGUE

CUSTOMERS = TableDetail(
    name="customers",
    schema_name="shop",
    description="客户 / customers, one row a customer",
    columns=(
        ColumnDetail(name="customer_id", type="integer", nullable=False),
        ColumnDetail(name="name", type="varchar(40)", description="名称"),
        ColumnDetail(name="region", type="varchar", values=("north", "south", "东"), nullable=False),
    ),
    primary_key=("customer_id",),
    rows=2_000,
)
ORDERS = TableDetail(
    name="orders",
    schema_name="shop",
    description="orders",
    columns=(
        ColumnDetail(name="order_id", type="integer", nullable=False),
        ColumnDetail(name="customer_id", type="integer", nullable=False),
        ColumnDetail(name="status", type="varchar", values=("completed", "failed")),
        ColumnDetail(name="amount", type="decimal(10,2)", nullable=False, minimum="0", maximum="500"),
        ColumnDetail(name="ordered_at", type="timestamp", nullable=False),
        ColumnDetail(name="note", type="text"),
    ),
    primary_key=("order_id",),
    foreign_keys=(ForeignKey(columns=("customer_id",), table="shop.customers", references=("customer_id",)),),
    rows=10_000,
)
PAYMENTS = TableDetail(
    name="payments",
    schema_name="shop",
    columns=(
        ColumnDetail(name="order_id", type="integer"),
        ColumnDetail(name="paid", type="decimal(10,2)"),
    ),
    foreign_keys=(ForeignKey(columns=("order_id",), table="shop.orders", references=("order_id",)),),
)
TABLES = (CUSTOMERS, ORDERS, PAYMENTS)

TARGET = EtlTarget(
    table="mart.customer_revenue",
    columns=(
        TargetColumn(name="customer_id", type="integer", description="客户编号 / the customer", nullable=False),
        TargetColumn(name="region", type="varchar", nullable=False),
        TargetColumn(name="orders", type="bigint"),
        TargetColumn(name="revenue", type="decimal(12,2)", description="completed orders; 0 without any"),
    ),
    key=("customer_id",),
    keeps_all="shop.customers",
    description="Revenue a customer | 每个客户的收入",
)
REVENUE = """CREATE TABLE mart.customer_revenue AS
SELECT c.customer_id, c.region, COUNT(o.order_id) AS orders, COALESCE(SUM(o.amount), 0) AS revenue
FROM shop.customers c LEFT JOIN shop.orders o ON o.customer_id = c.customer_id AND o.status = 'completed'
GROUP BY c.customer_id, c.region"""
DROP = "DROP TABLE IF EXISTS mart.customer_revenue"

CATALOGUES = Catalogues(FLEET_CATALOGUE, LOCALE)


def english(shown: Shown) -> str:
    """A text as an English reader sees it."""
    return text_of(shown, "en", CATALOGUES)


def chinese(shown: Shown) -> str:
    """A text as a Chinese reader sees it."""
    return text_of(shown, "zh", CATALOGUES)


def analysis_of(
    target: EtlTarget = TARGET, *, reads: Sequence[str] = ("shop.customers", "shop.orders"), assumptions: Sequence[Sayable] = ()
) -> AnalysisResult:
    """The requirement, understood."""
    return AnalysisResult(
        source="shop",
        summary="Revenue of completed orders for every customer.",
        steps=(AnalysisStep(id="revenue", name="Sum the completed orders of each customer"),),
        target=target,
        tables=tuple(reads),
        assumptions=tuple(assumptions),
        confidence=0.9,
        requirement="Revenue of completed orders for every customer, 0 without any.\n每个客户一行。",
    )


def workflow_of(*scripts: SqlScript, dialect: str = "duckdb", depends: dict[str, tuple[str, ...]] | None = None) -> Workflow:
    """A job for each script, each in a layer of its own."""
    jobs = tuple(
        WorkflowJob(
            id=script.job,
            name=f"Load {script.target}",
            step_ids=("revenue",),
            depends=(depends or {}).get(script.job, ()),
            stages=(WorkflowStage(id="load", step_ids=("revenue",), inputs=script.reads, output=script.target),),
            component=Component.SPARK_SQL,
        )
        for script in scripts
    )
    return Workflow(name="customer_revenue", jobs=jobs, layers=tuple((job.id,) for job in jobs), dialect=dialect, schedule="0 3 * * *")


def script_of(
    *statements: str, job: str = "revenue", target: str = TARGET.table, dialect: str = "duckdb", temporary: tuple[str, ...] = ()
) -> SqlScript:
    """A script."""
    reads = tuple(table.full_name for table in TABLES if any(table.full_name in statement for statement in statements))
    return SqlScript(job=job, dialect=dialect, statements=statements, target=target, reads=reads, temporary=temporary)


UPSERT = TARGET.model_copy(update={"mode": WriteMode.UPSERT, "exists": True})
"""The same target, kept from run to run."""
KEPT = TableDetail(
    name="customer_revenue",
    schema_name="mart",
    columns=tuple(ColumnDetail(name=column.name, type=column.type, nullable=column.nullable) for column in TARGET.columns),
    primary_key=("customer_id",),
)
"""The target as the catalogue has it."""
