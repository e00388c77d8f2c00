"""What a newcomer can type: questions about the own tables, which the small reader answers; and what a pasted query is."""

from collections.abc import Iterator, Sequence
from datetime import datetime
from itertools import islice

from contracts.questions import Verdict
from contracts.statements import Shown, term
from contracts.tables import TableDetail
from workers.blackboard.engine import Database
from workers.engines.questions import Reader
from workers.engines.sql.trees import NotParsed, parse_statement
from workers.kinds.ask.building import known_of
from workers.sources import list_sources

MOST = 3
"""Questions that are offered."""
MOST_TABLES = 6
"""Tables of a source about which questions are tried, those with most rows."""
MOST_VALUES = 12
"""Values of a column by which rows are counted in an example."""
MOST_SQL = 20_000


def is_query(name: str, head: bytes) -> Shown | None:
    """One SELECT, all of it; None: something else."""
    del name
    text = head.decode("utf-8", "replace").strip()
    if not text or len(text) > MOST_SQL or text.split(None, 1)[0].lower() not in ("select", "with"):
        return None
    try:
        parse_statement(text, "")
    except NotParsed:
        return None
    return term("ask.opening.query")


def examples(db: Database, owner: str, language: str) -> tuple[str, ...]:
    """Questions about the owner's own tables; about the sample's where there are no others."""
    visible = [source for source in list_sources(db) if source.is_open_to(owner)]
    for source in sorted(visible, key=lambda source: source.sample):
        if found := tuple(islice(counted(db, source.name, owner, language), MOST)):
            return found
    return ()


def counted(db: Database, source: str, owner: str, language: str) -> Iterator[str]:
    """Questions for rows of a table by one of its columns."""
    tables, paths = known_of(db, source, owner)
    reader = Reader(tables, datetime.now(), paths)  # noqa: DTZ005  local time of the source
    forms = ("每个{column}有多少{table}？", "how many {table} are there per {column}?")
    for table, column in groups(tables):
        for form in forms if language == "zh" else forms[1:]:
            text = form.format(table=table, column=column)
            if reader.read(text).verdict is Verdict.ANSWERED:
                yield text
                break


def groups(tables: Sequence[TableDetail]) -> Iterator[tuple[str, str]]:
    """Tables with a column of few values, the largest first; one column each."""
    for table in sorted(tables, key=lambda table: -(table.rows or 0))[:MOST_TABLES]:
        column = next((item.name for item in table.columns if 1 < len(item.values) <= MOST_VALUES), None)
        if column is not None:
            yield table.name.replace("_", " "), column.replace("_", " ")
