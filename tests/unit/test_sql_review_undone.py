"""A LEFT JOIN that a WHERE undoes is one finding, however many conditions do it."""

from contracts.sql_review import Defect
from contracts.tables import ColumnDetail, TableDetail
from tests.support.said import said
from workers.engines.sql.review.reviewing import review

CUSTOMERS = TableDetail(name="customers", columns=(ColumnDetail(name="customer_id", type="INTEGER"),), primary_key=("customer_id",))
ORDERS = TableDetail(
    name="orders", primary_key=("order_id",),
    columns=(
        ColumnDetail(name="order_id", type="INTEGER"), ColumnDetail(name="customer_id", type="INTEGER"),
        ColumnDetail(name="status", type="VARCHAR"), ColumnDetail(name="ordered_at", type="DATE"),
    ),
)  # fmt: skip


def test_several_conditions_on_the_right_side_are_one_finding() -> None:
    """Each condition was a warning of its own, of the same fault."""
    sql = (
        "SELECT c.customer_id, COUNT(o.order_id) AS n FROM customers c LEFT JOIN orders o ON o.customer_id = c.customer_id "
        "WHERE o.status = 'completed' AND o.ordered_at >= '2024-01-01' AND o.ordered_at < '2025-01-01' GROUP BY c.customer_id"
    )

    findings = [
        finding for finding in review(sql, (CUSTOMERS, ORDERS), "duckdb", None).findings if finding.defect is Defect.OUTER_JOIN_UNDONE
    ]

    (finding,) = findings
    assert "o.status = 'completed' AND o.ordered_at >= '2024-01-01' AND o.ordered_at < '2025-01-01'" in said(finding.summary)
