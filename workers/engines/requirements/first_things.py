"""`The 10 customers with the highest amount` over rows of which a customer has several: the first rows are not the first customers."""

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
    """Whether a plan keeps the first rows without grouping them, and a thing of which the first are wanted has several of these rows."""
    if plan.limit is None or plan.group_by or any(item.value.aggregate is not None for item in plan.selected):
        return False
    schema = Schema(tables)
    read = [found for source in plan.sources if (found := schema.named(source.table)) is not None]
    things = [thing for pattern in _THINGS for found in pattern.finditer(text) for thing in _things(found["noun"], schema)]
    return any(
        table.full_name != thing.full_name and Scope(schema, table).place_of(thing) for thing in things if thing in read for table in read
    )


def _things(words: str, schema: Schema) -> list[TableDetail]:
    """What the words name, or the first of them."""
    parts = (words, words.split(" ", maxsplit=1)[0])
    return list(filter(None, map(schema.entity, parts)))
