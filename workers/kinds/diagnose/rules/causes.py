"""One root cause described in two languages: the history distinguishes causes by their text, so each of the two would get half
of the tickets and neither would ever reach the bar."""

import math
from collections.abc import Iterable, Sequence

from contracts.tickets import CauseCard, TicketEvidence
from workers.engines.language import Lang, language_of
from workers.kinds.diagnose.rules.families import Family
from workers.kinds.diagnose.rules.profiles import Profile

_Shares = dict[int, float]
_SHARED = 2
"""Phenomena that two translations must have in common at least: one may be chance."""


def translations(evidence: TicketEvidence, groups: Sequence[Family], profile: Profile) -> list[tuple[str, str]]:
    """Pairs (English, Chinese) of causes that show the same phenomena: each the nearest one to the other, and near
    enough (cosine of the shares of their tickets that show each phenomenon, rare phenomena weighing more)."""
    chinese = [cause.cause_id for cause in evidence.causes if language_of(cause.description) == "zh"]
    english = [cause.cause_id for cause in evidence.causes if language_of(cause.description) != "zh"]
    if not chinese or not english:
        return []
    counts = {cause.cause_id: cause.ticket_count for cause in evidence.causes}
    rarities = [0.0] + [math.sqrt(math.log((1 + len(counts)) / (1 + times))) for times in range(1, len(counts) + 1)]
    shares: dict[str, _Shares] = {cause: {} for cause in counts}
    for at, family in enumerate(groups):
        rarity = rarities[min(len(family.shown), len(counts))]
        if rarity > 0:
            for cause, shown in family.shown.items():
                if cause in shares:
                    shares[cause][at] = rarity * min(shown / counts[cause], 1.0)
    lengths = {cause: math.sqrt(math.fsum([share * share for share in own.values()])) for cause, own in shares.items()}
    to_chinese = {cause: _nearest(cause, chinese, shares, lengths, profile) for cause in english}
    to_english = {cause: _nearest(cause, english, shares, lengths, profile) for cause in chinese}
    return [(cause, other) for cause, other in to_chinese.items() if other and to_english[other] == cause]


def _nearest(cause: str, others: Sequence[str], shares: dict[str, _Shares], lengths: dict[str, float], profile: Profile) -> str | None:
    """The cause with the nearest shares; None when none is near enough. Ties go to the smaller id."""
    best: tuple[float, str] | None = None
    own = shares[cause]
    for other in others:
        theirs = shares[other]
        common = own.keys() & theirs.keys()
        if len(common) < _SHARED:
            continue
        near = math.fsum([own[at] * theirs[at] for at in common]) / (lengths[cause] * lengths[other])
        if near >= profile.translated_bar and (best is None or (-near, other) < (-best[0], best[1])):
            best = (near, other)
    return best and best[1]


def merge_translations(
    evidence: TicketEvidence, groups: Sequence[Family], profile: Profile, lang: Lang
) -> tuple[TicketEvidence, tuple[Family, ...]]:
    """The evidence with translated causes as one, under the id and text of the one in the user's language."""
    return merge_causes(evidence, groups, translations(evidence, groups, profile), lang)


def merge_causes(
    evidence: TicketEvidence, groups: Sequence[Family], pairs: Iterable[tuple[str, str]], lang: Lang
) -> tuple[TicketEvidence, tuple[Family, ...]]:
    """The evidence with the causes of each pair, and of pairs that share one, as one cause: under the id and text of the one in the
    user's language, the most frequent one where several are."""
    cards = {cause.cause_id: cause for cause in evidence.causes}
    sets: dict[str, set[str]] = {}
    for left, right in pairs:
        if left in cards and right in cards:
            joined = sets.get(left, {left}) | sets.get(right, {right})
            sets |= dict.fromkeys(joined, joined)
    if not sets:
        return evidence, tuple(groups)
    renamed: dict[str, str] = {}
    merged: dict[str, CauseCard] = {}
    for members in {id(found): found for found in sets.values()}.values():
        ranked = sorted(members, key=lambda cause: (language_of(cards[cause].description) != lang, -cards[cause].ticket_count, cause))
        kept = cards[ranked[0]]
        renamed |= dict.fromkeys(ranked[1:], kept.cause_id)
        merged[kept.cause_id] = kept.model_copy(
            update={
                "ticket_count": sum(cards[cause].ticket_count for cause in ranked),
                "ticket_ids": tuple(dict.fromkeys(ticket for cause in ranked for ticket in cards[cause].ticket_ids)),
                "solution": next((cards[cause].solution for cause in ranked if cards[cause].solution), ""),
                "similarity": max(cards[cause].similarity for cause in ranked),
            }
        )
    changed = evidence.model_copy(
        update={
            "causes": tuple(merged.get(cause.cause_id, cause) for cause in evidence.causes if cause.cause_id not in renamed),
            "tickets": tuple(
                ticket.model_copy(update={"cause_id": renamed[ticket.cause_id]}) if ticket.cause_id in renamed else ticket
                for ticket in evidence.tickets
            ),
            "total_causes": evidence.total_causes - len(renamed),
        }
    )
    return changed, tuple(family.with_causes(renamed) for family in groups)
