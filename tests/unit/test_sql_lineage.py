"""Lineage of SQL: which tables and columns those that a statement writes come from."""

import pytest

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.sql.lineage import script_lineage


def table(name: str, *columns: str) -> TableDetail:
    """A table of a small farm."""
    return TableDetail(name=name, columns=tuple(ColumnDetail(name=column) for column in columns))


TABLES = (table("field", "field_id", "crop", "hectares"), table("harvest", "field_id", "day", "tons"), table("yield", "crop", "tons"))


def edges(sql: str, tables: tuple[TableDetail, ...] = TABLES, dialect: str = "postgres") -> set[str]:
    """Edges as `source.column>target.column`."""
    return {
        f"{edge.source_table}.{edge.source_column}>{edge.target_table}.{edge.target_column}"
        for edge in script_lineage(sql, tables, dialect).columns
    }


@pytest.mark.parametrize(
    "sql", ["REPLACE INTO yield SELECT crop, hectares FROM field", "replace yield (crop, tons) select crop, hectares from field"]
)
@pytest.mark.parametrize("dialect", ["mysql", "sqlite"])
def test_a_replace_fills_its_target_as_an_insert_does(sql: str, dialect: str) -> None:
    assert edges(sql, dialect=dialect) == {"field.crop>yield.crop", "field.hectares>yield.tons"}
    assert script_lineage(sql, TABLES, dialect).targets == ("yield",)


def test_an_insert_maps_by_place_to_the_columns_of_its_target() -> None:
    sql = "insert into yield select f.crop, sum(h.tons) from harvest h join field f using (field_id) group by 1"

    assert edges(sql) == {"field.crop>yield.crop", "harvest.tons>yield.tons"}


def test_an_insert_maps_by_place_to_the_columns_that_it_names() -> None:
    assert edges("insert into yield (tons, crop) select hectares, crop from field") == {
        "field.hectares>yield.tons",
        "field.crop>yield.crop",
    }


def test_a_column_is_followed_through_ctes_unions_and_stars() -> None:
    sql = """create table t as with a as (select * from field),
             b as (select crop as c, hectares h from a union all select day, tons from harvest)
             select x.c, x.h * 2 as twice from (select * from b) x"""

    assert edges(sql) == {"field.crop>t.c", "harvest.day>t.c", "field.hectares>t.twice", "harvest.tons>t.twice"}


def test_merge_and_update_map_each_assignment() -> None:
    merge = """merge into yield y using (select crop, hectares as size from field) s on y.crop = s.crop
               when matched then update set tons = s.size when not matched then insert (crop, tons) values (s.crop, s.size)"""

    assert edges(merge) == {"field.hectares>yield.tons", "field.crop>yield.crop"}
    assert edges("update yield set tons = h.tons from harvest h") == {"harvest.tons>yield.tons"}


def test_windows_conditions_and_scalar_queries_are_part_of_a_value() -> None:
    sql = """select sum(h.tons) over (partition by day) as s, case when crop = 'x' then (select max(hectares) from field) end as m
             from harvest h, yield y"""

    found = edges(sql)

    assert found == {"harvest.tons>.s", "harvest.day>.s", "yield.crop>.m", "field.hectares>.m"}


def test_a_star_of_an_unknown_table_stays_a_star_and_a_column_passes_through_it() -> None:
    assert edges("insert into b select * from a", ()) == {"a.*>b.*"}
    assert edges("create table c as select q from (select * from a) x", ()) == {"a.q>c.q"}


def test_a_column_of_two_unknown_tables_has_no_table() -> None:
    assert edges("insert into c select z from a, b", ()) == {".z>c.z"}


def test_an_output_without_a_name_is_called_as_it_is_written() -> None:
    assert edges("insert into c select max( x ), count(*) from a", ()) == {"a.x>c.max( x )", "a.*>c.count(*)"}


def test_tables_between_the_statements_of_a_script_are_followed_through() -> None:
    script = "create view v as select crop, hectares from field; insert into yield select crop, hectares * 2 from v; drop view v"

    found = script_lineage(script, TABLES, "postgres")

    assert (found.sources, found.targets) == (("field",), ("yield",))
    assert edges(script) == {"field.crop>yield.crop", "field.hectares>yield.tons"}


@pytest.mark.parametrize(
    ("dialect", "sql", "sources", "targets"),
    [
        ("postgres", "create table a (x int)", (), ("a",)),
        ("postgres", "with q as (select * from s.b) update a set x = q.x from q", ("s.b",), ("a",)),
        ("hive", "insert overwrite table a partition (d = 1) select x from a where x > 0", ("a",), ("a",)),
        ("hive", "from a insert into b select x insert into c select y", ("a",), ("b", "c")),
        ("tsql", "select * into a from b union all select * from c", ("b", "c"), ("a",)),
        ("tsql", "insert into a select * from b\ninsert into c select * from d", ("b", "d"), ("a", "c")),
        ("mysql", "insert into a select * from b; rename table a to c", ("b",), ("c",)),
        ("postgres", "insert into a select * from b; alter table a rename to c", ("b",), ("c",)),
        ("mysql", "update a inner join b on a.i = b.i set a.x = b.x", ("b",), ("a",)),
        ("oracle", "create procedure p as begin insert into a select x from b; end;", ("b",), ("a",)),
        ("postgres", "with recursive r as (select i from b union all select b.i from b join r on r.i = b.p) select * from r", ("b",), ()),
        ("postgres", "insert into a values ((select max(x) from b))", ("b",), ("a",)),
        ("postgres", "select * from (values (1)) v", (), ()),
    ],
)  # fmt: skip
def test_tables_that_are_read_and_written(dialect: str, sql: str, sources: tuple[str, ...], targets: tuple[str, ...]) -> None:
    found = script_lineage(sql, (), dialect)

    assert (found.sources, found.targets, found.unread) == (sources, targets, ())


def test_a_statement_that_does_not_parse_is_named_and_the_others_are_read() -> None:
    found = script_lineage("selec x frm; insert into a select * from b", (), "postgres")

    assert found.targets == ("a",)
    assert found.unread == ("selec x frm",)
