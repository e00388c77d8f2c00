"""Requirements whose result is known: cases with changes between runs, questions over tiny tables, and a shop's documented models."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from contracts.tables import ColumnDetail, TableDetail
from workers.engines.requirements import described_keys
from workers.kinds.etl.evaluation.catalogued import catalogued


@dataclass(frozen=True, slots=True)
class Case:
    """A requirement in one language."""

    id: str
    language: str
    requirement: str
    tables: tuple[TableDetail, ...]
    setup: tuple[str, ...]
    """Statements that make the tables."""
    expected: Path | str
    """A file with the rows of the target, or the query that gives them."""
    target: str
    """Empty: any name."""
    changes: tuple[tuple[str, ...], ...] = field(default=())
    """Statements before each further run."""
    is_ours: bool = False
    """It comes with Bullpen."""
    is_aside: bool = False
    """Of ours: it was not looked at while the rules were mended."""
    answers: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its author says when asked, by column; `row`: what a row is, `rows`: which rows count. Written with the requirement."""
    again: Mapping[str, str] = field(default_factory=dict[str, str])
    """What its author says where the first answer did not do: mostly the same in SQL. Written with the requirement as well."""
    courtesies: tuple[str, ...] = ()
    """Beginnings of sentences that say nothing of the table."""


def read_cases(folder: Path) -> list[Case]:
    """All cases of the data set."""
    return [*_own(folder), *_tpch(folder), *_jaffle(folder)]


def _own(folder: Path) -> Iterator[Case]:
    for path in sorted((folder / "cases").glob("*/case.json")):
        raw = json.loads(path.read_text("utf-8"))
        setup = _setup(raw, folder, path.parent)
        tables = catalogued(_tables(raw["catalogue"]), setup)
        for language in ("en", "zh"):
            yield Case(
                id=f"{raw['id']}-{language}",
                language=language,
                requirement=raw[f"requirement_{language}"],
                tables=tables,
                setup=setup,
                expected=path.parent / "expected.csv",
                target=raw["target"]["table"],
                changes=tuple(tuple(change) for change in raw["changes"]),
            )


def _setup(raw: dict[str, Any], folder: Path, own: Path) -> tuple[str, ...]:
    source = raw["source"]
    files: Sequence[Path] = ()
    if source == "tpch":
        files = sorted((folder / "tpch").glob("*.csv.gz"))
    elif source == "jaffle":
        files = sorted((folder / "jaffle_shop" / "seeds").glob("*.csv"))
    elif source.startswith("nl2sql"):
        files = sorted((own / "tables").glob("*.csv"))
    return (*_loads(files), *raw.get("setup", ()))


def _loads(files: Sequence[Path]) -> tuple[str, ...]:
    return tuple(
        f"CREATE TABLE {_name(file)} AS SELECT * FROM read_csv('{_quoted(file)}', header = true)"  # noqa: S608 both are checked or quoted
        for file in files
    )


def _name(file: Path) -> str:
    found = file.name.removesuffix(".gz").removesuffix(".csv")
    if not re.fullmatch(r"[a-z_][a-z0-9_]*", found):
        raise ValueError(f"{file.name} does not name a table.")
    return found


def _quoted(file: Path) -> str:
    return str(file).replace("'", "''")


def _tpch(folder: Path) -> Iterator[Case]:
    setup = _loads(sorted((folder / "tpch").glob("*.csv.gz")))
    tables = catalogued(_tables(json.loads((folder / "tpch" / "catalogue.json").read_text("utf-8"))), setup)
    for raw in _lines(folder / "tpch" / "cases.jsonl"):
        for language in ("en", "zh"):
            yield Case(
                id=f"{raw['id']}-{language}",
                language=language,
                requirement=raw[f"requirement_{language}"],
                tables=tables,
                setup=setup,
                expected=folder / "tpch" / "expected" / f"{raw['id']}.csv",
                target="",
            )


def _jaffle(folder: Path) -> Iterator[Case]:
    """The documentation of a model is its requirement; models below it are tables that are there."""
    seeds = sorted((folder / "jaffle_shop" / "seeds").glob("*.csv"))
    made: list[tuple[str, str]] = []
    tables = [_of_csv(file) for file in seeds]
    for raw in _lines(folder / "jaffle_shop" / "cases.jsonl"):
        expected = folder / "jaffle_shop" / "expected" / f"{raw['model']}.csv"
        columns = "; ".join(
            f"{item['name']} ({item['description']})" if item["description"] else item["name"] for item in raw["documented_columns"]
        )
        setup = (*_loads(seeds), *(f"CREATE TABLE {name} AS {sql}" for name, sql in made))
        yield Case(
            id=raw["id"],
            language="en",
            requirement=f"Build the table {raw['model']}. {raw['requirement'] or ''} Columns: {columns}",
            tables=catalogued(described_keys(tables), setup),
            setup=setup,
            expected=expected,
            target=raw["model"],
        )
        made.append((raw["model"], raw["gold_sql"]))
        tables.append(TableDetail(name=raw["model"], columns=tuple(ColumnDetail(name=name) for name in raw["columns"])))


def _of_csv(file: Path) -> TableDetail:
    header = file.read_text("utf-8").splitlines()[0]
    return TableDetail(name=_name(file), columns=tuple(ColumnDetail(name=name.strip()) for name in header.split(",")))


def _tables(catalogue: list[dict[str, Any]]) -> tuple[TableDetail, ...]:
    return described_keys(
        [
            TableDetail(
                name=table["table"],
                description=table.get("description", ""),
                columns=tuple(
                    ColumnDetail(name=column["name"], type=column.get("type", ""), description=column.get("description", ""))
                    for column in table["columns"]
                ),
            )
            for table in catalogue
        ]
    )


def _lines(path: Path) -> Iterator[dict[str, Any]]:
    yield from (json.loads(line) for line in path.read_text("utf-8").splitlines() if line.strip())
