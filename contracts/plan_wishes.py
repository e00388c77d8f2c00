"""A query as somebody fills it in: tables, figures, columns, conditions, a time, an order. Code makes the typed plan of it."""

from datetime import date
from typing import Annotated

from pydantic import Field, StringConstraints

from contracts.base import Contract, Text
from contracts.charts import Mark
from contracts.queries import Aggregate, Operator, TimeUnit
from contracts.sources import SourceName

TableColumn = Annotated[str, StringConstraints(pattern=r"^.+\..+$", max_length=400)]
"""The full name of a table, a dot, and a column of it."""


class WishedFigure(Contract):
    """Something that is counted or added up."""

    aggregate: Aggregate
    column: TableColumn | None = None
    """None: rows of the first table are counted."""


class WishedCondition(Contract):
    """Which rows count."""

    column: TableColumn
    operator: Operator = Operator.EQUAL
    values: tuple[Text, ...] = ()


class PlanWish(Contract):
    """What a query is to show."""

    source: SourceName
    table: Text
    """The table whose rows are meant, by its full name."""
    others: tuple[Text, ...] = Field(default=(), max_length=5)
    """Tables that are joined to it."""
    figures: tuple[WishedFigure, ...] = Field(default=(), max_length=5)
    columns: tuple[TableColumn, ...] = Field(default=(), max_length=30)
    """By which figures are grouped; without figures: what is listed."""
    conditions: tuple[WishedCondition, ...] = Field(default=(), max_length=10)
    time: TableColumn | None = None
    """The column that says when."""
    unit: TimeUnit | None = None
    """By which figures are grouped as well."""
    since: date | None = None
    until: date | None = None
    """The last day that belongs to it."""
    order: Annotated[int, Field(ge=1, le=100)] | None = None
    """By which column of the result, from 1. None: by time or group where there is one."""
    descending: bool = False
    limit: Annotated[int, Field(ge=1, le=10_000)] | None = None
    mark: Mark | None = None
    """How the result is drawn. None: as it suits it."""
