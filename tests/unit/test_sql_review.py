"""The review of SQL: each defect is shown on rows, and the right form of the same script passes."""

from typing import NamedTuple

import pytest

from contracts.sql_review import Defect, ReviewCheck, ReviewTarget, Severity, SqlFinding, SqlReview, WriteMode
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.support.campaign import sample
from workers.engines.sql.review import review
from workers.engines.sql.sandbox import open_sandbox

CLIENT = TableDetail(
    name="client",
    columns=(
        ColumnDetail(name="client_id", type="integer"),
        ColumnDetail(name="client_name", type="varchar(40)"),
        ColumnDetail(name="city", type="varchar(40)"),
        ColumnDetail(name="referred_by", type="integer", description="client_id of another client; null: came alone"),
    ),
    primary_key=("client_id",),
)
INVOICE = TableDetail(
    name="invoice",
    columns=(
        ColumnDetail(name="invoice_id", type="integer"),
        ColumnDetail(name="client_id", type="integer", nullable=False),
        ColumnDetail(name="total", type="decimal(12,2)", nullable=False),
        ColumnDetail(name="issued_at", type="timestamp", nullable=False),
        ColumnDetail(name="state", type="varchar(10)", values=("open", "paid", "void")),
    ),
    primary_key=("invoice_id",),
    foreign_keys=(ForeignKey(columns=("client_id",), table="client", references=("client_id",)),),
)
POSITION = TableDetail(
    name="position",
    columns=(
        ColumnDetail(name="invoice_id", type="integer"),
        ColumnDetail(name="place", type="integer"),
        ColumnDetail(name="article", type="varchar(20)"),
        ColumnDetail(name="pieces", type="integer", nullable=False),
    ),
    primary_key=("invoice_id", "place"),
    foreign_keys=(ForeignKey(columns=("invoice_id",), table="invoice", references=("invoice_id",)),),
)
VISIT = TableDetail(
    name="visit",
    columns=(
        ColumnDetail(name="visit_id", type="integer"),
        ColumnDetail(name="client_id", type="integer", nullable=False),
        ColumnDetail(name="day", type="date", nullable=False),
        ColumnDetail(name="minutes", type="integer", nullable=False),
    ),
    primary_key=("visit_id",),
    foreign_keys=(ForeignKey(columns=("client_id",), table="client", references=("client_id",)),),
)
PRICE = TableDetail(
    name="price",
    columns=(
        ColumnDetail(name="article", type="varchar(20)", nullable=False),
        ColumnDetail(name="since", type="date", nullable=False),
        ColumnDetail(name="amount", type="decimal(10,2)", nullable=False),
    ),
    primary_key=("article", "since"),
)
SALE = TableDetail(
    name="sale",
    columns=(
        ColumnDetail(name="sale_id", type="integer"),
        ColumnDetail(name="article", type="varchar(20)", nullable=False),
        ColumnDetail(name="sold_on", type="date", nullable=False),
    ),
    primary_key=("sale_id",),
)
CHANGE = TableDetail(
    name="client_change",
    columns=(
        ColumnDetail(name="nr", type="integer"),
        ColumnDetail(name="client_id", type="integer", nullable=False),
        ColumnDetail(name="city", type="varchar(40)"),
        ColumnDetail(name="action", type="varchar(6)", values=("insert", "update", "delete"), nullable=False),
        ColumnDetail(name="changed_at", type="timestamp", nullable=False),
    ),
    primary_key=("nr",),
)
COPY = TableDetail(
    name="client_copy",
    columns=(
        ColumnDetail(name="client_id", type="integer"),
        ColumnDetail(name="city", type="varchar(40)"),
        ColumnDetail(name="changed_at", type="timestamp"),
    ),
    primary_key=("client_id",),
)
HISTORY = TableDetail(
    name="tariff",
    columns=(
        ColumnDetail(name="client_id", type="integer", nullable=False),
        ColumnDetail(name="rate", type="decimal(10,2)", nullable=False),
        ColumnDetail(name="valid_from", type="date", nullable=False),
        ColumnDetail(name="valid_to", type="date", nullable=False, description="day after the last day"),
    ),
    primary_key=("client_id", "valid_from"),
)
ROUNDED = TableDetail(name="rounded", columns=(ColumnDetail(name="invoice_id", type="integer"), ColumnDetail(name="total", type="integer")))
BIG = TableDetail(
    name="log", columns=(ColumnDetail(name="day", type="date"), ColumnDetail(name="text", type="text")), partitioned_by=("day",)
)
TABLES = (CLIENT, INVOICE, POSITION, VISIT, PRICE, SALE, CHANGE, COPY, HISTORY, ROUNDED, BIG)


