"""A replay of only the stages that a change touches: it ends when the replay of all stages does."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from tests.support.tuning import stage_of
from workers.engines.spark.whatif.delays import Delays
from workers.engines.spark.whatif.schedule import ends
from workers.engines.spark.whatif.units import Unit

FACTS = stage_of(1, [1])
SCALE = 2.0


@st.composite
def runs(draw: st.DrawFn) -> list[Unit]:
    """Up to 12 stages, of which some have tasks and the others only a duration. Each waits for some that come before it."""
    units: list[Unit] = []
    for place in range(draw(st.integers(1, 12))):
        earlier = draw(st.lists(st.integers(0, place - 1), unique=True, max_size=3)) if place else []
        before = tuple((number, float(draw(st.integers(0, 20)))) for number in earlier)
        times = draw(st.lists(st.integers(0, 50), max_size=4))
        at_ms, tail_ms = (0 if before else draw(st.integers(0, 40))), draw(st.integers(0, 30))
        units.append(
            Unit(order=(place,), before=before, at_ms=at_ms, tail_ms=tail_ms, times=np.array(times, dtype=np.float64), facts=FACTS)
        )
    return units


def of_all(units: list[Unit], slots: int) -> float:
    """The end of a replay that schedules every stage."""
    return max(ends([unit.work(SCALE, unit.before, unit.at_ms) for unit in units], slots))


@given(runs(), st.integers(1, 4))
def test_a_replay_of_the_stages_with_tasks_ends_when_the_replay_of_all_stages_does(units: list[Unit], slots: int) -> None:
    with_tasks = [place for place, unit in enumerate(units) if len(unit.times)]

    assert Delays.between(units, with_tasks).end_ms(units, slots, SCALE) == of_all(units, slots)


@given(runs(), st.integers(1, 4), st.data())
def test_a_stage_may_wait_for_more_than_it_did_in_the_run(units: list[Unit], slots: int, data: st.DataObject) -> None:
    """A join that is made where its large side is read waits for the small side."""
    with_tasks = [place for place, unit in enumerate(units) if len(unit.times)]
    delays = Delays.between(units, with_tasks)
    if len(with_tasks) > 1:
        first, last = sorted(data.draw(st.lists(st.sampled_from(with_tasks), min_size=2, max_size=2, unique=True)))
        unit = units[last]
        units[last] = Unit(
            order=unit.order,
            before=(*unit.before, (first, 7.0)),
            at_ms=unit.at_ms,
            tail_ms=unit.tail_ms,
            times=unit.times,
            facts=unit.facts,
        )

    assert delays.end_ms(units, slots, SCALE) == of_all(units, slots)


def test_of_thousands_of_stages_only_those_with_tasks_are_scheduled() -> None:
    """Three thousand stages in a row, of which one is changed."""
    chain = [Unit(order=(at,), before=((at - 1, 1.0),) if at else (), tail_ms=10.0, facts=FACTS) for at in range(3_000)]
    chain[1_500] = Unit(order=(1_500,), before=((1_499, 1.0),), times=np.array([5.0, 7.0]), facts=FACTS)

    delays = Delays.between(chain, {1_500})

    assert [(stage.place, stage.before, stage.at_ms) for stage in delays.replayed] == [(1_500, (), 1_500 * 10.0 + 1_500)]
    assert delays.end_ms(chain, 1, 1.0) == 1_500 * 11.0 + 12 + 1_499 * 11.0
