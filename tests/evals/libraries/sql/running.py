"""Runs the measurements whose data is there."""

from collections.abc import Iterator
from pathlib import Path

from pydantic import BaseModel, Field
from rich.console import RenderableType
from rich.table import Table

from tests.evals.libraries.sql.explaining import EXPLAIN
from tests.evals.libraries.sql.fixing import FIX
from tests.evals.libraries.sql.lineage import LINEAGE
from tests.evals.libraries.sql.measurement import Measurement
from tests.evals.libraries.sql.review import REVIEW
from tests.evals.libraries.sql.spark_errors import SPARK_ERRORS
from workers.errors import ConfigurationError, InvalidInput
from workers.kinds.base import Bench, EvaluationResult

MEASUREMENTS: tuple[Measurement, ...] = (LINEAGE, REVIEW, FIX, SPARK_ERRORS, EXPLAIN)


class SqlEvaluation(BaseModel):
    """The options of `bullpen eval sql`."""

    data: Path = Field(description="The folder with the data sets, each in a folder of its name: etl, nl2sql, fix_sql.")
    only: str = Field(
        default="", description="One measurement: lineage, review, fix, spark_errors, explain. Default: all whose data is there."
    )


class SqlReport(EvaluationResult):
    """What was measured."""

    counts: dict[str, int]
    missed: dict[str, tuple[str, ...]]
    left_out: tuple[str, ...] = ()
    """Measurements without data."""


def measure(bench: Bench, form: SqlEvaluation) -> SqlReport:
    """Run the measurements."""
    chosen = [measurement for measurement in MEASUREMENTS if form.only in ("", measurement.name)]
    if not chosen:
        names = ", ".join(measurement.name for measurement in MEASUREMENTS)
        raise ConfigurationError(f"There is no measurement {form.only!r}. Choose one of: {names}.")
    figures, counts = dict[str, float](), dict[str, int]()
    missed, left_out = dict[str, tuple[str, ...]](), list[str]()
    for measurement in chosen:
        if not (form.data / measurement.needs).exists():
            left_out.append(measurement.name)
            continue
        found = measurement.run(bench, form.data)
        figures |= found.figures
        counts |= found.counts
        missed |= found.missed
    if len(left_out) == len(chosen):
        needed = ", ".join(sorted({measurement.needs for measurement in chosen}))
        raise InvalidInput(f"{form.data} holds nothing to measure. --data is to name a folder with one of: {needed}.")
    return SqlReport(figures=figures, counts=counts, missed=missed, left_out=tuple(left_out))


def show_report(report: SqlReport) -> Iterator[RenderableType]:
    """A table of figures, and the cases that went wrong."""
    table = Table("figure", "value", "wrong cases")
    for name, value in report.figures.items():
        table.add_row(name, f"{value:.3f}", " ".join(report.missed.get(name, ())))
    yield table
    for name, count in report.counts.items():
        yield f"{name}: {count} cases"
    for name in report.left_out:
        yield f"{name}: left out, its data is not there."
