"""`python -m tests.evals sql` on a data folder of two cases."""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.evals.libraries import LIBRARIES
from tests.evals.libraries.sql.running import SqlEvaluation, measure, show_report
from workers.errors import InvalidInput

CASE = {
    "id": "made-01",
    "lang": "en",
    "requirement_en": "Cats without kittens.",
    "catalogue": [
        {
            "table": "cat",
            "description": "cats",
            "columns": [
                {"name": "cat_id", "type": "INTEGER", "description": "key"},
                {"name": "mother", "type": "INTEGER", "description": "cat_id of the mother, null when unknown"},
            ],
        }
    ],
    "target": {"table": "childless", "mode": "overwrite", "key": ["cat_id"], "columns": ["cat_id"]},
    "gold_sql": ["create table childless as select cat_id from cat c where not exists (select 1 from cat k where k.mother = c.cat_id)"],
    "review_bug": {
        "sql": ["create table childless as select cat_id from cat where cat_id not in (select mother from cat)"],
        "must_name": [["null"], ["not in"], ["mother"]],
    },
}


def lines(path: Path, *rows: dict[str, Any]) -> None:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), "utf-8")


def test_the_figures_have_the_trivial_method_beside_them(tmp_path: Path) -> None:
    etl = tmp_path / "etl"
    (etl / "cases" / "made-01").mkdir(parents=True)
    (etl / "cases" / "made-01" / "case.json").write_text(json.dumps(CASE), "utf-8")
    lines(
        etl / "table_lineage.jsonl",
        {
            "id": "t1",
            "dialect": "ansi",
            "sql": "with q as (select * from a) insert into b select * from q",
            "sources": ["a"],
            "targets": ["b"],
        },
    )
    edge = [["x", "a"], ["y", "b"]]
    lines(
        etl / "column_lineage.jsonl", {"id": "c1", "dialect": "ansi", "sql": "insert into b (y) select x from a", "column_lineage": [edge]}
    )

    report = measure(None, SqlEvaluation(data=tmp_path))  # type: ignore[arg-type] no measurement needs servers

    assert report.figures["review_named"] == report.figures["review_counterexamples"] == report.figures["gold_without_blocker"] == 1.0
    assert report.figures["lineage_columns_exact"] == report.figures["lineage_tables_exact"] == 1.0
    assert {"lineage_columns_exact_sqlglot", "lineage_tables_exact_regex", "review_named_silent"} <= report.figures.keys()
    assert list(show_report(report))
    with pytest.raises(InvalidInput, match="holds nothing to measure"):
        measure(None, SqlEvaluation(data=tmp_path / "nowhere"))  # type: ignore[arg-type]
    assert LIBRARIES["sql"].form.load() is SqlEvaluation