class Case(NamedTuple):
    """A script with a defect, and the same without it."""

    defect: Defect
    wrong: str
    right: str
    requirement: str = ""
    target: ReviewTarget | None = None
    severity: Severity = Severity.BLOCKER


def wanted(table: str, *key: str, columns: tuple[str, ...] = (), mode: WriteMode = WriteMode.OVERWRITE) -> ReviewTarget:
    """What a script is to produce."""
    return ReviewTarget(table=table, key=key, columns=columns, mode=mode)


LATEST = "create table t as select client_id, city from (select *, row_number() over (partition by client_id order by changed_at desc) as n"

CASES = {
    "sum of the one side after a join with the many side": Case(
        Defect.FAN_OUT,
        "select i.client_id, sum(i.total) as s, count(p.place) as n from invoice i join position p on p.invoice_id ="
        " i.invoice_id group by 1",
        "select i.client_id, sum(i.total) as s from invoice i where exists (select 1 from position p where p.invoice_id ="
        " i.invoice_id) group by 1",
    ),
    "sum around a CTE that holds the join": Case(
        Defect.FAN_OUT,
        "with j as (select i.client_id, i.total, p.article from invoice i join position p using (invoice_id)) select"
        " client_id, sum(total) from j group by 1",
        "with p as (select invoice_id, count(*) as n from position group by 1), j as (select i.client_id, i.total, p.n from invoice i"
        " join p using (invoice_id)) select client_id, sum(total) from j group by client_id",
    ),
    "two many sides of one table": Case(
        Defect.FAN_OUT,
        "select c.client_id, sum(i.total), sum(v.minutes) from client c left join invoice i on i.client_id = c.client_id"
        " left join visit v on v.client_id = c.client_id group by c.client_id",
        "select c.client_id, (select sum(total) from invoice i where i.client_id = c.client_id) as a from client c",
    ),
    "NOT IN over a nullable column": Case(
        Defect.NULL_NOT_IN,
        "select client_id from client where client_id not in (select referred_by from client)",
        "select client_id from client where client_id not in (select referred_by from client where referred_by is not null)",
    ),
    "equal to NULL": Case(
        Defect.NULL_COMPARED, "select client_id from client where city = null", "select client_id from client where city is null"
    ),
    "unequal leaves out what is not known": Case(
        Defect.NULL_FILTERED,
        "select client_id from client where city <> 'Graz'",
        "select client_id from client where city is distinct from 'Graz'",
        "All clients outside Graz; clients whose city is unknown belong to them.",
    ),
    "a change to null is not merged": Case(
        Defect.NULL_CHANGE,
        "merge into client_copy k using client c on k.client_id = c.client_id when matched and k.city <> c.city then update"
        " set city = c.city"
        " when not matched then insert (client_id, city) values (c.client_id, c.city)",
        "merge into client_copy k using client c on k.client_id = c.client_id when matched and k.city is distinct from c.city then"
        " update set city = c.city when not matched then insert (client_id, city) values (c.client_id, c.city)",
        target=wanted("client_copy", "client_id", mode=WriteMode.UPSERT),
    ),
    "WHERE on the right side of a left join": Case(
        Defect.OUTER_JOIN_UNDONE,
        "select c.client_id, coalesce(sum(i.total), 0) as s from client c left join invoice i on i.client_id = c.client_id"
        " where i.state = 'paid' group by c.client_id",
        "select c.client_id, coalesce(sum(i.total), 0) as s from client c left join invoice i on i.client_id = c.client_id"
        " and i.state = 'paid' group by c.client_id",
    ),
    "an inner join behind a left join": Case(
        Defect.OUTER_JOIN_UNDONE,
        "select c.client_id, coalesce(count(p.place), 0) as n from client c left join invoice i on i.client_id = c.client_id"
        " join position p on p.invoice_id = i.invoice_id group by c.client_id",
        "select c.client_id, coalesce(count(p.place), 0) as n from client c left join invoice i on i.client_id = c.client_id"
        " left join position p on p.invoice_id = i.invoice_id group by c.client_id",
    ),
    "COUNT(*) of an outer join": Case(
        Defect.COUNTED_UNMATCHED,
        "select c.client_id, count(*) as visits from client c left join visit v on v.client_id = c.client_id group by c.client_id",
        "select c.client_id, count(v.visit_id) as visits from client c left join visit v on v.client_id = c.client_id group by c.client_id",
    ),
    "COUNT(*) of an outer join, and one that asks something of its rows": Case(
        Defect.COUNTED_UNMATCHED,
        "select c.client_id, count(*) as visits from client c left join visit v on v.client_id = c.client_id group by c.client_id",
        "select c.client_id, count(*) filter (where v.minutes > 5) as visits from client c left join visit v on v.client_id = c.client_id"
        " group by c.client_id",
    ),
    "null where zero is asked for": Case(
        Defect.NULL_INSTEAD_OF_ZERO,
        "select c.client_id, sum(v.minutes) as m from client c left join visit v on v.client_id = c.client_id group by c.client_id",
        "select c.client_id, coalesce(sum(v.minutes), 0) as m from client c left join visit v on v.client_id = c.client_id group by 1",
        "Minutes of each client, 0 if there was no visit.",
    ),
    "an inner join loses rows that stay": Case(
        Defect.ROWS_LOST,
        "create table t as select c.client_id, sum(v.minutes) as m from client c join visit v on v.client_id = c.client_id"
        " group by c.client_id",
        "create table t as select c.client_id, sum(v.minutes) as m from client c left join visit v on v.client_id = c.client_id group by 1",
        "One row for every client.",
        wanted("t", "client_id", columns=("client_id", "m")),
        severity=Severity.WARNING,
    ),
    "an inner join loses rows of a table that is to be kept": Case(
        Defect.ROWS_LOST,
        "create table t as select c.client_id, sum(v.minutes) as m from client c join visit v on v.client_id = c.client_id"
        " group by c.client_id",
        "create table t as select c.client_id, sum(v.minutes) as m from client c left join visit v on v.client_id = c.client_id group by 1",
        "One row for every client.",
        wanted("t", "client_id", columns=("client_id", "m")).model_copy(update={"keeps_all": "client"}),
    ),
    "integer division": Case(
        Defect.INTEGER_DIVISION,
        "select count(case when state = 'paid' then 1 end) / count(*) as share from invoice",
        "select count(case when state = 'paid' then 1 end) * 1.0 / count(*) as share from invoice",
    ),
    "BETWEEN loses the last day": Case(
        Defect.LAST_DAY_LOST,
        "select count(*) from invoice where issued_at between '2023-05-01' and '2023-05-31'",
        "select count(*) from invoice where issued_at >= '2023-05-01' and issued_at < '2023-06-01'",
    ),
    "before the last day of the month": Case(
        Defect.LAST_DAY_LOST,
        "select count(*) from visit where day >= date '2023-05-01' and day < date '2023-05-31'",
        "select count(*) from visit where day between date '2023-05-01' and date '2023-05-31'",
    ),
    "the first instant of the next month": Case(
        Defect.BOUND_COUNTED_TWICE,
        "select count(*) from invoice where issued_at between timestamp '2023-05-01 00:00:00' and timestamp '2023-06-01 00:00:00'",
        "select count(*) from invoice where issued_at >= timestamp '2023-05-01 00:00:00' and issued_at < timestamp '2023-06-01 00:00:00'",
    ),
    "days in another time zone": Case(
        Defect.TIME_ZONE,
        "select cast(issued_at as date) as day, sum(total) from invoice group by 1",
        "select cast(issued_at + interval '9 hours' as date) as day, sum(total) from invoice group by 1",
        "Totals by day in Tokyo time (UTC+9); issued_at is in UTC.",
    ),
    "shifted the wrong way": Case(
        Defect.TIME_ZONE,
        "select cast(issued_at - interval '9 hours' as date) as day, sum(total) from invoice group by 1",
        "select date_trunc('day', issued_at + interval '9 hours') as day, sum(total) from invoice group by 1",
        "按东京时间（UTC+9）按日汇总；issued_at 为 UTC。",
    ),
    "days in another time zone, where nothing says in which one they are stored": Case(
        Defect.TIME_ZONE,
        "select cast(issued_at as date) as day, sum(total) from invoice group by 1",
        "select cast(issued_at at time zone 'Asia/Shanghai' as date) as day, sum(total) from invoice group by 1",
        "财务日报表：一行一天（北京时间）。",
        severity=Severity.WARNING,
    ),
    "more than is not at least": Case(
        Defect.BOUNDARY,
        "select client_id from visit group by client_id having count(*) >= 2",
        "select client_id from visit group by client_id having count(*) > 2",
        "Clients with more than 2 visits.",
    ),
    "or more is not more than": Case(
        Defect.BOUNDARY,
        "select visit_id from visit where minutes > 45",
        "select visit_id from visit where minutes >= 45",
        "Visits of 45 minutes or more.",
    ),
    "ties are left to chance": Case(
        Defect.TIES,
        LATEST + " from client_change) x where n = 1",
        LATEST.replace("changed_at desc", "changed_at desc, nr desc") + " from client_change) x where n = 1",
        "The city of the last change; among equal times the highest nr.",
        wanted("t", "client_id", columns=("client_id", "city")),
    ),
    "deletes are left out before the last change is chosen": Case(
        Defect.FILTERED_BEFORE_LATEST,
        LATEST + " from client_change where action <> 'delete') x where n = 1",
        LATEST + " from client_change) x where n = 1 and action <> 'delete'",
        target=wanted("t", "client_id", columns=("client_id", "city")),
    ),
    "a rank over all rows": Case(
        Defect.WINDOW_NOT_PARTITIONED,
        "create table t as select client_id, place, total from (select client_id, total, row_number() over (order by total"
        " desc, invoice_id)"
        " as place from invoice) x where place <= 2",
        "create table t as select client_id, place, total from (select client_id, total, row_number() over (partition by client_id"
        " order by total desc, invoice_id) as place from invoice) x where place <= 2",
        "The two largest invoices of each client.",
        wanted("t", "client_id", "place", columns=("client_id", "place", "total")),
    ),
    "a step to the row before, of another client": Case(
        Defect.WINDOW_NOT_PARTITIONED,
        "create table t as select client_id, visit_id, day - lag(day) over (order by day) as pause from visit",
        "create table t as select client_id, visit_id, day - lag(day) over (partition by client_id order by day) as pause from visit",
        target=wanted("t", "client_id", "visit_id", columns=("client_id", "visit_id", "pause")),
    ),
    "seven rows are not seven days": Case(
        Defect.ROWS_NOT_DAYS,
        "select day, sum(m) over (order by day rows between 6 preceding and current row) from"
        " (select day, sum(minutes) as m from visit group by day) x",
        "with recursive d(day) as (select min(day) from visit union all select cast(day + interval '1 day' as date) from d where day <"
        " (select max(day) from visit)) select d.day, sum(coalesce(m, 0)) over (order by d.day rows between 6 preceding and current row)"
        " from d left join (select day, sum(minutes) as m from visit group by day) x on x.day = d.day",
        "Minutes of the last seven calendar days, for every day.",
    ),
    "joined on the same day only": Case(
        Defect.AS_OF_JOIN,
        "select s.sale_id, p.amount from sale s left join price p on p.article = s.article and p.since = s.sold_on",
        "select s.sale_id, (select p.amount from price p where p.article = s.article and p.since <= s.sold_on order by"
        " p.since desc limit 1)"
        " as amount from sale s",
        "Each sale with the latest price on or before its day.",
    ),
    "a watermark misses late rows": Case(
        Defect.LATE_ROWS,
        "insert into client_copy select client_id, max(city), max(changed_at) from client_change where changed_at >"
        " (select coalesce(max(changed_at), timestamp '1900-01-01') from client_copy) group by client_id on conflict"
        " (client_id) do nothing",
        "insert into client_copy select client_id, max(city), max(changed_at) from client_change group by client_id"
        " on conflict (client_id) do nothing",
        target=wanted("client_copy", "client_id", mode=WriteMode.APPEND),
    ),
    "a second run appends again": Case(
        Defect.DOUBLED_BY_SECOND_RUN,
        "insert into client_copy (client_id, city) select client_id, city from client",
        "delete from client_copy; insert into client_copy (client_id, city) select client_id, city from client",
        target=wanted("client_copy", "client_id", mode=WriteMode.OVERWRITE),
    ),
    "two versions on the day of a change": Case(
        Defect.HISTORY_BOUND,
        "select v.visit_id, t.rate from visit v join tariff t on t.client_id = v.client_id and v.day between t.valid_from and t.valid_to",
        "select v.visit_id, t.rate from visit v join tariff t on t.client_id = v.client_id and v.day >= t.valid_from and"
        " v.day < t.valid_to",
    ),
    "a decimal goes into an integer": Case(
        Defect.TRUNCATED,
        "delete from rounded; insert into rounded select invoice_id, total from invoice",
        "delete from rounded; insert into rounded select invoice_id, cast(round(total) as integer) from invoice",
    ),
    "a column is missing": Case(
        Defect.COLUMN_MISSING,
        "create table t as select client_id from client",
        "create table t as select client_id, city from client",
        target=wanted("t", "client_id", columns=("client_id", "city")),
    ),
    "several rows for one key": Case(
        Defect.GRAIN,
        "create table t as select c.client_id, v.day from client c left join visit v on v.client_id = c.client_id",
        "create table t as select c.client_id, max(v.day) as day from client c left join visit v on v.client_id = c.client_id group by 1",
        target=wanted("t", "client_id", columns=("client_id", "day")),
    ),
    "an older row overwrites a newer one": Case(
        Defect.OLDER_OVERWRITES,
        "insert into client_copy select client_id, max(city), max(changed_at) from client_change group by client_id"
        " on conflict (client_id) do update set city = excluded.city, changed_at = excluded.changed_at",
        "insert into client_copy select client_id, max(city), max(changed_at) from client_change group by client_id on conflict (client_id)"
        " do update set city = excluded.city, changed_at = excluded.changed_at where excluded.changed_at > client_copy.changed_at",
        "An older change never replaces a newer one.",
        wanted("client_copy", "client_id", mode=WriteMode.UPSERT),
    ),
    "a count after a join that repeats rows": Case(
        Defect.COUNTED_TWICE,
        "select i.client_id, count(i.invoice_id) as n from invoice i join position p on p.invoice_id = i.invoice_id group by i.client_id",
        "select i.client_id, count(distinct i.invoice_id) as n from invoice i join position p on p.invoice_id = i.invoice_id group by 1",
        "Number of invoices of each client; an invoice counts once.",
    ),
    "DISTINCT ON among rows that are not deleted": Case(
        Defect.FILTERED_BEFORE_LATEST,
        "create table t as select distinct on (client_id) client_id, city from client_change where action <> 'delete'"
        " order by client_id, changed_at desc, nr desc",
        "create table t as select client_id, city from (select distinct on (client_id) client_id, city, action from client_change"
        " order by client_id, changed_at desc, nr desc) x where action <> 'delete'",
        target=wanted("t", "client_id", columns=("client_id", "city")),
    ),
    "a watermark in a CTE": Case(
        Defect.LATE_ROWS,
        "with w as (select max(changed_at) as top from client_copy) insert into client_copy select c.client_id, max(c.city),"
        " max(c.changed_at) from client_change c cross join w where w.top is null or c.changed_at > w.top group by"
        " c.client_id on conflict (client_id) do nothing",
        "insert into client_copy select client_id, max(city), max(changed_at) from client_change group by client_id"
        " on conflict (client_id) do nothing",
        target=wanted("client_copy", "client_id", mode=WriteMode.APPEND),
    ),
    "equal ranks give one place twice": Case(
        Defect.GRAIN,
        "create table t as select client_id, place, total from (select client_id, total, rank() over (partition by client_id order by total"
        " desc) as place from invoice) x where place <= 2",
        "create table t as select client_id, place, total from (select client_id, total, row_number() over (partition by client_id order by"
        " total desc, invoice_id) as place from invoice) x where place <= 2",
        target=wanted("t", "client_id", "place", columns=("client_id", "place", "total")),
    ),
    "every version joined as of no day": Case(
        Defect.GRAIN,
        "create table t as select s.sale_id, p.amount from sale s left join price p on p.article = s.article and p.since <= s.sold_on",
        "create table t as select s.sale_id, (select p.amount from price p where p.article = s.article and p.since <= s.sold_on"
        " order by p.since desc limit 1) as amount from sale s",
        target=wanted("t", "sale_id", columns=("sale_id", "amount")),
    ),
    "deleted rows stay": Case(
        Defect.DELETED_KEPT,
        LATEST + " from client_change) x where n = 1",
        "select client_id, city from (select *, row_number() over (partition by client_id order by changed_at desc, nr desc) as n"
        " from client_change) x where n = 1 and action <> 'delete'",
        "The last state of each client that was not deleted.",
        severity=Severity.WARNING,
    ),
    "eight days instead of seven": Case(
        Defect.FRAME_LENGTH,
        "select day, sum(minutes) over (order by day range between interval '7 days' preceding and current row) from visit",
        "select day, sum(minutes) over (order by day range between interval '6 days' preceding and current row) from visit",
        "Minutes of the last seven days, by day.",
    ),
    "a list of days that an inner join cuts": Case(
        Defect.ROWS_LOST,
        "create table t as with recursive d(day) as (select date '2024-03-01' union all select cast(day + interval '1 day' as date) from d"
        " where day < date '2024-03-05') select d.day, sum(v.minutes) as m from d join visit v on v.day = d.day group by d.day",
        "create table t as with recursive d(day) as (select date '2024-03-01' union all select cast(day + interval '1 day' as date) from d"
        " where day < date '2024-03-05') select d.day, coalesce(sum(v.minutes), 0) as m from d left join visit v on v.day = d.day"
        " group by 1",
        "Minutes for every calendar day of the period, 0 if there was no visit.",
        wanted("t", "day", columns=("day", "m")),
    ),
    "a watermark of a script that appends": Case(
        Defect.LATE_ROWS,
        "insert into client_copy select nr, city, changed_at from client_change where changed_at >"
        " coalesce((select max(changed_at) from client_copy), timestamp '1900-01-01')",
        "insert into client_copy select nr, city, changed_at from client_change c where not exists"
        " (select 1 from client_copy k where k.client_id = c.nr)",
        target=wanted("client_copy", "client_id", columns=("client_id", "city", "changed_at"), mode=WriteMode.APPEND),
    ),
    "DISTINCT hides a join": Case(
        Defect.DISTINCT_HIDES_JOIN,
        "select distinct c.client_name from client c join visit v on v.client_id = c.client_id",
        "select c.client_name from client c where exists (select 1 from visit v where v.client_id = c.client_id)",
        severity=Severity.WARNING,
    ),
    "no partition is chosen": Case(
        Defect.PARTITION_MISSING,
        "select count(*) from log where text like '%error%'",
        "select count(*) from log where day = date '2024-01-01' and text like '%error%'",
        severity=Severity.WARNING,
    ),
    "a name that is not known": Case(
        Defect.UNKNOWN_NAME,
        "select client_nam from client",
        "select client_name from client",
        severity=Severity.WARNING,
    ),
}  # fmt: skip


