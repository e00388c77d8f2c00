"""How a user wants a result drawn."""

import re

from contracts.ask.results import ChartWish
from workers.kinds.ask.rules.cues import Cue, cues_in

_MARKS = (
    ("heat", re.compile(r"\bheat ?maps?\b|热力图|热图", re.IGNORECASE)),
    ("bar", re.compile(r"\bbars?\b|柱状|柱形|条形|\bpie\b|饼图|\bhistogram\b", re.IGNORECASE)),
    ("line", re.compile(r"\blines?\b|\btrend\b|折线|曲线|趋势", re.IGNORECASE)),
    ("point", re.compile(r"\bscatter\b|\bpoints?\b|散点", re.IGNORECASE)),
)
_BEST = re.compile(
    r"\b(?:best|highest|largest|biggest|most|top) first\b|\bdescending\b|从高到低|从大到小|从多到少|降序|倒序", re.IGNORECASE
)
_WORST = re.compile(r"\b(?:worst|lowest|smallest|least|fewest) first\b|\bascending\b|从低到高|从小到大|从少到多|升序", re.IGNORECASE)


def wish_in(words: str) -> ChartWish | None:
    """The chart that the words ask for; None when they ask for none."""
    if Cue.CHART not in cues_in(words):
        return None
    mark = next((mark for mark, pattern in _MARKS if pattern.search(words)), None)
    order = "best_first" if _BEST.search(words) else "worst_first" if _WORST.search(words) else None
    return ChartWish.model_validate({"mark": mark, "order": order})
