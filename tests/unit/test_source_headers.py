"""Files of a folder source whose header is not simply the first line, and numbers that are written with separators."""

import sqlite3
import zipfile
from collections.abc import Sequence
from contextlib import closing
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from tests.support.said import said
from workers.engines.embedded.headers import header_of
from workers.sources.sessions.folders import copied, notes_of


def _read(tmp_path: Path, name: str, text: str, encoding: str = "utf-8") -> tuple[list[str], list[tuple[object, ...]], list[str]]:
    """The columns, the rows and the notes of a folder with one file."""
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / name).write_bytes(text.encode(encoding))
    copy = copied(folder, tmp_path / "kept", "files")
    with duckdb.connect(str(copy), read_only=True) as connection:
        table = connection.table(name.partition(".")[0])
        return table.columns, table.fetchall(), [said(note) for note in notes_of(copy)]


def test_titles_above_the_header_are_left_out_and_said(tmp_path: Path) -> None:
    """A title was the header, and every column a text."""
    text = "Umsätze Süd;;\r\nStand: 31.03.2024;;\r\n;;\r\nKunde;Datum;Betrag\r\nGroß;05.01.2024;1.234,56\r\nKlein;17.01.2024;-200,00\r\n"

    columns, rows, notes = _read(tmp_path, "umsatz.csv", text, "cp1252")

    assert columns == ["Kunde", "Datum", "Betrag"]
    assert [row[2] for row in rows] == [Decimal("1234.56"), Decimal("-200.00")]
    assert str(rows[0][1]) == "2024-01-05"
    assert "umsatz.csv: its header is the line “Kunde, Datum, Betrag”. Lines above it that were left out: 2." in notes


def test_two_header_rows_of_a_workbook_are_one_name_each(tmp_path: Path) -> None:
    """The years over merged cells were lost: Q1, Q2, Q1_1, Q2_1."""
    rows = [["Region", "2024", "", "2025", ""], ["", "Q1", "Q2", "Q1", "Q2"], ["North", 10, 20, 30, 40], ["South", 1, 2, 3, 4]]
    folder = tmp_path / "files"
    folder.mkdir()
    _workbook(folder / "budget.xlsx", rows)

    copy = copied(folder, tmp_path / "kept", "files")

    with duckdb.connect(str(copy), read_only=True) as connection:
        table = connection.table("budget")
        assert table.columns == ["Region", "2024 Q1", "2024 Q2", "2025 Q1", "2025 Q2"]
        assert table.fetchall() == [("North", 10, 20, 30, 40), ("South", 1, 2, 3, 4)]
    (note,) = (said(note) for note in notes_of(copy))
    assert note.startswith("budget.xlsx: its header was read from two lines")


