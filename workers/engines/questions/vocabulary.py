"""The words that a schema answers to: names of tables and columns, their parts, synonyms, descriptions, and the values of the data."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.questions.amounts import is_added_up, is_amount
from workers.engines.questions.comments import glossed_values, names_in, null_words
from workers.engines.questions.descriptions import event, head, one_row
from workers.engines.questions.descriptions import rows as rows_of
from workers.engines.questions.english_names import english_names
from workers.engines.questions.items import Link
from workers.engines.questions.keywords import PHRASES
from workers.engines.questions.known_by import in_full, shown_columns
from workers.engines.questions.places import other_names
from workers.engines.questions.spelling import root, without_prefix, without_unit, written_out
from workers.engines.questions.words import COMMON, key, other_keys, split_name
from workers.engines.sql.build_values import BOOLEAN, NUMERIC, as_number
from workers.engines.sql.plan_check import is_temporal
from workers.engines.sql.truth import holds_truth

LookUp = Callable[[str], Sequence[tuple[str, str, str]]]
"""Finds a text among the values of the data: table, column, value as stored."""

_SUFFIXES = frozenset({"name", "number", "symbol", "title", "type", "code", "score"})
_NO_NOUNS = frozenset(
    {"name", "id", "key", "number", "code", "at", "on", "ts", "flag", "description", "date", "time", "timestamp", "by", "to"}
)
"""Last words of columns that name nothing by themselves."""
_WITH_NOUNS = {"email": "address", "phone": "number", "zip": "code", "postal": "code", "telephone": "number", "mobile": "number"}
"""Names that people say with a noun behind them: the email address."""
_BY_COMMENT = 0.85
"""Quality of what a table's comment calls its rows."""
_BY_OWN_KEY = 0.95
"""Quality of the word by which a table's own key calls its rows: clients for `client_company` with its `client_id`."""
_BY_NOUN = 0.8
"""Quality of the noun of a table's name: orders for `sales_order`, but not for `sales_order_item`."""
_NO_HEADS_OF_TABLES = frozenset([
    "type", "item", "line", "detail", "history", "log", "record", "info", "data", "list", "map", "link", "entry", "status",
    "category", "group", "master", "snapshot", "price", "made", "received", "daily", "relation", "rel", "xref", "bridge",
    "assoc", "member", "name", "code", "level", "keyword",
])  # fmt: skip
_BY_DESCRIPTION = 0.8
"""Quality of the noun with which a column's description begins."""
_BY_LAST_WORD = 0.6
"""Quality of the last word of a column's name: `budget` for `annual_budget`."""
_BOUNDS = frozenset({"minimum", "maximum", "min", "max", "low", "high", "from", "to", "lower", "upper"})
"""Last words of columns that hold one end of what their other words name: `salary_min`."""
_WHEN = frozenset({"ts", "at", "date", "time", "on", "timestamp", "day", "term"})
_SIGNED = re.compile(r"[A-Za-z]{1,3}[+-]")
"""Grades and blood groups."""
_PREFIXES = frozenset({"is", "has", "have", "was", "allow", "total", "number", "require", "need", "can", "want", "receive", "accept"})
_SHORTEST_SHARED = 2
"""Characters of a prefix that all tables, or all columns of a table, share, for it to be taken off."""
_AS_WHEN = 0.61
_SALES = re.compile(r"(?:^|_)(?:sales?|orders?|purchases?|bookings?)$", re.IGNORECASE)
_SALE_AMOUNT = re.compile(
    r"^(?:sales?_?(?:price|amount|value|total)|(?:order|purchase|booking|total)_?(?:amount|value|total|price)|amount|total)$", re.IGNORECASE
)
_WHENS = (_AS_WHEN, _AS_WHEN * 0.8, 0.8 * (_AS_WHEN * 0.8))
"""Qualities of a column of times by a part of its name: as it is, for a synonym, and for another form of one. No other link has them."""
_BY_REFERENCE = 0.7
"""Quality of a key's comment as its own name, where it names the rows of another table."""
_CODE_ZH = re.compile(r"(?:编码|编号|代码|号码|号|ID|id|码)(?:$|[（(，,：:])")
_BELONGS = ("所属", "所在")
_LEAST_NAMES = 3
_MOST_WORDS_OF_A_VALUE = 8
_LONGEST_CHINESE = 8
_SHORTEST_JOINED = 5
_LEAST_DESCRIBED = 2
"""Words that must all be in a description for it to be meant."""


