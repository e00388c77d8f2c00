"""The numbers by which a model names what it is shown: findings, their figures, and the artefacts that were read."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from contracts.bundles import ArtefactRead
from contracts.verdicts import Figure, Findings, Verdict
from workers.kinds.tune.rules.advice.figures import figures_of

MOST_FIGURES = 8
"""The most figures of a finding: others are seldom cited."""

DESCRIPTION = 0
"""The user's words, among the artefacts."""


@dataclass(frozen=True, slots=True)
class Numbers:
    """What may be cited: that and only that was shown."""

    verdicts: dict[int, int]
    """Number → place among the findings."""
    figures: dict[int, tuple[int, Figure]]
    """Number → the place of its finding, and the figure."""
    artefacts: dict[int, str]
    """Number → name; of the description an empty one."""

    def places(self, cited: Iterable[int]) -> tuple[int, ...]:
        """Places of the findings cited, each once; unknown numbers are left out."""
        return tuple(dict.fromkeys(self.verdicts[number] for number in cited if number in self.verdicts))

    def evidence(self, cited: Iterable[int], places: Sequence[int]) -> tuple[Figure, ...]:
        """The figures cited that are of these findings, each once."""
        known = (self.figures[number] for number in cited if number in self.figures)
        return tuple(dict.fromkeys(figure for place, figure in known if place in places))


def number_all(findings: Findings, read: Sequence[ArtefactRead] = ()) -> Numbers:
    """Numbers for all that may be shown, counted from 1."""
    figures = [(place, figure) for place, verdict in enumerate(findings.verdicts) for figure in _keys_first(verdict)[:MOST_FIGURES]]
    artefacts = {number: artefact.name for number, artefact in enumerate(read, start=1)}
    return Numbers(
        verdicts={place + 1: place for place in range(len(findings.verdicts))},
        figures=dict(enumerate(figures, start=1)),
        artefacts={DESCRIPTION: "", **artefacts},
    )


def only(numbers: Numbers, verdicts: Iterable[object], artefacts: Iterable[object]) -> Numbers:
    """Only the findings and artefacts that had room in the prompt, by their numbers. Figures are kept with their findings."""
    shown, named = set(verdicts), set(artefacts)
    kept = {number: place for number, place in numbers.verdicts.items() if number in shown}
    return Numbers(
        verdicts=kept,
        figures={number: cited for number, cited in numbers.figures.items() if cited[0] in kept.values()},
        artefacts={number: name for number, name in numbers.artefacts.items() if number in named},
    )


def _keys_first(verdict: Verdict) -> tuple[Figure, ...]:
    figures = figures_of(verdict)
    own = len(verdict.figures)
    return (*figures[own:], *figures[:own])
