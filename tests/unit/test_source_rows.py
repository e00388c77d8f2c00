"""Files of a folder source as programs write them: signs of missing values, lines below the rows, rows inside a document, compressed."""

import gzip
import io
import json
import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from time import process_time
from typing import Any

import duckdb
import pytest

from tests.support.said import said
from workers.engines.embedded import database_files
from workers.sources.sessions.folders import copied, notes_of


def _read(tmp_path: Path, name: str, data: str | bytes) -> tuple[list[str], list[tuple[Any, ...]], list[str]]:
    """The columns, the rows and the notes of a folder with one file."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    copy = copied(folder, tmp_path / "kept", "files")
    assert sorted(path.name for path in (tmp_path / "kept").iterdir()) == [copy.name, f"{copy.name}.notes"]
    with duckdb.connect(str(copy), read_only=True) as connection:
        table = connection.table(name.partition(".")[0])
        return table.columns, table.fetchall(), [said(note) for note in notes_of(copy)]


def _workbook(rows: list[str]) -> bytes:
    """A workbook of one sheet with these rows; cells of the style 1 are durations."""
    parts = {
        "workbook.xml": '<workbook xmlns:r="r"><sheets><sheet name="Plan" r:id="a"/></sheets></workbook>',
        "_rels/workbook.xml.rels": '<Relationships><Relationship Id="a" Type="x/worksheet" Target="worksheets/sheet1.xml"/>'
        "</Relationships>",
        "styles.xml": '<styleSheet><numFmts><numFmt numFmtId="164" formatCode="[h]:mm:ss"/></numFmts>'
        '<cellXfs><xf numFmtId="0"/><xf numFmtId="164"/></cellXfs></styleSheet>',
        "worksheets/sheet1.xml": f"<worksheet><sheetData>{''.join(f'<row>{row}</row>' for row in rows)}</sheetData></worksheet>",
    }
    written = io.BytesIO()
    with zipfile.ZipFile(written, "w") as book:
        for name, text in parts.items():
            book.writestr(f"xl/{name}", text)
    return written.getvalue()


def test_what_programs_write_for_nothing_is_nothing(tmp_path: Path) -> None:
    _, rows, notes = _read(tmp_path, "jobs.csv", "id,closed_on,load,note\n1,2026-01-03,#N/A,ok\n2,NULL,7,NULL\n3,\\N,#DIV/0!,late\n")

    assert rows == [(1, date(2026, 1, 3), None, "ok"), (2, None, 7, None), (3, None, None, "late")]
    assert notes == ["jobs.csv: cells with NULL, \\N, #N/A, #DIV/0! were read as empty."]


def test_a_word_of_people_stays(tmp_path: Path) -> None:
    _, rows, notes = _read(tmp_path, "staff.csv", "id,surname\n1,NULL\n2,Nagy\n")

    assert rows == [(1, "NULL"), (2, "Nagy")]
    assert notes == []


@pytest.mark.parametrize(
    ("text", "left_out"),
    [
        ("id,name,n\n1,a,10\n2,b,20\n\n(2 rows affected)\n", "(2 rows affected)"),
        ("id,name,n\n1,a,10\n2,b,20\n\n2 rows selected.\n\nDone at noon\n", "2 rows selected. Done at noon"),
        ("id,name,n\n1,a,10\n2,b,20\n(2 rows)\n", "(2 rows)"),
    ],
)
def test_what_is_below_the_rows_is_left_out_and_said(tmp_path: Path, text: str, left_out: str) -> None:
    columns, rows, notes = _read(tmp_path, "export.csv", text)

    assert columns == ["id", "name", "n"]
    assert rows == [(1, "a", 10), (2, "b", 20)]
    assert notes == [f"export.csv: what is below its rows was left out: “{left_out}”"]


@pytest.mark.parametrize(
    "text",
    [
        'id,note\n1,"a|b c"\n', "note\nhello\nbye bye\n", "id,name\n1,Ann\n2\n", "name,qty\nbolt,1\nnut,2\nlong nosed pliers\n",
        "text,label\n" + "a,1\n" * 5 + "b" * 400 + ",99\n", 'a,b\n1,"first|' + "y" * 400 + '"\n', "id,load\n1,5\n#N/A,3\n4,5\n#REF!,9\n",
    ],
)  # fmt: skip
def test_lines_that_are_rows_stay(tmp_path: Path, text: str) -> None:
    _, rows, notes = _read(tmp_path, "export.csv", text.replace("|", "\n"))

    assert len(rows) == text.count("\n") - 1
    assert not any("left out" in note for note in notes)


def test_a_document_with_its_rows_in_a_field_is_a_table_of_them(tmp_path: Path) -> None:
    document = {"data": [{"id": 1, "city": "Kiel"}, {"id": 2, "city": "Ulm"}], "total": 2}
    columns, rows, notes = _read(tmp_path, "sites.json", json.dumps(document))

    assert (columns, rows) == (["id", "city"], [(1, "Kiel"), (2, "Ulm")])
    assert notes == ["sites.json: its rows are those of its field data. Left out: total"]


@pytest.mark.parametrize(
    ("text", "values", "noted"),
    [
        ("n;p\na;1.000 €\nb;2.500 €\nc;850 €\n", ["1.000 €", "2.500 €", "850 €"], "stays text"),
        ('n,p\na,"$1,200"\nb,"$2,500"\nc,$850\n', ["$1,200", "$2,500", "$850"], "stays text"),
        ("p,n\n(1),a\n(2),b\n", ["(1)", "(2)"], ""),
        ("n,p\na,$12345678901234567890\nb,$5\n", [Decimal(12345678901234567890), Decimal(5)], "without $"),
    ],
)
def test_what_may_be_another_number_stays_as_it_is(tmp_path: Path, text: str, values: list[object], noted: str) -> None:
    columns, rows, notes = _read(tmp_path, "sums.csv", text)

    assert [row[columns.index("p")] for row in rows] == values
    assert any(noted in note for note in notes) if noted else not notes


def test_an_order_of_dates_and_signs_for_nothing_go_together(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "runs.csv").write_text("d,n\n01/02/2024,5\n03/04/2024,NULL\n05/16/2024,7\n")

    with duckdb.connect(str(copied(folder, tmp_path / "kept", "files", dates="mdy")), read_only=True) as connection:
        assert connection.table("runs").fetchall() == [(date(2024, 1, 2), 5), (date(2024, 3, 4), None), (date(2024, 5, 16), 7)]


def test_only_a_column_without_name_and_value_is_dropped(tmp_path: Path) -> None:
    assert _read(tmp_path, "wide.csv", "id,column1,x,\n1,,2,\n2,,3,\n")[0] == ["id", "column1", "x"]


def test_delimiters_at_the_end_of_lines_of_texts_make_no_column(tmp_path: Path) -> None:
    assert _read(tmp_path, "posts.csv", "Day;Paid;Sum;;\n31.10.2023 14:05;yes;1,50 €;;\n01.11.2023 08:30;no;2,25 €;;\n")[0] == [
        "Day", "Paid", "Sum",
    ]  # fmt: skip


def test_json_values_of_several_types_are_texts_without_quotes(tmp_path: Path) -> None:
    """A column of JSON's own type failed on a comparison with a text, and could not be summed."""
    lines = '{"id": 1, "paid": 10, "by": {"name": "Ann"}}\n{"id": "A2", "paid": "12.5", "by": "bob"}\n{"id": 3, "paid": null}\n'

    columns, rows, notes = _read(tmp_path, "calls.jsonl", lines)

    assert columns == ["id", "paid", "by"]
    assert rows == [("1", 10.0, '{"name":"Ann"}'), ("A2", 12.5, "bob"), ("3", None, None)]
    assert notes == [
        "Column id of calls is text: its values are of several types, such as “A2”.",
        "Column by of calls is text: its values are of several types, such as “bob”.",
    ]


