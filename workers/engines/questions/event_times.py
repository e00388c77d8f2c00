"""Which times of a table say when what it is about happened, and which only when a row was written, or until when something holds."""

import re

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.spelling import root
from workers.engines.questions.words import split_name
from workers.engines.sql.plan_check import is_temporal

_AUDIT = re.compile(r"(?:crtd|created?|updated?|modified|inserted|loaded)(?:_?(?:ts|at|on|date|time|timestamp))?$", re.IGNORECASE)
_CREATED = re.compile(r"(?:crtd|created?)", re.IGNORECASE)
_NO_EVENT = re.compile(r"birth|dob|expir|valid|due|until|deadline|(?:^|_)(?:end|exp)(?:_|$)", re.IGNORECASE)

_LATER = re.compile(r"clos|solv|finish|complet|respon|answer|ship|deliver|paid|cancel|refund|return|approv|reject|end", re.IGNORECASE)
"""Names of what becomes of something that was created before."""


def own_times(table: TableDetail) -> list[str]:
    """Columns that say when what the table is about happened. When a row was written counts if there are no others, or if the others all
    came later: a ticket is created, then answered, then solved."""
    times = [column for column in table.columns if column.type and is_temporal(column)]
    others = [column for column in times if not _AUDIT.match(column.name)]
    events = [column for column in others if not _NO_EVENT.search(column.name)]
    created = [column for column in times if _AUDIT.match(column.name) and _CREATED.match(column.name)]
    if not others:
        return [column.name for column in times]
    is_first = len(created) == 1 and all(_may_follow(column, created[0]) for column in events)
    return [column.name for column in (*(created if is_first else ()), *others)]


def _may_follow(column: ColumnDetail, earlier: ColumnDetail) -> bool:
    """Whether the times of a column may all be after those of another; where their bounds are not known, by its name. What has not
    happened to the newest rows yet has an earlier last time."""
    bounds = [(column.minimum, earlier.minimum), *([] if column.nulls else [(column.maximum, earlier.maximum)])]
    known = [own[:10] >= other[:10] for own, other in bounds if own is not None and other is not None]
    return all(known) if known else bool(_LATER.search(column.name))


def event_times(table: TableDetail) -> list[str]:
    """The times of a table that a time without a column may mean: of several, the one that is named like the table (`shipped_at` of
    shipments), else the one at which its rows began, and never a birthday or a time until which something is valid where there are others.
    """
    times = own_times(table)
    roots = {root(word) for word in split_name(table.name)}
    named = [name for name in times if any(root(word) in roots for word in split_name(name))]
    if len(named) == 1:
        return named
    times = [name for name in times if not _NO_EVENT.search(name)] or times
    if len(times) > 1 and _AUDIT.match(times[0]):
        return times[:1]
    nulls = {column.name: column.nulls for column in table.columns}
    always = [name for name in times if nulls[name] == 0]
    # what always happened is the event itself, and what happened to some rows only is what came of it
    return always if len(always) == 1 and all(nulls[name] for name in times if name not in always) else times
