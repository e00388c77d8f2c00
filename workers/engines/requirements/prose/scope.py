"""What names in a requirement stand for: tables by the nouns for their rows, columns as seen from a row of a table.

From a row of a table every reference leads to one row of another, so `the city of the depot` is a value of a parcel. A name that fits
several places equally well is not read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache

from contracts.pipelines.expressions import ColumnOf
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.questions.chinese_words import LEXICON
from workers.engines.requirements.chinese_names import is_stand_in
from workers.engines.requirements.prose.chinese_terms import english_of
from workers.engines.sql.build_values import TEMPORAL
from workers.engines.sql.plan_check import is_temporal

MOST_STEPS_UP = 4
"""References that are followed from a table."""
BY_NAME = 0.97
"""From here on a phrase is the column's own name."""
LIKE_NAME = 0.88
"""From here on a phrase is a name of the column, perhaps without its table's, or in another language; below, words of its comment."""
MOST_LETTERS = 60
"""Characters of a phrase that may name a column."""
LEAST_PREFIX = 2
"""Letters with which all names of a source begin; less is chance."""
LONGEST_NOUN = 8
"""Characters of a Chinese noun for rows."""
_ARTICLE = re.compile(
    r"^(?:(?:the|a|an|all|any|every|each|its|their|his|her|this|that|these|those|such)\s+)+|^(?:所有的?|全部的?|其|该|这些|每个)\s*",
    re.IGNORECASE,
)
_COUNTERS = "个位名家笔条张件次只份种类辆台项门"
_CHINESE = re.compile(r"[\u3400-\u9fff]+")
_GENERAL = frozenset({"date", "time", "day", "key", "id", "no", "number", "name", "status", "priority", "type", "code"})
"""Words that a column's name may have behind the noun of its table, written together with it."""
_WHEN = re.compile(r"_(?:on|at|date|time|ts|day)$")
_MEASURED = re.compile(r"(?<=[a-z]{3})_(?:km|m|kg|g|kwh|eur|usd|gbp|chf|cny|min|minutes|hours|h|s|sec|seconds)$")
"""The unit at the end of a name: `distance_km` is a distance."""
_KINDS_OF_ROWS = ("记录", "记录表", "信息", "信息表", "明细", "明细表", "日志", "日志表", "流水", "流水表")
"""Endings that say what kind of table it is, not what a row is."""
_LAYER = re.compile(r"^(?:raw|stg|src|dim|fact|fct|ods|dwd|dws|ads|tbl|t)_")


def plain(text: str) -> str:
    """Words in lower case without articles, the last of them in the singular."""
    body = _ARTICLE.sub("", re.sub(r"[\s_-]+", " ", text.strip().strip("`'\"").lower())).strip()
    return _singular(body)


def snake(name: str) -> str:
    """A name in lower case with `_` between its words: `startedAt` is started_at."""
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _singular(text: str) -> str:
    if len(text) > 4 and text.endswith("ies"):
        return f"{text[:-3]}y"
    if re.search(r"(?:ches|shes|xes|sses|zes)$", text):
        return text[:-2]
    return text[:-1] if len(text) > 3 and text.endswith("s") and not text.endswith(("ss", "us", "is")) else text


def nouns_of(table: TableDetail) -> frozenset[str]:
    """The nouns for the rows of a table: from its name, and the Chinese and English word with which its description begins."""
    return _nouns(table.name, table.description)


@cache
def _nouns(table: str, description: str) -> frozenset[str]:
    name = _LAYER.sub("", snake(table))
    found = {plain(table), plain(name)}
    head = re.split(r"[,，:：.。;；(（]", description, maxsplit=1)[0].strip().lower()
    found |= {plain(word) for word in re.split(r"\s*[/、]\s*", head) if word and len(word.split()) <= 3}
    chinese = (
        _CHINESE.findall(re.split(r"[,，:：。;；(（]", description, maxsplit=1)[0])
        or [word for word in _CHINESE.findall(description) if len(word) <= LONGEST_NOUN][:1]
    )
    found |= {re.sub(r"(?:信息表|明细表|记录表|表)$", "", word) or word for word in chinese}
    found |= {
        word.removesuffix(ending) for word in chinese for ending in _KINDS_OF_ROWS if word.endswith(ending) and len(word) > len(ending) + 1
    }
    found |= {word[0] for word in chinese if re.fullmatch(r".[辆只匹艘]", word)}  # 车辆 are counted as 车
    if found_of := re.match(r"([a-z]+(?: [a-z]+)?) (?:of|that|which|to|from|by|in)\b", head):
        found.add(plain(found_of[1]))
        if part_of := re.match(r"([a-z]+) of ([a-z]+)(?: of .*)?$", head):  # `lines of orders` are order lines
            found.add(f"{plain(part_of[2])} {plain(part_of[1])}")
    english = re.match(r"[a-z]+(?: [a-z]+)?$", re.sub(r"[\u3400-\u9fff].*", "", head).strip())
    if english:
        found.add(plain(english[0]))
    return frozenset(found - {""})


