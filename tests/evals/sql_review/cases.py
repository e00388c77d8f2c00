"""The cases of a set: right statements over `schemas.sql`, each with defects as changes of its text."""

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import sqlglot
import yaml
from sqlglot import exp

from contracts.sql_review import ReviewTarget
from contracts.tables import ColumnDetail, ForeignKey, TableDetail

HERE = Path(__file__).parent


@dataclass(frozen=True, slots=True)
class Case:
    """A statement, what is known around it, and whether it is right."""

    id: str
    sql: tuple[str, ...]
    tables: tuple[TableDetail, ...]
    requirement: str
    target: ReviewTarget | None
    family: str = ""
    """Of the defect; empty: the statement is right."""
    right: str = ""
    """The id of the statement from which a defect was made."""

    @property
    def query(self) -> str:
        """The query that fills the target; empty: the statements write it themselves."""
        head, _, query = self.sql[0].partition(" AS ")
        is_made = len(self.sql) == 1 and self.target is not None and head == f"CREATE TABLE {self.target.table}"
        return query if is_made else ""


def read_set(name: str) -> list[Case]:
    """All cases of a set."""
    schemas = read_schemas()
    return [
        case
        for path in sorted((HERE / name).glob("*.yaml"))
        for row in yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        for case in _cases(row, schemas)
    ]


def _cases(row: dict[str, Any], schemas: dict[str, tuple[TableDetail, ...]]) -> Iterator[Case]:
    target = ReviewTarget.model_validate(row["target"]) if "target" in row else None
    known = (schemas[row["schema"]], row.get("requirement", ""), target)
    yield Case(row["id"], _statements(row["sql"], target), *known)
    for number, (family, old, new) in enumerate(row.get("mutants", ()), 1):
        if old not in row["sql"]:
            raise ValueError(f"{row['id']} does not hold {old!r}")
        yield Case(
            f"{row['id']}-{number}-{family}", _statements(row["sql"].replace(old, new), target), *known, family=family, right=row["id"]
        )


def _statements(sql: str, target: ReviewTarget | None) -> tuple[str, ...]:
    """A query alone is the content of its target."""
    statements = tuple(statement.strip() for statement in sql.split(";\n"))
    is_query = len(statements) == 1 and isinstance(sqlglot.parse_one(statements[0], read="postgres"), exp.Query)
    return (f"CREATE TABLE {target.table} AS {statements[0]}",) if is_query and target is not None else statements


@cache
def read_schemas() -> dict[str, tuple[TableDetail, ...]]:
    """Tables by the name of their schema."""
    found: dict[str, tuple[TableDetail, ...]] = {}
    for part in (HERE / "schemas.sql").read_text(encoding="utf-8").split("-- schema: ")[1:]:
        name, _, text = part.partition("\n")
        found[name.strip()] = tuple(_table(tree) for tree in sqlglot.parse(text, read="postgres") if isinstance(tree, exp.Create))
    return found


def _table(tree: exp.Create) -> TableDetail:
    columns: list[ColumnDetail] = []
    keys: tuple[str, ...] = ()
    references: list[ForeignKey] = []
    for item in tree.this.expressions:
        if isinstance(item, exp.PrimaryKey):
            keys = tuple(column.name for column in item.expressions)
            continue
        kinds = [constraint.args.get("kind") for constraint in item.args.get("constraints") or ()]
        if any(isinstance(kind, exp.PrimaryKeyColumnConstraint) for kind in kinds):
            keys = (item.name,)
        reference = next((kind for kind in kinds if isinstance(kind, exp.Reference)), None)
        if reference is not None:
            references.append(
                ForeignKey(columns=(item.name,), table=reference.this.this.name, references=(reference.this.expressions[0].name,))
            )
        check = next((kind for kind in kinds if isinstance(kind, exp.CheckColumnConstraint)), None)
        values = tuple(literal.name for literal in check.find_all(exp.Literal)) if check is not None else ()
        is_filled = any(isinstance(kind, exp.PrimaryKeyColumnConstraint | exp.NotNullColumnConstraint) for kind in kinds)
        columns.append(
            ColumnDetail(name=item.name, type=item.args["kind"].sql("postgres"), nullable=False if is_filled else None, values=values)
        )
    return TableDetail(name=tree.this.this.name, columns=tuple(columns), primary_key=keys, foreign_keys=tuple(references))