def test_columns_of_sqlite_without_a_type_and_views_are_read(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "till.sqlite")) as lite:
        lite.executescript(
            "CREATE TABLE sales(id, paid, at); INSERT INTO sales VALUES (1, 10, 'x'), (2, 2.5, 'y'), (3, 'n/a', NULL);"
            "CREATE VIEW large AS SELECT id, id * 2 AS twice FROM sales WHERE id > 1;"
            "CREATE TABLE gone(x); CREATE VIEW broken AS SELECT x FROM gone; DROP TABLE gone;"
            "CREATE TABLE lines(n INTEGER, price REAL, total REAL GENERATED ALWAYS AS (n * price) VIRTUAL); "
            "INSERT INTO lines(n, price) VALUES (2, 1.5);"
        )

    copy = copied(folder, tmp_path / "kept", "files")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.execute("SELECT sum(id) FROM till_sales").fetchall() == [(6,)]
        assert connection.table("till_large").fetchall() == [(2, 4), (3, 6)]
        assert connection.table("till_lines").fetchall() == [(2, 1.5, 3.0)]
    paid, broken = (said(note) for note in notes_of(copy))
    assert paid == "Column paid of till_sales is text: it holds “n/a” beside numbers."
    assert broken.startswith("till.sqlite, broken was left out")