def _is_headed(table: TableDetail, word: str) -> bool:
    """Whether a description begins with this Chinese word: 处方 is a row of 处方, not of 处方明细."""
    head = _CHINESE.match(table.description)
    return head is not None and (re.sub(r"(?:信息表|表)$", "", head[0]) or head[0]) == word


def shared_prefix(names: Sequence[str]) -> str:
    """What all names begin with, if it is no word that some of them consist of."""
    found = _common([name.lower() for name in names]) if len(names) > 1 else ""
    return found if len(found) > 1 and all(len(name) > len(found) + 1 for name in names) else ""


def _common(names: Sequence[str]) -> str:
    """The letters with which all names begin."""
    first, last = min(names), max(names)
    place = next((place for place, (left, right) in enumerate(zip(first, last, strict=False)) if left != right), min(len(first), len(last)))
    return first[:place]


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
            *(plain(part) for part in (english_of(word) if _CHINESE.fullmatch(word) else ())),
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
            found = own or [table for table in found if plain(table.name) == word] or [table for table in found if _is_headed(table, word)]
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
    for run in _CHINESE.findall(text):
        for size in range(2, LONGEST_NOUN + 1):
            yield from (run[at : at + size] for at in range(len(run) - size + 1))


def _single_keys(tables: Sequence[TableDetail]) -> dict[str, list[TableDetail]]:
    found: dict[str, list[TableDetail]] = {}
    for table in tables:
        if len(table.primary_key) == 1:
            found.setdefault(table.primary_key[0].lower(), []).append(table)
    return found


@dataclass(frozen=True, slots=True)
class Place:
    """A table as it is reached from the rows of another."""

    alias: str
    table: TableDetail
    path: tuple[ForeignKey, ...]


