"""What columns hold whose names are not known: by what their names end with, and by their values. An id is different in each row; a state
is one of few words."""

import re
from collections.abc import Sequence
from dataclasses import replace

from workers.tickets.columns import Columns, Role, roles_of_end
from workers.tickets.markup import plain_text
from workers.tickets.prose import take_apart
from workers.tickets.states import LONGEST_STATE, Standing, ends_unsolved, ends_well, judge, repeats

LOOKED_AT = 500
"""Rows."""
_FIRST = 3
"""An id is in one of the first columns that have values."""
_CODE = re.compile(r"#?[A-Za-z_]*[\w/#:-]*\d[\w/#:-]*")
"""A number, or letters with one. A date is not one, nor is a number with decimals."""
_DATE = re.compile(
    r"\d{4}[-/]\d{1,2}[-/]\d{1,2}.*|\d{1,2}:\d{2}.*|\d{1,2}[-/]\d{1,2}[-/]\d{2}(?:\d{2})?|\d{1,2}[-/][A-Za-z]{3,9}[-/]\d{2,4}|"
    r"(?:19|20)\d{2}(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])"
)
_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,14}-\d{1,9}")
"""How people call a ticket, where its `id` is one of the database: OPS-17."""
_LONGEST_ID = 40
_OF_TICKETS = frozenset({"incident", "ticket", "case", "issue", "bug", "problem", "工单", "问题", "故障"})
"""Words of a heading for the ticket itself: `Incident status` is its state, `Payment status` is not."""
_OF_IDS = frozenset({*_OF_TICKETS, "id", "no", "nr", "number", "nummer", "key", "ref", "reference"})
_WORD = re.compile(r"[A-Z]*[a-z]+|[A-Z]+|[^\W\d_]+")
_FEWEST_LETTERS = 4
_ENDED = (Role.SUMMARY, Role.DESCRIPTION, Role.ROOT_CAUSE, Role.SOLUTION, Role.ANOMALIES, Role.STATUS)


def by_values(columns: Columns, rows: Sequence[Sequence[str]]) -> Columns:
    """The columns with what their values show. `rows`: the first ones. The ends of names, but for a state, and causes
    that texts name count only for a file that would be refused; a state that is that of the ticket itself for each."""
    is_read = not columns.missing()
    roles = list(columns.roles)
    cells = [_cells(rows, place) for place in range(len(roles))]
    for place, role in enumerate(roles):
        if role is Role.SOLUTION and _are_states(cells[place]):
            roles[place] = Role.RESOLUTION
    for role in (Role.STATUS,) if is_read else _ENDED:
        named = [place for place, header in enumerate(columns.headers) if roles[place] is None and role in roles_of_end(header)]
        named = [place for place in named if not is_read or _is_of_ticket(columns.headers[place], columns.headers)]
        if role not in roles and len(named) == 1 and (_are_standings if role is Role.STATUS else _is_prose)(cells[named[0]]):
            roles[named[0]] = role
    if "root_cause" in columns.missing() and Role.ROOT_CAUSE not in roles and Role.COMMENTS not in roles:
        for place, role in enumerate(roles):
            if role is None and any(take_apart(plain_text(cell), by_people_at_work=True).cause for cell in cells[place] if " " in cell):
                roles[place] = Role.COMMENTS
    return replace(columns, roles=tuple(roles))


def with_id(columns: Columns, rows: Sequence[Sequence[str]]) -> Columns:
    """The columns with an id where no name says it, or where the one that is called `id` is not how people call a ticket."""
    roles = list(columns.roles)
    _find_id(columns.headers, roles, [_cells(rows, place) for place in range(len(roles))])
    return replace(columns, roles=tuple(roles))


def has_one_id_each(columns: Columns, rows: Sequence[Sequence[str]]) -> bool:
    """Whether no id comes again. A row without one is its own problem."""
    held = [cell for cell in _cells(rows, columns.roles.index(Role.TICKET_ID)) if cell]
    return len(set(held)) == len(held)


def _cells(rows: Sequence[Sequence[str]], place: int) -> list[str]:
    return [row[place].strip() if place < len(row) else "" for row in rows]


def _is_of_ticket(header: str, headers: Sequence[str]) -> bool:
    """Whether a heading names the ticket, or begins as most headings do."""
    first = _words(header)[:1]
    return any(word in header.casefold() for word in _OF_TICKETS) or sum(_words(other)[:1] == first for other in headers) * 2 > len(headers)


def _words(header: str) -> list[str]:
    return [word.casefold() for word in _WORD.findall(header)]


def _are_standings(cells: Sequence[str]) -> bool:
    """Whether most values are known states of tickets."""
    held = {cell for cell in cells if cell}
    return bool(held) and sum(judge(cell, None) is not Standing.UNKNOWN for cell in held) * 2 >= len(held)


def _is_prose(cells: Sequence[str]) -> bool:
    """Whether most values are words, and not a time to fix or the date of a cause."""
    held = [cell for cell in cells if cell]
    return sum(sum(map(str.isalpha, cell)) >= _FEWEST_LETTERS for cell in held) * 2 > len(held)


def _are_states(cells: Sequence[str]) -> bool:
    """Whether a column holds how tickets ended, and not what helped: at least half of its values are known words for it."""
    held = {cell for cell in cells if cell}
    known = [cell for cell in held if ends_well(cell) or ends_unsolved(cell) or repeats(cell)]
    return bool(known) and len(known) * 2 >= len(held) and all(len(cell) <= LONGEST_STATE for cell in held)


def _find_id(headers: Sequence[str], roles: list[Role | None], cells: Sequence[Sequence[str]]) -> None:
    known = roles.index(Role.TICKET_ID) if Role.TICKET_ID in roles else None
    free = [place for place, role in enumerate(roles) if role is None and _is_unique(cells[place])]
    if known is not None:
        keys = [place for place in free if _is_like_id(headers[place]) and all(map(_KEY.fullmatch, cells[place]))]
        if headers[known].casefold() == "id" and keys and not all(map(_KEY.fullmatch, cells[known])):
            roles[known], roles[keys[0]] = None, Role.TICKET_ID
        return
    first = [place for place, column in enumerate(cells) if any(column)][:_FIRST]
    codes = [place for place in free if all(map(_is_code, cells[place]))]
    named = [place for place in codes if _is_like_id(headers[place], whole=place not in first)]
    codes = named or [place for place in codes if place in first and not all(map(_is_number, cells[place]))]
    if codes:
        roles[codes[0]] = Role.TICKET_ID


def _is_like_id(header: str, *, whole: bool = False) -> bool:
    """Whether a heading has a word for an id. `whole`: it has no other words."""
    words = _words(header)
    has_end = not whole and (Role.TICKET_ID in roles_of_end(header) or header.endswith(("编号", "单号")))
    return has_end or (bool(words) and (all if whole else any)(word in _OF_IDS for word in words))


def _is_number(cell: str) -> bool:
    """Whether a value is a number, a ratio or a range: minutes, and no id where no heading says so."""
    return not any(sign.isalpha() or sign == "#" for sign in cell)


def _is_unique(cells: Sequence[str]) -> bool:
    return bool(cells) and all(cells) and len(set(cells)) == len(cells)


def _is_code(cell: str) -> bool:
    return len(cell) <= _LONGEST_ID and _CODE.fullmatch(cell) is not None and not _DATE.fullmatch(cell)
