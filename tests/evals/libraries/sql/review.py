"""The review on scripts with a known defect, and on scripts that are right."""

import csv
import json
import time
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.sql_review import ReviewTarget, SqlReview, WriteMode
from contracts.statements import Statement
from contracts.tables import ColumnDetail, TableDetail
from tests.evals.libraries.json_lines import read_lines
from tests.evals.libraries.sql.measurement import Measured, Measurement
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox
from workers.engines.sql.trees import NotParsed
from workers.kinds.base import Bench
from workers.saying import text_of


@dataclass(frozen=True, slots=True)
class Case:
    """A script and what is known around it."""

    id: str
    sql: tuple[str, ...]
    tables: tuple[TableDetail, ...]
    dialect: str
    requirement: str = ""
    target: ReviewTarget | None = None


def measure_review(bench: Bench, data: Path) -> Measured:
    """The share of defects that are named, of those with a counterexample, and of right scripts without a blocker.

    The trivial reviewer says nothing: it names 0 and blocks no right script.
    """
    named, shown, alarms = list[str](), list[str](), list[str]()
    defects = [(case, bug) for case in _cases(data) if (bug := case["review_bug"])]
    gold = [*_gold_cases(data)]
    started = time.process_time()
    for case, bug in defects:
        found = _reviewed(_case(case, bug["sql"]))
        remarks = [finding for finding in found.findings if _names(finding.summary, finding.advice, bug["must_name"], case["lang"])]
        named += [case["id"]] if remarks else []
        shown += [case["id"]] if any(finding.counterexample is not None for finding in remarks) else []
    for right in gold:
        alarms += [right.id] if _reviewed(right).blockers else []
    seconds = (time.process_time() - started) / max(1, len(defects) + len(gold))
    etl = [right for right in gold if right.dialect == "duckdb" or right.id.startswith(("etl-", "tpch", "jaffle"))]
    return Measured(
        {
            "review_named": len(named) / max(1, len(defects)),
            "review_named_silent": 0.0,
            "review_counterexamples": len(shown) / max(1, len(defects)),
            "gold_without_blocker": 1 - len(alarms) / max(1, len(gold)),
            "gold_without_blocker_silent": 1.0,
            "review_cpu_s": seconds,
        },
        {"review_defects": len(defects), "review_gold": len(gold), "review_gold_etl": len(etl)},
        {
            "review_named": tuple(case["id"] for case, _ in defects if case["id"] not in named),
            "review_counterexamples": tuple(case["id"] for case, _ in defects if case["id"] not in shown),
            "gold_without_blocker": tuple(alarms),
        },
    )


def _reviewed(case: Case) -> SqlReview:
    with open_sandbox() as sandbox:
        try:
            return review(case.sql, case.tables, case.dialect, sandbox, target=case.target, requirement=case.requirement)
        except NotParsed:
            return SqlReview(findings=())


def _names(summary: Statement, advice: Statement, groups: Sequence[Sequence[str]], language: str) -> bool:
    """The remark, in the language of the case, has a word of every group."""
    text = f"{text_of(summary, language)} {text_of(advice, language)}".lower()
    return all(any(word.lower() in text for word in group) for group in groups)


def _cases(data: Path) -> Iterator[dict[str, Any]]:
    for path in sorted((data / "etl/cases").glob("*/case.json")):
        yield json.loads(path.read_text(encoding="utf-8"))


def _case(case: Mapping[str, Any], sql: Sequence[str]) -> Case:
    tables = tuple(
        TableDetail(
            name=table["table"],
            description=table.get("description") or "",
            columns=tuple(
                ColumnDetail(name=column["name"], type=column.get("type") or "", description=column.get("description") or "")
                for column in table["columns"]
            ),
        )
        for table in case["catalogue"]
    )
    wanted = case["target"]
    target = ReviewTarget(table=wanted["table"], columns=tuple(wanted["columns"]), key=tuple(wanted["key"]), mode=WriteMode(wanted["mode"]))
    requirement = case["requirement_zh" if case["lang"] == "zh" else "requirement_en"]
    return Case(case["id"], tuple(sql), tables, "postgres", requirement, target)


def _gold_cases(data: Path) -> Iterator[Case]:
    for case in _cases(data):
        yield _case(case, case["gold_sql"])
    yield from _tpch(data / "etl/tpch")
    yield from _jaffle(data / "etl/jaffle_shop")
    yield from _questions(data / "nl2sql")


def _tpch(folder: Path) -> Iterator[Case]:
    if not (folder / "cases.jsonl").exists():
        return
    tables = tuple(_table(table, table["table"]) for table in json.loads((folder / "catalogue.json").read_text(encoding="utf-8")))
    for case in read_lines(folder / "cases.jsonl"):
        yield Case(case["id"], (case["gold_sql"],), tables, "duckdb", case.get("requirement_en") or "")


def _jaffle(folder: Path) -> Iterator[Case]:
    if not (folder / "cases.jsonl").exists():
        return
    tables = tuple(
        TableDetail(name=path.name.split(".")[0], columns=tuple(ColumnDetail(name=column) for column in _header(path)))
        for path in sorted([*folder.glob("seeds/*.csv"), *folder.glob("expected/*.csv")])
    )
    for case in read_lines(folder / "cases.jsonl"):
        yield Case(case["id"], (case["gold_sql"],), tables, "postgres", case.get("requirement") or "")


def _questions(folder: Path) -> Iterator[Case]:
    if not (folder / "questions.jsonl").exists():
        return
    by_database: dict[str, list[TableDetail]] = {}
    for row in read_lines(folder / "catalogue.jsonl"):
        by_database.setdefault(row["db"], []).append(_table(row, row["table"]))
    for case in read_lines(folder / "questions.jsonl"):
        yield Case(case["id"], (case["gold_postgres"][0],), tuple(by_database[case["db"]]), "postgres")


def _table(row: Mapping[str, Any], name: str) -> TableDetail:
    return TableDetail(
        name=name,
        description=row.get("description") or "",
        rows=row.get("rows"),
        primary_key=tuple(row.get("primary_key") or ()),
        columns=tuple(
            ColumnDetail(
                name=column["name"],
                type=column.get("type") or "",
                description=column.get("description") or "",
                distinct=column.get("distinct"),
                nulls=column.get("nulls"),
                values=tuple(str(value) for value in column.get("values") or ()),
                minimum=None if column.get("min") is None else str(column["min"]),
                maximum=None if column.get("max") is None else str(column["max"]),
            )
            for column in row["columns"]
        ),
    )


def _header(path: Path) -> list[str]:
    with path.open(encoding="utf-8") as lines:
        return next(csv.reader(lines))


REVIEW = Measurement("review", "etl/cases", measure_review)
