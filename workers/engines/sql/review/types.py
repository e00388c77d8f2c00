"""Column types of any source as the sandbox has them, and values of the types that are not numbers, texts or times."""

import re
from functools import lru_cache
from typing import Any

from sqlglot import exp

from workers.engines.sql.facts import TypeKind, type_kind

INTEGERS = {
    exp.DType.TINYINT: "TINYINT",
    exp.DType.SMALLINT: "SMALLINT",
    exp.DType.BIGINT: "BIGINT",
    exp.DType.UINT: "BIGINT",
    exp.DType.UBIGINT: "HUGEINT",
    exp.DType.INT128: "HUGEINT",
    exp.DType.BIGSERIAL: "BIGINT",
}
"""All other types of whole numbers are INTEGER; a display width, as in `int(11)`, is left out."""
NESTED = re.compile(r"\[\d*\]|^(?:array|list|map|struct|row|union|object|nested|tuple)\b", re.IGNORECASE)
VALUES: tuple[tuple[str, tuple[str, ...]], ...] = (
    (r"\[\d*\]|^(?:array|list)\b", ("[]",)),
    (r"^(?:map|struct|row|union|object|nested|tuple)\b", ()),
    (r"uuid", ("6f1c1de0-0000-4000-8000-000000000001", "6f1c1de0-0000-4000-8000-000000000002")),
    (r"json|variant|super", ('{"a": 1}', "[]", "{}")),
    (r"^time\b", ("00:00:00", "09:30:00", "23:59:59")),
    (r"^interval", ("1 day", "2 hours")),
    (r"blob|binary|bytea|^bit", ("0", "1")),
)
"""By a pattern of the type's name. No values: only nulls can be made."""


def other_values(type_name: str) -> list[Any] | None:
    """Values of a type that is not a number, a text, a date or a boolean; None: any text will do."""
    lower = type_name.lower().strip()
    return next((list(values) for pattern, values in VALUES if re.search(pattern, lower)), None)


def sandbox_type(name: str, dialect: str) -> exp.DataType:
    """The type in DuckDB, for the caller to put into a tree. What DuckDB does not have is text."""
    return _sandbox_type(name, dialect).copy()


@lru_cache(maxsize=1024)
def _sandbox_type(name: str, dialect: str) -> exp.DataType:
    """A review makes the same few tables some hundred times, and to parse their types took a third of its time."""
    kind, lower = type_kind(name), name.lower().strip()
    built = _built(name, dialect)
    if kind is TypeKind.INTEGER and (built is None or not built.is_type("decimal")):
        return exp.DataType.build(INTEGERS.get(built.this, "INTEGER") if built is not None else "BIGINT", dialect="duckdb")
    if kind is TypeKind.DECIMAL and lower.startswith("money"):
        return exp.DataType.build("DECIMAL(18, 2)", dialect="duckdb")
    is_kept = kind not in (TypeKind.TEXT, TypeKind.OTHER) or NESTED.search(lower) or re.match(r"time\b|interval", lower)
    if built is None or not is_kept:
        return exp.DataType.build("VARCHAR", dialect="duckdb")
    if kind in (TypeKind.TIMESTAMP, TypeKind.OTHER) and not NESTED.search(lower):
        built.set("expressions", None)  # digits of a second
    return exp.DataType.build("INTERVAL", dialect="duckdb") if lower.startswith("interval") else built


def _built(name: str, dialect: str) -> exp.DataType | None:
    try:
        built = exp.DataType.build(name or "text", dialect=dialect or None)
    except Exception:
        return None
    return None if built.is_type("array", "list", "map", "struct") and not built.expressions else built
