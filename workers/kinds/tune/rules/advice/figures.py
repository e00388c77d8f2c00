"""The numbers that a fix rests on: those of its verdicts, and what the tables' metadata says of their keys."""

from collections.abc import Iterable, Iterator

from contracts.verdicts import Figure, Findings, KeyStatistics, Unit, Verdict

MOST = 6
"""Of one fix: a reader takes in no more, and the others stand with the verdict."""


def figures_of(verdict: Verdict) -> tuple[Figure, ...]:
    """All figures that may be cited for a verdict."""
    return (*verdict.figures, *(figure for key in verdict.blame.keys for figure in _of_key(key)))


def evidence(findings: Findings, places: Iterable[int]) -> tuple[Figure, ...]:
    """The most telling figures: keys, then those that have a threshold, then the others, of each verdict in turn."""
    found: list[Figure] = []
    for place in places:
        verdict = findings.verdicts[place]
        keys = figures_of(verdict)[len(verdict.figures) :]
        found += [*keys, *sorted((one for one in verdict.figures if one.value), key=lambda one: one.threshold is None)]
    return tuple(dict.fromkeys(found))[:MOST]


def _of_key(key: KeyStatistics) -> Iterator[Figure]:
    source = f"table metadata, {key.column.table}"
    yield Figure(name=f"rows with {key.column.column} = {key.value}", value=key.share, unit=Unit.SHARE, source=source)
