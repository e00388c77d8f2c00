"""Percentages in a text against the figures that it rests on: who claims one has to have measured it."""

import re
from collections.abc import Iterable, Sequence

from contracts.verdicts import Unit, Verdict
from workers.kinds.tune.rules.advice.figures import figures_of

PERCENT = re.compile(r"(\d{1,3}(?:\.\d+)?) ?[%％]")
PERCENT_OFF = 1.0
"""Points by which a percentage in a text may differ from its figure: it was rounded."""


def untrue_percentages(texts: Iterable[str], verdicts: Sequence[Verdict]) -> list[str]:
    """Those that neither a figure of the verdicts, nor their share or summary, nor what is left of one says."""
    known = [figure for verdict in verdicts for figure in figures_of(verdict)]
    shares = [one.value * 100 for one in known if one.unit is Unit.SHARE] + [verdict.share * 100 for verdict in verdicts]
    shares += [100 - share for share in shares]
    told = [float(found) for verdict in verdicts for found in PERCENT.findall(verdict.summary)]
    return [
        found
        for text in texts
        for found in PERCENT.findall(text)
        if not any(abs(float(found) - share) <= PERCENT_OFF for share in (*shares, *told))
    ]
