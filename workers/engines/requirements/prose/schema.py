"""The tables of a requirement, by the nouns for their rows, with the references between them."""

import re
from collections.abc import Iterator, Sequence

from contracts.tables import ForeignKey, TableDetail
from workers.engines.questions.chinese_words import LEXICON
from workers.engines.requirements.chinese_names import is_stand_in
from workers.engines.requirements.prose.chinese_terms import english_of
from workers.engines.requirements.prose.nouns import CHINESE, LONGEST_NOUN, is_headed, nouns_of, plain, shared_prefix

LEAST_PREFIX = 2
"""Letters with which all names of a source begin; less is chance."""
_COUNTERS = "个位名家笔条张件次只份种类辆台项门"


class Schema:
    """The tables of a requirement."""

    def __init__(self, tables: Sequence[TableDetail]) -> None:
        self.tables = tuple(tables)
        self.by_name = {table.full_name: table for table in tables} | {table.name: table for table in tables}
        shared = shared_prefix([table.name for table in tables])
        self._nouns = {
            table.full_name: nouns_of(table) | {plain(table.name.lower()[place:]) for place in range(LEAST_PREFIX, len(shared) + 1)}
            for table in tables
        }
        self._keys = _single_keys(tables)
        self._named: dict[str, TableDetail | None] = {}
        self.is_chinese = any(is_stand_in(column.name) for table in tables for column in table.columns)
        """The source has Chinese names of its own."""

    def named(self, name: str) -> TableDetail | None:
        """The table of this very name."""
        wanted = name.strip().strip("`").lower()
        return next((table for table in self.tables if wanted in (table.name.lower(), table.full_name.lower())), None)

    def entity(self, text: str) -> TableDetail | None:
        """The only table whose rows a noun names."""
        if (exact := self.named(text)) is not None:
            return exact
        if text not in self._named:
            self._named[text] = self._entity(text)
        return self._named[text]

    def _entity(self, text: str) -> TableDetail | None:
        whole = plain(text)  # 门店 begins with what is also a counter
        return next(filter(None, map(self._with_noun, dict.fromkeys((whole, whole.lstrip(_COUNTERS))))), None)

    def _with_noun(self, word: str) -> TableDetail | None:
        wanted = {
            word,
            *(plain(part) for part in LEXICON.get(word, "").split("/")),
            *(plain(part) for part in (english_of(word) if CHINESE.fullmatch(word) else ())),
            re.sub(r"(?:记录|信息|数据|表)$", "", word) or word,
        } - {""}
        found = [table for table in self.tables if self._nouns[table.full_name] & wanted]
        if not found and word:
            ends = [
                table
                for table in self.tables
                if any(noun.endswith((f" {item}",)) for noun in self._nouns[table.full_name] for item in wanted)
            ]
            found = ends
        if len(found) > 1:  # `orders` are those of `orders`, not of a view `all_orders`
            own = [table for table in found if table.name.lower() in (word, f"{word}s")]
            found = own or [table for table in found if plain(table.name) == word] or [table for table in found if is_headed(table, word)]
        return found[0] if len(found) == 1 else None

    def names(self, text: str, table: TableDetail) -> bool:
        """Whether some words of a text name the rows of a table."""
        return any(found is not None and found.full_name == table.full_name for found in map(self.entity, _runs(text)))

    def references(self, table: TableDetail) -> tuple[ForeignKey, ...]:
        """References that are declared, or that equal names of a column and of another table's key give."""
        known = {key.columns for key in table.foreign_keys}
        made = [key for key in table.foreign_keys if key.table in self.by_name]
        for column in table.columns:
            others = [other for other in self._keys.get(column.name.lower(), ()) if other.full_name != table.full_name]
            if len(others) == 1 and (column.name,) not in known and table.primary_key != (column.name,):
                made.append(ForeignKey(columns=(column.name,), table=others[0].full_name, references=others[0].primary_key))
        return tuple(made)


def _runs(text: str) -> Iterator[str]:
    """The words of a text, and of its Chinese all pieces that may be a noun."""
    yield from dict.fromkeys(re.findall(r"[a-z_]\w+", text.lower()))
    for run in CHINESE.findall(text):
        for size in range(2, LONGEST_NOUN + 1):
            yield from (run[at : at + size] for at in range(len(run) - size + 1))


def _single_keys(tables: Sequence[TableDetail]) -> dict[str, list[TableDetail]]:
    found: dict[str, list[TableDetail]] = {}
    for table in tables:
        if len(table.primary_key) == 1:
            found.setdefault(table.primary_key[0].lower(), []).append(table)
    return found
