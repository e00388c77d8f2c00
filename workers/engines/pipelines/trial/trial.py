"""The trial: scripts run in a locked engine, on several sets of rows, twice each, and what they leave is checked."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial

from contracts.pipelines.analysis import AnalysisResult, HistoryWork, IncrementWork
from contracts.pipelines.script import SqlScript
from contracts.pipelines.trial import CheckKind, CheckStatus, TrialCheck, TrialReport, TrialTable
from contracts.pipelines.workflow import Workflow
from contracts.sql_review import ReviewTarget, SampleTable, WriteMode
from contracts.statements import Sayable, Statement, code, count, name, quote, say, say_member
from contracts.tables import TableDetail
from workers.engines.pipelines.rows import Generator, changed_rows, later_rows, with_old_rows
from workers.engines.pipelines.trial.assumptions import assume, assumed_keys, said_of, said_of_key
from workers.engines.pipelines.trial.checks import (
    Failure,
    Kept,
    check_columns,
    check_grain,
    check_increment,
    check_keys_stay,
    check_not_null,
    check_rows_kept,
    check_rows_stay,
    check_second_run,
    check_types,
    check_versions,
    sample,
)
from workers.engines.pipelines.trial.design import (
    check_column_lineage,
    check_table_format,
    check_tables,
    check_temporary_left,
    check_temporary_use,
    kept_columns,
    lineage_of,
)
from workers.engines.pipelines.trial.dry_run import DryRun, SourceAtHand, dry_run
from workers.engines.pipelines.trial.play import JobFailed, JobPart, Played, Player
from workers.engines.pipelines.trial.shrink import shrunk
from workers.engines.pipelines.trial.translate import NotTranslated, Translator
from workers.engines.pipelines.warehouse import Answer, Limits, WarehouseError, open_warehouse
from workers.engines.sql.names import KnownTables, Source
from workers.engines.sql.review.rows import Data, Maker, Recipe
from workers.engines.sql.script import Script, read_script
from workers.engines.sql.trees import NotParsed, dialect_of, parse

SMALL_SETS = 6
"""Sets of few rows around the values that the scripts compare with, as the review makes them: failures show best on these."""
LARGE_SETS = 2
"""Sets of generated rows with everything that the catalogue knows."""
LATE_DAYS = 3
"""How late rows of the second run are, where the steps do not say how far back they look."""
ENGINE = "duckdb"


@dataclass
class Going:
    """What is known while a trial goes on."""

    workflow: Workflow
    scripts: list[SqlScript]
    tables: Sequence[TableDetail]
    analysis: AnalysisResult
    dialect: str
    seed: int
    script: Script
    kept: Kept | None
    failures: dict[tuple[CheckKind, str], tuple[Failure, tuple[SampleTable, ...]]] = field(
        default_factory=dict[tuple[CheckKind, str], tuple[Failure, tuple[SampleTable, ...]]]
    )
    not_tried: list[Sayable] = field(default_factory=list[Sayable])
    jobs_not_tried: set[str] = field(default_factory=set[str])
    has_run: bool = False
    tried_increment: bool = False
    target_rows: int = 0
    shown: SampleTable | None = None
    made: list[TrialTable] = field(default_factory=list[TrialTable])
    engine: str = ENGINE
    dry_run: DryRun | None = None

    def fail(self, failure: Failure, given: tuple[SampleTable, ...] = (), job: str = "") -> None:
        """Keep the first failure of each kind."""
        self.failures.setdefault((failure.kind, job), (failure, given))


def trial(
    analysis: AnalysisResult,
    workflow: Workflow,
    scripts: Sequence[SqlScript],
    tables: Sequence[TableDetail],
    *,
    dialect: str,
    seed: int = 0,
    samples: Sequence[SampleTable] = (),
    source: SourceAtHand | None = None,
    limits: Limits | None = None,
) -> TrialReport:
    """Run the scripts of a workflow in the order of its layers, and check what they leave.

    `tables`: what the catalogue knows of every table that is read, and of the target if it exists. `samples`: rows of the source, by
    full name of the table, which take the place of generated ones. `source`: plans the scripts' queries in its own dialect, without
    running them.
    """
    ordered = in_order(workflow, scripts)
    try:
        script = read_all(ordered, tables, analysis, dialect)
    except NotParsed as error:
        return _not_run(workflow, dialect, seed, say("pipelines.trial.not_parsed", dialect=name(dialect), error=quote(error.reason)))
    assumed = assumed_keys(script)
    assume(script, assumed)
    going = Going(workflow, ordered, tables, analysis, dialect, seed, script, kept_columns(script, analysis))
    for job in workflow.jobs:
        if all(job.id != written.job for written in ordered):
            going.not_tried.append(say("pipelines.trial.no_script", job=code(job.id), component=name(job.component)))
            going.jobs_not_tried.add(job.id)
    going.not_tried += check_table_format(script, dialect)
    _check_design(going)
    if source is not None:
        _ask_source(going, source)
    parts = translated(going)
    if parts is not None:
        with open_warehouse(limits) as warehouse:
            going.engine = warehouse.engine
            player = Player(warehouse, script, parts, analysis.target.table)
            _play_all(going, player, Generator(Recipe(script), samples=samples))
            if going.has_run and not going.failures:
                target, free = analysis.target, read_all(ordered, tables, analysis, dialect, learns=False)
                going.not_tried += said_of(assumed, read_all(ordered, tables, analysis, dialect), player, target)
                assume(free, assumed)
                going.not_tried += said_of_key(script.learnt, free, player, target)
    return _report(going)


def _ask_source(going: Going, source: SourceAtHand) -> None:
    going.dry_run = dry_run(going.scripts, going.script, going.dialect, source)
    going.not_tried += going.dry_run.not_tried
    for job, failure in going.dry_run.failures:
        going.fail(failure, job=job)


def in_order(workflow: Workflow, scripts: Sequence[SqlScript]) -> list[SqlScript]:
    """In the order of the layers; scripts of jobs that no layer names come last."""
    places = {job: place for place, job in enumerate(job for layer in workflow.layers for job in layer)}
    return sorted(scripts, key=lambda script: places.get(script.job, len(places)))


def read_all(
    scripts: Sequence[SqlScript], tables: Sequence[TableDetail], analysis: AnalysisResult, dialect: str, *, learns: bool = True
) -> Script:
    """The statements of the scripts, as those of one script that fills the target. Raises `NotParsed`."""
    target = analysis.target
    wanted = ReviewTarget(table=target.table, columns=tuple(column.name for column in target.columns), key=target.key, mode=target.mode)
    statements = [statement for script in scripts for statement in script.statements]
    nullable = {column.name.lower() for column in target.columns if column.nullable}
    return read_script(statements, tables, dialect, wanted, analysis.requirement, learns=learns, nullable=nullable)


def _check_design(going: Going) -> None:
    found = lineage_of(going.scripts, going.tables, going.dialect)
    for failure in (
        check_tables(going.analysis, found, going.tables),
        check_column_lineage(going.scripts, found, going.analysis.target.table, going.tables),
        check_temporary_use(going.workflow, going.scripts),
    ):
        if failure is not None:
            going.fail(failure)


def translated(going: Going) -> list[JobPart] | None:
    """The jobs for the engine; None: one of them cannot be given to it, so nothing behind it can be tried."""
    translator, found, parts = Translator(going.script), list[JobPart](), list(going.script.parts)
    for script in going.scripts:
        many = sum(len(parse(statement, going.dialect)) for statement in script.statements)
        wanted, parts = parts[:many], parts[many:]
        try:
            found.append(JobPart(script.job, tuple(translator.translate(part) for part in wanted)))
        except NotTranslated as error:
            going.not_tried.append(error.reason)
            going.jobs_not_tried.add(script.job)
            return None
    known = KnownTables(going.script.inputs)
    unknown = sorted(
        {
            source.table_name
            for part in going.script.parts
            for source in part.resolved.tables
            if not source.is_function and _is_unknown(source, known)
        }
    )
    if unknown:
        going.not_tried.append(say("pipelines.trial.unknown_table", table=code(unknown[0])))
        going.jobs_not_tried.update(script.job for script in going.scripts)
        return None
    return found


def _is_unknown(source: Source, known: KnownTables) -> bool:
    """A table that the catalogue does not have, or of which it has no columns."""
    return not source.table.columns if source.table is not None else known.find(source.table_name) is None


def _play_all(going: Going, player: Player, generator: Generator) -> None:
    maker = Maker(Recipe(going.script))
    small = [(maker.make(going.seed + number), True) for number in range(SMALL_SETS)]
    large = [(generator.make(going.seed + number), False) for number in range(LARGE_SETS)]
    going.made = [
        TrialTable(table=name_, rows=len(rows), is_sample=name_ in generator.sampled)
        for name_, rows in (large[0][0] if large else {}).items()
    ]
    for data, is_small in (*small, *large):
        try:
            played = player.play([data, _reversed(data)])
        except JobFailed as failed:
            _job_failed(going, failed)
            return
        except WarehouseError as error:
            going.not_tried.append(say("pipelines.trial.engine", error=quote(str(error))))
            return
        going.has_run = True
        _look(going, player, maker, data, played, is_small)
    _try_increment(going, player, generator)


def _reversed(data: Data) -> Data:
    """The same rows in another order, so that a result that depends on their order is seen."""
    return {table: rows[::-1] for table, rows in data.items()}


def _job_failed(going: Going, failed: JobFailed) -> None:
    values = {"job": code(failed.job), "statement": code(_short(failed.statement.text)), "error": quote(str(failed))}
    if failed.error.is_missing_function:
        going.not_tried.append(say("pipelines.trial.no_function", **values))
        going.jobs_not_tried.add(failed.job)
    elif failed.error.kind == "ConversionException":
        going.not_tried.append(say("pipelines.trial.conversion", **values))
        going.jobs_not_tried.add(failed.job)
    else:
        text = say("pipelines.trial.second_fails", **values) if going.has_run else say("pipelines.trial.fails", **values)
        going.fail(Failure(CheckKind.RUNS, text), job=failed.job)


def _short(text: str) -> str:
    line = " ".join(text.split())
    return line if len(line) <= 160 else line[:159] + "…"


def _look(going: Going, player: Player, maker: Maker, data: Data, played: Played, is_small: bool) -> None:
    first = played.runs[0]
    if len(first.rows) > going.target_rows:
        going.target_rows, going.shown = len(first.rows), sample(first.columns, first.rows)
    for failure in _failures(going, data, played):
        given: tuple[SampleTable, ...] = ()
        if is_small and (failure.kind, "") not in going.failures:
            smaller = shrunk(data, maker, partial(_still, going, player, failure.kind))
            if smaller is not None:
                given = rows_given(going.script, smaller[0])
                going.fail(smaller[1], given)
        going.fail(failure, given)
    for job, failure in check_temporary_left(going.workflow, going.scripts, played.left):
        going.fail(failure, job=job)


def _failures(going: Going, data: Data, played: Played) -> Iterator[Failure]:
    target, first = going.analysis.target, played.runs[0]
    checks: tuple[Callable[[], Failure | None], ...] = (
        lambda: check_columns(target, first),
        lambda: check_types(target, first),
        lambda: check_grain(target, first),
        lambda: check_not_null(target, first),
        lambda: check_second_run(target, played),
        lambda: check_versions(target, first),
        lambda: _rows_kept(going, data, first),
    )
    for check in checks:
        failure = check()
        if failure is not None:
            yield failure


def _rows_kept(going: Going, data: Data, first: Answer) -> Failure | None:
    if going.kept is None:
        return None
    source = KnownTables(going.script.tables).find(going.kept.table)
    columns = [column.name for column in source.columns] if source is not None else []
    return check_rows_kept(going.analysis.target, first, data, going.kept, columns)


def _still(going: Going, player: Player, kind: CheckKind, data: Data) -> Failure | None:
    """The failure of a kind on other rows; None: it does not show on them."""
    try:
        played = player.play([data, _reversed(data)])
    except (JobFailed, WarehouseError):
        return None
    return next((failure for failure in _failures(going, data, played) if failure.kind is kind), None)


def rows_given(script: Script, data: Data) -> tuple[SampleTable, ...]:
    """Input rows as a report shows them."""
    known = {table.full_name.lower(): table for table in script.inputs}
    return tuple(
        sample([column.name for column in known[table].columns], rows, known[table].full_name) for table, rows in data.items() if rows
    )


def _try_increment(going: Going, player: Player, generator: Generator) -> None:
    """Rows that come after the first run, late ones among them, are in the target after the second; and the rows of the first, which come
    again with them, are there once. A history keeps one version of each key at a time."""
    target = going.analysis.target
    works = [step.work for step in going.analysis.steps if step.work is not None]
    if target.mode is WriteMode.OVERWRITE or any(isinstance(work, HistoryWork) for work in works):
        return
    look_back = max((work.look_back_days for work in works if isinstance(work, IncrementWork)), default=LATE_DAYS)
    before, more = generator.make(going.seed), generator.make(going.seed + LARGE_SETS)
    keeps = target.mode is WriteMode.HISTORY
    inputs = [table for table in going.script.inputs if table.full_name.lower() in before]
    changed = changed_rows(before, more, inputs, going.script.facts)
    after = changed if keeps else later_rows(before, more, inputs, going.script.facts, look_back)
    try:
        steps, at_once = player.play([before, after, after]), player.play([after])
        corrected = player.play([before, changed]) if target.mode is WriteMode.APPEND and target.key else None
        aged = with_old_rows(before, after, inputs) if target.mode is WriteMode.UPSERT and target.key else None
        recent = (player.play([aged[0], aged[2]]), player.play([aged[1]])) if aged is not None else None
    except (JobFailed, WarehouseError) as error:
        going.not_tried.append(say("pipelines.trial.increment_not_tried", error=quote(str(error))))
        return
    going.tried_increment = True
    again = check_second_run(target, Played(runs=steps.runs[1:]))
    failure = again or (check_versions(target, steps.runs[1]) if keeps else check_increment(target, steps.runs, at_once.runs[0]))
    failure = failure or (check_rows_stay(target, corrected) if corrected is not None else None)
    failure = failure or (check_keys_stay(target, recent[0], recent[1].runs[0]) if recent is not None else None)
    if failure is not None:
        going.fail(failure)


def _report(going: Going) -> TrialReport:
    return TrialReport(
        engine=going.engine,
        dialect=going.dialect,
        translated=dialect_of(going.dialect) != ENGINE,
        seed=going.seed,
        tables=tuple(going.made),
        target_rows=going.target_rows,
        checks=tuple(_checks(going)),
        not_tried=tuple(going.not_tried),
        sample=going.shown,
    )


def _checks(going: Going) -> Iterator[TrialCheck]:
    for script in going.scripts:
        yield _runs(going, script)
    for (kind, job), (failure, given) in going.failures.items():
        if kind is not CheckKind.RUNS:
            yield TrialCheck(kind=kind, status=CheckStatus.FAILED, job=job, text=failure.text, given=given, shown=failure.shown)
    failed = {kind for kind, _ in going.failures}
    ran = going.has_run and not any(kind is CheckKind.RUNS for kind in failed)
    for kind, reason in _outcomes(going, ran):
        if kind not in failed:
            status = CheckStatus.PASSED if reason is None else CheckStatus.NOT_TRIED
            text = say_member("pipelines.trial.passed", kind) if reason is None else reason
            yield TrialCheck(kind=kind, status=status, text=text)
    if going.dry_run is not None and CheckKind.SOURCE not in failed:
        yield going.dry_run.check()


def _runs(going: Going, script: SqlScript) -> TrialCheck:
    failed = going.failures.get((CheckKind.RUNS, script.job))
    if failed is not None:
        return TrialCheck(kind=CheckKind.RUNS, status=CheckStatus.FAILED, job=script.job, text=failed[0].text)
    if going.has_run and script.job not in going.jobs_not_tried and not any(kind is CheckKind.RUNS for kind, _ in going.failures):
        text = say("pipelines.trial.runs", job=code(script.job), n=count(len(script.statements)))
        return TrialCheck(kind=CheckKind.RUNS, status=CheckStatus.PASSED, job=script.job, text=text)
    return TrialCheck(
        kind=CheckKind.RUNS, status=CheckStatus.NOT_TRIED, job=script.job, text=say("pipelines.trial.not_run", job=code(script.job))
    )


def _outcomes(going: Going, ran: bool) -> Iterator[tuple[CheckKind, Statement | None]]:
    """Each kind of check that did not fail, and why it was not tried; None: it passed."""
    target = going.analysis.target
    not_run = None if ran else say("pipelines.trial.did_not_run")
    yield CheckKind.NOT_EMPTY, not_run or (None if going.target_rows else say("pipelines.trial.empty", table=code(target.table)))
    yield CheckKind.GRAIN, not_run or (None if target.key else say("pipelines.trial.no_grain"))
    if target.keeps_all:
        unknown = say("pipelines.trial.kept_unknown", table=code(target.keeps_all))
        yield CheckKind.ROWS_KEPT, not_run or (None if going.kept is not None else unknown)
    yield CheckKind.SECOND_RUN, not_run
    if target.columns:
        yield CheckKind.COLUMNS, not_run
    if any(column.type for column in target.columns):
        yield CheckKind.TYPES, not_run
    if any(column.nullable is False for column in target.columns):
        yield CheckKind.NOT_NULL, not_run
    yield CheckKind.LINEAGE, None
    yield CheckKind.TEMPORARY, not_run
    if going.tried_increment:
        yield CheckKind.INCREMENT, not_run


def _not_run(workflow: Workflow, dialect: str, seed: int, reason: Statement) -> TrialReport:
    checks = tuple(
        TrialCheck(kind=CheckKind.RUNS, status=CheckStatus.NOT_TRIED, job=job.id, text=say("pipelines.trial.not_run", job=code(job.id)))
        for job in workflow.jobs
    )
    return TrialReport(engine=ENGINE, dialect=dialect, seed=seed, runs=0, checks=checks, not_tried=(reason,))
