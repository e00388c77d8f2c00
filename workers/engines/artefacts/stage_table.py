"""A table of stages: exported from a UI, written by a tool or by hand."""

from contracts import statements
from contracts.artefacts import StageRow, StageTable
from contracts.bundles import Information
from contracts.statements import Statement, say
from workers.engines import counts
from workers.engines.artefacts.kinds import Parsed
from workers.engines.artefacts.rows import Row, Rows, rows_of
from workers.engines.artefacts.stage_pages import joined
from workers.engines.artefacts.stage_quantiles import ALL_STAGES
from workers.engines.artefacts.stage_tasks import stages_of_tasks
from workers.engines.artefacts.texts import Decoded

RUN_FIELDS = frozenset(("duration", "tasks", "task_total", "task_max", "task_median", "task_mean", "gc"))
"""What only a stage that ran has."""

MOST_OF_A_FAILURE = 4_000
"""Characters: a trace is as long as its stack."""

SHUFFLE_FIELDS = frozenset(("shuffle_read", "shuffle_write"))
SPREAD_FIELDS = frozenset(("max_bytes", "max_records"))
VOLUME_FIELDS = frozenset(("input", "input_records"))


def sniff_stage_table(table: Rows) -> float:
    """A column of stages, and at least one of times or tasks."""
    if "stage" not in table.fields and "id" not in table.fields:
        return 0.0
    measured = len(table.fields & (RUN_FIELDS | SHUFFLE_FIELDS | VOLUME_FIELDS | {"disk_spill", "memory_spill", "failed_tasks"}))
    if not table.fields & RUN_FIELDS or measured < 2:
        return 0.0
    return min(0.9, (0.55 if "stage" in table.fields else 0.4) + 0.08 * measured)


def is_of_tasks(table: Rows) -> bool:
    """Whether a row is a task: it has a time and a number of its own beside that of its stage, and most stages have several rows. An
    index is such a number where it begins again with each stage: one that goes on over all of them counts the rows."""
    if "stage" not in table.fields or not table.fields & {"duration", "task_total"} or table.fields & {"tasks", "task_max"}:
        return False
    stages = {row.text("stage") for row in table.rows}
    is_numbered = "partition" in table.fields or (
        "index" in table.fields and (len(stages) == 1 or len({row.text("index") for row in table.rows}) < len(table.rows))
    )
    return is_numbered and 2 * len(stages) <= len(table.rows)


def read_stage_table(name: str, text: Decoded) -> Parsed:
    """The rows of the table. A table without a column of stages is reported as a problem."""
    table = rows_of(text.text)
    if not table.rows or not table.fields & {"stage", "id", "name"}:
        return Parsed(problem=say("artefacts.problem.no_stages"))
    rows = tuple(_row(row) for row in table.rows if row.text("stage", "id", "name"))
    fields = table.fields
    if is_of_tasks(table):
        rows, fields = stages_of_tasks(rows), fields | SPREAD_FIELDS
    (only,) = joined([StageTable(name=name, rows=rows)])
    rows = only.rows
    facts = StageTable(name=name, rows=rows, columns_unread=table.unread, notes=(*([text.note] if text.note else []), *table.notes))
    return Parsed(facts=(facts,), tells=_tells(fields, rows), summary=_summary(rows))


def _row(row: Row) -> StageRow:
    return StageRow(
        line=row.line,
        **row.stage(),
        name=row.text("name"),
        status=row.text("status"),
        failure=row.text("failure")[:MOST_OF_A_FAILURE],
        tasks=row.count("tasks"),
        failed_tasks=row.count("failed_tasks"),
        duration_ms=row.number("duration"),
        task_ms=row.number("task_total"),
        task_max_ms=row.number("task_max"),
        task_median_ms=row.number("task_median"),
        task_mean_ms=row.number("task_mean"),
        task_max_bytes=row.number("max_bytes"),
        task_median_bytes=row.number("median_bytes"),
        task_max_records=row.number("max_records"),
        task_median_records=row.number("median_records"),
        input_bytes=row.number("input"),
        input_records=row.number("input_records"),
        output_bytes=row.number("output"),
        shuffle_read_bytes=row.number("shuffle_read"),
        shuffle_read_records=row.number("shuffle_read_records"),
        shuffle_write_bytes=row.number("shuffle_write"),
        shuffle_write_records=row.number("shuffle_write_records"),
        memory_spill_bytes=row.number("memory_spill"),
        disk_spill_bytes=row.number("disk_spill"),
        gc_ms=row.number("gc"),
    )


def _tells(fields: frozenset[str], rows: tuple[StageRow, ...]) -> frozenset[Information]:
    if not rows:
        return frozenset()
    values = {
        Information.STAGE_RUNS: bool(fields & RUN_FIELDS),
        Information.RUN_METRICS: bool(fields & {"gc", "disk_spill", "memory_spill", "task_total"}),
        Information.SHUFFLE_STATISTICS: bool(fields & SHUFFLE_FIELDS),
        Information.DATA_DISTRIBUTION: bool(fields & SPREAD_FIELDS),
        Information.DATA_VOLUME: bool(fields & VOLUME_FIELDS),
        Information.ERRORS: any(row.failed_tasks for row in rows) or any("fail" in row.status.lower() or row.failure for row in rows),
    }
    return frozenset(information for information, is_there in values.items() if is_there)


def _summary(rows: tuple[StageRow, ...]) -> Statement:
    longest = max(rows, key=lambda row: row.duration_ms or row.task_max_ms or 0, default=None)
    if longest is None:
        return say("artefacts.summary.no_rows")
    took = longest.duration_ms or longest.task_max_ms
    counted = counts.stages(len(rows))
    if longest.stage == ALL_STAGES and took:
        return say("artefacts.summary.all_stages", took=statements.milliseconds(took))
    if not took:
        return say("artefacts.summary.stages", stages=counted)
    return say(
        "artefacts.summary.stages_longest", stages=counted, longest=statements.name(longest.stage), took=statements.milliseconds(took)
    )
