"""COUNT(*) after a join that multiplies its rows, and what a statement with several such aggregates should give."""

import pytest

from contracts.sql_review import Defect, Severity, SqlReview
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.said import said
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox

SITES = TableDetail(
    name="sites",
    columns=(
        ColumnDetail(name="site_id", type="integer"),
        ColumnDetail(name="city", type="varchar"),
        ColumnDetail(name="boxes", type="integer", nullable=False),
    ),
    primary_key=("site_id",),
)
CONTACTS = TableDetail(
    name="contacts",
    columns=(
        ColumnDetail(name="contact_id", type="integer"),
        ColumnDetail(name="site_id", type="integer", nullable=False),
        ColumnDetail(name="role", type="varchar"),
        ColumnDetail(name="email", type="varchar"),
    ),
    primary_key=("contact_id",),
    foreign_keys=(ForeignKey(columns=("site_id",), table="sites", references=("site_id",)),),
)
PARCELS = TableDetail(
    name="parcels",
    columns=(
        ColumnDetail(name="parcel_id", type="integer"),
        ColumnDetail(name="site_id", type="integer", nullable=False),
        ColumnDetail(name="sender_name", type="varchar"),
        ColumnDetail(name="day", type="date", nullable=False),
    ),
    primary_key=("parcel_id",),
    foreign_keys=(ForeignKey(columns=("site_id",), table="sites", references=("site_id",)),),
)
TABLES = (SITES, CONTACTS, PARCELS)
JOINED = "from parcels p join sites s on s.site_id = p.site_id join contacts c on c.site_id = s.site_id"


def reviewed(sql: str) -> SqlReview:
    """A statement after its review."""
    with open_sandbox() as sandbox:
        return review(sql, TABLES, "duckdb", sandbox)


STOPPED = {
    "used for MIN": f"select s.city, count(*) as n, min(c.email) as contact {JOINED} group by s.city",
    "used for nothing": f"select s.city, count(*) as n {JOINED} group by s.city",
    "without groups": f"select count(*) as n {JOINED}",
    "COUNT(1)": f"select s.city, count(1) as n, max(c.email) as contact {JOINED} group by s.city",
    "with a filter of its own": f"select s.city, count(*) filter (where p.day > date '2024-01-01') as n {JOINED} group by s.city",
    "by a column of what is counted": f"select s.city, p.day, count(*) as parcels, min(c.email) as contact {JOINED} group by s.city, p.day",
    "no table between": "select p.day, count(*) as parcels, min(c.email) as contact from parcels p join contacts c on c.site_id = p.site_id"
    " group by p.day",
    "an outer join": "select s.city, count(*) as parcels, min(c.email) as contact from parcels p join sites s on s.site_id = p.site_id"
    " left join contacts c on c.site_id = s.site_id group by s.city",
    "named like the table that repeats": "select s.city, count(*) as sites, min(c.email) as contact from sites s join contacts c"
    " on c.site_id = s.site_id group by s.city",
    "the key": f"select s.city, count(p.parcel_id) as parcels, min(c.email) as contact {JOINED} group by s.city",
    "the other is counted by DISTINCT": f"select s.city, count(*) as parcels, count(distinct c.contact_id) as people {JOINED} group by 1",
    "around a CTE": f"with j as (select p.parcel_id, s.city {JOINED}) select j.city, count(*) as parcels from j group by j.city",  # noqa: S608
}
RIGHT = {
    "pairs of a CTE": f"with j as (select p.parcel_id, c.email {JOINED}) select count(*) as pairs from j",  # noqa: S608
    "a CTE without repetition": f"with j as (select p.parcel_id, s.city {JOINED} group by 1, 2) select count(*) as parcels from j",  # noqa: S608
    "the rows of the join": "select s.city, count(*) as n, min(c.email) as contact from sites s join contacts c on c.site_id = s.site_id"
    " group by s.city",
    "each parcel's contacts": f"select p.parcel_id, count(*) as n {JOINED} group by p.parcel_id",
    "contacts, by their name": f"select p.day, count(*) as contacts {JOINED} group by p.day",
    "contacts by who sent": f"select p.sender_name, count(*) as n {JOINED} group by p.sender_name",
    "pairs by the other's column": f"select c.role, count(*) as n {JOINED} group by c.role",
    "pairs that are filtered": f"select s.city, count(*) as n {JOINED} where c.role = 'day' group by s.city",
    "pairs without a table between": "select c.email, count(*) as n from contacts c join parcels p on p.site_id = c.site_id group by 1",
    "once each": f"select s.city, count(distinct p.parcel_id) as parcels, min(c.email) as contact {JOINED} group by s.city",
}


@pytest.mark.parametrize("sql", STOPPED.values(), ids=STOPPED)
def test_a_count_whose_rows_a_join_multiplies_is_stopped_with_rows(sql: str) -> None:
    blockers = [finding for finding in reviewed(sql).findings if finding.severity is Severity.BLOCKER]

    assert [finding.defect for finding in blockers] == [Defect.COUNTED_TWICE]
    example = blockers[0].counterexample
    assert example is not None
    assert example.meant is not None
    assert example.given.rows != example.meant.rows


@pytest.mark.parametrize("sql", RIGHT.values(), ids=RIGHT)
def test_a_count_that_may_be_meant_is_not_stopped(sql: str) -> None:
    assert [finding for finding in reviewed(sql).findings if finding.severity is Severity.BLOCKER] == []


def test_what_it_should_give_is_right_in_every_column() -> None:
    """A count and a sum are doubled by one join: it said that two parcels are right where the rows held one."""
    sql = f"select s.city, count(*) as parcels, sum(s.boxes) as boxes, min(c.email) as contact {JOINED} group by s.city"

    found = {finding.defect: finding for finding in reviewed(sql).findings}

    for finding in found.values():
        assert finding.counterexample is not None
        assert finding.counterexample.meant is not None
        rows = {table.name: table.rows for table in finding.counterexample.rounds[-1]}
        by_city: dict[str | None, tuple[int, int]] = {}
        for site, city, boxes in rows["sites"]:
            sent = [row for row in rows["parcels"] if row[1] == site]
            if sent and any(row[1] == site for row in rows["contacts"]):
                parcels, total = by_city.get(city, (0, 0))
                by_city[city] = parcels + len(sent), total + int(boxes or 0)
        given = {row[0]: (int(row[1] or 0), int(row[2] or 0)) for row in finding.counterexample.meant.rows}
        assert given == {city: by_city[city] for city in given}
    assert set(found) == {Defect.FAN_OUT, Defect.COUNTED_TWICE}
    assert "parcels and contacts" in said(found[Defect.FAN_OUT].summary), "both have several rows for a site"