def test_formulas_that_no_program_has_computed_are_said(tmp_path: Path) -> None:
    rows = ['<c t="str"><v>shop</v></c><c t="str"><v>sum</v></c>', '<c t="str"><v>Kiel</v></c><c><f>A1+1</f><v></v></c>']

    _, read, notes = _read(tmp_path, "report.xlsx", _workbook(rows))

    assert read == [("Kiel", None)]
    assert "report.xlsx: cells with a formula that no program has computed, read as empty: 1. Open it in" in notes[0]


def test_a_compressed_file_is_read_and_a_broken_one_is_named(tmp_path: Path) -> None:
    packed = gzip.compress("id,town\n1,Köln\n".encode("cp1252"))

    _, rows, notes = _read(tmp_path, "towns.csv.gz", packed)

    assert rows == [(1, "Köln")]
    assert notes == ["towns.csv.gz is not UTF-8 and was read as windows-1252."]
    (tmp_path / "files" / "broken.csv.gz").write_bytes(packed[:-12])
    left = [said(note) for note in notes_of(copied(tmp_path / "files", tmp_path / "kept", "files"))]
    assert any(note.startswith("broken.csv.gz was left out") for note in left)


def test_numbers_with_a_sign_are_numbers(tmp_path: Path) -> None:
    text = 'id,price,rate,result,mixed\n1,"$1,200.00",12.5%,"1,200.00",$5\n2,"$15.50",3%,"(300.50)",€7\n3,,100%,"(12.00)",$9\n'
    _, rows, notes = _read(tmp_path, "sales.csv", text)

    assert [row[1:4] for row in rows] == [
        (Decimal("1200.00"), Decimal("12.5"), Decimal("1200.00")),
        (Decimal("15.50"), Decimal("3.0"), Decimal("-300.50")),
        (None, Decimal("100.0"), Decimal("-12.00")),
    ]
    assert [row[4] for row in rows] == ["$5", "€7", "$9"]
    assert "Column price of sales was read as numbers without $." in notes
    assert "Column rate of sales was read as numbers without %." in notes
    assert "Column result of sales was read as numbers; those in brackets are negative." in notes


def test_cells_of_a_workbook_are_what_excel_shows(tmp_path: Path) -> None:
    """A duration was a moment of 1899, rows without their last cells made one column of all, and an empty column had a name."""
    rows = [
        '<c t="str"><v>job</v></c><c t="str"/><c t="str"><v>ran for</v></c><c t="str"><v>note</v></c>',
        '<c t="str"><v>load</v></c><c/><c s="1"><v>1.1041666666666667</v></c><c t="str"><v>late&#13;by far</v></c>',
        '<c t="str"><v>sort</v></c><c/><c s="1"><v>0.0034722222222222222</v></c>',
        '<c t="str"><v>ship</v></c><c/><c s="1"><v>0.5</v></c>',
        '<c t="str"><v>pack</v></c><c/><c s="1"><v>1E400</v></c>',
    ]

    columns, read, _ = _read(tmp_path, "jobs.xlsx", _workbook(rows))

    assert columns == ["job", "ran for", "note"]
    assert read == [("load", "26:30:00", "late\nby far"), ("sort", "00:05:00", None), ("ship", "12:00:00", None), ("pack", None, None)]


