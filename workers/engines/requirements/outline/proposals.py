"""What a column that was not read may be: definitions that can be read, of what its words and its name remind of."""

import re
from collections.abc import Callable, Iterator, Sequence

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.amounts import is_added_up, is_amount
from workers.engines.requirements.outline.items import Item
from workers.engines.requirements.prose.chinese_terms import english_of
from workers.engines.requirements.prose.domains import domain_of, known_form
from workers.engines.requirements.prose.draft import Draft
from workers.engines.requirements.prose.measures import Phrases
from workers.engines.requirements.prose.nouns import nouns_of, plain, snake
from workers.engines.sql.build_values import NUMERIC, TEMPORAL

MOST = 4
"""Definitions that are offered for a column."""
_MOST_TRIED = 60
_COUNT = re.compile(r"\b(?:number|count|how many|times)\b|(?:数|次|人数|个数)(?:$|[^据])", re.IGNORECASE)
_SUM = re.compile(r"\b(?:sum|total|amount|overall|volume|revenue|income|driven)\b|合计|总|之和|金额", re.IGNORECASE)
_MEAN = re.compile(r"\b(?:average|mean|avg)\b|平均|均", re.IGNORECASE)
_LAST = re.compile(r"\b(?:latest|last|most recent|newest|max\w*)\b|最近|最后|最晚|最大|最高", re.IGNORECASE)
_FIRST = re.compile(r"\b(?:first|earliest|oldest|min\w*)\b|首次|最早|第一|最小|最低", re.IGNORECASE)
_NONE = re.compile(r"\b0\b|zero|为\s*0|零")
_MONEY = re.compile(
    r"\b(?:revenues?|sales|turnover|income|earnings|takings|spend\w*|spent)\b|收入|营收|营业额|销售额|金额|流水", re.IGNORECASE
)
_HAS_MONEY = re.compile(r"(?:^|_)(?:price|amount|amt|total|fee|fare|cost|paid|revenue|sum|value|eur|usd|cny|gbp|chf)(?:_|$)", re.IGNORECASE)
_LEAST_LETTERS = 3


def proposals(item: Item, draft: Draft, phrases: Phrases, is_read: Callable[[str], bool]) -> list[str]:
    """Definitions for a column, the nearest to its words first. `is_read`: whether one can be used for this column."""
    words = f"{item.name.replace('_', ' ')} {item.meaning} {item.spoken}".lower()
    is_chinese = re.search(r"[\u3400-\u9fff]", f"{item.meaning}{item.spoken}") is not None
    owner, base = draft.entity, draft.base.base if draft.base is not None and draft.is_grouped else None
    rated: dict[str, float] = {}
    for table in phrases.facts(owner, base) if owner is not None or base is not None else ():
        for text, score in _of_rows(table, words, is_chinese=is_chinese):
            rated[text] = max(score, rated.get(text, 0.0))
    here = draft.entity or (draft.base.base if draft.base is not None else None)
    for text, score in _of_thing(here, words, phrases) if here is not None else ():
        rated[text] = max(score, rated.get(text, 0.0))
    ordered = sorted((text for text in rated if rated[text] >= 1.0), key=lambda text: (-rated[text], len(text), text))[:_MOST_TRIED]
    found: list[str] = []
    for text in ordered:
        if len(found) == MOST:
            break
        if is_read(text):
            found.append(text)
    return found


def _of_rows(table: TableDetail, words: str, *, is_chinese: bool) -> Iterator[tuple[str, float]]:
    """Aggregates of the rows of a table."""
    named = max((1.0 for noun in nouns_of(table) if _is_in(noun, words)), default=0.0)
    tests = list(_tests(table, words))
    restrictions = (
        ["".join(f" with {column} {value}" if at == 0 else f" and {column} {value}" for at, (column, value) in enumerate(tests))]
        if tests
        else [""]
    )
    if is_chinese:
        restrictions = ["且".join(f" {column} 为 {value}" for column, value in tests)] if tests else [""]
    tail = (", 0 if none" if not is_chinese else "，没有则为 0") if _NONE.search(words) else ""
    for restriction in restrictions:
        bonus = named + len(tests)
        rows = f"{restriction.strip()}的 {table.name}" if is_chinese and restriction else f"{table.name}{restriction}"
        yield (f"{rows} 的数量" if is_chinese else f"number of {rows}"), bonus + (1.0 if _COUNT.search(words) else 0.0)
        for column in table.columns:
            near = nearness(column, words) or _as_money(column, words)
            if near <= 0 or column.name in table.primary_key:
                continue
            for english, chinese, pattern in _kinds(column):
                score = bonus + near + (1.0 if pattern.search(words) else 0.0)
                text = f"{rows} 的 {column.name} {chinese}" if is_chinese else f"{english} {column.name} of {rows}"
                yield (f"{text}{tail}" if english == "sum of" else text), score
            if _COUNT.search(words):
                yield (
                    (f"{rows} 的不同 {column.name} 数" if is_chinese else f"number of distinct {column.name} of {rows}"),
                    bonus + near + 0.5,
                )


