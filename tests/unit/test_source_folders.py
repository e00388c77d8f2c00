"""Files of a folder source as people have them."""

import zipfile
from collections.abc import Mapping
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path

import duckdb
import pytest

from contracts.sources import Source, SourceKind
from tests.support.said import said
from workers.errors import InvalidInput
from workers.sources.addresses import source_engine
from workers.sources.sessions.folders import copied, notes_of


def test_a_file_in_another_encoding_is_read_and_the_encoding_is_noted(tmp_path: Path) -> None:
    """Case 15: one file of a spreadsheet in GBK or Windows-1252 made the whole folder unusable."""
    folder, kept = tmp_path / "exports", tmp_path / "kept"
    folder.mkdir()
    (folder / "门店.csv").write_text("门店编号,门店名\n1,上海一店\n", encoding="gbk")
    (folder / "lager.csv").write_text("Lager;Größe\n1;groß\n2;übergroß\n", encoding="cp1252")
    (folder / "good.csv").write_text("a,b\n1,Köln\n", encoding="utf-8-sig")

    copy = copied(folder, kept, "shops")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.table("门店").fetchall() == [(1, "上海一店")]
        assert connection.table("门店").columns == ["门店编号", "门店名"]
        assert connection.table("lager").fetchall() == [(1, "groß"), (2, "übergroß")]
        assert connection.table("good").fetchall() == [(1, "Köln")]
    assert [said(note) for note in notes_of(copy)] == [
        "lager.csv is not UTF-8 and was read as windows-1252.",
        "门店.csv is not UTF-8 and was read as gb18030.",
    ]
    assert not list(kept.glob("*.text"))


def test_a_file_of_unclear_encoding_is_left_out_with_the_reason_until_the_address_says_it(tmp_path: Path) -> None:
    folder, kept = tmp_path / "exports", tmp_path / "kept"
    folder.mkdir()
    (folder / "stroj.csv").write_text("stroj;stav\n1;čas\n", encoding="cp1250")
    (folder / "good.csv").write_text("a,b\n1,2\n")

    copy = copied(folder, kept, "machines")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert [name for (name,) in connection.execute("SHOW TABLES").fetchall()] == ["good"]
    (note,) = (said(note) for note in notes_of(copy))
    assert note.startswith("stroj.csv was left out: it is not UTF-8, and both")
    with duckdb.connect(str(copied(folder, kept, "machines", "windows-1250")), read_only=True) as connection:
        assert connection.table("stroj").fetchall() == [(1, "čas")]


def test_a_column_of_decimal_commas_is_a_number(tmp_path: Path) -> None:
    """Case 15. A comma that may separate thousands is left alone."""
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "posten.csv").write_text("Ort;Betrag;Menge;Nummer\nKiel;1.250,50;1,234;7,5\nBonn;-3,00;5,678;A7\n;;;\n")

    copy = copied(folder, tmp_path / "kept", "posten")

    with duckdb.connect(str(copy), read_only=True) as connection:
        amounts = connection.execute("SELECT sum(Betrag) FROM posten").fetchone()
        rows = connection.execute("SELECT Menge, Nummer FROM posten").fetchall()
    assert amounts == (Decimal("1247.50"),)
    assert rows == [("1,234", "7,5"), ("5,678", "A7"), (None, None)]
    read, left = (said(note) for note in notes_of(copy))
    assert read == "Column Betrag of posten was read with decimal commas."
    assert left.startswith("Column Menge of posten stays text")


def test_words_that_keep_a_column_of_numbers_text_are_named(tmp_path: Path) -> None:
    """A column of codes has many words of its own, and no note."""
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "hall.csv").write_text("Ort;Temp;Code\nA;91,5;A1\nB;84,0;2\nC;n/a;B7\nD;104,25;C9\n;;\n")

    copy = copied(folder, tmp_path / "kept", "hall")

    assert [said(note) for note in notes_of(copy)] == [
        "Column Temp of hall is text: among its numbers it has n/a. Leave such cells empty to have it read as numbers."
    ]


