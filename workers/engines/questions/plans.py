"""The plans that a question may mean: which links its words have, how their tables are joined, and which column says when."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import product

from contracts.queries import (
    Aggregate,
    Arithmetic,
    Condition,
    DatePart,
    GroupCondition,
    Measure,
    Operator,
    Ordering,
    Period,
    PlanJoin,
    QueryPlan,
    Related,
    Relation,
    Selected,
    Source,
    TimeUnit,
)
from contracts.statements import Statement, name, quote, say
from contracts.tables import ColumnDetail, JoinPath, TableDetail
from contracts.times import TimeRange
from workers.engines.questions.amounts import is_added_up
from workers.engines.questions.asked import Asked, Figure, Filter, NotAsked, Ranked
from workers.engines.questions.comments import names_in
from workers.engines.questions.edges import Edges
from workers.engines.questions.event_times import event_times
from workers.engines.questions.grammar import Edge, Link
from workers.engines.questions.known_by import key_columns, shown_columns
from workers.engines.questions.names import Names
from workers.engines.questions.shares import parts_of
from workers.engines.questions.units import unit_of
from workers.engines.questions.words import is_chinese, key, split_name
from workers.engines.sql.plan_check import is_numeric, is_temporal, only_days, plan_problems
from workers.engines.sql.plan_shape import multiplied

_Key = tuple[int, int, str, str]
_Time = tuple[str, tuple[JoinPath, ...]]
_MOST_CHOICES = 400
_TABLE, _PARTIAL = 1.0, 0.5
"""What another table and a name that is meant by a part of it cost."""
_TIE = 0.3
"""Choices whose costs differ by less are as likely."""
_MOST_COLUMNS = 20
"""Of a row in a list."""
_FARTHEST = 3
"""Joins from what is measured to the table that says when."""


@dataclass(frozen=True, slots=True)
class Choice:
    """A link for each of the words, and the joins that the links need."""

    links: Mapping[_Key, Link]
    tables: tuple[str, ...]
    joins: tuple[JoinPath, ...]
    cost: float


def plans_of(asked: Asked, names: Names, edges: Edges, week: TimeUnit) -> list[QueryPlan]:
    """The plans of a question that are as likely as each other; several: it is open which is meant. Raises `NotAsked`."""
    found: list[QueryPlan] = []
    best, fault = None, NotAsked()
    for choice in _choices(asked, edges):
        if best is not None and choice.cost > best + _TIE:
            break
        try:
            made = list(_Planner(asked, choice, names, edges, week).plans())
        except NotAsked as not_asked:
            fault = not_asked if not_asked.remark is not None else fault
            continue
        made = [plan for plan in made if not plan_problems(plan, tuple(names.tables.values()))]
        if made:
            best = choice.cost if best is None else best
            found += [plan for plan in made if plan not in found]
    if not found:
        raise fault
    return found


def _key(edge: Edge) -> _Key:
    return edge.begin, edge.stop, edge.kind, edge.text


def _figures(asked: Asked) -> Iterator[Figure]:
    ranked = [asked.ranked.by] if asked.ranked is not None and isinstance(asked.ranked.by, Figure) else []
    for figure in (*asked.figures, *ranked):
        yield figure
        if figure.over is not None:
            yield figure.over


def _filters(asked: Asked) -> Iterator[Filter]:
    yield from asked.filters
    for figure in _figures(asked):
        yield from figure.filters


def _words(asked: Asked) -> Iterator[Edge]:
    """The words whose links are chosen."""
    for figure in _figures(asked):
        yield from filter(None, (figure.of, figure.operand))
    yield from (*asked.columns, *asked.things, *asked.dimensions, *asked.absent)
    yield from filter(None, (asked.subject, *(column for column, _ in asked.times)))
    yield from (table for _, _, table in asked.counts)
    if asked.ranked is not None and isinstance(asked.ranked.by, Edge):
        yield asked.ranked.by
    for condition in _filters(asked):
        yield from filter(None, (condition.column,) if condition.column is not None else condition.values[:1])


def _choices(asked: Asked, edges: Edges) -> list[Choice]:
    """All combinations of links whose tables can be joined, the cheapest first."""
    words = {_key(edge): edge for edge in _words(asked)}
    options = {key: list(edge.links) for key, edge in words.items()}
    for condition in _filters(asked):
        edge = condition.column or condition.values[0]
        options[_key(edge)] = [link for link in options[_key(edge)] if _fits(condition, link)]
    if not all(options.values()):
        return []
    absent = {_key(edge) for edge in asked.absent}
    total = 1
    for some in options.values():
        total *= len(some)
    if total > _MOST_CHOICES:
        most = max(1, int(_MOST_CHOICES ** (1 / len(options))))
        options = {key: sorted(some, key=lambda link: link.is_partial)[:most] for key, some in options.items()}
    same: dict[tuple[str, str], list[_Key]] = {}
    for place, edge in words.items():
        same.setdefault((edge.kind, edge.text.lower()), []).append(place)
    made: list[Choice] = []
    for links in product(*options.values()):
        chosen = dict(zip(options, links, strict=True))
        if any(len({chosen[key] for key in keys}) > 1 for keys in same.values()):
            continue
        needed = list(dict.fromkeys(link.table for key, link in chosen.items() if key not in absent))
        for joins in edges.trees(needed) if len(needed) > 1 else [()]:
            tables = tuple(dict.fromkeys([*needed, *(name for path in joins for name in (path.left, path.right))]))
            cost = _TABLE * len(tables) + _PARTIAL * sum(link.is_partial for link in links)
            made.append(Choice(chosen, tables, joins, cost))
    return sorted(made, key=lambda choice: choice.cost)


def _fits(condition: Filter, link: Link) -> bool:
    """Whether all values of a condition are values of the column."""
    if condition.quantities or not condition.values:
        return True
    return all(any((other.table, other.column) == (link.table, link.column) for other in value.links) for value in condition.values)


class _Planner:
    def __init__(self, asked: Asked, choice: Choice, names: Names, edges: Edges, week: TimeUnit) -> None:
        self.asked, self.choice, self.names, self.edges, self.week = asked, choice, names, edges, week
        self.joins, self.tables = list(choice.joins), list(choice.tables)
        if len({self.alias(table) for table in self.tables}) < len(self.tables):
            raise NotAsked
        self.repeated = frozenset[str]()

    def _refuse_doubtful(self) -> None:
        """Raises `NotAsked` where something else may well be meant."""
        asked = self.asked
        if self._is_half_named():
            raise NotAsked  # `salary` is perhaps not the expected salary of the candidates
        fixed = [self.link(item.column or item.values[0]) for item in asked.filters if item.operator is Operator.EQUAL and item.values]
        if len({(link.table, link.column) for link in fixed}) < len(fixed):
            raise NotAsked  # no row has two values in a column
        if any(self._leaves_nothing(own, other) for figure in _figures(asked) for own in figure.filters for other in asked.filters):
            raise NotAsked  # `revenue of failed orders`, where the formula is of completed ones
        if asked.subject is not None and (asked.dimensions or asked.units):
            raise NotAsked(say("questions.remark.of_each"))  # `top 3 products per region`: of all it would be one product in 3 regions
        if any(column is None for column, _ in asked.times):
            if asked.absent:
                raise NotAsked  # `no performance in 2026`: the time is of the rows that are not there
            if any(map(self._times_named, asked.filters)) and self._stated() is None:
                raise NotAsked  # `not delivered in May`: it may be when they were delivered, and not when they were ordered
        self._refuse_missing_rows()

    def _leaves_nothing(self, own: Filter, other: Filter) -> bool:
        """Whether a condition may be on the column of a figure's own one, and is not, or leaves none of its rows."""
        first, second, edge = self._condition(own), self._condition(other), other.column or other.values[0]
        if not any(f"{self.alias(link.table)}.{link.column}" == first.column for link in edge.links):
            return False
        inside = [each for each in (first, second) if each.operator in (Operator.EQUAL, Operator.IN, Operator.IS_TRUE)]
        common = set(first.values) & set(second.values)
        is_empty = bool(first.values) and not common if len(inside) > 1 else bool(inside) and common == set(inside[0].values)
        return second.column != first.column or is_empty

    def _is_half_named(self) -> bool:
        """Whether a column is named by a part of its name, in a table that nothing else speaks of."""
        links = self.choice.links.values()
        spoken = {link.table for link in links if not link.column}
        return len(self.tables) > 1 and any(link.is_partial and link.column and link.table not in spoken for link in links)

    def _refuse_missing_rows(self) -> None:
        """Raises `NotAsked` where rows would be missing that have no partner in the tables that are joined."""
        asked = self.asked
        if any(operator in (Operator.LESS, Operator.LESS_EQUAL) for operator, _, _ in asked.counts):
            raise NotAsked  # `customers with at most 3 orders`: those without one
        if asked.ranked is not None and not asked.ranked.descending and self._may_miss(asked.ranked):
            raise NotAsked  # `the customer with the fewest orders`: one without any
        if any(figure.over is not None and self.link(figure.of).table != self.link(figure.over.of).table for figure in _figures(asked)):
            raise NotAsked  # of one of the two figures

    def _times_named(self, condition: Filter) -> list[str]:
        """The columns that say when, in whose name the word for a state is: `delivered_at` for delivered."""
        if condition.column is not None or not condition.values:
            return []
        word, link = condition.values[0].text, self.link(condition.values[0])
        times = [column for column in self.names.tables[link.table].columns if is_temporal(column)]
        own, state = {key(word), key(link.value)}, word.removeprefix("已") if is_chinese(word) else "\0"
        described = [each.name for each in times if any(state + end in known for known in names_in(each.description) for end in "时日于")]
        found = [each.name for each in times if each.name in described or own.intersection(map(key, split_name(each.name)))]
        return [f"{self.alias(link.table)}.{column}" for column in found]

    def _stated(self) -> tuple[Filter, list[str]] | None:
        """The one state that may say when as well, with the columns that it may mean."""
        found = [(each, columns) for each in self.asked.filters if (columns := self._times_named(each))]
        is_one = len(found) == 1 and found[0][0].operator is Operator.EQUAL
        return found[0] if is_one and not any(figure.is_share for figure in self.asked.figures) else None

    def _moments(self) -> Iterator[tuple[Asked, list["_Time | None"]]]:
        """What is asked, with the columns that may say when. Where a time is asked for, a state that is in the name of one may be a state,
        say when, or both: `delivered in May`, but not `delivered per month`."""
        times, stated = self._times(), self._stated()
        if stated is None or all(column is not None for column, _ in self.asked.times):
            yield self.asked, times
            return
        named: list[_Time | None] = [(column, ()) for column in stated[1]]
        yield self.asked, named
        if self.asked.latest is None:
            yield replace(self.asked, filters=[each for each in self.asked.filters if each is not stated[0]]), named
        yield self.asked, [time for time in times if time not in named]

    def _may_miss(self, ranked: Ranked) -> bool:
        """Whether what is ranked has rows that the figure does not count: they are of another table, or a key refers to them."""
        subject, by = self.asked.subject, ranked.by
        if subject is None or not isinstance(by, Figure) or by.aggregate is not Aggregate.COUNT:
            return False
        keys = [path.left_columns for path in self.edges.parents(self.link(subject).table)]
        return self.table(subject) != self.table(by.of) or (self.link(subject).column,) in keys

    def plans(self) -> Iterator[QueryPlan]:
        """One, or one for each column that may say when, for each way to rank and for each part that may be meant by a share."""
        self._refuse_doubtful()
        parts = parts_of(self.asked, lambda condition: self.column(condition.column or condition.values[0]))
        for asked, times in self._moments():
            for ranked, time, part in product(self._ranks(), times, parts):
                yield _Planner(asked, self.choice, self.names, self.edges, self.week).plan(time, ranked, part)

    # names

    def alias(self, table: str) -> str:
        """The name by which a plan refers to a table."""
        return self.names.tables[table].name

    def link(self, edge: Edge) -> Link:
        """What a word was chosen to be."""
        return self.choice.links[_key(edge)]

    def column(self, edge: Edge) -> str:
        """A column as plans write it."""
        link = self.link(edge)
        return f"{self.alias(link.table)}.{link.column}"

    def detail(self, edge: Edge) -> ColumnDetail:
        """What is known of a column."""
        return self.names.column(self.link(edge))

    def table(self, edge: Edge) -> TableDetail:
        """What is known of the table of a word."""
        return self.names.tables[self.link(edge).table]

    def _repeated(self) -> frozenset[str]:
        skeleton = QueryPlan(
            sources=self._sources(), joins=self._plan_joins(), selected=(Selected(value=Measure(aggregate=Aggregate.COUNT)),)
        )
        return frozenset(multiplied(skeleton, tuple(self.names.tables.values())))

    def _sources(self) -> tuple[Source, ...]:
        return tuple(Source(table=table, alias=self.alias(table)) for table in self.tables)

    def _plan_joins(self) -> tuple[PlanJoin, ...]:
        return tuple(PlanJoin.along(path, self.alias(path.left), self.alias(path.right)) for path in self.joins)

    # when

    def _times(self) -> list[_Time | None]:
        """The columns that may say when, with the joins that lead to them; None where no time is asked for."""
        needs = bool(self.asked.units) or self.asked.latest is not None or any(column is None for column, _ in self.asked.times)
        if not needs:
            return [None]
        base = self._base()
        named = [self.link(edge).table for edge in self.asked.things] if self.asked.figures else []
        level: list[_Time] = [(table, ()) for table in dict.fromkeys([base, *named])]
        for _ in range(_FARTHEST + 1):
            found = [(f"{self.alias(table)}.{column}", way) for table, way in level for column in event_times(self.names.tables[table])]
            if inside := [item for item in found if item[0].split(".")[0] in {self.alias(table) for table in self.tables}]:
                found = inside
            if found:
                return list(found)
            if other := next((column for table, _ in level for column in self.names.tables[table].columns if column.holds_no_times), None):
                raise NotAsked(_other_kind(other))
            level = [(path.right, (*way, path)) for table, way in level for path in self.edges.parents(table)]
        raise NotAsked

    def _base(self) -> str:
        """The table whose rows are counted, added up or listed."""
        for figure in _figures(self.asked):
            return self.link(figure.of).table
        if self.asked.ranked is not None and isinstance(self.asked.ranked.by, Edge):
            return self.link(self.asked.ranked.by).table
        for edge in (*self.asked.things, *self.asked.columns, *filter(None, [self.asked.subject])):
            return self.link(edge).table
        raise NotAsked

    def _periods(self, time: str | None) -> tuple[Period, ...]:
        made: list[Period] = []
        for column, words in self.asked.times:
            if not isinstance(words.meant, TimeRange):
                raise NotAsked(say("questions.remark.vague_time", words=quote(words.text)))
            if column is not None and not is_temporal(self.detail(column)):
                raise NotAsked(_other_kind(self.detail(column)))
            at = time if column is None else self.column(column)
            if at is None:
                raise NotAsked
            made.append(Period(column=at, start=words.meant.start, end=words.meant.end))
        if len({period.column for period in made}) < len(made):
            raise NotAsked  # `signed up in 2025 and 2026` are two figures, or one
        return tuple(made)

    # what is asked for

    def _ranks(self) -> list[Ranked | None]:
        """`The customer with the highest amount`, of amounts of their orders: in total, or of one of them; both are possible."""
        ranked, subject = self.asked.ranked, self.asked.subject
        if ranked is None and self.asked.limit is not None and self.asked.latest is None:
            return [Ranked(None, descending=True)]  # `top 5` behind a question
        if ranked is None or subject is None:
            return [ranked]
        by = ranked.by
        if isinstance(by, Figure) and by.is_implied:
            by = replace(by, is_implied=False) if is_added_up(*self._said(by.of)) else by.of
        if not isinstance(by, Edge):
            if isinstance(by, Figure) and self._may_be_amounts(by):
                raise NotAsked
            return [Ranked(by, ranked.descending)]
        if not (is_numeric(self.detail(by)) or is_temporal(self.detail(by))):
            raise NotAsked  # `top 5 orders by channel`
        if not self.link(subject).column and self.link(by).table == self.link(subject).table:
            return [Ranked(by, ranked.descending)]
        best = Aggregate.MAXIMUM if ranked.descending else Aggregate.MINIMUM
        ways = [Aggregate.SUM, best] if is_added_up(*self._said(by)) else [best, Aggregate.AVERAGE]
        return [Ranked(Figure(way, by), ranked.descending) for way in ways]

    def _may_be_amounts(self, by: Figure) -> bool:
        """付款最多, of payments that have an amount: their number, or what they amount to."""
        if by.aggregate is not Aggregate.COUNT or by.of.text.isascii() or self.link(by.of).column:
            return False
        return any(is_numeric(column) and is_added_up(column.name, column.description) for column in self.table(by.of).columns)

    def _said(self, edge: Edge) -> tuple[str, str]:
        detail = self.detail(edge)
        return detail.name, detail.description

    def plan(self, at: _Time | None, ranked: Ranked | None, part: Sequence[Filter]) -> QueryPlan:
        """The plan with this column for the time, ranked so, with these conditions for the part that a share is of."""
        asked, (time, way) = self.asked, at or (None, ())
        for path in way:
            if path.right not in self.tables:
                self.tables.append(path.right)
                self.joins.append(path)
        self.repeated = self._repeated()
        groups, shown = self._groups(time)
        filters = [self._condition(condition) for condition in asked.filters if condition not in part]
        selected = [Selected(value=measure) for measure in shown]
        self._check_figures()
        if asked.counts:
            if asked.figures or asked.columns or asked.subject is not None or asked.latest is not None or len(asked.things) != 1:
                raise NotAsked
            more, visible = self._entity(asked.things[0])
            groups, selected = [*more, *groups], [*(Selected(value=measure) for measure in visible), *selected]
        elif asked.is_list or (asked.subject is not None and ranked is not None and isinstance(ranked.by, Edge)):
            return self._list(time, ranked, filters, groups)
        if any(figure.is_share for figure in asked.figures) and not (part or groups):
            raise NotAsked
        of_part = tuple(map(self._condition, part))
        selected += [self._part_of_all(figure, of_part) if figure.is_share and part else self._measured(figure) for figure in asked.figures]
        if not selected:
            raise NotAsked
        ordering = self._order_of_groups(ranked, selected)
        return self._made(selected, filters, time, groups=groups, having=self._having(), ordering=ordering, limit=asked.limit)

    def _check_figures(self) -> None:
        """Raises `NotAsked` for figures that no plan can have together, or that are no figures of what they are of."""
        asked = self.asked
        if len({self.link(figure.of).table for figure in asked.figures}) > 1:
            raise NotAsked  # rows without a partner would be missing from one of the figures
        if any(figure.is_implied and not is_added_up(*self._said(figure.of)) for figure in asked.figures):
            raise NotAsked
        if asked.is_bare and not (asked.counts or asked.absent):
            text, is_grouped = name(asked.text), asked.dimensions or asked.units
            how = say("questions.remark.bare_groups", question=text) if is_grouped else say("questions.remark.bare", question=text)
            raise NotAsked(how if asked.things else None)
        if asked.figures and (asked.columns or asked.latest is not None):
            raise NotAsked

    def _order_of_groups(self, ranked: Ranked | None, selected: list[Selected]) -> list[Ordering]:
        """By what is ranked; else by the time, where there is one."""
        if ranked is not None:
            return [self._ordering(ranked, selected)]
        if not self.asked.units:
            return []
        return [Ordering(position=place) for place, item in enumerate(selected, 1) if item.value.unit or item.value.part]

    def _made(
        self, selected: Sequence[Selected], filters: Sequence[Condition], time: str | None, *, groups: Sequence[Measure] = (),
        having: Sequence[GroupCondition] = (), ordering: Sequence[Ordering] = (), limit: int | None = None, distinct: bool = False,
    ) -> QueryPlan:  # fmt: skip
        plan = QueryPlan(
            sources=self._sources(), joins=self._plan_joins(), selected=tuple(selected), filters=tuple(filters),
            related=tuple(map(self._absent, self.asked.absent)), periods=self._periods(time), group_by=tuple(groups),
            having=tuple(having), order_by=tuple(ordering), limit=limit, is_distinct=distinct,
        )  # fmt: skip
        return _with_common_conditions(plan)

    def _list(self, time: str | None, ranked: Ranked | None, filters: Sequence[Condition], groups: Sequence[Measure]) -> QueryPlan:
        """Rows, not groups of them."""
        asked = self.asked
        if groups and asked.subject is None:
            raise NotAsked
        values = self._values_of_rows()
        by, descending = self._order_of_rows(time, ranked)
        ordering: list[Ordering] = []
        if by is not None:
            if all(value.column != by for value in values):
                values.append(Measure(column=by))
            place = next(place for place, value in enumerate(values, 1) if value.column == by)
            ordering = [Ordering(position=place, descending=descending)]
        aliases = {value.column.rpartition(".")[0] for value in values}
        is_repeated = len(aliases) == 1 and aliases <= self.repeated and asked.limit is None
        fixed = {item.column for item in filters if item.operator is Operator.EQUAL}
        if {value.column for value in values} <= fixed:
            raise NotAsked  # it would answer with the words of the question
        return self._made(
            [Selected(value=value) for value in values], filters, time, ordering=ordering, limit=asked.limit, distinct=is_repeated
        )

    def _values_of_rows(self) -> list[Measure]:
        """What is shown of each row: the columns that are named, else what the rows are of."""
        asked = self.asked
        if asked.columns:
            return [Measure(column=self.column(edge)) for edge in asked.columns]
        head = asked.subject or (asked.things[0] if asked.things else None)
        if head is None:
            raise NotAsked
        return self._rows_of(head) if not self.link(head).column else [Measure(column=self.column(head))]

    def _order_of_rows(self, time: str | None, ranked: Ranked | None) -> tuple[str | None, bool]:
        """The column by which rows are in order, and whether the greatest comes first; None: they are in no order."""
        latest = self.asked.latest
        by = time if latest is not None else None
        if ranked is not None:
            if isinstance(ranked.by, Edge):
                by = self.column(ranked.by)
            elif ranked.by is not None or by is None:
                raise NotAsked
        return by, latest if latest is not None else bool(ranked and ranked.descending)

    def _entity(self, edge: Edge) -> tuple[list[Measure], list[Measure]]:
        """A row of a table: grouped by its key, shown by its name."""
        table = self.table(edge)
        alias = self.alias(table.full_name)
        keys = [Measure(column=f"{alias}.{column}") for column in key_columns(table)]
        shown = [Measure(column=f"{alias}.{column}") for column in shown_columns(table)]
        if not keys and not shown:
            raise NotAsked
        return list(dict.fromkeys([*keys, *shown])), shown or keys

    def _rows_of(self, edge: Edge) -> list[Measure]:
        """Rows of a table in a list: by their names; the newest, and those without a name, with all that they hold."""
        table, shown = self.table(edge), self._entity(edge)[1]
        keys = {f"{self.alias(table.full_name)}.{column}" for column in key_columns(table)}
        if self.asked.latest is None and not {measure.column for measure in shown} <= keys:
            return shown
        return [Measure(column=f"{self.alias(table.full_name)}.{column.name}") for column in table.columns[:_MOST_COLUMNS]]

    def _groups(self, time: str | None) -> tuple[list[Measure], list[Measure]]:
        groups: list[Measure] = []
        shown: list[Measure] = []
        subject = [self.asked.subject] if self.asked.subject is not None else []
        for edge in (*subject, *self.asked.dimensions):
            more, visible = self._entity(edge) if not self.link(edge).column else self._of_column(edge)
            groups += [measure for measure in more if measure not in groups]
            shown += [measure for measure in visible if measure not in shown]
        for unit in self.asked.units:
            if time is None:
                raise NotAsked
            table = next(table for table in self.tables if time.startswith(f"{self.alias(table)}."))
            if unit is DatePart.HOUR and only_days(self.names.column(Link(table, time.rpartition(".")[2]))):
                raise NotAsked(say("queries.problem.only_days", column=name(time)))
            unit = self.week if unit is TimeUnit.WEEK else unit
            made = Measure(column=time, part=unit) if isinstance(unit, DatePart) else Measure(column=time, unit=unit)
            groups.append(made)
            shown.insert(len(shown) if self.asked.subject else 0, made)
        return groups, shown

    def _of_column(self, edge: Edge) -> tuple[list[Measure], list[Measure]]:
        """A column; for a key that is meant by other words than its name, what it refers to, by its name."""
        link = self.link(edge)
        own = [Measure(column=self.column(edge))]
        if edge.text.lower() == link.column.lower():
            return own, own
        for path in self.edges.parents(link.table):
            parent = self.names.tables[path.right]
            shown = shown_columns(parent)
            is_meant = path.left_columns == (link.column,) and self.alias(path.right) != self.alias(link.table)
            if is_meant and shown and shown != list(path.right_columns):
                if path.right not in self.tables:
                    self.tables.append(path.right)
                    self.joins.append(path)
                visible = [Measure(column=f"{self.alias(path.right)}.{column}") for column in shown]
                return [*own, *visible], visible
        return own, own

    def _measured(self, figure: Figure) -> Selected:
        first = Selected(value=self._measure(figure), share_of_total=figure.is_share, in_percent=figure.in_percent)
        if figure.over is None:
            return first
        return first.model_copy(update={"relation": Relation.RATIO, "other": self._measure(figure.over)})

    def _part_of_all(self, figure: Figure, of_part: tuple[Condition, ...]) -> Selected:
        """`The share of orders from the app`: those of all."""
        whole = self._measure(figure)
        part = whole.model_copy(update={"where": (*whole.where, *of_part)})
        return Selected(value=part, relation=Relation.RATIO, other=whole, in_percent=figure.in_percent)

    def _measure(self, figure: Figure) -> Measure:
        where = tuple(self._condition(condition) for condition in figure.filters)
        link = self.link(figure.of)
        if not link.column:
            alias = self.alias(link.table)
            if alias not in self.repeated:
                return Measure(aggregate=Aggregate.COUNT, where=where)
            keys = key_columns(self.names.tables[link.table])
            if len(keys) != 1:
                raise NotAsked
            return Measure(column=f"{alias}.{keys[0]}", aggregate=Aggregate.COUNT_DISTINCT, where=where)
        detail = self.detail(figure.of)
        is_counted = figure.aggregate in (Aggregate.COUNT, Aggregate.COUNT_DISTINCT)
        is_ordered = figure.aggregate in (Aggregate.MINIMUM, Aggregate.MAXIMUM) and is_temporal(detail)
        if not (is_counted or is_ordered or is_numeric(detail)):
            raise NotAsked(_other_kind(detail))
        measure = Measure(column=self.column(figure.of), aggregate=figure.aggregate, where=where)
        if figure.operand is None:
            return measure
        return measure.model_copy(update={"operator": Arithmetic.TIMES, "operand": self.column(figure.operand)})

    def _ordering(self, ranked: Ranked, selected: list[Selected]) -> Ordering:
        """The order; what is ranked by is shown."""
        figures = [place for place, item in enumerate(selected, 1) if item.value.aggregate is not None]
        if ranked.by is None:
            if not figures:
                raise NotAsked
            return Ordering(position=figures[0], descending=ranked.descending)
        if isinstance(ranked.by, Figure):
            made = self._measured(replace(ranked.by, is_implied=False))
            if made not in selected:
                selected.append(made)
            return Ordering(position=selected.index(made) + 1, descending=ranked.descending)
        column = self.column(ranked.by)
        places = [place for place, item in enumerate(selected, 1) if item.value.column == column]
        if not places:
            raise NotAsked
        return Ordering(position=places[0], descending=ranked.descending)

    # conditions

    def _condition(self, condition: Filter) -> Condition:
        edge = condition.column or condition.values[0]
        link = self.link(edge)
        column, detail = f"{self.alias(link.table)}.{link.column}", self.names.column(link)
        if condition.quantities:
            if not is_numeric(detail):
                raise NotAsked
            own = unit_of(detail)
            for quantity in condition.quantities:
                if quantity.unit is not None and quantity.unit != own:
                    raise NotAsked(say("questions.remark.other_unit", column=name(column)))
            return Condition(column=column, operator=condition.operator, values=tuple(q.number for q in condition.quantities))
        values = tuple(
            next(other.value for other in value.links if (other.table, other.column) == (link.table, link.column))
            for value in condition.values
        )
        return Condition(column=column, operator=condition.operator, values=values)

    def _having(self) -> tuple[GroupCondition, ...]:
        return tuple(
            GroupCondition(value=self._measure(Figure(Aggregate.COUNT, table)), operator=operator, values=(str(number),))
            for operator, number, table in self.asked.counts
        )

    def _absent(self, edge: Edge) -> Related:
        head = self._base()
        table = self.table(edge)
        path = self.edges.between(head, table.full_name)
        if path is None:
            raise NotAsked
        return Related(
            table=table.full_name, source=self.alias(head), source_columns=path.left_columns, columns=path.right_columns, exists=False
        )


def _with_common_conditions(plan: QueryPlan) -> QueryPlan:
    """A condition that the only measure has is one of the whole query, which is easier to read."""
    measures = [item.value for item in plan.selected if item.value.aggregate is not None or item.relation is not None]
    wheres = {measure.where for measure in measures}
    if len(wheres) != 1 or not (where := wheres.pop()) or plan.having or any(item.relation is not None for item in plan.selected):
        return plan
    selected = tuple(item.model_copy(update={"value": item.value.model_copy(update={"where": ()})}) for item in plan.selected)
    filters = tuple(dict.fromkeys((*plan.filters, *where)))
    return plan.model_copy(update={"selected": selected, "filters": filters})


def _other_kind(column: ColumnDetail) -> Statement:
    """Why a column gives no figure and no time, with a value that shows it."""
    value = next((text for text in (column.minimum, *column.values) if text), "")
    if column.holds_no_times:
        return say("questions.remark.no_time", column=name(column.name), type=name(column.type), value=quote(value[:40]))
    return say("questions.remark.other_kind", column=name(column.name), type=name(column.type))
