"""Definitions of words, as people write them: a formula of the grammar, a restriction, and what is said beside them."""

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass

from workers.engines.questions.names import Phrase, phrase_of

NONE = "none"
"""As a restriction: the formula is all there is, also where a description adds something."""

_SIGNS = ("=", "<", ">")
_JOINED = ("with ", "without ", "where ")
"""How a condition begins that follows its formula as it is, although it has a sign; people also write `status = 'S'`."""


@dataclass(frozen=True, slots=True)
class Definition:
    """What a word means, as one origin says it."""

    name: str
    others: tuple[str, ...] = ()
    """Other names of it."""
    formula: str = ""
    restriction: str = ""
    """Conditions of the grammar on every part of the formula; `none`: there are none."""
    description: str = ""
    unit: str = ""
    grain: str = ""
    """The level at which it is counted, such as one row of `orders`: for people and models."""
    owner: str = ""
    """Who answers for the definition."""
    place: str = ""
    """Where the catalogue has it."""
    is_settled: bool = False
    """Somebody chose it, or the conversation gives it: it counts before all others, and nothing is asked about it."""

    @property
    def conditions(self) -> str:
        """The restriction, where there is one."""
        return "" if self.restriction.casefold() == NONE else self.restriction

    @property
    def computed(self) -> str:
        """The formula with its restriction."""
        is_sql = any(sign in self.conditions for sign in _SIGNS) and not self.conditions.casefold().startswith(_JOINED)
        return (", where " if is_sql else " ").join(text for text in (self.formula, self.conditions) if text)

    @property
    def says(self) -> str:
        """All that is said of it."""
        return "; ".join(text for text in (self.computed, self.description) if text)

    @property
    def line(self) -> str:
        """As a model reads it."""
        also = f" (also: {', '.join(self.others)})" if self.others else ""
        unit = f", in {self.unit}" if self.unit else ""
        grain = f", per {self.grain}" if self.grain else ""
        return f"{self.name}{also}{unit}{grain} = {self.says}"


def definition_in(line: str) -> Definition | None:
    """The definition that a line `NAME = FORMULA` gives; None: it is another text."""
    name, sign, formula = (part.strip() for part in line.partition("="))
    return Definition(name, formula=formula, is_settled=True) if sign and name else None


def by_words(definitions: Iterable[Definition]) -> dict[Phrase, list[Definition]]:
    """The definitions of each word, in their order, under all of their names."""
    found: dict[Phrase, list[Definition]] = {}
    for definition in definitions:
        for phrase in dict.fromkeys(phrase_of(name) for name in (definition.name, *definition.others)):
            found.setdefault(phrase, []).append(definition)
    return found


def digest_of(definitions: Iterable[Definition]) -> str:
    """What changes when a definition of the word does: a digest for each, in order. What was settled does not count."""
    texts = {"\0".join((each.formula, each.restriction, each.description)) for each in definitions if not each.is_settled}
    return " ".join(sorted(hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:12] for text in texts))


def is_chosen_among(given: Iterable[Definition], digest: str) -> bool:
    """Whether all definitions of a word were among those of a digest: who chose knew them."""
    return set(digest_of(given).split()) <= set(digest.split())
