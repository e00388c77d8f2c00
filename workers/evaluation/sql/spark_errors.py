"""Spark's error classes: are they read, and do our own proposals hold Spark's?

A case is an error as Spark writes it in its JSON form. For the proposals, Spark's are hidden: of a list of columns the names are given in
alphabetical order as the columns of a table, and ours must have Spark's first among the first three.
"""

import json
from collections import Counter

from contracts.base import Json
from contracts.sql_errors import SqlError, SqlErrorKind
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.errors import read_error, suggested
from workers.engines.sql.errors.proposals import in_order_of_likeness
from workers.evaluation.sql.cases import rows_of
from workers.evaluation.sql.form import SqlEvaluation
from workers.evaluation.sql.report import Outcome, share_of
from workers.kinds.base import Bench

FIRST = 3


def measure_spark_errors(bench: Bench, form: SqlEvaluation) -> Outcome:
    """The share of errors whose class and kind are read, and of Spark's proposals that are among ours."""
    cases = rows_of(form.data, "fix_sql/spark_errors.jsonl")
    details = [_outcome(case) for case in cases]
    total = len(details)
    proposed = [row for row in details if row["proposed"]]
    kinds, families = Counter(row["kind"] for row in details), Counter(row["class"].partition(".")[0] for row in details)
    both = sum(row["is_class_right"] and row["in_three"] is not False for row in details)
    figures = {
        "spark_error_class": share_of(sum(row["is_class_right"] for row in details), total),
        "spark_error_class_majority": share_of(families.most_common(1)[0][1] if families else 0, total),
        "spark_error_kind_majority": share_of(kinds.most_common(1)[0][1] if kinds else 0, total),
        "spark_proposal_in_three": share_of(sum(bool(row["in_three"]) for row in proposed), len(proposed)),
        "spark_proposal_in_three_alphabet": share_of(sum(bool(row["alphabet_in_three"]) for row in proposed), len(proposed)),
        "spark_class_and_proposal": share_of(both, total),
    }
    lines = (
        f"Class read, with a kind that is known: {figures['spark_error_class']:.3f} of {total} (the commonest kind alone "
        f"{figures['spark_error_kind_majority']:.3f}).",
        f"Spark proposes something in {len(proposed)}: among our first three in {figures['spark_proposal_in_three']:.3f} "
        f"(columns by the alphabet {figures['spark_proposal_in_three_alphabet']:.3f}).",
    )
    return Outcome(figures, total, lines, tuple(details))


def _outcome(case: Json) -> Json:
    parameters: dict[str, str] = case["params"] or {}
    fragments: list[str] = case["fragment"] or []
    context = [{"fragment": text} for text in fragments]
    given: Json = {"errorClass": case["errorClass"], "messageParameters": parameters, "queryContext": context}
    error = read_error(json.dumps(given), "spark")
    ours, in_alphabet = _ours(error, case["query"])
    proposed = error.proposals[:1]
    return {
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
