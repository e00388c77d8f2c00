"""A word that has a definition is answered by it: a column of a like name is another thing."""

from collections.abc import Iterator, Mapping

from contracts.queries import Aggregate
from workers.engines.definitions.words import Word
from workers.engines.questions.asked import Asked, Figure
from workers.engines.questions.grammar import Edge, Link
from workers.engines.questions.names import Phrase, phrase_of

_OTHER_FIGURES = frozenset({Aggregate.AVERAGE, Aggregate.MINIMUM, Aggregate.MAXIMUM, Aggregate.COUNT_DISTINCT})
"""Aggregates that a question names itself: the average of a column that a definition adds up is no figure of the definition."""


def passes_over_a_definition(asked: Asked, words: Mapping[Phrase, Word]) -> bool:
    """Whether a reading takes a defined word for a column that its definition does not use, or adds up a column of the word's name."""
    return any(_is_other(edge, words.get(phrase_of(edge.text)), named=named) for edge, named in _columns(asked))


def _is_other(edge: Edge, word: Word | None, *, named: bool) -> bool:
    if edge.kind != "COLUMN" or word is None or not word.has_formula:
        return False
    own = _links(word.figure) if word.figure is not None else set[tuple[str, str]]()
    return not named or not own.intersection((link.table, link.column) for link in edge.links)


def _columns(asked: Asked) -> Iterator[tuple[Edge, bool]]:
    """The columns that a question shows, adds up, compares or ranks by; and whether it says of them what only a column has."""
    ranked = asked.ranked.by if asked.ranked is not None else None
    figures = [*asked.figures, *([ranked] if isinstance(ranked, Figure) else [])]
    for figure in figures:
        if not figure.terms:
            yield figure.of, figure.aggregate in _OTHER_FIGURES
            if figure.operand is not None:
                yield figure.operand, True
    if isinstance(ranked, Edge):
        yield ranked, False
    for condition in asked.filters:
        if condition.column is not None:
            yield condition.column, True
    for edge in asked.columns:
        yield edge, True


def _links(figure: Figure) -> set[tuple[str, str]]:
    edges = [edge for part in (figure, figure.over) if part is not None for edge in (part.of, part.operand) if edge is not None]
    links: Iterator[Link] = (link for edge in edges for link in edge.links)
    return {(link.table, link.column) for link in links}
