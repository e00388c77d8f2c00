"""The users' databases: registration, policies, statements, the audit."""

from collections.abc import Mapping
from dataclasses import dataclass
from uuid import UUID

from contracts.sources import Execution, QueryResult, Source, SourcePolicy
from contracts.statements import Sayable
from workers.cli.context import database
from workers.cli.reach.remote import gateway
from workers.settings import load_settings
from workers.sources import Checked


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
    """How files were read, and which were left out."""


def sources() -> list[Source]:
    """All sources, or at a gateway those of the key's owner."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[Source], knowledge.sources())
    from workers.sources import list_sources

    return list_sources(database())


def source_of(name: str) -> Source:
    """A source. Raises `NotFound`."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(Source, knowledge.source(name))
    from workers.sources import get_source

    return get_source(database(), name)


def add(source: Source) -> Look:
    """Add a source after a look at it; the sample is made first."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(Look, knowledge.add_source(source.to_json()))
    from workers.catalogue.adding import add_with_sample

    return _look(add_with_sample(database(), load_settings().data_dir, source))


def check(name: str) -> Look:
    """Look at a source again."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(Look, knowledge.check_source(name))
    from workers.sources import check_source

    return _look(check_source(database(), load_settings().data_dir, name))


def remove(name: str) -> int:
    """Remove a source; the number of entries of the catalogue that went with it."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.value(knowledge.remove_source(name))["catalogue_entries"]
    from workers.catalogue import forget_source  # reads SQL, which takes a second to import
    from workers.sources import remove_source

    remove_source(database(), name)
    return forget_source(database(), name)


def query(name: str, statement: str, *, owner: str, values: Mapping[str, str]) -> QueryResult:
    """Run a statement with the rights of an owner's job."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(QueryResult, knowledge.query(name, statement, values=values, owner=owner))
    from workers.sources import Sources

    return Sources(database(), load_settings().data_dir).query(name, statement, owner=owner, values=dict(values))


def writable(name: str, schema: str | None, *, is_open: bool) -> list[str]:
    """Open a schema to approved scripts, or close it; those that are open."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.value(knowledge.writable(name) if schema is None else knowledge.set_writable(name, schema, is_open=is_open))
    from workers.sources.writing import allow_writing, forbid_writing, writable_schemas

    source_of(name)
    if schema is not None:
        (allow_writing if is_open else forbid_writing)(database(), name, schema)
    return list(writable_schemas(database(), name))


def set_policy(name: str, policy: SourcePolicy) -> None:
    """Define what an owner sees of a table."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        away.value(knowledge.set_policy(name, policy.to_json()))
        return
    from workers.sources import set_policy as set_here

    set_here(database(), load_settings().data_dir, name, policy)


def policies(name: str) -> list[SourcePolicy]:
    """What owners see of a source."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[SourcePolicy], knowledge.policies(name))
    from workers.sources import list_policies

    source_of(name)
    return list(list_policies(database(), name))


def remove_policy(name: str, owner: str, table: str) -> None:
    """Remove an owner's policy on a table."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        away.value(knowledge.remove_policy(name, owner, table))
        return
    from workers.sources import remove_policy as remove_here

    remove_here(database(), name, owner, table)


def executions(*, source: str | None, owner: str | None, job_id: UUID | None, refused: bool, limit: int) -> list[Execution]:
    """What was run, the newest first."""
    if (away := gateway()) is not None:
        from bullpen_client.calls import knowledge

        return away.read(list[Execution], knowledge.audit(source=source, owner=owner, job_id=job_id, refused=refused, limit=limit))
    from workers.sources import list_executions

    return list_executions(database(), source=source, owner=owner, job_id=job_id, refused=refused, limit=limit)


def _look(checked: Checked) -> Look:
    tables = tuple(
        TableFound(table.full_name, table.is_view, tuple(column.name for column in table.columns))
        for table in checked.schema.tables
        if not table.elsewhere
    )
    return Look(tables, tuple(checked.faults), tuple(checked.broken), checked.schema.notes)
