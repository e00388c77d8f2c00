"""A join to a table that a statement reads without naming it."""

from collections.abc import Iterator
from dataclasses import dataclass

from sqlglot import exp

from contracts.tables import TableDetail
from workers.engines.sql.repair.dialects import printed
from workers.engines.sql.repair.mend import Broken, alias_of, detail_of, replaced, sources_of

KEY_ENDINGS = ("id", "_id", "key", "code")


@dataclass(frozen=True, slots=True)
class Joined:
    """A statement with one table more."""

    tree: exp.Expr
    condition: str


def with_join(broken: Broken, select: exp.Select, table: TableDetail) -> Joined | None:
    """The statement with a table joined to one that the query reads, by a key; None where no key links them, or it is read already."""
    if any(detail_of(source, [table]) is not None for source in sources_of(select)):
        return None
    for source in sources_of(select):
        detail = detail_of(source, broken.tables)
        pairs = next(links(detail, table), None) if detail is not None else None
        if pairs is None:
            continue
        conditions = [
            exp.EQ(this=exp.column(left, table=alias_of(source)), expression=exp.column(right, table=table.name)) for left, right in pairs
        ]
        condition = exp.and_(*conditions, copy=False)
        new = exp.Join(this=exp.to_table(table.full_name), kind="INNER", on=condition)
        new.set("kind", None)
        copy = select.copy()
        copy.append("joins", new)
        return Joined(replaced(broken.tree, {id(select): copy}), printed(condition, broken.dialect))
    return None


def links(left: TableDetail, right: TableDetail) -> Iterator[tuple[tuple[str, str], ...]]:
    """Pairs of columns by which two tables belong together: declared keys first, then equal names that look like keys."""
    for key in left.foreign_keys:
        if key.table in {right.full_name, right.name}:
            yield tuple(zip(key.columns, key.references, strict=False))
    for key in right.foreign_keys:
        if key.table in {left.full_name, left.name}:
            yield tuple(zip(key.references, key.columns, strict=False))
    names = {column.name.lower(): column.name for column in right.columns}
    for column in left.columns:
        other = names.get(column.name.lower())
        if other is not None and column.name.lower().endswith(KEY_ENDINGS) and column.name.lower() not in KEY_ENDINGS:
            yield ((column.name, other),)
    for near, far, is_turned in ((left, right, False), (right, left, True)):
        singular = far.name.lower().removesuffix("s")
        identity = next((column.name for column in far.columns if column.name.lower() == "id"), None)
        reference = next((column.name for column in near.columns if column.name.lower() == f"{singular}_id"), None)
        if identity is not None and reference is not None:
            yield ((identity, reference),) if is_turned else ((reference, identity),)
