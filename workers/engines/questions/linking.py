"""From tokens to items: the longest run of words that names something in the schema, a value of the data, or what to do."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import pairwise

from workers.engines.questions.choosing import OF_EACH
from workers.engines.questions.events import settled
from workers.engines.questions.items import AGENT, EMPTY, OWN, TEXT, TIMES, Item, Kind, Link
from workers.engines.questions.keywords import LONGEST, PHRASES
from workers.engines.questions.lists import as_its_neighbour
from workers.engines.questions.spelling import UNITS
from workers.engines.questions.tokens import Token
from workers.engines.questions.value_runs import MOST_LINKS, MOST_WORDS_OF_A_NAME, Found, ValueRuns
from workers.engines.questions.vocabulary import LookUp, Vocabulary, keys_of
from workers.engines.questions.words import NEUTRAL, PARTICIPLE, key, split_name
from workers.engines.sql.plan_check import is_numeric, is_temporal
from workers.engines.sql.truth import holds_truth

_MOST_WORDS_OF_A_DESCRIPTION = 14
_LEAST_WORDS_OF_A_DESCRIPTION = 3
"""Content words that a run must have to be taken for a description's."""
_GLUE = frozenset({"of", "the", "a", "an", "in", "for", "'s", "的"})
_NEAR_BEST = 0.25
_FAR_FROM_BEST = 0.4
"""The same for a word that names a column of many tables: `type` is `box_type` of containers as well as the `move_type` of moves."""
_INNER = frozenset({"of", "the"})

_BETWEEN_CHINESE = 1
_BEFORE_NAMES = frozenset(
    {"the", "a", ",", "and", "by", "each", "per", "their", "its", "return", "show", "or", "what", "which", "whose", "car", "same"}
)
"""Words behind which a word such as `make` is a name and not a verb."""

_RELATIVE = frozenset({"who", "that", "whose"})
_BY_VERB = 0.8
_AS_STORED = 0.95
"""Quality of a link to a value by its own spelling."""
_BEFORE_COST = frozenset({"the", "a", "total", "average", "production", "unit", "with", "whose", "their", "its", "by", "of"})
_BY_SYNONYM = 0.9
"""Links below this quality stand for other words than those of the question, and a table is no likelier than a column."""
_IS_NAME = 0.85
_POSSESSIVE = frozenset({"its", "their", "his", "her"})


_ATTRIBUTE = "living"
"""`animals living in Rome` lives anywhere and says nothing; `living animals` says which of them."""


def _is_before_a_name(tokens: Sequence[Token], index: int) -> bool:
    return index + 1 < len(tokens) and tokens[index + 1].lower not in NEUTRAL