@dataclass
class Scope:
    """All columns of a row of `base`, its own and those behind its references."""

    schema: Schema
    base: TableDetail
    places: dict[str, Place] = field(default_factory=dict[str, Place])
    known: dict[str, ColumnOf | None] = field(default_factory=dict[str, ColumnOf | None])
    """Phrases that were looked up already."""
    owners: dict[str, list[Place]] = field(default_factory=dict[str, list[Place]])
    """Words for places that were looked up already."""

    def __post_init__(self) -> None:
        """Follow the references."""
        waiting = [Place(self.base.name, self.base, ())]
        while waiting:
            at = waiting.pop(0)
            self.places[at.alias] = at
            if len(at.path) >= MOST_STEPS_UP:
                continue
            for key in self.schema.references(at.table):
                other = self.schema.by_name[key.table]
                if all(other.full_name != seen.table.full_name for seen in self._line(at)):
                    waiting.append(Place(f"{at.alias}>{'+'.join(key.columns)}", other, (*at.path, key)))

    def _line(self, place: Place) -> Iterator[Place]:
        """A place and those on the way to it."""
        alias = place.alias
        yield place
        while ">" in alias:
            alias = alias.rpartition(">")[0]
            yield self.places[alias]

    def detail(self, value: ColumnOf) -> ColumnDetail:
        """What is known of a column."""
        return next(item for item in self.places[value.step].table.columns if item.name == value.name)

    def may_lack(self, value: ColumnOf) -> bool:
        """Whether rows of the base are known to refer to nothing on the way to a column, so that they have no value of it."""
        alias = value.step
        while ">" in alias:
            above = alias.rpartition(">")[0]
            links = [item for item in self.places[above].table.columns if item.name in self.places[alias].path[-1].columns]
            if any(link.nulls or (link.nullable is True and link.nulls is None) for link in links):
                return True
            alias = above
        return False

    def may_tell_apart(self, value: ColumnOf) -> bool:
        """Whether no two rows of its table are known to have the same value."""
        distinct, rows = self.detail(value).distinct, self.places[value.step].table.rows
        return distinct is None or rows is None or distinct >= rows

    def type_of(self, value: ColumnOf) -> str:
        """The type of a column as its source names it."""
        return self.detail(value).type

    def place_of(self, table: TableDetail) -> list[Place]:
        """Where a table is reached, the nearest first."""
        found = [place for place in self.places.values() if place.table.full_name == table.full_name]
        nearest = min((len(place.path) for place in found), default=0)
        return [place for place in found if len(place.path) == nearest]

    def column(self, text: str) -> ColumnOf | None:
        """The column that a phrase names; None where there is none, or where it may be several."""
        body = text.strip().strip("`")
        if len(body) > MOST_LETTERS:
            return None
        if body not in self.known:
            self.known[body] = self._column(body)
        return self.known[body]

    def _column(self, body: str) -> ColumnOf | None:
        if re.fullmatch(r"[A-Za-z_]\w*\.[A-Za-z_]\w*", body):
            table, _, name = body.partition(".")
            detail = self.schema.named(table)
            return self._best(name, self.place_of(detail)) if detail is not None else None
        if (found := self._best(body, list(self.places.values()))) is not None:
            return found
        for owner, name in _owned(body):
            places = self.places_named(owner)
            if len(places) == 1 and (found := self._best(name, places)) is not None:
                return found
        return None

    def places_named(self, words: str) -> list[Place]:
        """The places of a thing: `country`, or only those behind another one, `the client's country`, `country of the client`, 客户国家."""
        detail = self.schema.entity(words)
        if detail is not None:
            return self.place_of(detail)
        if role := self._places_by_role(words):
            return role
        if len(words) > MOST_LETTERS:
            return []
        if words not in self.owners:
            self.owners[words] = []  # words inside themselves name no place
            self.owners[words] = self._places_behind(words.strip())
        return self.owners[words]

    def _places_by_role(self, words: str) -> list[Place]:
        """`home studio` is where home_studio_id leads; `member's home studio` too, from a member."""
        body = words.strip()
        for noun in nouns_of(self.base):
            body = re.sub(rf"^(?:the |its )?{re.escape(noun)}(?:'s|’s) ", "", body, flags=re.IGNORECASE)
        wanted = plain(body)
        return [
            place
            for place in self.places.values()
            if len(place.path) == 1
            and len(place.path[0].columns) == 1
            and plain(re.sub(r"_(?:id|key|no|code)$", "", snake(place.path[0].columns[0]))) == wanted
        ]

    def _places_behind(self, words: str) -> list[Place]:
        for owner, name in _owned(words):
            thing = self.schema.entity(name)
            owners = self.places_named(owner) if thing is not None else []
            if thing is None or len(owners) != 1:
                continue
            found = [place for place in self.place_below(owners[0]) if place.table.full_name == thing.full_name]
            if len(found) == 1:
                return found
        return []

    def place_below(self, owner: Place) -> list[Place]:
        """The places that the rows of another refer to directly."""
        return [place for place in self.places.values() if place.alias.rpartition(">")[0] == owner.alias]

    def _best(self, text: str, places: Sequence[Place]) -> ColumnOf | None:
        """The nearest column of this very name; without one the best at the shortest distance."""
        rated = [
            (quality, len(place.path), place.alias, column.name)
            for place in places
            for column in place.table.columns
            if (quality := fits(text, column, place.table)) > 0
        ]
        for least in (BY_NAME, 0.0):
            near = [item for item in rated if item[0] >= least]
            found = [(quality, alias, name) for quality, distance, alias, name in near if distance == min(item[1] for item in near)]
            if found:
                best = max(quality for quality, _, _ in found)
                first = [(alias, name) for quality, alias, name in found if quality == best]
                return ColumnOf(step=first[0][0], name=first[0][1]) if len(first) == 1 else None
        return None

    def moment(self, verb: str = "") -> ColumnOf | None:
        """The column that says when a row of the base came about: by a verb (`sent`: sent_on), or the only one."""
        return self._moment(self.places[self.base.name], verb)

    def beginning(self, verb: str) -> ColumnOf | None:
        """The only moment of the base, or the only one that every row has, by a verb that only says that the row came about: `made`."""
        found = self.moment() if verb.lower() in _CAME_ABOUT else None
        return found if found is not None and not _LATER.search(found.name.lower()) else None

    def unfinished(self, words: str) -> ColumnOf | None:
        """The only moment of the base that its comment says is empty while words hold."""
        found = [column for column in self.base.columns if TEMPORAL.search(column.type) and lasts_while_null(words, column)]
        return ColumnOf(step=self.base.name, name=found[0].name) if len(found) == 1 else None

    def moment_above(self, verb: str) -> ColumnOf | None:
        """The moment that a verb names, of the nearest table behind the references that has one."""
        for distance in range(1, MOST_STEPS_UP + 1):
            places = [place for place in self.places.values() if len(place.path) == distance]
            found = [column for place in places if (column := self._moment(place, verb)) is not None]
            if found:
                return found[0] if len(found) == 1 else None
        return None

    def moment_at(self, place: Place, verb: str = "") -> ColumnOf | None:
        """The column that says when a row of a place came about, where there is only one; or when what a verb says happened to it."""
        return self._moment(place, verb)

    @staticmethod
    def _moment(place: Place, verb: str) -> ColumnOf | None:
        found = [column for column in place.table.columns if is_temporal(column) or TEMPORAL.search(column.type)]
        if verb:
            stems = {_stem(part) for part in (verb, *(english_of(verb) if _CHINESE.fullmatch(verb) else ()))}
            found = [
                column
                for column in found
                if any(_stem(part) in stems for part in (*words_of(column), *_event_of(column)))
                or (_CHINESE.fullmatch(verb) and verb in column.description and not lasts_while_null(verb, column))
            ]
        if len(found) > 1:  # `null until it is back` is no moment that every row has
            found = [column for column in found if column.nullable is False] or [
                column for column in found if not _NULL.search(column.description)
            ]
        if len(found) > 1:  # nothing is declared: what every row has
            full = [column for column in found if column.nulls == 0 and not _LATER.search(column.name.lower())]
            found = full if len(full) == 1 and all(column.nulls for column in found if column is not full[0]) else found
        return ColumnOf(step=place.alias, name=found[0].name) if len(found) == 1 else None


