"""Changes that take a shuffle out: which stages feed which, and where the work of one that goes is done instead."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from workers.engines.spark.whatif.assumptions import Assumptions
from workers.engines.spark.whatif.units import Unit


class Edges:
    """Which unit reads what which unit wrote. Units are named by their places."""

    def __init__(self, units: Sequence[Unit]) -> None:
        self._units = units
        self._places: dict[int, list[int]] = {}
        for place, unit in enumerate(units):
            self._places.setdefault(unit.stage_id, []).append(place)
        self._parents = [
            tuple(
                number
                for number, _ in unit.before
                if units[number].stage_id in unit.facts.parent_ids and units[number].facts.shuffle_write_bytes
            )
            for unit in units
        ]
        self._children: list[list[int]] = [[] for _ in units]
        for place, parents in enumerate(self._parents):
            for parent in parents:
                self._children[parent].append(place)

    def places(self, stage_ids: Iterable[int]) -> list[int]:
        """The places of all attempts of these stages; of all stages when no stage is named."""
        wanted = tuple(dict.fromkeys(stage_ids))
        return [place for stage_id in (wanted or tuple(self._places)) for place in self._places.get(stage_id, ())]

    def parents(self, place: int) -> tuple[int, ...]:
        """What it reads from."""
        return self._parents[place]

    def children(self, place: int) -> list[int]:
        """What reads from it."""
        return self._children[place]


def exchange_dropped(units: list[Unit], place: int, edges: Edges, assumed: Assumptions) -> None:
    """The stage goes. What it reads was written for it alone, so that goes too; what it wrote is written by those before it. It is one
    that only redistributes, so its computing was for the exchange's sake, but for `kept` of it. A stage that reads no shuffle is a
    source, and stays."""
    unit = units[place]
    parents = _standing(units, edges, place)
    if not parents:
        return
    written = sum(units[parent].write_ms for parent in parents)
    for parent in parents:
        share = units[parent].write_ms / written if written else 1 / len(parents)
        units[parent] = units[parent].costing(
            write_ms=unit.write_ms * share, computing_ms=units[parent].computing_ms + unit.computing_ms * assumed.kept * share
        )
    units[place] = unit.gone()


def joined_where_read(units: list[Unit], place: int, broadcast_bytes: int | None, edges: Edges, assumed: Assumptions) -> None:
    """The join's stage goes. The side that wrote more joins its rows as it reads them, once the others are broadcast: it no longer writes
    for the join, and does what the join's stage wrote and computed, but for what served the exchange. Sending the small side takes its
    bytes' reading time, `passes` times, in one place."""
    unit = units[place]
    sides = sorted(_standing(units, edges, place), key=lambda side: units[side].facts.shuffle_write_bytes)
    if len(sides) < 2:
        return
    *small, big = sides
    rate = unit.read_ms / max(1, unit.facts.shuffle_read_bytes)
    size = sum(units[feeder].facts.shuffle_write_bytes for feeder in small) if broadcast_bytes is None else broadcast_bytes
    lag = assumed.passes * rate * min(size, unit.facts.shuffle_read_bytes)
    side = units[big].costing(write_ms=unit.write_ms, computing_ms=units[big].computing_ms + unit.computing_ms * (1 - assumed.gone))
    known = {earlier for earlier, _ in side.before}
    free = [feeder for feeder in small if feeder not in known and big not in _ancestors(units, feeder)]
    units[big] = replace(side, before=side.before + tuple((feeder, lag) for feeder in free))
    units[place] = unit.gone()


def other_side_copied(units: list[Unit], place: int, copies: int, edges: Edges) -> None:
    """The copies of a salted join: the smaller side writes each row once for each value of the salt, and the join's stage reads them all,
    each byte for what it costs now. A stage that reads one side alone is no join, and copies nothing."""
    sides = sorted(_standing(units, edges, place), key=lambda side: units[side].facts.shuffle_write_bytes)
    unit = units[place]
    count = float(unit.stands_for.sum())
    if len(sides) < 2 or count <= 0:
        return
    small = sides[:-1]
    for feeder in small:
        units[feeder] = units[feeder].costing(write_ms=copies * units[feeder].write_ms)
    more_bytes = (copies - 1) * sum(units[feeder].facts.shuffle_write_bytes for feeder in small)
    more_ms = unit.read_ms * more_bytes / max(1, unit.facts.shuffle_read_bytes)
    units[place] = replace(unit, times=unit.times + more_ms * unit.stands_for / count, read_ms=unit.read_ms + more_ms)


def _standing(units: Sequence[Unit], edges: Edges, place: int) -> list[int]:
    """The parents that still run; in the place of one that is gone, its own."""
    found: dict[int, None] = {}
    waiting = list(edges.parents(place))
    while waiting:
        number = waiting.pop()
        if len(units[number].times):
            found[number] = None
        else:
            waiting += edges.parents(number)
    return list(found)


def _ancestors(units: Sequence[Unit], place: int) -> set[int]:
    found: set[int] = set()
    waiting = [place]
    while waiting:
        for earlier, _ in units[waiting.pop()].before:
            if earlier not in found:
                found.add(earlier)
                waiting.append(earlier)
    return found