def test_thousands_apart_by_spaces_or_apostrophes_are_numbers(tmp_path: Path) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "fr.csv").write_text("Ville;Montant\nNice;1 234,50\nBrest;12\u00a0000,00\nLens;3,10\n")
    (folder / "ch.csv").write_text("Ort;Betrag;Code\nBern;1'234.50;A'123\nChur;12.00;B\n")

    copy = copied(folder, tmp_path / "kept", "sums")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.table("fr").fetchall() == [
            ("Nice", Decimal("1234.50")),
            ("Brest", Decimal("12000.00")),
            ("Lens", Decimal("3.10")),
        ]
        assert connection.table("ch").fetchall() == [("Bern", 1234.5, "A'123"), ("Chur", 12.0, "B")]


def test_the_look_at_a_folder_source_says_how_its_files_were_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "exports"
    folder.mkdir()
    (folder / "stroj.csv").write_text("stroj;stav\n1;čas\n", encoding="cp1250")
    source = Source(name="fold", kind=SourceKind.DUCKDB)

    monkeypatch.setenv("BULLPEN_SOURCE_FOLD_URL", f"duckdb://{folder}")
    left_out = source_engine(source, tmp_path / "home").introspect()
    monkeypatch.setenv("BULLPEN_SOURCE_FOLD_URL", f"duckdb://{folder}?encoding=windows-1250")
    read = source_engine(source, tmp_path / "home").introspect()
    monkeypatch.setenv("BULLPEN_SOURCE_FOLD_URL", f"duckdb://{folder}?encoding=klingon")

    assert ([table.name for table in left_out.tables], len(left_out.notes)) == ([], 1)
    assert [table.name for table in read.tables] == ["stroj"]
    assert [said(note) for note in read.notes] == ["stroj.csv is not UTF-8 and was read as windows-1250."]
    with pytest.raises(InvalidInput, match="klingon is not an encoding"):
        source_engine(source, tmp_path / "home").introspect()


def test_partitions_and_parts_are_one_table_each_called_as_their_folder(tmp_path: Path) -> None:
    folder = tmp_path / "lake"
    with duckdb.connect() as writer:
        for place in (
            "sales/year=2024/a.parquet",
            "sales/year=2025/b.parquet",
            "stores/part-00000-x.parquet",
            "stores/part-00001-x.parquet",
        ):
            (folder / place).parent.mkdir(parents=True, exist_ok=True)
            writer.execute(f"COPY (SELECT 1 AS id) TO '{folder / place}' (FORMAT parquet)")
    (folder / "stores" / "_SUCCESS").touch()
    (folder / "more" / "part-0.csv").parent.mkdir()
    (folder / "more" / "part-0.csv").write_text("a,b\n1,2\n")

    copy = copied(folder, tmp_path / "kept", "lake")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert sorted(connection.table("sales").fetchall()) == [(1, 2024), (1, 2025)]
        assert connection.table("stores").fetchall() == [(1,), (1,)]
        assert connection.table("more").fetchall() == [(1, 2)]


def test_sheets_of_an_excel_workbook_are_tables_and_a_damaged_one_is_left_out(tmp_path: Path) -> None:
    folder = tmp_path / "office"
    folder.mkdir()
    orders = '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1" t="inlineStr"><is><t>day</t></is></c></row>'
    orders += '<row r="2"><c r="A2" t="s"><v>1</v></c><c r="B2" s="1"><v>45658</v></c></row>'
    notes = '<row r="1"><c r="A1" t="inlineStr"><is><t>paid</t></is></c><c r="C1" t="inlineStr"><is><t>n</t></is></c></row>'
    notes += '<row r="2"><c r="A2" t="b"><v>1</v></c><c r="C2"><v>2.5</v></c></row>'
    write_workbook(folder / "book.xlsx", {"Orders": orders, "Our notes": notes, "Empty": ""}, ["city", "Köln"])
    (folder / "broken.xlsx").write_bytes(b"no workbook")
    (folder / "~$book.xlsx").write_bytes(b"who has it open")

    copy = copied(folder, tmp_path / "kept", "office")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.table("book_orders").fetchall() == [("Köln", date(2025, 1, 1))]
        assert connection.table("book_our_notes").fetchall() == [(True, 2.5)]
        assert len(connection.execute("SHOW TABLES").fetchall()) == 2
    assert [said(note) for note in notes_of(copy)] == [
        "broken.xlsx was left out: It cannot be read as an Excel workbook: File is not a zip file"
    ]