def _kinds(column: ColumnDetail) -> Iterator[tuple[str, str, re.Pattern[str]]]:
    if TEMPORAL.search(column.type):
        yield "latest", "最大值", _LAST
        yield "earliest", "最小值", _FIRST
    elif NUMERIC.search(column.type) and not column.name.lower().endswith(("_id", "_no", "_key")):
        yield "sum of", "之和", _SUM
        yield "average", "平均值", _MEAN
        if not (is_amount(column) or is_added_up(column.name)):
            yield "largest", "最大值", _LAST


def _tests(table: TableDetail, words: str) -> Iterator[tuple[str, str]]:
    """Values of columns that the words name."""
    spoken = re.findall(r"(?<![a-z_])[a-z][a-z-]+(?![a-z_])", words) + re.findall(r"[\u3400-\u9fff]{2,}", words)
    for column in table.columns:
        known = domain_of(column)
        if not known:
            continue
        found = {known[form] for word in spoken if (form := known_form(word, [column])) in known}
        found |= {value for word, value in known.items() if re.search(r"[\u3400-\u9fff]{2,}", word) and word in words}
        if len(found) == 1:
            yield column.name, next(iter(found))


def _of_thing(table: TableDetail, words: str, phrases: Phrases) -> Iterator[tuple[str, float]]:
    """Columns of the rows themselves and of what they refer to."""
    scope = phrases.scope(table)
    for place in scope.places.values():
        for column in place.table.columns:
            near = nearness(column, words)
            if near > 0:
                named = max((1.0 for noun in nouns_of(place.table) if _is_in(noun, words)), default=0.0)
                yield (
                    (column.name if not place.path else f"{column.name} of the {plain(place.table.name)}"),
                    near + named - 0.3 * len(place.path),
                )


def nearness(column: ColumnDetail, words: str) -> float:
    """How much of a column's name and comment the words have: 0 to 2."""
    parts = [part for part in re.split(r"_+", snake(column.name)) if len(part) >= _LEAST_LETTERS]
    named = sum(_is_in(part, words) for part in parts) / max(1, len(parts))
    comment = re.split(r"[:：;；(（]", column.description.lower())[0]
    described = [word for word in re.findall(r"[a-z]{4,}|[\u3400-\u9fff]{2,}", comment) if word not in ("null", "until", "while", "with")]
    spoken = {part for chinese in re.findall(r"[\u3400-\u9fff]{2,6}", words) for part in english_of(chinese)}
    chinese = any(plain(column.name.replace("_", " ")) == plain(part) for part in spoken)
    return named + (1.0 if any(_is_in(word, words) for word in described) else 0.0) + (0.5 if chinese else 0.0)


def _as_money(column: ColumnDetail, words: str) -> float:
    """Whether the words mean money, and the column has some: it is offered, and never taken."""
    return 0.5 if _MONEY.search(words) and _HAS_MONEY.search(snake(column.name)) and NUMERIC.search(column.type) else 0.0


def _is_in(word: str, words: str) -> bool:
    if not word.isascii():
        return word in words
    stem = re.sub(r"(?:ies|es|s|ed|ing)$", "", word) if len(word) > 4 else word
    return re.search(rf"\b{re.escape(stem)}", words) is not None


def things(tables: Sequence[TableDetail], words: str, *, others: bool = False) -> list[TableDetail]:
    """The tables whose rows the words name, else all; those that are named first come first. `others`: all, those that are named first."""
    spoken = words.lower()
    places = {
        table.full_name: min((spoken.find(noun) for noun in nouns_of(table) if _is_in(noun, spoken) and noun in spoken), default=-1)
        for table in tables
    }
    exact = set(re.findall(r"[a-z_]\w*", spoken))
    named = sorted(
        (table for table in tables if places[table.full_name] >= 0 or table.name.lower() in exact),
        key=lambda table: (table.name.lower() not in exact, places[table.full_name]),
    )
    rest = [table for table in tables if table not in named]
    return [*named, *rest] if others else named or rest
