"""What each kind of change does to the stages of a run."""

from collections.abc import Callable, Iterable
from dataclasses import replace

from contracts.whatif import Change, ChangeKind
from workers.engines.spark.whatif.assumptions import Assumptions
from workers.engines.spark.whatif.costs import moved_bytes
from workers.engines.spark.whatif.edges import Edges, exchange_dropped, joined_where_read, other_side_copied
from workers.engines.spark.whatif.reshape import PARTS, balanced, in_parts, rows_dropped, without_stragglers
from workers.engines.spark.whatif.schedule import NOTHING
from workers.engines.spark.whatif.units import Unit

USUAL_GC = 0.05
"""Of a task's time: half of where Spark's UI begins to mark it red."""

COLUMNAR = ("parquet", "orc", "delta", "iceberg")
"""Sources that read no more columns than are asked for."""

ORDER = (
    ChangeKind.NO_RETRIES,
    ChangeKind.NO_SPILL,
    ChangeKind.NO_GC,
    ChangeKind.DROP_ROWS,
    ChangeKind.FEWER_BYTES,
    ChangeKind.STRAGGLERS,
    ChangeKind.PARTITIONS,
    ChangeKind.BALANCE,
    ChangeKind.DROP_EXCHANGE,
    ChangeKind.BROADCAST,
    ChangeKind.LESS_COMPUTING,
    ChangeKind.REMOVED,
)
"""Changes are made in this order, however they are given: rows go before what is left is spread, and a stage is changed before it goes."""


def changed(units: list[Unit], edges: Edges, changes: Iterable[Change], assumed: Assumptions) -> list[Unit]:
    """The units after the changes; those of slots are not theirs. Stages that the run does not have are passed over."""
    after = list(units)
    for change in sorted((change for change in changes if change.kind in ORDER), key=lambda change: ORDER.index(change.kind)):
        for place in edges.places(change.stage_ids):
            DOES[change.kind](after, place, change, edges, assumed)
    return after


def _no_retries(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    """Failed task attempts go; so does what an attempt of the stage did when each of its tasks had been done once before."""
    unit = units[place] = replace(units[place], lost=NOTHING)
    attempts = edges.places((unit.stage_id,))
    tasks = max(units[attempt].facts.planned_tasks or units[attempt].facts.succeeded_tasks for attempt in attempts)
    before = sum(units[attempt].facts.succeeded_tasks for attempt in attempts if attempt < place)
    done = unit.facts.succeeded_tasks
    needed = min(done, max(0, tasks - before))
    if needed < done and needed:
        units[place] = unit.costing(**{part: getattr(unit, part) * needed / done for part in PARTS})
    elif not needed and (before or place != attempts[-1]):
        units[place] = unit.gone()


def _no_spill(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    units[place] = units[place].costing(spill_ms=0.0)


def _no_gc(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    """The share of the time above the usual one goes, from all tasks alike."""
    facts = units[place].facts
    share = facts.gc_ms / facts.run_ms if facts.run_ms else 0.0
    if share > USUAL_GC:
        kept = max(0.0, 1 - share) / (1 - USUAL_GC)
        units[place] = replace(units[place], times=units[place].times * kept, fixed=units[place].fixed * kept)


def _drop_rows(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    """The rows that go are not written by the stages before either."""
    kept = 1.0 if change.kept_share is None else change.kept_share
    units[place] = rows_dropped(units[place], kept)
    for parent in edges.parents(place):
        units[parent] = units[parent].costing(write_ms=units[parent].write_ms * _kept_of(edges, parent, place, kept))


def _fewer_bytes(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    """Bytes go and records stay: those cost what they did. Of computing the part goes that grows with the rows' width. A stage that reads
    no shuffle is changed by those that read from it, or, where they are not named, together with them. A columnar source hands out fewer
    columns as well, so that its rows are narrow from the start; any other is read and parsed whole."""
    kept = 1.0 if change.kept_share is None else change.kept_share
    parents = edges.parents(place)
    named = set(edges.places(change.stage_ids))
    if not parents:
        for child in edges.children(place):
            if child not in named:
                _fewer_bytes(units, child, change, edges, assumed)
        return
    facts = units[place].facts
    units[place] = units[place].costing(
        read_ms=units[place].read_ms * _narrowed(kept, facts.shuffle_read_bytes, moved_bytes(facts, assumed)[0]),
        computing_ms=units[place].computing_ms * (1 - assumed.carried * (1 - kept)),
    )
    for parent in parents:
        _write_fewer(units, parent, _kept_of(edges, parent, place, kept), assumed)


def _write_fewer(units: list[Unit], place: int, kept: float, assumed: Assumptions) -> None:
    unit, facts = units[place], units[place].facts
    read, written, _ = moved_bytes(facts, assumed)
    parts = {"write_ms": unit.write_ms * _narrowed(kept, assumed.written_to_read * facts.shuffle_write_bytes, written)}
    if any(word in operator.lower() for operator in facts.operators for word in COLUMNAR):
        parts["read_ms"] = unit.read_ms * _narrowed(kept, facts.input_bytes, read)
        parts["computing_ms"] = unit.computing_ms * (1 - assumed.carried * (1 - kept))
    units[place] = unit.costing(**parts)


def _narrowed(kept: float, shrinking: float, all_moved: float) -> float:
    return 1 - (1 - kept) * min(1.0, shrinking / all_moved) if all_moved > 0 else 1.0


def _kept_of(edges: Edges, parent: int, child: int, kept: float) -> float:
    """What a stage still writes when it writes for others too: the log does not tell what for whom, so for all alike."""
    return 1 - (1 - kept) / max(1, len(edges.children(parent))) if child in edges.children(parent) else 1.0


def _stragglers(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    units[place] = without_stragglers(units[place])


def _partitions(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    if change.partitions:
        units[place] = in_parts(units[place], change.partitions, assumed)


def _balance(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    if change.partitions:
        other_side_copied(units, place, change.partitions, edges)
    units[place] = balanced(units[place], change.partitions, assumed)


def _drop_exchange(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    exchange_dropped(units, place, edges, assumed)


def _broadcast(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    joined_where_read(units, place, change.broadcast_bytes, edges, assumed)


def _less_computing(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    """What the rest is replaced by costs between nothing and half of it. It goes from all tasks alike."""
    kept = 1.0 if change.kept_share is None else change.kept_share
    kept += (1 - kept) * assumed.kept
    units[place] = replace(units[place], times=units[place].times * kept, fixed=units[place].fixed * kept)


def _removed(units: list[Unit], place: int, change: Change, edges: Edges, assumed: Assumptions) -> None:
    units[place] = units[place].gone()


DOES: dict[ChangeKind, Callable[[list[Unit], int, Change, Edges, Assumptions], None]] = {
    ChangeKind.NO_RETRIES: _no_retries,
    ChangeKind.NO_SPILL: _no_spill,
    ChangeKind.NO_GC: _no_gc,
    ChangeKind.DROP_ROWS: _drop_rows,
    ChangeKind.FEWER_BYTES: _fewer_bytes,
    ChangeKind.STRAGGLERS: _stragglers,
    ChangeKind.PARTITIONS: _partitions,
    ChangeKind.BALANCE: _balance,
    ChangeKind.DROP_EXCHANGE: _drop_exchange,
    ChangeKind.BROADCAST: _broadcast,
    ChangeKind.LESS_COMPUTING: _less_computing,
    ChangeKind.REMOVED: _removed,
}