def test_objects_that_only_say_the_type_of_a_value_are_values(tmp_path: Path) -> None:
    """A document database exports `{"$numberDecimal": "12.50"}`: its sum was an error of types."""
    lines = (
        '{"_id": {"$oid": "65a1"}, "paid": {"$numberDecimal": "12.50"}, "at": {"$date": "2024-01-01T10:00:00Z"}}\n'
        '{"_id": {"$oid": "65a2"}, "paid": null, "at": {"$date": "2024-01-02T10:00:00Z"}}\n'
    )

    _, rows, _ = _read(tmp_path, "visits.jsonl", lines)

    assert [row[:2] for row in rows] == [("65a1", 12.5), ("65a2", None)]
    assert rows[0][2].isoformat() == "2024-01-01T10:00:00+00:00"


def test_a_reference_of_a_document_database_is_no_wrapped_value(tmp_path: Path) -> None:
    """The whole file was left out."""
    lines = "".join(json.dumps({"id": at, "user": {"$ref": "users", "$id": f"u{at}"}}) + "\n" for at in (1, 2))

    _, rows, notes = _read(tmp_path, "visits.jsonl", lines)

    assert (rows[0], notes) == ((1, {"$ref": "users", "$id": "u1"}), [])


@pytest.mark.parametrize(
    ("key", "texts", "read"),
    [
        ("$numberDecimal", ("12345678901234567.89", "0.105"), [Decimal("12345678901234567.890"), Decimal("0.105")]),
        ("$numberDecimal", ("NaN", "1.5"), ["NaN", "1.5"]),
        ("$numberDecimal", ("1" + "0" * 37, "0.1"), ["1" + "0" * 37, "0.1"]),
        ("$numberLong", ("9007199254740993", "1"), [9007199254740993, 1]),
        ("$numberInt", ("many", "1"), ["many", "1"]),
    ],
)
def test_a_wrapped_number_keeps_its_digits(tmp_path: Path, key: str, texts: Sequence[str], read: list[object]) -> None:
    _, rows, _ = _read(tmp_path, "visits.json", json.dumps([{"paid": {key: text}} for text in texts]))

    assert [row[0] for row in rows] == read


@pytest.mark.parametrize(
    "values", [("1.10", "1.1", 3), ("123456789012345.123456789", 3), (12345678901234567, "1"), ("007", 7), ("-0", 1), ("1e5", 2)]
)
def test_texts_and_numbers_stay_what_they_are(tmp_path: Path, values: Sequence[object]) -> None:
    """Two versions were one number, and digits were lost."""
    _, rows, notes = _read(tmp_path, "visits.json", json.dumps([{"v": value} for value in values]))

    assert [row[0] for row in rows] == [str(value) for value in values]
    assert len(notes) == 1


def test_texts_that_are_plain_numbers_are_numbers_beside_others(tmp_path: Path) -> None:
    _, rows, notes = _read(tmp_path, "visits.json", json.dumps([{"v": value} for value in ("12.5", 3, 4.0, None, "-7")]))

    assert ([row[0] for row in rows], notes) == ([12.5, 3, 4, None, -7], [])


def test_a_moment_in_milliseconds_is_one(tmp_path: Path) -> None:
    _, rows, _ = _read(tmp_path, "visits.json", json.dumps([{"at": {"$date": {"$numberLong": "86400000"}}}]))

    assert rows == [(datetime(1970, 1, 2),)]  # noqa: DTZ001 a moment without a zone


def test_months_by_name_are_dates_and_null_in_brackets_is_nothing(tmp_path: Path) -> None:
    """As a client of Oracle writes them. A year of two digits was one of the first century."""
    text = '"ZIP","SOLD","PAID"\n"01067",31-OCT-23,1234.5\n"10115",01-NOV-23,(null)\n"00501",15-DEC-2023,.5\n'

    _, rows, notes = _read(tmp_path, "sales.csv", text)

    assert rows == [("01067", date(2023, 10, 31), 1234.5), ("10115", date(2023, 11, 1), None), ("00501", date(2023, 12, 15), 0.5)]
    assert any("(null)" in note for note in notes)


