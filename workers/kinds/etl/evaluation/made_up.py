"""Requirements of our own that come with Bullpen: over the sample shop, a shop's raw tables, and a small warehouse of trade.

Each folder of `made_up` has requirements with the query whose rows they should give. They were written before the rules had read them, and
what became of those that are set aside was only counted while the rules were mended."""

from collections.abc import Iterator
from pathlib import Path

import duckdb
import yaml

from contracts.tables import TableDetail
from workers.catalogue.forms.source import table_detail
from workers.engines.requirements import observed_keys
from workers.kinds.etl.evaluation.cases import Case
from workers.kinds.etl.evaluation.catalogued import catalogued
from workers.sources.sample import make_shop
from workers.sources.sessions.duckdb_files import DuckDBFiles

FOLDER = Path(__file__).parent / "made_up"
SHOP = "shop"
"""The folder whose database is the sample shop."""


def read_made_up(databases: Path) -> list[Case]:
    """The cases. Their databases are laid into a folder that must be there until they have been played."""
    return [case for folder in sorted(path for path in FOLDER.iterdir() if path.is_dir()) for case in _cases(folder, databases)]


def _cases(folder: Path, databases: Path) -> Iterator[Case]:
    path = databases / f"{folder.name}.duckdb"
    _lay(folder, path)
    found = _tables(path)
    setup = (f"ATTACH '{str(path).replace(chr(39), chr(39) * 2)}' AS made_up (READ_ONLY)", *(_copied(table.name) for table in found))
    tables, _ = observed_keys(catalogued(found, setup))
    for raw in yaml.safe_load((folder / "requirements.yaml").read_text("utf-8")):
        yield Case(
            id=f"{raw['id']}-{raw['lang']}",
            language=raw["lang"],
            requirement=raw["says"],
            tables=tables,
            setup=setup,
            expected=raw["gold"],
            target="",
            is_ours=True,
            is_aside=raw.get("aside", False),
            answers={name: str(meaning) for name, meaning in raw.get("answers", {}).items()},
            again={name: str(meaning) for name, meaning in raw.get("again", {}).items()},
            courtesies=tuple(raw.get("courtesies", ())),
            changes=tuple(tuple(change) for change in raw.get("changes", ())),
        )


def _lay(folder: Path, path: Path) -> None:
    if folder.name == SHOP:
        make_shop(path)
        return
    path.unlink(missing_ok=True)
    with duckdb.connect(str(path)) as connection:
        connection.execute((folder / "schema.sql").read_text("utf-8"))


def _tables(path: Path) -> list[TableDetail]:
    """The tables as an import of the file would know them, without samples."""
    engine = DuckDBFiles(lambda: path)
    schema, keys = engine.introspect(), engine.keys()
    return [table_detail(table, keys[table.schema, table.name]) for table in schema.tables]


def _copied(table: str) -> str:
    return f'CREATE TABLE "{table}" AS FROM made_up."{table}"'
