"""Runs of words that name values of the data: as they are stored, in other words, by the state of a rate, or found by a look-up."""

import re
from collections.abc import Sequence
from dataclasses import replace

from workers.engines.questions.items import EMPTY, Item, Kind, Link
from workers.engines.questions.rates import RATE_WORDS, holds_states, rate_of, rate_of_event
from workers.engines.questions.tokens import Token
from workers.engines.questions.vocabulary import LookUp, Vocabulary
from workers.engines.questions.words import NEUTRAL

MOST_WORDS_OF_A_NAME = 6
_MOST_WORDS_OF_A_PLACE = 4
MOST_LINKS = 8
"""Links of a run that are kept, the best first."""
_BEFORE_VERBS = frozenset({"i", "we", "you", "they", "who", "that", "do", "does", "did", "to", "can", "could", "would", "should", "will"})
"""Words behind which a word that usually changes nothing is a verb and no value: `the price that we offer`."""
_LEAST_LETTERS = 5
"""Letters of a value that is also a word that usually changes nothing, such as `received`."""

Found = tuple[int, int, Item]
"""Tokens taken, rank among equals, the item."""


class ValueRuns:
    """Links runs of tokens to values."""

    def __init__(self, vocabulary: Vocabulary, look_up: LookUp | None) -> None:
        self._vocabulary, self._look_up = vocabulary, look_up

    def letter(self, tokens: Sequence[Token], index: int, made: Sequence[Item]) -> Found | None:
        """A value of a single letter, such as a grade, behind its column or another such value."""
        token = tokens[index]
        if not re.fullmatch(r"[A-Z]|[A-Z]{1,3}[+-]", token.text):
            return None
        column = next((item for item in reversed(made) if item.kind not in (Kind.VALUE, Kind.OR, Kind.AND)), None)
        if column is None or column.kind != Kind.COLUMN:
            return None
        links = [link for link in column.links if (known := self._vocabulary.column(link)) is not None and token.text in known.values]
        found = tuple(Link(link.table, link.column, token.text, 0.95) for link in links)
        return (1, 6, Item(Kind.VALUE, token.begin, token.stop, token.text, found, payload=token.text)) if found else None

    def rate(self, tokens: Sequence[Token], index: int) -> Found | None:
        """The share of the rows with a state: `cancellation rate`, 取消率."""
        for size in range(min(_MOST_WORDS_OF_A_PLACE, len(tokens) - index - 1), 0, -1):
            run, behind = tokens[index : index + size], tokens[index + size]
            if behind.lower not in RATE_WORDS or any(token.kind is not None or token.is_quoted for token in run):
                continue
            text = " ".join(token.text for token in run)
            links = tuple(
                link for link in self._states(run, text) if (of := self._vocabulary.column(link)) is not None and holds_states(of)
            ) or self._vocabulary.truths(text, [token.keys or (token.lower,) for token in run])
            state = Item(Kind.VALUE, run[0].begin, behind.stop, f"{text} {behind.text}", links, payload=text)
            if state.links and (rate := rate_of(state, self._spoken(tokens))) is not None:
                return (size + 1, 1, rate)
            events = self._vocabulary.events(run[0].text) if size == 1 and not state.links else ()
            if len(events) == 1:
                return (size + 1, 4, rate_of_event(replace(state, links=events)))
        return None

    def _states(self, run: Sequence[Token], text: str) -> tuple[Link, ...]:
        """Values that the words name, in their own form or in another."""
        found = self._vocabulary.values([token.lower for token in run]) or self._vocabulary.values_in_other_words(text, None)
        forms = (*run[0].keys, f"{text}d", f"{text}ed") if len(run) == 1 and run[0].keys else ()  # the hire rate, of those `hired`
        for known in forms if not found else ():
            found = found or self._vocabulary.values(known.split("_")) or self._vocabulary.values_in_other_words(known, None)
        return found

    def _spoken(self, tokens: Sequence[Token]) -> set[str]:
        """The tables that words of the question name."""
        links = (link for token in tokens if token.keys for link in self._vocabulary.schema([token.lower], [token.keys]))
        return {link.table for link in links if not link.column}

    def stored(self, tokens: Sequence[Token], index: int) -> Found | None:
        """A value as the data have it, or by one of its words in Chinese."""
        for size in range(min(MOST_WORDS_OF_A_NAME, len(tokens) - index), 0, -1):
            run = tokens[index : index + size]
            words = [token.lower.removesuffix("'s") for token in run]
            links = self._vocabulary.values(words)
            if not links and not tokens[index].text.isascii() and all(token.keys for token in run):
                links = self._vocabulary.values([token.keys[0] for token in run])
                options = [] if links or size > 1 else [self._vocabulary.values_in_other_words(known, None) for known in run[0].keys]
                links = next((found for found in options if found), links)
            is_verb = size == 1 and words[0] in NEUTRAL and index > 0 and tokens[index - 1].lower in _BEFORE_VERBS
            if links and not is_verb and not (size == 1 and words[0] in NEUTRAL and len(words[0]) < _LEAST_LETTERS):
                is_name = index > 0 and all(token.text[:1].isupper() for token in run)
                text = " ".join(token.text for token in run)
                return (size, 4 if is_name else 1, Item(Kind.VALUE, run[0].begin, run[-1].stop, text, links, payload=text))
        return None

    def reworded(self, tokens: Sequence[Token], index: int) -> Found | None:
        """A value by another name or in another form, where the words are nothing else."""
        for size in range(min(_MOST_WORDS_OF_A_PLACE, len(tokens) - index), 0, -1):
            run = tokens[index : index + size]
            if any(token.kind is not None or token.is_quoted for token in run) or (size == 1 and run[0].lower in NEUTRAL):
                continue
            text = " ".join(token.text for token in run)
            if links := self._vocabulary.values_in_other_words(text, self._look_up):
                return (size, 0, Item(Kind.VALUE, run[0].begin, run[-1].stop, text, links, payload=text))
        return None

    def looked_up(self, tokens: Sequence[Token], index: int) -> Found | None:
        """A name with capital letters, or a word with digits, that the data have."""
        if self._look_up is None or not _is_name(tokens[index]):
            return None
        for size in range(min(MOST_WORDS_OF_A_NAME, len(tokens) - index), 0, -1):
            run = tokens[index : index + size]
            if not all(_is_name(token) or token.lower in ("of", "the", "and", "&") for token in run) or not _is_name(run[-1]):
                continue
            text = " ".join(token.text for token in run)
            if links := self.links_to(text):
                return (size, 1, Item(Kind.VALUE, run[0].begin, run[-1].stop, text, links, payload=text))
        return None

    def links_to(self, text: str) -> tuple[Link, ...]:
        """The places in the data of a text that the catalogue does not have."""
        if self._look_up is None:
            return ()
        return tuple(Link(table, column, value, 0.9) for table, column, value in self._look_up(text))[:MOST_LINKS]

    def empty(self, token: Token, made: Sequence[Item]) -> Found | None:
        """A word that a comment gives to an empty field; nothing is grouped by it."""
        links = self._vocabulary.nulls(token.lower)
        if not links or (made and made[-1].kind in (Kind.EACH, Kind.BY)):
            return None
        return (1, 0, Item(Kind.FLAG, token.begin, token.stop, token.text, links, payload=EMPTY))


def _is_name(token: Token) -> bool:
    return (
        token.kind is None and (token.text[:1].isupper() or any(letter.isdigit() for letter in token.text)) and token.lower not in NEUTRAL
    )
