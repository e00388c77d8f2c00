"""What an owner may see of the catalogue: the sources that they may query, and what the policies of these leave.

It errs on the safe side where a name is not clear: a policy on `orders` binds a table of that name in every schema, and every sample
of a table is hidden from an owner who does not see all of its rows.
"""

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

import psycopg

from contracts.base import Json
from contracts.sources import EVERYONE, SourcePolicy
from workers.blackboard.engine import Row

Connection = psycopg.Connection[Row]


@dataclass(frozen=True)
class SourceAccess:
    """What an owner may see of one source."""

    policies: tuple[SourcePolicy, ...] = ()
    """Those that bind this owner, exemptions included."""
    search: frozenset[str] = frozenset()
    """Schemas in which a table without one is looked for, in lower case."""

    def denied(self, table: str, content: Mapping[str, object]) -> bool:
        """Whether the table is not there for this owner. A view of such a table is not either: it could not be queried."""
        names = _names(table, content)
        if any(policy.denied for policy in self._binding(names)):
            return True
        return self.names_denied(str(content.get("definition", "")))

    def names_denied(self, sql: str) -> bool:
        """Whether a statement names a table that is not there for this owner."""
        return any(policy.denied and mentions(sql, policy.table.rpartition(".")[2]) for policy in self.policies)

    def hidden(self, table: str, content: Mapping[str, object]) -> frozenset[str]:
        """Columns of the table that are not there for this owner, in lower case."""
        return frozenset(name.lower() for policy in self._binding(_names(table, content)) for name in policy.hidden)

    def rows_hidden(self, table: str, content: Mapping[str, object]) -> bool:
        """Whether the owner does not see all rows, so that nothing that was sampled may be shown. Of a view that is not known."""
        if content.get("is_view") and any(not policy.exempt for policy in self.policies):
            return True
        return any(policy.predicate for policy in self._binding(_names(table, content)))

    def _binding(self, names: frozenset[str]) -> list[SourcePolicy]:
        """The policies on any of these tables. An exemption counts only where it surely means this table."""
        exempt = any(policy.exempt and self._surely(policy.table.lower(), names) for policy in self.policies)
        return [policy for policy in self.policies if _means(policy.table.lower(), names) and not (exempt and policy.owner == EVERYONE)]

    def _surely(self, policy: str, names: frozenset[str]) -> bool:
        if policy in names:
            return True
        return "." not in policy and any(name.rpartition(".")[0] in self.search and name.endswith(f".{policy}") for name in names)


@dataclass(frozen=True)
class Access:
    """What an owner may see. Without an owner (an operator at the terminal): everything."""

    owner: str | None = None
    closed: frozenset[str] = frozenset()
    """Sources that this owner may not query."""
    sources: Mapping[str, SourceAccess] = field(default_factory=dict[str, SourceAccess])
    """Those with policies that bind this owner."""

    def of(self, source: str) -> SourceAccess | None:
        """What restricts the owner within a source; None: nothing."""
        return self.sources.get(source)

    def sees(self, source: str) -> bool:
        """Whether the owner may query the source at all."""
        return source not in self.closed

    def visible_table(self, source: str, table: str, content: Json) -> Json | None:
        """A table's content as this owner sees it; None: it is not there."""
        if not self.sees(source):
            return None
        bound = self.of(source)
        if bound is None:
            return content
        if bound.denied(table, content):
            return None
        hidden = bound.hidden(table, content)
        if not hidden and not content.get("is_view"):
            return content
        kept = {name: value for name, value in content.items() if name != "definition"}
        for name in ("primary_key", "partitioned_by"):
            if any(column.lower() in hidden for column in kept.get(name, ())):
                kept.pop(name)
        kept["unique"] = [columns for columns in kept.get("unique", ()) if not _touches(columns, hidden)]
        kept["foreign_keys"] = [key for key in kept.get("foreign_keys", ()) if not _touches(key["columns"], hidden)]
        return kept


def read_access(connection: Connection, owner: str | None) -> Access:
    """What an owner may see now. Two small statements; nothing is kept, so that a new policy binds at once."""
    if owner is None:
        return Access()
    closed = connection.execute(
        "SELECT name FROM sources WHERE cardinality(owners) > 0 AND NOT %(owner)s = ANY(owners)", {"owner": owner}
    ).fetchall()
    rows = connection.execute(
        """
        SELECT p.source, p.owner, p.table_name AS "table", p.predicate, p.hidden, p.denied, p.exempt,
               ARRAY(SELECT unnest(o.search) FROM catalogue_origins o WHERE o.origin = 'source:' || p.source) AS search
        FROM source_policies p WHERE p.owner IN (%(owner)s, '*')
        """,
        {"owner": owner},
    ).fetchall()
    policies: defaultdict[str, list[SourcePolicy]] = defaultdict(list)
    search: dict[str, frozenset[str]] = {}
    for row in rows:
        source: str = row.pop("source")
        search[source] = frozenset(place.lower() for place in row.pop("search"))
        policies[source].append(SourcePolicy.model_validate(row))
    found = {source: SourceAccess(tuple(bound), search[source]) for source, bound in policies.items()}
    return Access(owner, frozenset(row["name"] for row in closed), found)


def mentions(text: str, name: str) -> bool:
    """Whether a text holds a name as a word of its own, in any letter case."""
    return re.search(rf"(?<!\w){re.escape(name)}(?!\w)", text, re.IGNORECASE) is not None


def _names(table: str, content: Mapping[str, object]) -> frozenset[str]:
    parents = content.get("parents")
    return frozenset(str(name).lower() for name in [table, *(parents if isinstance(parents, list) else [])])  # pyright: ignore[reportUnknownVariableType, reportUnknownArgumentType]


def _means(policy: str, names: Iterable[str]) -> bool:
    return any(
        name == policy or ("." not in policy and name.rpartition(".")[2] == policy) or name == policy.rpartition(".")[2] for name in names
    )


def _touches(columns: Iterable[str], hidden: frozenset[str]) -> bool:
    return any(column.lower() in hidden for column in columns)
