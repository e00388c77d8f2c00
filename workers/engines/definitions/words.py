"""What a word means by its definitions: a single formula, several that differ, or a text that is no formula."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from contracts.questions import Meaning, OpenWord, UsedDefinition
from workers.engines.definitions.beside import Beside, same_figure
from workers.engines.definitions.definition import Definition, digest_of
from workers.engines.questions.asked import Figure
from workers.engines.questions.names import Phrase, phrase_of

MOST_MEANINGS = 6
"""Formulas of a word that a user is given to choose from."""


@dataclass(frozen=True, slots=True)
class Word:
    """A word with its definitions."""

    figure: Figure | None
    """What it computes by the first definition that can be computed; None: by none."""
    used: UsedDefinition
    has_formula: bool = False
    """A definition means to compute it, whether the grammar reads how or not."""
    prose: str = ""
    """What is said of it, where nothing can be computed."""
    figures: tuple[Figure, ...] = ()
    """What it computes by each of its definitions that count and can be computed."""
    open: OpenWord | None = None
    """Why it has to be asked what it means; None: it is clear."""


FigureOf = Callable[[Definition], Figure | None]
"""The figure of a definition's formula with its restriction; None: the grammar does not read it."""


def word_of(phrase: Phrase, given: Sequence[Definition], figure_of: FigureOf, beside: Beside) -> Word:
    """The word of some definitions, at least one. Settled ones count before all others, the first of them that can be computed."""
    settled = [each for each in given if each.is_settled]
    pool = settled or given
    read = [(each, figure) for each in pool if (figure := figure_of(each)) is not None]
    first = read[0][0] if read else pool[0]
    called = next((each for each in (first.name, *first.others) if phrase_of(each) == phrase), first.name)
    used = UsedDefinition(name=called, text=first.says, place=first.place)
    if not read:
        return Word(None, used, any(each.formula for each in pool), prose=first.computed or first.description)
    figure = read[0][1]
    made = replace(figure, terms=(phrase, *figure.terms, *(figure.over.terms if figure.over is not None else ())))
    figures = (figure,) if settled else tuple(each for _, each in read)
    return Word(made, used, True, figures=figures, open=None if settled else _open(called, given, read, figure_of, beside))


def _open(
    called: str, given: Sequence[Definition], read: Sequence[tuple[Definition, Figure]], figure_of: FigureOf, beside: Beside
) -> OpenWord | None:
    differing: dict[object, tuple[Definition, Figure]] = {}
    for each, figure in read:
        differing.setdefault(same_figure(figure), (each, figure))
    meanings = [Meaning(formula=_formula(each), restriction=each.conditions) for each, _ in differing.values()]
    says = tuple(dict.fromkeys(_said(given, read)))
    first, figure = next(iter(differing.values()))
    if len(differing) == 1:
        says = tuple(text for text in says if _matters(text, first, figure, beside))
        if not says:
            return None
        meanings = [*_restricted(says, first, figure, figure_of, beside), *meanings]
    chosen = tuple(meanings[:MOST_MEANINGS])
    return OpenWord(name=called, place=first.place, says=says, meanings=chosen, differs=len(differing) > 1, digest=digest_of(given))


def _said(given: Sequence[Definition], read: Sequence[tuple[Definition, Figure]]) -> Iterator[str]:
    """What is said beside the formulas that can be computed."""
    computed = [each for each, _ in read]
    for each in given:
        if each not in computed:
            yield from filter(None, (each.computed, each.description))
        elif each.formula:
            yield from filter(None, (rest_of(each.formula), each.description))
        elif rest := rest_of(each.description):
            yield rest


def _matters(text: str, definition: Definition, figure: Figure, beside: Beside) -> bool:
    """Whether a text may restrict what the formula does not. Who states a restriction has said all of it; a formula with conditions is
    doubted only where the text names another value of the data."""
    if definition.restriction:
        return False
    if any(part.filters for part in (figure, figure.over) if part is not None):
        return bool(beside.restrictions(text, figure))
    edges = [edge for part in (figure, figure.over) if part is not None for edge in (part.of, part.operand) if edge is not None]
    named = [name for edge in edges for link in edge.links for name in (link.table.rpartition(".")[2], link.column)]
    return beside.adds(text, (definition.formula or definition.description, definition.name, *definition.others, *named))


def _restricted(says: Sequence[str], definition: Definition, figure: Figure, figure_of: FigureOf, beside: Beside) -> Iterator[Meaning]:
    """The formula with the values that the texts name, as far as the grammar reads it."""
    for restriction in dict.fromkeys(each for text in says for each in beside.restrictions(text, figure)):
        made = replace(definition, formula=_formula(definition), restriction=restriction)
        if figure_of(made) is not None:
            yield Meaning(formula=made.formula, restriction=restriction)


def _formula(definition: Definition) -> str:
    return first_sentence(definition.formula or definition.description).strip()


_ENDS = (". ", "。", ";", "；", "\n")


def first_sentence(text: str) -> str:
    """A formula without the sentences behind it, and without the marks of code."""
    plain = text.replace("`", "")
    ends = [place for sign in _ENDS if (place := plain.find(sign)) > 0]
    return plain[: min(ends)] if ends else plain


def rest_of(text: str) -> str:
    """The sentences behind a formula."""
    plain = text.replace("`", "")
    return plain[len(first_sentence(text)) :].lstrip("".join(_ENDS)).strip()
