"""Drawings that are no charts of a table: stretches of one measure side by side, places on a map, and a graph of things that follow from
others.

Like a chart they are data without addresses, expressions or styles, and every medium has its own way to show them.
"""

from typing import Literal

from pydantic import Field, model_validator

from contracts.base import Contract, Text
from contracts.charts import Channel, FieldName, Measure, as_value
from contracts.statements import Shown, Value

MOST_RANGES = 60
MOST_NODES = 120
"""Of a graph; a drawing with more cannot be read."""
MOST_PLACES = 5_000
"""Of a map: the squares of a network of forty sites, and a browser draws them in half a second."""
MOST_COLOURINGS = 8
"""Quantities by which the places of one map can be coloured."""


class Range(Contract):
    """One row: a bar from `low` to `high`, with what reaches beyond it."""

    name: Shown
    low: float
    high: float
    least: float | None = None
    """The smallest value, at the end of a thin line; None: there is none below `low`."""
    greatest: float | None = None
    middle: float | None = None
    """A mark within the bar, such as the median."""
    note: Shown | None = None
    """Written beside the bar; None: its length."""
    is_marked: bool = False
    """It is drawn in another colour: the row to look at."""

    @model_validator(mode="after")
    def _is_ordered(self) -> "Range":
        """The numbers that it has go upwards."""
        known = [number for number in (self.least, self.low, self.middle, self.high, self.greatest) if number is not None]
        if known != sorted(known):
            raise ValueError("least, low, middle, high and greatest go upwards")
        return self

    @property
    def ends(self) -> tuple[float, float]:
        """From where to where it is drawn."""
        return (
            self.low if self.least is None else self.least,
            self.high if self.greatest is None else self.greatest,
        )


class Ranges(Contract):
    """Rows under one scale: when things began and ended, or how the values of each are spread."""

    kind: Literal["ranges"] = "ranges"
    title: Shown
    label: Shown
    """What the rows are."""
    axis: Shown
    """What is measured."""
    measure: Measure = Measure.SECONDS
    rows: tuple[Range, ...] = Field(max_length=MOST_RANGES)

    def shown(self, value: float) -> Value:
        """A number of the scale as the quantity that it is."""
        return as_value(value, self.measure)

    def beside(self, row: Range) -> Shown:
        """What is written beside a bar."""
        return self.shown(row.high - row.low) if row.note is None else row.note

    def scale(self) -> tuple[float, float]:
        """From where to where the drawing goes; zero is on it."""
        ends = [end for row in self.rows for end in row.ends]
        low, high = min(0.0, *ends), max(0.0, *ends)
        return low, high if high > low else low + 1.0


class Place(Contract):
    """A point of a map."""

    name: Text
    x: float
    """To the east: degrees of longitude, or metres."""
    y: float
    """To the north: degrees of latitude, or metres."""
    bearing: float | None = None
    """Where it points, in degrees from north; it distinguishes several in one place."""
    values: dict[FieldName, float] = {}
    """The quantities that are known of it."""


class Places(Contract):
    """A map: places as they lie, coloured by a quantity. It has no background, so nothing is fetched for it."""

    kind: Literal["places"] = "places"
    title: Shown
    label: Shown
    """What the places are."""
    is_geographic: bool
    """Whether `x` and `y` are degrees; otherwise they are metres."""
    side_m: float | None = Field(default=None, gt=0)
    """The side of the square around each place; None: places are points."""
    colourings: tuple[Channel, ...] = Field(default=(), max_length=MOST_COLOURINGS)
    """The quantities, the first of which is shown unless the reader chooses another."""
    places: tuple[Place, ...] = Field(min_length=1, max_length=MOST_PLACES)

    @model_validator(mode="after")
    def _is_coloured_by_quantities(self) -> "Places":
        """Degrees are degrees, and every value is one of a colouring."""
        if any(channel.type != "quantitative" for channel in self.colourings):
            raise ValueError("a map is coloured by quantities")
        known = {channel.field for channel in self.colourings}
        if any(not known >= place.values.keys() for place in self.places):
            raise ValueError("a place has a value of no colouring")
        if self.is_geographic and any(abs(place.x) > 180 or abs(place.y) > 90 for place in self.places):
            raise ValueError("degrees of longitude are within 180, those of latitude within 90")
        return self

    def shown(self, place: Place, channel: Channel) -> Shown:
        """A value of a place as the quantity that it is; a dash where it is not known."""
        value = place.values.get(channel.field)
        return "–" if value is None else as_value(value, channel.measure)


class Node(Contract):
    """A thing in a graph."""

    id: str = Field(min_length=1, max_length=300)
    label: Value
    note: Value | None = None
    """A second line, such as what it is."""
    is_marked: bool = False
    """What the graph is about."""


class Graph(Contract):
    """Things and what they are made from, left to right."""

    kind: Literal["graph"] = "graph"
    title: Shown
    nodes: tuple[Node, ...] = Field(max_length=MOST_NODES)
    edges: tuple[tuple[str, str], ...] = ()
    """Origin and result, by their ids."""

    @model_validator(mode="after")
    def _is_connected(self) -> "Graph":
        """Ids are given once, and edges name them."""
        known = {node.id for node in self.nodes}
        if len(known) != len(self.nodes):
            raise ValueError("two nodes have one id")
        if any(end not in known for edge in self.edges for end in edge):
            raise ValueError("an edge names no node")
        return self

    def origins(self, node_id: str) -> tuple[Node, ...]:
        """What a node is made from, in the order of the nodes."""
        named = {origin for origin, result in self.edges if result == node_id}
        return tuple(node for node in self.nodes if node.id in named)
