"""The tables that a conversation is kept to (S32, S34): tables, schemas, and groups that the catalogue has as tags."""

from collections.abc import Mapping, Sequence

from contracts.ask.request import AskRequest
from contracts.ask.steps import Carried
from contracts.tables import TableDetail

EVERYTHING = "*"
"""Lifts the limit of the conversation."""

Tags = Mapping[str, frozenset[str]]
"""Tag, casefolded → full names of its tables."""


def scope_of(request: AskRequest, carried: Carried | None) -> tuple[str, ...]:
    """What this message is kept to: as it says, else as the conversation was, as long as it stays in its source. Empty: to nothing."""
    stays = carried is not None and (request.source is None or request.source == carried.source)
    given = request.within or (carried.within if carried is not None and stays else ())
    return () if EVERYTHING in given else given


def named_by(word: str, tables: Sequence[TableDetail], tags: Tags) -> set[str]:
    """Full names of the tables that a table's name, a schema's or a tag stands for."""
    wanted = word.strip().casefold()
    own = {
        table.full_name for table in tables if wanted in (table.full_name.casefold(), table.name.casefold(), table.schema_name.casefold())
    }
    return own | {table.full_name for table in tables if table.full_name in tags.get(wanted, ())}


def kept_to(scope: Sequence[str], tables: Sequence[TableDetail], tags: Tags) -> tuple[TableDetail, ...]:
    """The tables within the scope, in their order."""
    kept = {name for word in scope for name in named_by(word, tables, tags)}
    return tuple(table for table in tables if table.full_name in kept)
