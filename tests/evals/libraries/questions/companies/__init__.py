"""Made-up companies with questions of our own, so that the reader can be measured without any other data.

Each company has a script of its tables and rows, in which the comments are the catalogue's descriptions, and lines of questions
in English and Chinese with their right queries. The rules were written while looking at `hospital` and `logistics`; of `billing`
the questions were written first, and only figures were looked at afterwards.
"""

import re
import sqlite3
from collections.abc import Sequence
from pathlib import Path

import sqlglot
from sqlglot import exp

from contracts.base import Json
from tests.evals.libraries.questions.files import json_lines, write_lines

COMPANIES = (
    "hospital", "logistics", "billing", "hotels", "factory", "library", "bikes", "vets", "water", "insurer", "academy", "airline",
    "recruit", "helpdesk", "game", "theatre", "solar",
)  # fmt: skip
"""Their names, which are those of their databases."""

FIRST_CONTACT = COMPANIES[COMPANIES.index("academy") :]
"""Those whose questions were written to see what the reader does with a company that it has not seen."""

_HERE = Path(__file__).parent
_TABLE = re.compile(r"CREATE TABLE (?P<name>\w+) \((?: -- (?P<comment>.*))?")
_COLUMN = re.compile(r"^  (?P<name>\w+) (?P<type>\w+)(?P<rest>.*?)(?: -- (?P<comment>.*))?$")
_MOST_VALUES = 12
"""Distinct values up to which a column is a domain."""


def write_companies(folder: Path, names: Sequence[str] = COMPANIES) -> None:
    """Write the databases, the catalogue and the questions in the layout that the evaluation reads."""
    (folder / "sqlite").mkdir(parents=True, exist_ok=True)
    tables: list[Json] = []
    rows: dict[str, list[Json]] = {"questions": [], "questions_zh": [], "unanswerable": [], "glossary": []}
    for name in names:
        script = script_of(name)
        with sqlite3.connect(folder / "sqlite" / f"{name}.sqlite") as connection:
            connection.executescript(script)
            tables += _catalogue(name, script, connection)
        connection.close()
        for line in json_lines(_HERE / f"{name}.jsonl"):
            _sort(name, line, rows)
    write_lines(folder / "catalogue.jsonl", tables)
    for name, lines in rows.items():
        write_lines(folder / f"{name}.jsonl", lines)


def script_of(company: str) -> str:
    """The statements that make a company's tables and rows."""
    return (_HERE / f"{company}.sql").read_text("utf-8")


def _sort(company: str, line: Json, rows: dict[str, list[Json]]) -> None:
    if "unanswerable" in line:
        rows["unanswerable"].append({"db": company, "question": line["unanswerable"]})
    elif "glossary" in line:
        rows["glossary"].append({"db": company, "text": line["glossary"]})
    else:
        about = {"id": line["id"], "db": company}
        instructions = line.get("instructions", "")
        rows["questions"].append(
            {
                **about,
                "question": line["question"],
                "instructions": instructions,
                "gold_tables": _tables(line["gold"][0]),
                "gold_sqlite": line["gold"],
            }
        )
        rows["questions_zh"].append({**about, "question_zh": line["question_zh"], "instructions_zh": instructions})


def _tables(query: str) -> list[str]:
    return sorted({table.name for table in sqlglot.parse_one(query, read="sqlite").find_all(exp.Table)})


def _catalogue(company: str, script: str, connection: sqlite3.Connection) -> list[Json]:
    made: list[Json] = []
    table: Json = {}
    for line in script.splitlines():
        if match := _TABLE.match(line):
            count = connection.execute(f'SELECT count(*) FROM "{match["name"]}"').fetchone()[0]  # noqa: S608 a name of the script
            table = {
                "db": company, "table": match["name"], "description": match["comment"] or "", "rows": count, "columns": [],
                "primary_key": [], "foreign_keys": [],
            }  # fmt: skip
            made.append(table)
        elif line == ");":
            table = {}
        elif table and (match := _COLUMN.match(line)):
            _add_column(table, match, connection)
    return made


def _add_column(table: Json, match: re.Match[str], connection: sqlite3.Connection) -> None:
    column, rest = match["name"], match["rest"]
    places = {"column": f'"{column}"', "table": f'"{table["table"]}"'}
    statement = "SELECT count(DISTINCT {column}), count(*) - count({column}), min({column}), max({column}) FROM {table}".format(**places)  # noqa: S608 names of the script
    distinct, nulls, low, high = connection.execute(statement).fetchone()
    row: Json = {"name": column, "type": match["type"].lower(), "description": match["comment"] or "", "distinct": distinct, "nulls": nulls}
    if distinct <= _MOST_VALUES and match["type"] == "TEXT":
        values = connection.execute("SELECT DISTINCT {column} FROM {table} WHERE {column} IS NOT NULL ORDER BY 1".format(**places))  # noqa: S608 names of the script
        row["values"] = [value for (value,) in values]
    else:
        row |= {"min": low, "max": high}
    table["columns"].append(row)
    if "PRIMARY KEY" in rest:
        table["primary_key"].append(column)
    if reference := re.search(r"REFERENCES (\w+) \((\w+)\)", rest):
        table["foreign_keys"].append(f"FOREIGN KEY ({column}) REFERENCES {reference[1]}({reference[2]})")
