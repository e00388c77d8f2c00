"""The effect of the advised changes: who was mended, who still is a problem, who became worse."""

import math

import numpy as np

from contracts.network import MOST_IDS, MOST_ITEMS, IndicatorEffect, Level, SimulationResults, Worsened
from contracts.statements import Sayable, Statement, Value, count, listing, name, names, number, say
from workers.engines.network.answers.root_causes import figure, member_term_of
from workers.engines.network.answers.tables import Rows, Shows
from workers.engines.network.radio.network import Floats
from workers.engines.network.thresholds import INDICATORS, beyond
from workers.engines.network.twins import LevelTable, Twin

NAMED_WORSE = 3
"""Worsened cells that a sentence names."""


def simulate(twin: Twin, level: Level, indicators: tuple[str, ...]) -> SimulationResults:
    """Before and after by these indicators."""
    own, after, effect = twin.level(level), twin.after(level), twin.effect()
    effects = tuple(effect_of(own, after, indicator) for indicator in indicators)
    return SimulationResults(
        digitaltwinsId=twin.card.digitaltwinsId,
        level=level,
        indicators=indicators,
        is_computed=twin.is_computed,
        table=Rows(twin, level, indicators, Shows.EFFECT).table(),
        changes=effect.changes,
        effects=effects,
        promises=effect.promises,
        says=_sentences(level, len(effect.changes), effects),
    )


def effect_of(own: LevelTable, after: dict[str, Floats], indicator: str) -> IndicatorEffect:
    """What happened to an indicator. The means are over the rows that were a problem by it."""
    known, before, then = INDICATORS[indicator], own.indicators[indicator], after[indicator]
    was, is_now = beyond(indicator, before), beyond(indicator, then)
    return IndicatorEffect(
        indicator=indicator,
        unit=known.unit,
        problems=_ids(own, was),
        problem_count=int(was.sum()),
        mean_before=_mean(before[was], known.digits),
        mean_after=_mean(then[was], known.digits),
        still_problem=_ids(own, was & is_now),
        new_problem=_ids(own, is_now & ~was),
        overall_before=_mean(before, known.digits),
        overall_after=_mean(then, known.digits),
        worse=_worse(own, indicator, before, then),
    )


def _ids(own: LevelTable, chosen: np.ndarray[tuple[int], np.dtype[np.bool_]]) -> tuple[str, ...]:
    return tuple(sorted(own.ids[row] for row in np.flatnonzero(chosen))[:MOST_IDS])


def _mean(values: Floats, digits: int) -> float | None:
    known = values[~np.isnan(values)]
    return round(float(known.mean()), digits) if len(known) else None


def _worse(own: LevelTable, indicator: str, before: Floats, after: Floats) -> tuple[Worsened, ...]:
    known = INDICATORS[indicator]
    if math.isinf(known.tolerance):
        return ()
    loss = np.nan_to_num((before - after) if known.is_better_high else (after - before))
    if known.harmless is not None:
        loss = np.where((after >= known.harmless) if known.is_better_high else (after <= known.harmless), 0.0, loss)
    rows = [int(row) for row in np.argsort(-loss, kind="stable") if loss[row] >= known.tolerance - 1e-9]
    return tuple(
        Worsened(id=own.ids[row], indicator=indicator, before=float(before[row]), after=float(after[row])) for row in rows[:MOST_ITEMS]
    )


def _effect(level: Level, effect: IndicatorEffect, before: float, after: float) -> Statement:
    values: dict[str, Value] = {
        "n": count(effect.problem_count, exact=True), "indicator": member_term_of(effect.indicator),
        "before": figure(effect.indicator, before), "after": figure(effect.indicator, after),
        "still": count(len(effect.still_problem), exact=True),
    }  # fmt: skip
    return say("network.effect.cells", **values) if level is Level.CELL else say("network.effect.grids", **values)


def _sentences(level: Level, changes: int, effects: tuple[IndicatorEffect, ...]) -> tuple[Sayable, ...]:
    says: list[Sayable] = [say("network.effect.changes", n=count(changes, exact=True))]
    for effect in effects:
        if effect.mean_before is None or effect.mean_after is None:
            continue
        says.append(_effect(level, effect, effect.mean_before, effect.mean_after))
        if effect.still_problem:
            says.append(say("network.effect.still", cells=names(effect.still_problem[:NAMED_WORSE])))
    worse = [item for effect in effects for item in effect.worse]
    if worse:
        parts = listing(*(
            say("network.effect.worse_part", id=name(item.id), indicator=member_term_of(item.indicator),
                before=number(item.before, INDICATORS[item.indicator].digits), after=figure(item.indicator, item.after))
            for item in worse[:NAMED_WORSE]
        ))  # fmt: skip
        says.append(say("network.effect.worse", n=count(len({item.id for item in worse}), exact=True), parts=parts))
    else:
        says.append(say("network.effect.nobody_worse"))
    return tuple(says)
