"""A requirement read by its parts. What is not read is said part by part, so that it can be asked about."""

# ruff: noqa: E501 patterns

import re
from collections.abc import Callable, Iterator, Sequence
from copy import copy, deepcopy
from dataclasses import dataclass, field

from contracts.pipelines.expressions import ColumnOf, Expression
from contracts.statements import quote, say
from contracts.tables import TableDetail
from workers.engines.requirements.facts import NotRead, RequirementReading
from workers.engines.requirements.outline.heads import Head, grain_of, head_of, named_only, rows_in_words, times_in_words
from workers.engines.requirements.outline.items import Item, items_of
from workers.engines.requirements.outline.layout import Layout, layout_of
from workers.engines.requirements.outline.meanings import meanings_of
from workers.engines.requirements.prose.building import Builder
from workers.engines.requirements.prose.column_lists import split_columns
from workers.engines.requirements.prose.columns import Columns
from workers.engines.requirements.prose.draft import Draft
from workers.engines.requirements.prose.scope import Scope
from workers.engines.requirements.prose.sentences import ProseReader
from workers.engines.times import TimeWords


@dataclass
class Attempt:
    """A draft, with the columns that it could not read."""

    draft: Draft
    read: list[Item]
    failed: list[Item]


@dataclass
class Outline:
    """A requirement as far as its parts were read."""

    layout: Layout
    head: Head | None = None
    reading: RequirementReading | None = None
    attempts: list[Attempt] = field(default_factory=list[Attempt])
    unread: list[str] = field(default_factory=list[str])
    """Sentences that are not read, or do not fit the rest."""

    @property
    def best(self) -> Attempt | None:
        """The draft that reads most columns; the first of several."""
        return max(self.attempts, key=lambda attempt: (len(attempt.read), -len(attempt.failed)), default=None)


