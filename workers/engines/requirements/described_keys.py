"""Keys that only comments name: `key of the nation`, `nation.n_nationkey`, `region of the nation, region.r_regionkey`."""

import re
from collections.abc import Sequence

from contracts.tables import ForeignKey, TableDetail

_KEY = re.compile(
    r"^\s*(?:primary |unique )?key\b(?! of (?:the )?(?:other|another))|^\s*unique (?:identifier|id)\b|^主键|^唯一", re.IGNORECASE
)
_LOG = re.compile(r"\b(?:log|history|versions|changes|events|full list|snapshots?)\b|日志|历史|变更|流水|快照|全量", re.IGNORECASE)
"""Descriptions of tables that have several rows of a thing: what their columns call a key names the thing, not the row."""
_PLACE = re.compile(r"(?<![\w.])([A-Za-z_]\w*)\.([A-Za-z_]\w*)(?![\w.(])")

KEY_NAME = re.compile(
    r"(?:^|_)(?:id|no|nr|num|number|code|key|uid|uuid|guid|sn)$|[a-z](?:id|key|code)$|(?:编号|编码|代码|主键|序号|号)$", re.IGNORECASE
)
"""Names of keys. A column of another name may be unique by chance."""


def described_keys(tables: Sequence[TableDetail]) -> tuple[TableDetail, ...]:
    """The tables with keys and references that their columns' comments name, where the source declares none. `what was paid is
    order_items.unit_price` refers to nothing: a price is not a key."""
    columns = {
        table.name.lower(): {
            column.name.lower()
            for column in table.columns
            if column.name in table.primary_key or KEY_NAME.search(column.name) or _KEY.match(column.description)
        }
        for table in tables
    }
    return tuple(_with_keys(table, columns, tables) for table in tables)


def is_log(table: TableDetail) -> bool:
    """Whether a table has several rows of a thing, by its description."""
    return bool(_LOG.search(table.description))


def _with_keys(table: TableDetail, columns: dict[str, set[str]], tables: Sequence[TableDetail]) -> TableDetail:
    declared = {key.columns for key in table.foreign_keys}
    full_names = {other.name.lower(): other.full_name for other in tables}
    made = list(table.foreign_keys)
    for column in table.columns:
        for match in _PLACE.finditer(column.description):
            other, referred = match[1].lower(), match[2].lower()
            if other != table.name.lower() and referred in columns.get(other, ()) and (column.name,) not in declared:
                made.append(ForeignKey(columns=(column.name,), table=full_names[other], references=(match[2],)))
                break
    keys = () if is_log(table) else tuple(column.name for column in table.columns if _KEY.match(column.description))
    key = table.primary_key or (keys if len(keys) == 1 and not any(keys == item for item in table.unique) else ())
    if made == list(table.foreign_keys) and key == table.primary_key:
        return table
    return table.model_copy(update={"foreign_keys": tuple(made), "primary_key": key})
