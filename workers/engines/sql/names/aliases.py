"""Where a dialect lets the alias of a select item be used as a name."""

from enum import StrEnum


class Clause(StrEnum):
    """Part of a query in which a column is named."""

    SELECT = "select"
    FROM = "from"
    WHERE = "where"
    GROUP = "group"
    HAVING = "having"
    QUALIFY = "qualify"
    ORDER = "order"


ANYWHERE = frozenset({"duckdb", "snowflake", "clickhouse", "redshift", "teradata"})
LATER_ITEMS = ANYWHERE | {"spark", "spark2", "databricks"}
"""An alias may be used by later items of the same select."""
WHERE = ANYWHERE | {"sqlite"}
NOT_GROUP = frozenset({"tsql", "oracle"})
HAVING = ANYWHERE | {"mysql", "sqlite", "bigquery", "spark", "spark2", "databricks", "hive", ""}

STRINGS_IN_QUOTES = frozenset({"sqlite"})
"""`"text"` that does not name anything is a string."""

PSEUDO_COLUMNS = frozenset(
    {
        "rowid",
        "oid",
        "ctid",
        "xmin",
        "xmax",
        "rownum",
        "level",
        "_rowid_",
        "_partitiontime",
        "_partitiondate",
        "_table_suffix",
        "input__file__name",
    }
)
"""Columns that engines give every table."""


def may_use_alias(clause: Clause, dialect: str) -> bool:
    """Whether an alias of the query's own items is a name in this clause."""
    match clause:
        case Clause.ORDER | Clause.QUALIFY:
            return True
        case Clause.GROUP:
            return dialect not in NOT_GROUP
        case Clause.HAVING:
            return dialect in HAVING
        case Clause.WHERE:
            return dialect in WHERE
        case Clause.SELECT:
            return dialect in LATER_ITEMS
        case Clause.FROM:
            return False