def _workbook(path: Path, rows: Sequence[Sequence[str | int]], merged: Sequence[str] = ()) -> None:
    cells = "".join(
        "<row>" + "".join(f'<c t="{"n" if isinstance(cell, int) else "str"}"><v>{cell}</v></c>' for cell in row) + "</row>" for row in rows
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("xl/workbook.xml", '<workbook xmlns:r="r"><sheets><sheet name="Plan" r:id="a"/></sheets></workbook>')
        target = '<Relationship Id="a" Type="x/worksheet" Target="worksheets/sheet1.xml"/>'
        book.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{target}</Relationships>")
        merges = "".join(f'<mergeCell ref="{place}"/>' for place in merged)
        book.writestr("xl/worksheets/sheet1.xml", f"<worksheet><sheetData>{cells}</sheetData><mergeCells>{merges}</mergeCells></worksheet>")


@pytest.mark.parametrize(
    ("rows", "names"),
    [
        ([["id", "name"], ["1", "Ann"], ["2", "Bob"]], None),
        ([["name", "city", "amount"], ["Ann", "Rome", "tbd"], ["Bob", "Bonn", "12"]], None),
        ([["", "name", "amount"], ["x", "Ann", "1"], ["y", "Bob", "12"]], None),
        ([["id", "", ""], ["1", "2", "3"], ["4", "5", "6"]], None),
        ([["Sales of May"], [], ["id", "name"], ["1", "Ann"]], ("id", "name")),
        ([["Sales of May"], ["name", "city"], ["Ann", "Rome"], ["Bob", "Bonn"]], ("name", "city")),
        ([["Region", "2023", "2024"], ["North", "10", "20"], ["South", "1", "2"]], ("Region", "2023", "2024")),
        ([["Title", ""], ["Region", "Net", "Net"], ["North", "10", "20"]], None),
        (
            [["Region", "Sales", "", "Cost", ""], ["", "Net", "Gross", "Net", "Gross"], ["N", "1", "2", "3", "4"]],
            ("Region", "Sales Net", "Sales Gross", "Cost Net", "Cost Gross"),
        ),
    ],
)
def test_the_header_is_told_by_its_shape(rows: list[list[str]], names: tuple[str, ...] | None) -> None:
    found = header_of(rows)

    assert (found.names if found else None) == names


WRAPPED = 'City,"Net\namount","Sent\non"\r\nKiel,10,2026-01-05\r\n"Ulm\nWest",30,2026-02-05\r\n'


@pytest.mark.parametrize(
    "text", [WRAPPED, WRAPPED.replace("\r\n", "\n"), f'"Sales\nof May",,\r\n{WRAPPED}'], ids=["two kinds of ends", "one kind", "a title"]
)
def test_a_name_of_two_lines_is_one_name(tmp_path: Path, text: str) -> None:
    """As Excel wraps it; such a file was refused, or its first row was lost."""
    columns, rows, _ = _read(tmp_path, "sales.csv", text)

    assert columns == ["City", "Net amount", "Sent on"]
    assert [(row[0], row[1], str(row[2])) for row in rows] == [("Kiel", 10, "2026-01-05"), ("Ulm\nWest", 30, "2026-02-05")]


def test_commas_between_thousands_are_numbers_where_they_can_be_nothing_else(tmp_path: Path) -> None:
    columns, rows, notes = _read(
        tmp_path,
        "invoices.csv",
        'no,zip,amount,either,mixed\nA,02134,"1,234.56","1,234","1,5"\nB,00501,45.10,"5,678",2.75\nC,10115,"12,000.00","9,012","1.000,5"\n',
    )

    assert columns == ["no", "zip", "amount", "either", "mixed"]
    assert [row[2] for row in rows] == [Decimal("1234.56"), Decimal("45.10"), Decimal("12000.00")]
    assert [row[1] for row in rows] == ["02134", "00501", "10115"]
    assert [row[3] for row in rows] == ["1,234", "5,678", "9,012"]
    assert "Column amount of invoices was read with commas between thousands." in notes
    assert sum("stays text" in note for note in notes) == 2


def test_a_file_whose_header_is_unclear_says_so(tmp_path: Path) -> None:
    _, _, notes = _read(tmp_path, "points.csv", "id,,\n1,2,3\n4,5,6\n")

    (note,) = notes
    assert note.startswith("points.csv: it is not clear which line is its header.")


def test_what_a_cell_merged_over_rows_holds_is_in_each_and_a_total_is_left_out(tmp_path: Path) -> None:
    """Merged cells are empty but for the first, and a last row of sums doubled every sum."""
    rows: list[list[str | int]] = [
        ["Report\nof May", "", "", ""], ["Region", "City", "Orders", "Fee"], ["North", "Kiel", 10, 7], ["", "Bremen", 20, ""],
        ["South", "Ulm", 30, 5], ["Total", "", 60, 12],
    ]  # fmt: skip
    folder = tmp_path / "files"
    folder.mkdir()
    _workbook(folder / "report.xlsx", rows, ["A1:D1", "A3:A4", "D3:D4"])

    copy = copied(folder, tmp_path / "kept", "files")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.table("report").fetchall() == [("North", "Kiel", 10, 7), ("North", "Bremen", 20, None), ("South", "Ulm", 30, 5)]
    notes = [said(note) for note in notes_of(copy)]
    assert "report.xlsx: what a merged cell of Region holds was written into each of its rows." in notes
    assert "report.xlsx: its last row is the sum of the rows above it, and was left out." in notes


@pytest.mark.parametrize(
    "text",
    [
        "city,orders,fee\nKiel,1,2\nBonn,2,3\nUlm,3,6\n",
        "name,n\na,5\nb,0\nc,0\nd,0\ne,5\n",
        "name,n,note\na,1,x\nb,1,y\nc,1,z\nd,1,w\ne,4,\n",
        "id,name,city,phone\n1,Ann,Rome,55\n2,Bob,Oslo,56\n3,Eve,,\n",
        "id,name,city,phone\n1,Ann,Rome,+39 55\n2,Bob,Oslo,+47 56\n3,Eve,,\n",
        "name,visits,city,street,phone\nAnn,1,Rome,A,+39 55\nBob,2,Oslo,B,+47 56\nEve,3,,,\n",
        "name,n\na,1.5\nb,2.5\nc,3.5\nd,4.5\ne,NaN\n",
    ],
    ids=["other sums", "one addend", "a text that may be missing", "a number of rows", "a telephone", "small counts", "not a number"],
)
def test_a_last_row_that_is_no_sum_stays(tmp_path: Path, text: str) -> None:
    _, rows, _ = _read(tmp_path, "sales.csv", text)

    assert len(rows) == text.count("\n") - 1


@pytest.mark.parametrize(
    "text",
    [
        "shop,day,amount\nKiel,2026-01-01,5\nUlm,2026-01-02,7\nSumme,,12\n",
        "no,day,shop,amount\nA1,2026-01-05,渋谷,5\nA2,2026-01-06,新宿,7\nA3,2026-01-07,渋谷,4\nA4,2026-01-07,新宿,2\n合計,,,18\n",
        "nr,data,miasto,kwota\n1a,2026-01-05,Kielce,5\n2a,2026-01-06,Gdynia,7\n3a,2026-01-07,Kielce,4\n4a,2026-01-07,Gdynia,2\nRazem,,,18\n",
    ],
    ids=["a word of ours", "Japanese", "Polish"],
)
def test_a_last_row_with_one_column_of_sums_and_its_texts_missing_is_left_out(tmp_path: Path, text: str) -> None:
    _, rows, notes = _read(tmp_path, "sales.csv", text)

    assert len(rows) == text.count("\n") - 2
    assert any("is the sum of the rows above it" in note for note in notes)


@pytest.mark.parametrize(
    ("values", "read"),
    [
        (["1\u00a0234,50 zł", "999,00 zł"], [1234.5, 999.0]),
        (["1.234,50 EUR", "9,05 EUR"], [1234.5, 9.05]),
        (["1,234.50 kg", "9.05 kg"], [1234.5, 9.05]),
        (["12 b", "7 b"], ["12 b", "7 b"]),
        (["9,50 kg", "9,50 g"], ["9,50 kg", "9,50 g"]),
    ],
)
def test_numbers_with_one_word_behind_them_are_numbers_where_their_form_says_so(
    tmp_path: Path, values: list[str], read: list[object]
) -> None:
    columns, rows, notes = _read(tmp_path, "sales.csv", "n;sum\n" + "".join(f"a{at};{value}\n" for at, value in enumerate(values)))

    assert [row[columns.index("sum")] if isinstance(read[0], str) else float(row[columns.index("sum")]) for row in rows] == read
    assert any("without" in note for note in notes) is not isinstance(read[0], str)


def test_lines_that_are_shorter_than_the_header_keep_their_columns(tmp_path: Path) -> None:
    text = "name,phone\n" + "".join(f"n{place}\n" for place in range(5)) + "".join(f"X{place},2,work\n" for place in range(3))
    columns, rows, _ = _read(tmp_path, "people.csv", text)

    assert columns[:2] == ["name", "phone"]
    assert [str(row[0]) for row in rows] == ["n0", "n1", "n2", "n3", "n4", "X0", "X1", "X2"]


def test_a_file_that_cannot_be_read_to_its_end_leaves_no_table(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "good.csv").write_text("a,b\n1,x\n", "utf-8")
    with closing(sqlite3.connect(folder / "bad.sqlite")) as connection:
        connection.execute("CREATE TABLE t (name TEXT)")
        connection.executemany("INSERT INTO t VALUES (?)", [("ok",)] * 1_500)
        connection.execute("INSERT INTO t VALUES (CAST(x'ff' AS TEXT))")
        connection.commit()

    copy = copied(folder, tmp_path / "kept", "files")

    with duckdb.connect(str(copy), read_only=True) as found:
        assert [row[0] for row in found.execute("SELECT table_name FROM duckdb_tables()").fetchall()] == ["good"]
    assert any("bad.sqlite" in said(note) for note in notes_of(copy))


@pytest.mark.parametrize(
    ("text", "columns", "rows"),
    [
        ("c0\nv0\na;b\n", ["c0"], [("v0",), ("a;b",)]),
        (
            "id,name\n" + "".join(f"{n},n{n}\n" for n in range(9)) + "9,n9,late\n",
            ["id", "name", "column2"],
            [*((n, f"n{n}", None) for n in range(9)), (9, "n9", "late")],
        ),
    ],
)
def test_no_line_is_lost_where_lines_are_longer_or_shorter(
    tmp_path: Path, text: str, columns: list[str], rows: list[tuple[object, ...]]
) -> None:
    """The reader began where lines of another length do: the header and the rows above were gone without a word."""
    found, read, notes = _read(tmp_path, "grown.csv", text)

    assert (found, read) == (columns, rows)
    assert notes[0].startswith("grown.csv: its lines have different numbers of values.")


@pytest.mark.parametrize(
    ("dates", "first"),
    [
        (("04/07/20", "13/07/20", "30/06/20"), "2020-07-04"),
        (("07/04/20", "07/13/20", "06/30/20"), "2020-07-04"),
        (("20-07-04", "20-07-13", "20-06-30"), "2020-07-04"),
    ],
)
def test_years_of_two_digits_are_read_so_that_the_dates_are_near_each_other(tmp_path: Path, dates: tuple[str, ...], first: str) -> None:
    """04/07/20 was a day of 2004."""
    _, rows, _ = _read(tmp_path, "stock.csv", "item;day\n" + "".join(f"a;{day}\n" for day in dates))

    assert str(rows[0][1]) == first


def test_a_column_of_sqlite_holds_other_values_than_its_type(tmp_path: Path) -> None:
    """The whole folder was refused because of one of them, and a fraction in a column of integers was rounded."""
    folder = tmp_path / "files"
    folder.mkdir()
    with closing(sqlite3.connect(folder / "app.sqlite")) as lite:
        lite.executescript("CREATE TABLE r (id INTEGER, value INTEGER, share INT); INSERT INTO r VALUES (1, 10, 1), (2, 'n/a', 0.5);")
    (folder / "fine.csv").write_text("a\n1\n")
    (folder / "broken.parquet").write_text("no parquet")

    copy = copied(folder, tmp_path / "kept", "files")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.table("app_r").fetchall() == [(1, "10", 1.0), (2, "n/a", 0.5)]
        assert connection.table("fine").fetchall() == [(1,)]
    notes = [said(note) for note in notes_of(copy)]
    assert "Column value of app_r is text: it holds “n/a” beside numbers." in notes
    assert any(note.startswith("broken.parquet was left out:") for note in notes)


def test_a_point_separates_thousands_where_the_file_has_decimal_commas(tmp_path: Path) -> None:
    """10.000 pieces were ten. A point with other than three digits behind it is a program's decimal one."""
    text = "artikel;menge;preis;anteil;rest\nA;1.234;3,50;0.25;0.125\nB;500;4,20;1.234;0.5\nC;10.000;1,10;2.5;\nD;;2,00;;\n"

    _, rows, notes = _read(tmp_path, "bestand.csv", text)

    assert [row[1] for row in rows] == [1234, 500, 10000, None]
    assert [row[3:] for row in rows] == [(0.25, 0.125), (1.234, 0.5), (2.5, None), (None, None)]
    assert notes == [
        "Column preis of bestand was read with decimal commas.",
        "Column menge of bestand: its points were read as separating thousands, because the decimals of the file have commas.",
    ]
