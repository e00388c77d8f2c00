"""How well a phrase names a column: by its name or a part of it, by what its comment says, in English or Chinese."""

import re
from collections.abc import Iterator
from functools import cache

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.chinese_words import LEXICON
from workers.engines.requirements.prose.chinese_terms import english_of
from workers.engines.requirements.prose.nouns import CHINESE, nouns_of, plain, shared_prefix, snake

BY_NAME = 0.97
"""From here on a phrase is the column's own name."""
LIKE_NAME = 0.88
"""From here on a phrase is a name of the column, perhaps without its table's, or in another language; below, words of its comment."""
_GENERAL = frozenset({"date", "time", "day", "key", "id", "no", "number", "name", "status", "priority", "type", "code"})
"""Words that a column's name may have behind the noun of its table, written together with it."""
_WHEN = re.compile(r"_(?:on|at|date|time|ts|day)$")
_MEASURED = re.compile(r"(?<=[a-z]{3})_(?:km|m|kg|g|kwh|eur|usd|gbp|chf|cny|min|minutes|hours|h|s|sec|seconds)$")
"""The unit at the end of a name: `distance_km` is a distance."""


def words_of(column: ColumnDetail) -> list[str]:
    """The words of a column's name."""
    return [word for word in re.split(r"_+", snake(column.name)) if word]


def fits(text: str, column: ColumnDetail, table: TableDetail) -> float:
    """How well a phrase names a column: 1 by its name, less by a part of it or by its comment; 0: it does not."""
    return _fits(text, column.name, column.description, tuple(snake(item.name) for item in table.columns), nouns_of(table))


@cache
def _fits(text: str, column: str, comment: str, columns: tuple[str, ...], nouns: frozenset[str]) -> float:
    body = text.strip().strip("`").lower()
    name = snake(column)
    if body in (name, column.lower()):
        return 1.0
    wanted, spoken = plain(body), plain(name)
    if wanted == spoken:
        return 0.97
    shorter = {plain(part) for part in _shorter(name, columns, nouns)}
    if wanted in shorter:
        return 0.95
    if " " in wanted and wanted.replace(" ", "") in {part.replace(" ", "") for part in (spoken, *shorter)}:  # orderkey, shipdate
        return 0.95
    head = re.split(r"[,，:：;；(（.。/]", comment, maxsplit=1)[0]
    chinese = {
        re.sub(r"^(?:该|所属|所在)", "", word) for part in re.split(r"[,，:：;；(（/]", comment)[:2] for word in CHINESE.findall(part)
    }
    if body in chinese or wanted in chinese:
        return 0.94
    lexical = LEXICON.get(body)
    if lexical and {plain(part) for part in lexical.split("/")} & {spoken, *(plain(part) for part in _shorter(name, columns, nouns))}:
        return 0.9
    if CHINESE.fullmatch(body):
        best = max((_fits(part, column, comment, columns, nouns) for part in english_of(body)), default=0.0)
        return LIKE_NAME if best >= LIKE_NAME else best
    meaning = plain(re.sub(r"[\u3400-\u9fff].*", "", head))
    if meaning and wanted == meaning:
        return 0.93
    owned = re.fullmatch(r"([a-z]+(?: [a-z]+)?) of (.+)", meaning)  # `key of the order`
    if owned and wanted == owned[1] and plain(owned[2]) in nouns:
        return 0.92
    is_last_word = wanted.isalpha() and re.fullmatch(rf"[a-z]+ {wanted}", meaning)  # `market segment` is a segment
    return 0.5 if is_last_word else 0.0


def _shorter(name: str, columns: tuple[str, ...], nouns: frozenset[str]) -> Iterator[str]:
    """A column's name without what all columns of its table begin with, without its table's name, and a moment without its ending."""
    prefix = re.match(r"^[a-z]{1,3}_", name)
    if prefix and all(column.startswith(prefix[0]) for column in columns):
        name = name.removeprefix(prefix[0])
        yield name
    shared = shared_prefix(columns)
    if shared and name.startswith(shared):
        yield name.removeprefix(shared).strip("_")
    for noun in nouns:
        bare = name.removeprefix(f"{noun.replace(' ', '_')}_")
        if bare != name and len(bare) > 1:
            yield bare
        if name.removeprefix(noun) in _GENERAL:  # `orderdate` of orders
            yield name.removeprefix(noun)
    if found := _MEASURED.search(name):
        yield name[: found.start()]
    if found := re.fullmatch(r"([a-z]{4,})(?:date|time)", name):  # `commitdate`
        yield found[1]
    if _WHEN.search(name):
        yield _WHEN.sub("", name)
        yield f"{_WHEN.sub('', name)} date"
