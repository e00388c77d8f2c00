"""Pieces of the sentences of a requirement: what a row is, keys, ties."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Iterator, Sequence
from datetime import date, timedelta

from contracts.pipelines.expressions import ColumnOf, Expression
from contracts.statements import names, say
from contracts.tables import TableDetail
from workers.engines.requirements.prose.column_names import LIKE_NAME, fits
from workers.engines.requirements.prose.draft import Draft
from workers.engines.requirements.prose.nouns import plain
from workers.engines.requirements.prose.schema import Schema
from workers.engines.requirements.prose.scope import Scope

COUNTER = r"(?:一)?(?:个|位|家|名|条|笔|件|张|只|台|辆|份|种|类|本|部|门|间)?"
"""Chinese counters between 每 and a noun."""
UP = frozenset({"lower", "smaller", "earlier", "lowest", "smallest", "earliest", "小", "早", "低"})
"""Words for the smaller of two values."""


def same_name(scope: Scope, wanted: str) -> ColumnOf | None:
    """The nearest column of this very name."""
    for distance in range(3):
        found = [
            ColumnOf(step=place.alias, name=column.name)
            for place in scope.places.values()
            if place.alias.count(">") == distance
            for column in place.table.columns
            if column.name.lower() == wanted.lower()
        ]
        if found:
            return found[0] if len(found) == 1 else None
    return None


def own_column(scope: Scope, words: str) -> ColumnOf | None:
    """The column of the base itself that words name."""
    found = scope.column(words)
    return found if found is not None and found.step == scope.base.name else None


def key_of(thing: str, scope: Scope) -> tuple[ColumnOf, ...] | None:
    """The columns of a base that name a thing: `member` is member_id."""
    if not thing:
        return None
    if (column := own_column(scope, thing)) is not None:
        return (column,)
    table = scope.schema.entity(thing)
    if table is not None and table.full_name != scope.base.full_name:
        places = [place for place in scope.place_of(table) if len(place.path) == 1]
        if len(places) == 1:
            return tuple(ColumnOf(step=scope.base.name, name=column) for column in places[0].path[0].columns)
    word = plain(thing).replace(" ", "_")
    found = [
        column.name
        for column in scope.base.columns
        if column.name.lower() in (f"{word}_id", f"{word}_key", f"{word}_no", f"{word}_code", f"{word}id")
    ]
    return (ColumnOf(step=scope.base.name, name=found[0]),) if len(found) == 1 else None


def column_key(words: str, scope: Scope) -> tuple[ColumnOf, ...] | None:
    """A column behind the references of a base that tells its rows apart."""
    found = scope.column(words)
    if found is not None:
        return (found,)
    thing = scope.schema.entity(words)
    places = [place for place in scope.place_of(thing) if place.path and len(place.path[-1].columns) == 1] if thing is not None else []
    if len(places) != 1:
        return None
    return (ColumnOf(step=places[0].alias.rpartition(">")[0], name=places[0].path[-1].columns[0]),)


def group_value(words: str, scope: Scope) -> Expression | None:
    """A column by its name, or the reference to a thing."""
    column = scope.column(words)
    if column is not None:
        return column
    key = key_of(words, scope)
    return key[0] if key is not None and len(key) == 1 else name_of(words, scope)


def name_of(words: str, scope: Scope) -> ColumnOf | None:
    """`supplier nation` is the name of the nation of the supplier, where one way leads there and it has one name."""
    thing = scope.schema.entity(words)
    places = scope.places_named(words)
    if thing is not None:  # also one that is further away may be meant
        places = [place for place in scope.places.values() if place.table.full_name == thing.full_name]
    if len(places) != 1 or not places[0].path:
        return None
    table = places[0].table
    names_ = [column.name for column in table.columns if fits("name", column, table) >= LIKE_NAME]
    return ColumnOf(step=places[0].alias, name=names_[0]) if len(names_) == 1 else None


def group_parts(words: str) -> list[str]:
    """`ward and month` as its members."""
    parts = re.split(
        r"\s*,\s*(?:and )?|\s+and\s+(?:each |every |per )?|\s*[、，和与及]\s*(?:每(?:个|一)?)?|(?<=\S)\s*每(?:个|一)?\s*(?=\S)",
        words.strip(),
    )
    return [re.sub(rf"^(?:each|every|per)\s+|^每{COUNTER}\s*", "", part.strip()) for part in parts if part and part.strip()]


def explained_parts(words: str, schema: Schema) -> str:
    """月（按 taken_at） is the month of taken_at, and `route (origin, destination)` its columns, where nothing else is called a route."""
    body = re.sub(r"(月份?|日期?|天|日|周|季度|年份?)\s*[（(]\s*按\s*([^（()）]+?)\s*[)）]", r"\2的\1", words)
    found = re.fullmatch(r"\s*(?P<noun>[^、,，（(]+?)\s*[（(](?P<parts>[^（()）]+)[)）]\s*", body)
    return found["parts"] if found and schema.entity(found["noun"]) is None and " and " not in found["noun"] else body


def grains(pre: str, rest: str) -> Iterator[tuple[str, str]]:
    """What a row is, and the text of the columns."""
    body = rest.strip()
    english = re.match(
        r"[:,]?\s*(?:with |has |having |holding |which has )?(?:exactly )?(?:one|a) row (?:for |per )?(?:each |every |a |an )?(?=\w)",
        body,
        re.IGNORECASE,
    )
    english = (
        english
        or re.match(r"[:,]?\s*(?:by|per)\s+(?:each )?(?=\w)", body, re.IGNORECASE)
        or re.match(r"[:,]?\s*for (?:each|every)\s+(?=\w)", body, re.IGNORECASE)
    )
    if english:
        tail = body[english.end() :]
        for mark in (r"\s*:\s*", r"\s*,\s*with (?:the columns:? )?", r"(?<![,\s])\s+with (?:the columns:? )?", r",\s*(?:and )?"):
            for found in re.finditer(mark, tail, re.IGNORECASE):
                if tail[: found.start()].count("(") == tail[: found.start()].count(")"):
                    yield tail[: found.start()], tail[found.end() :]
        yield tail, ""
    chinese = re.match(rf"[:：，,]?\s*(?P<g>.{{0,40}}?每{COUNTER}\s*.+?)(?:占|对应)?一行\s*(?:[:：，,]|$)\s*(?:包含|列为|列：)?\s*", body)
    if chinese:
        yield re.sub(rf"每{COUNTER}\s*", "", chinese["g"], count=1), body[chinese.end() :]
        first = re.match(rf"每{COUNTER}\s*(?P<e>.+?)\s*$", chinese["g"])
        if first is None:
            yield chinese["g"].replace("每个", "").replace("每", ""), body[chinese.end() :]
    if found := re.match(r"[:：，,]?\s*按\s*(?P<g>.+?)\s*(?P<verb>统计|汇总|计算|分组|分别统计)\s*[:：，,]?\s*", body):
        yield found["g"], body[found.end() :]
    if found := re.match(
        r"[:：，,]?\s*(?P<rows>[^，,:：]+?)按\s*(?P<g>.+?)\s*(?:统计|汇总|分组)(?:[，,]\s*每.{1,10}?一行)?\s*(?:$|[:：，,])\s*", body
    ):
        yield f"有{found['rows']}的{found['g']}", body[found.end() :]
    if found := re.fullmatch(r"按(?P<g>.+?)(?:统计|汇总|分组)?", pre):
        yield found["g"], re.sub(r"^[:：，,]\s*", "", body)


_ALSO = re.compile(
    r",?\s*(?:also (?:for )?|including |even )(?P<all>those|[\w ]+?) (?:without|that have no|which have no|with no)(?: any)? (?P<rows>[\w ]+)$"
    r"|[，,]\s*(?:也)?(?:包括|含|包含)(?:那些)?没有(?:任何)?(?P<rows_zh>.+?)的(?P<all_zh>.*)$",
    re.IGNORECASE,
)


def without_also(grain: str, schema: Schema) -> str:
    """`client, also for clients without purchases` is every client, which a row for each client says already."""
    found = _ALSO.search(grain)
    if found is None:
        return grain
    thing, everyone = grain[: found.start()].strip(), (found["all"] or found["all_zh"] or "those").strip()
    table = schema.entity(thing)
    is_same = everyone.lower() in ("those", "") or schema.entity(everyone) == table
    return thing if table is not None and is_same and schema.entity(found["rows"] or found["rows_zh"]) is not None else grain


def row_texts(rest: str) -> Iterator[tuple[str, str]]:
    """The words for the rows, and those for the columns."""
    body = re.sub(
        r"^[:：，,]\s*|^(?:with|holding|containing|that (?:has|holds)|which has)\s+(?:the columns\s+)?",
        "",
        rest.strip(),
        flags=re.IGNORECASE,
    )
    for found in re.finditer(r"\s+for (?=all |every |each )", body, re.IGNORECASE):
        yield body[found.end() :], body[: found.start()]
    for pattern in (r"\s*,?\s+with (?:the columns )?(?=\w)", r"\s*:\s*"):
        for found in re.finditer(pattern, body, re.IGNORECASE):
            yield body[: found.start()], body[found.end() :]
    for found in re.finditer(r"\s+(?:of|for)\s+", body):
        if body[: found.start()].count("(") == body[: found.start()].count(")"):
            yield body[found.end() :], body[: found.start()]
    for found in re.finditer(r"[，,]\s*(?:列为|列是|字段为|输出|包含|包括)\s*[:：]?\s*", body):
        yield body[: found.start()], body[found.end() :]
    for found in re.finditer(r"的\s*", body):
        yield body[: found.start()], re.sub(r"^(?:列为|列：)", "", body[found.end() :])


def tie_of(draft: Draft, scope: Scope, ties: tuple[str | None, str | None]) -> tuple[tuple[str, bool], ...] | None:
    """What decides among equal values: what is said, else the key, which is then said."""
    (words, direction), entity = ties, scope.base
    if words:
        column = own_column(scope, words)
        found = [label for label, value in draft.keys.items() if plain(label) == plain(words) or (column is not None and value == column)]
        return ((found[0], (direction or "").lower() not in UP),) if found else None
    shown = [
        label
        for label, value in draft.keys.items()
        if isinstance(value, ColumnOf) and value.step == entity.name and value.name in entity.primary_key
    ]
    if not shown and not entity.primary_key:
        return None
    if not shown:  # the key decides, and is not shown
        shown = [f"part_{column}" for column in entity.primary_key]
        draft.keys |= {label: ColumnOf(step=entity.name, name=column) for label, column in zip(shown, entity.primary_key, strict=True)}
    draft.assumptions.append(say("requirements.assume.ties", columns=names(label.removeprefix("part_") for label in shown)))
    return tuple((label, False) for label in shown)


def united(tables: Sequence[TableDetail]) -> TableDetail | None:
    """The columns that all of the tables have, as a table."""
    first = tables[0]
    shared = [
        column
        for column in first.columns
        if all(any(item.name.lower() == column.name.lower() for item in table.columns) for table in tables)
    ]
    if not shared:
        return None
    label = re.sub(r"_?\d+$", "", first.name) or first.name
    names_ = {table.name for table in tables}
    if label in names_:
        label = f"{label}_together"
    kept = {column.name for column in shared}
    keys = tuple(key for key in first.foreign_keys if set(key.columns) <= kept)
    return TableDetail(name=label, columns=tuple(shared), foreign_keys=keys, description=first.description.split(",")[0])


def next_day(day: str) -> str:
    """The day after one that is written as 2024-05-01."""
    return str(date.fromisoformat(day) + timedelta(days=1))
