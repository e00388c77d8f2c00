"""What a question asks, from what the grammar read of it: figures, columns, conditions, groups, times and order, over words."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from contracts.queries import Aggregate, DatePart, Operator, TimeUnit
from contracts.statements import Statement
from workers.engines.questions.grammar import Edge, Node
from workers.engines.questions.names import Phrase, phrase_of
from workers.engines.questions.units import Quantity

AGGREGATES = {
    "SUM": Aggregate.SUM, "AVERAGE": Aggregate.AVERAGE, "MINIMUM": Aggregate.MINIMUM, "MAXIMUM": Aggregate.MAXIMUM,
    "SUMMED": Aggregate.SUM, "AVERAGED": Aggregate.AVERAGE, "LOWEST": Aggregate.MINIMUM, "HIGHEST": Aggregate.MAXIMUM,
}  # fmt: skip
COMPARISONS = {
    "GREATER": Operator.GREATER, "GREATER_EQUAL": Operator.GREATER_EQUAL, "LESS": Operator.LESS, "LESS_EQUAL": Operator.LESS_EQUAL,
    "ANDMORE": Operator.GREATER_EQUAL, "ANDLESS": Operator.LESS_EQUAL,
}  # fmt: skip
UNITS = {
    "DAY": TimeUnit.DAY, "WEEK": TimeUnit.WEEK, "MONTH": TimeUnit.MONTH, "QUARTER": TimeUnit.QUARTER, "YEAR": TimeUnit.YEAR,
    "WEEKDAY": DatePart.WEEKDAY, "HOUR": DatePart.HOUR,
}  # fmt: skip
_NUMBERS = ("ONE", "TWO", "THREE", "FOUR", "FIVE", "SIX", "SEVEN", "EIGHT", "NINE", "TEN")
_ENDS = {"ONE": 1, "TWENTY": 20, "HUNDRED": 100} | {name: place for place, name in enumerate(_NUMBERS, start=1)}


class NotAsked(Exception):
    """The words make no question in this reading. `remark`: why not, where it can be said."""

    def __init__(self, remark: Statement | None = None) -> None:
        super().__init__(remark.code if remark is not None else "")
        self.remark = remark


@dataclass(frozen=True, slots=True)
class Filter:
    """A condition on rows. Without a column: the values say which column is meant."""

    operator: Operator
    column: Edge | None = None
    values: tuple[Edge, ...] = ()
    quantities: tuple[Quantity, ...] = ()
    of_part: bool | None = None
    """Of the rows whose share is asked for, or (False) of all of which they are a share. None: it is open."""


@dataclass(frozen=True, slots=True)
class Figure:
    """A number that is asked for."""

    aggregate: Aggregate
    of: Edge
    """A table whose rows are counted, or a column."""
    operand: Edge | None = None
    """A column that it is multiplied by."""
    filters: tuple[Filter, ...] = ()
    over: "Figure | None" = None
    is_share: bool = False
    in_percent: bool = False
    is_implied: bool = False
    """No word says that it is added up."""
    terms: tuple[Phrase, ...] = ()
    """The words whose definitions it was made of."""


@dataclass(frozen=True, slots=True)
class Ranked:
    """What the rows are ordered by. None: the figure that is asked for."""

    by: Figure | Edge | None
    descending: bool


@dataclass(slots=True)
class Asked:
    """A question, or the changes of one."""

    figures: list[Figure] = field(default_factory=list[Figure])
    columns: list[Edge] = field(default_factory=list[Edge])
    things: list[Edge] = field(default_factory=list[Edge])
    """Tables that are spoken of; of a list the first is what is listed."""
    is_list: bool = False
    is_bare: bool = False
    """Nothing says that rows are asked for, and not their number."""
    subject: Edge | None = None
    """What is ranked: a table, or a column."""
    dimensions: list[Edge] = field(default_factory=list[Edge])
    units: list[TimeUnit | DatePart] = field(default_factory=list["TimeUnit | DatePart"])
    filters: list[Filter] = field(default_factory=list[Filter])
    counts: list[tuple[Operator, int, Edge]] = field(default_factory=list[tuple[Operator, int, Edge]])
    absent: list[Edge] = field(default_factory=list[Edge])
    times: list[tuple[Edge | None, Edge]] = field(default_factory=list["tuple[Edge | None, Edge]"])
    """A column, where it is named, and the words about time."""
    ranked: Ranked | None = None
    limit: int | None = None
    latest: bool | None = None
    """The newest rows, or (False) the oldest."""
    text: str = ""
    """Of a question: as it is written, without the mark at its end."""
    is_added: bool = False
    """Of a change: its groups are beside those before, and (`is_joined`) its values beside those of the same column."""
    is_joined: bool = False


Metrics = Mapping[Phrase, Figure]
"""What has a formula, by its words."""


def asked_in(node: Node, metrics: Metrics) -> Asked:
    """What a tree of `question` or `edit` asks. Raises `NotAsked`."""
    asked = Asked()
    _Reader(asked, metrics).walk(node)
    asked.is_bare = asked.is_bare and node.edge("WHICH") is None
    if asked.is_bare and node.edge("ISHOWMUCH") is not None:
        raise NotAsked  # 没有订单的客户有多少 asks for their number
    return asked


def formula_in(node: Node, metrics: Metrics) -> Figure:
    """The figure of a tree of `formula`. Raises `NotAsked` for one that is more than conditions on a figure, or a quotient of two."""
    parts = [part for part in (node.first("part"), *(over.first("part") for over in node.all("over_part"))) if part is not None]
    figures = [_part(part, metrics) for part in parts]
    return replace(figures[0], over=figures[1]) if len(figures) > 1 else figures[0]


def conditions_in(node: Node, metrics: Metrics) -> tuple[Filter, ...]:
    """The conditions of a tree of `edit`. Raises `NotAsked` where it has anything else."""
    asked = asked_in(node, metrics)
    extra = asked.figures or asked.dimensions or asked.units or asked.times or asked.counts or asked.absent or asked.ranked or asked.limit
    if extra or not asked.filters:
        raise NotAsked
    return tuple(asked.filters)


def terms_of(asked: Asked) -> tuple[Phrase, ...]:
    """The words of a question whose definitions it uses, those that formulas use among them."""
    ranked = [asked.ranked.by] if asked.ranked is not None and isinstance(asked.ranked.by, Figure) else []
    return tuple(dict.fromkeys(phrase for figure in (*asked.figures, *ranked) for phrase in figure.terms))


def _part(node: Node, metrics: Metrics) -> Figure:
    asked = Asked()
    _Reader(asked, metrics).walk(node)
    extra = asked.dimensions or asked.units or asked.times or asked.counts or asked.absent or asked.ranked
    if len(asked.figures) != 1 or extra or asked.figures[0].is_implied:
        raise NotAsked
    figure = asked.figures[0]
    return replace(figure, filters=(*figure.filters, *asked.filters))


class _Reader:
    def __init__(self, asked: Asked, metrics: Metrics) -> None:
        self.asked, self.metrics = asked, metrics

    def walk(self, node: Node) -> None:
        """Take up the parts of a node, each by the method of its rule."""
        own = getattr(self, f"_{node.rule}", None)
        if own is not None:
            own(node)
            return
        for part in node.parts:
            if isinstance(part, Node):
                self.walk(part)

    # what is asked for

    def _figure(self, node: Node) -> None:
        self.asked.figures.append(self.figure(node))

    def figure(self, node: Node) -> Figure:
        """The figure of a node of `figure`, `counted`, `measured`, `implied` or `share`."""
        if (edge := node.edge("METRIC")) is not None:
            return self._metric(edge)
        inner = node if node.rule in ("counted", "measured", "implied", "share") else node.first("counted", "measured", "implied", "share")
        if inner is None:
            raise NotAsked
        return getattr(self, f"_{inner.rule}_figure")(inner)

    def _metric(self, edge: Edge) -> Figure:
        return self.metrics[phrase_of(edge.text)]

    def _counted_figure(self, node: Node) -> Figure:
        if (column := node.first("column")) is not None:
            return Figure(Aggregate.COUNT_DISTINCT, _column(column))
        thing = node.first("thing")
        if thing is None:
            raise NotAsked
        return Figure(Aggregate.COUNT, self.thing(thing))

    def _measured_figure(self, node: Node) -> Figure:
        word = next(iter(node.all("aggregate", "aggregated"))).parts[0]
        if not isinstance(word, Edge):
            raise NotAsked
        self.of_thing(node)
        return replace(self.amount(node), aggregate=AGGREGATES[word.kind], is_implied=False)

    def _implied_figure(self, node: Node) -> Figure:
        self.of_thing(node)
        return self.amount(node)

    def _share_figure(self, node: Node) -> Figure:
        word = node.first("part_word", "part_said")
        percent = word is not None and word.edge("PERCENTAGE", "PERCENT") is not None
        thing, begin = node.first("thing"), len(self.asked.filters)
        figure = Figure(Aggregate.COUNT, self.thing(thing)) if thing is not None else self.amount(node)
        self.asked.filters[begin:] = [replace(own, of_part=True) for own in self.asked.filters[begin:]]
        return replace(figure, is_share=True, in_percent=percent)

    def amount(self, node: Node) -> Figure:
        """A column, or the product of two, added up."""
        amount = node.first("amount")
        if amount is None:
            raise NotAsked
        columns = [_column(part) for part in amount.all("column")]
        return Figure(Aggregate.SUM, columns[0], columns[1] if len(columns) > 1 else None, is_implied=True)

    def of_thing(self, node: Node) -> None:
        """Take up the table that an amount is of."""
        for thing in (*node.all("thing"), *(inner for part in node.all("of_thing") for inner in part.all("thing"))):
            self.asked.things.append(self.thing(thing))

    def thing(self, node: Node) -> Edge:
        """The table; an adjective before its name becomes a condition."""
        for part in node.all("adjective"):
            edge = part.parts[0]
            if isinstance(edge, Edge):
                kind = Operator.IS_TRUE if edge.kind == "FLAG" else Operator.EQUAL
                self.asked.filters.append(Filter(kind, edge) if edge.kind == "FLAG" else Filter(kind, values=(edge,)))
        table = node.edge("TABLE")
        if table is None:
            raise NotAsked
        return table

    def _listing(self, node: Node) -> None:
        self.asked.is_list, self.asked.is_bare = True, all(isinstance(part, Node) and part.rule == "thing" for part in node.parts)
        for thing in (*node.all("thing"), *(inner for part in node.all("of_thing") for inner in part.all("thing"))):
            self.asked.things.append(self.thing(thing))
        for columns in node.all("columns"):
            self.asked.columns += list(_columns(columns))

    def _top(self, node: Node) -> None:
        asked = self.asked
        asked.limit = _number(node.first("number")) or 1
        subject = node.first("subject")
        if subject is None:
            raise NotAsked
        asked.subject = self.thing(inner) if (inner := subject.first("thing")) is not None else _column(_need(subject, "column"))
        if (having := node.first("having_most")) is not None:
            asked.ranked = self._having(having)
        elif (most := node.first("most_of")) is not None:
            asked.ranked = Ranked(Figure(Aggregate.COUNT, self.thing(_need(node, "thing"))), _is_most(most))
        else:
            most = node.first("most")
            asked.ranked = Ranked(self.figure(_need(node, "figure")), most is None or _is_most(most))

    _superlative = _top

    def _having(self, node: Node) -> Ranked:
        most = node.first("most_of", "most")
        descending = most is None or _is_most(most)
        if (metric := node.edge("METRIC")) is not None:
            return Ranked(self._metric(metric), descending)
        if (thing := node.first("thing")) is not None:
            return Ranked(Figure(Aggregate.COUNT, self.thing(thing)), descending)
        if (counted := node.first("counted")) is not None:
            return Ranked(self._counted_figure(counted), descending)
        figure = self.amount(node)
        if node.edge("AVERAGE") is not None:
            return Ranked(replace(figure, aggregate=Aggregate.AVERAGE, is_implied=False), descending)
        if node.edge("SUM") is not None:
            return Ranked(replace(figure, is_implied=False), descending)
        return Ranked(figure.of if figure.operand is None else figure, descending)

    def _extreme(self, node: Node) -> None:
        self.asked.is_list = True
        self.asked.limit = _number(node.first("number")) or 1
        self.asked.latest = _need(node, "late").edge("LATEST") is not None
        self.asked.things.append(self.thing(_need(node, "thing")))
        for columns in node.all("columns"):
            self.asked.columns += list(_columns(columns))

    # conditions

    def _grouped(self, node: Node) -> None:
        for dimension in (node.first("dimension"), *(part.first("dimension") for part in node.all("more_dimension"))):
            if dimension is None:
                continue
            if (unit := dimension.first("unit")) is not None and isinstance(unit.parts[0], Edge):
                self.asked.units.append(UNITS[unit.parts[0].kind])
            elif (column := dimension.first("column")) is not None:
                self.asked.dimensions.append(_column(column))
                self.asked.things += dimension.edges("TABLE")
            elif (table := dimension.edge("TABLE")) is not None:
                self.asked.dimensions.append(table)

    def _is_value(self, node: Node) -> None:
        column, negated = node.first("column"), node.edge("NOT") is not None
        values = _need(node, "values")
        edges = (*values.edges("VALUE"), *(edge for more in values.all("more_value") for edge in more.edges("VALUE")))
        many = len(edges) > 1
        operator = (Operator.NOT_IN if many else Operator.NOT_EQUAL) if negated else (Operator.IN if many else Operator.EQUAL)
        self.asked.filters.append(Filter(operator, _column(column) if column is not None else None, edges))

    def _is_flag(self, node: Node) -> None:
        flag = node.edge("FLAG")
        self.asked.filters.append(Filter(Operator.IS_FALSE if node.edge("NOT") is not None else Operator.IS_TRUE, flag))

    def _compared(self, node: Node) -> None:
        word = node.first("comparison", "or_more")
        operator = COMPARISONS[word.parts[0].kind] if word is not None and isinstance(word.parts[0], Edge) else Operator.EQUAL
        self.asked.filters.append(Filter(operator, _column(_need(node, "column")), quantities=tuple(_quantities(node))))

    def _between(self, node: Node) -> None:
        low, high = _quantities(node)
        column = _column(_need(node, "column"))
        self.asked.filters.append(Filter(Operator.GREATER_EQUAL, column, quantities=(low,)))
        self.asked.filters.append(Filter(Operator.LESS_EQUAL, column, quantities=(high,)))

    def _in_time(self, node: Node) -> None:
        time = node.edge("TIME")
        if time is None:
            raise NotAsked
        column = node.first("column")
        self.asked.times.append((_column(column) if column is not None else None, time))

    def _without(self, node: Node) -> None:
        thing = _need(node, "thing")
        if thing.all("adjective"):
            raise NotAsked  # `without failed payments`: the condition is one of the rows that are not there
        self.asked.absent.append(self.thing(thing))

    def _with_number(self, node: Node) -> None:
        word = node.first("comparison", "or_more")
        number = _number(node.first("number"))
        if word is None or number is None or not isinstance(word.parts[0], Edge):
            raise NotAsked
        self.asked.counts.append((COMPARISONS[word.parts[0].kind], number, self.thing(_need(node, "thing"))))

    def _emptiness(self, node: Node) -> None:
        operator = Operator.NOT_NULL if node.edge("NOT") is not None else Operator.IS_NULL
        self.asked.filters.append(Filter(operator, _column(_need(node, "column"))))

    def _restriction(self, node: Node) -> None:
        for part in node.parts:
            if isinstance(part, Node) and part.rule == "thing":
                self.asked.things.append(self.thing(part))
            elif isinstance(part, Node):
                self.walk(part)

    def _sorted(self, node: Node) -> None:
        direction = node.first("direction")
        ranked = node.first("ranked")
        by: Figure | Edge | None = None
        if ranked is not None:
            figure = ranked.first("figure")
            made = self.figure(figure) if figure is not None else self.amount(ranked)
            by = made.of if made.is_implied and made.operand is None else made
        descending = direction is not None and direction.edge("DESCENDING") is not None
        before = self.asked.ranked
        if before is not None and (by is not None or before.descending is not descending):
            raise NotAsked  # two orders, of which one would be dropped
        self.asked.ranked = before or Ranked(by, descending)


def changed(before: Asked, node: Node, metrics: Metrics) -> Asked:
    """A question with the changes of a tree of `edit`. Raises `NotAsked`."""
    change = asked_in(node, metrics)
    steps = _changes(node)
    for step in steps:
        if (best := step.first("best")) is not None:
            change.limit = _number(best.first("number"))
            change.latest = True if best.edge("LATEST") is not None else None
    is_added = any(word.edge("ALSO") is not None for word in node.all("edit_word"))
    is_joined = is_added or node.edge("AND") is not None or any(part.edge("AND") is not None for part in steps[0].all("condition"))
    if is_joined:
        change.filters = [_joined(before.filters, condition) for condition in change.filters]
    if any(figure.is_share for figure in before.figures) and not change.figures:
        sides = {place: each.of_part for each in before.filters for place in _places(each)}  # what is added is of the whole
        change.filters = [
            replace(added, of_part=next((sides[at] for at in _places(added) if at in sides), False)) for added in change.filters
        ]
    columns = {place for condition in change.filters for place in _places(condition)}
    kept = [condition for condition in before.filters if not columns.intersection(_places(condition))]
    is_grouped = bool(change.dimensions or change.units)
    return replace(
        before,
        figures=change.figures if change.figures and not is_added else [*before.figures, *change.figures],
        filters=[*kept, *change.filters],
        counts=[*before.counts, *change.counts],
        absent=[*before.absent, *change.absent],
        things=[*before.things, *change.things],
        times=change.times or before.times,
        dimensions=change.dimensions if is_grouped and not is_added else [*before.dimensions, *change.dimensions],
        units=change.units if is_grouped and not is_added else [*before.units, *change.units],
        ranked=change.ranked or before.ranked,
        limit=change.limit or before.limit,
        latest=before.latest if change.latest is None else change.latest,
        is_added=is_added,
        is_joined=is_joined,
    )


def is_new_question(node: Node) -> bool:
    """Whether a tree of `edit` is a question of its own: it says how many, or names a figure and more, and no word says that it changes
    another."""
    steps = _changes(node)
    figures = [figure for step in steps for figure in step.all("figure")]
    says_how_many = any(counted.edge("HOWMANY") is not None for figure in figures for counted in figure.all("counted"))
    is_whole = says_how_many or (bool(figures) and len(steps) > 1)
    return is_whole and not says_change(node)


def says_change(node: Node) -> bool:
    """Whether a word of a tree of `edit` says that it changes another question: and, also, only."""
    return node.first("edit_word") is not None or node.edge("AND") is not None


def _changes(node: Node) -> list[Node]:
    found = (node.first("change"), *(more.first("change") for more in node.all("more_change")))
    return [step for step in found if step is not None]


def _joined(before: Sequence[Filter], added: Filter) -> Filter:
    """A condition on values, with the values that its column has so far."""
    some = (Operator.EQUAL, Operator.IN)
    known = [each for each in before if each.operator in some and _places(each) == _places(added)]
    if added.operator not in some or not known:
        return added
    values = {edge.text.casefold(): edge for each in (*known, added) for edge in each.values}
    return replace(added, operator=Operator.IN if len(values) > 1 else Operator.EQUAL, values=tuple(values.values()))


def _places(condition: Filter) -> set[tuple[str, str]]:
    edge = condition.column or condition.values[0]
    return {(link.table, link.column) for link in edge.links}


def _need(node: Node, rule: str) -> Node:
    found = node.first(rule)
    if found is None:
        raise NotAsked
    return found


def _column(node: Node) -> Edge:
    edge = node.parts[0]
    if not isinstance(edge, Edge):
        raise NotAsked
    return edge


def _columns(node: Node) -> Iterator[Edge]:
    for part in (node.first("column"), *(more.first("column") for more in node.all("more_column"))):
        if part is not None:
            yield _column(part)


def _quantities(node: Node) -> Iterator[Quantity]:
    for edge in node.edges("FIGURE"):
        if isinstance(edge.meant, Quantity):
            yield edge.meant


def _number(node: Node | None) -> int | None:
    if node is None or not isinstance(node.parts[0], Edge):
        return None
    edge = node.parts[0]
    if isinstance(edge.meant, Quantity):
        if edge.meant.unit is not None or not edge.meant.number.isdigit() or int(edge.meant.number) < 1:
            raise NotAsked
        return int(edge.meant.number)
    return _ENDS[edge.kind]


def _is_most(node: Node) -> bool:
    return node.edge("MAXIMUM", "MOST") is not None
