"""The parts of a question once its words are linked: what each does, and to which tables, columns and values it may belong."""

from dataclasses import dataclass, field
from enum import StrEnum


class Kind(StrEnum):
    """What a part of a question does. The value is its letter in the patterns of the grammar."""

    TABLE = "T"
    COLUMN = "C"
    WHEN = "Z"
    """A word such as `hired` that names a column of times only in part: it counts beside an expression of time."""
    FLAG = "F"
    """A boolean column."""
    VALUE = "V"
    NUMBER = "#"
    TIME = "M"
    METRIC = "K"
    """A measure that a definition gives."""
    COUNT = "N"
    DISTINCT = "d"
    AGGREGATE = "A"
    MOST = "S"
    LATEST = "J"
    TOP = "P"
    COMPARE = ">"
    EACH = "G"
    BY = "B"
    ORDER = "O"
    DIRECTION = "D"
    SHOW = "L"
    ASK = "H"
    RATIO = "R"
    VERSUS = "Y"
    BETWEEN = "I"
    NOT = "!"
    AND = "&"
    OR = "|"
    NAMED = "w"
    CONTAINS = "k"
    EMPTY = "0"
    UNIT = "U"
    WEEKEND = "W"
    ABOVE_AVERAGE = "~"
    BOTH = "b"
    ONE = "1"
    """The word `one`: a number only behind a comparison."""
    MEASURE = "m"
    GROUP = "g"
    CONDITION = "c"
    ABSENCE = "a"
    HAVING = "h"
    ORDERING = "o"
    LIMIT = "t"
    STOP = "."
    """The end of a sentence."""
    UNKNOWN = "X"


AGENT = "agent"
"""Payload of the `by` in `orders by customers who joined in May`: it names who did it, not what is grouped by."""

COMMON = "common"
"""Payload of a superlative that is about how often a value occurs: `the most common reason`."""
RARE = "rare"
"""The same of the value that occurs least: `the rarest blood group`."""
FREQUENCIES = (COMMON, RARE)

OWN = "own"
"""Payload of the `and` in `the city and its population`: what comes behind belongs to what is before, and both are asked for."""

EMPTY = "empty"
"""Payload of a word that says a column is empty: `active` for the day on which a membership ended."""

TEXT = "text"
"""Payload of a column item of which no link holds numbers or times."""

TIMES = "times"
"""Payload of a column item of which a link holds dates or times."""


_PARTIAL = 0.7


@dataclass(frozen=True, slots=True)
class Link:
    """Something in the schema that words may stand for."""

    table: str
    """Its full name."""
    column: str = ""
    """Empty: the table itself."""
    value: str = ""
    """For a value: as the data have it."""
    quality: float = 1.0
    """1 where the words are its name."""
    is_when: bool = False
    """A column of times by a part of its name: `hired` for `hire_date`."""

    @property
    def is_partial(self) -> bool:
        """Whether the words are only a part of its name, or stand for other words."""
        return self.quality <= _PARTIAL and not self.is_when


@dataclass(frozen=True, slots=True)
class Item:
    """A part of the question."""

    kind: Kind
    begin: int
    stop: int
    text: str
    links: tuple[Link, ...] = ()
    payload: object = None
    words: tuple[str, ...] = field(default=())
    before: str = field(default="", compare=False)
    """Of a value: the word before it, in lower case."""
