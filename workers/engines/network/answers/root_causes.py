"""The root causes of a twin's problems, grouped, explained and in sentences."""

from collections.abc import Callable, Sequence

import numpy as np

from contracts.network import (
    MOST_IDS,
    MOST_ITEMS,
    Cause,
    Level,
    ProblemGroup,
    ProblemItem,
    RootCauseAnalysis,
)  # fmt: skip
from contracts.statements import Sayable, Statement, Value, count, listing, member_term, name, names, number, say
from workers.engines.network.answers.tables import Rows, Shows, shown_by
from workers.engines.network.radio.network import Ints
from workers.engines.network.thresholds import INDICATORS, IndicatorName, beyond, limit_of
from workers.engines.network.twins import LevelTable, Twin


def analyse(twin: Twin, level: Level, indicators: tuple[str, ...]) -> RootCauseAnalysis:
    """The analysis by these indicators."""
    own = twin.level(level)
    shown = shown_by(own, indicators)
    hidden = np.array([cause is not Cause.NONE for cause in own.causes], dtype=bool) & ~shown
    groups = _groups(own, np.flatnonzero(shown), indicators)
    others = _groups(own, np.flatnonzero(hidden), tuple(own.indicators))
    return RootCauseAnalysis(
        digitaltwinsId=twin.card.digitaltwinsId,
        scenario=twin.card,
        level=level,
        indicators=indicators,
        limits=tuple(limit for indicator in indicators if (limit := limit_of(indicator)) is not None),
        table=Rows(twin, level, indicators, Shows.BEFORE).table(),
        groups=groups,
        other_groups=others,
        items=_items(own, level, groups),
        says=_sentences(own, level, groups, others),
    )


def _groups(own: LevelTable, rows: Ints, indicators: Sequence[str]) -> tuple[ProblemGroup, ...]:
    found: list[ProblemGroup] = []
    for cause in Cause:
        members = rows[np.array([own.causes[int(row)] is cause for row in rows], dtype=bool)]
        if cause is Cause.NONE or len(members) == 0:
            continue
        indicator = _telling(own, members, indicators)
        values = own.indicators[indicator][members]
        worst = int(members[int(np.nanargmin(values) if INDICATORS[indicator].is_better_high else np.nanargmax(values))])
        digits = INDICATORS[indicator].digits
        found.append(
            ProblemGroup(
                cause=cause,
                indicator=indicator,
                count=len(members),
                ids=tuple(sorted(own.ids[int(row)] for row in members)[:MOST_IDS]),
                worst_id=own.ids[worst],
                worst_value=round(float(own.indicators[indicator][worst]), digits),
                mean=round(float(np.nanmean(values)), digits),
            )
        )
    return tuple(sorted(found, key=lambda group: -group.count))


def _telling(own: LevelTable, members: Ints, indicators: Sequence[str]) -> str:
    """The indicator by which most members are a problem, the first of equals; without any, the first that has values."""
    known = [each for each in indicators if not np.isnan(own.indicators[each][members]).all()]
    return max(known or list(own.indicators), key=lambda each: int(beyond(each, own.indicators[each][members]).sum()))


def _items(own: LevelTable, level: Level, groups: Sequence[ProblemGroup]) -> tuple[ProblemItem, ...]:
    """The members of each group, the worst first, as many as fit."""
    place = {each: row for row, each in enumerate(own.ids)}
    each = max(MOST_ITEMS // max(len(groups), 1), 1)
    found: list[ProblemItem] = []
    for group in groups:
        ids = sorted(group.ids, key=_badness(own, group.indicator, place))
        found += [_item(own, level, group, place[id]) for id in ids[:each]]
    return tuple(found[:MOST_ITEMS])


def _badness(own: LevelTable, indicator: str, place: dict[str, int]) -> Callable[[str], float]:
    """Orders ids by an indicator, the worst first."""
    sign = 1 if INDICATORS[indicator].is_better_high else -1
    return lambda each: sign * float(np.nan_to_num(own.indicators[indicator][place[each]]))


def _item(own: LevelTable, level: Level, group: ProblemGroup, row: int) -> ProblemItem:
    culprits = own.culprits.get(row, ())
    others = tuple(cell for cell in culprits if cell != own.ids[row])
    values: dict[str, Value] = {
        "id": name(own.ids[row]), "cause": member_term("network.cause", group.cause),
        "indicator": member_term_of(group.indicator), "value": figure(group.indicator, float(own.indicators[group.indicator][row])),
    }  # fmt: skip
    if others:
        says = say("network.item.others", **values, cells=names(others))
    elif level is Level.CELL and "tilt_deg" in own.places and "height_m" in own.places:
        says = say(
            "network.item.itself", **values, tilt=number(float(own.places["tilt_deg"][row]), 0),
            height=number(float(own.places["height_m"][row]), 0),
        )  # fmt: skip
    else:
        says = say("network.item.plain", **values)
    return ProblemItem(id=own.ids[row], cause=group.cause, culprits=culprits, says=says)


def _sentences(own: LevelTable, level: Level, groups: Sequence[ProblemGroup], others: Sequence[ProblemGroup]) -> tuple[Sayable, ...]:
    total = count(len(own.ids), exact=True)
    if not groups:
        nothing = say("network.found.no_cells", total=total) if level is Level.CELL else say("network.found.no_grids", total=total)
        says: list[Sayable] = [nothing]
    else:
        says = [_group_sentence(level, group, total) for group in groups]
    if others:
        parts = listing(*(_other_part(group) for group in others))
        says.append(say("network.found.other", parts=parts))
    return tuple(says)


def _other_part(group: ProblemGroup) -> Statement:
    return say("network.found.other_part", n=count(group.count, exact=True), cause=member_term("network.cause", group.cause))


def _group_sentence(level: Level, group: ProblemGroup, total: Value) -> Statement:
    values: dict[str, Value] = {
        "n": count(group.count, exact=True), "total": total, "cause": member_term("network.cause", group.cause),
        "indicator": member_term_of(group.indicator), "worst": name(group.worst_id),
        "value": figure(group.indicator, group.worst_value), "mean": figure(group.indicator, group.mean),
    }  # fmt: skip
    return say("network.found.cells", **values) if level is Level.CELL else say("network.found.grids", **values)


def member_term_of(indicator: str) -> Value:
    """The indicator's name in words."""
    return member_term("network.indicator", IndicatorName(indicator))


def figure(indicator: str, value: float) -> Value:
    """A value with its unit."""
    known = INDICATORS[indicator]
    shown = number(value, known.digits)
    return say("network.figure", value=shown, unit=name(known.unit)) if known.unit else shown
