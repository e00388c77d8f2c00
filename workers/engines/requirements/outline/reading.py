"""A requirement read by its parts. What is not read is said part by part, so that it can be asked about."""

import re
from collections.abc import Callable, Sequence
from copy import copy, deepcopy
from dataclasses import replace

from contracts.pipelines.analysis import OpenPart
from contracts.pipelines.expressions import ColumnOf, Expression
from contracts.statements import name, names, quote, say
from contracts.tables import TableDetail
from workers.engines.requirements.facts import NotRead
from workers.engines.requirements.outline.courtesies import is_about_source, is_story, without_courtesies
from workers.engines.requirements.outline.doubtful_times import doubtful_times
from workers.engines.requirements.outline.firsts import First, first_of, is_place
from workers.engines.requirements.outline.head_reading import HeadReader
from workers.engines.requirements.outline.heads import (
    Head,
    head_of,
    times_in_words,
)
from workers.engines.requirements.outline.items import Item
from workers.engines.requirements.outline.layout import clarified, is_left_out
from workers.engines.requirements.outline.leftovers import restricts_nothing
from workers.engines.requirements.outline.lost_words import lost_words
from workers.engines.requirements.outline.meanings import meanings_of
from workers.engines.requirements.outline.parts import Attempt, Outline
from workers.engines.requirements.outline.unnamed import name_for, rename
from workers.engines.requirements.prose.building import Builder
from workers.engines.requirements.prose.columns import Columns
from workers.engines.requirements.prose.draft import Draft, Top
from workers.engines.requirements.prose.scope import Scope


