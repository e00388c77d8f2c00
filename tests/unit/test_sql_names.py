"""Names of SQL: where each column comes from, and what is near a name that is not known."""

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.names import NameProblemKind, Resolved, nearest, resolve
from workers.engines.sql.trees import NotParsed


def table(name: str, *columns: str, schema: str = "") -> TableDetail:
    """A table of a small library."""
    return TableDetail(name=name, schema_name=schema, columns=tuple(ColumnDetail(name=column) for column in columns))


TABLES = (
    table("book", "book_id", "title", "author_id", "price", schema="lib"),
    table("author", "author_id", "author_name", "country", schema="lib"),
    table("loan", "loan_id", "book_id", "reader", "lent_on", "returned_on", schema="lib"),
)


def origins(resolved: Resolved) -> list[tuple[str, str]]:
    """(column, table or alias) of every column, in the order of the text of each query."""
    return [(found.name, found.source.table_name or found.source.alias if found.source else "") for found in resolved.columns]


def test_an_unqualified_column_is_of_the_only_table_that_has_it() -> None:
    resolved = resolve("select title, author_name from lib.book b join lib.author a on b.author_id = a.author_id", TABLES, "postgres")

    assert resolved.problems == []
    assert ("title", "lib.book") in origins(resolved)
    assert ("author_name", "lib.author") in origins(resolved)
    assert resolved.tree.sql("postgres").startswith("SELECT b.title, a.author_name FROM")


def test_a_table_is_found_without_its_schema_and_with_the_name_of_the_database_before_it() -> None:
    assert [source.table and source.table.full_name for source in resolve("select 1 from book, prod.lib.loan", TABLES, "").tables] == [
        "lib.book",
        "lib.loan",
    ]


def test_an_unknown_column_is_reported_with_its_place_the_nearest_names_and_the_tables_that_have_it() -> None:
    sql = "select title,\n  authorname from book"

    (problem,) = resolve(sql, TABLES, "postgres").problems

    assert problem.kind is NameProblemKind.UNKNOWN_COLUMN
    assert problem.place is not None
    assert (problem.place.line, problem.place.column) == (2, 3)
    assert sql[problem.place.start : problem.place.end] == "authorname"
    assert problem.nearest[0] == "author_id"
    (problem,) = resolve("select country from book", TABLES, "postgres").problems
    assert problem.elsewhere == ("lib.author",)


def test_an_unknown_table_is_reported_and_its_columns_are_not() -> None:
    (problem,) = resolve("select x.anything, y from books x", TABLES, "postgres").problems

    assert (problem.kind, problem.name, problem.nearest) == (NameProblemKind.UNKNOWN_TABLE, "books", ("book",))


def test_an_unknown_qualifier_is_reported_with_the_aliases_that_have_the_column() -> None:
    (problem,) = resolve("select z.title from book b, author a", TABLES, "postgres").problems

    assert (problem.kind, problem.nearest) == (NameProblemKind.UNKNOWN_QUALIFIER, ("b",))


def test_a_column_of_two_tables_is_ambiguous_unless_using_merges_it() -> None:
    (problem,) = resolve("select book_id from book join loan on book.book_id = loan.book_id", TABLES, "postgres").problems

    assert (problem.kind, problem.nearest) == (NameProblemKind.AMBIGUOUS_COLUMN, ("book.book_id", "loan.book_id"))
    assert resolve("select book_id from book join loan using (book_id)", TABLES, "postgres").problems == []
    assert resolve("select book_id from book natural join loan", TABLES, "postgres").problems == []


@pytest.mark.parametrize(
    ("dialect", "sql", "is_known"),
    [
        ("postgres", "select price * 2 as twice from book order by twice", True),
        ("postgres", "select price * 2 as twice from book where twice > 1", False),
        ("duckdb", "select price * 2 as twice, twice + 1 as more from book where twice > 1", True),
        ("snowflake", "select price * 2 as twice, twice + 1 as more from book", True),
        ("mysql", "select count(*) as n from book group by title having n > 1", True),
        ("postgres", "select count(*) as n from book group by title having n > 1", False),
        ("tsql", "select price * 2 as twice, count(*) from book group by twice", False),
        ("sqlite", 'select title from book where country = "Chile"', False),
        ("sqlite", 'select title from book where title = "Chile"', True),
    ],
)
def test_an_alias_is_a_name_where_the_dialect_lets_it_be(dialect: str, sql: str, is_known: bool) -> None:
    assert (resolve(sql, TABLES, dialect).problems == []) is is_known


def test_a_query_inside_sees_the_tables_around_it_and_its_own_first() -> None:
    resolved = resolve(
        "select title from book b where exists (select 1 from loan l where l.book_id = b.book_id and title = 'x')", TABLES, ""
    )

    assert resolved.problems == []
    assert [found.name for found in resolved.columns if found.is_outer] == ["book_id", "title"]


def test_ctes_are_read_like_tables_with_the_columns_they_yield() -> None:
    sql = "with top(t, p) as (select title, price from book), later as (select * from top) select t, q from later"

    (problem,) = resolve(sql, TABLES, "postgres").problems

    assert problem.name == "q"


def test_a_recursive_cte_sees_itself() -> None:
    sql = "with recursive n(i) as (select 1 union all select i + 1 from n where i < 5) select i from n"

    assert resolve(sql, TABLES, "postgres").problems == []


def test_stars_are_expanded_where_the_columns_are_known() -> None:
    resolved = resolve("select b.*, l.reader from book b left join loan l using (book_id)", TABLES, "postgres")

    assert resolved.root is not None
    assert resolved.root.columns == ("book_id", "title", "author_id", "price", "reader")
    assert resolve("select * from unknown_table", (), "").root.columns is None  # type: ignore[union-attr]


def test_without_tables_nothing_is_a_problem() -> None:
    assert resolve("select a.b, c from s.t a join u on a.x = u.y", (), "").problems == []


@pytest.mark.parametrize(
    "sql",
    [
        "insert into loan (loan_id, readr) select author_id, author_name from author",
        "update book set prize = 1",
        "merge into book b using author a on a.author_id = b.author_id when matched then update set prize = 2",
        "delete from loan where lent_onn < date '2024-01-01'",
    ],
)
def test_statements_that_write_are_checked_too(sql: str) -> None:
    (problem,) = resolve(sql, TABLES, "postgres").problems

    assert problem.kind is NameProblemKind.UNKNOWN_COLUMN
    assert problem.nearest


def test_a_cte_of_a_statement_that_writes_is_seen_in_its_conditions() -> None:
    sql = "with old as (select book_id from book) delete from loan where book_id in (select book_id from old)"

    assert resolve(sql, TABLES, "postgres").problems == []


def test_what_is_not_sql_is_refused_with_a_place() -> None:
    with pytest.raises(NotParsed) as caught:
        resolve("select title from (", TABLES, "postgres")
    assert caught.value.line == 1


def test_near_names_share_letters_or_words() -> None:
    assert nearest("custname", ["customer_name", "price", "cust_name"])[0] == "cust_name"
    assert "customer_name" in nearest("name_of_customer", ["customer_name", "price"])
    assert nearest("zzz", ["price"]) == ()


@given(st.lists(st.sampled_from(["title", "price", "author_id", "nothing"]), min_size=1, max_size=4))
def test_every_column_is_either_resolved_or_a_problem(names: list[str]) -> None:
    resolved = resolve(exp.select(*names).from_("book"), TABLES, "postgres")

    assert len(resolved.columns) + len(resolved.problems) == len(names)
