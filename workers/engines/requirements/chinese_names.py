"""Tables and columns with Chinese names, as files from a spreadsheet have them. The readers know names in Latin letters with Chinese
comments, so they get stand-ins whose comment is the name, and what they read is given back in the names of the source."""

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from contracts.base import Json
from contracts.pipelines.analysis import Ambiguity, AnalysisStep, EtlTarget, SourceWork
from contracts.statements import Sayable, Statement
from contracts.tables import ColumnDetail, JoinPath, TableDetail
from workers.engines.requirements.facts import RequirementReading
from workers.engines.sql.build_values import TEMPORAL

_CHINESE = re.compile(r"[\u3400-\u9fff]")
_STAND_IN = re.compile(r"(?:sheet|attr)\d+(?:_no|_at|_on)?(?![a-z\d])")
"""Names of stand-ins. What is made of them has them within: `total_attr5`."""
_KEY_NAME = re.compile(r"(?:编号|编码|代码|单号|牌号|卡号|账号|流水号|序号|主键|号)$")
_TARGET = re.compile(
    r"\s*(?:请(?:帮忙?)?|帮(?:我|忙))?(?:(?:我们?)?(?:需要|想要)|建立|创建|新建|生成|制作|做|建)(?:一张|一个|一份)?(?:新的?)?(?:表)?\s*"
    r"[「“《`]?(?P<name>[\u3400-\u9fff]{2,20})[」”》`]?(?=\s*(?:[（(][^（()）]*[)）]\s*)?[，,：:])"
)
"""A requirement that begins with the name of its table: 建立 医生汇总，每位医生一行."""
_COMMON = frozenset({"数量", "个数", "次数", "人数", "总数", "月份", "日期", "年份", "季度", "时间", "名称", "类别", "状态", "合计"})
"""Names of columns that are words of a requirement too: they are found by their comment alone."""
_STEPS = frozenset({"id", "depends_on", "step", "input", "left", "right"})
"""Where a step names itself or another: these names are plain, and stay."""


def is_stand_in(name: str) -> bool:
    """Whether a column or table is named for one that has a Chinese name."""
    return _STAND_IN.fullmatch(name) is not None


@dataclass(frozen=True, slots=True)
class StandIns:
    """Names in the place of the Chinese ones of a source."""

    tables: dict[str, str]
    """By the name of the table."""
    columns: dict[str, str]
    target: str = ""
    """A Chinese name that the requirement gives the table it asks for; it has a stand-in among those of tables."""

    def known(self, tables: Sequence[TableDetail]) -> tuple[TableDetail, ...]:
        """The tables as the readers take them."""
        return tuple(self._table(table) for table in tables)

    def paths(self, paths: Sequence[JoinPath]) -> tuple[JoinPath, ...]:
        """The ways to join them."""
        return tuple(
            path.model_copy(
                update={
                    "left": self._full(path.left), "right": self._full(path.right),
                    "left_columns": self._names(path.left_columns), "right_columns": self._names(path.right_columns),
                }
            )
            for path in paths
        )  # fmt: skip

    def text(self, text: str) -> str:
        """A requirement with the stand-ins of the columns that it names by themselves: between marks, 的 and 和. A table within a
        Chinese sentence is found by its comment."""
        names = {name: stand_in for name, stand_in in self.columns.items() if name not in _COMMON}
        if self.target and (head := _TARGET.match(text)) is not None and head["name"] == self.target:
            text = f"{text[: head.start('name')]} {self.tables[self.target]} {text[head.end('name') :].lstrip()}"
        text = _put(text, names, r"(?<![^\W_\u3400-\u9fff])(?<![\u3400-\u9fff](?<![和与及按的每]))", r"(?![^\W和与及的以])")
        return _put(text, self.tables, r"(?<!\w)(?<![每个的] )", r"(?!\w)")

    def back(self, reading: RequirementReading) -> RequirementReading:
        """What was read, in the names of the source."""
        return replace(
            reading,
            steps=tuple(self._step(step) for step in reading.steps),
            target=EtlTarget.model_validate_json(self._said(reading.target.model_dump_json())) if reading.target is not None else None,
            tables=tuple(map(self._said, reading.tables)),
            joins=tuple(JoinPath.model_validate_json(self._said(path.model_dump_json())) for path in reading.joins),
            says=tuple(map(self._sayable, reading.says)),
            ambiguities=tuple(Ambiguity.model_validate_json(self._said(item.model_dump_json())) for item in reading.ambiguities),
            assumptions=tuple(map(self._sayable, reading.assumptions)),
            unread=tuple(map(self._said, reading.unread)),
            left_out=tuple(map(self._said, reading.left_out)),
        )

    def _table(self, table: TableDetail) -> TableDetail:
        columns = tuple(
            column.model_copy(update={"name": self._column(column.name), "description": _comment(column.name, column.description)})
            if column.name in self.columns
            else column
            for column in table.columns
        )
        keys = tuple(
            key.model_copy(
                update={
                    "columns": self._names(key.columns), "table": self._full(key.table), "references": self._names(key.references)
                }
            )
            for key in table.foreign_keys
        )  # fmt: skip
        return table.model_copy(
            update={
                "name": self.tables.get(table.name, table.name),
                "description": _comment(table.name, table.description) if table.name in self.tables else table.description,
                "columns": columns, "foreign_keys": keys, "primary_key": self._names(table.primary_key),
                "unique": tuple(map(self._names, table.unique)), "partitioned_by": self._names(table.partitioned_by),
            }
        )  # fmt: skip

    def _column(self, name: str) -> str:
        return self.columns.get(name, name)

    def _names(self, names: Iterable[str]) -> tuple[str, ...]:
        return tuple(map(self._column, names))

    def _full(self, name: str) -> str:
        schema, dot, table = name.rpartition(".")
        return f"{schema}{dot}{self.tables.get(table, table)}"

    def _said(self, text: str, letters: Callable[[str], str] = lambda name: json.dumps(name, ensure_ascii=False)[1:-1]) -> str:
        """A text, or the JSON of something, with the names of the source."""
        known = {stand_in: name for names in (self.tables, self.columns) for name, stand_in in names.items()}
        return _STAND_IN.sub(lambda found: letters(known[found[0]]) if found[0] in known else found[0], text)

    def _sayable(self, text: Sayable) -> Sayable:
        return Statement.model_validate_json(self._said(text.model_dump_json())) if isinstance(text, Statement) else self._said(text, str)

    def _step(self, step: AnalysisStep) -> AnalysisStep:
        def walk(value: Any, key: str = "") -> Any:
            if isinstance(value, dict):
                return {name: walk(item, name) for name, item in cast("Json", value).items()}
            if isinstance(value, list):
                return [walk(item, key) for item in cast("list[Any]", value)]
            is_step = key in _STEPS or (key == "inputs" and not isinstance(step.work, SourceWork))
            return self._said(value, str) if isinstance(value, str) and not is_step else value

        return AnalysisStep.model_validate(walk(step.model_dump(mode="json")))


