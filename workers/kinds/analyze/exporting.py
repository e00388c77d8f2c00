"""The rows of an analysis as a file: those of its last table, with all columns, as they are stored."""

from pydantic import ValidationError

from contracts.analyze.answer import AnalyzeAnswer
from contracts.base import Json
from workers.kinds.base import ResultRows


def result_rows(content: Json) -> ResultRows | None:
    """The last table of an answer; None when it has none."""
    try:
        tables = AnalyzeAnswer.model_validate(content).tables
    except ValidationError:
        return None
    if not tables:
        return None
    last = tables[-1]
    return ResultRows("", "", last.row_count, last.row_count > len(last.rows), columns=last.columns, rows=last.rows)
