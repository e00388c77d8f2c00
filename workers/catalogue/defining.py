"""A definition that a user gives to a word of the business: kept beside those that were imported, and believed before them."""

from dataclasses import dataclass
from datetime import UTC, datetime

from contracts.catalogue import NodeKind
from contracts.statements import name as named
from contracts.statements import say
from workers.blackboard.engine import Database
from workers.catalogue.access import read_access
from workers.catalogue.nodes import DEFINED, Node, node_id, says
from workers.catalogue.store import import_items
from workers.engines.definitions.definition import NONE, Definition
from workers.errors import NotFound

_CALLED = """
SELECT node_id, kind, key, source, content, given FROM catalogue_nodes
 WHERE kind IN ('metric', 'term') AND source IN (%(source)s, '') AND gone_at IS NULL
   AND (lower(content->>'name') = lower(%(name)s) OR EXISTS (
     SELECT FROM jsonb_array_elements_text(COALESCE(content->'synonyms', '[]')) other WHERE lower(other) = lower(%(name)s)))
 ORDER BY source DESC, kind, key, node_id LIMIT 1
"""


@dataclass(frozen=True, slots=True)
class Defined:
    """What a word means by the catalogue."""

    name: str
    says: str
    """Its formula, or its description where it has none."""
    origins: tuple[str, ...]
    """Who says so: the forms and files of imports, or `defined`."""
    kind: NodeKind
    source: str
    key: str


def defined_as(db: Database, source: str, name: str, *, owner: str | None) -> Defined | None:
    """The definition that the catalogue has of a word, by its name or another name of it, in a source or in all. None: it has none that
    this owner may see."""
    with db.session() as connection:
        if not read_access(connection, owner).sees(source):
            return None
        row = connection.execute(_CALLED, {"source": source, "name": name.strip()}).fetchone()
    if row is None:
        return None
    content = row["content"]
    of = Definition(
        str(content.get("name") or name), formula=str(content.get("formula") or ""), restriction=str(content.get("restriction") or ""),
        description=str(content.get("description") or ""),
    )  # fmt: skip
    return Defined(of.name, of.computed or of.description, tuple(sorted(row["given"])), NodeKind(row["kind"]), row["source"], row["key"])


def define(db: Database, source: str, name: str, formula: str, *, owner: str) -> str:
    """Keep what a word means in a source, for all who may query it; the place of the definition. One that is there already stays as it was
    imported, and is not believed any more. Raises `NotFound` for a source that the owner may not query."""
    with db.session() as connection:
        if not read_access(connection, owner).sees(source):
            raise NotFound.of(say("refused.catalogue.no_source", source=named(source)))
    known = defined_as(db, source, name, owner=owner)
    kind, of, key = (NodeKind.METRIC, source, name.strip()) if known is None else (known.kind, known.source, known.key)
    on = datetime.now(UTC).date().isoformat()
    content = says(
        name=name.strip() if known is None else known.name, formula=formula.strip(), restriction=NONE,
        description=f"Defined by {owner} on {on}.",
    )  # fmt: skip
    place = node_id(kind, of, key)
    import_items(db, f"{DEFINED}:{place}", [Node(kind, of, key, content)])
    return place
