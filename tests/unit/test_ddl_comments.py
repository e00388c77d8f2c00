"""Comments that people write into CREATE TABLE, and where they end up."""

import sqlite3
from contextlib import closing
from pathlib import Path

from workers.engines.sql.ddl_comments import ddl_comments
from workers.sources.sessions.sqlite_file import SQLiteFile

TABLE = """CREATE TABLE member ( -- People with a membership
  id INTEGER PRIMARY KEY, -- 编号
  -- how much they pay
  fee DECIMAL(10, 2),
  -- old_fee DECIMAL(10, 2),
  plan TEXT CHECK (plan IN ('a', 'b')) -- basic or plus
)"""


def test_comments_belong_to_the_table_or_to_the_column_beside_them() -> None:
    said = ddl_comments(TABLE, "sqlite")

    assert (said.name, said.table) == ("member", "People with a membership")
    assert said.columns == {"id": "编号", "fee": "how much they pay", "plan": "basic or plus"}


def test_what_is_no_table_has_no_comments() -> None:
    assert ddl_comments("SELECT count(*) -- of all\nFROM orders", "sqlite").columns == {}
    assert ddl_comments("CREATE TABLE 'unfinished", "sqlite").table == ""


def test_a_sqlite_file_describes_its_tables_by_the_comments_it_keeps(tmp_path: Path) -> None:
    path = tmp_path / "club.sqlite"
    with closing(sqlite3.connect(path)) as connection:
        connection.execute(TABLE)

    [table] = SQLiteFile(path).introspect().tables

    assert table.comment == "People with a membership"
    assert {column.name: column.comment for column in table.columns} == {"id": "编号", "fee": "how much they pay", "plan": "basic or plus"}
