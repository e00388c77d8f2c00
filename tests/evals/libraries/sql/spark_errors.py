"""Spark's error classes: are they read, and are the names that Spark proposes the nearest to us too?

A case is an error as Spark writes it in its JSON form. For the proposals, the names of Spark's list are given in alphabetical order, and
ours must have Spark's first among the first three.
"""

import json
from collections import Counter
from pathlib import Path

from contracts.base import Json
from contracts.sql_errors import SqlErrorKind
from tests.evals.libraries.sql.cases import rows_of, share
from tests.evals.libraries.sql.measurement import Measured, Measurement
from workers.engines.sql.errors import in_order_of_likeness, read_error
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
    is_name = error.kind in (SqlErrorKind.UNKNOWN_COLUMN, SqlErrorKind.UNKNOWN_TABLE)
    proposed, in_alphabet = error.proposals[:1] if is_name else (), sorted(set(error.proposals))
    ours = in_order_of_likeness(error.names[0] if error.names else "", in_alphabet)
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


SPARK_ERRORS = Measurement("spark_errors", "fix_sql/spark_errors.jsonl", measure_spark_errors)
