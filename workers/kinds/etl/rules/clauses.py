"""What a target says of its rows in closed form, and which of it a review could not try."""

from collections.abc import Collection, Iterator

from contracts.pipelines.analysis import EtlTarget
from contracts.sql_review import ReviewCheck
from contracts.statements import Statement, code, listing, name, names, say

OF_CLAUSES = (ReviewCheck.ROWS_KEPT, ReviewCheck.ROWS_COUNTED, ReviewCheck.TOTALS)
"""What a review looks at for `keeps_all`, `only` and `totals`."""


def has_clauses(target: EtlTarget) -> bool:
    """It says something that is tried on rows of the sources."""
    return bool(target.keeps_all or target.only or target.totals)


def untried_clauses(target: EtlTarget, not_checked: Collection[ReviewCheck]) -> Iterator[Statement]:
    """What it says and nobody tried. All clauses of a kind are named where one of them was not tried."""
    if target.keeps_all and ReviewCheck.ROWS_KEPT in not_checked:
        yield say("etl.untried.keeps_all", table=name(target.keeps_all))
    if target.only and ReviewCheck.ROWS_COUNTED in not_checked:
        yield say("etl.untried.only", conditions=listing(*(code(f"{table}: {condition}") for table, condition in target.only)))
    if target.totals and ReviewCheck.TOTALS in not_checked:
        yield say("etl.untried.totals", columns=names(column for column, _ in target.totals))