def stand_ins(tables: Sequence[TableDetail], text: str) -> StandIns | None:
    """Stand-ins for the Chinese names of a source; None: it has none, or somebody uses these names already."""
    columns = {column.name: column for table in tables for column in table.columns if _CHINESE.search(column.name)}
    named = [table.name for table in tables if _CHINESE.search(table.name)]
    target = _target_of(text, named)
    named += [target] if target else []
    if not (columns or named) or any(_STAND_IN.search(words.lower()) for words in (text, *_latin(tables))):
        return None
    return StandIns(
        {name: f"sheet{place}" for place, name in enumerate(dict.fromkeys(named), 1)},
        {name: f"attr{place}{_ending(column)}" for place, (name, column) in enumerate(columns.items(), 1)},
        target,
    )


def _target_of(text: str, tables: Sequence[str]) -> str:
    """The Chinese name of the table that is asked for; empty: it has none, or the name may say what a row is or which rows count."""
    head = _TARGET.match(text)
    if head is None or head["name"] in tables or re.search(r"[每各的中按从和与、]|所有|全部|没有|未", head["name"]):
        return ""
    return head["name"]


def _latin(tables: Sequence[TableDetail]) -> list[str]:
    return [name for table in tables for name in (table.name, *(column.name for column in table.columns)) if not _CHINESE.search(name)]


def _ending(column: ColumnDetail) -> str:
    """What Latin names say at their end: that it is a key, a moment or a day."""
    kind = column.holds or column.type
    if TEMPORAL.search(kind):
        return "_on" if re.fullmatch(r"date", kind, re.IGNORECASE) else "_at"
    return "_no" if _KEY_NAME.search(column.name) else ""


def _comment(name: str, description: str) -> str:
    return f"{name}，{description}" if description and not description.startswith(name) else description or name


def _put(text: str, names: dict[str, str], before: str, behind: str) -> str:
    """The text with other names, the longest first, apart from letters beside them."""
    if not names:
        return text
    spoken = "|".join(re.escape(name) for name in sorted(names, key=len, reverse=True))

    def spaced(found: re.Match[str]) -> str:
        left = found.start() and re.match(r"\w", text[found.start() - 1])
        right = re.match(r"\w", text[found.end() : found.end() + 1])
        return f"{' ' if left else ''}{names[found[0]]}{' ' if right else ''}"

    return re.sub(rf"{before}(?:{spoken}){behind}", spaced, text)
