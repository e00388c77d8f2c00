"""From the posterior to the confidence that is stated.

The posterior takes every likeness and every answer for what it is on average. Where nothing contradicts a cause it is right more often than
the posterior says, because much is counted cautiously (unknown answers, phenomena in other words), and `none of them` gets too much of what
is left. So it is sharpened by a temperature, and `none of them` is lowered (`calibrated`). Both constants are fitted by maximum likelihood
over the states of dialogues, all turns of them: `python -m tests.bench.stated_confidence` has the procedure, and how often what is said at
0.8 is right in the half that was not fitted.
"""

import math
from collections.abc import Mapping

from workers.kinds.diagnose.rules.posterior import Belief

SHARPNESS = 1.3
"""Exponent of all probabilities, the inverse of a temperature."""
NONE_NATS = -0.5
"""Added to `none of them` then."""
DOUBT = 0.31
"""The least probability of `none of them` while nothing was confirmed. A new cause often has the symptoms of an old one, and a description
alone does not tell them apart: with their cause taken out of the history, 17 of 229 openings had an old one at 0.7 and more by likeness
alone. So a cause has 0.69 at most until something is seen, and what would show it is worth a question."""


def calibrated(belief: Belief, sharpness: float = SHARPNESS, none_nats: float = NONE_NATS) -> Belief:
    """The belief with probabilities that come true as often as they say."""
    if not belief.hypotheses:
        return belief
    parts = [found.confidence**sharpness for found in belief.hypotheses]
    none = belief.none**sharpness * math.exp(none_nats)
    return _scaled(belief, parts, none)


def doubted(belief: Belief, least: float = DOUBT) -> Belief:
    """The belief with `none of them` at least as likely as `least`, and the causes so much less."""
    if not belief.hypotheses or belief.none >= least:
        return belief
    parts = [found.confidence for found in belief.hypotheses]
    return _scaled(belief, parts, least / (1 - least) * math.fsum(parts))


def lowered(before: Belief, after: Belief, nats: Mapping[str, float]) -> Belief:
    """The belief after denials, each of which only lowers: what it takes from a cause goes to `none of them`, and to no other cause. What
    is left when the others are denied was not found, and the incident may have a cause that the history lacks.

    `before`: what was stated before any denial; `after`: the causes with the findings that they have now; `nats`: of `lowered_by`.
    """
    most = {found.cause_id: found.confidence for found in before.hypotheses}
    hypotheses = [
        found.model_copy(update={"confidence": most[found.cause_id] * math.exp(SHARPNESS * nats[found.cause_id])})
        for found in after.hypotheses
    ]
    none = max(1 - math.fsum(found.confidence for found in hypotheses), 0.0)
    return Belief(tuple(sorted(hypotheses, key=lambda found: -found.confidence)), none=none)


def _scaled(belief: Belief, parts: list[float], none: float) -> Belief:
    total = math.fsum([*parts, none]) or 1.0
    hypotheses = tuple(
        found.model_copy(update={"confidence": min(part / total, 1.0)}) for found, part in zip(belief.hypotheses, parts, strict=True)
    )
    return Belief(hypotheses, none=none / total)