class Linker:
    """Links the tokens of a question."""

    def __init__(
        self, vocabulary: Vocabulary, look_up: LookUp | None = None, metrics: Mapping[tuple[str, ...], object] | None = None
    ) -> None:
        self._vocabulary, self._metrics = vocabulary, metrics or {}
        self._values = ValueRuns(vocabulary, look_up)

    def items(self, tokens: Sequence[Token]) -> list[Item]:
        """The parts of the question from left to right. Words that change nothing are left out; words without a link are `UNKNOWN`."""
        made: list[Item] = []
        index = 0
        tokens = _with_verbs(tokens)
        while index < len(tokens):
            choices = [choice for choice in self._choices(tokens, index, made) if choice is not None]
            if choices:
                taken, _, item = _preferred(choices)
                if (
                    item.kind == Kind.BY
                    and index
                    and PARTICIPLE.search(tokens[index - 1].lower)
                    and not _is_schema(made, tokens[index - 1])
                ):
                    index += taken
                    continue
                if item.kind == Kind.BY and any(token.lower in _RELATIVE for token in tokens[index + 2 : index + 4]):
                    item = replace(item, payload=AGENT)
                if item.kind == Kind.VALUE:
                    item = replace(item, before=tokens[index - 1].lower if index else "")
                made.append(item)
                if item.kind == Kind.VALUE and _inside(tokens, index + taken):
                    made.append(Item(Kind.CONTAINS, item.stop, item.stop, ""))
                    taken += 1
                index += taken
                continue
            token = tokens[index]
            if token.lower in _POSSESSIVE and made and made[-1].kind in (Kind.AND, Kind.SHOW, Kind.ASK):
                made[-1] = replace(made[-1], payload=OWN)
            if (denied := self._denied(token)) is not None:
                made += [Item(Kind.NOT, token.begin, token.begin, "not"), denied]
            elif (
                (not token.is_neutral and token.lower not in NEUTRAL)
                or (token.lower == "where" and not index)
                or (token.lower == _ATTRIBUTE and _is_before_a_name(tokens, index))
            ):
                made.append(Item(Kind.UNKNOWN, token.begin, token.stop, token.text))
            index += 1
        return as_its_neighbour(settled(_repeated(made), self._other_reading), self._as_values(made))

    def _as_values(self, items: Sequence[Item]) -> dict[int, tuple[Link, ...]]:
        """The values that the names of tables and columns beside `and` or `or` are as well."""
        beside = {place + step for place, item in enumerate(items) if item.kind in (Kind.AND, Kind.OR) for step in (-1, 1)}
        named = [items[place] for place in beside if 0 <= place < len(items) and items[place].kind in (Kind.COLUMN, Kind.TABLE, Kind.WHEN)]
        return {item.begin: links for item in named if (links := self._vocabulary.values(item.text.lower().split()))}

    def _other_reading(self, item: Item) -> Item | None:
        """The value that the words of a column of times may be as well: `delivered`."""
        words = item.text.lower().split()
        links = self._vocabulary.values(words) or self._vocabulary.values_in_other_words(item.text, None)
        return replace(item, kind=Kind.VALUE, links=links, payload=item.text) if links else None

    def _denied(self, token: Token) -> Item | None:
        """`unresolved`, `unpaid`: what is denied, a flag or a column of times."""
        match = re.fullmatch(r"(?:un|in|non)([a-z]{4,})", token.lower)
        if match is None:
            return None
        plain = replace(token, text=match[1], lower=match[1], keys=keys_of(match[1]))
        found = self._schema([plain], 0)
        return found[2] if found is not None and found[2].kind in (Kind.FLAG, Kind.WHEN) else None

    def _choices(self, tokens: Sequence[Token], index: int, made: Sequence[Item]) -> list[Found | None]:
        token = tokens[index]
        if token.is_quoted:
            return [self._quoted(token)]
        fixed = (1, 3, Item(token.kind, token.begin, token.stop, token.text, payload=token.payload)) if token.kind is not None else None
        if token.kind in (Kind.TIME, Kind.STOP):
            return [fixed]
        letter = self._values.letter(tokens, index, made)
        return [
            letter,
            fixed,
            self._metric(tokens, index),
            self._values.rate(tokens, index),
            self._keyword(tokens, index),
            self._schema(tokens, index) or self._happened(token),
            self._values.stored(tokens, index),
            self._values.reworded(tokens, index),
            self._described(tokens, index),
            self._amount(tokens, index),
            self._values.looked_up(tokens, index),
            self._values.empty(tokens[index], made),
        ]

    def _happened(self, token: Token) -> Found | None:
        """完成的 of a column of times that is called 完成时间."""
        if len(token.text) < 3 or not token.text.endswith("的"):
            return None
        plain = token.text[:-1]
        found = self._schema([replace(token, text=plain, lower=plain, keys=keys_of(plain))], 0)
        return found if found is not None and found[2].kind == Kind.WHEN else None

    def _metric(self, tokens: Sequence[Token], index: int) -> Found | None:
        for size in range(min(4, len(tokens) - index), 0, -1):
            run = tokens[index : index + size]
            keyed = tuple(token.keys[0] if token.keys else token.lower for token in run)
            for words in (tuple(token.lower for token in run), keyed):
                if (measure := self._metrics.get(words)) is not None:
                    return (size, 6, Item(Kind.METRIC, run[0].begin, run[-1].stop, " ".join(token.text for token in run), payload=measure))
        return None

    def _amount(self, tokens: Sequence[Token], index: int) -> Found | None:
        for size in range(min(MOST_WORDS_OF_A_NAME, len(tokens) - index), 1, -1):
            run = tokens[index : index + size]
            if any(token.kind is not None or token.is_quoted for token in run) or {run[0].lower, run[-1].lower} & NEUTRAL:
                continue
            content = frozenset(token.keys[0] for token in run if token.lower not in NEUTRAL and token.keys)
            if len(content) > 1 and (links := self._vocabulary.amount(content)):
                return (size, 3, _schema_item(run, links, self._vocabulary))
        return None

    def _quoted(self, token: Token) -> Found:
        words = re.findall(r"[\w&'.+]+", token.lower)
        links = self._vocabulary.values(words) or self._values.links_to(token.text)
        if not links:
            keys = [(key(word),) for word in words]
            links = self._vocabulary.schema(words, keys, compounds=False)
            if links and links[0].quality == 1.0 and "_" in token.text:
                return (1, 5, _schema_item(tokens=[token], links=links, vocabulary=self._vocabulary))
            links = ()
        return (1, 5, Item(Kind.VALUE, token.begin, token.stop, token.text, tuple(links), payload=token.text))

    def _keyword(self, tokens: Sequence[Token], index: int) -> Found | None:
        for size in range(min(LONGEST, len(tokens) - index), 0, -1):
            run = tokens[index : index + size]
            if any(token.is_quoted or token.kind == Kind.TIME for token in run):
                continue
            if (meaning := PHRASES.get(tuple(token.lower for token in run))) is not None:
                kind, payload = meaning
                return (size, 2, Item(kind, run[0].begin, run[-1].stop, " ".join(token.text for token in run), payload=payload))
        return None

    def _schema(self, tokens: Sequence[Token], index: int) -> Found | None:
        for size in range(min(MOST_WORDS_OF_A_NAME, len(tokens) - index), 0, -1):
            run = tokens[index : index + size]
            if any(not _adjoin(token, after) for token, after in pairwise(run)):
                continue
            if any(not token.keys for token in run if token.lower not in _INNER) or run[-1].lower in _GLUE or run[0].lower in _GLUE:
                continue
            content = [token for token in run if token.lower not in _INNER]
            is_simple = len(content) == size
            is_neutral = size == 1 and run[0].lower in NEUTRAL and (not index or tokens[index - 1].lower not in _BEFORE_NAMES)
            if is_neutral and not _is_before_time(tokens, index):
                continue
            plural = size > 1 and key(run[0].lower) != run[0].lower.removesuffix("'s") and run[0].text.isascii()
            links = self._vocabulary.schema(
                [token.lower for token in content], [token.keys for token in content], compounds=is_simple and not plural
            )
            if not is_simple:
                links = tuple(link for link in links if not _is_split(link, content) and not self._is_code(link, content))
            far = _NEAR_BEST if size > 1 or not OF_EACH & set(run[0].keys) else _FAR_FROM_BEST
            links = tuple(link for link in links if link.quality >= links[0].quality - far)[:MOST_LINKS]
            if is_neutral and not all(link.is_when for link in links):
                continue
            if links and (is_simple or links[0].quality >= 0.8):
                return (size, 2 if size == 1 and run[0].lower in NEUTRAL else 3, _schema_item(run, links, self._vocabulary))
        return None

    def _is_code(self, link: Link, content: Sequence[Token]) -> bool:
        """Whether `number of employees` would be the staff number."""
        return content[0].keys[:1] == ("number",) and bool(link.column) and not self._vocabulary.is_amount(link)

    def _described(self, tokens: Sequence[Token], index: int) -> Found | None:
        if tokens[index].lower in NEUTRAL or not tokens[index].keys:
            return None
        for size in range(min(_MOST_WORDS_OF_A_DESCRIPTION, len(tokens) - index), 3, -1):
            run = tokens[index : index + size]
            if any(token.kind is not None or token.is_quoted for token in run) or run[-1].lower in NEUTRAL:
                continue
            if any(_stops(run, place) or self._lists_values(run, place) for place in range(len(run))):
                continue
            content = frozenset(token.keys[0] for token in run if token.lower not in NEUTRAL and token.keys)
            if (
                len(content) >= _LEAST_WORDS_OF_A_DESCRIPTION
                and (links := self._vocabulary.described(content))
                and (self._vocabulary.is_amount(links[0]) or not any(self._is_table(token) for token in (run[0], run[-1])))
            ):
                return (size, 1, _schema_item(run, links, self._vocabulary))
        return None

    def _lists_values(self, run: Sequence[Token], place: int) -> bool:
        """Whether the word joins two values: `regions north and south` are conditions and not a description."""
        if not 0 < place < len(run) - 1 or PHRASES.get((run[place].lower,), (None,))[0] not in (Kind.AND, Kind.OR):
            return False
        return all(self._vocabulary.values([run[beside].lower]) for beside in (place - 1, place + 1))

    def _is_table(self, token: Token) -> bool:
        return any(not link.column for link in self._vocabulary.schema([token.lower], [token.keys]))


