"""Files of a folder source that are not as they should be."""

from pathlib import Path

import duckdb
import pytest

from workers.errors import InvalidInput
from workers.sources.sessions.folders import copied


def test_a_file_in_another_encoding_is_named_with_what_to_do(tmp_path: Path) -> None:
    """Spreadsheets in China write GBK; the same file in UTF-8, with a byte order mark, is a table with Chinese names."""
    folder, kept = tmp_path / "exports", tmp_path / "kept"
    folder.mkdir()
    kept.mkdir()
    file = folder / "门店.csv"
    file.write_text("门店编号,门店名\n1,上海一店\n", encoding="gbk")

    with pytest.raises(InvalidInput, match=r"门店\.csv is not in UTF-8"):
        copied(folder, kept, "shops")

    file.write_text("门店编号,门店名\n1,上海一店\n", encoding="utf-8-sig")
    with duckdb.connect(str(copied(folder, kept, "shops")), read_only=True) as connection:
        assert connection.table("门店").fetchall() == [(1, "上海一店")]
        assert connection.table("门店").columns == ["门店编号", "门店名"]
