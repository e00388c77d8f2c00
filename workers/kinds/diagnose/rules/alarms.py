"""Alarms of a monitoring system: every metric was looked at, so there is nothing to ask, and several causes may act at once.

The causes of an alarm are the set of one to three causes that makes it most likely. Each cause shows a graded metric with the share of
its tickets that do, smoothed by the share of all tickets; causes of a set act independently (noisy-or). A further cause costs `_FURTHER`
nats. Whether any of this bears the diagnosis is judged by the fit: the log-likelihood of the alarm under its best set, by the number of
its metrics. An alarm that even its best set makes surprising has a cause that the history does not know.
"""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import combinations
from math import exp, log

from contracts.diagnose.deliverables import VOLUNTEERED, Diagnosis, Evidence, Finding, Hypothesis, Verdict
from contracts.diagnose.request import DiagnoseRequest
from contracts.tickets import CauseCard, PhenomenonCard, TicketEvidence
from workers.kinds.diagnose.rules.conclusion import conclusion
from workers.tickets.wording import cause_id, normalise

_ALL_NORMAL = re.compile(r"\ball other metrics are normal\b", re.IGNORECASE)
_READING = re.compile(r"(?:(?:very|extremely) )?(?:high|low|unusual) \S.{0,120}", re.IGNORECASE)
_SENTENCE_END = re.compile(r"\.\s+|\.$|\n+")

_FROM_ALL = 0.5
"""Tickets that the share of all tickets counts for in that of a cause."""
_OF_ITSELF = 0.02
"""Probability that a metric is unusual without any of the causes."""
_CERTAIN = 0.01
"""No probability is nearer to 0 or 1 than this: a ticket lists what its author's thresholds let through."""
_FURTHER = 1.5
"""Nats that each further cause costs: an incident of one cause more is a fifth as frequent."""
_MOST = 3
"""Causes that may act at once."""
_CANDIDATES = 12
"""Causes of which sets are formed: those that explain the alarm best alone."""
_FIT = -1.6
"""Log-likelihood per metric (two more, so that short alarms are not judged by one) at which a diagnosis is as sure as `_SURE`. Chosen on
half of the runs, each left out, and of the alarms whose cause was taken out of the history; see docs/evaluation.md."""
_FIT_SCALE = 0.25
_SURE = 0.7
_DIAGNOSED = 0.8
_NAMED = 0.1
"""Confidence from which a cause is named as a guess."""
_SHOWN = 12
"""Findings of an alarm that are shown."""
_WORTH = 0.1
"""Nats from which a finding is shown."""
_ALTERNATIVES = 5


@dataclass(frozen=True)
class _Metric:
    """A graded metric of the history: how often each cause shows it."""

    card: PhenomenonCard
    shares: tuple[float, ...]
    """By cause, in the order of the candidates."""
    usual: float
    """Share of all tickets that show it."""
    shown: bool
    """Whether the alarm has it."""

    def given(self, causes: Iterable[int]) -> float:
        """Its probability if these causes act."""
        left = 1.0 - _OF_ITSELF
        for cause in causes:
            left *= 1.0 - self.shares[cause]
        return _bounded(1.0 - left)

    def gain(self, causes: Iterable[int]) -> float:
        """What the alarm says of these causes by this metric, in nats, against the tickets of all causes."""
        probability, usual = self.given(causes), _bounded(self.usual)
        return log(probability / usual) if self.shown else log((1.0 - probability) / (1.0 - usual))


def readings_of(description: str) -> tuple[str, ...] | None:
    """The graded metrics of an alarm; None: the text is no alarm, or does not say that all other metrics are normal."""
    sentences = [part.strip() for part in _SENTENCE_END.split(description) if part.strip()]
    readings = [sentence for sentence in sentences if not _ALL_NORMAL.fullmatch(sentence)]
    if len(readings) == len(sentences) or not readings or not all(_READING.fullmatch(reading) for reading in readings):
        return None
    return tuple(readings)


def diagnose_alarm(request: DiagnoseRequest, evidence: TicketEvidence) -> Diagnosis | None:
    """The diagnosis of an alarm, with all causes that act at once. None: the request is no alarm, or the history knows none of its
    metrics."""
    readings = readings_of(request.description)
    known = {normalise(card.description) for card in evidence.phenomena}
    if readings is None or not evidence.causes or known.isdisjoint(shown := {normalise(reading) for reading in readings}):
        return None
    metrics = _metrics(evidence, shown)
    unknown = len(shown - known)
    ranked = _ranked(evidence.causes, metrics, unknown)
    hypotheses = _hypotheses(evidence, metrics, ranked, size=len(shown))
    top = hypotheses[0]
    verdict = Verdict.DIAGNOSED if top.confidence >= _DIAGNOSED else Verdict.UNCERTAIN if top.confidence >= _NAMED else Verdict.UNKNOWN
    found = conclusion(verdict, hypotheses, evidence, citable=top.ticket_ids, not_checked=(), turns=0)
    together = ranked[0][1]
    if found.root_cause is None or len(together) == 1:
        return found
    causes = tuple(evidence.causes[place] for place in together)
    solutions = [f"{cause.description}: {cause.solution}" for cause in causes if cause.solution]
    return found.model_copy(update={"together": tuple(cause.cause_id for cause in causes), "solution": "\n".join(solutions) or None})


