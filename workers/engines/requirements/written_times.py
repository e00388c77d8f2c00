"""Times that a source keeps as text: they are read as times, and the steps convert them where their tables are read."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, cast

from contracts.base import Json
from contracts.pipelines.analysis import AnalysisStep, DeriveWork, SourceWork
from contracts.pipelines.expressions import Call, ColumnOf, Function, NamedExpression, ValueType
from contracts.statements import name, names, say
from contracts.tables import TableDetail
from workers.engines.requirements.facts import RequirementReading
from workers.engines.requirements.naming import free_name

_ONE, _SEVERAL = frozenset({"step", "input", "left", "right"}), frozenset({"inputs", "depends_on"})
"""Where a step names steps that it reads."""


def with_times(tables: Sequence[TableDetail]) -> tuple[TableDetail, ...]:
    """The tables as a reader takes them: a text column of which every value is a time has the type that its values have."""
    return tuple(
        table.model_copy(
            update={
                "columns": tuple(
                    column.model_copy(update={"type": column.holds, "values": ()}) if column.holds else column for column in table.columns
                )
            }
        )
        if any(column.holds for column in table.columns)
        else table
        for table in tables
    )


def converted(reading: RequirementReading, tables: Sequence[TableDetail]) -> RequirementReading:
    """The reading with a step behind each table whose text columns are used as times."""
    by_name = {table.full_name: table for table in tables}
    used = set(_names(reading.steps))
    steps, assumptions = list(reading.steps), list(reading.assumptions)
    for step in reading.steps:
        table = by_name.get(step.work.table) if isinstance(step.work, SourceWork) else None
        held = [column for column in table.columns if column.holds and column.name in used] if table is not None else []
        if table is None or not held:
            continue
        id_ = free_name(f"{step.id}_times", {item.id for item in steps})
        words = say("requirements.step.times", table=name(table.full_name), columns=names(column.name for column in held))
        columns = tuple(NamedExpression(name=column.name, value=_value(step.id, column.name, column.holds)) for column in table.columns)
        steps = [_reads(item, step.id, id_) for item in steps]
        place = next(at for at, item in enumerate(steps) if item.id == step.id) + 1
        work = DeriveWork(input=step.id, columns=columns)
        steps.insert(place, AnalysisStep(id=id_, name=words, inputs=(step.id,), depends_on=(step.id,), work=work))
        assumed = say("requirements.assume.times", columns=names(column.name for column in held), table=name(table.full_name))
        assumptions += [] if assumed in assumptions else [assumed]
    return replace(reading, steps=tuple(steps), assumptions=tuple(assumptions)) if len(steps) > len(reading.steps) else reading


def _value(step: str, column: str, holds: str) -> ColumnOf | Call:
    value = ColumnOf(step=step, name=column)
    return Call(function=Function.CONVERT, arguments=(value,), type=ValueType(holds)) if holds else value


def _names(steps: Sequence[AnalysisStep]) -> list[str]:
    """The names of all columns that expressions of the steps use."""
    found: list[str] = []

    def walk(value: Json | list[Json]) -> None:
        for item in value if isinstance(value, list) else value.values():
            if isinstance(item, dict | list):
                walk(cast("Json | list[Json]", item))
        if isinstance(value, dict) and value.get("kind") == "column":
            found.append(value["name"])

    for step in steps:
        if step.work is not None:
            walk(step.work.model_dump(mode="json"))
    return found


def _reads(step: AnalysisStep, before: str, after: str) -> AnalysisStep:
    """The step, reading another step in the place of one."""

    def walk(value: Any, key: str = "") -> Any:
        if isinstance(value, dict):
            return {name: walk(item, name) for name, item in cast("Json", value).items()}
        if isinstance(value, list):
            return [after if key in _SEVERAL and item == before else walk(item) for item in cast("list[Any]", value)]
        return after if key in _ONE and value == before else value

    return AnalysisStep.model_validate(walk(step.model_dump(mode="json")))