def write_workbook(path: Path, sheets: Mapping[str, str], strings: list[str]) -> None:
    """A workbook with these rows, as XML, in each sheet; style 1 is a date."""
    main = 'xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main"'
    office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
    named = "".join(f'<sheet name="{name}" sheetId="{place}" r:id="r{place}"/>' for place, name in enumerate(sheets, 1))
    related = "".join(
        f'<Relationship Id="r{place}" Type="{office}/worksheet" Target="worksheets/{place}.xml"/>' for place, _ in enumerate(sheets, 1)
    )
    with zipfile.ZipFile(path, "w") as book:
        book.writestr("xl/workbook.xml", f'<workbook {main} xmlns:r="{office}"><sheets>{named}</sheets></workbook>')
        book.writestr("xl/_rels/workbook.xml.rels", f"<Relationships>{related}</Relationships>")
        book.writestr("xl/sharedStrings.xml", f"<sst {main}>{''.join(f'<si><t>{text}</t></si>' for text in strings)}</sst>")
        book.writestr("xl/styles.xml", f'<styleSheet {main}><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/></cellXfs></styleSheet>')
        for place, rows in enumerate(sheets.values(), 1):
            book.writestr(f"xl/worksheets/{place}.xml", f"<worksheet {main}><sheetData>{rows}</sheetData></worksheet>")


def test_dates_as_people_write_them_are_dates_and_a_guess_is_said(tmp_path: Path) -> None:
    folder = tmp_path / "days"
    folder.mkdir()
    (folder / "zh.csv").write_text("城市,日期\n北京,2025年1月3日\n上海,2025年12月31日\n", encoding="gb18030")
    (folder / "de.csv").write_text("ort;am;um\nUlm;31.12.2024;31.12.2024 14:05\nKiel;01.02.2025;01.02.2025 09:30\n")
    (folder / "either.csv").write_text("city,day\nUlm,01/02/2025\nKiel,03/04/2025\n")
    (folder / "us.csv").write_text("city,day\nUlm,12/31/2024\nKiel,01/02/2025\n")

    copy = copied(folder, tmp_path / "kept", "days")

    with duckdb.connect(str(copy), read_only=True) as connection:
        assert connection.table("zh").fetchall() == [("北京", date(2025, 1, 3)), ("上海", date(2025, 12, 31))]
        assert connection.table("de").fetchall()[1] == ("Kiel", date(2025, 2, 1), datetime(2025, 2, 1, 9, 30))  # noqa: DTZ001 as in the file
        assert connection.table("either").fetchall()[0] == ("Ulm", date(2025, 2, 1))
        assert connection.table("us").fetchall()[1] == ("Kiel", date(2025, 1, 2))
    (note,) = (said(note) for note in notes_of(copy) if "day/month" in said(note))
    assert note.startswith("Column day of either was read as day/month; every date of it would also fit month/day.")
    with duckdb.connect(str(copied(folder, tmp_path / "kept", "days", dates="mdy")), read_only=True) as connection:
        assert connection.table("either").fetchall()[0] == ("Ulm", date(2025, 1, 2))


def test_a_file_that_cannot_be_read_is_named_without_its_place(tmp_path: Path) -> None:
    folder = tmp_path / "files"
    folder.mkdir()
    (folder / "orders.parquet").write_bytes(b"no table")

    with pytest.raises(InvalidInput) as refused:
        copied(folder, tmp_path / "kept", "files")

    assert "orders.parquet" in str(refused.value)
    assert str(tmp_path) not in str(refused.value)