def _preferred(choices: Sequence[Found]) -> Found:
    """The longest choice, and of equals that of the highest rank. A value as the data have it goes before a table by its verb: `paid`."""
    best = max(choices, key=lambda choice: (choice[0], choice[1]))
    if best[2].kind == Kind.TABLE and all(link.quality <= _BY_VERB for link in best[2].links):
        values = [choice for choice in choices if choice[0] == best[0] and choice[2].kind == Kind.VALUE]
        return next((choice for choice in values if any(link.quality >= _AS_STORED for link in choice[2].links)), best)
    if best[2].kind == Kind.WHEN and not any(best[2].text.lower() in split_name(link.column.lower()) for link in best[2].links):
        # `open` of a vacancy without a closing date, rather than that it was opened
        return next((choice for choice in choices if choice[0] == best[0] and choice[2].payload == EMPTY), best)
    return best


def _is_split(link: Link, content: Sequence[Token]) -> bool:
    """Whether `of` would be within the column's name: `amount of paid invoices` is not about `amount_paid`."""
    words = [key(word) for word in split_name(link.column)]
    return words == [token.keys[0] for token in content] and words[0] not in ("number", "count") and words[0] not in UNITS


def _with_verbs(tokens: Sequence[Token]) -> list[Token]:
    """`products that cost less than 500`: the verb is about the price."""
    made = list(tokens)
    for place, token in enumerate(tokens[:-1]):
        following = tuple(after.lower for after in tokens[place + 1 : place + 3])
        compares = any(PHRASES.get(following[:size], (None,))[0] in (Kind.COMPARE, Kind.BETWEEN) for size in (1, 2))
        if token.lower in ("cost", "costs") and compares and place and tokens[place - 1].lower not in _BEFORE_COST:
            made[place] = replace(token, keys=("price", "cost"))
    return made


