"""What a description says beside a formula: whether it has words that the formula does not, and which known values it names.

No sentence is understood here. A word that neither the formula nor its name has may restrict it, so the user is asked; values of the data
among the words become restrictions to choose from.
"""

from collections.abc import Iterator, Sequence

from workers.engines.questions.asked import Figure
from workers.engines.questions.grammar import SKIPPED, Edge, Link
from workers.engines.questions.lexing import Lexer
from workers.engines.questions.words import key, split_name

_SAYS_NOTHING = frozenset({SKIPPED, "OPEN", "END", "SHOW", "WHATIS", "OF", "PREP", "IS", "AND"})
"""Words of the grammar between others that neither add nor exclude rows."""
_MEANS_DATA = frozenset({"TABLE", "COLUMN", "VALUE", "FLAG", "METRIC", "FIGURE", "TIME"})


class Beside:
    """Texts beside formulas, over the names and values of a source."""

    def __init__(self, lexer: Lexer) -> None:
        """`lexer`: one that looks nothing up, since prose has many words that are no values."""
        self._lexer = lexer

    def adds(self, note: str, known: Sequence[str]) -> bool:
        """Whether a text has a word that none of the known texts has: the formula, its names."""
        text = " ".join(known)
        kinds = _SAYS_NOTHING | ({edge.kind for edge in self._lexer.lex(text, {}).edges} - _MEANS_DATA)
        passed = {place for edge in self._lexer.lex(note, {}).edges if edge.kind in kinds for place in range(edge.begin, edge.stop)}
        words = {key(word) for word in split_name(text)}
        return any(not self._has(word, text, words) for word in _left(note, passed))

    @staticmethod
    def _has(word: str, text: str, words: set[str]) -> bool:
        return word in text if any("\u3400" <= sign <= "\u9fff" for sign in word) else {key(part) for part in split_name(word)} <= words

    def restrictions(self, note: str, figure: Figure) -> list[str]:
        """The values of the data that a text names, as conditions on the table of a figure: only these, and all but these."""
        tables = {link.table for link in figure.of.links}
        fixed = {(link.table, link.column) for edge in _conditioned(figure) for link in edge.links}
        values: dict[Link, list[str]] = {}
        flags: dict[Link, str] = {}
        edges = self._lexer.lex(note, {}).edges
        grammar = {(edge.begin, edge.stop) for edge in edges if edge.kind not in _MEANS_DATA}
        for edge in sorted(edges, key=lambda edge: (edge.begin, edge.stop)):
            found = [link for link in edge.links if link.table in tables and not link.is_partial]
            if edge.kind not in ("VALUE", "FLAG") or len(found) != 1 or (edge.begin, edge.stop) in grammar:
                continue
            place = Link(found[0].table, found[0].column)
            if (place.table, place.column) in fixed:
                continue
            if edge.kind == "FLAG":
                flags.setdefault(place, place.column)
            elif "'" not in found[0].value and found[0].value not in values.setdefault(place, []):
                values[place].append(found[0].value)
        only = [_is(place, some) for place, some in values.items()] + [f"with {text}" for text in flags.values()]
        not_ = [_is(place, some, "not ") for place, some in values.items()] + [f"with not {text}" for text in flags.values()]
        return [" ".join(only), " ".join(not_)] if only else []


def _left(note: str, passed: set[int]) -> Iterator[str]:
    """The words of a text that are not at these places; of Chinese, each sign."""
    word = ""
    for place, sign in enumerate(f"{note} "):
        is_chinese = "\u3400" <= sign <= "\u9fff"
        if word and (is_chinese or not (sign.isalnum() or sign == "_") or place in passed):
            yield word
            word = ""
        if place in passed:
            continue
        if is_chinese:
            yield sign
        elif sign.isalnum() or sign == "_":
            word += sign


def _conditioned(figure: Figure) -> Iterator[Edge]:
    for part in filter(None, (figure, figure.over)):
        for condition in part.filters:
            yield from filter(None, (condition.column, *condition.values))


def _is(place: Link, values: Sequence[str], sign: str = "") -> str:
    """`with orders.status 'delivered'`."""
    return f"with {place.table.rpartition('.')[2]}.{place.column} {sign}" + " or ".join(f"'{value}'" for value in values)


def same_figure(figure: Figure) -> object:
    """What two formulas have in common that compute the same, however they are written."""
    conditions = frozenset(
        (condition.operator, _places(condition.column, condition.values), condition.quantities) for condition in figure.filters
    )
    of = frozenset((link.table, link.column) for link in figure.of.links)
    operand = frozenset((link.table, link.column) for link in figure.operand.links) if figure.operand is not None else None
    over = same_figure(figure.over) if figure.over is not None else None
    return figure.aggregate, of, operand, conditions, over, figure.is_share, figure.in_percent


def _places(column: Edge | None, values: Sequence[Edge]) -> frozenset[tuple[str, str, str]]:
    """Where a condition holds: a condition without its column is the same as one with it."""
    named = {(link.table, link.column) for link in column.links} if column is not None else None
    if not values:
        return frozenset((table, name, "") for table, name in named or ())
    found = (link for value in values for link in value.links)
    return frozenset((link.table, link.column, link.value) for link in found if named is None or (link.table, link.column) in named)
