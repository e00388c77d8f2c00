"""Explanations of invented statements over an invented library of books."""

import pytest

from contracts.sql_explanation import ClauseKind, SqlExplanation
from contracts.statements import say
from contracts.tables import ColumnDetail, TableDetail
from workers.engines.catalogue import LOCALE
from workers.engines.sql.explain import explain, statements_of
from workers.engines.sql.trees import NotParsed
from workers.saying import add_catalogue, text_of

add_catalogue(LOCALE)

TABLES = [
    TableDetail(name="books", columns=(ColumnDetail(name="book_id"), ColumnDetail(name="title")), primary_key=("book_id",)),
    TableDetail(name="loans", columns=(ColumnDetail(name="loan_id"), ColumnDetail(name="book_id")), primary_key=("loan_id",)),
]


def texts(explanation: SqlExplanation, language: str = "en") -> list[str]:
    return [text_of(statement, language) for statement in statements_of(explanation)]


def sentences(sql: str, dialect: str = "postgres", language: str = "en") -> list[str]:
    """The explanation's lines."""
    return texts(explain(sql, dialect, TABLES), language)


EXPLAINED = [
    ("SELECT title FROM books WHERE pages > 300", "Keeps only rows where pages is greater than 300."),
    ("SELECT title FROM books WHERE printed >= '2020-01-01'", "Keeps only rows where printed is on or after 2020-01-01."),
    ("SELECT title FROM books WHERE printed < CURRENT_DATE - INTERVAL '30 days'",
     "Keeps only rows where printed is before 30 days before today."),
    ("SELECT title FROM books WHERE title ILIKE '%sea%'", "Keeps only rows where title contains “sea” (in upper or lower case)."),
    ("SELECT title FROM books WHERE shelf IN ('A', 'B')", "Keeps only rows where shelf is “A” or “B”."),
    ("SELECT title FROM books WHERE title NOT LIKE 'The%'", "Keeps only rows where it is not the case that title begins with “The”."),
    ("SELECT title FROM books WHERE shelf IS NOT NULL", "Keeps only rows where shelf is not empty."),
    ("SELECT title FROM books WHERE a = 1 AND (b = 2 OR c = 3)", "Keeps only rows where a is 1 and (b is 2 or c is 3)."),
    ("SELECT title FROM books WHERE NOT (a = 1 OR b = 2) AND c = 3",
     "Keeps only rows where it is not the case that (a is 1 or b is 2) and c is 3."),
    ("SELECT DISTINCT ON (shelf) title FROM books ORDER BY shelf, pages", "One row for each shelf."),
    ("SELECT title FROM books WHERE NOT is_lent", "Keeps only rows where is_lent is false."),
    ("SELECT shelf, COUNT(*) AS n FROM books GROUP BY shelf", "One row for each shelf."),
    ("SELECT shelf, COUNT(*) AS n FROM books GROUP BY 1 HAVING COUNT(*) > 2",
     "Keeps only groups where the number of rows is greater than 2."),
    ("SELECT COUNT(DISTINCT shelf) FROM books", "Returns the number of different values of shelf."),
    ("SELECT COUNT(*) FROM books", "A single row."),
    ("SELECT title, SUM(pages * price) AS worth FROM books GROUP BY title", "worth is the sum of (pages × price)."),
    ("SELECT SUM(CASE WHEN is_lent THEN 1 ELSE 0 END) AS lent FROM books", "Returns the number of rows where is_lent is true (as lent)."),
    ("SELECT DISTINCT shelf FROM books", "Equal rows are shown only once."),
    ("SELECT title FROM books ORDER BY pages DESC, title LIMIT 3", "Sorted by pages, largest first, title, smallest first."),
    ("SELECT title FROM books ORDER BY pages LIMIT 1", "Returns at most 1 row."),
    ("SELECT title FROM books ORDER BY CASE WHEN pages IS NULL THEN 1 ELSE 0 END, pages",
     "Sorted by pages, smallest first, empty values last."),
    ("SELECT l.loan_id, b.title FROM loans l JOIN books b ON b.book_id = l.book_id",
     "One row for each row of loans: the joined tables are looked up by their keys."),
    ("SELECT b.title FROM books b LEFT JOIN loans l ON l.book_id = b.book_id WHERE l.book_id IS NULL",
     "One row for each row of books that has no match in loans."),
    ("SELECT b.title FROM books b LEFT JOIN loans l ON l.book_id = b.book_id",
     "Joins loans where loans.book_id equals books.book_id; rows of books without a match stay, with empty columns."),
    ("SELECT a.title FROM books a JOIN books b ON a.sequel = b.book_id",
     "Joins books (called b) where a.sequel equals b.book_id; rows without a match are left out."),
    ("SELECT title, RANK() OVER (PARTITION BY shelf ORDER BY pages DESC) AS place FROM books",
     "place is the rank (within each shelf, in order of pages, largest first)."),
    ("SELECT title, LAG(pages) OVER (ORDER BY printed) AS before FROM books",
     "before is pages of the row before (in order of printed, smallest first)."),
    ("SELECT title FROM books WHERE book_id NOT IN (SELECT book_id FROM loans)",
     "Keeps only rows where book_id is not among the results of sub-query 1."),
    ("SELECT title FROM books UNION ALL SELECT title FROM films", "Puts the rows of the parts 1 and 2 together, equal rows included."),
    ("SELECT date_trunc('month', printed) AS month, COUNT(*) AS n FROM books GROUP BY month",
     "One row for each the first day of the month of printed."),
    ("INSERT INTO long_books SELECT title FROM books WHERE pages > 900", "Writes the result into long_books (INSERT)."),
    ("DELETE FROM books", "This statement is not a query (DELETE)."),
    ("DELETE FROM books", "All rows are touched."),
    ("DELETE FROM books WHERE pages > 3", "Only rows where pages is greater than 3 are touched."),
    ("UPDATE books SET shelf = 'A' WHERE pages > 3", "shelf is “A”."),
    ("SELECT title FROM books ORDER BY pages FETCH FIRST 3 ROWS WITH TIES", "How many rows are returned: `FETCH FIRST 3 ROWS WITH TIES`."),
    ("SELECT LAG(pages, 2, 0) OVER (ORDER BY title) FROM books", "Returns `LAG(pages, 2, 0)` (in order of title, smallest first)."),
    ("SELECT LAST_VALUE(pages) OVER (ORDER BY title) FROM books", "Returns `LAST_VALUE(pages)` (in order of title, smallest first)."),
    ("SELECT SUM(pages) OVER (ORDER BY title ROWS BETWEEN 2 PRECEDING AND CURRENT ROW) FROM books",
     "Returns the sum of pages (in order of title, smallest first, `ROWS BETWEEN 2 PRECEDING AND CURRENT ROW`)."),
    ("SELECT b.title FROM books b LEFT JOIN loans l ON l.book_id = b.book_id WHERE l.loan_id IS NULL",
     "One row for each row of books that has no match in loans."),
    ("SELECT b.title FROM books b LEFT JOIN loans l ON l.book_id = b.book_id WHERE l.note IS NULL",
     "One row for each matching combination of rows of books and loans, and for each row without a match that a join keeps."),
    ("SELECT title FROM books TABLESAMPLE BERNOULLI (10)", "Reads `books TABLESAMPLE BERNOULLI (10)`."),
    ("SELECT price::int FROM books", "Returns `CAST(price AS INT)`."),
    ("SELECT price::text FROM books", "Returns price as text."),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "sentence"), EXPLAINED)
