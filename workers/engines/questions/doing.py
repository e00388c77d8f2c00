"""How much was done: `sold the most` may mean the number of sales, of pieces, or of money."""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from contracts.queries import Aggregate
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.amounts import is_added_up
from workers.engines.questions.frame import Frame
from workers.engines.questions.items import Item, Kind, Link
from workers.engines.questions.parts import MeasurePart
from workers.engines.sql.build_values import NUMERIC
from workers.engines.sql.plan_check import is_temporal

_QUANTITY = re.compile(r"weight|units?_|_units?$|pieces|count|number", re.IGNORECASE)
_QUANTITY_ZH = re.compile(r"重量|数量")
_KEY = re.compile(r"(?:^|_)(?:id|key|no|code)$", re.IGNORECASE)


def amounts_done(frame: Frame, tables: Mapping[str, TableDetail]) -> list[Frame]:
    """The frame with each amount by which `the most` may be ranked instead of the number of rows. Empty where the question
    has no such words, or the rows have no amounts."""
    top = frame.top
    if top is None or not isinstance(top.by, MeasurePart) or not top.by.is_done or top.by.of is None:
        return []
    done = top.by.of
    return [
        replace(frame, top=replace(top, by=MeasurePart(Aggregate.SUM, replace(done, kind=Kind.COLUMN, links=(link,)))))
        for link in _amounts(done, tables)
    ]


def _amounts(done: Item, tables: Mapping[str, TableDetail]) -> Iterator[Link]:
    """Columns of amounts in the best table of the verb, then those of the rows that belong to it: the items of a sale."""
    own = tables[done.links[0].table]
    parts = [table for table in tables.values() if any(key.table in (own.full_name, own.name) for key in table.foreign_keys)]
    for table in (own, *parts):
        yield from (Link(table.full_name, column.name) for column in _of(table.columns))


def _of(columns: Sequence[ColumnDetail]) -> Iterator[ColumnDetail]:
    for column in columns:
        is_number = bool(NUMERIC.search(column.type)) and not is_temporal(column) and not _KEY.search(column.name)
        named = is_added_up(column.name, column.description) or _QUANTITY.search(column.name) or _QUANTITY_ZH.search(column.description)
        if is_number and named:
            yield column