def _metrics(evidence: TicketEvidence, shown: set[str]) -> list[_Metric]:
    total = max(evidence.total_tickets, 1)
    found: list[_Metric] = []
    for card in evidence.phenomena:
        usual = (sum(card.cause_tickets.values()) + 0.5) / (total + 1)
        shares = tuple(
            _bounded((card.cause_tickets.get(cause.cause_id, 0) + _FROM_ALL * usual) / (cause.ticket_count + _FROM_ALL))
            for cause in evidence.causes
        )
        found.append(_Metric(card, shares, usual, normalise(card.description) in shown))
    return found


def _ranked(causes: Sequence[CauseCard], metrics: Sequence[_Metric], unknown: int) -> list[tuple[float, tuple[int, ...]]]:
    """Sets of causes with the log-likelihood of the alarm, the best first. `unknown`: metrics of the alarm that no ticket has."""
    never = unknown * log(_OF_ITSELF)

    def likelihood(together: tuple[int, ...]) -> float:
        found = (metric.given(together) for metric in metrics)
        fit = sum(log(p if metric.shown else 1.0 - p) for metric, p in zip(metrics, found, strict=True))
        return never + fit - _FURTHER * (len(together) - 1)

    alone = sorted(((likelihood((place,)), (place,)) for place in range(len(causes))), key=lambda pair: (-pair[0], pair[1]))

    best = [together[0] for _, together in alone[:_CANDIDATES]]
    sets = [together for size in range(2, _MOST + 1) for together in combinations(sorted(best), size)]
    return sorted([*alone, *((likelihood(together), together) for together in sets)], key=lambda pair: (-pair[0], pair[1]))


def _hypotheses(
    evidence: TicketEvidence, metrics: Sequence[_Metric], ranked: Sequence[tuple[float, tuple[int, ...]]], *, size: int
) -> list[Hypothesis]:
    best = ranked[0][0]
    total = sum(exp(likelihood - best) for likelihood, _ in ranked)
    fit = _sureness(best / (size + 2))
    return [
        _hypothesis(evidence, metrics, together, exp(likelihood - best) / total * fit) for likelihood, together in ranked[:_ALTERNATIVES]
    ]


def _sureness(fit: float) -> float:
    """From the fit to the probability that the cause is one of the history's: `_SURE` at `_FIT`."""
    return 1.0 / (1.0 + exp(-(fit - _FIT) / _FIT_SCALE - log(_SURE / (1.0 - _SURE))))


def _hypothesis(evidence: TicketEvidence, metrics: Sequence[_Metric], together: tuple[int, ...], confidence: float) -> Hypothesis:
    causes = [evidence.causes[place] for place in together]
    ids = {cause.cause_id for cause in causes}
    wording = "; ".join(sorted(cause.description for cause in causes))
    near = [ticket for ticket in evidence.tickets if ticket.cause_id in ids]
    cited = [ticket for cause in causes for ticket in cause.ticket_ids[:2]]
    total = sum(cause.ticket_count for cause in evidence.causes)
    return Hypothesis(
        cause_id=causes[0].cause_id if len(causes) == 1 else cause_id(wording),
        root_cause=wording,
        confidence=min(confidence, 1.0),
        prior=min(causes[0].ticket_count / total, 1.0) * exp(-_FURTHER * (len(causes) - 1)),
        symptom_similarity=max((ticket.similarity for ticket in near), default=0.0),
        evidence=_weighed(evidence, metrics, together, ids),
        ticket_ids=tuple(cited),
    )


def _weighed(evidence: TicketEvidence, metrics: Sequence[_Metric], together: tuple[int, ...], ids: set[str]) -> tuple[Evidence, ...]:
    gains = sorted(((metric.gain(together), metric) for metric in metrics), key=lambda pair: -abs(pair[0]))
    return tuple(
        Evidence(
            phenomenon_id=metric.card.phenomenon_id,
            description=metric.card.description,
            finding=Finding.CONFIRMED if metric.shown else Finding.DENIED,
            weight=gain,
            tickets=tuple(
                ticket.ticket_id
                for ticket in evidence.tickets
                if ticket.cause_id in ids and metric.card.phenomenon_id in ticket.phenomenon_ids
            ),
            source=VOLUNTEERED if metric.shown else "unsaid",
        )
        for gain, metric in gains[:_SHOWN]
        if abs(gain) >= _WORTH
    )


def _bounded(probability: float) -> float:
    return min(max(probability, _CERTAIN), 1.0 - _CERTAIN)
