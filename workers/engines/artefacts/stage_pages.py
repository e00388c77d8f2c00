"""The page of one stage beside a table of all: Spark's UI copies the spread of its tasks without its number, and the number of tasks tells
which stage it is."""

from collections.abc import Sequence

from contracts.artefacts import StageRow, StageTable

UNNAMED = "?"
"""The stage of a page that was copied without its title."""

AS_LONG = 0.95
"""Of its longest task, that a stage lasts at least: what the pages show is rounded."""

OWN = ("line", "stage", "stage_id")


def joined(tables: Sequence[StageTable]) -> tuple[StageTable, ...]:
    """The tables with each page without a number put to its stage, where one stage alone can be meant. The page goes then."""
    rows = [row for table in tables for row in table.rows if row.stage != UNNAMED]
    found: dict[int, StageRow] = {}
    gone: set[int] = set()
    for page in (row for table in tables for row in table.rows if row.stage == UNNAMED):
        meant = [row for row in rows if _may_be_of(page, row)]
        if len(meant) == 1 and id(meant[0]) not in found:
            found[id(meant[0])] = _with_page(meant[0], page)
            gone.add(id(page))
    return tuple(
        table.model_copy(update={"rows": tuple(found.get(id(row), row) for row in table.rows if id(row) not in gone)}) for table in tables
    )


def _may_be_of(page: StageRow, row: StageRow) -> bool:
    """As many tasks, and neither a shorter time nor fewer bytes than its heaviest task has."""
    if page.tasks is None or page.tasks != row.tasks:
        return False
    reads = [read for read in (row.shuffle_read_bytes, row.input_bytes) if read is not None]
    lasts = row.duration_ms is None or page.task_max_ms is None or row.duration_ms >= AS_LONG * page.task_max_ms
    return lasts and (not reads or page.task_max_bytes is None or sum(reads) >= AS_LONG * page.task_max_bytes)


def _with_page(row: StageRow, page: StageRow) -> StageRow:
    own = row.model_dump(exclude_none=True)
    more = {name: value for name, value in page.model_dump(exclude_none=True).items() if name not in own and name not in OWN}
    return row.model_copy(update=more)
