"""Percentages in a text against the figures that it rests on: what a text claims has to be measured."""

import re
from collections.abc import Iterable, Iterator, Sequence

from contracts.statements import Quote, Sayable, Share, Value
from contracts.verdicts import Unit, Verdict
from workers.kinds.tune.rules.advice.figures import figures_of
from workers.kinds.tune.rules.saying import parts_of

PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?[%％]")
PERCENT_OFF = 1.0
"""Points by which a percentage in a text may differ from its figure: it was rounded."""


def percentages_in(text: Value | str) -> Iterator[float]:
    """Those that a text claims: the shares among the values of a statement, and the numbers with a percent sign in what somebody wrote."""
    for part in parts_of(text):
        match part:
            case str():
                yield from map(float, PERCENT.findall(part))
            case Quote(text=words):
                yield from map(float, PERCENT.findall(words))
            case Share(value=value):
                yield 100 * value
            case _:
                pass


def untrue_percentages(texts: Iterable[Sayable], verdicts: Sequence[Verdict]) -> list[float]:
    """Those that neither a figure of the verdicts, nor their share or summary, nor what is left of one says."""
    known = [figure for verdict in verdicts for figure in figures_of(verdict)]
    shares = [figure.value * 100 for figure in known if figure.unit is Unit.SHARE] + [verdict.share * 100 for verdict in verdicts]
    shares += [100 - share for share in shares]
    claimed = [percentage for verdict in verdicts for percentage in percentages_in(verdict.summary)]
    return [
        found
        for text in texts
        for found in percentages_in(text)
        if not any(abs(found - share) <= PERCENT_OFF for share in (*shares, *claimed))
    ]
