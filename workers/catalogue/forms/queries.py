"""SQL files and query logs: queries that were run, and how often."""

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from contracts.catalogue import CatalogueProblem
from contracts.statements import count, quote, say
from contracts.tables import TableDetail
from workers.catalogue.forms.files import FileTexts, files_in
from workers.catalogue.forms.query_nodes import QueryReader, Tables
from workers.catalogue.store import Item
from workers.engines.sql.lineage.script import statements
from workers.saying.reasons import reason_of

ENDINGS = (".sql", ".jsonl", ".ndjson", ".csv")

_SQL = ("sql", "query", "query_text", "statement", "querytxt")
_RUNS = ("runs", "calls", "count", "executions", "execution_count")
_QUESTION = ("question", "title", "name")

_MOST_QUERIES = 200_000


def read_queries_in(path: Path, source: str, dialect: str, tables: Sequence[TableDetail], texts: FileTexts | None = None) -> Iterator[Item]:
    """The queries of a file or folder. A `.sql` file is a script: a comment before a statement says what it is. A line of a log is an
    object with `sql` (or `query`), and may have `runs` (or `calls`) and `question`."""
    reader = QueryReader(source, dialect, Tables(tables))
    csv.field_size_limit(10_000_000)
    for name, file in files_in(path, ENDINGS):
        text = (texts or FileTexts()).read(file)
        match file.suffix.lower():
            case ".sql":
                yield from _script(reader, name, text)
            case ".csv":
                for number, row in enumerate(csv.DictReader(io.StringIO(text)), start=2):
                    yield from _logged(reader, f"{name}, line {number}", {key.lower(): value for key, value in row.items() if key})
            case _:
                yield from _lines(reader, name, text)
        if len(reader.queries) > _MOST_QUERIES:
            yield CatalogueProblem(place=name, reason=say("refused.import.part.queries", most=count(_MOST_QUERIES, exact=True)))
            break
    yield from reader.together()


def _script(reader: QueryReader, name: str, text: str) -> Iterator[Item]:
    unread: list[str] = []
    try:
        for number, (tree, written) in enumerate(statements(text, reader.dialect, unread), start=1):
            sql = written.strip() if written.strip() else tree.sql()
            yield from reader.read(sql, f"{name}, statement {number}")
        reader.read_lineage(text)
    except Exception as error:  # somebody else's script and a parser: the other files are read
        yield CatalogueProblem(place=name, reason=say("refused.import.part.lineage", reason=reason_of(error, 200)))
    for rest in unread:
        yield CatalogueProblem(place=name, reason=say("refused.import.part.statement", statement=quote(" ".join(rest.split())[:160])))


def _lines(reader: QueryReader, name: str, text: str) -> Iterator[Item]:
    for number, line in enumerate(text.splitlines(), start=1):
        if not line.strip():
            continue
        place = f"{name}, line {number}"
        try:
            value: Any = json.loads(line)
        except (ValueError, RecursionError):
            yield CatalogueProblem(place=place, reason=say("refused.import.part.json"))
            continue
        if isinstance(value, Mapping):
            yield from _logged(reader, place, {str(key).lower(): found for key, found in cast("Mapping[Any, Any]", value).items()})
        else:
            yield CatalogueProblem(place=place, reason=say("refused.import.part.object"))


def _logged(reader: QueryReader, place: str, row: Mapping[str, Any]) -> Iterator[Item]:
    sql = next((row[name] for name in _SQL if isinstance(row.get(name), str) and row[name].strip()), None)
    if sql is None:
        yield CatalogueProblem(place=place, reason=say("refused.import.part.no_sql"))
        return
    runs = next((int(row[name]) for name in _RUNS if str(row.get(name) or "").isdigit()), 1)
    question = next((row[name] for name in _QUESTION if isinstance(row.get(name), str)), "")
    yield from reader.read(sql, place, question=question.strip()[:2_000], runs=max(1, min(runs, 2**31)))
