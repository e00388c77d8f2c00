"""The columns of a row of a table, as names in a requirement call them.

From a row of a table every reference leads to one row of another, so `the city of the depot` is a value of a parcel. A name that fits
several places equally well is not read.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from contracts.pipelines.expressions import ColumnOf
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from workers.engines.requirements.prose.column_names import BY_NAME, fits
from workers.engines.requirements.prose.moments import is_later, moment_of, says_it_began, unfinished_in
from workers.engines.requirements.prose.nouns import CHINESE, nouns_of, plain, snake
from workers.engines.requirements.prose.schema import Schema

MOST_STEPS_UP = 4
"""References that are followed from a table."""
MOST_LETTERS = 60
"""Characters of a phrase that may name a column."""


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
        found = self.moment() if says_it_began(verb) else None
        return found if found is not None and not is_later(found.name) else None

    def unfinished(self, words: str) -> ColumnOf | None:
        """The only moment of the base that its comment says is empty while words hold."""
        found = unfinished_in(self.base, words)
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
        found = moment_of(place.table, verb)
        return ColumnOf(step=place.alias, name=found.name) if found is not None else None


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
    if CHINESE.match(text):
        for place in range(1, len(text)):
            yield text[:place], text[place:]
