"""The numbers that a fix rests on: those of its verdicts, and what the tables' metadata says of their keys."""

from collections.abc import Iterable, Iterator

from contracts.statements import say
from contracts.verdicts import Figure, Findings, KeyStatistics, Unit, Verdict
from workers.kinds.tune.rules.saying import key_value, shown_name

ROWS_WITH_KEY = "rows_with_key"
"""The id of a key's share of its table."""

MOST = 6
"""The most figures of a fix: a reader takes in no more, and the verdict has the others."""


def figures_of(verdict: Verdict) -> tuple[Figure, ...]:
    """All figures that may be cited for a verdict."""
    return (*verdict.figures, *(figure for key in verdict.blame.keys for figure in _of_key(key)))


def evidence(findings: Findings, places: Iterable[int]) -> tuple[Figure, ...]:
    """The most telling figures: keys, then those that have a threshold, then the others, of each verdict in turn."""
    found: list[Figure] = []
    for place in places:
        verdict = findings.verdicts[place]
        keys = figures_of(verdict)[len(verdict.figures) :]
        found += [*keys, *sorted((figure for figure in verdict.figures if figure.value), key=lambda figure: figure.threshold is None)]
    return tuple(dict.fromkeys(found))[:MOST]


def _of_key(key: KeyStatistics) -> Iterator[Figure]:
    yield Figure(
        id=ROWS_WITH_KEY,
        name=say("tune.figure.rows_with_key", column=shown_name(key.column.column), value=shown_name(key_value(key))),
        value=key.share,
        unit=Unit.SHARE,
        source=say("tune.figure.table_metadata", table=shown_name(key.column.table)),
    )
