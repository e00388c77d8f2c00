"""Which column of a table says when something happened to a row: by its name, its comment, and whether every row has it."""

import re
from collections.abc import Iterator

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.requirements.prose.chinese_terms import english_of
from workers.engines.requirements.prose.column_names import words_of
from workers.engines.requirements.prose.nouns import CHINESE
from workers.engines.sql.build_values import TEMPORAL
from workers.engines.sql.plan_check import is_temporal

_CAME_ABOUT = frozenset({"made", "placed", "submitted", "recorded", "issued", "created", "entered", "logged"})
"""Verbs for how any row comes about: an application is made, an order is placed."""
_LATER = re.compile(r"updat|modif|chang|load|sync|delet|expir|due|end|clos|until|_to$|born|birth|cancel|return")
"""A moment of this name is not that at which a row came about."""
_NULL = re.compile(r"\bnull\b|为空|空值", re.IGNORECASE)
_EVENT = re.compile(
    r"(?:day |date |time )?(?P<verb>\w+(?:ed|en|nt|ht|ld|de|id|st)) (?:on|at)\b"
    r"|(?:date|day|time) (?:of|when) (?:the |it was )?(?P<noun>\w+)$"
)


def moment_of(table: TableDetail, verb: str) -> ColumnDetail | None:
    """The only column of a table that says when a row came about, or when what a verb says happened to it."""
    found = [column for column in table.columns if is_temporal(column) or TEMPORAL.search(column.type)]
    if verb:
        stems = {_stem(part) for part in (verb, *(english_of(verb) if CHINESE.fullmatch(verb) else ()))}
        found = [
            column
            for column in found
            if any(_stem(part) in stems for part in (*words_of(column), *_event_of(column)))
            or (CHINESE.fullmatch(verb) and verb in column.description and not _lasts_while_null(verb, column))
        ]
    if len(found) > 1:  # `null until it is back` is no moment that every row has
        found = [column for column in found if column.nullable is False] or [
            column for column in found if not _NULL.search(column.description)
        ]
    if len(found) > 1:  # nothing is declared: what every row has
        full = [column for column in found if column.nulls == 0 and not is_later(column.name)]
        found = full if len(full) == 1 and all(column.nulls for column in found if column is not full[0]) else found
    return found[0] if len(found) == 1 else None


def says_it_began(verb: str) -> bool:
    """Whether a verb only says that a row came about."""
    return verb.lower() in _CAME_ABOUT


def is_later(column: str) -> bool:
    """Whether a moment of this name is not that at which a row came about."""
    return bool(_LATER.search(column.lower()))


def unfinished_in(table: TableDetail, words: str) -> list[ColumnDetail]:
    """The moments whose comment says that they are empty while words hold."""
    return [column for column in table.columns if TEMPORAL.search(column.type) and _lasts_while_null(words, column)]


def _lasts_while_null(words: str, column: ColumnDetail) -> bool:
    """Whether a comment says that a moment is empty while words hold: 在场 of 离场日期，在场为空, `open` of `null while it is open`."""
    found = re.escape(words.lower())
    return bool(
        re.search(
            rf"(?<![不未没无非]){found}(?:中|的|时|期间|者|状态)?(?:则|时)?(?:为|是)?(?:空|null)"
            rf"|\bnull (?:while|as long as)(?: (?:it|they|he|she|the \w+))?(?: (?:is|are))?(?: still)? {found}\b",
            column.description.lower(),
        )
    )


def _event_of(column: ColumnDetail) -> Iterator[str]:
    """What happened at a moment, by a name in one word (`shipdate`) or the comment (`shipped on`, `date of the order`)."""
    for word in words_of(column):
        if len(bare := re.sub(r"(?:date|time|day)$", "", word)) > 2 and bare != word:
            yield bare
    event = _EVENT.match(column.description.lower())
    if event:
        yield event["verb"] or event["noun"]


def _stem(word: str) -> str:
    body = word.lower()
    for ending in ("ping", "ting", "ing", "ped", "ted", "ed", "e", "s"):
        if len(body) - len(ending) >= 3 and body.endswith(ending):
            return body.removesuffix(ending)
    return body
