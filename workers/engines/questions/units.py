"""Units behind numbers and of columns. Nothing is converted: a figure in another unit than its column's is no answer."""

from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path

import yaml

from contracts.tables import ColumnDetail
from workers.engines.questions.words import split_name

Unit = tuple[str, str]
"""A dimension, and a unit of it."""


@dataclass(frozen=True, slots=True)
class Quantity:
    """A number of a question, with the unit behind it."""

    number: str
    unit: Unit | None = None


@cache
def units() -> dict[str, Unit]:
    """Word in lower case → the unit that it names (`units.yaml`)."""
    known = yaml.load(Path(__file__).with_name("units.yaml").read_text("utf-8"), Loader=yaml.BaseLoader)  # noqa: S506 it reads text only
    return {word: (dimension, unit) for dimension, some in known.items() for unit, words in some.items() for word in words}


def unit_of(column: ColumnDetail) -> Unit | None:
    """The unit that a column's name gives (`weight_kg`), or its comment: in brackets, or behind `in`. None where they give none."""
    words = split_name(column.name)
    if len(words) > 1 and len(words[-1]) > 1 and (unit := units().get(words[-1].lower())):
        return unit
    spaced = "".join(sign if sign.isalnum() or sign in "³³." else f" {sign} " for sign in column.description.lower()).split()
    for before, word in pairwise(spaced):
        if before in ("in", "(", "（") and (unit := units().get(word)):
            return unit
    return None