def _adjoin(token: Token, after: Token) -> bool:
    """Whether two tokens may be parts of a name: in Chinese nothing but 的 is between them."""
    return token.text.isascii() or after.text.isascii() or after.begin - token.stop <= _BETWEEN_CHINESE


def _is_before_time(tokens: Sequence[Token], index: int) -> bool:
    """Whether words about time follow: `registered in May`, `received last week`."""
    return index + 1 < len(tokens) and tokens[index + 1].kind == Kind.TIME


def _inside(tokens: Sequence[Token], index: int) -> bool:
    """Whether `in its` or `in the` follows: the value is a part of what follows."""
    following = [token.lower for token in tokens[index : index + 2]]
    return len(following) > 1 and following[0] == "in" and following[1] in ("its", "their", "the") and tokens[index - 1].is_quoted


_PLAIN = frozenset({Kind.AND, Kind.VERSUS, Kind.UNIT, Kind.BY, Kind.MOST, Kind.LATEST})


def _stops(run: Sequence[Token], place: int) -> bool:
    """Whether a description cannot go on over this word, because it says what to do."""
    word = run[place].lower
    meaning = PHRASES.get((word, run[place + 1].lower)) if place + 1 < len(run) else None
    meaning = meaning or PHRASES.get((word,))
    return meaning is not None and meaning[0] not in _PLAIN


