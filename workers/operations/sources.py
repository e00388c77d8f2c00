"""The users' databases, who sees what of them, and what was run on them."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from contracts.base import Contract
from contracts.sources import Execution, QueryResult, Source, SourcePolicy
from contracts.statements import Sayable, quote, say
from contracts.statements import name as identifier
from workers import sources as library
from workers.errors import NotFound
from workers.operations.base import Asker, Here, as_owner, operation


class SourceGone(Contract):
    """A source that was removed."""

    source: str
    removed: bool = True
    catalogue_entries: int


@dataclass(frozen=True, slots=True)
class TableFound:
    """A table of a source."""

    table: str
    view: bool
    columns: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Look:
    """What a look at a source found."""

    tables: tuple[TableFound, ...]
    faults: tuple[Sayable, ...]
    """What its account could do besides reading."""
    broken_policies: tuple[Sayable, ...]
    """Policies that can no longer be applied, with the reason."""
    notes: tuple[Sayable, ...] = ()
    """Of a folder: how its files were read, and which were left out."""


@operation("knowledge.sources")
def sources(here: Here, asker: Asker) -> list[Source]:
    """The sources that the asker may query."""
    return [_without_other_owners(source, asker) for source in library.list_sources(here.db) if _is_open(source, asker)]


@operation("knowledge.source")
def source(here: Here, asker: Asker, name: str) -> Source:
    """One source. Raises `NotFound`."""
    return _without_other_owners(_visible(here, asker, name), asker)


@operation("knowledge.add_source")
def add_source(here: Here, asker: Asker, source: Source) -> Look:
    """Add a source after a look at it; the sample is made first. Raises `SourceUnavailable` and `UnsafeAccount`."""
    from workers.catalogue.adding import add_with_sample  # reads SQL, which takes a second to import

    return _looked(add_with_sample(here.db, here.settings.data_dir, source))


@operation("knowledge.check_source")
def check_source(here: Here, asker: Asker, name: str) -> Look:
    """Look at a source again."""
    return _looked(library.check_source(here.db, here.settings.data_dir, name))


@operation("knowledge.remove_source")
def remove_source(here: Here, asker: Asker, name: str) -> SourceGone:
    """Remove a source, its policies, and its entries of the catalogue. Its data is not touched, and the audit is kept."""
    from workers.catalogue import forget_source

    library.remove_source(here.db, name)
    return SourceGone(source=name, catalogue_entries=forget_source(here.db, name))


@operation("knowledge.query")
def query(
    here: Here, asker: Asker, name: str, statement: str, *, values: Mapping[str, str] | None = None, owner: str | None = None
) -> QueryResult:
    """Run one SELECT with the rights of an owner's job, through all five locks."""
    if asker.only_owner is not None:
        _visible(here, asker, name)
    known = library.Sources(here.db, here.settings.data_dir)
    return known.query(name, statement, owner=as_owner(asker, owner), values=dict(values or {}))


@operation("knowledge.writable")
def writable(here: Here, asker: Asker, name: str) -> list[str]:
    """The schemas into which scripts that a human has approved may write."""
    from workers.sources.writing import writable_schemas

    library.get_source(here.db, name)
    return list(writable_schemas(here.db, name))


@operation("knowledge.set_writable")
def set_writable(here: Here, asker: Asker, name: str, schema: str, *, is_open: bool = True) -> list[str]:
    """Open a schema of a Postgres source to approved scripts, or close it; those that are open."""
    from workers.sources.writing import allow_writing, forbid_writing

    library.get_source(here.db, name)
    (allow_writing if is_open else forbid_writing)(here.db, name, schema)
    return writable(here, asker, name)


@operation("knowledge.policies")
def policies(here: Here, asker: Asker, name: str) -> list[SourcePolicy]:
    """What owners see of a source."""
    library.get_source(here.db, name)
    return list(library.list_policies(here.db, name))


@operation("knowledge.set_policy")
def set_policy(here: Here, asker: Asker, name: str, policy: SourcePolicy) -> SourcePolicy:
    """Define what an owner sees of a table. It replaces this owner's policy on the table."""
    library.set_policy(here.db, here.settings.data_dir, name, policy)
    return policy


@operation("knowledge.remove_policy")
def remove_policy(here: Here, asker: Asker, name: str, owner: str, table: str) -> None:
    """Remove an owner's policy on a table: the owner then sees more."""
    library.remove_policy(here.db, name, owner, table)


@operation("knowledge.audit")
def audit(
    here: Here, asker: Asker, *, source: str | None = None, owner: str | None = None, job_id: UUID | None = None, refused: bool = False,
    limit: int = 50,
) -> list[Execution]:  # fmt: skip
    """What was run on the sources, the newest first, with the verdict of each lock."""
    whose = asker.only_owner or owner
    return library.list_executions(here.db, source=source, owner=whose, job_id=job_id, refused=refused, limit=limit)


def _visible(here: Here, asker: Asker, name: str) -> Source:
    """A source that the asker may query. Raises `NotFound`."""
    found = library.get_source(here.db, name)
    if not _is_open(found, asker):
        raise NotFound.of(say("refused.no_source_listed", source=quote(name[:80]), command=identifier("GET /v1/sources")))
    return found


def _is_open(source: Source, asker: Asker) -> bool:
    return asker.only_owner is None or source.is_open_to(asker.only_owner)


def _without_other_owners(source: Source, asker: Asker) -> Source:
    """Who else may query it is not the asker's business."""
    if asker.only_owner is None or not source.owners:
        return source
    return source.model_copy(update={"owners": (asker.only_owner,)})


def _looked(checked: library.Checked) -> Look:
    tables = tuple(
        TableFound(table.full_name, table.is_view, tuple(column.name for column in table.columns))
        for table in checked.schema.tables
        if not table.elsewhere
    )
    return Look(tables, tuple(checked.faults), tuple(checked.broken), checked.schema.notes)