class Vocabulary:
    """What may be meant by words, for a set of tables."""

    def __init__(self, tables: Sequence[TableDetail], synonyms: Mapping[str, Sequence[str]] | None = None) -> None:
        self.tables = {table.full_name: table for table in tables}
        self._phrases: dict[frozenset[str], dict[tuple[str, str], float]] = defaultdict(dict)
        self._compounds: dict[tuple[str, ...], dict[tuple[str, str], float]] = defaultdict(dict)
        self._rooted: dict[tuple[str, ...], dict[tuple[str, str], float]] = defaultdict(dict)
        self._values: dict[tuple[str, ...], list[Link]] = defaultdict(list)
        self._roots: dict[str, list[Link]] = defaultdict(list)
        self._nulls: dict[str, list[Link]] = {}
        self.own_words: dict[str, str] = {}
        """Chinese words of comments and synonyms, as words of the lexicon."""
        self.value_words: dict[str, str] = {}
        """Chinese values of the data, as words of the lexicon where it has no such word: 处方药 is not 处方 of a 药."""
        self._described: list[tuple[Link, frozenset[str], str]] = []
        self._amounts: list[tuple[Link, frozenset[str], frozenset[str]]] = []
        shared = _shared_prefix([table.name for table in tables])
        for table in tables:
            self._add_table(table, shared)
        self._add_owners()
        self.revenue: Link | None = None
        """The column whose sum is the revenue, where no name and no comment speaks of revenue."""
        self._add_revenue()
        for name, words in (synonyms or {}).items():
            table, _, column = name.rpartition(".") if name not in self.tables else (name, "", "")
            for word in words:
                self._add([key(part) for part in split_name(word)], table, column, 1.0)
                if not word.isascii():
                    self.own_words[word] = word
        self.words = frozenset(word for phrase in self._phrases for word in phrase)
        """All words of names."""
        self.described_words = frozenset(word for _, words, _ in self._described for word in words)

    def _add(self, words: Iterable[str], table: str, column: str, quality: float, *, is_compound: bool = False) -> None:
        phrase = tuple(words)
        if len(phrase) > 1 and all(word.isascii() for word in phrase):
            rooted = self._rooted[tuple(root(word) for word in phrase)]
            rooted[table, column] = max(rooted.get((table, column), 0.0), 0.9 * quality)
        if phrase:
            known = self._compounds[phrase] if is_compound else self._phrases[frozenset(phrase)]
            known[table, column] = max(known.get((table, column), 0.0), quality)

    def _add_table(self, table: TableDetail, shared: str) -> None:
        name = table.full_name
        split = without_prefix(split_name(table.name.removeprefix(shared)))
        words = [key(part) for word in split for part in self._segmented(word, table)]
        self._add(words, name, "", 1.0)
        self._add(_as_written(table.name), name, "", 1.0)
        self._add_comment(table.description, name, "", words)
        rows = rows_of(table.description)  # `Classes on the timetable`
        if (rows and key(rows[-1]) != rows[-1]) or (rows := one_row(table.description)):
            self._add([key(word) for word in rows], name, "", _BY_COMMENT)
        for word in words if len(words) > 1 else ():
            self._add([word], name, "", _BY_NOUN if word == words[-1] and word not in _NO_HEADS_OF_TABLES else 0.65)
        for word in _kept_by_key(table, words):
            self._add([word], name, "", _BY_OWN_KEY)
        prefix = _shared_prefix([column.name for column in table.columns if "_" not in column.name])
        for column in table.columns:
            self._add_column(table, column, words, prefix if column.name.startswith(prefix) else "")
            self._add_values(name, column)
            for word in null_words(column):
                self._nulls.setdefault(word, []).append(Link(name, column.name, quality=0.9))
                self.own_words |= {} if word.isascii() else {word: word}
            self._add_comment(column.description, name, column.name, names_in(table.description))
            described = frozenset(key(word) for word in re.findall(r"[A-Za-z]+", column.description))
            self._described.append((Link(name, column.name, quality=0.7), described, column.description))
            if is_amount(column):
                own = frozenset(key(word) for word in split_name(column.name)) - {"number", "total", "count", "of"}
                self._amounts.append((Link(name, column.name, quality=0.8), own, own | described))

    def _add_column(self, table: TableDetail, column: ColumnDetail, of: list[str], prefix: str) -> None:
        words = [key(part) for word in split_name(column.name.removeprefix(prefix)) for part in self._segmented(word, table, of)]
        name = table.full_name
        self._add(words, name, column.name, 1.0)
        self._add(_as_written(column.name) if "_" in column.name or _is_no_word(column.name) else (), name, column.name, 1.0)
        words = without_unit(words, is_number=bool(NUMERIC.search(column.type)))
        self._add(words, name, column.name, 0.95)
        if len(words) > 1 and words[-1] not in _NO_NOUNS and not holds_truth(column):
            self._add(words[-1:], name, column.name, _BY_LAST_WORD)
        if len(words) > 1 and words[-1] in _BOUNDS and NUMERIC.search(column.type):
            self._add(words[:-1], name, column.name, _BY_LAST_WORD)
        if len(words) == 1 and (match := re.fullmatch(r"(first|last|middle)(name)", words[0])):
            words = list(match.groups())
            self._add(words, name, column.name, 1.0)
        bare = [word for word in words if word not in of] or words
        self._add(bare, name, column.name, 0.9)
        self._add([*of, *bare], name, column.name, 1.0, is_compound=True)
        if len(of) > 1:
            self._add([of[0], *bare], name, column.name, 0.85, is_compound=True)
            self._add([of[-1], *bare], name, column.name, 0.85, is_compound=True)
        if words[-1] in _WITH_NOUNS and len(words) == 1:
            self._add([words[0], _WITH_NOUNS[words[0]]], name, column.name, 1.0)
        if words in (["full", "name"], ["complete", "name"], ["display", "name"]):
            self._add(["name"], name, column.name, 0.95)
        if len(words) > 1 and words[-1] in _SUFFIXES and not (words[-1] == "name" and words[0] in ("first", "last", "middle")):
            self._add(words[:-1], name, column.name, 0.85 if words[-1] in ("name", "title") else 0.7)
        is_year = words[-1] == "year" and bool(NUMERIC.search(column.type))
        if len(words) > 1 and ((words[-1] in _WHEN and is_temporal(column)) or is_year):
            self._add(words[:-1], name, column.name, _AS_WHEN)
            for form in other_keys(words[0]) if len(words) == 2 else ():  # `hire` for `hired_on`
                self._add([form], name, column.name, _WHENS[1])
        if words[-1] not in _SUFFIXES | _WHEN and not NUMERIC.search(column.type or "int"):
            self._add([*bare, "name"], name, column.name, 0.8)
        if len(words) > 1 and words[0] in _PREFIXES:
            self._add(words[1:], name, column.name, 0.85)
            if not holds_truth(column):  # `invoice amount` for the total amount of invoices
                self._add([*of, *words[1:]], name, column.name, 0.9, is_compound=True)
        if words[0] == "number" and len(words) > 1:
            self._add([*words[1:], *of], name, column.name, 0.8)
        self._add_description(name, column)

    def _add_description(self, table: str, column: ColumnDetail) -> None:
        """The noun of a description, and what happened at a time."""
        noun = [key(word) for word in head(column.description)]
        values = {key(word) for value in column.values for word in split_name(value)}
        owners = {
            key(part)
            for foreign in self.tables[table].foreign_keys if column.name in foreign.columns
            for word in without_prefix(split_name(foreign.table.rpartition(".")[2])) for part in written_out(word)
        }  # fmt: skip
        if noun and not values & set(noun) and noun[-1] not in owners:  # `recruiter in charge` names the recruiter and not the key
            self._add(noun, table, column.name, _BY_DESCRIPTION)
            if len(noun) > 1 and noun[-1] not in _NO_NOUNS and not holds_truth(column) and not self._refers(table, column.name):
                self._add(noun[-1:], table, column.name, _BY_LAST_WORD)  # `channel` for the sales channel
        if is_temporal(column) and (happened := event(column.description)):
            self._add([key(word) for word in happened], table, column.name, _AS_WHEN)
            for form in other_keys(happened[0]) if len(happened) == 1 else ():
                self._add([form], table, column.name, _WHENS[1])

    def _add_owners(self) -> None:
        """所属站点, the comment of a key, names the stations where their table has no Chinese name of its own."""
        for table in self.tables.values():
            comments = {column.name: column.description for column in table.columns}
            for foreign in table.foreign_keys:
                others = [other for other in self.tables.values() if foreign.table in (other.full_name, other.name)]
                is_only = sum(key_.table == foreign.table for key_ in table.foreign_keys) == 1
                if len(others) != 1 or len(foreign.columns) != 1 or not is_only or names_in(others[0].description):
                    continue
                comment = comments.get(foreign.columns[0], "")
                for word in names_in(comment) if comment.startswith(_BELONGS) else ():
                    self._add([word], others[0].full_name, "", 1.0)

    def _add_revenue(self) -> None:
        """Where nothing is called revenue, it is the only amount of a table of sales."""
        if frozenset({"revenue"}) in self._phrases or any("revenue" in words for _, words, _ in self._described):
            return
        found = [
            (table.full_name, column.name)
            for table in self.tables.values() for column in table.columns
            if _SALES.search(table.name) and _SALE_AMOUNT.search(in_full(column.name, ())) and NUMERIC.search(column.type)
        ]  # fmt: skip
        if len(found) == 1:
            self.revenue = Link(*found[0], quality=0.75)

    def _add_comment(self, comment: str, table: str, column: str, of: Sequence[str]) -> None:
        """Chinese names from a comment; a column is also known without the name of its table before it."""
        for word in names_in(comment):
            own = next((word.removeprefix(name) for name in of if word.startswith(name) and len(word) - len(name) > 1), word)
            found = self.column(Link(table, column)) if column else None
            is_doubtful = comment.startswith("是否") or comment[:1].isascii()  # `delivered 已签收`
            if found is not None and is_doubtful and any(word == glossed for glossed, _ in glossed_values(found)):
                continue  # `是否出租：1 出租`: the word is a value rather than the column
            for noun in _nouns(word, is_column=bool(column)):
                self._add([noun], table, column, _BY_LAST_WORD if column else _BY_NOUN)
                self.own_words.setdefault(noun, noun)
            owner = self._named_owner(table, column, comment)
            for name, quality in ((word, 1.0), (own, 0.9)):
                self._add([name], table, column, quality if owner is None else _BY_REFERENCE)
                if owner is not None:
                    self._add([name], owner, "", quality)
                self.own_words.setdefault(name, name)
            for names, quality in english_names(own) if not self._refers(table, column) else ():
                self._add(names, table, column, quality)
            if found is not None and is_temporal(found) and len(event := re.sub(r"(?:日期|时间|日|时刻)$", "", own)) > 1 and event != own:
                self._add([event], table, column, _AS_WHEN)
                self.own_words.setdefault(event, event)

    def _named_owner(self, table: str, column: str, comment: str) -> str | None:
        """The table whose rows a key refers to, where people know these by a name: 所属片区 is the area, and not its code."""
        foreign = [found for found in self.tables[table].foreign_keys if found.columns == (column,)]
        if (
            len(foreign) != 1
            or _CODE_ZH.search(comment)
            or sum(other.table == foreign[0].table for other in self.tables[table].foreign_keys) > 1
        ):
            return None
        owners = [name for name, detail in self.tables.items() if foreign[0].table in (name, detail.name) and name != table]
        return owners[0] if len(owners) == 1 and set(shown_columns(self.tables[owners[0]])) - set(foreign[0].references) else None

    def _refers(self, table: str, column: str) -> bool:
        """Whether the column is a key of another table, so that a name of it is rather that of the other's rows."""
        return bool(column) and any(column in foreign.columns for foreign in self.tables[table].foreign_keys)

    def _segmented(self, word: str, table: TableDetail, of: Sequence[str] = ()) -> list[str]:
        """`joindate` as `join date`, where the descriptions or common words know both parts and not the whole."""
        if (full := written_out(word, of)) != [word]:
            return full
        lowered = word.lower()
        if len(lowered) < _SHORTEST_JOINED or not lowered.isascii():
            return [word]
        known = COMMON | {
            part
            for text in (table.description, *(column.description for column in table.columns))
            for part in re.findall(r"[a-z]{3,}", text.lower())
        }
        if lowered in known or key(lowered) in known:
            return [word]
        cuts = [(lowered[:place], lowered[place:]) for place in range(2, len(lowered) - 1)]
        found = [cut for cut in cuts if all(part in known for part in cut)]
        return list(max(found, key=lambda cut: len(cut[0]))) if found else [word]

    def _add_values(self, table: str, column: ColumnDetail) -> None:
        for word, value in glossed_values(column):
            self._add_gloss(word, Link(table, column.name, value, 0.9))
        if BOOLEAN.search(column.type) or (NUMERIC.search(column.type) and column.type) or is_temporal(column):
            return
        for value in column.values:
            words = tuple(key(part) for word in re.findall(r"[\w&'.+]+", value.lower()) for part in word.split("_") if part)
            is_plain = value[-1:].isalnum() or value[-1:] in ".)!"  # `O+` and `O-` are not `O`
            if _SIGNED.fullmatch(value):
                self._values[value.lower(),].append(Link(table, column.name, value, 0.95))
            if 1 < len(value) <= _LONGEST_CHINESE and not value.isascii() and words == (value,):
                self.value_words.setdefault(value, value)
            if words and is_plain and len(words) <= _MOST_WORDS_OF_A_VALUE and as_number(value) is None and len(value) > 1:
                self._values[words].append(Link(table, column.name, value, 0.95))
                if len(words) == 1 and value.isalpha() and value.isascii():
                    self._roots[root(value)].append(Link(table, column.name, value, 0.8))

    def _add_gloss(self, word: str, link: Link) -> None:
        """A word for a coded value, and if it is Chinese its English ones."""
        if word.isascii():
            keyed = tuple(key(part) for part in re.findall(r"[\w&'.+]+", word))
            self._values[keyed].append(link)
            if len(keyed) == 1:
                self._roots[root(word)].append(replace(link, quality=0.8))
            return
        self._values[word,].append(link)
        self.own_words.setdefault(word, word)
        for names, quality in english_names(word):
            self._values[names].append(replace(link, quality=quality))
            if len(names) == 1:
                self._roots[root(names[0])].append(replace(link, quality=quality))

    def schema(self, words: Sequence[str], keys: Sequence[tuple[str, ...]], *, compounds: bool = True) -> tuple[Link, ...]:
        """Tables and columns whose name these words are. `keys`: what each word may be, the first its own. `compounds`: also a table's
        name with a column's, as in `customer city`."""
        found: dict[tuple[str, str], float] = {}
        for phrase, quality in _choices(keys):
            known = dict(self._phrases.get(frozenset(phrase), {}))
            if compounds:
                known |= {place: max(value, known.get(place, 0.0)) for place, value in self._compounds.get(tuple(phrase), {}).items()}
            if not known and len(phrase) > 1 and compounds:
                known = self._rooted.get(tuple(root(word) for word in phrase), {})  # `cancellation reason` for `cancel_reason`
            for place, value in known.items():
                found[place] = max(found.get(place, 0.0), quality * value)
        for place, value in self._phrases.get(frozenset({"".join(words)}), {}).items() if len(words) > 1 else ():
            found[place] = max(found.get(place, 0.0), value)
        return tuple(
            Link(table, column, quality=quality, is_when=bool(column) and quality in _WHENS)
            for (table, column), quality in sorted(found.items(), key=lambda item: -item[1])
        )

    def nulls(self, word: str) -> tuple[Link, ...]:
        """Columns whose comment says that they are empty for what the word says: `empty for active members`."""
        return tuple(self._nulls.get(word.lower(), ()))

    def values(self, words: Sequence[str]) -> tuple[Link, ...]:
        """Columns that have this value."""
        return tuple(self._values.get(tuple(key(part) for word in words for part in word.split("_") if part), ()))

    def truths(self, text: str, keys: Sequence[tuple[str, ...]]) -> tuple[Link, ...]:
        """The yes of columns that say yes or no, by their name or by another form of it: `refund` for `is_refunded`."""
        named = [link for link in self.schema(text.lower().split(), keys) if link.column]
        columns = [(table.full_name, column) for table in self.tables.values() for column in table.columns if holds_truth(column)]
        found = [(name, column) for name, column in columns if any((link.table, link.column) == (name, column.name) for link in named)]
        if not found and text.isalpha():
            found = [(name, column) for name, column in columns if root(text) in map(root, split_name(column.name))]
        return tuple(Link(name, column.name, "1", 0.85) for name, column in found)

    def events(self, word: str) -> tuple[Link, ...]:
        """Columns of times of what happened to some rows only, by a form of the word: `refund` for `refunded_at`."""
        found = [
            Link(table.full_name, column.name, quality=0.85)
            for table in self.tables.values() for column in table.columns
            if is_temporal(column) and column.nulls and len(words := split_name(column.name)) == 2 and words[1].lower() in _WHEN
            and root(word) == root(words[0])
        ]  # fmt: skip
        return tuple(found)

    def values_in_other_words(self, text: str, look_up: LookUp | None) -> tuple[Link, ...]:
        """Columns that have this value by another name or in another form: `California` for `CA`, `refunds` for `refunded`."""
        found: dict[tuple[str, str, str], Link] = {}
        for name, wanted in other_names(text):
            for link in self._spelled(name, look_up):
                column = self.column(link)
                words = {key(part) for word in split_name(link.column) for part in self._segmented(word, self.tables[link.table])}
                if column is not None and words & set(wanted):
                    found.setdefault((link.table, link.column, link.value), replace(link, quality=0.85))
        if not found and text.isalpha():
            found = {(link.table, link.column, link.value): link for link in self._roots.get(root(text), ())}
        return tuple(found.values())

    def _spelled(self, text: str, look_up: LookUp | None) -> list[Link]:
        """Columns that have exactly this value, in any case but for codes of a few letters."""
        known = [
            Link(table.full_name, column.name, value)
            for table in self.tables.values() for column in table.columns for value in column.values
            if value == text or (len(text) > 3 and value.lower() == text.lower())
        ]  # fmt: skip
        looked = look_up(text) if look_up is not None else ()
        return [*known, *(Link(table, column, value) for table, column, value in looked if value == text or len(text) > 3)]

    def described(self, words: frozenset[str]) -> tuple[Link, ...]:
        """The column whose description has all the words, if it is the only one."""
        if len(words) < _LEAST_DESCRIBED:
            return ()
        found = [(link, text) for link, known, text in self._described if words <= known]
        return (found[0][0],) if len(found) == 1 else ()

    def is_amount(self, link: Link) -> bool:
        """Whether the link's column itself holds a number of things."""
        column = self.column(link)
        return column is not None and is_amount(column)

    def adds_up(self, link: Link) -> bool:
        """Whether the values of the link's column make sense as a sum."""
        column = self.column(link)
        return column is not None and is_added_up(column.name, column.description)

    def amount(self, words: frozenset[str]) -> tuple[Link, ...]:
        """The column that holds a number of things, by some words of its name and others of its description: `students enrolled`."""
        found = [link for link, own, known in self._amounts if own & words and words <= known]
        return (found[0],) if len(found) == 1 else ()

    def column(self, link: Link) -> ColumnDetail | None:
        """The column of a link."""
        return next((column for column in self.tables[link.table].columns if column.name == link.column), None)


