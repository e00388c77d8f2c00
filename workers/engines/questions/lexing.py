"""All that the words of a text may be: words of the grammar, names and values of the data, numbers, and ranges of time."""

import re
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from pathlib import Path

import yaml

from contracts.times import TimeSettings
from workers.engines.questions.grammar import SKIPPED, Edge, Link
from workers.engines.questions.names import MOST_CHARACTERS, MOST_WORDS, Names, Phrase
from workers.engines.questions.units import Quantity, units
from workers.engines.questions.words import key, split_name
from workers.engines.times import find_times

LookUp = Callable[[str], Sequence[tuple[str, str, str]]]
"""Finds a text among the values of the data: table, column, value as stored."""

_WORD = re.compile(r"[A-Za-z][A-Za-z0-9_]*|[><!=]=|<>|[^\sA-Za-z]")
_NUMBER = re.compile(r"\d[\d,]*(?:\.\d+)?")
_QUOTES = {'"': '"', "'": "'", "“": "”", "「": "」", "‘": "’", "《": "》"}
_SCALES = {"k": 3, "thousand": 3, "million": 6, "m": 6, "万": 4, "亿": 8, "千": 3}


@dataclass(frozen=True)
class Lexed:
    """A text with all that its words may be."""

    text: str
    edges: tuple[Edge, ...]
    blanks: tuple[int, ...]
    unknown: tuple[str, ...]
    """Words that are nothing."""
    missing: tuple[str, ...]
    """Quoted texts that the data do not have."""


