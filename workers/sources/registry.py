"""Sources and their policies, as rows."""

import dataclasses
from collections.abc import Generator
from contextlib import contextmanager
from pathlib import Path

from contracts.sources import Source, SourcePolicy
from contracts.statements import Join, Name, Statement, code, listing, say
from workers.blackboard.engine import Database, Row, jsonb
from workers.errors import Conflict, NotFound, UnsafeAccount
from workers.named_secrets import keeping
from workers.saying.reasons import reason_of
from workers.sources.addresses import source_engine, variable
from workers.sources.policies import check_policy
from workers.sources.schema import SourceSchema


@dataclasses.dataclass(frozen=True, slots=True)
class Checked:
    """What a look at a source found."""

    schema: SourceSchema
    faults: list[Statement]
    """What its account could do besides reading."""
    broken: list[Statement]
    """Policies that can no longer be applied, with the reason."""


@contextmanager
def with_url(db: Database, name: str, url: str) -> Generator[None]:
    """Keep the URL of a source that is added within the block; not if that fails. Raises `Conflict` before anything is written where there
    is a source of the name: it keeps its URL."""
    _check_free(db, name)
    with keeping(variable(name), url):
        yield


def _check_free(db: Database, name: str) -> None:
    if db.row("SELECT name FROM sources WHERE name = %(name)s", {"name": name}) is not None:
        raise _taken(name)


def _taken(name: str) -> Conflict:
    return Conflict.of(say("refused.source_there", source=Name(text=name), command=code(f"bullpen source remove {name}")))


def add_source(db: Database, data_dir: Path, source: Source) -> Checked:
    """Keep a source after a look at it. Raises `UnsafeAccount`, `Conflict` or `SourceUnavailable`."""
    _check_free(db, source.name)
    checked = _look(data_dir, source)
    if checked.faults and not source.insisted:
        faults = listing(*checked.faults, join=Join.CLAUSES)
        raise UnsafeAccount.of(say("refused.source.unsafe", source=Name(text=source.name), faults=faults))
    row = db.row(
        "INSERT INTO sources (name, kind, limits, owners, insisted, sample) "
        "VALUES (%(name)s, %(kind)s, %(limits)s, %(owners)s, %(insisted)s, %(sample)s) ON CONFLICT (name) DO NOTHING RETURNING name",
        {
            "name": source.name, "kind": str(source.kind), "limits": jsonb(source.limits.to_json()), "owners": list(source.owners),
            "insisted": source.insisted, "sample": source.sample,
        },
    )  # fmt: skip
    if row is None:
        raise _taken(source.name)
    return checked


def check_source(db: Database, data_dir: Path, name: str) -> Checked:
    """Connect, read the schema, and look at the account and the policies again."""
    checked = _look(data_dir, get_source(db, name))
    for policy in list_policies(db, name):
        try:
            check_policy(policy, checked.schema)
        except Exception as error:  # reported per policy, regardless of its kind
            broken = say("refused.policy_at", owner=Name(text=policy.owner), table=Name(text=policy.table), reason=reason_of(error))
            checked.broken.append(broken)
    return checked


def _look(data_dir: Path, source: Source) -> Checked:
    engine = source_engine(source, data_dir)
    return Checked(engine.introspect(), engine.faults(), [])


def get_source(db: Database, name: str) -> Source:
    """Raises `NotFound`."""
    row = db.row("SELECT name, kind, limits, owners, insisted, sample FROM sources WHERE name = %(name)s", {"name": name})
    if row is None:
        raise NotFound.of(say("refused.no_source_listed", source=Name(text=name), command=code("bullpen source list")))
    return _source(row)


def list_sources(db: Database) -> list[Source]:
    """All, by name."""
    return [_source(row) for row in db.statement("SELECT name, kind, limits, owners, insisted, sample FROM sources ORDER BY name")]


def _source(row: Row) -> Source:
    return Source.model_validate(row)


def remove_source(db: Database, name: str) -> None:
    """Forget a source and its policies. The audit stays. Raises `NotFound`."""
    if db.row("DELETE FROM sources WHERE name = %(name)s RETURNING name", {"name": name}) is None:
        raise NotFound.of(say("refused.no_source_listed", source=Name(text=name), command=code("bullpen source list")))


def set_policy(db: Database, data_dir: Path, name: str, policy: SourcePolicy) -> None:
    """Keep a policy in the place of the one with its owner and table. Raises `InvalidInput` when it cannot be applied."""
    check_policy(policy, source_engine(get_source(db, name), data_dir).introspect())
    db.statement(
        "INSERT INTO source_policies (source, owner, table_name, predicate, hidden, denied, exempt) VALUES "
        "(%(source)s, %(owner)s, %(table)s, %(predicate)s, %(hidden)s, %(denied)s, %(exempt)s) ON CONFLICT (source, owner, table_name) "
        "DO UPDATE SET predicate = excluded.predicate, hidden = excluded.hidden, denied = excluded.denied, exempt = excluded.exempt",
        {"source": name, **policy.model_dump(), "hidden": list(policy.hidden)},
    )


def list_policies(db: Database, name: str) -> list[SourcePolicy]:
    """All of a source, by table and owner."""
    rows = db.statement(
        'SELECT owner, table_name AS "table", predicate, hidden, denied, exempt FROM source_policies WHERE source = %(source)s '
        "ORDER BY table_name, owner",
        {"source": name},
    )
    return [SourcePolicy.model_validate(row) for row in rows]


def remove_policy(db: Database, name: str, owner: str, table: str) -> None:
    """Raises `NotFound`."""
    row = db.row(
        "DELETE FROM source_policies WHERE source = %(source)s AND owner = %(owner)s AND table_name = %(table)s RETURNING owner",
        {"source": name, "owner": owner, "table": table},
    )
    if row is None:
        listed = code(f"bullpen source policy list {name}")
        raise NotFound.of(say("refused.no_policy", source=Name(text=name), owner=Name(text=owner), table=Name(text=table), command=listed))