class OutlineReader(HeadReader):
    """Reads a requirement by its parts."""

    def can(self, attempt: Attempt, item: Item, meaning: str) -> bool:
        """Whether a column could be defined by other words, beside those that are read."""
        reader = Columns(deepcopy(attempt.draft), self.phrases, self._definitions)
        return reader.add(item.name.lower(), meaning, item.name)

    def unread_with(self, row: str) -> int | None:
        """How many columns are not read where this is what a row is; None: it cannot be."""
        other = OutlineReader(clarified(self.words, OpenPart.GRAIN, "", row, is_choice=True), self.schema.tables, self.phrases.times)
        best = other.outline().best
        return len(best.failed) if best is not None and (best.draft.entity is not None or best.draft.keys) else None

    def outline(self) -> Outline:
        """The parts, read as far as possible."""
        found, layout = self._found, self._layout
        rules: list[tuple[str, Callable[[Draft], bool]]] = []
        for sentence in filter(None, map(without_courtesies, layout.sentences)):
            if found.head is None and (head := head_of(sentence) or self._named_first(sentence)) is not None:
                found.head = head
                continue
            if self._contents(sentence) or self._first_rows(sentence) or self._one_of_each(sentence):
                continue
            if is_about_source(sentence) or (is_story(sentence) and restricts_nothing(sentence, self.schema.tables)):
                layout.titles.append(sentence)
                continue
            rules += self._noted(sentence)
        rules += self._noted_of_head()
        head = self._head()
        if head is None:
            return found
        made = next(self._made(head), None)
        if made is None:
            return found
        self._left_over(head, made)
        broken = [sentence for sentence, rule in rules if not rule(made)]
        if self._first is not None and not self._keep_first(made, self._first):
            return found
        found.unread += [sentence for sentence in dict.fromkeys(broken) if sentence not in found.unread]
        found.doubtful = list(doubtful_times(made, self.words, self.schema))
        if not found.unread and not found.doubtful:
            self._say_headings(made, head)
            try:
                found.reading = Builder(made, self.phrases).make()
            except NotRead as error:
                found.misfits = [label for label in made.order if label in error.words] or [
                    label for label, measure in made.measures.items() if measure.rows.table.name in error.words and label in made.order
                ]
            except RecursionError:
                found.reading = None
            if found.reading is not None:
                found.reading = replace(found.reading, left_out=lost_words(layout, made, self.schema.tables))
        return found

    def _first_rows(self, sentence: str) -> bool:
        """`Only the first 3 by amount of each month`."""
        first = first_of(sentence)
        if first is not None:
            self._first = first
        return first is not None

    def _keep_first(self, draft: Draft, first: First) -> bool:
        """Keep the first rows of each group, by columns of the target."""
        first = replace(
            first, by=self._label_of(draft, first.by), groups=tuple(self._label_of(draft, label) for label in first.groups),
            tie=self._label_of(draft, first.tie) if first.tie else "",
        )  # fmt: skip
        wanted = [first.by, *first.groups, *([first.tie] if first.tie else [])]
        missing = [label for label in wanted if label not in draft.order]
        rest = [label for label in draft.keys if label not in (*first.groups, first.by) and label in draft.order]
        if missing or draft.top is not None or (not first.tie and not rest):
            return False
        if not first.tie:
            draft.assumptions.append(say("requirements.assume.ties", columns=names(rest)))
        ties = ((first.tie, first.tie_descending),) if first.tie else ()
        draft.top = Top(first.number, first.by, first.is_descending, first.groups, ties, self._place_column)
        return True

    def _label_of(self, draft: Draft, words: str) -> str:
        """The target's column that words stand for: its name, or what was said of it."""
        if words in draft.order:
            return words
        meant = [item.name.lower() for item in self._layout.columns if words in (item.spoken, item.meaning)]
        value = draft.base.column(words) if draft.base is not None else None
        meant += [label for label, known in draft.keys.items() if value is not None and known == value]
        found = [label for label in dict.fromkeys(meant) if label in draft.order]
        return found[0] if len(found) == 1 else words

    def _say_headings(self, draft: Draft, head: Head) -> None:
        for sentence in self._layout.left_out:
            draft.assumptions.append(say("requirements.assume.left_out", sentence=quote(sentence)))
        for words in dict.fromkeys([*self._layout.titles, *filter(None, [head.heading])]):
            draft.assumptions.append(say("requirements.assume.heading", heading=quote(words)))

    def _group_value(self, part: str, scope: Scope) -> Expression | None:
        """What rows are grouped by. A thing is grouped by its key where the key is one of the columns."""
        names = {item.name.lower() for item in self._layout.columns}
        thing = self.schema.entity(part)
        if thing is not None:
            places = [place for place in scope.place_of(thing) if place.path and len(place.path[-1].columns) == 1]
            if len(places) == 1 and places[0].path[-1].columns[0].lower() in names:
                return ColumnOf(step=places[0].alias.rpartition(">")[0], name=places[0].path[-1].columns[0])
        found = next(
            (value for words in times_in_words(part) if (value := super(OutlineReader, self)._group_value(words, scope)) is not None), None
        )
        return found if found is not None or thing is None else _key_behind(thing, scope)

    def _columns(self, draft: Draft, text: str, extra: Sequence[str] = ()) -> bool:
        """Read the columns one by one, and note which are not read."""
        if self._layout.columns:
            extra = ()
        items = [Item(name) for name in extra] + (self._items(text) if text.strip() else [])
        items = [item for item in items if not self._is_heading(item)]
        known = {item.name.lower() for item in items}
        items += [item for item in self._layout.columns if item.name.lower() not in known]
        self._layout.dropped = [item.name for item in items if item.name and is_left_out(item.name, self._layout)]
        items = [item for item in items if not item.name or item.name not in self._layout.dropped]
        known = {word.lower() for item in items for word in (item.name, item.meaning)}
        known |= {_spoken_name(item.meaning).lower() for item in items if not is_left_out(item.meaning, self._layout)}
        new = [Item(label) for label in self._layout.answers if label not in known]
        items = self._in_place(items, new)
        reader = Columns(draft, self.phrases, self._definitions)
        attempt = Attempt(draft, [], [])
        for item in items:
            (attempt.read if self._take_place(draft, item) or self._take(reader, item) else attempt.failed).append(item)
        if attempt.failed:  # a column may be defined by one that is listed behind it
            waiting, attempt.failed = attempt.failed, []
            for item in waiting:
                (attempt.read if self._take(reader, item) else attempt.failed).append(item)
        if draft.is_grouped and attempt.read:  # what tells the rows apart is shown, also where only measures are listed
            draft.order[:0] = [label for label in draft.keys if label not in draft.order and not label.startswith("part_")]
        self._found.attempts.append(attempt)
        return bool(items) and not attempt.failed

    def _in_place(self, items: Sequence[Item], new: Sequence[Item]) -> list[Item]:
        """The columns, with those that were said later in the place of the words that named none."""
        dropped = [at for at, item in enumerate(items) if not item.name and is_left_out(item.meaning, self._layout)]
        places = dropped if len(dropped) == len(new) else [dropped[0] if dropped else len(items)] * len(new)
        made: list[Item] = []
        for at in range(len(items) + 1):
            made += [item for item, place in zip(new, places, strict=True) if place == at]
            made += [items[at]] if at < len(items) and at not in dropped else []
        return made

    def _take_place(self, draft: Draft, item: Item) -> bool:
        """The number of a row in its group, where only the first are kept."""
        label = item.name.lower()
        meaning = self._layout.answers.get(label) or item.meaning or item.spoken
        if self._first is None or self._place_column not in ("", label) or label in draft.order or not is_place(label, meaning):
            return False
        self._place_column = label
        draft.order.append(label)
        return True

    @staticmethod
    def _is_heading(item: Item) -> bool:
        return item.name.lower() in ("columns", "fields")

    def _take(self, reader: Columns, item: Item) -> bool:
        """Define a column by the first of its meanings that is read."""
        label, draft = item.name.lower(), reader.draft
        if not label:  # `the title of the course`: its words give it a name
            kept = {name: deepcopy(value) if name in _CHANGED else copy(value) for name, value in vars(draft).items()}
            if reader.part(item.meaning):
                return True
            vars(draft).update(kept)
            return self._take_unnamed(reader, item)
        for meaning in meanings_of(item, self._layout.answers.get(label) or self._definitions.get(label, ""), draft, self.phrases):
            kept = {name: deepcopy(value) if name in _CHANGED else copy(value) for name, value in vars(draft).items()}
            if reader.add(label, meaning, item.name):
                if item.meaning and not draft.descriptions.get(label):
                    draft.descriptions[label] = item.meaning
                return True
            vars(draft).update(kept)
        return False

    def _take_unnamed(self, reader: Columns, item: Item) -> bool:
        """注册城市, 车辆数: a column that is said in words alone is named after what it is made of, which is said."""
        draft, words = reader.draft, item.meaning
        defined = self._layout.answers.get(words.lower(), "") or self._layout.answers.get(_spoken_name(words).lower(), "")
        if not re.fullmatch(r"[\u3400-\u9fff]{2,14}(?:[（(][^（()）]*[)）])?", words):
            return False
        place = f"column_{len(draft.order) + 1}"
        if not self._take(reader, Item(place, defined or words)):
            return False
        label = _spoken_name(words) if self.schema.is_chinese else name_for(draft, place)
        if not label or label in draft.known:
            return False
        rename(draft, place, label)
        draft.descriptions[label] = words
        if label != _spoken_name(words):
            draft.assumptions.append(say("requirements.assume.column_name", column=name(label), words=quote(words)))
        return True


def _spoken_name(words: str) -> str:
    """亮度 of 亮度（每单的亮度）: the name that somebody uses who answers about it."""
    return re.split(r"[（(]", words, maxsplit=1)[0].strip()


def _key_behind(thing: TableDetail, scope: Scope) -> Expression | None:
    """The key of a thing behind others, where only one way leads to it: a wash is one of the laundromat of its machine."""
    places = [place for place in scope.places.values() if place.table.full_name == thing.full_name]
    if len(places) != 1 or not places[0].path or len(places[0].path[-1].columns) != 1:
        return None
    return ColumnOf(step=places[0].alias.rpartition(">")[0], name=places[0].path[-1].columns[0])


_CHANGED = frozenset({"keys", "measures", "later", "order", "units", "descriptions", "assumptions"})
"""Parts of a draft that reading a column may change."""
