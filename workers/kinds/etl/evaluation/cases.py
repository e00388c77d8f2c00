"""Requirements whose result is known: a folder with the statements that make the tables, and a list of requirements or specifications."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path

import duckdb
import yaml
from pydantic import Field, TypeAdapter, ValidationError, model_validator

from contracts.base import Contract, Text
from contracts.statements import LanguageCode
from contracts.tables import TableDetail
from workers.catalogue.forms.source import table_detail
from workers.engines.requirements import described_keys, observed_keys
from workers.errors import InvalidInput
from workers.kinds.etl.evaluation.catalogued import catalogued
from workers.sources.sample import make_shop
from workers.sources.sessions.duckdb_files import DuckDBFiles

CASES, SCHEMA = "requirements.yaml", "schema.sql"
"""The files of the folder."""


class WrittenCase(Contract):
    """A case as it stands in the file."""

    id: Text
    lang: LanguageCode = "en"
    says: Text = ""
    """A requirement, in the closed form or in words."""
    spec: Text = ""
    """A specification in its place."""
    gold: Text = Field(min_length=1)
    """The query that gives the rows of the target."""
    changes: tuple[tuple[Text, ...], ...] = ()
    """Statements before each further run."""

    @model_validator(mode="after")
    def _says_one_thing(self) -> "WrittenCase":
        if bool(self.says) == bool(self.spec):
            raise ValueError("a case has either `says` or `spec`")
        return self


@dataclass(frozen=True, slots=True)
class Case:
    """A requirement in one language."""

    id: str
    language: str
    requirement: str
    tables: tuple[TableDetail, ...]
    setup: tuple[str, ...]
    """Statements that make the tables."""
    expected: str
    """The query that gives the rows of the target."""
    spec: str = ""
    changes: tuple[tuple[str, ...], ...] = field(default=())
    """Statements before each further run."""


def read_cases(folder: Path, databases: Path) -> list[Case]:
    """The cases of a folder. Their database is laid into `databases`, which must be there until they have been played. Raises
    `InvalidInput`."""
    if not (folder / CASES).is_file():
        raise InvalidInput(f"{folder} holds no {CASES}. `bullpen eval etl --help` says what is in it.")
    path = databases / "cases.duckdb"
    if (folder / SCHEMA).is_file():
        with duckdb.connect(str(path)) as connection:
            connection.execute((folder / SCHEMA).read_text("utf-8"))
    else:
        make_shop(path)
    return list(_cases(folder / CASES, path))


def _cases(file: Path, database: Path) -> Iterator[Case]:
    try:
        written = TypeAdapter(list[WrittenCase]).validate_python(yaml.safe_load(file.read_text("utf-8")))
    except (yaml.YAMLError, ValidationError) as error:
        raise InvalidInput(f"{file} does not hold a list of requirements: {error}") from None
    found = _tables(database)
    setup = (f"ATTACH '{str(database).replace(chr(39), chr(39) * 2)}' AS given (READ_ONLY)", *(_copied(table.name) for table in found))
    tables, _ = observed_keys(described_keys(catalogued(found, setup)))
    for case in written:
        yield Case(f"{case.id}-{case.lang}", case.lang, case.says, tables, setup, case.gold, case.spec, case.changes)


def _tables(path: Path) -> Sequence[TableDetail]:
    """The tables as an import of the file would know them, without samples."""
    engine = DuckDBFiles(lambda: path)
    schema, keys = engine.introspect(), engine.keys()
    return [table_detail(table, keys[table.schema, table.name]) for table in schema.tables]


def _copied(table: str) -> str:
    return f'CREATE TABLE "{table}" AS FROM given."{table}"'
