"""Several scripts are tried as one for what the target says of the sources' rows."""

import pytest

from contracts.pipelines.analysis import AnalysisResult, EtlTarget, TargetColumn
from contracts.pipelines.review import Verdict
from contracts.sql_review import Defect
from contracts.statements import Statement
from tests.support.pipelines import TABLES, analysis_of, script_of, workflow_of
from workers.kinds.etl.work.trying import review_scripts
from workers.saying import text_of

TARGET = EtlTarget(
    table="mart.regions",
    columns=(TargetColumn(name="region"), TargetColumn(name="paid")),
    key=("region",),
    totals=(("paid", "SELECT SUM(amount) FROM shop.orders WHERE status = 'paid'"),),
)
PER_CUSTOMER = "CREATE TABLE mart.done AS SELECT customer_id, SUM(amount) AS paid FROM shop.orders{} GROUP BY customer_id"
PER_REGION = """CREATE TABLE mart.regions AS SELECT c.region, SUM(d.paid) AS paid FROM mart.done d
LEFT JOIN shop.customers c ON c.customer_id = d.customer_id GROUP BY c.region"""


def reviewed(analysis: AnalysisResult, where: str) -> Verdict:
    first = script_of("DROP TABLE IF EXISTS mart.done", PER_CUSTOMER.format(where), job="first", target="mart.done")
    second = script_of("DROP TABLE IF EXISTS mart.regions", PER_REGION, job="second", target="mart.regions")
    workflow = workflow_of(first, second, depends={"second": ("first",)})
    columns = (TargetColumn(name="customer_id", type="INTEGER"), TargetColumn(name="paid", type="DECIMAL(12,2)"))
    stage = workflow.jobs[0].stages[0].model_copy(update={"columns": columns, "key": ("customer_id",)})
    workflow = workflow.model_copy(update={"jobs": (workflow.jobs[0].model_copy(update={"stages": (stage,)}), *workflow.jobs[1:])})
    return review_scripts(analysis, workflow, [second, first], TABLES)


@pytest.mark.parametrize(("where", "defects"), [("", [Defect.TOTAL_DIFFERS]), (" WHERE status = 'paid'", [])])
def test_a_total_is_tried_from_the_sources_to_the_target(where: str, defects: list[Defect]) -> None:
    found = reviewed(analysis_of(TARGET), where)

    assert [issue.finding.defect for issue in found.issues if issue.finding is not None] == defects
    assert defects or found.warnings == ()


def test_rows_that_do_not_count_are_seen_through_a_table_on_the_way() -> None:
    target = TARGET.model_copy(update={"totals": (), "only": (("shop.orders", "status = 'paid'"),)})

    found = reviewed(analysis_of(target), "")

    assert [issue.finding.defect for issue in found.issues if issue.finding is not None] == [Defect.ROWS_NOT_LEFT_OUT]


def test_a_clause_that_cannot_be_tried_is_a_warning_in_words() -> None:
    target = TARGET.model_copy(
        update={"totals": (("paid", "SELECT region, paid, 1 AS one FROM shop.orders"),), "only": (("shop.orders", "SUM(amount) > 0"),)}
    )

    found = reviewed(analysis_of(target), " WHERE status = 'paid'")

    texts = [issue.text for issue in found.warnings if isinstance(issue.text, Statement) and issue.finding is None]
    assert [text_of(text, "en").split(":")[0] for text in texts] == ["Not tried on rows, or not all of it"] * 2
    assert all("未用数据行验证" in text_of(text, "zh") for text in texts)