def _tables(tmp_path: Path, files: Mapping[str, str | bytes], **told: str) -> tuple[dict[str, list[tuple[object, ...]]], list[str]]:
    """The rows of each table of a folder with these files, and the notes."""
    for name, data in files.items():
        (tmp_path / "lake" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "lake" / name).write_bytes(data if isinstance(data, bytes) else data.encode())
    copy = copied(tmp_path / "lake", tmp_path / "kept", "lake", **told)
    with duckdb.connect(str(copy), read_only=True) as connection:
        names = [name for (name,) in connection.execute("SHOW TABLES").fetchall()]
        return {name: connection.table(f'"{name}"').fetchall() for name in names}, [said(note) for note in notes_of(copy)]


def test_files_of_different_tables_are_not_one(tmp_path: Path) -> None:
    """All files below `dt=...` were one table, and those whose names begin with `part-r`."""
    tables, notes = _tables(
        tmp_path,
        {
            "dt=2025-01-01/orders.csv": "id,amount\n1,10\n",
            "dt=2025-01-01/customers.csv": "id,name\n1,Ann\n",
            "dt=2025-01-02/orders_2.csv": "id,amount,note\n3,30,late\n",
            "sales/year=2025/jan.jsonl": '{"id": 1}\n',
            "sales/year=2025/feb.jsonl": '{"id": 2}\n',
            "words/part-requests.csv": "id,a\n1,2\n",
            "words/part-returns.csv": "id,b\n1,3\n",
        },
    )

    assert {name: sorted(rows) for name, rows in tables.items()} == {
        "orders": [(1, 10, date(2025, 1, 1), None), (3, 30, date(2025, 1, 2), "late")],
        "customers": [(1, "Ann", date(2025, 1, 1))],
        "sales": [(1, 2025), (2, 2025)],
        "part_requests": [(1, 2)],
        "part_returns": [(1, 3)],
    }
    assert notes == []


def test_parts_of_a_table_are_read_as_one_text_is(tmp_path: Path) -> None:
    """They were refused where they are not UTF-8, NULL made texts of numbers, and an empty part was a column."""
    tables, notes = _tables(
        tmp_path,
        {
            "names/part-0.csv": "id,name\n1,Müller\n".encode("cp1252"),
            "names/part-1.csv": "id,name\n2,Straße\n".encode("cp1252"),
            "sums/part-0.csv": "id,amount\n1,NULL\n2,3\n\n(2 rows affected)\n",
            "sums/part-1.csv": "amount;id\n2.5;01\n",
            "sums/part-2.csv": "",
            "one/k=1/a.csv": "v\n7\n",
        },
        encoding="windows-1252",
    )

    assert tables == {
        "names": [(1, "Müller"), (2, "Straße")],
        "sums": [("1", None), ("2", 3.0), ("01", 2.5)],
        "one": [(7, 1)],
    }
    assert notes == [
        "names is not UTF-8 and was read as windows-1252.",
        "sums: what is below its rows was left out: “(2 rows affected)”",
        "sums: cells with NULL were read as empty.",
    ]


@pytest.mark.parametrize(
    ("text", "first", "is_said"),
    [
        ("id,at\n1,03/04/2025 10:00:00\n2,05/06/2025 11:00:00\n", datetime(2025, 3, 4, 10), False),  # noqa: DTZ001 as in the file
        ("id,at\n1,03-04-2025\n2,05-06-2025\n", date(2025, 3, 4), False),
        ("id,at\n1,2025-03-04\n2,2025-06-05\n", date(2025, 3, 4), False),
        ("id,at\n1,03/04/2025\n2,31/12/2024\n", date(2025, 4, 3), False),
        ("id,at,due\n1,03/04/2025,31/12/2024\n2,05/06/2025,01/02/2025\n", date(2025, 4, 3), True),
    ],
)
def test_the_month_comes_first_where_the_address_says_so(tmp_path: Path, text: str, first: date, is_said: bool) -> None:
    """Moments stayed day first, and dates with hyphens were texts; where another date has the day first, all of the file have."""
    tables, notes = _tables(tmp_path, {"days.csv": text}, dates="mdy")

    assert tables["days"][0][1] == first
    assert ["day/month" in note for note in notes] == [True] * is_said
