"""The reports of whole jobs, shown in both languages and in every medium: nothing of ours is in another language than the reader's."""

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.texts import foreign_words_in
from tests.support.tune_jobs import SAMPLES, own_services, report_of, tune
from workers.app.services import ProcessServices
from workers.kinds.base import ShowOptions
from workers.kinds.tune.view import show_result
from workers.saying import INSTALLED
from workers.saying.document import Document
from workers.saying.markdown import to_markdown
from workers.saying.terminal import to_lines
from workers.saying.web_page import to_html

FIELD = frozenset(
    [
        "AQE",
        "AQEShuffleRead",
        "Algebra",
        "algebra",
        "ALL",
        "BROADCAST",
        "BROADCASTLEFT",
        "BROADCASTRIGHT",
        "BY",
        "BroadcastExchange",
        "BroadcastHashJoin",
        "CLUSTERED",
        "DataFrame",
        "DataFrames",
        "lambda",
        "DISTINCT",
        "FetchFailed",
        "GROUP",
        "HASH",
        "IsRecursive",
        "Java",
        "Kryo",
        "OOM",
        "OPTION",
        "PARTITIONED",
        "PySpark",
        "Scala",
        "Python",
        "RDD",
        "RDDs",
        "REDUCE",
        "REPARTITION",
        "REPARTITION_BY_COL",
        "REPARTITION",
        "BY",
        "COL",
        "ReadSchema",
        "PushedFilters",
        "RoundRobinPartitioning",
        "SKEWFACTOR",
        "SortMergeJoin",
        "SqlUserDefinedReducer",
        "UNION",
        "WHERE",
        "UseG",
        "XX",
        "G",
        "aggregateByKey",
        "agg",
        "approx",
        "bucketBy",
        "coalesce",
        "coalesced",
        "collect",
        "count",
        "decommissioning",
        "disk",
        "distinct",
        "drop",
        "executors",
        "false",
        "filter",
        "fraction",
        "first",
        "groupBy",
        "groupByKey",
        "key",
        "keys",
        "last",
        "map",
        "memory",
        "n",
        "orderBy",
        "percentile",
        "partial",
        "pandas",
        "processor",
        "rangepartitioning",
        "rank",
        "reduceByKey",
        "reducer",
        "repartition",
        "row_number",
        "row",
        "number",
        "saveAsTable",
        "select",
        "skew",
        "skewJoin",
        "sortBy",
        "spark.sql.shuffle.partitions",
        "sql",
        "partitions",
        "conf",
        "executor",
        "memoryOverhead",
        "local",
        "dir",
        "true",
        "union",
        "unpersist",
        "worker",
        "inner",
        "F",
        "SQL",
        "top",
        "exchange",
        "hint",
        "sort-merge",
        "o",
        "b",
        "R",
        "ORC",
        "gzip",
        "Bucket",
        "ROUND",
        "ROBIN",
        "DISTRIBUTED",
        "PARTITION",
        "C",
        "x",
        "top-n",
        "map",
        "READONLY",
        "PRODUCE",
    ]
)
"""Words of Spark and SCOPE that a Chinese text about them keeps."""


@pytest.fixture
def services(database_url: str, broker_url: str, tmp_path: Path) -> Iterator[ProcessServices]:
    with own_services(database_url, broker_url, tmp_path) as made:
        yield made


def documents(services: ProcessServices, folder: Path) -> list[Document]:
    """The brief report and the whole one."""
    content = report_of(services, tune(services, [folder])).to_json()
    shown = [show_result(content, ShowOptions(details=details)) for details in (False, True)]
    return [document for document in shown if document is not None]


def problems_of(document: Document) -> list[str]:
    """Words of another language, lines that are too wide, and media that fail."""
    found: list[str] = []
    with INSTALLED.strictly():
        for language in ("en", "zh"):
            found += foreign_words_in(document, language, known=FIELD)
            for width in (80, 100, 200):
                code = {line.plain for line in to_lines(document, language, 10_000)}
                found += [line.plain for line in to_lines(document, language, width) if line.cell_len > width and line.plain not in code]
            assert to_markdown(document, language)
            assert "<html" in to_html(document, language)
    return found


@pytest.mark.parametrize("folder", sorted(path for path in SAMPLES.iterdir() if path.is_dir()), ids=lambda path: path.name)
def test_the_report_of_a_sample_is_in_the_readers_language_in_every_medium(services: ProcessServices, folder: Path) -> None:
    """T27."""
    shown = documents(services, folder)

    assert len(shown) == 2
    assert [problems_of(document) for document in shown] == [[], []]


def test_the_report_of_every_generated_job_is_in_the_readers_language(services: ProcessServices, eval_data: Path) -> None:
    """T27: every kind of problem there is a real run of."""
    left: dict[str, list[str]] = {}
    for line in (eval_data / "spark_generated" / "labels.jsonl").read_text(encoding="utf-8").splitlines():
        folder = eval_data / "spark_generated" / json.loads(line)["id"]
        left[folder.name] = [problem for document in documents(services, folder) for problem in problems_of(document)]

    assert {name: words for name, words in left.items() if words} == {}
