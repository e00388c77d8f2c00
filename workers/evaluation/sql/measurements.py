"""The measurements of `bullpen eval sql`, in the order in which they run."""

from collections.abc import Callable

from workers.evaluation.sql.form import SqlEvaluation
from workers.evaluation.sql.report import Outcome
from workers.kinds.base import Bench, Ref

_HERE = "workers.evaluation.sql"

MEASUREMENTS: dict[str, Ref[Callable[[Bench, SqlEvaluation], Outcome]]] = {
    "fix": Ref(f"{_HERE}.fixing:measure_fixing"),
    "spark_errors": Ref(f"{_HERE}.spark_errors:measure_spark_errors"),
}
"""Name → what is measured."""