def _kept_by_key(table: TableDetail, words: Sequence[str]) -> list[str]:
    """The word of a table's name by which its only key calls the rows."""
    if len(table.primary_key) != 1 or len(words) < 2:
        return []
    own = [key(part) for part in split_name(table.primary_key[0])]
    return own[:1] if len(own) == 2 and own[0] in words and own[1] in ("id", "code", "no", "key", "number") else []


def _choices(keys: Sequence[tuple[str, ...]]) -> list[tuple[list[str], float]]:
    """The words as they are, then with one of them replaced by what it may stand for."""
    own = [part for options in keys for part in _parts(options[0])]
    made = [(own, 1.0)]
    for index, options in enumerate(keys):
        before = [part for earlier in keys[:index] for part in _parts(earlier[0])]
        behind = [part for later in keys[index + 1 :] for part in _parts(later[0])]
        made += [([*before, *_parts(other), *behind], 0.8) for other in options[1:]]
    return made


def _as_written(name: str) -> list[str]:
    """The words of an identifier without what its abbreviations stand for: who writes `tkt_sls` means that table."""
    return [key(part) for part in split_name(name)]


def _is_no_word(name: str) -> bool:
    """Whether a name is an abbreviation that says nothing else in a question: `ctry` and `amt`, but not `cat` or `max`."""
    lowered = name.lower()
    return len(name) > 2 and written_out(name) != [name] and not set(lowered[1:]) & set("aeiou") and (lowered,) not in PHRASES


