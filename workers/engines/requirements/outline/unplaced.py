"""Why an answer was not read: the words of it that name nothing in the tables."""

import re
from collections.abc import Iterable, Sequence

from contracts.tables import TableDetail
from workers.engines.requirements.outline.leftovers import is_mere, known_words, values_in
from workers.engines.requirements.prose.nouns import plain

_GRAMMAR = frozenset(
    re.findall(
        r"\w+",
        """
    sum total number count average mean minimum maximum lowest highest smallest largest earliest latest first last least
    most top per by of in on at for from to with without where whose which that who and or not no any each every only all
    between before after since until during is are was were be been have has had more less than over under times divided
    minus plus share percent percentage running previous change row rows day days date week month quarter year distinct
    different unique true false null if none else otherwise case when then end the a an its their this these there as same
    """,
    )
)
"""Words that the readers know with any tables."""
_SQL_CALL = re.compile(r"\b[A-Za-z_]\w*(?=\s*\()")
MOST_WORDS = 5
"""Words that are named at once."""


def unplaced_words(answer: str, tables: Sequence[TableDetail], known: Iterable[str]) -> tuple[str, ...]:
    """Words of an answer that name neither a table nor a column or a value, and that no reader knows; Chinese answers are taken as a whole.
    `known`: the names of the target and its columns."""
    text = re.sub(r"'[^']*'", " ", _SQL_CALL.sub(" ", answer))
    names = {part for name in known for part in (name.lower(), *name.lower().split("_"))} | known_words(tables)
    found = [
        word
        for word in re.findall(r"[A-Za-z_][\w-]*", text)
        if word.lower() not in _GRAMMAR
        and plain(word) not in names
        and word.lower() not in names
        and not is_mere(word, tables, ())
        and next(values_in(word, tables), None) is None
    ]
    return tuple(dict.fromkeys(found))[:MOST_WORDS]
