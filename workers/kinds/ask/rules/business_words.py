"""Words of business that no schema spells out: what is sold is revenue, under any name of its column.

A word stands for a column only where exactly one column of the source fits, and where nothing in the catalogue says the word itself.
"""

import re
from collections.abc import Sequence

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import NUMERIC

_SOLD = frozenset({"sale", "sales", "selling", "sold", "paid"})
_VALUES = frozenset({"price", "amount", "value", "total"})
_REVENUE = ("revenue", "sales revenue", "turnover", "sales amount", "income")


def business_words(tables: Sequence[TableDetail]) -> dict[str, tuple[str, ...]]:
    """Other names of `table.column`, as the reader of questions takes them."""
    texts = " ".join(
        text.lower()
        for table in tables
        for text in (table.description, *(f"{column.name} {column.description}" for column in table.columns))
    )
    if re.search(r"revenue|turnover", texts):
        return {}
    found = [(table, column) for table in tables for column in table.columns if _is_revenue(column)]
    return {f"{found[0][0].full_name}.{found[0][1].name}": _REVENUE} if len(found) == 1 else {}


def _is_revenue(column: ColumnDetail) -> bool:
    words = {key(word) for word in split_name(column.name)} | {word.lower() for word in split_name(column.name)}
    return bool(words & _SOLD) and bool(words & _VALUES) and bool(NUMERIC.search(column.type))
