"""What a person or a model says of a file, the closed form of `--map`: what a column holds, which states are solved, where the table is."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.statements import Statement, name, names, say
from workers.errors import InvalidInput
from workers.tickets.columns import METADATA, SOLVED, Role

RECORDS, HEADER, DELIMITER = "records", "header", "delimiter"
"""`PATH=records`: where in JSON or XML the tickets are (`.`: the elements of the document, or its lines). `LINE=header` and
`FIRST-LAST=header`: the lines of the column names. `SIGN=delimiter`: what is between two columns; `tab` is a tabulator."""
WHOLE = "."
"""The path of the document itself."""
MEANINGS = (*(role.value for role in Role), METADATA, SOLVED, RECORDS, HEADER, DELIMITER)
_TAB = "tab"


@dataclass(frozen=True, slots=True)
class Form:
    """Where in a file the tickets are, as far as somebody says it."""

    records: str = ""
    """A path to a list of objects. It makes a mapping exact: what it does not name is not kept."""
    header: tuple[int, int] | None = None
    """The first and the last line of the column names, from 1."""
    delimiter: str = ""


def read_mapping(pairs: Sequence[str]) -> dict[str, str]:
    """`column=field` of the command line, as column → field. Raises `InvalidInput` naming the fields that there are."""
    found: dict[str, str] = {}
    for pair in pairs:
        column, sign, role = pair.rpartition("=")
        meaning = role.strip().lower()
        if not sign or not column.strip() or meaning not in MEANINGS:
            raise InvalidInput.of(_not_a_pair(pair))
        found[column.strip()] = meaning
    form_of(found)
    return found


def form_of(mapping: Mapping[str, str] | None) -> tuple[Form, dict[str, str]]:
    """Where the tickets are, and the rest of the mapping. Raises `InvalidInput` for what is not the number of a line, or not one sign."""
    given = dict(mapping or {})
    form = {meaning: next((key for key, value in given.items() if value == meaning), "") for meaning in (RECORDS, HEADER, DELIMITER)}
    rest = {column: meaning for column, meaning in given.items() if meaning not in form}
    delimiter = "\t" if form[DELIMITER].casefold() == _TAB else form[DELIMITER]
    if len(delimiter) > 1:
        raise InvalidInput.of(say("refused.tickets.no_delimiter", given=name(delimiter), tab=name(_TAB)))
    return Form(form[RECORDS], _lines(form[HEADER]), delimiter), rest


def _lines(text: str) -> tuple[int, int] | None:
    if not text:
        return None
    first, _, last = text.partition("-")
    parts = [part.strip() for part in (first, last or first)]
    if not all(part.isascii() and part.isdecimal() and int(part[:9]) > 0 for part in parts) or int(parts[0]) > int(parts[1]):
        raise InvalidInput.of(no_header(text))
    return int(parts[0]), int(parts[1])


def no_header(lines: str) -> Statement:
    """That there are no column names in these lines, and the form."""
    return say("refused.tickets.no_header", given=name(lines), form=name("3=header"), other=name("3-4=header"))


def _not_a_pair(pair: str) -> Statement:
    """What is wrong with a mapping, and the right one where only its sides are exchanged."""
    field, sign, column = (part.strip() for part in pair.partition("="))
    if sign and column and field.lower() in MEANINGS:
        right = name(f'--map "{column}={field.lower()}"')
        return say("refused.tickets.pair_turned", given=name(f"--map {pair!r}"), right=right)
    return say("refused.tickets.no_pair", given=name(f"--map {pair!r}"), form=name("COLUMN=FIELD"), fields=names(MEANINGS))