def test_a_clause_is_said_in_words(sql: str, sentence: str) -> None:
    assert sentence in sentences(sql)


@pytest.mark.parametrize(
    ("sql", "sentence"),
    [
        (
            "SELECT title FROM books WHERE printed >= date('now', '-7 days')",
            "Keeps only rows where printed is on or after 7 days before today.",
        ),
        ("SELECT title FROM books WHERE strftime('%Y', printed) = '2024'", "Keeps only rows where the year of printed is “2024”."),
        ("SELECT julianday(back) - julianday(lent) AS days FROM loans", "Returns the days from lent to back (as days)."),
    ],
)
def test_sqlites_dates_are_said_like_those_of_others(sql: str, sentence: str) -> None:
    assert sentence in sentences(sql, "sqlite")


@pytest.mark.parametrize(
    ("dialect", "sql", "clauses"),
    [
        ("mysql", "UPDATE books b JOIN loans l ON b.i = l.i SET b.x = 1", "`JOIN loans AS l ON b.i = l.i`"),
        ("mysql", "DELETE b FROM books b JOIN loans l ON b.i = l.i", "`JOIN loans AS l ON b.i = l.i`"),
        ("tsql", "UPDATE b SET x = 1 FROM books b JOIN loans l ON b.i = l.i", "`FROM books AS b JOIN loans AS l ON b.i = l.i`"),
        ("postgres", "DELETE FROM books USING loans", "`loans`"),
        ("mysql", "DELETE FROM books WHERE pages > 3 ORDER BY printed LIMIT 5", "`ORDER BY printed` and `LIMIT 5`"),
        ("tsql", "DELETE TOP (10) FROM books", "`TOP(10)`"),
        ("postgres", "INSERT INTO books SELECT * FROM loans ON CONFLICT (i) DO NOTHING", "`ON CONFLICT(i) DO NOTHING`"),
        ("tsql", "WITH b AS (SELECT TOP 5 * FROM books) DELETE FROM b", None),
        ("postgres", "DROP TABLE books", None),
        ("postgres", "DROP TABLE books, loans", None),
        ("postgres", "TRUNCATE TABLE books, loans", None),
    ],
)
def test_all_rows_are_touched_only_where_no_other_clause_chooses_them(dialect: str, sql: str, clauses: str | None) -> None:
    """A join, a limit and a second table were passed over."""
    found = sentences(sql, dialect)

    assert "All rows are touched." not in found
    assert [line for line in found if line.startswith("Which rows")] == (
        [f"Which rows are touched depends on {clauses}."] if clauses else []
    )


