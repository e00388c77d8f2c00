"""Scripts that were translated into another dialect, held against what they were translated from, on the same rows."""

from collections import Counter
from collections.abc import Sequence

from contracts.pipelines.analysis import AnalysisResult
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialCheck
from contracts.pipelines.workflow import Workflow
from contracts.statements import name, say
from contracts.tables import TableDetail
from workers.engines.pipelines.rows import Generator
from workers.engines.pipelines.trial.assumptions import assume, assumed_keys
from workers.engines.pipelines.trial.checks import sample
from workers.engines.pipelines.trial.play import JobFailed, Player
from workers.engines.pipelines.trial.trial import LARGE_SETS, SMALL_SETS, Going, read_all, rows_given, translated
from workers.engines.pipelines.warehouse import Answer, Limits, Warehouse, WarehouseError, open_warehouse
from workers.engines.sql.review.rows import Maker, Recipe
from workers.engines.sql.review.witness import comparable, marked_rows
from workers.engines.sql.sandbox import Row
from workers.engines.sql.script import Script
from workers.engines.sql.trees import NotParsed


def check_meaning(
    analysis: AnalysisResult,
    workflow: Workflow,
    script: SqlScript,
    original: SqlScript,
    tables: Sequence[TableDetail],
    *,
    seed: int = 0,
    limits: Limits | None = None,
) -> TrialCheck | None:
    """The check that failed where a script leaves other rows than the one of another dialect that it was translated from; None: they
    leave the same, as far as the engine of the trial knows the dialects, or one of them does not run in it."""
    with open_warehouse(limits) as first, open_warehouse(limits) as second:
        ours, theirs = (
            _player(warehouse, analysis, workflow, written, tables, seed) for warehouse, written in ((first, script), (second, original))
        )
        if ours is None or theirs is None:
            return None
        maker, generator = Maker(Recipe(theirs[0])), Generator(Recipe(theirs[0]))
        small = [maker.make(seed + number) for number in range(SMALL_SETS)]
        for data in (*small, *(generator.make(seed + number) for number in range(LARGE_SETS))):
            try:
                made, wanted = ours[1].play([data]).runs[0], theirs[1].play([data]).runs[0]
            except (JobFailed, WarehouseError):
                return None
            if _marks(made) != _marks(wanted):
                lost, added = _marks(wanted) - _marks(made), _marks(made) - _marks(wanted)
                text = say("pipelines.trial.translation_differs", written=name(original.dialect), dialect=name(script.dialect))
                shown = (
                    sample(wanted.columns, marked_rows(wanted.rows, lost, _mark), original.dialect),
                    sample(made.columns, marked_rows(made.rows, added, _mark), script.dialect),
                )
                given = rows_given(theirs[0], data)
                return TrialCheck(
                    kind=CheckKind.REQUIREMENT, status=CheckStatus.FAILED, job=script.job, text=text, given=given, shown=shown
                )
    return None


def _player(
    warehouse: Warehouse, analysis: AnalysisResult, workflow: Workflow, written: SqlScript, tables: Sequence[TableDetail], seed: int
) -> tuple[Script, Player] | None:
    try:
        script = read_all([written], tables, analysis, written.dialect)
    except NotParsed:
        return None
    assume(script, assumed_keys(script))
    parts = translated(Going(workflow, [written], tables, analysis, written.dialect, seed, script, None))
    return (script, Player(warehouse, script, parts, analysis.target.table)) if parts is not None else None


def _mark(row: Row) -> Row:
    """Of numbers, the digits that a float has."""
    return tuple(comparable(cell, is_rounded=True) for cell in row)


def _marks(answer: Answer) -> Counter[Row]:
    return Counter(map(_mark, answer.rows))
