"""Other names of the values that the data hold: 旧金山 for `San Francisco`, "California" for `CA`, "successful" for `success`.

A question may name a value in its own language, in full, or as an adjective. Where exactly one value of the catalogue answers to such a
name, the question is read with the value in quotation marks; what was understood is shown to the user with the answer.
"""

import re
from collections.abc import Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import yaml
from babel import Locale

from contracts.tables import TableDetail
from workers.engines.questions.items import Item, Kind

_CJK = re.compile(r"[\u3400-\u9fff]")
_ENDINGS = re.compile(r"(?:fully|ful|ing|ed|ure|d|es|s)$")
_LEAST_STEM = 4
"""Letters that two forms of a word must share."""


@lru_cache(1)
def _groups() -> dict[str, frozenset[str]]:
    """A name in lower case → all names that mean the same."""
    text = Path(__file__).with_name("value_names.yaml").read_text("utf-8")
    read: dict[str, list[list[str]]] = yaml.load(text, Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    found: dict[str, set[str]] = {}
    for names in [*(names for part in read.values() for names in part), *_from_babel()]:
        folded = {name.casefold() for name in names if name}
        for name in folded:
            found.setdefault(name, set()).update(folded)
    return {name: frozenset(names) for name, names in found.items()}


def _from_babel() -> Iterator[list[str]]:
    english, chinese = _names_of("en"), _names_of("zh")
    for code, name in english["territories"].items():
        if len(code) == 2 and code.isalpha():
            yield [name, chinese["territories"].get(code, ""), code]
    for code, name in english["languages"].items():
        if len(code) == 2:
            yield [name, chinese["languages"].get(code, "")]
    for code, name in english["currencies"].items():
        yield [code, name, chinese["currencies"].get(code, "")]
    for zone, city in chinese["cities"].items():
        yield [zone.rpartition("/")[2].replace("_", " "), city]


def _names_of(language: str) -> dict[str, dict[str, str]]:
    """Babel's loosely typed names end here."""
    locale: Any = Locale.parse(language)
    found: dict[str, Any] = {part: dict(getattr(locale, part)) for part in ("territories", "languages", "currencies")}
    found["cities"] = {zone: names["city"] for zone, names in locale.time_zones.items() if "/" in zone and "city" in names}
    return found


class ValueNames:
    """The names to which the values of some tables answer."""

    def __init__(self, tables: Sequence[TableDetail]) -> None:
        self._values = {
            value.casefold(): value for table in tables for column in table.columns for value in column.values if _is_text(value)
        }
        self._stems: dict[str, set[str]] = {}
        self._names: dict[str, set[str]] = {}
        groups = _groups()
        for folded, value in self._values.items():
            if folded.isascii() and folded.isalpha():
                self._stems.setdefault(_stem(folded), set()).add(value)
            for name in groups.get(folded.replace("_", " "), frozenset()) | groups.get(folded, frozenset()):
                self._names.setdefault(name, set()).add(value)
        spoken = sorted((name for name in self._names if _CJK.search(name) and len(name) > 1), key=len, reverse=True)
        self._spoken = re.compile("|".join(map(re.escape, spoken))) if spoken else None

    def value_of(self, words: str) -> str | None:
        """The only value to which the words are another name; None where they are a value themselves, or mean none or several."""
        folded = words.casefold().strip(" ?？.。,，!")
        if folded in self._values:
            return None
        found = self._names.get(folded) or (self._stems.get(_stem(folded), set()) if folded.isascii() and folded.isalpha() else set())
        return next(iter(found)) if len(found) == 1 else None

    def spelled(self, text: str, items: Sequence[Item]) -> str:
        """The text with its values as the data have them, where the words mean nothing else."""
        places = [*self._in_unknown(text, items)]
        taken = {place for begin, stop, _ in places for place in range(begin, stop)}
        places += [place for place in self._in_chinese(text) if not taken & set(range(place[0], place[1]))]
        for begin, stop, value in sorted(places, reverse=True):
            text = f'{text[:begin]}"{value}"{text[stop:]}'
        return text

    def _in_unknown(self, text: str, items: Sequence[Item]) -> Iterator[tuple[int, int, str]]:
        for begin, stop in _runs(text, items):
            value = self.value_of(text[begin:stop])
            if value is not None:
                yield begin, stop, value

    def _in_chinese(self, text: str) -> Iterator[tuple[int, int, str]]:
        for match in self._spoken.finditer(text) if self._spoken else ():
            value = self.value_of(match[0])
            if value is not None and f"({value}" not in text and f"（{value}" not in text:
                yield match.start(), match.end(), value


def _runs(text: str, items: Sequence[Item]) -> Iterator[tuple[int, int]]:
    """Words without a link, those side by side as one run."""
    begin = stop = -1
    for item in (item for item in items if item.kind is Kind.UNKNOWN):
        if begin >= 0 and not text[stop : item.begin].strip():
            stop = item.stop
            continue
        if begin >= 0:
            yield begin, stop
        begin, stop = item.begin, item.stop
    if begin >= 0:
        yield begin, stop


def _is_text(value: str) -> bool:
    return 1 <= len(value) <= 60 and not value.replace(".", "").replace("-", "").isdigit()


def _stem(word: str) -> str:
    stem = _ENDINGS.sub("", word)
    return stem if len(stem) >= _LEAST_STEM else word
