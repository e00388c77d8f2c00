"""What columns hold whose names are not known: by what their names end with, and by their values. An id is different in each row; a state
is one of few words."""

import re
from collections.abc import Sequence
from dataclasses import replace

from workers.tickets.columns import Columns, Role, is_of_a_ticket, roles_of_end
from workers.tickets.markup import plain_text
from workers.tickets.prose import take_apart
from workers.tickets.states import LONGEST_STATE, Standing, ends_unsolved, ends_well, judge, repeats

LOOKED_AT = 500
"""Rows."""
_CODE = re.compile(r"#?[A-Za-z_]*[\w/#:-]*\d[\w/#:-]*")
"""A number, or letters with one. A date is not one, nor is a number with decimals."""
_DATE = re.compile(r"\d{4}[-/]\d{1,2}[-/]\d{1,2}.*|\d{1,2}[-/]\d{1,2}[-/](?:\d{4}|\d{2}).*|\d{1,2}:\d{2}.*")
_KEY = re.compile(r"[A-Z][A-Z0-9_]{1,14}-\d{1,9}")
"""How people call a ticket, where its `id` is one of the database: OPS-17."""
_LONGEST_ID = 40
_FEWEST_LETTERS = 4
_ID = "id"
_REFERENCES = frozenset({"ref", "reference", "identifier", "key"})
"""Names of the id that people read."""
_ENDED = (Role.SUMMARY, Role.DESCRIPTION, Role.ROOT_CAUSE, Role.SOLUTION, Role.ANOMALIES, Role.STATUS)


def by_values(columns: Columns, rows: Sequence[Sequence[str]]) -> Columns:
    """The columns with what their values show. `rows`: the first ones. The ends of names, but for the state of a ticket, and causes
    that texts name count only for a file that would be refused."""
    roles = list(columns.roles)
    cells = [[row[place].strip() if place < len(row) else "" for row in rows] for place in range(len(roles))]
    for place, role in enumerate(roles):
        if role is Role.SOLUTION and _are_states(cells[place]):
            roles[place] = Role.RESOLUTION
    is_refused = bool(columns.missing())
    for role in _ENDED if is_refused else (Role.STATUS,):
        named = [
            place
            for place, header in enumerate(columns.headers)
            if roles[place] is None and (role in roles_of_end(header) if is_refused else is_of_a_ticket(header, role))
        ]
        if role not in roles and len(named) == 1 and (_are_standings if role is Role.STATUS else _is_prose)(cells[named[0]]):
            roles[named[0]] = role
    if "root_cause" in columns.missing() and Role.ROOT_CAUSE not in roles and Role.COMMENTS not in roles:
        for place, role in enumerate(roles):
            if role is None and any(take_apart(plain_text(cell), by_people_at_work=True).cause for cell in cells[place] if " " in cell):
                roles[place] = Role.COMMENTS
    _find_id(columns.headers, roles, cells)
    return replace(columns, roles=tuple(roles))


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
    """Set the role of an id where only the end of a name says it, or where the one that is called `id` has a readable one beside it. That
    values look like ids is not enough: minutes are numbers, and those of a server are codes."""
    known = roles.index(Role.TICKET_ID) if Role.TICKET_ID in roles else None
    free = [place for place, role in enumerate(roles) if role is None]
    named = [place for place in free if _is_readable_id(headers[place]) and all(map(_KEY.fullmatch, cells[place]))]
    if known is None:
        codes = [place for place in free if is_of_a_ticket(headers[place], Role.TICKET_ID) and all(map(_is_code, cells[place]))]
        named = codes or named
    elif headers[known].casefold() != _ID or all(map(_KEY.fullmatch, cells[known])):
        return
    if known is None and not named:
        ended = [place for place in free if Role.TICKET_ID in roles_of_end(headers[place]) and all(map(_is_code, cells[place]))]
        named = ended if len(ended) == 1 else []
    if named and is_unique(cells[named[0]]):
        if known is not None:
            roles[known] = None
        roles[named[0]] = Role.TICKET_ID


def guessed_id(columns: Columns, named: Columns) -> int | None:
    """The place of the id, where only values showed it. `named`: what the names alone say."""
    places = (place for place, role in enumerate(columns.roles) if role is Role.TICKET_ID)
    return next((place for place in places if named.roles[place] is not Role.TICKET_ID), None)


def without_guessed_id(columns: Columns, named: Columns) -> Columns:
    """The columns with the id that the names alone say, or without one."""
    held = zip(columns.roles, named.roles, strict=True)
    roles = (Role.TICKET_ID if by_name is Role.TICKET_ID else None if role is Role.TICKET_ID else role for role, by_name in held)
    return replace(columns, roles=tuple(roles))


def is_unique(cells: Sequence[str]) -> bool:
    """Whether every row has a value, each another."""
    return bool(cells) and all(cells) and len(set(cells)) == len(cells)


def _is_readable_id(header: str) -> bool:
    """Whether a column is called as the id that people read: `reference`, `identifier`, or an id of which the name says more, as
    `idReadable`."""
    before, after = header[: len(_ID)], header[len(_ID) :]
    return header.casefold() in _REFERENCES or (before.casefold() == _ID and after != "" and not after[0].islower())


def _is_code(cell: str) -> bool:
    return len(cell) <= _LONGEST_ID and _CODE.fullmatch(cell) is not None and not _DATE.fullmatch(cell)