@pytest.mark.parametrize(
    ("dialect", "sql", "sentence"),
    [
        ("tsql", "DELETE TOP (10) FROM books WHERE pages > 3", "Deletes rows of books."),
        ("tsql", "DELETE b FROM books b JOIN loans l ON b.i = l.i", "Deletes rows of books."),
        ("mysql", "DELETE b, l FROM books b JOIN loans l ON b.i = l.i", "Deletes rows of books, loans."),
        ("mysql", "DELETE QUICK FROM books", "Deletes rows of books."),
        ("tsql", "UPDATE b SET x = 1 FROM books b", "Changes rows of books."),
        ("sqlite", "INSERT OR REPLACE INTO books SELECT * FROM loans", "Writes the result into books (INSERT OR REPLACE)."),
        ("postgres", "DROP TABLE lib.books, loans", "Writes the result into books, loans (DROP)."),
        ("postgres", "TRUNCATE TABLE books, loans", "Writes the result into books, loans (TRUNCATETABLE)."),
    ],
)
def test_what_is_written_is_a_table_by_its_own_name(dialect: str, sql: str, sentence: str) -> None:
    """An alias and the word TOP were taken for tables."""
    assert sentence in sentences(sql, dialect)


def test_queries_come_in_the_order_in_which_they_are_computed() -> None:
    found = explain(
        "WITH long AS (SELECT * FROM books WHERE pages > 900) SELECT COUNT(*) FROM (SELECT title FROM long) AS named", "postgres"
    )

    assert [(str(query.role), query.name) for query in found.queries] == [("cte", "long"), ("derived", "named"), ("main", "")]


def test_an_inner_sub_query_has_the_smaller_number() -> None:
    found = sentences("SELECT a FROM t WHERE a IN (SELECT b FROM u WHERE b IN (SELECT c FROM v))")

    assert [line for line in found if line.startswith("Sub-query")] == ["Sub-query 1:", "Sub-query 2:"]
    assert found.index("Reads v.") < found.index("Sub-query 2:")


def test_the_query_inside_of_an_update_has_the_number_that_the_text_names() -> None:
    assert "Sub-query 1:" in sentences("UPDATE books SET shelf = 'A' WHERE book_id IN (SELECT book_id FROM loans)")


def test_what_a_review_found_is_shown_at_the_end() -> None:
    trap = say("sql_explain.distinct")

    assert texts(explain("SELECT 1", "postgres", traps=[trap]))[-2:] == ["Mind:", "Equal rows are shown only once."]


def test_chinese_readers_get_chinese_sentences() -> None:
    found = sentences("SELECT shelf, COUNT(*) AS n FROM books WHERE a = 1 AND b = 2 GROUP BY shelf ORDER BY n DESC LIMIT 2", language="zh")

    assert found == [
        "每个 shelf 对应一行。",
        "读取 books。",
        "只保留满足以下条件的行：a 等于 1，且 b 等于 2。",
        "返回：shelf、n。",
        "n 是行数。",
        "排序：n（从大到小）。",
        "最多返回 2 行。",
    ]


def test_what_has_no_words_is_shown_as_code() -> None:
    assert "Returns title, `MY_OWN(a)`." in sentences("SELECT title, my_own(a) FROM books")


def test_every_clause_has_its_kind() -> None:
    found = explain("SELECT a, SUM(b) AS c FROM t JOIN u USING (id) WHERE d = 1 GROUP BY a HAVING SUM(b) > 2 ORDER BY c LIMIT 3", "duckdb")

    assert [clause.kind for clause in found.queries[0].clauses] == [
        ClauseKind.GRAIN,
        ClauseKind.SOURCE,
        ClauseKind.JOIN,
        ClauseKind.FILTER,
        ClauseKind.HAVING,
        ClauseKind.RESULT,
        ClauseKind.RESULT,
        ClauseKind.ORDER,
        ClauseKind.LIMIT,
    ]


def test_a_text_that_is_not_sql_is_refused() -> None:
    with pytest.raises(NotParsed):
        explain("please show me the books", "postgres")
