"""One pass over the entries of a log: the lines of a query, or the samples that its metrics are computed from."""

from array import array
from bisect import bisect_right
from collections.abc import Callable, Iterable, Mapping, Sequence

from contracts.logs import LogExpression, LogQuery, RangeAggregation
from workers.engines.logql.entries import ERROR, Item, LogEntry
from workers.engines.logql.steps import selects, steps_of
from workers.engines.logql.walk import range_aggregations

SERIES_MAX = 20_000
"""Series of one range aggregation. A server allows 500 by default; a result of more says nothing to a reader."""

SAMPLES_MAX = 5_000_000
"""Samples of all series: 16 bytes each."""

Labels = tuple[tuple[str, str], ...]
"""The labels of a series, sorted by name."""


class TooMuch(Exception):
    """More series or samples than are held."""


class Samples:
    """The samples of a series in the order of time."""

    __slots__ = ("is_sorted", "times", "values")

    def __init__(self) -> None:
        self.times: array[int] = array("q")
        self.values: array[float] = array("d")
        self.is_sorted = True

    def add(self, ts_ns: int, value: float) -> None:
        """Add a sample."""
        if self.times and ts_ns < self.times[-1]:
            self.is_sorted = False
        self.times.append(ts_ns)
        self.values.append(value)

    def sort(self) -> None:
        """Bring the samples into the order of time."""
        if not self.is_sorted:
            order = sorted(range(len(self.times)), key=self.times.__getitem__)
            self.times = array("q", [self.times[at] for at in order])
            self.values = array("d", [self.values[at] for at in order])
            self.is_sorted = True

    def window(self, after_ns: int, until_ns: int) -> tuple[int, int]:
        """Which samples are later than `after_ns` and not later than `until_ns`: from, up to but not including."""
        return bisect_right(self.times, after_ns), bisect_right(self.times, until_ns)


class LineReader:
    """The lines that a query selects."""

    def __init__(self, query: LogQuery) -> None:
        """Raises `BadExpression` or `UnknownTemplate`."""
        self._selects = selects(query.matchers)
        self._steps = steps_of(query.stages)
        self._known: dict[int, tuple[object, bool]] = {}

    def read(self, entry: LogEntry) -> Item | None:
        """The entry behind the pipeline; None: it is not selected."""
        if not self._is_selected(entry.labels):
            return None
        item = Item(entry)
        return item if all(step(item) for step in self._steps) else None

    def _is_selected(self, labels: Mapping[str, str]) -> bool:
        """Entries of a stream share their labels, so each stream is looked at once."""
        known = self._known.get(id(labels))
        if known is None or known[0] is not labels:
            if len(self._known) > 10_000:
                self._known.clear()
            known = self._known[id(labels)] = (labels, self._selects(labels))
        return known[1]


class Collector:
    """The samples of one range aggregation."""

    def __init__(self, query: RangeAggregation) -> None:
        self.query = query
        self.series: dict[Labels, Samples] = {}
        self.skipped = 0
        """Lines whose labels could not be read as the query needs them."""
        self._reader = LineReader(query.log)
        self._key = _key_of(query)
        self._unwraps = any(stage.kind == "unwrap" for stage in query.log.stages)
        self._counts_bytes = query.function in ("bytes_over_time", "bytes_rate")

    def add(self, entry: LogEntry) -> int:
        """Take an entry in; how many samples it made. Raises `TooMuch`."""
        item = self._reader.read(entry)
        if item is None:
            return 0
        if ERROR in item.labels or (self._unwraps and item.value is None):
            self.skipped += 1
            return 0
        key = self._key(item)
        samples = self.series.get(key)
        if samples is None:
            if len(self.series) >= SERIES_MAX:
                raise TooMuch("series")
            samples = self.series[key] = Samples()
        value = item.value if item.value is not None else float(len(item.line.encode())) if self._counts_bytes else 1.0
        samples.add(item.ts_ns, value)
        return 1


def _key_of(query: RangeAggregation) -> Callable[[Item], Labels]:
    grouping = query.grouping
    cache: dict[int, tuple[object, Labels]] = {}
    if grouping is None:

        def whole(item: Item) -> Labels:
            if item.labels is not item.stream:
                return tuple(sorted(item.labels.items()))
            known = cache.get(id(item.stream))
            if known is None or known[0] is not item.stream:
                known = cache[id(item.stream)] = (item.stream, tuple(sorted(item.stream.items())))
                if len(cache) > 10_000:
                    cache.clear()
            return known[1]

        return whole
    names = frozenset(grouping.labels)
    if grouping.is_without:
        return lambda item: tuple(sorted(pair for pair in item.labels.items() if pair[0] not in names))
    return lambda item: tuple(sorted(pair for pair in item.labels.items() if pair[0] in names))


def collect(query: LogExpression, entries: Iterable[LogEntry]) -> "Collected":
    """The samples of all range aggregations of a metric query. Raises `TooMuch`, `BadExpression` or `UnknownTemplate`."""
    collectors = [Collector(part) for part in dict.fromkeys(range_aggregations(query))]
    samples = 0
    if collectors:
        for entry in entries:
            for collector in collectors:
                samples += collector.add(entry)
            if samples > SAMPLES_MAX:
                raise TooMuch("samples")
    return Collected(collectors)


class Collected:
    """The samples of a query's range aggregations."""

    def __init__(self, collectors: Sequence[Collector]) -> None:
        self._by_query = {collector.query: collector.series for collector in collectors}
        self.skipped = max((collector.skipped for collector in collectors), default=0)
        for collector in collectors:
            for samples in collector.series.values():
                samples.sort()

    def series(self, query: RangeAggregation) -> dict[Labels, Samples]:
        """The samples of an aggregation, by series."""
        return self._by_query[query]