@cache
def _lexicon() -> tuple[Mapping[Phrase, tuple[str, ...]], Mapping[str, tuple[str, ...]]]:
    """English phrases and Chinese words, each with what it may be."""
    known = yaml.load(Path(__file__).with_name("lexicon.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    english: dict[Phrase, list[str]] = defaultdict(list)
    chinese: dict[str, list[str]] = defaultdict(list)
    for kind, languages in known.items():
        for phrase in languages.get("en", ()):
            english[tuple(found[0].lower() for found in _WORD.finditer(phrase))].append(kind)
        for phrase in languages.get("zh", ()):
            chinese[phrase].append(kind)
    return {phrase: tuple(kinds) for phrase, kinds in english.items()}, {word: tuple(kinds) for word, kinds in chinese.items()}


class Lexer:
    """Finds what words may be. It can be kept and shared."""

    def __init__(self, names: Names, now: datetime, settings: TimeSettings, look_up: LookUp | None) -> None:
        self._names, self._now, self._settings, self._look_up = names, now, settings, look_up

    def lex(self, text: str, terms: Mapping[Phrase, object]) -> Lexed:
        """`terms`: what has a formula, by its words."""
        words = [(found.start(), found.end()) for found in _WORD.finditer(text)]
        edges = [*self._times(text), *_numbers(text), *self._quoted(text)]
        edges += _grammar_words(text, words)
        for begin, stop, phrase in _phrases(text, words):
            if phrase in self._names.phrases or phrase in terms:
                edges += self._named(begin, stop, text[begin:stop], phrase, terms)
        covered = {place for edge in edges for place in range(edge.begin, edge.stop)}
        unknown = list(_unknown(text, words, covered))
        found = [edge for begin, stop in unknown if (edge := self._looked_up(text, begin, stop)) is not None]
        left = [text[begin:stop] for begin, stop in unknown if not any(edge.begin == begin for edge in found)]
        missing = [edge.text for edge in edges if edge.kind == "VALUE" and not edge.links]
        kept = tuple(edge for edge in (*edges, *found) if edge.kind != "VALUE" or edge.links)
        blanks = tuple(place for place, sign in enumerate(text) if sign.isspace())
        return Lexed(text, kept, blanks, tuple(left), tuple(missing))

    def _named(self, begin: int, stop: int, text: str, phrase: Phrase, terms: Mapping[Phrase, object]) -> Iterator[Edge]:
        is_table = any(not link.is_partial for link in self._names.of_tables.get(phrase, ()))
        for kind, index in (
            ("TABLE", self._names.of_tables),
            ("COLUMN", self._names.of_columns),
            ("FLAG", self._names.of_flags),
            ("VALUE", self._names.of_values),
        ):
            # coopers are the table, and not the key of it in another
            links = tuple(link for link in index.get(phrase, ()) if not (is_table and link.column and link.is_partial))
            if links:
                yield Edge(kind, begin, stop, text, links)
        if phrase in terms:
            yield Edge("METRIC", begin, stop, text)

    def _times(self, text: str) -> Iterator[Edge]:
        for found in find_times(text, self._now, self._settings):
            yield Edge("TIME", found.begin, found.stop, found.text, meant=found.range)

    def _quoted(self, text: str) -> Iterator[Edge]:
        place = 0
        while place < len(text):
            close = _QUOTES.get(text[place])
            stop = text.find(close, place + 1) if close and not (place and text[place - 1].isalnum()) else -1
            if stop > place + 1:
                inner = text[place + 1 : stop]
                yield Edge("VALUE", place, stop + 1, inner, self._links(inner))
                place = stop
            place += 1

    def _links(self, text: str) -> tuple[Link, ...]:
        known = self._names.of_values.get(tuple(key(word) for word in split_name(text))) or self._names.of_values.get((text.lower(),))
        if known:
            return tuple(known)
        return tuple(Link(*found) for found in self._look_up(text)) if self._look_up is not None else ()

    def _looked_up(self, text: str, begin: int, stop: int) -> Edge | None:
        links = self._links(text[begin:stop])
        return Edge("VALUE", begin, stop, text[begin:stop], links) if links else None


def _grammar_words(text: str, words: Sequence[tuple[int, int]]) -> Iterator[Edge]:
    english, chinese = _lexicon()
    lowered = text.lower()
    for first in range(len(words)):
        for last in range(first, min(first + MOST_WORDS, len(words))):
            begin, stop = words[first][0], words[last][1]
            phrase = tuple(lowered[start:end] for start, end in words[first : last + 1])
            for kind in english.get(phrase, ()):
                yield Edge(kind, begin, stop, text[begin:stop])
    for begin in range(len(text)):
        for stop in range(begin + 1, min(begin + MOST_CHARACTERS, len(text)) + 1):
            for kind in chinese.get(text[begin:stop], ()):
                yield Edge(kind, begin, stop, text[begin:stop])
    for begin in range(len(text) - 1):  # customers' names, customer's city
        if text[begin] in "'’" and begin and text[begin - 1].isalpha():
            yield Edge(SKIPPED, begin, begin + (2 if text[begin + 1] == "s" else 1), text[begin : begin + 2])


def phrases_in(text: str) -> set[Phrase]:
    """All runs of words of a text, as names are looked up."""
    return {phrase for _, _, phrase in _phrases(text, [(found.start(), found.end()) for found in _WORD.finditer(text)])}


def _phrases(text: str, words: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int, Phrase]]:
    """Runs of words as names are looked up: English ones by their words, Chinese ones by their characters."""
    keys = [[key(part) for part in split_name(text[begin:stop])] for begin, stop in words]
    for first in range(len(words)):
        phrase: Phrase = ()
        for last in range(first, min(first + MOST_WORDS, len(words))):
            if not keys[last]:
                continue  # a sign between words
            phrase = (*phrase, *keys[last])
            if len(phrase) > MOST_WORDS:
                break
            if keys[first]:
                yield words[first][0], words[last][1], phrase
    lowered, next_chinese = text.lower(), len(text)
    for begin in range(len(text) - 1, -1, -1):
        if "\u3400" <= text[begin] <= "\u9fff":
            next_chinese = begin
        for stop in range(max(begin + 2, next_chinese + 1), min(begin + MOST_CHARACTERS, len(text)) + 1):
            yield begin, stop, (lowered[begin:stop],)


def _numbers(text: str) -> Iterator[Edge]:
    for found in _NUMBER.finditer(text):
        number, stop = found[0].replace(",", ""), found.end()
        yield Edge("FIGURE", found.start(), stop, found[0], meant=Quantity(number))
        behind = text[stop:].lstrip(" ")
        gap = len(text) - stop - len(behind)
        word = _word_at(behind)
        if word.lower() in _SCALES and not (word.lower() == "m" and gap):
            scaled = f"{float(number) * 10 ** _SCALES[word.lower()]:.10g}"
            yield Edge("FIGURE", found.start(), stop + gap + len(word), found[0], meant=Quantity(scaled))
        for size in range(len(word), 0, -1) if word and not word.isascii() else ([len(word)] if word else []):
            if unit := units().get(word[:size].lower()):
                yield Edge("FIGURE", found.start(), stop + gap + size, found[0], meant=Quantity(number, unit))
                break


def _word_at(text: str) -> str:
    """The word with which a text begins: letters, a run of Chinese characters, or a sign."""
    if not text:
        return ""
    if not text[0].isalpha():
        return text[0]
    is_latin = text[0].isascii()
    size = next((place for place, sign in enumerate(text) if not sign.isalnum() or sign.isascii() is not is_latin), len(text))
    return text[:size][: 20 if is_latin else 3]


def _unknown(text: str, words: Sequence[tuple[int, int]], covered: set[int]) -> Iterator[tuple[int, int]]:
    """Runs of words that are nothing."""
    begin = stop = -1
    for start, end in words:
        if start in covered or not (text[start].isalnum()):
            if begin >= 0:
                yield begin, stop
            begin = -1
            continue
        begin, stop = (start if begin < 0 else begin), end
    if begin >= 0:
        yield begin, stop
