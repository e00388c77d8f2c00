"""`bullpen eval sql`: each measurement in turn."""

import json

from workers.errors import InvalidInput
from workers.evaluation.sql.form import SqlEvaluation
from workers.evaluation.sql.measurements import MEASUREMENTS
from workers.evaluation.sql.report import Measured, SqlReport
from workers.kinds.base import Bench


def run_evaluation(bench: Bench, form: SqlEvaluation) -> SqlReport:
    """Measure. Raises `InvalidInput` for a measurement or a set of cases that does not exist."""
    wanted = tuple(MEASUREMENTS) if form.only is None else tuple(name.strip() for name in form.only.split(","))
    if unknown := [name for name in wanted if name not in MEASUREMENTS]:
        raise InvalidInput(f"There is no measurement {', '.join(unknown)}. There are: {', '.join(MEASUREMENTS)}.")
    figures: dict[str, float] = {}
    measured: list[Measured] = []
    rows: list[str] = []
    for name in wanted:
        outcome = MEASUREMENTS[name].load()(bench, form)
        figures |= outcome.figures
        measured.append(Measured(name=name, cases=outcome.cases, lines=outcome.lines))
        rows += [json.dumps({"measurement": name} | row, ensure_ascii=False) for row in outcome.details]
    if form.details is not None:
        form.details.write_text("".join(f"{row}\n" for row in rows), encoding="utf-8")
    return SqlReport(figures=figures, measured=tuple(measured))
