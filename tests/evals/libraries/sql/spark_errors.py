"""Spark's error classes: are they read, and do our own proposals hold Spark's?

A case is an error as Spark writes it in its JSON form. For the proposals, Spark's are hidden: of a list of columns the names are given in
alphabetical order as the columns of a table, and ours must have Spark's first among the first three.
"""

import json
from collections import Counter
from pathlib import Path

from contracts.base import Json
from contracts.sql_errors import SqlError, SqlErrorKind
from contracts.tables import ColumnDetail, TableDetail
from tests.evals.libraries.sql.cases import rows_of, share
from tests.evals.libraries.sql.measurement import Measured, Measurement
from workers.engines.sql.errors import read_error, suggested
from workers.engines.sql.errors.proposals import in_order_of_likeness
from workers.kinds.base import Bench

FIRST = 3


def measure_spark_errors(bench: Bench, data: Path) -> Measured:
    """The share of errors whose class and kind are read, and of Spark's proposals that are among ours."""
    cases = rows_of(data, "fix_sql/spark_errors.jsonl")
    details = [_outcome(number, case) for number, case in enumerate(cases, 1)]
    total = len(details)
    proposed = [row for row in details if row["proposed"]]
    kinds, families = Counter(row["kind"] for row in details), Counter(row["class"].partition(".")[0] for row in details)
    both = sum(row["is_class_right"] and row["in_three"] is not False for row in details)
    figures = {
        "spark_error_class": share(sum(row["is_class_right"] for row in details), total),
        "spark_error_class_majority": share(families.most_common(1)[0][1] if families else 0, total),
        "spark_error_kind_majority": share(kinds.most_common(1)[0][1] if kinds else 0, total),
        "spark_proposal_in_three": share(sum(bool(row["in_three"]) for row in proposed), len(proposed)),
        "spark_proposal_in_three_alphabet": share(sum(bool(row["alphabet_in_three"]) for row in proposed), len(proposed)),
        "spark_class_and_proposal": share(both, total),
    }
    wrong = tuple(f"{row['number']}:{row['class']}" for row in details if not row["is_class_right"])
    missed = tuple(f"{row['number']}:{row['class']}" for row in proposed if not row["in_three"])
    counts = {"spark_errors": total, "spark_proposals": len(proposed)}
    return Measured(figures, counts, {"spark_error_class": wrong, "spark_proposal_in_three": missed})


def _outcome(number: int, case: Json) -> Json:
    parameters: dict[str, str] = case["params"] or {}
    fragments: list[str] = case["fragment"] or []
    context = [{"fragment": text} for text in fragments]
    given: Json = {"errorClass": case["errorClass"], "messageParameters": parameters, "queryContext": context}
    error = read_error(json.dumps(given), "spark")
    ours, in_alphabet = _ours(error, case["query"])
    proposed = error.proposals[:1]
    return {
        "number": number,
        "class": case["errorClass"],
        "kind": str(error.kind),
        "is_class_right": error.engine_class == case["errorClass"] and error.kind is not SqlErrorKind.OTHER,
        "proposed": list(proposed),
        "ours": list(ours[:FIRST]),
        "in_three": proposed[0] in ours[:FIRST] if proposed else None,
        "alphabet_in_three": proposed[0] in in_alphabet[:FIRST] if proposed else None,
    }


def _ours(error: SqlError, sql: str) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Our proposals without Spark's, and the trivial ones: the columns in alphabetical order, of other errors nothing."""
    hidden = error.model_copy(update={"proposals": ()})
    names = sorted(set(error.proposals))
    if error.kind is SqlErrorKind.UNKNOWN_COLUMN:
        return in_order_of_likeness(error.names[0] if error.names else "", names), tuple(names)
    table = TableDetail(name="t", columns=tuple(ColumnDetail(name=name) for name in names))
    ours = suggested(hidden, sql, [table] if error.kind is not SqlErrorKind.AMBIGUOUS_NAME else [])
    return ours, ()


SPARK_ERRORS = Measurement("spark_errors", "fix_sql/spark_errors.jsonl", measure_spark_errors)