class OutlineReader(ProseReader):
    """Reads a requirement by its parts."""

    def __init__(self, text: str, tables: Sequence[TableDetail], times: TimeWords) -> None:
        """Find the parts of the text. Nothing is read yet."""
        super().__init__(text, tables, times)
        self.words, self.is_chinese = text, re.search(r"[\u3400-\u9fff]", text) is not None
        self._layout = layout_of(text)
        self._found = Outline(self._layout)

    @property
    def target(self) -> str:
        """The name of the target; empty: none is said."""
        return self._layout.target or (self._found.head.name if self._found.head is not None else "")

    def can(self, attempt: Attempt, item: Item, meaning: str) -> bool:
        """Whether a column could be defined by other words, beside those that are read."""
        reader = Columns(deepcopy(attempt.draft), self.phrases, self._definitions)
        return reader.add(item.name.lower(), meaning, item.name)

    def outline(self) -> Outline:
        """The parts, read as far as possible."""
        found, layout = self._found, self._layout
        rules: list[tuple[str, Callable[[Draft], bool]]] = []
        for sentence in layout.sentences:
            if found.head is None and (head := head_of(sentence)) is not None:
                found.head = head
                continue
            if self._contents(sentence):
                continue
            before = len(self._rules)
            if not self._rule(sentence):
                found.unread.append(sentence)
            rules += [(sentence, rule) for rule in self._rules[before:]]
        if found.head is None and (at := next((at for at, item in enumerate(found.unread) if named_only(item)), None)) is not None:
            found.head = named_only(found.unread.pop(at))
        self._listed_as_items()
        head = self._head()
        if head is None:
            return found
        made = next(self._made(head), None)
        if made is None:
            return found
        broken = [sentence for sentence, rule in rules if not rule(made)]
        found.unread += [sentence for sentence in dict.fromkeys(broken) if sentence not in found.unread]
        if not found.unread:
            self._say_headings(made, head)
            try:
                found.reading = Builder(made, self.phrases).make()
            except (NotRead, RecursionError):
                found.reading = None
        return found

    def _contents(self, sentence: str) -> bool:
        """`It should contain a, b and c`, 输出 a、b、c: columns in a sentence of their own."""
        found = _CONTENTS.fullmatch(sentence)
        if found is None or self._layout.columns:
            return False
        self._layout.columns += self._items(found["list"] or found["list_zh"])
        return True

    @staticmethod
    def _items(text: str) -> list[Item]:
        parts = [
            piece
            for part in split_columns(text)
            for piece in re.split(r"(?<=[)）])\s+and\s+(?=the\s)|,?\s+and\s+(?=the (?:day|week|month|quarter|year) )", part)
        ]
        return [item for part in parts for item in (items_of(part, is_sure=True) or [_unnamed(part)])]

    def _listed_as_items(self) -> None:
        """`Columns: a, b, c.` in a sentence of its own."""
        if self._listed and not self._layout.columns:
            self._layout.columns += [item for part in self._listed for item in (items_of(part, is_sure=True) or [Item("", part)])]
        self._listed = []

    def _head(self) -> Head | None:
        """The head of the sentences and of the labelled lines together."""
        found, layout = self._found.head, self._layout
        name = layout.target or (found.name if found is not None else "")
        if not name:
            return None
        if layout.grain:
            return Head(
                name,
                "",
                f", one row per {grain_of(layout.grain[-1])}{self._behind_colon(found)}",
                found.heading if found is not None else "",
            )
        if found is not None:
            return Head(name, found.pre, found.rest, found.heading)
        for sentence in list(self._found.unread):  # the name is a label; a sentence says what a row is
            for head in (Head(name, "", rows_in_words(f", {sentence}")), Head(name, "", rows_in_words(f" {sentence}"))):
                if next(self._made(head), None) is not None:
                    self._found.unread.remove(sentence)
                    return head
        return Head(name, "", "")

    def _behind_colon(self, found: Head | None) -> str:
        """The columns that the head itself lists, where a line says what a row is."""
        if found is None or self._layout.columns:
            return ""
        behind = re.search(r"[:：]\s*(\S.*)$", found.rest, re.DOTALL) or re.search(
            r"(?:,? with (?:the columns )?|[，,](?:列出|列为|包含|包括|输出))(?!.*[，,] with )(\w.*,.*|.*、.*)$", found.rest, re.DOTALL
        )
        return f": {behind[1]}" if behind else ""

    def _made(self, head: Head) -> Iterator[Draft]:
        try:
            yield from self.drafts(head.name.lower(), head.pre, head.rest)
        except RecursionError:
            return

    def _say_headings(self, draft: Draft, head: Head) -> None:
        for sentence in self._layout.left_out:
            draft.assumptions.append(say("requirements.assume.left_out", sentence=quote(sentence)))
        for words in dict.fromkeys([*self._layout.titles, *filter(None, [head.heading])]):
            draft.assumptions.append(say("requirements.assume.heading", heading=quote(words)))

    # ---- the rows

    def _group_value(self, part: str, scope: Scope) -> Expression | None:
        """What rows are grouped by. A thing is grouped by its key where the key is one of the columns."""
        names = {item.name.lower() for item in self._layout.columns}
        thing = self.schema.entity(part)
        if thing is not None:
            places = [place for place in scope.place_of(thing) if place.path and len(place.path[-1].columns) == 1]
            if len(places) == 1 and places[0].path[-1].columns[0].lower() in names:
                return ColumnOf(step=places[0].alias.rpartition(">")[0], name=places[0].path[-1].columns[0])
        return next(
            (value for words in times_in_words(part) if (value := super(OutlineReader, self)._group_value(words, scope)) is not None), None
        )

    # ---- the columns

    def _columns(self, draft: Draft, text: str, extra: Sequence[str] = ()) -> bool:
        """Read the columns one by one, and note which are not read."""
        items = [Item(name) for name in extra] + (self._items(text) if text.strip() else [])
        items = [item for item in items if not self._is_heading(item)]
        known = {item.name.lower() for item in items}
        items += [item for item in self._layout.columns if item.name.lower() not in known]
        reader = Columns(draft, self.phrases, self._definitions)
        attempt = Attempt(draft, [], [])
        for item in items:
            (attempt.read if self._take(reader, item) else attempt.failed).append(item)
        self._found.attempts.append(attempt)
        return bool(items) and not attempt.failed

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
            return False
        for meaning in meanings_of(item, self._layout.answers.get(label) or self._definitions.get(label, ""), draft, self.phrases):
            kept = {name: deepcopy(value) if name in _CHANGED else copy(value) for name, value in vars(draft).items()}
            if reader.add(label, meaning, item.name):
                if item.meaning and not draft.descriptions.get(label):
                    draft.descriptions[label] = item.meaning
                return True
            vars(draft).update(kept)
        return False


def _unnamed(part: str) -> Item:
    """Words without a name; a unit of time gives one."""
    unit = re.match(r"(?:the )?(day|week|month|quarter|year) (?:in|on) which ", part, re.IGNORECASE)
    return Item(unit[1].lower() if unit else "", part)


_CONTENTS = re.compile(
    r"(?:it|the table|this table|each row|every row|a row|they)(?: should| must| needs? to| has to| will)? (?:contains?|has|have|holds?|includes?|shows?|lists?)(?: the (?:columns|fields))?:? (?P<list>.+)"
    r"|(?:需要?|应|要)?(?:包含|包括|输出|展示|给出|返回)(?:以下|如下)?(?:字段|列|内容|信息)?\s*[:：]?\s*(?P<list_zh>.+)",
    re.IGNORECASE | re.DOTALL,
)
_CHANGED = frozenset({"keys", "measures", "later", "order", "units", "descriptions", "assumptions"})
"""Parts of a draft that reading a column may change."""