def test_years_of_two_digits_are_read_as_oracle_reads_them_and_said(tmp_path: Path) -> None:
    """31-OCT-55 was a day of 2055."""
    text = "id,born,seen\n1,31-OCT-55,05/Jan/68 1:05 PM\n2,12-MAR-49,06/Jan/99 1:05 PM\n3,29-FEB-52,07/Jan/24 1:05 PM\n4,01-JAN-2051,\n"

    _, rows, notes = _read(tmp_path, "people.csv", text)

    assert [row[1].isoformat() for row in rows] == ["1955-10-31", "2049-03-12", "1952-02-29", "2051-01-01"]
    assert [row[2].year for row in rows[:3]] == [1968, 1999, 2024]
    assert [note.partition(":")[0] for note in notes] == ["Column born of people", "Column seen of people"]


def test_years_of_four_digits_are_not_said(tmp_path: Path) -> None:
    assert _read(tmp_path, "people.csv", "id,born\n1,31-OCT-2055\n2,12-MAR-1949\n")[2] == []


def test_views_of_a_duckdb_file_are_tables(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    with duckdb.connect(str(folder / "shop.duckdb")) as made:
        made.execute("CREATE TABLE beds AS SELECT 1 AS n; CREATE VIEW free AS SELECT n + 1 AS more FROM beds")
        made.execute("CREATE TABLE gone AS SELECT 1 AS n; CREATE VIEW broken AS SELECT n FROM gone; DROP TABLE gone")

    copy = copied(folder, tmp_path / "kept", "files")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.table("shop_free").fetchall() == [(2,)]
    assert [said(note).startswith("shop.duckdb, broken was left out") for note in notes_of(copy)] == [True]


_ENDLESS = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT"


def test_a_view_of_sqlite_without_an_end_or_with_a_bad_row_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An endless view ran on, and one bad row lost every table of the file."""
    monkeypatch.setattr(database_files, "_VIEW_S", 2.0)
    monkeypatch.setattr(database_files, "_MOST_ROWS", 1_000)
    path = tmp_path / "till.sqlite"
    with closing(sqlite3.connect(path)) as lite:
        lite.executescript(
            "CREATE TABLE sales(id INTEGER); INSERT INTO sales VALUES (1), (2);"
            "CREATE TABLE other(code TEXT); INSERT INTO other VALUES ('007');"
            "CREATE VIEW bad AS SELECT id, json(CASE WHEN id = 2 THEN '{' ELSE '1' END) AS j FROM sales;"
            "CREATE VIEW fine AS SELECT id FROM sales UNION ALL SELECT code FROM other;"
        )
        lite.execute(f"CREATE VIEW long AS {_ENDLESS} i FROM n")
        lite.execute(f"CREATE VIEW silent AS {_ENDLESS} i FROM n WHERE i < 0")

    with duckdb.connect() as connection:
        notes = database_files.copy_sqlite(connection, path, "till", set(), tmp_path / "rows")

        assert sorted(name for (name,) in connection.execute("SHOW TABLES").fetchall()) == ["till_fine", "till_other", "till_sales"]
        assert connection.table("till_fine").fetchall() == [("1",), ("2",), ("007",)]
    assert [note[:2] for note in notes if note[0] != "other_values"] == [
        ["not_read", "till.sqlite, bad"], ["endless_view", "till.sqlite, long"], ["endless_view", "till.sqlite, silent"],
    ]  # fmt: skip


def test_a_view_of_duckdb_without_an_end_costs_only_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(database_files, "_VIEW_S", 2.0)
    monkeypatch.setattr(database_files, "_MOST_ROWS", 1_000)
    path = tmp_path / "shop.duckdb"
    with duckdb.connect(str(path)) as made:
        made.execute("CREATE TABLE beds AS SELECT 1 AS n; CREATE VIEW fine AS SELECT n FROM beds")
        made.execute("CREATE VIEW large AS SELECT * FROM range(2000)")
        made.execute("CREATE VIEW slow AS SELECT sum(a.range * b.range) AS n FROM range(10000000) AS a, range(10000000) AS b")

    with duckdb.connect() as connection:
        notes = database_files.copy_duckdb(connection, path, "shop", set())

        assert sorted(name for (name,) in connection.execute("SHOW TABLES").fetchall()) == ["shop_beds", "shop_fine"]
    assert notes == [["endless_view", "shop.duckdb, large"], ["endless_view", "shop.duckdb, slow"]]


def test_a_view_that_was_given_up_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    with duckdb.connect(str(folder / "shop.duckdb")) as made:
        made.execute("CREATE TABLE beds AS SELECT 1 AS n; CREATE VIEW large AS SELECT * FROM range(1000001)")

    assert [said(note).partition(":")[0] for note in notes_of(copied(folder, tmp_path / "kept", "files"))] == [
        "shop.duckdb, large was left out"
    ]


_SAMPLE = 20_480
"""Rows by which DuckDB tells the types of a file that is not looked at whole."""


@pytest.mark.parametrize(
    ("name", "usual", "late", "held"),
    [
        ("a.csv", "7,x\n", "2.5,y\n2.4,y\n", [2.5, 2.4]),
        ("a.csv", "10000,x\n", "01067,y\n", ["01067"]),
        ("a.csv", "2025-01-31,x\n", "2025-02-01 10:30:00,y\n", [datetime(2025, 2, 1, 10, 30)]),  # noqa: DTZ001 as in the file
        ("a.csv", "7,x\n", "n/a,y\n", ["n/a"]),
        ("a.jsonl", '{"v": 7, "t": "x"}\n', '{"v": 2.5, "t": "y"}\n', [2.5]),
        ("a.jsonl", '{"v": 7, "t": "x"}\n', '{"v": "A2", "t": "y"}\n', ["A2"]),
        ("a.jsonl", '{"t": "x"}\n', '{"t": "y", "v": 7}\n', [7]),
    ],
)
def test_a_value_behind_many_rows_is_what_the_file_has(tmp_path: Path, name: str, usual: str, late: str, held: list[object]) -> None:
    """The types were those of the first 20,480 rows, and what came later was rounded, cut, or left the file out."""
    _, rows, notes = _read(tmp_path, name, ("v,t\n" if name == "a.csv" else "") + usual * (_SAMPLE + 10) + late)

    assert [value for row in rows if "y" in row for value in row if value != "y"] == held
    assert len(rows) == _SAMPLE + 10 + len(held)
    assert [note.partition(":")[0] for note in notes] == (["Column v of a is text"] if held[0] == "n/a" else []) or held == ["A2"]


def test_rows_of_sqlite_are_copied_many_at_once_and_as_they_are(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """They were copied one by one, some 250 a second: a file of 30 MB needed more than the hour that a copy may take."""
    held = [(2**62, 0.1 + 0.2, 'q"\n\\ü\x00😀', b"\x00\xff"), (None, float("-inf"), "", None), (-5, 1e300, "null", b"")]
    path = tmp_path / "till.sqlite"
    with closing(sqlite3.connect(path)) as lite:
        lite.execute('CREATE TABLE "odd ""name"".x" (i INTEGER, r REAL, t TEXT, b BLOB)')
        lite.executemany('INSERT INTO "odd ""name"".x" VALUES (?, ?, ?, ?)', held)
        lite.execute("CREATE TABLE many (a INTEGER, b TEXT)")
        lite.executemany("INSERT INTO many VALUES (?, 'x')", ((n,) for n in range(20_000)))
        lite.execute("CREATE TABLE none (a INTEGER)")
        lite.commit()
    monkeypatch.setattr(database_files, "_AT_ONCE", 100_000)

    with duckdb.connect() as connection:
        began = process_time()
        assert database_files.copy_sqlite(connection, path, "till", set(), tmp_path / "rows") == []
        took_s = process_time() - began

        odd = connection.execute('FROM "till_odd ""name"".x"').fetchall()
        assert odd == [(*row[:3], None if row[3] is None else row[3].hex()) for row in held]
        assert connection.execute("SELECT count(*), sum(a) FROM till_many").fetchall() == [(20_000, sum(range(20_000)))]
        assert connection.execute("SELECT count(*) FROM till_none").fetchall() == [(0,)]
    assert took_s < 5