_CAME_ABOUT = frozenset({"made", "placed", "submitted", "recorded", "issued", "created", "entered", "logged"})
"""Verbs for how any row comes about: an application is made, an order is placed."""
_LATER = re.compile(r"updat|modif|chang|load|sync|delet|expir|due|end|clos|until|_to$|born|birth|cancel|return")
"""A moment of this name is not that at which a row came about."""
_NULL = re.compile(r"\bnull\b|为空|空值", re.IGNORECASE)


def lasts_while_null(words: str, column: ColumnDetail) -> bool:
    """Whether a comment says that a moment is empty while words hold: 在场 of 离场日期，在场为空, `open` of `null while it is open`."""
    found = re.escape(words.lower())
    return bool(
        re.search(
            rf"(?<![不未没无非]){found}(?:中|的|时|期间|者|状态)?(?:则|时)?(?:为|是)?(?:空|null)"
            rf"|\bnull (?:while|as long as)(?: (?:it|they|he|she|the \w+))?(?: (?:is|are))?(?: still)? {found}\b",
            column.description.lower(),
        )
    )


def words_of(column: ColumnDetail) -> list[str]:
    """The words of a column's name."""
    return [word for word in re.split(r"_+", snake(column.name)) if word]


_EVENT = re.compile(
    r"(?:day |date |time )?(?P<verb>\w+(?:ed|en|nt|ht|ld|de|id|st)) (?:on|at)\b"
    r"|(?:date|day|time) (?:of|when) (?:the |it was )?(?P<noun>\w+)$"
)


def _event_of(column: ColumnDetail) -> Iterator[str]:
    """What happened at a moment, by a name in one word (`shipdate`) or the comment (`shipped on`, `date of the order`)."""
    for word in words_of(column):
        if len(bare := re.sub(r"(?:date|time|day)$", "", word)) > 2 and bare != word:
            yield bare
    event = _EVENT.match(column.description.lower())
    if event:
        yield event["verb"] or event["noun"]


def _stem(word: str) -> str:
    body = word.lower()
    for ending in ("ping", "ting", "ing", "ped", "ted", "ed", "e", "s"):
        if len(body) - len(ending) >= 3 and body.endswith(ending):
            return body.removesuffix(ending)
    return body


def _owned(text: str) -> Iterator[tuple[str, str]]:
    """`city of the depot`, `the depot's city`, `depot city`, 仓库的城市: owner and name."""
    if found := re.fullmatch(r"(.+?) (?:of|in|from) (.+)", text, re.IGNORECASE):
        yield found[2], found[1]
    if found := re.fullmatch(r"(.+?)(?:'s|’s|s') (.+)", text):
        yield found[1], found[2]
    if found := re.fullmatch(r"(.+?)(?:的|所在的?|所属的?)(.+)", text):
        yield found[1], found[2]
    words = text.split()
    for place in range(1, len(words)):
        yield " ".join(words[:place]), " ".join(words[place:])
    if _CHINESE.match(text):
        for place in range(1, len(text)):
            yield text[:place], text[place:]


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
        re.sub(r"^(?:该|所属|所在)", "", word) for part in re.split(r"[,，:：;；(（/]", comment)[:2] for word in _CHINESE.findall(part)
    }
    if body in chinese or wanted in chinese:
        return 0.94
    lexical = LEXICON.get(body)
    if lexical and {plain(part) for part in lexical.split("/")} & {spoken, *(plain(part) for part in _shorter(name, columns, nouns))}:
        return 0.9
    if _CHINESE.fullmatch(body):
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
