"""Stages that no change touches keep their duration and take no slot, so a replay sees them only as delays between the others."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from workers.engines.spark.whatif.schedule import Work, ends
from workers.engines.spark.whatif.units import Unit


@dataclass(frozen=True, slots=True)
class Replayed:
    """A stage that is replayed task by task, with the delays before it."""

    place: int
    before: tuple[tuple[int, float], ...]
    """What has to end first, by number of the replayed stage, and the longest delay between that end and this start."""
    at_ms: float
    """Earliest start by the stages that no replayed stage delays."""
    known: int
    """Entries of the unit's own `before`; a change adds others behind them."""


@dataclass(frozen=True, slots=True)
class Delays:
    """A run without the stages that keep their duration. The longest paths through them are worked out once, not in each replay."""

    replayed: tuple[Replayed, ...]
    after: dict[int, float]
    """Number of a replayed stage → the longest delay between its end and the end of a stage that keeps its duration."""
    least_ms: float
    """End of the last stage that no replayed stage delays."""

    @classmethod
    def between(cls, units: Sequence[Unit], places: Collection[int]) -> "Delays":
        """The delays between the units at these places. Each unit comes after all it waits for."""
        numbers = {place: number for number, place in enumerate(sorted(places))}
        replayed: list[Replayed] = []
        kept: dict[int, tuple[float, dict[int, float]]] = {}
        after: dict[int, float] = {}
        least_ms = 0.0
        for place, unit in enumerate(units):
            at_ms, paths = unit.at_ms, dict[int, float]()
            for earlier, lag in unit.before:
                end_ms, delays = (0.0, {numbers[earlier]: 0.0}) if earlier in numbers else kept[earlier]
                at_ms = max(at_ms, end_ms + lag) if earlier not in numbers else at_ms
                for number, delay in delays.items():
                    paths[number] = max(paths.get(number, 0.0), delay + lag)
            if place in numbers:
                replayed.append(Replayed(place, tuple(paths.items()), at_ms, len(unit.before)))
                continue
            kept[place] = at_ms + unit.tail_ms, {number: delay + unit.tail_ms for number, delay in paths.items()}
            least_ms = max(least_ms, kept[place][0])
            for number, delay in kept[place][1].items():
                after[number] = max(after.get(number, 0.0), delay)
        return cls(tuple(replayed), after, least_ms)

    def end_ms(self, units: Sequence[Unit], slots: int, scale: float) -> float:
        """When the last stage ends, with the times of all tasks multiplied by `scale`."""
        numbers = {stage.place: number for number, stage in enumerate(self.replayed)}
        works: list[Work] = []
        for stage in self.replayed:
            unit = units[stage.place]
            added = tuple((numbers[earlier], lag) for earlier, lag in unit.before[stage.known :])
            works.append(unit.work(scale, stage.before + added, stage.at_ms))
        ended = ends(works, slots)
        return max(self.least_ms, *ended, *(ended[number] + delay for number, delay in self.after.items()), 0.0)
