"""`The 10 customers with the highest amount` over rows of which a customer has several: the first rows are not the first customers. Nor are
the first groups: `the 3 products per category` are not the first three categories."""

import re
from collections.abc import Sequence

from contracts.queries import QueryPlan
from contracts.tables import TableDetail
from workers.engines.requirements.prose.schema import Schema
from workers.engines.requirements.prose.scope import Scope

_THINGS = (
    re.compile(
        r"\b(?:top|first|the) (?:\d+|one|two|three|four|five|six|seven|eight|nine|ten|twelve|twenty) (?P<noun>[a-z]+(?: [a-z]+)?)",
        re.IGNORECASE,
    ),
    re.compile(r"(?:前\s*)?(?:\d+|[一二两三四五六七八九十]+)\s*[个位名家条笔件张种款]\s*的?(?P<noun>[\u3400-\u9fff]{1,8})"),
)


def repeats_things(text: str, plan: QueryPlan, tables: Sequence[TableDetail]) -> bool:
    """Whether a plan keeps the first rows, and a row is not one of the things of which the first are wanted."""
    if plan.limit is None:
        return False
    schema = Schema(tables)
    read = {source.alias: found for source in plan.sources if (found := schema.named(source.table)) is not None}
    things = [thing for pattern in _THINGS for found in pattern.finditer(text) for thing in _things(found["noun"], schema)]
    things = [thing for thing in things if thing in read.values()]
    if plan.group_by:
        grouped = {measure.column for measure in plan.group_by if not measure.unit and not measure.part}
        return not all(any(_is_one(thing, alias, grouped) for alias, table in read.items() if table == thing) for thing in things)
    if any(item.value.aggregate is not None for item in plan.selected):
        return False
    return any(table != thing and Scope(schema, table).place_of(thing) for thing in things for table in read.values())


def _is_one(thing: TableDetail, alias: str, grouped: set[str]) -> bool:
    """Whether what rows are grouped by tells a thing from others: its key, or a column in which all have a value of their own."""
    key = {f"{alias}.{column}" for column in thing.primary_key}
    names = {f"{alias}.{column.name}" for column in thing.columns if thing.rows and column.distinct == thing.rows}
    return bool(key and key <= grouped) or bool(names & grouped)


def _things(words: str, schema: Schema) -> list[TableDetail]:
    """What the words name, or the first of them."""
    parts = (words, words.split(" ", maxsplit=1)[0])
    return list(filter(None, map(schema.entity, parts)))
