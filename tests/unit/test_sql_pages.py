"""The page of a query in Spark's UI, copied as text."""

from pathlib import Path

from contracts.verdicts import Severity, VerdictKind
from tests.support.said import said
from tests.unit.test_tuning_public_files import found, kind_of, known_of
from workers.engines.artefacts.sql_pages import query_page

HEAD = " (min, med, max (stageId: taskId))"
TIMES = f"""Details for Query 7
Duration: 52 min
Exchange
shuffle bytes written total{HEAD}
61.2 GiB (60.1 MiB, 98.0 MiB, 120.4 MiB (stage 3.0: task 80))
Sort
sort time total{HEAD}
31.0 min (12 ms, 150 ms, 21.5 min (stage 4.0: task 839))
spill size total{HEAD}
96.4 GiB (0.0 B, 0.0 B, 96.4 GiB (stage 4.0: task 839))
HashAggregate
time in aggregation build total{HEAD}
47.1 min (1.2 s, 2.1 s, 44.0 min (stage 4.0: task 839))
number of output rows: 402,331
"""
READ = f"""local bytes read total{HEAD}
9.0 GiB (1.0 MiB, 14.0 MiB, 6.2 GiB (stage 4.0: task 839))
remote bytes read total{HEAD}
52.2 GiB (20.0 MiB, 80.0 MiB, 35.6 GiB (stage 4.0: task 839))
"""


def test_metrics_that_name_a_stage_are_its_row() -> None:
    (_, three), (_, four) = query_page(TIMES)

    assert (three["stage"], four["stage"]) == ("3", "4")
    assert (four["median task time (ms)"], four["max task time (ms)"]) == (2_100.0, 2_640_000.0)


def test_a_stage_of_such_a_page_whose_task_reads_most_is_skewed(tmp_path: Path) -> None:
    text = TIMES + READ
    (skew,) = found(known_of(tmp_path, sql__txt=text), VerdictKind.DATA_SKEW)

    assert kind_of("sql.txt", text) == "stage_table"
    assert (skew.severity, skew.stage_ids) == (Severity.PROBLEM, (4,))
    assert "41.8 GiB" in said(skew.summary)


def test_times_alone_prove_no_skew(tmp_path: Path) -> None:
    known = known_of(tmp_path, sql__txt=TIMES)

    assert [verdict.severity for verdict in found(known, VerdictKind.DATA_SKEW)] == [Severity.HINT]
    (spill,) = found(known, VerdictKind.SPILL)
    assert "96.4 GiB" in said(spill.summary)


def test_a_text_without_such_metrics_is_none() -> None:
    assert query_page("sort time total (min, med, max (stageId: taskId))\n") == []
    assert query_page("a,b\n1,2\n") == []
