"""The plan of a query that somebody filled in: the same as the reader makes of a question, with nothing read."""

from collections.abc import Sequence
from datetime import timedelta

from contracts.plan_wishes import PlanWish, WishedFigure
from contracts.queries import Aggregate, Condition, Measure, Ordering, Period, PlanJoin, QueryPlan, Selected, Source
from contracts.statements import Statement, name, names, say
from contracts.tables import JoinPath, TableDetail
from workers.engines.questions.edges import Edges
from workers.engines.sql.plan_check import plan_problems


class NoPlan(ValueError):
    """What was filled in makes no plan."""

    def __init__(self, problems: Sequence[Statement]) -> None:
        super().__init__(problems[0].code)
        self.problems = tuple(problems)


def plan_of(wish: PlanWish, tables: Sequence[TableDetail], paths: Sequence[JoinPath] = ()) -> QueryPlan:
    """The plan, checked against the tables. Raises `NoPlan`."""
    known = {table.full_name: table for table in tables}
    wanted = list(dict.fromkeys((wish.table, *wish.others)))
    if missing := [table for table in wanted if table not in known]:
        raise NoPlan([say("queries.problem.unknown_table", table=name(missing[0]))])
    joins = _joins(wanted, tables, paths)
    reached = list(dict.fromkeys((*wanted, *(end for path in joins for end in (path.left, path.right)))))
    alias = _aliases(reached, known)
    groups = _groups(wish, alias)
    figures = [_figure(item, alias) for item in wish.figures]
    if not (groups or figures):
        raise NoPlan([say("questions.wished.nothing")])
    is_counted = bool(figures)
    plan = QueryPlan(
        sources=tuple(Source(table=table, alias=alias[table]) for table in reached),
        joins=tuple(PlanJoin.along(path, alias[path.left], alias[path.right]) for path in joins),
        selected=tuple(Selected(value=value) for value in (*groups, *figures)),
        filters=tuple(
            Condition(column=_column(item.column, alias), operator=item.operator, values=item.values) for item in wish.conditions
        ),
        periods=_periods(wish, alias),
        group_by=tuple(groups) if is_counted else (),
        order_by=_order(wish, has_unit=wish.unit is not None and is_counted),
        limit=wish.limit,
    )  # fmt: skip
    if problems := plan_problems(plan, tuple(tables)):
        raise NoPlan(problems)
    return plan


def joinable(table: str, tables: Sequence[TableDetail], paths: Sequence[JoinPath] = ()) -> list[str]:
    """The tables that can be joined to a table in one way, by their full names."""
    edges = Edges(tables, paths)
    return [item.full_name for item in tables if item.full_name != table and len(edges.trees((table, item.full_name))) == 1]


def _joins(wanted: Sequence[str], tables: Sequence[TableDetail], paths: Sequence[JoinPath]) -> tuple[JoinPath, ...]:
    if len(wanted) == 1:
        return ()
    trees = Edges(tables, paths).trees(wanted)
    if not trees:
        raise NoPlan([say("questions.wished.not_joined", tables=names(wanted))])
    if len(trees) > 1:
        raise NoPlan([say("questions.wished.joined_how", tables=names(wanted))])
    return trees[0]


def _aliases(tables: Sequence[str], known: dict[str, TableDetail]) -> dict[str, str]:
    """The table's own name, or its full name with `_` where two have the same."""
    own = [known[table].name for table in tables]
    return {table: known[table].name if own.count(known[table].name) == 1 else table.replace(".", "_") for table in tables}


def _column(place: str, alias: dict[str, str]) -> str:
    table, _, column = place.rpartition(".")
    if table not in alias:
        raise NoPlan([say("questions.wished.other_table", column=name(place))])
    return f"{alias[table]}.{column}"


def _groups(wish: PlanWish, alias: dict[str, str]) -> list[Measure]:
    """What figures are grouped by, the time first; without figures, the columns of a list."""
    groups = [Measure(column=_column(column, alias)) for column in wish.columns]
    if wish.time is not None and wish.unit is not None:
        return [Measure(column=_column(wish.time, alias), unit=wish.unit), *groups]
    return groups


def _figure(item: WishedFigure, alias: dict[str, str]) -> Measure:
    if item.column is None:
        if item.aggregate is not Aggregate.COUNT:
            raise NoPlan([say("queries.problem.no_column")])
        return Measure(aggregate=Aggregate.COUNT)
    return Measure(column=_column(item.column, alias), aggregate=item.aggregate)


def _periods(wish: PlanWish, alias: dict[str, str]) -> tuple[Period, ...]:
    if wish.since is None and wish.until is None:
        return ()
    if wish.time is None:
        raise NoPlan([say("questions.wished.no_time")])
    end = None if wish.until is None else wish.until + timedelta(days=1)
    return (Period(column=_column(wish.time, alias), start=wish.since, end=end),)


def _order(wish: PlanWish, *, has_unit: bool) -> tuple[Ordering, ...]:
    if wish.order is not None:
        return (Ordering(position=wish.order, descending=wish.descending),)
    return (Ordering(position=1, descending=wish.descending),) if has_unit else ()
