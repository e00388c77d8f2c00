"""What users call things: the definitions of terms and metrics of a source, and their other names for tables and columns."""

from collections import defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import psycopg

from contracts.base import Json
from workers.blackboard.engine import Row
from workers.catalogue.access import Access

Connection = psycopg.Connection[Row]

_MOST = 2_000
"""Terms and metrics of a source that are read; the rest by name is left out."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A metric or term as somebody defined it."""

    name: str
    others: tuple[str, ...]
    """Other names of it."""
    unit: str
    says: str
    """Its formula, and what its description adds: a restriction, for one."""

    @property
    def line(self) -> str:
        """As a model reads it."""
        also = f" (also: {', '.join(self.others)})" if self.others else ""
        unit = f", in {self.unit}" if self.unit else ""
        return f"{self.name}{also}{unit} = {self.says}"


@dataclass(frozen=True)
class Terms:
    """The words of a business."""

    definitions: tuple[str, ...] = ()
    """`ARPU = total invoice amount / number of accounts`, one name each."""
    entries: tuple["Entry", ...] = ()
    """The same, one for each metric or term, with all that is said of it."""
    synonyms: Mapping[str, tuple[str, ...]] | None = None
    """Full name of a table, or of `table.column`, and the terms that stand for it."""


def read_terms(connection: Connection, access: Access, source: str) -> Terms:
    """The terms of a source and of all sources. A term that is tied to a column, or without a definition to a table, is another name
    of it."""
    if not access.sees(source):
        return Terms()
    rows = connection.execute(
        "SELECT node_id, kind, content FROM catalogue_nodes WHERE kind IN ('term', 'metric') AND source IN (%(source)s, '') "
        "AND gone_at IS NULL ORDER BY node_id LIMIT %(most)s",
        {"source": source, "most": _MOST},
    ).fetchall()
    contents: dict[str, Json] = {row["node_id"]: row["content"] for row in rows}
    tied = connection.execute(
        """
        SELECT e.from_id, n.key, n.kind FROM catalogue_edges e JOIN catalogue_nodes n ON n.node_id = e.to_id AND n.gone_at IS NULL
        WHERE e.kind = 'synonym' AND e.from_id = ANY(%(ids)s) AND n.source = %(source)s
        """,
        {"ids": list(contents), "source": source},
    ).fetchall()
    synonyms: defaultdict[str, list[str]] = defaultdict(list)
    for row in tied:
        content = contents[row["from_id"]]
        if row["kind"] == "table" and str(content.get("description") or ""):
            continue  # what is defined, such as the value of all orders, is not the table of the orders
        synonyms[row["key"]] += _names(content)
    definitions = [text for row in rows for text in _definitions(row["content"])]
    entries = tuple(entry for row in rows if (entry := _entry(row["content"])) is not None)
    return Terms(tuple(dict.fromkeys(definitions)), entries, {name: tuple(dict.fromkeys(words)) for name, words in synonyms.items()})


def _names(content: Json) -> list[str]:
    return [name for name in (content.get("name", ""), *content.get("synonyms", ())) if name]


def _entry(content: Json) -> Entry | None:
    says = "; ".join(text for key in ("formula", "description") if (text := str(content.get(key) or "").strip()))
    names = _names(content)
    return Entry(names[0], tuple(names[1:]), str(content.get("unit") or ""), says) if names and says else None


def _definitions(content: Json) -> Iterator[str]:
    """A formula, or a description that is one, under each name. A description that defines another name is kept as it is."""
    what = str(content.get("formula") or content.get("description") or "").strip()
    if not what:
        return
    for name in _names(content):
        yield f"{name} = {what}"
    yield what
