"""Which artefacts to read: one after the other, the one with the most news for its time, each weighed after what those before it tell."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from contracts.bundles import Artefact, Information
from contracts.tune.steps import Need, Recommendation
from workers.engines.artefacts.kinds import ArtefactKind
from workers.kinds.tune.rules.recommend.needs import can_tell
from workers.kinds.tune.rules.recommend.news import Question, expected, without
from workers.kinds.tune.rules.recommend.reasons import reason_of

MOST = 3
"""Artefacts of a round."""

ROUND_S = 20.0
"""What a round takes beside the reading: dispatching a step and thinking about what was read. It keeps a small file that tells little
from going before a large one that tells all."""

LEAST_BITS = 0.02
"""Expected information below this counts as zero."""

LEAST_RELEVANCE = 0.02
"""A part of the missing needs below it is no reason to read."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """What is not known, as choosing looks at it."""

    questions: tuple[Question, ...]
    missing: Mapping[Information, float]
    """Information that no artefact read so far has given, with its weight."""


def missing_of(needs: Sequence[Need]) -> dict[Information, float]:
    """Information → weight, of the needs that are not met."""
    return {need.information: need.weight for need in needs if not need.present_in}


def choose(
    artefacts: Sequence[Artefact],
    wanted: Wanted,
    kinds: Mapping[str, ArtefactKind],
    named_in: str = "",
) -> tuple[Recommendation, ...]:
    """At most three, the best first; none when nothing would help. Several of one kind tell the same as far as one can know before
    reading: of them the one that the user names (in `named_in`) stands for all, else the largest, which is seldom a trifle."""
    left = {artefact.name: artefact for artefact in artefacts if can_tell(artefact, kinds)}
    total = sum(wanted.missing.values())
    named = {artefact.name for artefact in artefacts if artefact.name.rsplit("/", 1)[-1].casefold() in named_in.casefold()}
    chosen: list[Recommendation] = []
    while left and len(chosen) < MOST:
        first: dict[str, Artefact] = {}
        for artefact in sorted(left.values(), key=lambda artefact: (artefact.name not in named, -artefact.size_bytes, artefact.name)):
            first.setdefault(artefact.kind, artefact)
        best = min(first.values(), key=lambda artefact: (-_worth(artefact, wanted, kinds, total), artefact.name))
        tells = can_tell(best, kinds)
        if not _is_news(wanted, tells, total):
            break
        chosen.append(_recommendation(best, wanted, kinds[best.kind], total))
        del left[best.name]
        wanted = Wanted(
            tuple(without(question, tells) for question in wanted.questions),
            {information: weight for information, weight in wanted.missing.items() if information not in tells},
        )
    return tuple(chosen)


def relevance(missing: Mapping[Information, float], tells: frozenset[Information], total: float) -> float:
    """The part of the weight of all that is missing (`total`) that this tells, 0 to 1."""
    return min(1.0, sum(weight for information, weight in missing.items() if information in tells) / total) if total > 0 else 0.0


def _worth(artefact: Artefact, wanted: Wanted, kinds: Mapping[str, ArtefactKind], total: float) -> float:
    """News a second. What a plan has to name counts as one bit in all: the needs are no question of what is wrong."""
    tells = can_tell(artefact, kinds)
    news = expected(wanted.questions, tells) + relevance(wanted.missing, tells, total)
    return round(news / (ROUND_S + kinds[artefact.kind].cost_s(artefact.size_bytes)), 9)


def _is_news(wanted: Wanted, tells: frozenset[Information], total: float) -> bool:
    return expected(wanted.questions, tells) >= LEAST_BITS or relevance(wanted.missing, tells, total) >= LEAST_RELEVANCE


def _recommendation(artefact: Artefact, wanted: Wanted, kind: ArtefactKind, total: float) -> Recommendation:
    answers = [question for question in wanted.questions if set(question.answered_by) & kind.tells]
    weights = {
        information: wanted.missing.get(information, 0.0) + expected(answers, frozenset({information})) for information in kind.tells
    }
    return Recommendation(
        name=artefact.name,
        kind=artefact.kind,
        content_description=kind.description,
        relevance=round(relevance(wanted.missing, kind.tells, total), 4),
        expected_information=round(expected(wanted.questions, kind.tells), 4),
        cost=round(kind.cost_s(artefact.size_bytes), 3),
        reason=reason_of(
            [
                information
                for information in sorted(weights, key=lambda information: (-weights[information], information))
                if weights[information] > 0
            ],
            answers,
        ),
        requires_parser=kind.parser is not None,
        parser=kind.parser,
    )