def _is_schema(made: Sequence[Item], before: Token) -> bool:
    """Whether the word before is a name rather than a verb: `total freight by`, but not `orders placed by`."""
    if not made:
        return False
    last = made[-1]
    if last.kind is Kind.VALUE:
        return False  # `paid by card`
    is_name = last.stop == before.stop and any(link.quality >= _IS_NAME for link in last.links)
    return is_name or last.kind in (Kind.MEASURE, Kind.METRIC)


def _repeated(items: Sequence[Item]) -> list[Item]:
    """`scores` behind `easiness scores` means the same column."""
    made: list[Item] = []
    for item in items:
        words = tuple(key(word) for word in item.words)
        earlier = [
            other for other in made
            if other.kind == Kind.COLUMN and len(other.words) > len(words)
            and tuple(key(word) for word in other.words[-len(words) :]) == words
        ]  # fmt: skip
        is_same = item.kind == Kind.COLUMN and bool(words) and len({other.links for other in earlier}) == 1
        if made and _says_more_of(made[-1], item):  # `kind of loss`, of a column `kind` that is described so
            made[-1] = replace(max(made[-1], item, key=lambda each: each.links[0].quality), begin=made[-1].begin, stop=item.stop)
            continue
        made.append(replace(item, links=earlier[0].links) if is_same else item)
    return made


def _says_more_of(column: Item, item: Item) -> bool:
    """Whether the English words beside a column mean this column and no other."""
    if column.kind != Kind.COLUMN or item.kind != Kind.COLUMN or not (column.text + item.text).isascii():
        return False
    places, more = ({(link.table, link.column) for link in each.links} for each in (column, item))
    return len(places) == 1 and places == more and column.links[0].quality != item.links[0].quality


def _schema_item(tokens: Sequence[Token], links: Sequence[Link], vocabulary: Vocabulary) -> Item:
    text = " ".join(token.text for token in tokens)
    begin, stop = tokens[0].begin, tokens[-1].stop
    best = links[0].quality
    tables = [link for link in links if not link.column and link.quality >= best - (0.05 if best > _BY_SYNONYM else 0.0)]
    if tables:
        return Item(Kind.TABLE, begin, stop, text, tuple(tables), words=tuple(token.lower for token in tokens), payload=tuple(links))
    columns = [link for link in links if link.column]
    if all(link.is_when for link in columns):
        return Item(Kind.WHEN, begin, stop, text, tuple(columns))
    columns = [link for link in columns if not link.is_when]
    flags = [link for link in columns if (column := vocabulary.column(link)) is not None and holds_truth(column)]
    kind = Kind.FLAG if flags and flags[0].quality >= best - 0.05 else Kind.COLUMN
    times = any((column := vocabulary.column(link)) is not None and is_temporal(column) for link in columns)
    words = tuple(token.lower for token in tokens)
    is_text = all((column := vocabulary.column(link)) is not None and column.type and not is_numeric(column) for link in columns)
    payload = TIMES if times else TEXT if is_text else None
    return Item(kind, begin, stop, text, tuple(flags if kind == Kind.FLAG else columns), payload=payload, words=words)
