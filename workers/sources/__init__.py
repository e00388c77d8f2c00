"""Sources: the users' databases, behind five locks. `Sources.query` is the one way to run a statement on one."""

from workers.sources.audit import list_executions
from workers.sources.querying import Sources
from workers.sources.registry import (
    Checked,
    add_source,
    check_source,
    get_source,
    list_policies,
    list_sources,
    remove_policy,
    remove_source,
    set_policy,
    with_url,
)
from workers.sources.schema import Knowledge, KnownColumn, KnownTable, SourceSchema

__all__ = [
    "Checked",
    "Knowledge",
    "KnownColumn",
    "KnownTable",
    "SourceSchema",
    "Sources",
    "add_source",
    "check_source",
    "get_source",
    "list_executions",
    "list_policies",
    "list_sources",
    "remove_policy",
    "remove_source",
    "set_policy",
    "with_url",
]
