"""The cases: tables as a catalogue has them, questions with their right queries, and questions that the tables cannot answer."""

import re
import sqlite3
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from contracts.base import Json
from contracts.tables import ColumnDetail, ForeignKey, TableDetail
from tests.evals.libraries.questions.files import json_lines

_FOREIGN_KEY = re.compile(r"FOREIGN KEY \(([^)]+)\) REFERENCES (\w+) ?\(([^)]+)\)", re.IGNORECASE)
_TEXT = re.compile(r"char|text", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Case:
    """A question of a database, and what is right."""

    id: str
    database: str
    question: str
    instructions: str
    gold: tuple[str, ...]
    gold_tables: frozenset[str]


def load_tables(data: Path) -> dict[str, list[TableDetail]]:
    """The tables of each database."""
    made: dict[str, list[TableDetail]] = {}
    for row in json_lines(data / "catalogue.jsonl"):
        made.setdefault(row["db"], []).append(_table(row))
    return made


def _table(row: Json) -> TableDetail:
    keys = [match for text in row["foreign_keys"] if (match := _FOREIGN_KEY.match(text))]
    return TableDetail(
        name=row["table"], rows=row["rows"], primary_key=tuple(row["primary_key"]),
        columns=tuple(_column(column) for column in row["columns"]),
        description=row.get("description") or "",
        foreign_keys=tuple(
            ForeignKey(columns=_names(match[1]), table=match[2], references=_names(match[3])) for match in keys
        ),
    )  # fmt: skip


def _column(row: Json) -> ColumnDetail:
    return ColumnDetail(
        name=row["name"], type=row["type"], description=row.get("description") or "", values=tuple(map(str, row.get("values") or ())),
        minimum=_text(row.get("min")), maximum=_text(row.get("max")), distinct=row.get("distinct"), nulls=row.get("nulls"),
    )  # fmt: skip


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(","))


def _text(value: Any) -> str | None:
    return None if value is None else str(value)


def load_cases(data: Path) -> tuple[list[Case], list[Case]]:
    """The questions in English, and those that are also there in Chinese."""
    english = [_case(row, row["question"], row["instructions"]) for row in json_lines(data / "questions.jsonl")]
    rows = {row["id"]: row for row in json_lines(data / "questions.jsonl")}
    chinese = [
        _case(rows[row["id"]], row["question_zh"], row.get("instructions_zh") or rows[row["id"]]["instructions"])
        for row in json_lines(data / "questions_zh.jsonl")
    ]
    return english, chinese


def _case(row: Json, question: str, instructions: str) -> Case:
    return Case(row["id"], row["db"], question, instructions, tuple(row["gold_sqlite"]), frozenset(row["gold_tables"]))


def load_definitions(data: Path) -> dict[str, list[str]]:
    """Texts that define measures, by database; the file may be missing."""
    made: dict[str, list[str]] = {}
    path = data / "glossary.jsonl"
    for row in json_lines(path) if path.exists() else ():
        made.setdefault(row["db"], []).append(row["text"])
    return made


def value_look_up(path: Path, tables: Sequence[TableDetail]) -> Callable[[str], list[tuple[str, str, str]]]:
    """Finds a text among the values of a SQLite file, in any case."""
    known: dict[str, list[tuple[str, str, str]]] = {}
    connection = sqlite3.connect(f"file:{path}?mode=ro&immutable=1", uri=True)
    for table in tables:
        for column in table.columns:
            if not _TEXT.search(column.type):
                continue
            quoted = [name.replace('"', '""') for name in (column.name, table.name)]
            for (value,) in connection.execute(f'SELECT DISTINCT "{quoted[0]}" FROM "{quoted[1]}"'):  # noqa: S608 quoted names of the catalogue
                if isinstance(value, str):
                    known.setdefault(value.lower(), []).append((table.full_name, column.name, value))
    connection.close()
    return lambda text: known.get(text.lower(), [])