def reviewed(script: str, case: Case) -> SqlReview:
    """The review of a script of a case."""
    with open_sandbox() as sandbox:
        return review(script, TABLES, "postgres", sandbox, target=case.target, requirement=case.requirement)


def of(defect: Defect, found: SqlReview) -> list[SqlFinding]:
    """The findings of a defect."""
    return [finding for finding in found.findings if finding.defect is defect]


@pytest.mark.parametrize("name", CASES)
def test_a_defect_is_found_at_its_place_and_shown_on_rows(name: str) -> None:
    case = CASES[name]

    found = of(case.defect, reviewed(case.wrong, case))

    assert found, f"not found: {reviewed(case.wrong, case).findings}"
    assert found[0].severity is case.severity
    assert found[0].place is not None
    if case.severity is Severity.BLOCKER:
        assert found[0].counterexample is not None
        assert found[0].counterexample.rounds[0]
        assert found[0].counterexample.meant is None or found[0].counterexample.meant.columns == found[0].counterexample.given.columns


@pytest.mark.parametrize("name", sample([*CASES], every=2))
def test_the_right_form_of_a_script_has_neither_the_defect_nor_a_blocker(name: str) -> None:
    case = CASES[name]

    found = reviewed(case.right, case)

    assert of(case.defect, found) == []
    assert found.blockers == ()


def test_tables_of_one_name_in_two_schemas_are_two_tables_of_the_sandbox() -> None:
    """They had one name there, so that nothing was tried."""
    parent = TableDetail(
        name="orders",
        schema_name="crm",
        primary_key=("id",),
        columns=tuple(ColumnDetail(name=name, type="INTEGER") for name in ("id", "amount")),
    )
    lines = TableDetail(
        name="orders",
        schema_name="shop",
        primary_key=("line_id",),
        columns=tuple(ColumnDetail(name=name, type="INTEGER") for name in ("line_id", "order_id")),
        foreign_keys=(ForeignKey(columns=("order_id",), table="crm.orders", references=("id",)),),
    )
    sql = "SELECT SUM(o.amount) FROM crm.orders o JOIN shop.orders l ON l.order_id = o.id"

    with open_sandbox() as sandbox:
        found = review(sql, [parent, lines], "postgres", sandbox, requirement="total amount of orders")

    assert [finding.defect for finding in found.blockers] == [Defect.FAN_OUT]
    assert ReviewCheck.JOINS in found.checked