def _parts(word: str) -> list[str]:
    """The words of an identifier that was written as it is in the schema."""
    return [key(part) for part in word.split("_") if part] if "_" in word else [word]


def keys_of(word: str) -> tuple[str, ...]:
    """What a word may be, its own form first."""
    return (key(word), *other_keys(word))


_NO_NOUNS_ZH = frozenset([
    "类型", "编号", "时间", "日期", "状态", "名称", "月份", "代码", "标志", "信息", "记录", "情况", "数据", "金额", "姓名", "次数", "数量",
])  # fmt: skip


_ROWS_ZH = frozenset({"记录", "明细"})
_LONGEST_OF_ROWS = 3
"""Characters that are too few for a word before 记录."""


def _nouns(name: str, *, is_column: bool) -> list[str]:
    """The noun with which a Chinese name ends, as people shorten it: 工单 for 报修工单, 评分 for 满意度评分; and what the rows of a table
    are rows of: 考试 for 考试记录."""
    noun = name[-2:]
    if not is_column and noun in _ROWS_ZH and len(name) > _LONGEST_OF_ROWS:
        return [name[:-2]]
    return [noun] if len(name) > (3 if is_column else 2) + (noun in name[:-2]) and noun not in _NO_NOUNS_ZH else []


def _shared_prefix(names: Sequence[str]) -> str:
    """Letters that all names begin with, such as `sb` in `sbcustomer` and `sbticker`."""
    if len(names) < _LEAST_NAMES:
        return ""
    lowest, highest = min(names), max(names)
    size = next((index for index, (letter, other) in enumerate(zip(lowest, highest, strict=False)) if letter != other), 0)
    prefix = lowest[:size]
    return prefix if size >= _SHORTEST_SHARED and all(len(name) > size + 1 for name in names) and "_" not in prefix else ""
