"""What a schema is called: words → the tables, columns, flags and values that they may stand for.

Names come from identifiers (with abbreviations written out), from comments that begin with a name, from the synonyms of the catalogue, and
from the values of the data with what comments say they mean.
"""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path

import yaml

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.comments import glossed_values, names_in, shortened
from workers.engines.questions.grammar import Link
from workers.engines.questions.spelling import without_prefix, without_unit, written_out
from workers.engines.questions.words import key, split_name
from workers.engines.sql.build_values import NUMERIC, as_number
from workers.engines.sql.plan_check import is_temporal
from workers.engines.sql.truth import holds_truth

MOST_WORDS = 6
"""Of an English name or value."""
MOST_CHARACTERS = 12
"""Of a Chinese one."""
_LONGEST_COMMENT = 4
"""Words of an English comment that is a name as a whole."""
_ASKING = frozenset({"is", "has", "was", "have", "had", "did", "can"})
_OWN = frozenset({"id", "key", "code", "name", "title", "number"})
"""Last words that columns have in common: beside the name of a table they are its own."""
_UNITS_OF_TIME = frozenset({"hour", "day", "week", "month", "quarter", "year"})
"""Words that name a column only beside its table: `by month` is not by `lease_months`."""
_WHEN = frozenset({"at", "on", "date", "time", "ts", "timestamp", "day"})

Phrase = tuple[str, ...]


class Links(list["Link"]):
    """What a phrase may be, in the order in which it was found, each once."""

    def __init__(self) -> None:
        super().__init__()
        self.held: set[Link] = set()
        """For a schema of a thousand tables with the same columns."""


Index = defaultdict[Phrase, Links]


class Names:
    """The names of a set of tables."""

    def __init__(self, tables: Sequence[TableDetail], synonyms: Mapping[str, Sequence[str]] | None = None) -> None:
        """`synonyms`: other names of tables and of `table.column`."""
        self.tables = {table.full_name: table for table in tables}
        self.of_tables: Index = defaultdict(Links)
        self.of_columns: Index = defaultdict(Links)
        self.of_flags: Index = defaultdict(Links)
        self.of_values: Index = defaultdict(Links)
        for table in tables:
            self._add_table(table)
        for name, words in (synonyms or {}).items():
            table, _, column = name.rpartition(".") if name not in self.tables else (name, "", "")
            for word in words if table in self.tables else ():
                _add(self.of_columns if column else self.of_tables, phrase_of(word), Link(table, column))

        for word, phrase in chinese_names():
            for index in (self.of_tables, self.of_columns, self.of_flags, self.of_values):
                links = index.get(phrase)
                if links and all(link.is_partial for link in index.get((word,), ())):
                    for link in links:
                        _add(index, (word,), link)
        self.phrases = self.of_tables.keys() | self.of_columns.keys() | self.of_flags.keys() | self.of_values.keys()
        """All that name something."""

    def _add_table(self, table: TableDetail) -> None:
        own = [key(part) for word in without_prefix(split_name(table.name)) for part in written_out(word)]
        link = Link(table.full_name)
        for phrase in (tuple(own), tuple(key(word) for word in split_name(table.name)), *_called(table.description)):
            _add(self.of_tables, phrase, link)
        partial = Link(table.full_name, is_partial=True)
        for named in (table.name, *names_in(table.description)):
            _add(self.of_tables, phrase_of(shortened(named)), partial)
        if len(own) > 1:
            _add(self.of_tables, tuple(own[-1:]), partial)
        for column in table.columns:
            self._add_column(table, column, own)

    def _add_column(self, table: TableDetail, column: ColumnDetail, own: Sequence[str]) -> None:
        words = [key(part) for word in split_name(column.name) for part in written_out(word, own)]
        link, partial = Link(table.full_name, column.name), Link(table.full_name, column.name, is_partial=True)
        bare = [word for word in words if word not in own] or words
        bare = words if len(bare) == 1 and bare[0] in _UNITS_OF_TIME else bare
        plain = tuple(without_unit(bare, is_number=bool(NUMERIC.search(column.type))))
        for phrase in (
            tuple(words),
            tuple(key(word) for word in split_name(column.name)),
            tuple(bare),
            plain,
            *_called(column.description),
        ):
            _add(self.of_columns, phrase, link)
        for phrase in (tuple(bare), plain):
            _add(self.of_columns, (*own, *phrase), link)
            _add(self.of_columns, (*own[-1:], *phrase), link)
        if len(plain) > 1 and plain[-1] not in _OWN | _WHEN:
            _add(self.of_columns, plain[-1:], partial)
        if len(plain) > 1 and plain[-1] in _OWN | _WHEN:
            _add(self.of_columns, plain[:-1], partial)
        if holds_truth(column):
            asked = tuple(plain[1:] if len(plain) > 1 and plain[0] in _ASKING else plain)
            for phrase in (asked, tuple(words), *_called(column.description)):
                _add(self.of_flags, phrase, link)
        elif not is_temporal(column):
            for word, value in _values(column):
                _add(self.of_values, phrase_of(word), Link(table.full_name, column.name, value))

    def column(self, link: Link) -> ColumnDetail:
        """What is known of a column."""
        return next(column for column in self.tables[link.table].columns if column.name == link.column)


@cache
def chinese_names() -> list[tuple[str, Phrase]]:
    """Chinese words, and the English words by which a schema names the same (`names.zh.yaml`)."""
    known = yaml.load(Path(__file__).with_name("names.zh.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    return [(word, phrase_of(english)) for english, words in known.items() for word in words]


def phrase_of(text: str) -> Phrase:
    """The words of a name as they are looked up; a Chinese one is a single word."""
    if any("\u3400" <= sign <= "\u9fff" for sign in text):
        return ("".join(text.split()).lower(),)
    return tuple(key(word) for word in split_name(text.replace("'", "")))


def _add(index: Index, phrase: Phrase, link: Link) -> None:
    if phrase and len(phrase) <= MOST_WORDS and link not in (known := index[phrase]).held:
        exact = Link(link.table, link.column, link.value)
        if exact in known.held:
            return
        if not link.is_partial and (partial := Link(link.table, link.column, link.value, is_partial=True)) in known.held:
            known.remove(partial)
        known.append(link)
        known.held.add(link)


def _called(comment: str) -> Iterator[Phrase]:
    """The name with which a comment begins, or that it is."""
    for name in names_in(comment):
        yield phrase_of(name)
    head = comment.split(",")[0].split(";")[0].split("(")[0].strip(" .")
    words = head.split()
    if head.isascii() and 0 < len(words) <= _LONGEST_COMMENT and all(word.replace("-", "").isalpha() for word in words):
        yield phrase_of(head.lower().removeprefix("the "))


def _values(column: ColumnDetail) -> Iterator[tuple[str, str]]:
    """Words and the values that they mean."""
    for value in column.values:
        if as_number(value) is None and value.strip():
            yield value, value
    yield from glossed_values(column)
