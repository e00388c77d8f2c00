"""Files of a folder source that are not as they should be."""

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
    assert [said(note) for note in notes_of(copy)] == ["Column Betrag of posten was read with decimal commas."]


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
